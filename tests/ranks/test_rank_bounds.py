"""Rank intervals against slow loops over pairs, on awkward data, and on collections whose true ranks are known."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import concordant as cc
from concordant.inference.resampling import Resampling
from concordant.ranks import pair_tests
from tests.places import read_matrix

FloatArray = npt.NDArray[np.float64]


def literal_pvalues(values: FloatArray, n_resamples: int, seed: int, simultaneous: bool) -> FloatArray:
    """Every pair, every resample, every set of remaining pairs, written out."""
    n, m = values.shape
    rng = np.random.default_rng(seed)
    typical = literal_typical_skewness(values)
    signs = rng.integers(0, 2, (n_resamples, n), dtype=np.int8) * 2 - 1
    departures = literal_departures(values)
    statistic = {
        (i, j): literal_statistic(values[:, i] - values[:, j], typical, departures[min(i, j), max(i, j)])
        for i, j in itertools.permutations(range(m), 2)
    }
    flipped = {}
    for i, j in itertools.permutations(range(m), 2):
        d = values[:, i] - values[:, j]
        root = math.sqrt(sum(x * x for x in d) / n)
        flipped[i, j] = [
            abs(sum(s * x for s, x in zip(row, d, strict=True)) / n) / root if root else 0.0 for row in signs
        ]
    families = (
        [list(itertools.combinations(range(m), 2))]
        if simultaneous
        else [[(i, j) for j in range(m) if j != i] for i in range(m)]
    )
    result = np.ones((m, m))
    for family in families:
        reached: dict[tuple[int, int], float] = {}
        for e in sorted(family, key=lambda e: -statistic[e]):
            left = [f for f in family if statistic[f] <= statistic[e]]
            largest = [max(flipped[f][b] for f in left) for b in range(n_resamples)]
            p = (1 + sum(x >= statistic[e] - 1e-7 * statistic[e] for x in largest)) / (1 + n_resamples)
            reached[e] = max([p, *reached.values()])
        for (i, j), p in reached.items():
            result[i, j] = p
            if simultaneous:
                result[j, i] = p
    return result


def literal_typical_skewness(values: FloatArray) -> float:
    from scipy import stats

    n, m = values.shape
    found = []
    for i, j in itertools.combinations(range(m), 2):
        d = values[:, i] - values[:, j]
        found.append(0.0 if d.std() < 1e-12 else abs(stats.skew(d, bias=False)))
    spread = np.median(found) / stats.norm.ppf(0.75)
    return math.sqrt(max(0.0, spread**2 - 6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))))


def literal_departures(values: FloatArray) -> dict[tuple[int, int], float | None]:
    """How far topics depart from the difference that half of them or more share; None where no difference is shared."""
    n, m = values.shape
    found: dict[tuple[int, int], float | None] = {}
    for i, j in itertools.combinations(range(m), 2):
        d = [round(x, 9) for x in (values[:, i] - values[:, j]).tolist()]
        usual = max(d, key=d.count)
        others = [x - usual for x in d if x != usual]
        rms = math.sqrt(sum(x * x for x in others) / len(others)) if others else 0.0
        found[i, j] = rms if d.count(usual) >= n / 2 else None
    seen = [x for x in found.values() if x]
    least = float(np.median(seen)) if seen else 0.0
    return {pair: None if x is None else max(x, least) for pair, x in found.items()}


def literal_statistic(d: FloatArray, typical: float, departure: float | None = None) -> float:
    from scipy import stats

    n = len(d)
    if not d.any() or abs(d.mean()) < 1e-12:
        return 0.0
    d = d * np.sign(d.mean())
    t = stats.ttest_1samp(d, 0).statistic if d.std() > 1e-12 else 1e15 * math.sqrt(n - 1)  # r = 1
    if departure is not None:  # as if one more topic had departed, the other way
        more = np.append(d, -departure)
        r = max(float(more.mean()), 0.0) / math.sqrt((more**2).mean())
        t = math.sqrt((n - 1) * r * r / (1 - r * r))
    a = max(-2 * stats.skew(d, bias=False) if d.std() > 1e-12 else 0.0, typical) / (6 * math.sqrt(n))
    if t <= a:
        return 0.0
    s = t if a == 0 else (-1 + math.sqrt(1 + 8 * a * (t - a))) / (4 * a)  # t = s + a (2 s^2 + 1)
    return float(s / math.sqrt(n - 1 + s * s))


@pytest.mark.parametrize("simultaneous", [True, False])
@pytest.mark.parametrize("kind", ["normal", "skewed", "lattice"])
def test_pvalues_are_those_of_loops_over_pairs(kind: str, simultaneous: bool, kernels: Any) -> None:
    rng = np.random.default_rng(7)
    shift = np.array([0.0, 0.0, 0.3, 0.8, 1.6])
    values = {
        "normal": rng.normal(size=(12, 5)) + shift,
        "skewed": rng.exponential(size=(12, 5)) + shift,
        "lattice": np.round(rng.random((12, 5)) + shift / 2, 1),
    }[kind]
    values = np.column_stack([values, values[:, 0], values[:, 3] + 0.25])  # a copy, and a constant difference
    found = pair_tests.corrected_pvalues(values, Resampling(199, 3), simultaneous=simultaneous)
    np.testing.assert_allclose(found, literal_pvalues(values, 199, 3, simultaneous), rtol=0, atol=1e-12)
    assert (found <= 0.05).any()
    assert found[0, 5] == 1


def test_intervals_count_significant_differences() -> None:
    people = cc.load_collection("people")
    found = cc.rank_intervals(people, rng=5)
    m = len(found.systems)
    for i, j in itertools.product(range(m), repeat=2):
        assert found.better()[i, j] == (found.pvalues[i, j] <= 0.05 and found.means[j] > found.means[i])
    for i, system in enumerate(found.systems):
        better = sum(found.pvalues[i, j] <= 0.05 and found.means[j] > found.means[i] for j in range(m))
        worse = sum(found.pvalues[i, j] <= 0.05 and found.means[j] < found.means[i] for j in range(m))
        assert found[system] == (1 + better, m - worse)
        assert found.low[i] <= found.observed[i] <= found.high[i]
    assert [s for group in people.ranking() for s in group] == list(found.systems)


def test_the_k_best() -> None:
    found = cc.rank_intervals(cc.load_collection("people"), rng=5)
    for k in (1, 5, 15, 20):
        best = found.best(k)
        assert set(best.possible) == {s for s in found.systems if found[s][0] <= k}
        assert set(best.certain) == {s for s in found.systems if found[s][1] <= k}
        assert len(best.certain) <= k <= len(best.possible)
    assert set(found.best(20).certain) == set(found.systems)


def test_identical_systems_and_constant_differences_do_not_divide_by_zero() -> None:
    one = np.random.default_rng(1).random(30)
    found = cc.rank_intervals(np.column_stack([one, one, one - 0.01]), rng=1)
    assert np.isfinite(found.pvalues).all()
    assert [found[s] for s in ("0", "1", "2")] == [(1, 2), (1, 2), (3, 3)]
    assert found.pvalues[0, 1] == 1
    assert found.best(2).certain == ("0", "1")
    constant = cc.rank_intervals(np.full((30, 3), 0.5), rng=1)
    assert constant.low.tolist() == [1, 1, 1]
    assert constant.high.tolist() == [3, 3, 3]
    assert constant.borders == ()


def test_rounding_is_no_difference() -> None:
    rng = np.random.default_rng(1)
    first = np.round(rng.random(30), 1)
    noisy = first + np.where(rng.random(30) < 0.5, 1e-16, -1e-16)  # as 0.1 + 0.2 is beside 0.3
    assert (first != noisy).any()
    values = np.column_stack([first, noisy, np.round(rng.random(30), 1) - 0.5])
    alone = cc.rank_intervals(values[:, [0, 2]], rng=1)
    found = cc.rank_intervals(values, rng=1)
    assert alone["0"] == (1, 1)
    assert [found[s] for s in "012"] == [(1, 2), (1, 2), (3, 3)]


def test_very_large_and_very_small_scores() -> None:
    values = cc.load_collection("people").values
    expected = cc.rank_intervals(values, rng=1, n_resamples=499)
    for scale in (1e300, 1e-290):
        found = cc.rank_intervals(values * scale, rng=1, n_resamples=499)
        assert found.systems == expected.systems
        np.testing.assert_allclose(found.pvalues, expected.pvalues, atol=1e-12)


def test_few_topics_separate_nothing() -> None:
    values = np.random.default_rng(1).random((5, 3)) * 1e-3 + [0, 1, 2]
    found = cc.rank_intervals(values, rng=1)
    assert not found.better().any()
    assert found.notes == ("5 topics cannot separate any systems at this confidence level",)
    more = np.random.default_rng(1).random((12, 3)) * 1e-3 + [0, 1, 2]
    assert cc.rank_intervals(more, rng=1).better().sum() == 3


@pytest.mark.long
def test_same_seed_same_bits_at_any_number_of_workers() -> None:
    people = cc.load_collection("people")
    for simultaneous in (True, False):
        one, two = (cc.rank_intervals(people, simultaneous=simultaneous, rng=3, workers=w) for w in (1, 2))
        assert np.array_equal(one.pvalues, two.pvalues)
    steps: list[tuple[int, int]] = []
    cc.rank_intervals(people, rng=3, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (49_999, 49_999)


def test_intervals_of_single_systems_are_not_longer() -> None:
    people = cc.load_collection("people")
    together, single = (cc.rank_intervals(people, simultaneous=s, rng=3) for s in (True, False))
    assert (single.high - single.low).sum() < (together.high - together.low).sum()


def test_borda_is_the_mean_of_the_ranks() -> None:
    from scipy.stats import rankdata

    hasty = cc.load_collection("hasty")
    ranks = cc.Scores([rankdata(row) for row in hasty.values], hasty.topics, hasty.systems)
    found, expected = cc.rank_intervals(cc.as_scores(hasty, total="borda"), rng=3), cc.rank_intervals(ranks, rng=3)
    assert found.systems == expected.systems
    assert np.array_equal(found.pvalues, expected.pvalues)
    squared = cc.Scores(hasty.values**3, hasty.topics, hasty.systems, total="borda")
    assert np.array_equal(cc.rank_intervals(squared, rng=3).pvalues, found.pvalues)


@given(arrays(np.float64, (8, 4), elements=st.integers(0, 3).map(float)), st.permutations(range(4)))
def test_nothing_depends_on_the_scale_or_the_order_of_systems(values: FloatArray, order: list[int]) -> None:
    found = cc.rank_intervals(values, n_resamples=199, rng=1)
    assert ((found.pvalues > 0) & (found.pvalues <= 1)).all()
    assert (found.low <= found.high).all()
    moved = cc.rank_intervals(cc.Scores(values[:, order] * 4 + 16, range(8), order), n_resamples=199, rng=1)
    assert {s: found[s] for s in found.systems} == {s: moved[s] for s in moved.systems}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"confidence_level": 95}, "confidence_level is 95"),
        ({"n_resamples": 9}, "n_resamples is 9: confidence_level 0.95 needs at least 19"),
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"workers": 0}, "workers is 0"),
        ({"rng": -1}, "rng is -1"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(cc.errors.InputError, match=text):
        cc.rank_intervals(np.eye(3), **arguments)


def test_bad_scores() -> None:
    cases: list[tuple[Any, str]] = [
        ([1, 2, 3], r"scores have 1 dimension \(shape \(3,\)\)"),
        ([[1, 2]], "1 topic"),
        ([[1], [2]], "1 system"),
        ([[1, 2], [3, math.nan]], r"scores: 1 lacks topic row 2"),
    ]
    for bad, text in cases:
        with pytest.raises(cc.errors.InputError, match=text):
            cc.rank_intervals(bad)
    found = cc.rank_intervals(cc.load_collection("people"), rng=1, n_resamples=199)
    with pytest.raises(cc.errors.InputError, match="did you mean 'rerank-1'"):
        found["rerank-11"]
    with pytest.raises(cc.errors.InputError, match="k is 21"):
        found.best(21)


def test_what_is_printed_and_exported() -> None:
    found = cc.rank_intervals(cc.load_collection("people"), rng=5)
    text = str(found)
    assert (
        text.splitlines()[0]
        == found.verdict
        == ("5 of 20 systems could be the best: rerank-4, rerank-2, rerank-1, rerank-3 and hybrid-2.")
    )
    assert "\n95% confidence for all intervals together; 49,999 resamples of 40 topics.\n" in text
    assert "too close to call" in text.splitlines()[-1]
    for row in found.rows():
        cells = [str(row["rank"]), row["system"], f"{row['total']:.4f}", str(row["rank"]), "to", str(row["high"])]
        assert any(line.split() == cells for line in text.splitlines())
    json.dumps(found.to_dict(), allow_nan=False)
    frame = found.to_frame()
    assert frame.loc["rerank-4", ["rank", "high"]].tolist() == list(found["rerank-4"])


def test_plot() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = cc.rank_intervals(cc.load_collection("people"), rng=5)
    ax = found.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == list(found.systems)
    assert found.plot(ax) is ax
    pyplot.close("all")


def test_true_ranks_of_a_population_are_covered(trec: Path) -> None:
    """The quick version of benchmarks/coverage_ranks.py: samples of robust2004, P@10, whose true means have ties."""
    population = read_matrix(trec / "robust2004_p10.csv")
    covered = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = population[:, rng.choice(population.shape[1], 25, replace=False)]
        means = np.round(values.mean(axis=0), 10)
        found = cc.rank_intervals(values[rng.integers(0, len(values), 40)], n_resamples=499, rng=rng)
        best = 1 + (means[None, :] > means[:, None]).sum(axis=1)
        worst = 25 - (means[None, :] < means[:, None]).sum(axis=1)
        covered += all(found[str(k)][0] <= best[k] and found[str(k)][1] >= worst[k] for k in range(25))
    assert covered >= 54  # 94% of 60 is 56.4; fewer than 54 has a probability of 4% there


@pytest.mark.parametrize("simultaneous", [True, False])
def test_resamples_are_counted_in_chunks(simultaneous: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(8).random((15, 9)) + np.linspace(0, 0.3, 9)
    how = Resampling.of(199, 3)
    expected = pair_tests.corrected_pvalues(values, how, simultaneous=simultaneous)
    monkeypatch.setattr(pair_tests, "_CHUNK", 4)  # a multiple of four: NumPy makes four signs of one random number
    found = pair_tests.corrected_pvalues(values, how, simultaneous=simultaneous)
    assert found.tolist() == expected.tolist()
    assert len(np.unique(found)) > 3


def test_the_best_in_words() -> None:
    values = np.random.default_rng(2).random((30, 3)) / 10 + [0.0, 1.0, 1.0]
    found = cc.rank_intervals(values, rng=1, n_resamples=999)
    assert str(found.best(1)) == "2 systems could be the best"
    assert str(found.best(2)) == "2 systems could be among the 2 best, 2 certainly are"
    for bad in (True, 1.0, "1", 0, 4):
        with pytest.raises(cc.errors.InputError, match=r"k is .*: give a whole number(, at least 1| from 1 to the 3)"):
            found.best(bad)  # type: ignore[arg-type]


def test_few_topics_are_noted_where_all_signs_together_are_too_few() -> None:
    """Of 2 topics, half of all signs go one way: enough at 50%, and not at 51%."""
    values = np.random.default_rng(2).random((2, 3))
    assert cc.rank_intervals(values, confidence_level=0.5, n_resamples=99, rng=1).notes == ()
    (note,) = cc.rank_intervals(values, confidence_level=0.51, n_resamples=99, rng=1).notes
    assert note == "2 topics cannot separate any systems at this confidence level"


def test_few_topics_take_all_signs_and_no_seed_matters() -> None:
    """With 9 topics there are 256 signs up to their opposites: p-values are counts among them."""
    values = np.random.default_rng(4).random((9, 5)) + np.linspace(0, 1, 5)
    one, two = (cc.rank_intervals(values, rng=seed, n_resamples=256) for seed in (1, 2))
    assert one.settings["exact"]
    assert np.array_equal(one.pvalues, two.pvalues)
    assert np.array_equal(one.pvalues * 256, np.round(one.pvalues * 256))
    assert one.pvalues.min() >= 1 / 256
    assert "all signs of 9 topics" in one.table()
    drawn = cc.rank_intervals(values, rng=1, n_resamples=255)
    assert not drawn.settings["exact"]
    assert np.abs(drawn.pvalues - one.pvalues).max() < 0.15
    flips = [2 * np.array(signs) - 1 for signs in itertools.product((0, 1), repeat=9)]
    pairs = pair_tests.PairSamples.of(values[:, :2])
    r = [abs((flip @ (pairs.centred[:, 0] - pairs.centred[:, 1])) / 9) / pairs.size[0, 1] for flip in flips]
    least = pair_tests.shrunk(pairs)[0, 1] * (1 - 1e-7)
    alone = cc.rank_intervals(values[:, :2], rng=1)
    assert alone.pvalues[0, 1] == np.mean(np.array(r) >= least)


def test_pairs_that_another_seed_could_decide_otherwise_are_named() -> None:
    people = cc.load_collection("people")
    found = cc.rank_intervals(people, rng=7, n_resamples=199)
    near = np.abs(found.pvalues - 0.05) <= 2 * np.sqrt(found.pvalues * (1 - found.pvalues) / 199)
    assert {frozenset(pair) for pair in found.borderline} == {
        frozenset((found.systems[i], found.systems[j])) for i, j in np.argwhere(near) if i != j
    }
    (note,) = found.notes
    assert note.startswith(f"{len(found.borderline)} pairs are too close to call (")
    assert found.to_dict()["borderline"] == [list(pair) for pair in found.borderline]
