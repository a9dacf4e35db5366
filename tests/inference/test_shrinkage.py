"""The shrinkage interval against its definition written down literally, and cases with a known answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import NormalDist
from typing import Any, get_args

import numpy as np
import pytest

import concordant as cc
from concordant.arrays import FloatArray
from concordant.inference.calibration import MISFIT
from concordant.inference.intervals import (
    ROWS,
    Agreements,
    Found,
    Method,
    centres,
    fit_of,
    limits,
    model_of,
    nested_values,
    reaching,
    shrunk_values,
    summarise,
)
from concordant.inference.resampling import Resampling
from tests import literal
from tests.agreement.test_correlate import scores, two_conditions


def drawn_literally(
    conditions: list[FloatArray], count: int, seed: int
) -> list[tuple[list[list[float]], list[list[float]]]]:
    """True means and those of another sample, by condition, for each draw: the steps of the method, one by one."""
    n, m = conditions[0].shape
    c = len(conditions)
    d = np.zeros((m, c))
    residuals = []
    for k, x in enumerate(conditions):
        means = [math.fsum(x[:, s]) / n for s in range(m)]
        average = math.fsum(means) / m
        d[:, k] = [v - average for v in means]
        sd = math.sqrt(math.fsum(v * v for v in d[:, k]) / (m - 1))
        d[:, k] /= sd
        r = np.array([[x[t, s] - means[s] for s in range(m)] for t in range(n)])
        r = np.array([[v - math.fsum(row) / m for v in row] for row in r])
        residuals.append(r / sd)
    noise = np.array([[(a * b).sum() / (m * n * (n - 1)) for b in residuals] for a in residuals])
    spread = d.T @ d / (m - 1)
    lower = np.linalg.cholesky(noise)
    g = np.linalg.inv(lower) @ spread @ np.linalg.inv(lower).T
    rng = np.random.default_rng(seed)
    found = []
    rows = count  # the random numbers of up to ROWS draws are made together
    assert rows <= ROWS
    triangles = np.zeros((rows, c, c))
    for i in range(c):
        triangles[:, i, i] = np.sqrt(rng.chisquare(m - 1 - i, rows))
        triangles[:, i, :i] = rng.standard_normal((rows, i))
    scales = (n - 1) / rng.chisquare(n - 1, rows)
    topics = rng.integers(0, n, (2 * rows, n))
    for k in range(rows):
        wishart = triangles[k] @ triangles[k].T / (m - 1)
        gk = np.linalg.cholesky(g) @ np.linalg.inv(wishart) @ np.linalg.cholesky(g).T
        e, u = np.linalg.eigh(gk)
        q = scales[k]
        h = np.array([max(1 - q / value, 0.05) for value in e])
        b = lower @ u @ np.diag(h) @ u.T @ np.linalg.inv(lower)
        along = lower @ u @ np.diag(np.sqrt(h * q)) @ u.T @ np.linalg.inv(lower)

        def errors(drawn: FloatArray) -> FloatArray:
            weights = [(int((drawn == t).sum()) - 1) / n * math.sqrt(n / (n - 1)) for t in range(n)]
            return np.array([[sum(weights[t] * r[t, s] for t in range(n)) for r in residuals] for s in range(m)])

        truth = d @ b.T + errors(topics[k]) @ along.T
        again = truth + math.sqrt(q) * errors(topics[rows + k])
        found.append((truth.T.tolist(), again.T.tolist()))
    return found


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("seed", [1, 2])
def test_draws_by_plain_loops(seed: int) -> None:
    truth, candidate = two_conditions(seed, n=9, m=7)
    conditions = [truth.values, candidate.values]
    model = model_of(conditions)
    assert model is not None
    f = cc.get_coefficient("pearson").formula

    def statistic(means: object) -> FloatArray:
        return np.asarray(f(*means))  # type: ignore[misc]

    values = shrunk_values(model, statistic, Resampling.of(2 * 20, seed))
    expected = drawn_literally(conditions, 20, seed)
    assert values[0][0] == pytest.approx([float(f(*t)) for t, _ in expected], abs=1e-10)
    assert values[1][0] == pytest.approx([float(f(*a)) for _, a in expected], abs=1e-10)


def test_the_interval_by_plain_loops() -> None:
    """mean(theta) +- 1.96 sd(theta - t), of coefficients that are literal, too."""
    truth, candidate = two_conditions(3, n=12, m=8)
    e = cc.correlate(truth, candidate, coefficient="tau_b", method="shrinkage", n_resamples=500, rng=5)
    drawn = drawn_literally([truth.values, candidate.values], 250, 5)
    theta = [literal.tau_b(t[0], t[1]) for t, _ in drawn]
    error = [a - literal.tau_b(b[0], b[1]) for a, (_, b) in zip(theta, drawn, strict=True)]
    mean = math.fsum(theta) / 250
    of_error = math.fsum(error) / 250
    sd = math.sqrt(math.fsum((v - of_error) ** 2 for v in error) / 249)
    assert e.bias_corrected == pytest.approx(mean, abs=1e-12)
    assert e.standard_error == pytest.approx(sd, abs=1e-12)
    assert e.interval is not None
    assert e.interval.low == pytest.approx(mean - 1.959963984540054 * sd)
    assert e.interval.high == pytest.approx(min(1.0, mean + 1.959963984540054 * sd))


def test_the_same_bits_over_several_pieces() -> None:
    truth, candidate = two_conditions(n=30)
    count = 2 * ROWS + 700
    run = partial(cc.correlate, coefficient="tau_ap_b", method="shrinkage", n_resamples=count, rng=3)
    one = run(truth, candidate)
    assert one == run(truth, candidate, workers=2)
    with ThreadPoolExecutor(2) as pool:
        assert one == run(truth, candidate, workers=pool)


def test_units_and_offsets_do_not_matter() -> None:
    truth, candidate = two_conditions(n=20)
    one, other = (
        cc.correlate(truth, side, method="shrinkage", n_resamples=600, rng=3)
        for side in (candidate, scores(0.25 * candidate.values + 3))
    )
    assert one.bias_corrected == pytest.approx(other.bias_corrected, abs=0.002)
    assert one.standard_error == pytest.approx(other.standard_error, abs=0.002)


def test_draws_have_the_spread_of_true_means() -> None:
    """With normal scores whose truth is known: draws vary as true means do, not as observed ones, and as correlated."""
    rng = np.random.default_rng(1)
    m, n, noise = 1000, 200, 9.5
    mu = rng.standard_normal(m)
    nu = 0.8 * mu + 0.6 * rng.standard_normal(m)
    shared = rng.standard_normal((n, m))
    x = mu + noise * shared
    y = nu + noise * (0.6 * shared + 0.8 * rng.standard_normal((n, m)))
    model = model_of((x, y))
    assert model is not None
    found = []

    def statistic(means: Sequence[FloatArray]) -> FloatArray:
        a, b = means
        found.append([np.cov(s, t) for s, t in zip(a, b, strict=True)])
        return np.asarray(a[:, 0])

    shrunk_values(model, statistic, Resampling.of(2 * 200, 1))
    truth, again = (np.mean(part, axis=0) for part in found)
    scale = np.array([np.std(side.mean(axis=0), ddof=1) for side in (x, y)])
    assert truth * np.outer(scale, scale) == pytest.approx(np.cov(mu, nu), abs=0.08)
    assert np.cov(x.mean(axis=0), y.mean(axis=0))[0, 0] > np.cov(mu, nu)[0, 0] + 0.3  # so there was noise to take off
    assert again[0, 0] == pytest.approx(1.0, abs=0.05)
    assert again[0, 1] == pytest.approx(np.corrcoef(x.mean(axis=0), y.mean(axis=0))[0, 1], abs=0.05)


def test_twins_are_tied_in_every_draw() -> None:
    truth, candidate = two_conditions(n=20, m=9)
    conditions = [np.hstack([s.values, s.values[:, :2]]) for s in (truth, candidate)]
    model = model_of(conditions)
    assert model is not None
    assert model.twins.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1]
    ties = []

    def statistic(means: Sequence[FloatArray]) -> FloatArray:
        for side in means:
            ties.append((side[:, 0] == side[:, 9]).all() and (side[:, 1] == side[:, 10]).all())
        return np.asarray(means[0][:, 0])

    shrunk_values(model, statistic, Resampling.of(100, 1))
    assert ties == [True] * 4


def test_where_there_is_no_model() -> None:
    truth, candidate = two_conditions(n=20, m=9)
    for sides in (
        (truth, truth),  # the same errors on both sides
        (truth.select(truth.systems[:3]), candidate.select(candidate.systems[:3])),
    ):
        with pytest.raises(cc.errors.InputError, match="method='iterated'"):
            cc.correlate(*sides, method="shrinkage", n_resamples=500, rng=1)
        assert cc.correlate(*sides, method="iterated", n_resamples=500, rng=1).interval is not None


@pytest.mark.parametrize("method", ["auto", "shrinkage", "iterated"])
def test_two_topics_have_no_interval(method: Any) -> None:
    truth, candidate = (side.select(topics=side.topics[:2]) for side in two_conditions(n=20, m=9))
    found = cc.correlate(truth, candidate, method=method, n_resamples=500, rng=1)
    assert found.interval is None
    assert found.notes == ("no interval: 2 topics or groups are too few to resample, at least 3 are needed",)


# The check of the model --------------------------------------------------------------------------------------------


def leaderboard(seed: int, tied: int, n: int = 50, m: int = 60) -> tuple[cc.Scores, cc.Scores]:
    """Normal scores with errors that both sides share; the best `tied` systems are as good as equal."""
    rng = np.random.default_rng(seed)
    mu = np.sort(rng.standard_normal(m))[::-1].copy()
    if tied:
        mu[:tied] = mu[:tied].mean() + 0.02 * rng.standard_normal(tied)
    nu = mu + 0.15 * rng.standard_normal(m)
    shared = 2 * rng.standard_normal((n, m))
    return scores(mu + shared), scores(nu + shared + rng.standard_normal((n, m)))


def fit(sides: tuple[cc.Scores, cc.Scores]) -> float:
    model = model_of([side.values for side in sides])
    assert model is not None
    return fit_of(model)


def test_the_check_finds_ties_and_passes_what_the_model_describes() -> None:
    assert sum(fit(leaderboard(seed, 0)) < MISFIT for seed in range(20)) <= 2
    assert sum(fit(leaderboard(seed, 30)) < MISFIT for seed in range(20)) >= 16


@pytest.mark.parametrize("turned", [1, -1])
def test_the_default_reaches_down_from_the_centre_that_is_nearer_to_0(turned: int) -> None:
    """Written down from the two methods that it is made of; mirrored where the coefficient is negative."""
    lower = 0
    for seed in range(4):
        truth, candidate = leaderboard(seed, 0, m=20)
        sides = truth, scores(turned * candidate.values)
        assert fit(sides) >= MISFIT
        auto = cc.correlate(*sides, n_resamples=999, rng=4)
        shrunk = cc.correlate(*sides, method="shrinkage", n_resamples=999, rng=4)
        (other,) = centres([s.values for s in sides], Agreements(("tau_b",), 1), Resampling.of(999, 4))
        assert auto.interval is not None
        assert shrunk.bias_corrected is not None
        assert shrunk.standard_error is not None
        centre, half = shrunk.bias_corrected, NormalDist().inv_cdf(0.975) * shrunk.standard_error
        assert turned * centre > half
        near = min(turned * centre, turned * other) - half
        limits = turned * near, turned * min(turned * centre + 0.9 * half, 1)
        assert (auto.interval.low, auto.interval.high) == pytest.approx(sorted(limits), abs=1e-12)
        assert (auto.bias_corrected, auto.standard_error) == (centre, shrunk.standard_error)
        assert ["nearly reversed" in note for note in auto.notes] == [True] * (turned < 0)
        lower += turned * other < turned * centre
    assert 0 < lower < 4


def test_where_the_sign_is_not_clear_both_sides_reach_out() -> None:
    found = Found(-0.25, 0.35, 0.05, 0.15, 0, "shrinkage")
    half = NormalDist().inv_cdf(0.975) * 0.15
    for other, ends in ((0.2, (0.05 - half, 0.2 + half)), (-0.1, (-0.1 - half, 0.05 + half))):
        both = reaching(found, other, (-1, 1), 0.95)
        assert (both.low, both.high) == pytest.approx(ends)
    assert reaching(found, math.nan, (-1, 1), 0.95).high == pytest.approx(0.05 + half)


def test_the_centre_alone_is_that_of_all_levels() -> None:
    sides = [side.values for side in leaderboard(2, 0, n=25, m=15)]
    values = Agreements(("tau_b", "tau_ap_b"), 1)
    alone = centres(sides, values, Resampling.of(40_000, 1))
    for centre, summary in zip(
        alone, summarise(nested_values(sides, values, Resampling.of(80_000, 2)), 25), strict=True
    ):
        assert summary is not None
        assert centre == pytest.approx(summary.centre, abs=4 * summary.monte_carlo)


def test_the_iterated_interval_counts_where_systems_are_tied_and_a_note_says_so() -> None:
    sides = leaderboard(3, 30)
    auto = cc.correlate(*sides, n_resamples=999, rng=4)
    iterated = cc.correlate(*sides, method="iterated", n_resamples=8 * 999, rng=4)
    assert auto.interval is not None
    assert iterated.interval is not None
    assert auto.interval.low <= iterated.interval.low
    assert auto.interval.high >= iterated.interval.high
    assert auto.bias_corrected == iterated.bias_corrected
    assert auto.settings["interval"] == "auto"
    assert auto.settings["n_resamples"] == iterated.settings["n_resamples"] == 7992
    (note,) = auto.notes
    assert note.startswith("the interval includes that of the iterated bootstrap: many systems seem to be nearly tied")
    assert not iterated.notes
    compared = cc.compare(*sides, interval=True, n_resamples=999, rng=4, rank_test=None, worth=False)
    assert compared.notes.count(note) == 1
    named = cc.correlate(*sides, method="shrinkage", n_resamples=999, rng=4)
    assert named.settings["interval"] == "shrinkage"


def test_the_iterated_interval_takes_over_where_there_is_no_model() -> None:
    truth, _ = two_conditions(n=20, m=9)
    e = cc.correlate(truth, truth, n_resamples=500, rng=1)
    assert e.settings["interval"] == "iterated"
    assert e.notes[0].startswith("the interval is by the iterated bootstrap: shrinkage needs at least 4 systems")


@pytest.mark.long
@pytest.mark.parametrize("tied", [0, 30])
def test_the_seed_moves_limits_by_less_than_a_tenth_of_a_standard_error(tied: int) -> None:
    sides = leaderboard(3, tied)
    found = [cc.correlate(*sides, coefficient="tau_ap_b", rng=seed) for seed in range(20)]
    assert {bool(e.notes) for e in found} == {bool(tied)}
    limits = np.array([[e.interval.low, e.interval.high, e.bias_corrected] for e in found])  # type: ignore[union-attr]
    error = np.mean([e.standard_error for e in found])
    assert (limits.std(axis=0, ddof=1) < 0.1 * error).all()


def test_the_choice_depends_on_the_data_alone() -> None:
    sides = leaderboard(3, 0)
    assert fit(sides) == fit(sides)
    turned = tuple(scores(side.values[:, ::-1].copy()) for side in sides)
    assert fit(turned) == pytest.approx(fit(sides), abs=0.25)  # type: ignore[arg-type]


def test_all_coefficients_at_once_have_the_bits_of_each_alone() -> None:
    """`compare` draws once for all coefficients."""
    truth, candidate = two_conditions(n=30)
    names, drawn = ["tau_b", "tau_ap_b", "pearson_rank", "spearman"], Resampling.of(1200, 5)
    together = cc.compare(
        truth, candidate, coefficients=names, interval=True, n_resamples=1200, rng=5, rank_test=None, worth=False
    )
    for value in together.values:
        alone = cc.correlate(truth, candidate, coefficient=value.coefficient, n_resamples=1200, rng=5)
        assert value.interval == alone.interval
        assert value.estimate is not None
        assert value.estimate.standard_error == alone.standard_error
    sides = truth.values, candidate.values
    for method in get_args(Method):
        each = limits(sides, [cc.get_coefficient(name) for name in names], method, 0.95, drawn)
        for found, name in zip(each, names, strict=True):
            assert found is not None
            alone = cc.correlate(truth, candidate, coefficient=name, method=method, n_resamples=1200, rng=5)
            assert found.interval(0.95) == alone.interval
            assert found.standard_error == alone.standard_error
