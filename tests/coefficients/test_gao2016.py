"""The theorems of gao2016 on Pearson rank, and what the first and the third of them should say."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc

from ..papers import script

FloatArray = npt.NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)


def descending(rng: np.random.Generator, m: int) -> FloatArray:
    """Scores from 1 to 0 with gaps of all sizes."""
    gaps = rng.exponential(size=m - 1) ** rng.uniform(0.3, 2) + 1e-3
    return np.asarray(np.concatenate([np.cumsum(gaps[::-1])[::-1], [0.0]]) / gaps.sum())


def swapped(x: FloatArray, i: int) -> FloatArray:
    """With items i and i + 1 exchanged, counted from 1."""
    y = x.copy()
    y[[i - 1, i]] = y[[i, i - 1]]
    return y


@given(seeds)
def test_theorem_1_the_range_and_its_ends(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.random(7), rng.random(7)
    assert -1 <= cc.pearson_rank(x, y) <= 1
    assert cc.pearson_rank(x, x) == pytest.approx(1, abs=1e-12)
    assert cc.pearson_rank(x, 1 - x) == pytest.approx(-1, abs=1e-12)
    parts = script("gao2016").cosines(np.sort(x)[::-1] - x.min(), y[np.argsort(-x)])
    assert cc.pearson_rank(x, y) == pytest.approx(sum(weight * cosine for weight, cosine in parts), abs=1e-12)


@given(seeds)
def test_theorem_1_does_not_hold_in_the_other_direction(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = descending(rng, 6)
    worst = np.append(x[:-1], rng.uniform(-5, 5))
    assert cc.pearson_rank(x, worst) == pytest.approx(1, abs=1e-12)  # scaled: the worst system has no part in it
    line = rng.uniform(0.1, 5) * (x + 0.1) + rng.uniform(-5, 5)
    parts = script("gao2016").cosines(x + 0.1, line)
    assert sum(weight * cosine for weight, cosine in parts) == pytest.approx(1, abs=1e-12)  # and without scaling


@given(seeds)
def test_theorem_2_a_swap_costs_more_near_the_head(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(4, 10))
    i, p = sorted(rng.choice(np.arange(1, m), 2, replace=False).tolist())
    gaps = rng.exponential(size=m - 1) + 0.01
    gaps[p - 1] = gaps[i - 1]  # the same gap at both places
    x = np.concatenate([np.cumsum(gaps[::-1])[::-1], [0.0]])
    assert cc.pearson_rank(x, swapped(x, i)) < cc.pearson_rank(x, swapped(x, p))


@given(seeds)
def test_theorem_3_as_it_is_proved_a_wider_gap_lowers_every_cosine(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(4, 9))
    i = int(rng.integers(1, m - 1))  # the lower one of the pair moves down, all others stay
    x = descending(rng, m)
    lower = x.copy()
    lower[i] = rng.uniform(x[i + 1], x[i])
    narrow, wide = (script("gao2016").cosines(z, swapped(z, i)) for z in (x, lower))
    for (_, before), (_, after) in zip(narrow, wide, strict=True):
        assert after <= before + 1e-12


def test_theorem_3_as_it_is_printed_is_false() -> None:
    """The value of rho_r is said to be inversely related to the gap; but the lower one's weight goes down with it."""
    near, far = (np.array([1.0, 0.95, low, 0.0]) for low in (0.8, 0.1))
    assert cc.pearson_rank(near, swapped(near, 2)) < cc.pearson_rank(far, swapped(far, 2)) - 0.3
