"""Edges, split halves, the posterior, plans, results and commands."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from scipy import stats
from scipy.optimize import brentq
from scipy.special import ndtr
from typer.testing import CliRunner

import concordant as cc
from concordant.cli.app import app
from concordant.coefficients.registry import get_coefficient
from concordant.data.means import mean_over_topics
from concordant.inference.posterior import draw, shrinkage
from concordant.planning import halves, more_topics

from ..conftest import NUMPY_IS_LONG
from . import literal
from .test_values import discordance

mpl.use("Agg")


def normal_collection(n: int, true: literal.FloatArray, rng: np.random.Generator) -> literal.FloatArray:
    return true + rng.normal(0, 0.1, (n, 1)) + rng.normal(0, 0.15, (n, len(true)))


@NUMPY_IS_LONG
@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("n", [2, 3, 5])
def test_no_nan_where_nothing_varies(n: int) -> None:
    same = np.full((n, 3), 0.5)
    constant = np.tile([0.3, 0.2, 0.1], (n, 1))
    for tau, tau_ap in cc.reliability(constant, rng=1).estimates.values():
        assert (tau, tau_ap) == (1.0, 1.0)
    found = cc.reliability(same, rng=1).estimates
    concordant = cc.reliability(same, identical="concordant", rng=1).estimates
    for name in ("ml", "msqd", "res", "kd"):
        assert found[name] == pytest.approx((0.0, 0.0))
        assert concordant[name] == (1.0, 1.0)
    assert found["sh(w)"] == found["sh(w/o)"] == (1.0, 1.0)  # a tie is not discordant
    mixed = np.column_stack([constant, constant[:, 1], np.random.default_rng(n).random(n)])
    assert all(math.isfinite(v) for pair in cc.reliability(mixed, rng=1).estimates.values() for v in pair)


def test_identical_systems_by_either_rule() -> None:
    values = np.random.default_rng(1).random((20, 3))
    values[:, 2] = values[:, 1]
    for rule, p in (("half", 0.5), ("concordant", 0.0)):
        found = discordance(values, "ml", rule).values
        order = np.argsort(-mean_over_topics(values), kind="stable").tolist()
        places = [order.index(name) for name in (1, 2)]
        assert found[min(places), max(places)] == p


@pytest.mark.parametrize("values", [[[0.1, 0.2]], [[0.1], [0.2]], [0.1, 0.2], [[0.1, math.nan], [0.2, 0.3]]])
@pytest.mark.parametrize(
    "function",
    [cc.expected_correlation, cc.reliability, cc.plan_topics],
)
def test_what_cannot_be_ranked_is_refused(function: Any, values: Any) -> None:
    with pytest.raises(cc.errors.InputError):
        function(values)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (cc.expected_correlation, {"estimator": "mle"}),
        (cc.expected_correlation, {"identical": "zero"}),
        (cc.expected_correlation, {"coefficient": "tau_b", "estimator": "msqd"}),
        (cc.expected_correlation, {"coefficient": "tau_c"}),
        (cc.expected_correlation, {"estimator": "posterior", "confidence_level": 95}),
        (cc.plan_topics, {"target": 1.0}),
        (cc.plan_topics, {"probability": 90}),
        (cc.plan_topics, {"most": 0}),
    ],
)
def test_wrong_arguments_are_named(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(cc.errors.InputError, match=list(arguments)[-1] + "|tau"):
        function(np.random.default_rng(1).random((5, 4)), **arguments)


@pytest.mark.usefixtures("kernels")
def test_shares_of_halves_against_a_loop() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random((30, 7)), rng.random((30, 7))
    a[10:], b[5:25] = np.round(a[10:] * 3), np.round(b[5:25] * 3)
    found = np.array(halves.discordant_shares(a, b)).T
    np.testing.assert_allclose(found, [literal.discordant_shares(x, y) for x, y in zip(a, b, strict=True)], atol=1e-12)


@pytest.mark.parametrize("replace", [True, False])
def test_split_half_against_a_loop(replace: bool) -> None:
    values = normal_collection(24, np.linspace(0, 0.4, 10), np.random.default_rng(2))
    estimator: Any = "sh(w)" if replace else "sh(w/o)"
    slow = [literal.split_half(values, replace, 25, np.random.default_rng(k)) for k in range(4)]
    for k, coefficient in enumerate(("tau", "tau_ap")):
        fast = [
            float(cc.expected_correlation(values, coefficient=coefficient, estimator=estimator, rng=s))
            for s in range(20)
        ]
        error = np.std(fast, ddof=1) * math.sqrt(4 / 4 + 1 / 20)  # the slow ones have a quarter of the splits
        assert abs(np.mean(fast) - np.mean([s[k] for s in slow])) < 4 * error


def test_the_posterior_of_two_systems_is_student() -> None:
    """Their means are not shrunk: the draws' difference is below 0 with the probability of Student's distribution."""
    values = normal_collection(8, np.array([0.1, 0.0]), np.random.default_rng(5))
    values = values[:, np.argsort(-values.mean(axis=0))]
    d = values[:, 0] - values[:, 1]
    p = stats.t.cdf(-math.sqrt(8) * d.mean() / d.std(ddof=1), 7)
    found = cc.expected_correlation(values, coefficient="tau", estimator="posterior", n_resamples=40_000, rng=1)
    assert float(found) == pytest.approx(1 - 2 * p, abs=0.02)


def test_draws_have_the_covariance_of_the_means() -> None:
    values = normal_collection(40, np.linspace(0, 0.2, 3), np.random.default_rng(6))  # of 3 systems, not shrunk
    drawn = draw(values, 100_000, np.random.default_rng(1), new=True)
    np.testing.assert_allclose(drawn.truth.mean(axis=0), values.mean(axis=0) - values.mean(), atol=1e-3)
    covariance = np.cov(values.T) * 39 / 37  # of a t distribution with 39 degrees of freedom
    np.testing.assert_allclose(np.cov(drawn.truth.T), covariance / 40, atol=3e-5)
    np.testing.assert_allclose(np.cov(drawn.error.T), covariance, rtol=0.05, atol=1e-3)


def test_shrinkage_finds_the_share_of_true_variance() -> None:
    rng = np.random.default_rng(7)
    found = [shrinkage(normal_collection(10, rng.normal(0, 0.06, 40), rng)) for _ in range(200)]
    assert np.mean(found) == pytest.approx(0.06**2 / (0.06**2 + 0.15**2 / 10), abs=0.03)


def test_shrinkage_against_a_sum_over_the_truncated_posterior() -> None:
    """K = 1 - E[B], B gamma distributed and cut off at 1; James and Stein's where the cut does not matter."""
    rng = np.random.default_rng(7)
    for m, spread in ((4, 0.02), (12, 0.01), (12, 0.2), (40, 0.0)):
        values = normal_collection(10, rng.normal(0, spread, m), rng)
        means = values.mean(axis=0)
        errors = values - means - (values - means).mean(axis=1, keepdims=True)
        ratio = means.var(ddof=1) / ((errors**2).sum() / (m * 10 * 9))
        b = (np.arange(200_000) + 0.5) / 200_000
        weight = b ** ((m - 3) / 2 - 1) * np.exp(-b * (m - 1) * ratio / 2)
        assert shrinkage(values) == pytest.approx(1 - (b * weight).sum() / weight.sum(), abs=2e-3)
        if spread == 0.2:
            assert shrinkage(values) == pytest.approx(1 - (m - 3) / (m - 1) / ratio, abs=1e-4)


