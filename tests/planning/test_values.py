"""Values of the estimators: published ones, and the definitions written down literally."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

import concordant as cc
from concordant import _kernels
from concordant.data.means import mean_over_topics
from concordant.inference.resampling import Resampling
from concordant.planning.differences import PairDifferences
from concordant.planning.estimation import ESTIMATORS
from concordant.planning.estimators import bandwidths, probabilities
from tests.places import read_matrix

from ..conftest import NUMPY_IS_LONG
from . import literal
from .literal import FloatArray

# Spec, section 4: ML and MSQD to all digits, RES and KD by one run of 1,000 resamples.
PUBLISHED = {
    "adhoc6": {
        "ml": (0.8560612, 0.8126929),
        "msqd": (0.8600266, 0.8160990),
        "res": (0.8618, 0.8192),
        "kd": (0.8583, 0.8151),
    },
    "adhoc7": {"ml": (0.8911348, 0.8232283), "msqd": (0.8891992, 0.8194832), "res": (0.8951, 0.8289)},
    "adhoc8": {"ml": (0.8857367, 0.8271403), "msqd": (0.8855715, 0.8261209), "res": (0.8897, 0.8326)},
}
SPLIT = {"sh(w)": (0.8885, 0.8541), "sh(w/o)": (0.8828, 0.8520)}
PAIRWISE = ("ml", "msqd", "res", "kd")
seeds = st.integers(0, 2**32 - 1)


class Discordance(NamedTuple):
    """The probability that i, above j by its mean, is truly below it; and what follows from all of them."""

    values: FloatArray
    tau: float
    tau_ap: float


def discordance(values: FloatArray, estimator: str, identical: Any = "half") -> Discordance:
    pairs = PairDifferences(values)
    p = probabilities(pairs, (estimator,), Resampling(1, 1), identical)[estimator]
    found = np.full((pairs.m, pairs.m), np.nan)
    found[pairs.i, pairs.j], found[pairs.j, pairs.i] = p, 1 - p
    return Discordance(found, *pairs.expected(p))


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_values(trec: Path, name: str) -> None:
    found = cc.reliability(read_matrix(trec / f"{name}.csv"), identical="concordant", rng=1).estimates
    assert tuple(found) == ("posterior", *ESTIMATORS)
    for estimator, expected in PUBLISHED[name].items():
        # What R calls ranks are off by rounding: see below.
        tolerance = {"ml": 1e-6, "msqd": 4e-6}.get(estimator, 0.003)
        np.testing.assert_allclose(found[estimator], expected, rtol=0, atol=tolerance)
    if name == "adhoc6":
        for estimator, expected in SPLIT.items():
            np.testing.assert_allclose(found[estimator], expected, rtol=0, atol=0.01)


def test_equal_differences_have_equal_ranks_whatever_floating_point_makes_of_them(trec: Path) -> None:
    scores = read_matrix(trec / "adhoc6.csv")  # four decimals
    exact = literal.msqd_tau(np.rint(scores * 10_000))
    assert cc.expected_correlation(
        scores, coefficient="tau", estimator="msqd", identical="concordant"
    ).value == pytest.approx(exact, abs=1e-12)
    as_it_is = literal.msqd_tau(scores)  # the ranks of R, in which 0.3 - 0.2 is less than 0.4 - 0.3
    assert as_it_is == pytest.approx(PUBLISHED["adhoc6"]["msqd"][0], abs=1e-7)
    assert abs(exact - as_it_is) > 1e-6


@pytest.mark.parametrize("step", [0.1, 1e-4, 1 / 3, 1 / 7, np.pi])
def test_a_grid_has_the_ranks_of_whole_numbers(step: float) -> None:
    rng = np.random.default_rng(int(1000 * step))
    whole = rng.integers(0, 12, (40, 6)).astype(float)
    whole[0, 0] = 5000.0  # a fine grid, all the same
    offsets = rng.random(40)[:, None]  # and then none at all: topics that start elsewhere
    wanted = literal.msqd_tau(whole)
    for values in (whole * step, whole * step + offsets):
        found = cc.expected_correlation(values, coefficient="tau", estimator="msqd", identical="concordant").value
        assert found == pytest.approx(wanted, abs=1e-9)


def fuzzed(seed: int, least: int = 2, most: int = 5) -> FloatArray:
    """Small collections with all that is awkward: grids, few values, identical systems, constant differences."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(least, most + 1)), int(rng.integers(2, 6))
    values = rng.random((n, m)) * 10.0 ** rng.integers(-3, 3)
    kind = rng.integers(0, 5)
    if kind == 0:
        values = rng.integers(0, 11, (n, m)) / 10
    elif kind == 1:
        values = rng.integers(0, 2, (n, m)).astype(float)
    elif kind == 2:
        values[:, -1] = values[:, 0]
    elif kind == 3:
        values[:, -1] = values[:, 0] + 0.25
    return np.asarray(values)


