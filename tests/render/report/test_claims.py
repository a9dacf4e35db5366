"""Each sentence of a verdict, on data for which it is right and on data for which it would be wrong."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.render.report.document import document_of
from concordant.render.report.verdicts import MOST_TOLD

from .test_page import Page

SYSTEMS = [f"s{k}" for k in range(12)]
TOPICS = [f"t{k}" for k in range(30)]
RNG = np.random.default_rng(3)
TRUTH = np.linspace(0.7, 0.3, 12) + RNG.normal(0, 0.08, (30, 12))


def side(values: Any) -> cc.Scores:
    return cc.Scores(np.asarray(values), TOPICS[: len(values)], SYSTEMS[: np.shape(values)[1]])


def judge(noise: float, bias: float = 0.0, seed: int = 4) -> cc.Scores:
    """A judge whose scores are off by chance on each topic, and by a constant for each system."""
    rng = np.random.default_rng(seed)
    return side(TRUTH + rng.normal(0, noise, TRUTH.shape) + rng.normal(0, bias, 12))


def reported(*candidates: cc.Scores, truth: cc.Scores | None = None, **how: Any) -> Any:
    """The document of some candidates, called a, b, ..."""
    of = side(TRUTH) if truth is None else truth
    names = "abcdefghij"[: len(candidates)]
    settings: dict[str, Any] = {"n_resamples": 500, "rng": 1, **how}
    with warnings.catch_warnings(action="ignore"):
        return document_of(cc.compare(of, list(candidates), names=("people", *names), **settings))


def sentence(document: Any, subject: str) -> str:
    (said,) = [s for s in document["verdict"]["sentences"] if s.startswith(f"{subject}: ")]
    return str(said)


@pytest.mark.long
def test_worth_fewer_topics_is_for_a_judge_that_ranks_worse() -> None:
    bad, good = reported(judge(0.3, bias=0.2)), reported(judge(0.005))
    assert bad["verdict"]["answer"] == "no"
    assert bad["comparisons"][0]["worth"]["interval"]["high"] < 15
    assert good["verdict"]["answer"] in ("yes", "open")


def test_the_rank_test_rejects_a_reversed_ranking_and_no_close_one() -> None:
    said = sentence(reported(side(TRUTH[:, ::-1]), worth=False), "Rank test")
    assert said.startswith("Rank test: it rejects the ranking of a as the true one, given the topics")
    said = sentence(reported(judge(0.01), worth=False), "Rank test")
    assert said.startswith("Rank test: it does not reject the ranking of a as the true one, given the topics")


def test_the_rank_test_says_nothing_without_more_topics_than_systems() -> None:
    few = side(TRUTH[:12])
    document = reported(side(judge(0.01).values[:12]), truth=few, worth=False)
    assert sentence(document, "Rank test") == (
        "Rank test: it says nothing here, because there are 12 systems and only 12 topics."
    )
    assert document["comparisons"][0]["rank_test"]["pvalue"] is None
    assert document["comparisons"][0]["rank_test"]["significant"] is None


def test_a_value_outside_of_its_interval_is_explained() -> None:
    document = reported(judge(0.05), worth=False, interval=True, n_resamples=500)
    (part,) = document["comparisons"]
    why = "corrected for the bias of having few topics"
    for end, outside in ((-0.1, False), (0.01, True)):
        changed = copy.deepcopy(document)
        changed["comparisons"][0]["intervals"]["tau_b"]["low"] = part["coefficients"]["tau_b"] + end
        assert (why in sentence(document_of(changed), "Agreement")) == outside


@pytest.mark.long
def test_one_best_candidate_is_named_with_its_test_and_several_are_called_open() -> None:
    clear = reported(judge(0.01), judge(0.5, bias=0.3))
    headline = clear["verdict"]["headline"]
    assert headline.startswith("a is the best of 2 judges. a is ")
    assert clear["ranking"]["best"] == ["a"]
    alike = reported(judge(0.05, seed=5), judge(0.05, seed=6))
    assert sorted(alike["ranking"]["best"]) == ["a", "b"]
    assert alike["verdict"]["headline"].startswith("The best judge is any of the 2; ")
    assert len([s for s in alike["verdict"]["sentences"] if "rank the systems" in s]) == 2


def test_without_a_test_nobody_is_called_better() -> None:
    few = side(TRUTH[:8])
    document = reported(side(TRUTH[:8] + 0.001), side(judge(0.3).values[:8]), truth=few, rank_test=None)
    assert document["ranking"] is None
    assert document["verdict"]["headline"] == (
        "a has the highest tau_b with people, 1.000; whether by chance is not tested here."
    )
    document = reported(side(TRUTH[:8] + 0.001), side(TRUTH[:8] + 0.002), truth=few, rank_test=None)
    assert document["verdict"]["headline"].startswith("a, b are tied for the highest tau_b with people, 1.000;")


@pytest.mark.long
def test_many_candidates_are_counted() -> None:
    candidates = [judge(0.02, seed=7), judge(0.02, seed=8), *(judge(0.4, bias=0.3, seed=k) for k in range(9, 15))]
    document = reported(*candidates)
    assert len(candidates) > MOST_TOLD
    answers = [c["verdict"]["answer"] for c in document["comparisons"]]
    assert set(answers[2:]) == {"no"}
    said = sentence(document, "Worth")
    assert f"{answers.count('yes')} of 8 candidates are worth at least as many topics" in said
    assert f"{answers.count('no')} are worth fewer" in said
    best = document["ranking"]["best"]
    assert set(best) <= {"a", "b"}
    assert sentence(document, "Best") == (
        f"Best: {8 - len(best)} of 8 candidates agree significantly less with people than another one."
    )
    page = Page(cc.report.report_html(document))
    shown = [value for _, key, value in page.attributes if key == "data-candidate"]
    names = [judge["names"][1] for judge in document["ranking"]["judges"]]
    assert [document["comparisons"][int(k)]["candidate"] for k in shown] == names


def test_swapped_pairs_that_the_topics_tell_apart_are_counted() -> None:
    order = [*range(10), 11, 10]
    far = sentence(reported(side(TRUTH[:, ::-1]), worth=False), "Disagreements")
    near = sentence(reported(side(TRUTH[:, order]), worth=False), "Disagreements")
    assert int(far.split(" tell ")[1].split()[0]) > 30
    assert near == "Disagreements: 1 of 66 pairs of systems swapped; the topics of the truth tell 0 of these apart."


@pytest.mark.long
def test_caveats_say_once_what_holds_for_all() -> None:
    noisy, rounded = judge(0.05), side(np.round(2 * judge(0.05).values) / 2)
    document = reported(noisy, rounded)
    words = "".join(Page(cc.report.report_html(document)).words)
    (part,) = [c for c in document["comparisons"] if c["candidate"] == "b"]
    tied = part["tied_pairs"]["candidate"]
    assert tied > 0
    assert words.count(f"b: {tied} tied pair") == 1
    few = side(TRUTH[:12])
    both = reported(*(side(judge(0.05, seed=k).values[:12]) for k in (1, 2)), truth=few)
    (note,) = {n for c in both["comparisons"] for n in c["notes"] if "no size is claimed" in n}
    assert "".join(Page(cc.report.report_html(both)).words).count(note) == 1


@pytest.mark.parametrize("topics", [30, 12])
def test_the_rank_distance_is_there_with_and_without_a_test(topics: int) -> None:
    truth, other = side(TRUTH[:topics]), side(judge(0.05).values[:topics])
    with warnings.catch_warnings(action="ignore"):
        found = cc.compare(truth, other, worth=False, n_resamples=99, rng=1).rank_test
        assert found is not None
        assert found.distance == pytest.approx(cc.rank_distance(truth, other), rel=1e-12)
    assert np.isnan(found.pvalue) == (topics == 12)
    assert ("not known" in found.verdict) == (topics == 12)
