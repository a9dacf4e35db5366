"""How often the largest statistic of pairs reaches the observed ones, against the definition in a loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def literally(values: Any, base: Any, signs: Any, pairs: list[tuple[int, int, float, float]], ends: Any) -> list[int]:
    counts = [0] * len(pairs)
    for row in signs.tolist():
        sums: list[float] = []
        for c, column in enumerate(values.T.tolist()):
            own = sum(sign * value for sign, value in zip(row, column, strict=True))
            sums.append(own + (sums[base[c]] if base[c] >= 0 else 0))
        largest = 0.0
        for k, (first, second, scale, least) in enumerate(pairs):
            if k in ends:
                largest = 0.0
            largest = max(largest, abs(sums[first] - sums[second]) * scale)
            counts[k] += largest >= least
    return counts


@pytest.mark.parametrize("seed", range(6))
def test_counted_in_a_loop(seed: int, kernels: Any) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, (7, 6)) / 8.0  # sums are exact
    base = np.array([-1, 0, 0, -1, 2, 3])
    signs = rng.choice(np.array([-1, 1]), (50, 7))
    first, second = np.array([0, 1, 2, 4, 0, 3, 5]), np.array([1, 2, 3, 5, 4, 1, 2])
    ends = np.array([3, 4, 7])
    scale, least = rng.integers(1, 5, 7) / 4.0, rng.integers(1, 12, 7) / 8.0
    for begin, end in zip((0, *ends), ends, strict=False):
        least[begin:end].sort()
    out = np.full(7, np.nan)
    kernels.exceedances(values, base, signs, first, second, scale, least, ends, out)
    pairs = list(zip(first.tolist(), second.tolist(), scale.tolist(), least.tolist(), strict=True))
    assert out.tolist() == literally(values, base.tolist(), signs, pairs, ends.tolist())
