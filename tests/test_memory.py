"""Many topics do not take much memory: what is drawn for them is drawn in parts, with the same numbers."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant import arrays
from concordant.errors import LimitError
from concordant.inference import intervals


def sides(n: int, m: int) -> tuple[cc.Scores, cc.Scores]:
    rng = np.random.default_rng(5)
    truth = rng.random((n, m)) + np.linspace(0, 0.4, m)
    candidate = truth + rng.normal(0, 0.3, (n, m))
    topics, systems = [str(k) for k in range(n)], [f"s{k}" for k in range(m)]
    return cc.Scores(truth, topics, systems), cc.Scores(candidate, topics, systems)


CALLS: dict[str, Callable[[cc.Scores, cc.Scores], Any]] = {
    "posterior": lambda x, y: cc.expected_correlation(x, coefficient="tau_ap", n_resamples=300, rng=1).to_dict(),
    "halves with replacement": lambda x, y: cc.expected_correlation(x, estimator="sh(w)", rng=1).to_dict(),
    "halves without": lambda x, y: cc.expected_correlation(x, estimator="sh(w/o)", rng=1).to_dict(),
    "plan": lambda x, y: cc.plan_topics(x, target=0.7, n_resamples=300, most=9, rng=1).to_dict(),
    "rank test": lambda x, y: cc.rank_test(x, y.means(), n_resamples=300, rng=1).to_dict(),
    "rank intervals": lambda x, y: cc.rank_intervals(x, n_resamples=300, rng=1).to_dict(),
    "on threads": lambda x, y: cc.rank_intervals(x, n_resamples=300, rng=1, workers=3).to_dict(),
}


def numbers(found: Any) -> list[float]:
    """All numbers of a result, in their order."""
    if isinstance(found, dict):
        return [x for value in found.values() for x in numbers(value)]
    if isinstance(found, list):
        return [x for value in found for x in numbers(value)]
    return [found] if isinstance(found, float) else []


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("n", [14, 15])
def test_parts_give_the_same_numbers(kernels: Any, name: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = sides(n, 5)
    whole = numbers(CALLS[name](x, y))
    monkeypatch.setattr(arrays, "_AT_A_TIME", 9 * n)  # eight rows at a time
    # Not to the last bit: how a matrix product rounds may depend on its number of rows.
    assert numbers(CALLS[name](x, y)) == pytest.approx(whole, rel=1e-12)
    assert len(whole) > 0


# The bootstrap of `correlate`, of which some resamples at a time are enough here.
NESTED: dict[str, Callable[[cc.Scores, cc.Scores], Any]] = {
    "nested": lambda x, y: [len(w[0]) for w in intervals.nested_weights(len(x.topics), 20, np.random.default_rng(1))],
    "nested pairs": lambda x, y: [
        len(w[0]) for w in intervals.nested_weights(len(x.topics), 60, np.random.default_rng(1), inner=1, levels=2)
    ],
}


@pytest.mark.parametrize("name", [*CALLS, *NESTED])
def test_parts_bound_the_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = sides(20_000, 3)
    monkeypatch.setattr(arrays, "_AT_A_TIME", 2**18)  # 2 MB
    tracemalloc.start()
    try:
        {**CALLS, **NESTED}[name](x, y)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40e6  # as a whole, one array of 300 draws has 48 MB


def test_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_AT_A_TIME", 1000)
    given = [(10, 100), (10, 101), (100, 7), (100, 512), (300, 512), (10_000, 512)]
    assert [arrays.rows_at_a_time(*each) for each in given] == [100, 100, 7, 8, 4, 4]


def test_draws_that_take_too_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    x, _ = sides(5, 20)
    monkeypatch.setattr(arrays, "MAX_PAIRS_BYTES", 1_000_000)
    with pytest.raises(LimitError, match=r"1,500 draws hold up to 5 numbers for each of 20 systems, .*: lower n_res"):
        cc.plan_topics(x, n_resamples=1500)
    assert cc.expected_correlation(x, n_resamples=1500, rng=1).value > 0
