"""The theorems of yilmaz2008 on AP correlation, and what the second of them should say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..papers import script


def expectations(right: list[float]) -> tuple[float, float]:
    """Expected tau and tau_ap where a system at place i is right about each one above with probability right[i - 2]."""
    tau, tau_ap = script("yilmaz2008").expectations(tuple(right))
    return float(tau), float(tau_ap)


probability = st.floats(0, 1)


@given(probability, st.integers(2, 6))
@settings(max_examples=15)
def test_theorem_1_errors_alike_everywhere_make_tau_and_tau_ap_equal(p: float, m: int) -> None:
    tau, tau_ap = expectations([p] * (m - 1))
    assert tau == pytest.approx(2 * p - 1, abs=1e-12)
    assert tau_ap == pytest.approx(2 * p - 1, abs=1e-12)


@given(st.lists(probability, min_size=2, max_size=4))
@settings(max_examples=25)
def test_theorem_2_as_it_is_proved(p: list[float]) -> None:
    tau, tau_ap = expectations(sorted(p, reverse=True))  # errors increase with rank
    assert tau_ap >= tau - 1e-12
    assert tau_ap > tau or max(p) - min(p) < 1e-6
    tau, tau_ap = expectations(sorted(p))  # errors decrease with rank
    assert tau_ap <= tau + 1e-12
    assert tau_ap < tau or max(p) - min(p) < 1e-6


def test_theorem_2_as_it_is_printed_is_false() -> None:
    """Its second sentence: errors that decrease with rank make tau less than tau_ap."""
    tau, tau_ap = expectations([0.6, 0.7, 0.8, 0.9])
    assert tau > tau_ap + 0.05


def test_the_converse_of_theorem_2_is_false() -> None:
    p = [0.9, 0.6, 0.95, 0.6]
    tau, tau_ap = expectations(p)
    assert tau_ap > tau + 0.02
    assert sorted(p) != p != sorted(p, reverse=True)
