"""What the results of the rank distance say, word for word, and what their dictionaries hold."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.ranks.distance import paired_pvalues

X = np.random.default_rng(12).random((9, 4)) + np.array([0.3, 0.2, 0.1, 0.0])
LABELLED = cc.Scores(X, topics=range(9), systems=list("abcd"), measure="AP")
REVERSED = -X.mean(axis=0)


def _told(call: Any, *arguments: Any, error: type[Exception] = cc.errors.InputError, **settings: Any) -> str:
    with pytest.raises(error) as caught:
        call(*arguments, **settings)
    return str(caught.value)


@pytest.mark.parametrize("method", ["recentred", "paper"])
@pytest.mark.parametrize(
    ("alpha", "verdict"), [(0.9, "9 topics rule out"), (0.001, "9 topics are too few to rule out")]
)
def test_a_test_says_what_it_found(method: Any, alpha: float, verdict: str) -> None:
    def tested(alpha: float) -> Any:
        return cc.rank_test(X, [1, 4, 2, 3], method=method, n_resamples=1999, alpha=alpha, rng=5)

    test = tested(alpha)
    assert test.significant == (verdict == "9 topics rule out")
    notes = ("this test rejects true rankings too often; method='recentred' keeps its level",)
    assert test.notes == (notes if method == "paper" else ())
    assert str(test) == (
        f"{verdict} the candidate's ranking (p = {test.pvalue:.3f})\n\n"
        f"  rank distance    {test.distance:10.4f}\n"
        f"  p-value          {test.pvalue:10.3f}   standard error {test.standard_error:.4f}\n"
        f"  critical value   {test.critical_value:10.1f}   alpha = {alpha:g}\n"
        f"  {method} bootstrap, 1,999 resamples of 9 topics, 4 systems"
        + "".join(f"\n\nNote: {note}" for note in test.notes)
    )
    assert test.to_dict() == {
        "verdict": test.verdict,
        "distance": test.distance,
        "pvalue": test.pvalue,
        "standard_error": test.standard_error,
        "critical_value": test.critical_value,
        "alpha": alpha,
        "significant": test.significant,
        "borderline": False,
        "notes": list(test.notes),
        "settings": dict(test.settings),
    }
    close = tested(test.pvalue + 1.9 * test.standard_error)
    assert close.borderline
    said = f"(p = {test.pvalue:.3f}, borderline: Monte Carlo error {test.standard_error:.4f})"
    assert close.verdict == f"9 topics rule out the candidate's ranking {said}"
    assert not tested(test.pvalue + 2.1 * test.standard_error).borderline
    if method == "recentred":
        assert tested(1e-4).critical_value == float("inf")
        assert tested(1e-4).to_dict()["critical_value"] is None
    frame = test.to_frame()
    names = ["distance", "pvalue", "standard_error", "critical_value", "alpha"]
    assert frame.to_dict("records") == [{name: getattr(test, name) for name in names}]
    assert list(frame.columns) == names


@pytest.mark.parametrize("correction", [None, "holm"])
def test_discriminative_power_says_what_it_counted(correction: Any) -> None:
    x = X + np.outer(np.ones(9), [3, 2, 1, 0])
    power = cc.ranks.discriminative_power(x, [4, 1, 2, 3], alpha=0.01, correction=correction)
    test = "paired t-test, alpha = 0.01" + (", Holm" if correction else "")
    assert str(power) == f"discriminative power = 0.5000 (3 of 6 significant pairs confirmed, of 6 in all; {test})"
    assert power.to_dict()["value"] == 0.5


@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
def test_scores_that_differ_by_a_constant_are_no_matter_of_chance(size: float) -> None:
    column = np.random.default_rng(3).random(8)
    x = size * np.column_stack([column, column + 0.1, column, column + 1e-6 * np.random.default_rng(4).random(8)])
    p = paired_pvalues(x)
    assert p[[0, 1, 3]].tolist() == [0, 1, 0]
    assert 0 < p[2] < 0.01
    assert 0 < p[5] < 0.01


def test_labels_that_do_not_fit_are_told() -> None:
    apart = "truth and candidate do not have the same systems and topics"
    together = "First select those that both have: truth, candidate = concordant.pair(truth, candidate)"
    other = LABELLED.select(systems=list("abc"))
    assert _told(cc.rank_distance, LABELLED, other) == f"{apart} (only truth has 1 system: d). {together}"
    assert _told(cc.rank_distance, other, LABELLED) == f"{apart} (only candidate has 1 system: d). {together}"
    assert _told(cc.rank_distance, LABELLED.select(topics=list("12346")), LABELLED.select(topics=list("23456"))) == (
        f"{apart} (only truth has 1 topic: 1; only candidate has 1 topic: 5). "
        f"{together}; or rank by its own topics: candidate.means()"
    )
    assert _told(cc.rank_distance, X, LABELLED) == (
        "no systems are common to all sides: truth has 0, 1, 2, 3; candidate has a, b, c, d. Rename them so that the "
        "labels match"
    )
    assert _told(cc.rank_distance, LABELLED, ["d", "b", "c", "a"], error=cc.errors.InputTypeError) == (
        "candidate is a list of system names: a ranking is passed as scores, never as a list of names; give one "
        "score per system, such as {name: score}"
    )


def test_shapes_that_do_not_fit_are_told() -> None:
    assert _told(cc.rank_distance, X, [[1, 2, 3]]) == (
        "truth has 4 systems and candidate 3: candidate needs one score per system, in the order of the truth's (last "
        "axis; shape (1, 3))"
    )
    assert _told(cc.rank_distance, [1, 2], [1, 2]) == (
        "truth has 1 dimension (shape (2,)): give the scores on each topic, as Scores or as a topics x systems matrix"
    )
    assert _told(cc.rank_distance, X[:, :1], [1]) == "truth has 1 system: at least 2 are needed to rank them"
    assert _told(cc.rank_distance, X[:1], [1, 2, 3, 4]) == (
        "truth has 1 topic: at least 2 are needed, because the variation from topic to topic shows how far means can "
        "be trusted"
    )
    assert _told(partial(cc.rank_distance, eps=0), X, REVERSED) == (
        "eps is 0: give a positive number to add to the variances; the paper uses 1e-5"
    )
    with pytest.warns(cc.errors.RegularisationWarning):
        assert cc.rank_distance(X[:2, :2], [2, 1], eps=1) > 0  # the least there may be


def test_figures_go_where_they_are_asked_to() -> None:
    test = cc.rank_test(X, REVERSED, n_resamples=199, rng=5)
    ax = test.plot()
    heights = sum(len(c) for c in ax.containers)
    assert heights
    assert test.plot(ax) is ax
    assert sum(len(c) for c in ax.containers) == 2 * heights


def test_results_say_what_they_were_made_with() -> None:
    power = cc.ranks.discriminative_power(LABELLED, [4, 1, 2, 3], alpha=0.9, correction="holm")
    assert (power.settings["alpha"], power.settings["correction"], power.settings["measure"]) == (0.9, "holm", "AP")
    bounds = cc.rank_intervals(LABELLED, simultaneous=False, n_resamples=99, rng=1)
    assert (bounds.settings["measure"], bounds.settings["topics"]) == ("AP", 9)
    told = bounds.to_dict()
    assert (told["borders"], told["border_sentence"], told["simultaneous"]) == ([], "", False)
    for simultaneous in (True, False):
        means = cc.Means([0.1, 0.3], list("ab"), covariance=np.eye(2))
        made = cc.rank_intervals(means, simultaneous=simultaneous, rng=1)
        assert made.simultaneous is simultaneous
    test = cc.rank_test(LABELLED, [4, 1, 2, 3], eps=1e-4, n_resamples=99, rng=1)
    assert test.settings == {
        "n_resamples": 99,
        "confidence_level": None,
        "method": "recentred",
        "n_topics": 9,
        "n_systems": 4,
        "eps": 1e-4,
        "seed": 1,
        "measure": "AP",
        "version": cc.__version__,
    }
    few = cc.rank_intervals(LABELLED.described(groups=["x"] * 4 + ["y"] * 5))
    assert "2 groups cannot separate any systems" in str(few)


def test_one_score_per_system_needs_errors() -> None:
    said = _told(cc.rank_intervals, {"a": 0.1, "b": 0.3})
    assert "rank intervals need topics or standard errors" in said
    assert said.endswith("Means(values, systems, errors=...)")