def test_no_floor_says_that_systems_are_equal() -> None:
    """Where chance makes observed means closer than noise alone would, the order is still not called nothing."""
    rng = np.random.default_rng(7)
    values = normal_collection(10, np.zeros(15), rng)
    values -= 0.9 * (values.mean(axis=0) - values.mean())
    assert 2 / 14 <= shrinkage(values) < 0.2
    values -= values.mean(axis=0) * (1 - 1e-200)
    assert np.isfinite(shrinkage(values))


def test_intervals_hold_the_actual_correlation() -> None:
    rng, covered, error = np.random.default_rng(8), [], []
    for _ in range(150):
        true = rng.normal(0, 0.06, 20)
        values = normal_collection(15, true, rng)
        e = cc.expected_correlation(values, coefficient="tau", estimator="posterior", n_resamples=300, rng=rng)
        actual = float(cc.tau(true, mean_over_topics(values)))
        assert e.interval is not None
        covered.append(actual in e.interval)
        error.append(e.value - actual)
    assert np.mean(covered) > 0.9
    assert abs(np.mean(error)) < 0.03


def test_plan_predicts_what_more_topics_do() -> None:
    rng, error = np.random.default_rng(9), []
    for _ in range(60):
        true = rng.normal(0, 0.06, 20)
        plan = cc.plan_topics(
            normal_collection(15, true, rng), coefficient="tau", target=0.99, n_resamples=200, most=60, rng=rng
        )
        assert plan.topics[-1] == 60
        assert plan.n_topics is None
        new = np.stack([mean_over_topics(normal_collection(60, true, rng)) for _ in range(10)])
        error.append(float(plan.expected[-1]) - float(np.mean(cc.tau(true, new))))
    assert abs(np.mean(error)) < 0.03


