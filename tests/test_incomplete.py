"""Holes: the fit against least squares, what it leaves alone, and who takes scores with holes."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc
from concordant.errors import ConcordantError, InputError
from concordant.incomplete import fitted, influences

FloatArray = npt.NDArray[np.float64]


def holed(n: int = 9, m: int = 5, share: float = 0.25, seed: int = 1) -> FloatArray:
    rng = np.random.default_rng(seed)
    values = rng.random((n, m)) + np.linspace(0, 0.5, m)
    values[rng.random((n, m)) < share] = np.nan
    values[:, 0] = rng.random(n)
    return values


def literal_fit(values: FloatArray) -> FloatArray:
    """One equation for each score, solved by least squares."""
    n, m = values.shape
    design, known = [], []
    for t, s in zip(*np.nonzero(~np.isnan(values)), strict=True):
        row = np.zeros(n + m)
        row[t] = row[n + s] = 1
        design.append(row)
        known.append(values[t, s])
    effects = np.linalg.lstsq(np.array(design), np.array(known), rcond=None)[0]
    return np.where(np.isnan(values), effects[:n, None] + effects[n:], values)


@pytest.mark.parametrize(("n", "m"), [(9, 5), (5, 9)])
def test_a_hole_is_what_least_squares_expects(n: int, m: int) -> None:
    values = holed(n, m)
    np.testing.assert_allclose(fitted(values), literal_fit(values), atol=1e-12)
    np.testing.assert_allclose(fitted(values + 1e6), literal_fit(values) + 1e6, rtol=1e-13)


def test_complete_systems_keep_their_means_and_effects_are_found_again() -> None:
    values = holed()
    scores = cc.IncompleteScores(values, range(9), [*"abcde"])
    assert scores.means()[0] == cc.Scores(values[:, :1], range(9), [*"a"]).means()[0]
    exact = np.where(np.isnan(values), np.nan, np.arange(9.0)[:, None] + np.arange(5.0))
    np.testing.assert_allclose(cc.IncompleteScores(exact, range(9), [*"abcde"]).means(), 4 + np.arange(5), atol=1e-12)


def test_the_errors_of_means_are_those_of_their_own_topics() -> None:
    values = holed(40, 30, 0.3)
    made, there = influences(values), ~np.isnan(values)
    np.testing.assert_allclose(made.mean(axis=0), fitted(values).mean(axis=0), atol=1e-12)
    errors = fitted(values) - fitted(values).mean(axis=0)
    errors -= errors.mean(axis=1, keepdims=True)
    own = [errors[there[:, k], k].var(ddof=1) / there[:, k].sum() for k in range(30)]
    np.testing.assert_allclose(made.var(axis=0, ddof=1) / 40, own, rtol=0.02)
    whole = np.random.default_rng(2).random((8, 3))
    np.testing.assert_allclose(np.diff(influences(whole)), np.diff(whole), atol=1e-12)


def test_it_is_a_collection(tmp_path: Path) -> None:
    scores = cc.IncompleteScores([[0.5, 0.4], [0.7, np.nan]], ["1", "2"], ["x", "y"], "map")
    assert scores.counts().tolist() == [2, 1]
    assert scores.ranking() == (("x",), ("y",))
    assert scores.select(["x"]) == cc.Scores([[0.5], [0.7]], ["1", "2"], ["x"], "map")
    assert scores.select(topics=["1"]) == cc.Scores([[0.5, 0.4]], ["1"], ["x", "y"], "map")
    assert pickle.loads(pickle.dumps(scores)) == scores
    assert hash(scores) == hash(pickle.loads(pickle.dumps(scores)))
    assert scores.complete("drop").topics == ("1",)
    assert scores.complete("zero").values.tolist() == [[0.5, 0.4], [0.7, 0.0]]
    with pytest.raises(InputError, match="missing is 'available', which leaves the holes"):
        scores.complete("available")
    (tmp_path / "s.csv").write_text("topic,x,y\n1,0.5,0.4\n2,0.7,\n")
    read = cc.read_scores(tmp_path / "s.csv", missing="available")
    assert read == cc.IncompleteScores(scores.values, scores.topics, scores.systems)
    assert cc.as_scores(read, missing="available") == read
    assert cc.as_scores(tmp_path / "s.csv", missing="available") == read


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1, np.nan], [2, np.nan]], "there are no scores at all of system b: leave it out"),
        ([[np.nan, np.nan], [2, 1]], "there are no scores at all of topic 1"),
        ([[1, np.nan], [np.nan, 2]], "b share no topic with a, not even through other systems"),
        ([[1, np.inf], [np.nan, 2]], "is inf"),
    ],
)
def test_what_cannot_be_compared_is_named(values: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cc.IncompleteScores(values, ["1", "2"], ["a", "b"])


def test_what_needs_every_score_says_so() -> None:
    scores = cc.IncompleteScores(holed(), range(9), [*"abcde"])
    for function in (cc.discordance, cc.rank_probabilities, cc.split_half):
        with pytest.raises(ConcordantError, match=r"leaves holes, and this needs every score.*'drop-systems'"):
            function(scores)


def test_sides_with_holes_are_compared_by_their_means_on_all_topics() -> None:
    scores = cc.IncompleteScores(holed(), range(9), [*"abcde"])
    other = cc.Scores(np.random.default_rng(3).random((9, 5)), range(9), [*"abcde"])
    with pytest.warns(cc.errors.AlignmentWarning, match="scores are missing"):
        found = cc.compare(scores, other, worth=False, rank_test=None)
    assert found["tau_b"] == cc.tau_b(scores.means(), other.means())
    assert "a system is taken to be as far ahead" in found.notes[0]


class TestRankIntervals:
    def test_a_complete_matrix_gives_what_it_gives_without_holes(self) -> None:
        from concordant.ranks import common_topics, pair_tests
        from concordant.resampling import Resampling

        values = cc.load_collection("people").values
        for simultaneous in (True, False):
            how = Resampling(199, 1)
            expected = pair_tests.corrected_pvalues(values, how, simultaneous=simultaneous)
            found, _ = common_topics.corrected_pvalues(values, how, simultaneous=simultaneous)
            assert found.tolist() == expected.tolist()

    def test_pairs_on_the_topics_that_both_have(self) -> None:
        """The statistic of a pair alone is that of its complete matrix; a few large products give the same."""
        from concordant.ranks import common_topics
        from concordant.resampling import Resampling

        values = holed(20, 6)
        how = Resampling(499, 1)
        found, difference = common_topics.corrected_pvalues(values, how, simultaneous=True)
        common = common_topics.CommonTopics.of(values)
        signs = np.random.default_rng(2).integers(0, 2, (7, 20), dtype=np.int8)
        i, j = np.triu_indices(6, 1)
        fast = common_topics._signed(common, signs)(i, j)
        flips = 2.0 * signs - 1
        for k, (a, b) in enumerate(zip(i, j, strict=True)):
            d = common.values[:, a] - common.values[:, b]
            np.testing.assert_allclose(fast[k], [np.nansum(row * d) for row in flips], atol=1e-12)
            raw = values[:, a] - values[:, b]
            assert np.sign(difference[a, b]) == np.sign(np.nanmean(raw))
        assert ((found > 0) & (found <= 1)).all()

    def test_few_topics_make_wide_intervals(self) -> None:
        rng = np.random.default_rng(4)
        values = rng.normal(0, 0.3, (40, 6)) + np.arange(6)
        values[5:, 2] = np.nan
        found = cc.rank_intervals(values, missing="available", rng=1)
        assert found["2"] == (1, 6)
        assert {found[s][1] - found[s][0] for s in "54310"} == {1}  # the others are separated from each other
        assert found.rank[found.systems.index("2")] == 4
        assert (found.low <= found.rank).all()
        assert (found.rank <= found.high).all()
        assert "6 lack topics" in found.notes[0]

    def test_groups_and_holes_together(self) -> None:
        values = holed(24, 5)
        groups = {f"row {k + 1}": str(k // 3) for k in range(24)}
        found = cc.rank_intervals(values, missing="available", groups=groups, n_resamples=99, rng=1)
        assert found.settings["groups"] == 8
        alone = {f"row {k + 1}": str(k) for k in range(24)}
        each = cc.rank_intervals(values, missing="available", groups=alone, n_resamples=99, rng=1)
        plain = cc.rank_intervals(values, missing="available", n_resamples=99, rng=1)
        np.testing.assert_allclose(each.pvalues, plain.pvalues)
