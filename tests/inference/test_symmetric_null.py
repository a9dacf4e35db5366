"""The symmetric tau_ap of random rankings: its mean is 0, but it is neither symmetric nor a sum over places."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

import concordant as cc

from ..papers import script


@pytest.mark.parametrize("m", [3, 4, 5, 6])
def test_the_mean_is_zero_and_the_distribution_lopsided(m: int) -> None:
    values = script("yilmaz2008").symmetric_null(m)
    assert len(values) == len(list(permutations(range(m))))
    assert values.mean() == pytest.approx(0, abs=1e-12)
    assert not np.allclose(np.sort(values), np.sort(-values), atol=1e-3)
    one_way = np.asarray(cc.tau_ap(np.arange(m, 0, -1.0), np.array(list(permutations(range(m))), dtype=float)))
    np.testing.assert_allclose(np.sort(one_way), np.sort(-one_way), atol=1e-12)


def is_product(values: list[int], parts: int) -> bool:
    """Whether the values are those of a + b, a from `parts` numbers and b from the others' count, each pair once."""
    rest = len(values) // parts
    low = min(values)
    for others in combinations(sorted(values)[1:], parts - 1):
        first = [0, *(value - low for value in others)]
        left = sorted(values)
        second = []
        while left:  # the least one left belongs to the least of the first
            base = left[0]
            second.append(base)
            try:
                for step in first:
                    left.remove(base + step)
            except ValueError:
                break
        else:
            return len(second) == rest
    return False


def test_three_systems_are_no_sum_of_independent_places() -> None:
    values = np.rint(4 * (script("yilmaz2008").symmetric_null(3) + 1)).astype(int).tolist()
    assert sorted(values) == [0, 3, 3, 4, 6, 8]
    assert not is_product(values, 2)
    assert not is_product(values, 3)
    one_way = np.asarray(cc.tau_ap(np.arange(3, 0, -1.0), np.array(list(permutations(range(3))), dtype=float)))
    assert is_product(np.rint(4 * (one_way + 1)).astype(int).tolist(), 2)  # what the check would find