@pytest.mark.parametrize("probability", [None, 0.8])
def test_plan_is_the_smallest_number_that_reaches_the_target(probability: float | None) -> None:
    values = cc.load_collection("people")
    plan = cc.plan_topics(values, coefficient="tau_ap", target=0.85, probability=probability, n_resamples=300, rng=2)
    assert plan.n_topics is not None
    drawn = draw(values.values, 300, np.random.default_rng(2), new=True)
    reached = []
    for n in (plan.n_topics - 1, plan.n_topics):
        found = np.asarray(cc.tau_ap(drawn.truth, drawn.truth + drawn.scale * drawn.error / math.sqrt(n)))
        reached.append(found.mean() >= 0.85 if probability is None else (found >= 0.85 - 1e-12).mean() >= probability)
    assert reached == [False, True]
    again = cc.plan_topics(
        values, coefficient="tau_ap", target=0.85, probability=probability, n_resamples=300, rng=2, workers=2
    )
    assert again.to_dict() == plan.to_dict()


def test_interval_of_a_plan_is_of_what_each_truth_needs() -> None:
    """For tau, a pair whose true means are d apart is in order with the probability Phi(sqrt(n) |d| / sd)."""
    values = cc.load_collection("people").values
    drawn = draw(values, 300, np.random.default_rng(4), new=True, vary=True)
    found = more_topics._needed(drawn, 8, get_coefficient("tau"), lambda v: v.mean(axis=0) >= 0.9, 10_000, 1)
    i, j = np.triu_indices(values.shape[1], 1)
    apart = np.abs(drawn.truth[:, i] - drawn.truth[:, j]) / (drawn.scale * (values[:, i] - values[:, j]).std(0, ddof=1))
    exact = np.array([brentq(lambda n, a=a: (2 * ndtr(math.sqrt(n) * a) - 1).mean() - 0.9, 1e-3, 1e9) for a in apart])
    exact = np.where(exact > 10_000, np.inf, exact)
    assert np.isinf(found).mean() == pytest.approx(np.isinf(exact).mean(), abs=0.02)
    both = np.isfinite(found) & np.isfinite(exact)
    off = np.log(found[both] / exact[both])
    assert np.abs(off.mean()) < 0.02
    assert off.std() < 0.2  # so few new errors leave half of the spread that the truths have
    plan = cc.plan_topics(values, n_resamples=2_000, rng=5)
    ends = np.quantile(exact, (0.025, 0.975))
    assert np.log([plan.interval.low, plan.interval.high]) == pytest.approx(np.log(ends), abs=0.2)
    assert f"(95% interval {plan.interval.low:.2g} to " in plan.verdict


def test_interval_holds_the_mean_where_nearly_all_draws_share_a_value() -> None:
    """Three systems, two of them tied: tau is 2/3 in nearly all draws, and less in a few."""
    rng = np.random.default_rng(1)
    values = np.column_stack([rng.normal(0, 0.1, 20), rng.normal(0, 0.1, 20), rng.normal(0.062, 0.1, 20)]).round(2)
    values[:, 1] += values[:, 0].mean() - values[:, 1].mean()
    found = cc.expected_correlation(values, rng=1)
    assert found.interval is not None
    assert found.interval.low <= found.value <= found.interval.high
    apart = values + np.array([0, 0, 0.04])
    found = cc.expected_correlation(apart, rng=1)
    drawn = draw(apart, 2_000, np.random.default_rng(1))
    shares = np.asarray(cc.tau_a(drawn.truth, mean_over_topics(apart)))
    assert found.interval is not None
    assert (found.value, np.quantile(shares, 0.025)) == pytest.approx((shares.mean(), 2 / 3))
    assert found.value < 2 / 3
    assert found.interval.low == found.value


