"""What a page opens with: the terminal's own lines, the colour of the answer, and what to do next."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.agreement.comparison_result import Comparison
from concordant.judges.worth import word_of
from concordant.render.report.comparisons import judged_by, moved
from concordant.render.report.document import document_of, of_one, verdict_of
from concordant.render.report.page import page_of

from .test_page import Page

SYSTEMS = [f"s{k}" for k in range(12)]
TRUTH = np.linspace(0.7, 0.3, 12) + np.random.default_rng(3).normal(0, 0.08, (30, 12))


def side(values: Any) -> cc.Scores:
    return cc.Scores(np.asarray(values), [f"t{k}" for k in range(len(values))], SYSTEMS[: np.shape(values)[1]])


def judge(noise: float, bias: float = 0.0, seed: int = 4) -> cc.Scores:
    """A judge whose scores are off by chance on each topic, and by a constant for each system."""
    rng = np.random.default_rng(seed)
    return side(TRUTH + rng.normal(0, noise, TRUTH.shape) + rng.normal(0, bias, 12))


MORE_TOPICS = cc.pair(side(TRUTH[:28]), side(TRUTH))


def compared(*candidates: cc.Scores, **how: Any) -> Comparison:
    settings: dict[str, Any] = {"n_resamples": 500, "rng": 1, **how}
    names = ("people", *"abcdefghij"[: len(candidates)])
    with warnings.catch_warnings(action="ignore"):
        found: Comparison = cc.compare(side(TRUTH), list(candidates), names=names, **settings)
        return found


@pytest.mark.parametrize(
    ("low", "high", "answer", "commands"),
    [
        (1.0, 6.0, "no", ["explain", "combine"]),
        (6.0, 24.9, "no", ["explain", "combine"]),
        (13.0, 40.0, "open", ["combine", "plan"]),
        (5.0, 90.0, "open", ["plan"]),
        (26.0, 90.0, "yes", ["explain"]),
        (np.nan, np.nan, "unknown", ["explain"]),
    ],
)
def test_the_interval_decides_the_colour_and_what_to_do_next(
    low: float, high: float, answer: str, commands: list[str]
) -> None:
    (c,) = compared(judge(0.1)).comparisons
    c = replace(c, pairing=MORE_TOPICS)
    assert c.worth is not None
    worth = replace(c.worth, interval=replace(c.worth.interval, low=low, high=high), word=word_of(low, high, 25))
    found = of_one(replace(c, worth=worth))
    assert (found["answer"], [command.split()[1] for _, command in found["next"]]) == (answer, commands)
    assert [found["headline"], *found["sentences"]] == list(worth._answers())


def test_only_a_judge_of_more_topics_is_combined_with_people() -> None:
    (c,) = compared(judge(0.3, bias=0.2)).comparisons
    assert [command.split()[1] for _, command in of_one(c)["next"]] == ["explain"]
    c = replace(c, pairing=MORE_TOPICS)
    assert c.worth is not None
    measure = replace(c, worth=replace(c.worth, settings={**c.worth.settings, "noun": "measure"}))
    assert [command.split()[1] for _, command in of_one(c)["next"]] == ["explain", "combine"]
    assert [command.split()[1] for _, command in of_one(measure)["next"]] == ["explain"]


def test_a_bad_judge_is_a_no_and_a_good_one_is_not() -> None:
    assert verdict_of(compared(judge(0.3, bias=0.2)))["answer"] == "no"
    assert verdict_of(compared(judge(0.005)))["answer"] in ("yes", "open")


def test_several_candidates_have_the_lines_of_the_ranking_and_the_colour_of_the_best() -> None:
    clear = compared(judge(0.5, bias=0.3), judge(0.01))
    found = verdict_of(clear)
    assert clear.ranking is not None
    assert clear.ranking.best == ("b",)
    assert found["headline"] == "b is the best of 2 judges."
    assert found["answer"] == of_one(clear.comparisons[1])["answer"] != of_one(clear.comparisons[0])["answer"]


def test_files_are_quoted_for_the_shell_and_other_sides_are_named() -> None:
    (c,) = compared(judge(0.3, bias=0.2)).comparisons
    assert of_one(c)["next"][0][1] == "concordant explain people a -c tau_ap_b"  # as the page explains it
    truth = cc.Scores(TRUTH, c.topics, SYSTEMS, call="cc.read_scores('my people.csv', missing='drop')")
    with warnings.catch_warnings(action="ignore"):
        (c,) = cc.compare(truth, judge(0.3, bias=0.2), n_resamples=500, rng=1).comparisons
    assert of_one(c)["next"][0][1].startswith("concordant explain 'my people.csv' ")


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        ((3, 13), "rank 3 to 13, 10 places lost"),
        ((13, 12), "rank 13 to 12, 1 place gained"),
        ((4, 4), "rank 4 on both sides"),
    ],
)
def test_moves_are_said_in_words(ranks: tuple[int, int], said: str) -> None:
    assert moved({"truth_rank": ranks[0], "candidate_rank": ranks[1], "shift": ranks[1] - ranks[0]}) == said


def test_the_coefficient_is_tau_b_or_the_first_with_a_value() -> None:
    assert judged_by({"tau": 0.5, "tau_b": 0.4}) == "tau_b"
    assert judged_by({"tau": None, "tau_b": None, "rbo": 0.3}) == "rbo"
    assert judged_by({"tau": None}) is None


def test_swapped_pairs_and_those_that_differ_significantly(document: Any) -> None:
    (part,) = document["comparisons"]
    x, y = np.array(part["truth_means"]), np.array(part["candidate_means"])
    swapped = np.triu((x[:, None] - x) * (y[:, None] - y) < 0, 1).sum()
    assert part["explanation"]["counts"]["swapped"] == swapped
    found = cc.rank_intervals(cc.load_collection("people"), rng=1)
    better = found.better()
    place = {system: k for k, system in enumerate(found.systems)}
    for pair in part["explanation"]["pairs"]:
        assert pair["told_apart"] == better[place[pair["worse"]], place[pair["better"]]]
    far = document_of(compared(side(TRUTH[:, ::-1]), worth=False))["comparisons"][0]["explanation"]["counts"]
    near = document_of(compared(side(TRUTH[:, [*range(10), 11, 10]]), worth=False))
    assert far["matters"] > 30
    assert near["comparisons"][0]["explanation"]["counts"] == {
        "pairs": 66, "with_loss": 1, "swapped": 1, "matters": 0,
    }  # fmt: skip


def test_notes_are_said_once() -> None:
    noisy, rounded = judge(0.05), side(np.round(2 * judge(0.05).values) / 2)
    document = document_of(compared(noisy, rounded))
    words = "".join(Page(page_of(document)).words)
    (part,) = [c for c in document["comparisons"] if c["candidate"] == "b"]
    tied = part["tied_pairs"]["candidate"]
    assert tied > 0
    assert words.count(f"{tied} tied pairs in b") == 1
    assert "(ties in b; tau_b and tau_ap_b allow ties)" in words
    assert "(ties in candidate)" not in words


def scores(values: Any) -> cc.Scores:
    array = np.asarray(values, dtype=float)
    return cc.Scores(array, range(array.shape[0]), [f"s{k}" for k in range(array.shape[1])])


NOISE = np.random.default_rng(0).random((10, 5))
ODD: dict[str, tuple[Any, Any]] = {
    "two by two": (scores(NOISE[:2, :2]), scores(NOISE[2:4, :2])),
    "candidate tied": (scores(NOISE), scores(np.full((10, 5), 0.5))),
    "truth tied": (scores(np.full((10, 5), 0.5)), scores(NOISE)),
    "one topic": (scores(NOISE[:1]), scores(NOISE[1:2])),
    "means": ({"a": 1.0, "b": 2.0, "c": 3.0}, {"a": 1.0, "b": 3.0, "c": 2.0}),
    "means candidate": (scores(NOISE), {f"s{k}": float(k) for k in range(5)}),
    "twins": (scores(np.c_[NOISE, NOISE[:, 0]]), scores(np.c_[NOISE, NOISE[:, 0]])),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", ODD)
def test_odd_data_have_a_report(kind: str) -> None:
    truth, candidate = ODD[kind]
    with warnings.catch_warnings(action="ignore"):
        document = document_of(cc.compare(truth, candidate, test=True, n_resamples=99, rng=1))
    assert document["verdict"]["answer"] == "unknown"
    assert document["verdict"]["headline"] in "".join(Page(page_of(document)).words)
