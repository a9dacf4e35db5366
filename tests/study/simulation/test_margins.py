"""The tables of quantiles against a root finder on the distribution function itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import ndtr

from concordant.study import simulation as margins

from . import literal

FloatArray = npt.NDArray[np.float64]


def inverse(observed: FloatArray, h: float, z: float) -> float:
    """F^-1(Phi(z)) by a root finder; the upper half from the upper tail."""
    lo, hi = observed.min() - 12 * h, observed.max() + 12 * h
    if z < 0:
        return float(brentq(lambda x: ndtr((x - observed) / h).mean() - ndtr(z), lo, hi, xtol=1e-14))
    return float(brentq(lambda x: ndtr(-z) - ndtr((observed - x) / h).mean(), lo, hi, xtol=1e-14))


def observations() -> dict[str, FloatArray]:
    rng = np.random.default_rng(3)
    return {
        "normal": rng.normal(size=50),
        "heavy tails": rng.standard_t(2, size=50),
        "skewed": rng.lognormal(size=249),
        "two values": np.repeat([0.0, 1.0], 20),
        "an outlier": np.append(1e-3 * rng.normal(size=49), 7.0),
        "nearly all equal": np.append(np.zeros(899), 1.0),
        "two topics": np.array([-0.3, 0.3]),
        "far apart": np.append(rng.normal(size=400), [30.0, 31.0]),  # F stands still between, in floating point
    }


@pytest.mark.long
@pytest.mark.parametrize("name", observations())
def test_a_table_is_the_inverse_of_the_smoothed_distribution_function(name: str) -> None:
    observed = observations()[name]
    sd = observed.std(ddof=1)
    h = margins.bandwidth(observed, sd)
    z = np.concatenate([np.random.default_rng(1).normal(size=300), np.linspace(-6, 6, 101)])
    found = margins.smooth(observed, sd)(z)
    wanted = np.array([inverse(observed, h, deviate) for deviate in z])
    # In probability everywhere; in scores, too, except in the middle of a gap, where the last bit of F decides.
    np.testing.assert_allclose(
        [ndtr((x - observed) / h).mean() for x in found], [ndtr((x - observed) / h).mean() for x in wanted], atol=2e-7
    )
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-5 * h)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=30).filter(lambda x: np.std(x) > 1e-3))
def test_quantiles_increase_and_spread_by_the_bandwidth(values: list[float]) -> None:
    observed = np.array(values) - np.mean(values)
    sd = float(observed.std(ddof=1))
    margin = margins.smooth(observed, sd)
    z = np.linspace(-9, 9, 20_001)
    x = margin(z)
    assert (np.diff(x) >= 0).all()
    weights = np.exp(-0.5 * z * z)
    weights /= weights.sum()
    variance = observed.var() + margins.bandwidth(observed, sd) ** 2  # of a mixture of normals
    assert abs(weights @ x) < 1e-3 * sd
    assert weights @ x**2 == pytest.approx(variance, rel=2e-3)


@pytest.mark.long
@pytest.mark.parametrize("name", observations())
def test_the_bandwidth_is_the_two_stage_plug_in(name: str) -> None:
    observed = observations()[name]
    sd = float(observed.std(ddof=1))
    least = 0.1 * sd * (4 / len(observed)) ** (1 / 3)
    assert margins.bandwidth(observed, sd) == pytest.approx(max(literal.bandwidth(observed), least), rel=1e-12)
    assert (literal.bandwidth(observed) < least) == (name == "nearly all equal")


def test_the_bandwidth_of_a_normal_sample_is_the_best_one_for_a_normal_distribution() -> None:
    samples = np.random.default_rng(8).normal(size=(40, 400))
    found = np.mean([margins.bandwidth(x, float(x.std(ddof=1))) for x in samples])
    assert found == pytest.approx((4 / 400) ** (1 / 3), rel=0.02)


def test_simple_margins() -> None:
    z = np.array([-50.0, -3.0, 0.0, 2.5])
    assert margins.constant()(z).tolist() == [0.0] * 4