def test_more_is_known_of_a_plan_from_more_topics() -> None:
    rng, true = np.random.default_rng(3), np.random.default_rng(2).normal(0, 0.06, 20)
    spans = [cc.plan_topics(normal_collection(n, true, rng), target=0.8, rng=1).interval for n in (10, 30, 90)]
    widths = [math.log(span.high / span.low) for span in spans]
    assert widths[0] > 1.3 * widths[1] > 1.3**2 * widths[2]


def test_results_print_and_convert() -> None:
    people = cc.load_collection("people")
    plan = cc.plan_topics(people, rng=1, n_resamples=100)
    results: list[Any] = [cc.reliability(people, rng=1), plan, cc.expected_correlation(people, rng=1)]
    for result in results:
        json.dumps(result.to_dict(), allow_nan=False)
        assert len(result.to_frame())
        assert str(result)
    for result in results[1:]:
        assert result.plot() is not None
    pyplot.close("all")
    assert "10 topics are not enough" in str(cc.plan_topics(people, most=10, rng=1, n_resamples=100))
    assert float(results[-1]) == cc.reliability(people, rng=1).tau


def test_commands(tmp_path: Path) -> None:
    people = cc.load_collection("people")
    file = tmp_path / "scores.csv"
    people.to_frame().to_csv(file)
    run = CliRunner().invoke
    table = run(app, ["plan", str(file), "--all"])
    assert table.exit_code == 0, table.output
    assert cc.reliability(people, rng=0).table() in table.output
    _, found, tau, _ = json.loads(run(app, ["plan", str(file), "--all", "-f", "json"]).stdout)
    assert tau["value"] == cc.expected_correlation(people, estimator="posterior", rng=0).value
    assert found["estimates"]["posterior"]["tau"] == cc.reliability(people, rng=0).tau
    plan = json.loads(run(app, ["plan", str(file), "--target", "0.9", "-f", "json"]).stdout)
    assert plan["n_topics"] == cc.plan_topics(people, rng=0).n_topics
    assert run(app, ["plan", str(file), "--probability", "0.9", "-c", "tau_ap", "-f", "csv"]).stdout.startswith(
        "topics,"
    )


def test_systems_that_differ_by_rounding_are_identical() -> None:
    scores = np.random.default_rng(0).random((20, 4)).round(2)
    twice = np.column_stack([scores, scores[:, 0]])
    rounded = np.column_stack([scores, scores[:, 0] + 0.1 + 0.2 - 0.3])
    assert (twice != rounded).any()
    for name in ("tau", "tau_ap", "tau_gap", "tau_b", "spearman", "pearson_rank"):
        found, expected = (cc.expected_correlation(x, coefficient=name, rng=1) for x in (rounded, twice))
        assert found.value == pytest.approx(expected.value, abs=1e-12)
    for estimator in ("ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)"):
        found, expected = (
            cc.expected_correlation(x, coefficient="tau", estimator=estimator, rng=1) for x in (rounded, twice)
        )
        assert found.value == pytest.approx(expected.value, abs=1e-12)
    plan, same = (cc.plan_topics(x, n_resamples=200, rng=1) for x in (rounded, twice))
    np.testing.assert_allclose(plan.expected, same.expected, rtol=1e-12)
    # On every topic 0.1 + 0.2 beside 0.3: nothing is random, and the tied pair of six counts one half.
    certain = np.tile([0.1 + 0.2, 0.3, 0.7, 0.8], (10, 1)) + np.linspace(0, 0.1, 10)[:, None]
    assert cc.expected_correlation(certain, rng=1).value == pytest.approx(5 / 6)


def test_no_number_of_topics_tells_identical_systems_apart() -> None:
    values = np.repeat(np.random.default_rng(1).random((12, 1)), 5, axis=1)
    plan = cc.plan_topics(values, target=0.5, rng=1)
    assert plan.n_topics is None
    assert np.abs(plan.expected).max() < 0.1
    values[:, :3] = np.random.default_rng(2).random((12, 3))  # one pair of ten is identical: tau is 0.9 at most
    assert cc.plan_topics(values, target=0.91, rng=1, n_resamples=4_000).n_topics is None
    assert 0.85 < cc.plan_topics(values, target=0.91, rng=1, n_resamples=4_000).expected[-1] < 0.91
