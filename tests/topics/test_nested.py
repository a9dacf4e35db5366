"""The three levels of resamples, against a slow version in plain loops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import concordant as cc
from concordant.arrays import IntArray
from concordant.topics.nested import nested_values, nested_weights
from tests import literal

COEFFICIENTS: dict[str, Callable[..., float]] = {
    "tau_b": literal.tau_b,
    "tau_ap_b": lambda t, o: (literal.tau_ap_ties(t, o) + literal.tau_ap_ties(o, t)) / 2,
    "pearson_rank": literal.pearson_rank,
}


def tenths(seed: int, n: int, m: int) -> tuple[IntArray, IntArray]:
    """Scores in whole tenths: sums are exact in integers, means of 8 topics in decimals; many resampled means tie."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 11, (n, m))
    return x, np.clip(x + rng.integers(-3, 4, (n, m)), 0, 10)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_values_on_all_levels_by_plain_loops(name: str) -> None:
    x, y = tenths(1, 8, 6)
    outer, inner = 5, 3
    found = nested_values(
        (x / 10, y / 10),
        lambda means: np.asarray(cc.get_coefficient(name).function(*means)),
        outer * (1 + 2 * inner),
        np.random.default_rng(2),
        inner=inner,
    )
    f = COEFFICIENTS[name]

    def value(topics: list[int]) -> float:
        return f(*([int(total) for total in side[topics].sum(axis=0)] for side in (x, y)))

    def drawn(weights: IntArray) -> list[int]:
        return [i for i, count in enumerate(weights) for _ in range(count)]

    ((_, (first, second, third)),) = nested_weights(8, outer, np.random.default_rng(2), inner=inner)
    assert found.sample == pytest.approx([value(list(range(8)))], abs=1e-12)
    for b in range(outer):
        assert found.first[0, b] == pytest.approx(value(drawn(first[b])), abs=1e-12)
        for k in range(inner):
            assert found.second[0, b, k] == pytest.approx(value(drawn(second[b * inner + k])), abs=1e-12)
            assert found.third[0, b, k] == pytest.approx(value(drawn(third[b * inner + k])), abs=1e-12)


def test_a_level_draws_only_what_the_one_above_drew() -> None:
    n, inner = 12, 4
    for _, (first, second, third) in nested_weights(n, 300, np.random.default_rng(0), inner=inner):
        assert (first.sum(axis=1) == n).all()
        assert (second.sum(axis=1) == n).all()
        assert (third.sum(axis=1) == n).all()
        assert (np.repeat(first, inner, axis=0)[second > 0] > 0).all()
        assert (second[third > 0] > 0).all()


def test_noise_adds_up_from_level_to_level() -> None:
    """As gene frequencies drift: after k rounds a count has variance (n - 1)(1 - (1 - 1/n)^k)."""
    n = 20
    blocks = [weights for _, weights in nested_weights(n, 4000, np.random.default_rng(1))]
    for k in range(3):
        counts = np.concatenate([levels[k] for levels in blocks])
        assert counts.mean() == 1
        assert counts.var() == pytest.approx((n - 1) * (1 - (1 - 1 / n) ** (k + 1)), rel=0.03)