@cache
def literal_matrix(seed: int, estimator: str, most: int = 5) -> FloatArray:
    values = fuzzed(seed, most=most)
    order = np.argsort(-mean_over_topics(values), kind="stable")
    ordered = values[:, order]
    m = values.shape[1]
    p = np.full((m, m), np.nan)
    for i in range(m):
        for j in range(i + 1, m):
            d = np.round(ordered[:, i] - ordered[:, j], 13)  # 0.3 - 0.2 is 0.4 - 0.3
            if np.ptp(d) < 1e-12 * np.abs(values).max():
                p[i, j] = literal.by_sign(round(float(d.mean()), 12))
            elif estimator == "kd":
                p[i, j] = literal.kd(d, literal.plug_in(d))
            else:
                p[i, j] = getattr(literal, estimator)(d)
            p[j, i] = 1 - p[i, j]
    return p


@NUMPY_IS_LONG
@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(("estimator", "tolerance"), [("ml", 1e-9), ("msqd", 1e-9), ("res", 1e-9)])
def test_probabilities_against_the_definition(estimator: Any, tolerance: float) -> None:
    for seed in range(15):
        values = fuzzed(seed)
        found = discordance(values, estimator)
        p = literal_matrix(seed, estimator)
        np.testing.assert_allclose(found.values, p, atol=tolerance)
        means = np.sort(mean_over_topics(values))[::-1]
        np.testing.assert_allclose((found.tau, found.tau_ap), literal.expected(p, means), atol=tolerance)
        again = discordance(values[:, ::-1], estimator)  # the order of the columns has no part in it
        np.testing.assert_allclose((again.tau, again.tau_ap), (found.tau, found.tau_ap), atol=tolerance)
        assert float(cc.expected_correlation(values, coefficient="tau_ap", estimator=estimator)) == found.tau_ap


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("seed", range(6))
def test_kernel_density_against_the_definition(seed: int) -> None:
    values = fuzzed(seed, most=4)
    np.testing.assert_allclose(discordance(values, "kd").values, literal_matrix(seed, "kd", 4), atol=1e-7)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("n", [2, 3, 4, 11, 40])
