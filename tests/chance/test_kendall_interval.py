"""Kendall's interval over systems."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc


def test_the_papers_example() -> None:
    interval = cc.kendall_interval(0.9, 25)
    assert (interval.low, interval.high) == pytest.approx((0.389, 0.987), abs=6e-4)
    assert interval.confidence_level == 0.95
    assert "systems" in interval.method


@given(st.floats(-1, 1), st.integers(2, 10_000), st.floats(0.5, 0.999))
def test_its_ends_solve_the_quadratic(tau: float, m: int, level: float) -> None:
    """|tau - t| = z sqrt(2 (1 - t^2) / m): the largest variance that tau can have, at either end t."""
    from scipy.stats import norm

    interval = cc.kendall_interval(tau, m, level)
    z = norm.ppf((1 + level) / 2)
    assert -1 <= interval.low <= interval.high <= 1
    for end in (interval.low, interval.high):
        assert (tau - end) ** 2 == pytest.approx(2 * z**2 / m * (1 - end**2), abs=1e-9)
    mirrored = cc.kendall_interval(-tau, m, level)
    assert (mirrored.low, mirrored.high) == pytest.approx((-interval.high, -interval.low), abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((1.2, 25), "tau is 1.2"),
        ((math.nan, 25), "tau is nan"),
        (("high", 25), "tau is 'high'"),
        ((0.9, 1), "m is 1"),
        ((0.9, 2.5), "m is 2.5"),
        ((0.9, 25, 1.0), "confidence_level is 1.0"),
        ((0.9, 25, 95), "confidence_level is 95"),
    ],
)
def test_what_is_refused(arguments: Any, match: str) -> None:
    with pytest.raises(cc.errors.InputError, match=match):
        cc.kendall_interval(*arguments)
