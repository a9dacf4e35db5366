"""The verdict in words: what it decides, and that reports of odd data have one."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.render.report.document import document_of
from concordant.words import p_equals

from .test_page import Page


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [(25.0, 30.0, "yes"), (12.0, 25.0, "open"), (12.0, None, "open"), (6.0, 24.9, "no")],
)
def test_worth_is_held_against_as_many_topics_of_the_truth(
    document: Any, low: float, high: float | None, answer: str
) -> None:
    changed = copy.deepcopy(document)
    (part,) = changed["comparisons"]
    assert part["worth"]["n_topics"] == 25
    part["worth"]["interval"] |= {"low": low, "high": high}
    verdict = document_of(changed)["verdict"]
    assert (verdict["answer"], verdict["headline"]) == (answer, f"{part['worth']['verdict']}.")


def test_without_worth_the_coefficient_is_the_headline(document: Any) -> None:
    changed = copy.deepcopy(document)
    (part,) = changed["comparisons"]
    part["worth"] = None
    verdict = document_of(changed)["verdict"]
    value = part["coefficients"]["tau_b"]
    assert (verdict["answer"], verdict["headline"]) == (
        "unknown",
        f"tau_b of hasty.csv with people.csv is {value:.3f}.",
    )


def test_the_sentences_are_made_of_the_numbers(document: Any) -> None:
    (part,) = document["comparisons"]
    span, ceiling, test = part["intervals"]["tau_b"], part["ceiling"]["tau_b"], part["rank_test"]
    counts = part["explanation"]["counts"]
    assert document["verdict"]["sentences"] == [
        f"Agreement: tau_b is {part['coefficients']['tau_b']:.3f} on 20 systems and 40 topics; across the population "
        f"of topics it is estimated as {span['bias_corrected']:.3f} (95% interval {span['low']:.3f} to "
        f"{span['high']:.3f}). Against chance: {p_equals(part['pvalues']['tau_b'])}.",
        "Truth itself: with 40 topics, the ranking of people.csv is expected to agree with the true ranking, across "
        f"the population of topics, to tau_b {ceiling['value']:.3f} ({ceiling['interval']['low']:.3f} to "
        f"{ceiling['interval']['high']:.3f}); more topics would raise it.",
        f"Rank test: it {'rejects' if test['pvalue'] <= 0.05 else 'does not reject'} the ranking of hasty.csv as the "
        f"true one, given the topics (rank distance {test['distance']:.3f}, p = {test['pvalue']:.3f}).",
        f"Disagreements: {counts['swapped']} of 190 pairs of systems swapped; the topics of the truth tell "
        f"{counts['matters']} of these apart.",
    ]


def test_swapped_pairs_and_what_matters_of_them(document: Any) -> None:
    (part,) = document["comparisons"]
    x, y = np.array(part["truth_means"]), np.array(part["candidate_means"])
    swapped = np.triu((x[:, None] - x) * (y[:, None] - y) < 0, 1).sum()
    assert part["explanation"]["counts"]["swapped"] == swapped
    found = cc.rank_intervals(cc.load_collection("people"), n_resamples=500, rng=1)
    better = found.better()
    place = {system: k for k, system in enumerate(found.systems)}
    for pair in part["explanation"]["pairs"]:
        assert pair["told_apart"] == better[place[pair["worse"]], place[pair["better"]]]
    assert all(pair["told_apart"] and pair["kind"] == "swapped" for pair in part["explanation"]["matters"])


def test_a_swapped_pair_that_the_topics_tell_apart_matters() -> None:
    rng = np.random.default_rng(1)
    truth = cc.Scores(np.array([0.9, 0.5, 0.1]) + rng.normal(0, 0.02, (20, 3)), range(20), ["a", "b", "c"])
    candidate = {"a": 0.9, "b": 0.1, "c": 0.5}
    document = document_of(cc.compare(truth, candidate, n_resamples=500, rng=1))
    explanation = document["comparisons"][0]["explanation"]
    assert explanation["counts"] == {"pairs": 3, "with_loss": 1, "swapped": 1, "matters": 1}
    assert [(p["better"], p["worse"]) for p in explanation["matters"]] == [("b", "c")]


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cc.compare(truth, candidate, test=True, n_resamples=99, rng=1)
        document = document_of(found)
    assert document["verdict"]["answer"] == "unknown"
    assert document["verdict"]["headline"] in "".join(Page(cc.report.report_html(document)).words)


def test_reliability_without_a_value_says_so() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cc.reliability(scores(NOISE), rng=1).to_dict()
    found["estimates"]["posterior"] = {"tau": float("nan"), "tau_ap": float("nan")}
    assert "leaves open" in document_of(found)["verdict"]["headline"]
    Page(cc.report.report_html(found))


def test_no_coefficient_no_verdict(document: Any) -> None:
    changed = copy.deepcopy(document)
    (part,) = changed["comparisons"]
    part["coefficients"] = dict.fromkeys(part["coefficients"])
    part["worth"] = None
    verdict = document_of(changed)["verdict"]
    assert verdict["answer"] == "unknown"
    assert verdict["headline"] == "No coefficient has a value for hasty.csv against people.csv."
    assert not any("Agreement" in sentence for sentence in verdict["sentences"])


def test_candidates_that_cannot_be_ranked(two: Any) -> None:
    changed = copy.deepcopy(two)
    changed["comparisons"][0]["systems"] = changed["comparisons"][0]["systems"][:-1]
    verdict = document_of(changed)["verdict"]
    assert verdict["answer"] == "unknown"
    assert verdict["headline"] == (
        "The candidates were compared on different systems or topics, so they cannot be ranked."
    )
    changed = copy.deepcopy(two)
    changed["comparisons"][1]["coefficients"] = dict.fromkeys(changed["comparisons"][1]["coefficients"])
    verdict = document_of(changed)["verdict"]
    assert (verdict["answer"], verdict["sentences"]) == ("unknown", [])
    assert verdict["headline"] == "The candidates have no coefficient in common."


def test_what_makes_no_document_is_refused() -> None:
    with pytest.raises(cc.errors.InputError, match="a page is made of a result, and not of a list"):
        document_of([])
    with pytest.raises(cc.errors.InputError, match="there is no report for this"):
        document_of(cc.explain(cc.load_collection("people"), cc.load_collection("hasty")))