def test_bandwidths_against_the_book(n: int) -> None:
    rng = np.random.default_rng(n)
    values = np.column_stack([rng.random(n), rng.standard_t(2, n), rng.integers(0, 5, n) / 4, np.zeros(n)])
    values[: n // 2, 0] *= 1e-5  # a narrow half: its quartiles ask for a fine step
    pairs = PairDifferences(values)
    for block in map(pairs.block, pairs.pieces()):
        expected = [literal.plug_in(d) for d in block.differences]
        np.testing.assert_allclose(bandwidths(block), expected, rtol=1e-7)


@cache
def res_on_grid(*differences: int) -> float:
    """Once for both kernels."""
    return literal.res_on_grid(np.array(differences))


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(
    ("n", "most", "tolerance"),
    [(8, 10, 2e-9), (12, 1, 2e-9), (20, 100, 2e-9), (50, 20, 2e-9), (20, 2000, 1e-5), (40, 500, 1e-6)],
)
def test_resampling_in_the_limit_on_grids(n: int, most: int, tolerance: float) -> None:
    """Whole numbers: the distribution of the sum by convolution. On coarse grids exact, on fine ones nearly."""
    rng = np.random.default_rng(n * most)
    whole = rng.integers(0, most + 1, (n, 6)) + rng.integers(0, 2, 6) * max(1, most // 4)
    found = discordance(whole / most, "res").values
    order = np.argsort(-mean_over_topics(whole / most), kind="stable")
    for i in range(6):
        for j in range(i + 1, 6):
            d = whole[:, order[i]] - whole[:, order[j]]
            if np.ptp(d):
                assert found[i, j] == pytest.approx(res_on_grid(*d), abs=tolerance)


@pytest.mark.long
@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(("n", "tolerance"), [(8, 1e-3), (10, 1e-3), (12, 3e-4), (14, 1e-4), (20, 1e-5)])
def test_resampling_in_the_limit_off_grids(n: int, tolerance: float) -> None:
    """Scores without a grid and few topics: the accuracy that the docs state, against convolutions on a fine grid."""
    rng = np.random.default_rng(n)
    whole = rng.integers(0, 20_011, (n, 5))
    values = whole / 20_011 + 1e-9 * rng.random((n, 5))  # off the grid, by less than any sum is from 0
    found = discordance(values, "res").values
    order = np.argsort(-mean_over_topics(values), kind="stable")
    for i in range(5):
        for j in range(i + 1, 5):
            d = whole[:, order[i]] - whole[:, order[j]]
            assert found[i, j] == pytest.approx(res_on_grid(*d), abs=tolerance)


@pytest.mark.usefixtures("kernels")
def test_an_outlier_far_off() -> None:
    """One topic a hundred times as wide as the others decides by whether, and how often, it is drawn."""
    rng = np.random.default_rng(4)
    whole = rng.integers(-50, 51, (40, 1))
    whole[0] = 4000
    values = np.hstack([whole, np.zeros_like(whole)]) / 50
    assert discordance(values, "res").values[0, 1] == pytest.approx(literal.res_on_grid(whole[:, 0]), abs=1e-7)


@pytest.mark.parametrize("ratio", [100, 1_000, 10_000])
def test_one_topic_decides(ratio: int) -> None:
    """Where it is not drawn, the sum is small beside the range of all sums; against plain resampling."""
    rng = np.random.default_rng(ratio)
    d = rng.normal(0.2, 1, 20)
    d[0] = ratio
    found = discordance(np.column_stack([d, np.zeros(20)]), "res").values[0, 1]
    drawn = rng.multinomial(20, np.full(20, 1 / 20), 100_000) @ d
    assert found == pytest.approx((drawn < 0).mean(), abs=4.5 * 0.5 / np.sqrt(100_000))


def test_resampling_tends_to_its_limit(trec: Path) -> None:
    values = read_matrix(trec / "adhoc6.csv")[:, :12]
    pairs = PairDifferences(values)
    rng = np.random.default_rng(3)
    differences = pairs.block(slice(0, len(pairs))).differences
    drawn = np.array([rng.multinomial(pairs.n, np.full(pairs.n, 1 / pairs.n)) for _ in range(20_000)]) @ differences.T
    smooth = ndtr(-drawn / np.sqrt(pairs.n) / bandwidths(pairs.block(slice(0, len(pairs)))))
    for estimator, below in (("res", (drawn < 0) + 0.5 * (drawn == 0)), ("kd", smooth)):
        limit = discordance(values, estimator).values[pairs.i, pairs.j]
        error = 4.5 * np.sqrt(limit * (1 - limit) / 20_000) + 1e-4
        assert (np.abs(below.mean(axis=0) - limit) <= error).all()


@given(seeds)
@settings(max_examples=30)
def test_units_do_not_matter(seed: int) -> None:
    values = fuzzed(seed)
    for estimator in PAIRWISE:
        one = discordance(values, estimator)
        for factor in (2.0**-400, 2.0**300, 1000.0):
            other = discordance(values * factor, estimator)
            np.testing.assert_allclose(other.values, one.values, atol=1e-6)


@given(seeds)
@settings(max_examples=40)
def test_native_and_numpy_kernels_agree(seed: int) -> None:
    if not _kernels.has_native:
        pytest.skip("no native module")
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    rows = rng.standard_t(3, (7, n)) + rng.random((7, 1))
    widths = np.where(rng.random(7) < 0.3, 0.0, rng.random(7) * n)
    points = np.where(rng.random(7) < 0.5, 0, rng.integers(3, 200, 7))
    steps = rng.uniform(0.05, 1, 7)
    scales = rng.uniform(0.001, 3, 7)
    shares = []
    bands = []
    for kernels in (_kernels.reference, _kernels.active):
        out, h = np.empty((7, 2)), np.empty(7)
        kernels.negative_shares(rows, steps, points, widths, 300, out, 2)
        kernels.plug_in_widths(rows, scales, h, 2)
        shares.append(out)
        bands.append(h)
    np.testing.assert_allclose(shares[1], shares[0], atol=1e-8)
    np.testing.assert_allclose(bands[1], bands[0], rtol=1e-8)


@pytest.mark.parametrize(("n", "tolerance"), [(8, 1e-9), (12, 1e-9), (30, 1e-3)])
def test_systems_alike_but_for_one_topic(n: int, tolerance: float) -> None:
    """Whether that topic is drawn decides; without it, differences of a ten-thousandth of it do."""
    rng = np.random.default_rng(n)
    whole = rng.integers(-50, 51, n - 1)
    lower = rng.random(n)
    upper = lower + np.append(0.2, whole * 2e-6)
    one, total = np.bincount(whole + 50, minlength=101) / n, np.ones(1)
    for _ in range(n):
        total = np.convolve(total, one)  # the topic that differs is never drawn
    expected = total[: 50 * n].sum() + total[50 * n] / 2
    found = discordance(np.column_stack([upper, lower]), "res").values[0, 1]
    assert found == pytest.approx(expected, abs=tolerance)


def test_rounding_errors_do_not_hide_a_grid() -> None:
    """0.6 + 0.3 is not 0.9, and still on a grid of tenths."""
    rng = np.random.default_rng(4)
    clean = rng.integers(0, 8, (9, 4)) / 10
    clean[0, :2] = 0.6, 0.9
    noisy = clean.copy()
    clean[:, 3] = np.round(clean[:, 0] + 0.3, 10)
    noisy[:, 3] = noisy[:, 0] + 0.3
    assert (clean != noisy).any()
    for estimator in ("ml", "msqd", "res", "kd"):
        a, b = (discordance(v, estimator).values for v in (clean, noisy))
        np.testing.assert_allclose(a, b, atol=1e-12)
