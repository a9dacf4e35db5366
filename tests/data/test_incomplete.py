"""Holes: the fit against least squares, what it leaves alone, and who takes scores with holes."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc
from concordant.data.means import fitted, influences
from concordant.errors import ConcordantError, InputError
from concordant.inference import calibration
from tests.commands import run

FloatArray = npt.NDArray[np.float64]


def holed(n: int = 9, m: int = 5, share: float = 0.25, seed: int = 1) -> FloatArray:
    rng = np.random.default_rng(seed)
    values = rng.random((n, m)) + np.linspace(0, 0.5, m)
    values[rng.random((n, m)) < share] = np.nan
    values[:, 0] = rng.random(n)
    return values


def open_scores(
    values: Any, topics: Any = None, systems: Any = None, measure: str | None = None, **about: Any
) -> cc.Scores:
    """Scores whose holes stay open."""
    n, m = np.shape(values)
    topics = [f"row {k + 1}" for k in range(n)] if topics is None else topics
    return cc.Scores(values, topics, range(m) if systems is None else systems, measure, missing="available", **about)


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
    scores = open_scores(values, range(9), [*"abcde"])
    assert scores.means()[0] == cc.Scores(values[:, :1], range(9), [*"a"]).means()[0]
    exact = np.where(np.isnan(values), np.nan, np.arange(9.0)[:, None] + np.arange(5.0))
    np.testing.assert_allclose(open_scores(exact, range(9), [*"abcde"]).means(), 4 + np.arange(5), atol=1e-12)


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
    scores = open_scores([[0.5, 0.4], [0.7, np.nan]], ["1", "2"], ["x", "y"], "map")
    assert scores.counts().tolist() == [2, 1]
    assert scores.ranking() == (("x",), ("y",))
    assert scores.select(["x"]) == cc.Scores([[0.5], [0.7]], ["1", "2"], ["x"], "map")
    assert scores.select(topics=["1"]) == cc.Scores([[0.5, 0.4]], ["1"], ["x", "y"], "map")
    assert pickle.loads(pickle.dumps(scores)) == scores
    assert hash(scores) == hash(pickle.loads(pickle.dumps(scores)))
    with pytest.warns(cc.errors.DataWarning, match="1 topic dropped of 2"):
        assert scores.described(missing="drop").complete().topics == ("1",)
    with pytest.warns(cc.errors.DataWarning, match="1 score of 1 system missing, set to 0: y lacks topic 2"):
        assert scores.described(missing="zero").complete().values.tolist() == [[0.5, 0.4], [0.7, 0.0]]
    with pytest.raises(InputError, match="missing='available' leaves holes, but all scores are needed here"):
        scores.complete()
    (tmp_path / "s.csv").write_text("topic,x,y\n1,0.5,0.4\n2,0.7,\n")
    read = cc.read_scores(tmp_path / "s.csv", missing="available")
    assert read == open_scores(scores.values, scores.topics, scores.systems)
    assert cc.as_scores(read, missing="available") == read
    assert cc.as_scores(tmp_path / "s.csv", missing="available") == read


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1, np.nan], [2, np.nan]], "there are no scores at all for system b: leave it out"),
        ([[1, np.nan], [np.nan, 2]], "b shares no topic with a, even through other systems"),
        ([[1, np.inf], [np.nan, 2]], "is inf"),
    ],
)
def test_what_cannot_be_compared_is_named(values: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_scores(values, ["1", "2"], ["a", "b"]).means()


def test_what_needs_every_score_says_so() -> None:
    scores = open_scores(holed(), range(9), [*"abcde"])
    with pytest.raises(ConcordantError, match=r"leaves holes, but all scores are needed here.*'drop-systems'"):
        cc.ranks.discriminative_power(scores, np.arange(5))


def test_sides_with_holes_are_compared_by_their_means_on_all_topics() -> None:
    scores = open_scores(holed(), range(9), [*"abcde"])
    other = cc.Scores(np.random.default_rng(3).random((9, 5)), range(9), [*"abcde"])
    with pytest.warns(cc.errors.AlignmentWarning, match="scores are missing"):
        found = cc.compare(scores, other, worth=False, rank_test=None)
    assert found["tau_b"] == cc.tau_b(scores.means(), other.means())
    assert "we assume that a system's lead" in found.notes[0]


def literal_pvalues(values: FloatArray, n_resamples: int, seed: int, simultaneous: bool) -> FloatArray:
    """Every pair on its own topics, every resample, every set of remaining pairs, written out."""
    from scipy import stats

    n, m = values.shape
    signs = np.random.default_rng(seed).integers(0, 2, (n_resamples, n), dtype=np.int8) * 2.0 - 1
    pairs = list(itertools.combinations(range(m), 2))
    both = {(i, j): ~np.isnan(values[:, i] - values[:, j]) for i, j in pairs}
    d = {e: (values[:, e[0]] - values[:, e[1]])[both[e]] for e in pairs}
    middle = np.median([len(x) for x in d.values()])
    spread = np.median([abs(stats.skew(x, bias=False)) for x in d.values()]) / stats.norm.ppf(0.75)
    chance = 6 * middle * (middle - 1) / ((middle - 2) * (middle + 1) * (middle + 3))
    typical = np.sqrt(max(0.0, spread**2 - chance))
    statistic, flipped = {}, {}
    for e, raw in d.items():
        k, x = len(raw), raw * np.sign(raw.mean())
        t = x.mean() / np.sqrt(x.var(ddof=1) / k)
        a = max(-calibration.UNSEEN * stats.skew(x, bias=False), typical) / (6 * np.sqrt(k))
        s = 0.0 if t <= a else t if a == 0 else (-1 + np.sqrt(1 + 8 * a * (t - a))) / (4 * a)
        statistic[e] = np.sqrt(k) * s / np.sqrt(k - 1 + s * s)
        flipped[e] = np.abs(signs[:, both[e]] @ x) / np.sqrt(x @ x)
    families = [pairs] if simultaneous else [[e for e in pairs if i in e] for i in range(m)]
    result = np.ones((m, m))
    for i, family in enumerate(families):
        reached: list[float] = []
        for e in sorted(family, key=lambda e: -statistic[e]):
            largest = np.max([flipped[f] for f in family if statistic[f] <= statistic[e]], axis=0)
            reached.append((1 + sum(largest >= statistic[e] * (1 - 1e-7))) / (1 + n_resamples))
            p = max(reached)
            if simultaneous:
                result[e] = result[e[::-1]] = p
            else:
                result[i, sum(e) - i] = p
    return result


class TestRankIntervals:
    def test_a_complete_matrix_gives_what_it_gives_without_holes(self) -> None:
        from concordant.inference.resampling import Resampling
        from concordant.ranks import pair_tests

        values = cc.load_collection("people").values
        for simultaneous in (True, False):
            how = Resampling(199, 1)
            expected = pair_tests.corrected_pvalues(values, how, simultaneous=simultaneous)
            found, _ = pair_tests.pvalues_on_common_topics(values, how, simultaneous=simultaneous)
            assert found.tolist() == expected.tolist()

    @pytest.mark.parametrize("grouped", [False, True])
    @pytest.mark.parametrize("share", [0.0, 0.25])
    def test_sums_of_columns_are_those_of_pairs_on_the_topics_that_both_have(self, share: float, grouped: bool) -> None:
        """Whether systems share sets of topics, so that columns serve many pairs, or each pair has one of its own."""
        from concordant.data.means import group_rows
        from concordant.ranks.pair_tests import columns_of

        values = holed(20, 8, share)
        values[:3, 4:7] = values[5:, 7] = values[0, 2] = np.nan
        groups = np.arange(20) // 2 if grouped else None
        columns = columns_of(values, groups)
        flips = np.random.default_rng(2).choice([-1.0, 1.0], (7, len(columns.values)))
        sums = flips @ columns.values
        for c, base in enumerate(columns.base):
            sums[:, c] += sums[:, base] if base >= 0 else 0.0
        for i, j in itertools.combinations(range(8), 2):
            d = values[:, [i]] - values[:, [j]]
            d = d if groups is None else group_rows(d, groups)
            found = sums[:, columns.place[i, j]] - sums[:, columns.place[j, i]]
            np.testing.assert_allclose(found, np.nansum(flips * d[:, 0], axis=1), atol=1e-12)
        each = columns.values.shape[1] == 8 * 7 // 2 + 1
        assert each == (share > 0)
        assert (columns.base >= 0).any() == (share == 0 and not grouped)

    @pytest.mark.parametrize("simultaneous", [False, True])
    @pytest.mark.parametrize("share", [0.0, 0.3])
    def test_pvalues_are_those_of_loops_over_pairs(self, share: float, simultaneous: bool, kernels: Any) -> None:
        from concordant.inference.resampling import Resampling
        from concordant.ranks import pair_tests

        values = holed(22, 6, share) + np.array([0, 0, 0, 0.2, 0.4, 0.8])
        values[15:, 4] = values[10:, 5] = np.nan
        found, difference = pair_tests.pvalues_on_common_topics(values, Resampling(199, 3), simultaneous=simultaneous)
        expected = literal_pvalues(values, 199, 3, simultaneous)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        assert (found <= 0.05).any()
        for i, j in itertools.combinations(range(6), 2):
            assert np.sign(difference[i, j]) == np.sign(np.nanmean(values[:, i] - values[:, j]))

    def test_few_topics_make_wide_intervals(self) -> None:
        rng = np.random.default_rng(4)
        values = rng.normal(0, 0.3, (40, 6)) + np.arange(6)
        values[5:, 2] = np.nan
        found = cc.rank_intervals(open_scores(values), rng=1)
        assert found["2"] == (1, 6)
        assert {found[s][1] - found[s][0] for s in "54310"} == {1}  # the others are separated from each other
        assert found.observed[found.systems.index("2")] == 4
        assert (found.low <= found.observed).all()
        assert (found.observed <= found.high).all()
        assert "1 of 6 systems lacks topics" in found.notes[0]

    def test_groups_and_holes_together(self) -> None:
        values = holed(24, 5)
        groups = {f"row {k + 1}": str(k // 3) for k in range(24)}
        found = cc.rank_intervals(open_scores(values, groups=groups), n_resamples=99, rng=1)
        assert found.settings["groups"] == 8
        alone = {f"row {k + 1}": str(k) for k in range(24)}
        each = cc.rank_intervals(open_scores(values, groups=alone), n_resamples=99, rng=1)
        plain = cc.rank_intervals(open_scores(values), n_resamples=99, rng=1)
        np.testing.assert_allclose(each.pvalues, plain.pvalues)


class TestWaysOut:
    """An error about missing scores names 'available' where that is a way out, and nowhere else."""

    TAKE = (cc.rank_intervals, cc.reliability, cc.expected_correlation, cc.plan_topics)
    REFUSE = (cc.select_topics,)

    @pytest.fixture
    def path(self, tmp_path: Path) -> str:
        path = tmp_path / "holes.csv"
        path.write_text("topic,a,b\n1,0.5,0.4\n2,0.7,\n3,0.1,0.3\n")
        return str(path)

    @pytest.mark.parametrize("function", TAKE)
    def test_functions_that_take_holes(self, function: Any, path: str) -> None:
        with pytest.raises(ConcordantError, match=r"Choose with missing=: .* 'available' leaves them open"):
            function(path)
        with pytest.raises(ConcordantError, match=r"1 lacks topic row 2 .* 'available' leaves them open"):
            function(np.array([[0.5, 0.4], [0.7, np.nan], [0.1, 0.3]]))

    def test_reading_and_comparing_take_holes(self, path: str) -> None:
        for call in (cc.compare, cc.explain, cc.permutation_test):
            with pytest.raises(ConcordantError, match="'available' leaves them open"):
                call(path, path)
        assert cc.read_scores(path).has_holes  # nothing is done about them before it is known what is compared

    def test_a_board_leaves_them_open_where_nothing_was_said(self, path: str) -> None:
        found = cc.board(path, n_resamples=99, rng=1)
        said = cc.board(cc.read_scores(path, missing="available"), n_resamples=99, rng=1)
        assert found.to_dict() == said.to_dict()

    @pytest.mark.parametrize("function", REFUSE)
    def test_functions_that_need_every_score(self, function: Any, path: str) -> None:
        arguments = {"k": 1} if function is cc.select_topics else {}
        with pytest.raises(ConcordantError, match="b lacks topic 2") as raised:
            function(path, **arguments)
        assert "available" not in str(raised.value)

    @pytest.mark.parametrize("command", ["plan", "board", "select"])
    def test_commands(self, command: str, path: str) -> None:
        more = {"select": ("-k", 1)}
        result = run(command, path, "--missing", "error", *more.get(command, ()))
        assert result.exit_code != 0
        said = result.output + result.stderr
        assert "Choose with --missing" in said
        assert ("'available' leaves them open" in said) == (command not in more)
