"""_expected_tau_gap against its definition: all orders, all counts of items above, or random orders."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant.arrays import FloatArray
from concordant.coefficients import gap
from concordant.coefficients.gap import _expected_tau_gap

from ..examples import share

TOLERANCE = 1e-12  # asked for: 1e-9


def tau_gap_of_order(truth: Sequence[Fraction]) -> Fraction:
    """The definition, on exact numbers, best candidate first."""
    shares = []
    for i in range(1, len(truth)):
        gaps = [above - truth[i] for above in truth[:i]]
        if any(gaps):
            shares.append(sum(g for g in gaps if g > 0) / sum(map(abs, gaps), Fraction(0)))
    return 2 * sum(shares, Fraction(0)) / len(shares) - 1


def tied_groups(truth: FloatArray, candidate: FloatArray) -> list[list[Fraction]]:
    levels = sorted(set(candidate.tolist()), reverse=True)
    return [[Fraction(x) for x in truth[candidate == level].tolist()] for level in levels]


def tau_gap_of_all_orders(truth: FloatArray, candidate: FloatArray) -> Iterator[Fraction]:
    """One value for each order of the tied items; those that differ in equal truths only, too."""
    known: dict[tuple[Fraction, ...], Fraction] = {}
    for parts in itertools.product(*(list(itertools.permutations(g)) for g in tied_groups(truth, candidate))):
        order = tuple(itertools.chain.from_iterable(parts))
        if order not in known:
            known[order] = tau_gap_of_order(order)
        yield known[order]


def mean_of_all_orders(truth: FloatArray, candidate: FloatArray) -> float:
    values = list(tau_gap_of_all_orders(truth, candidate))
    return float(sum(values) / len(values))


def random_case(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Two to seven items; truths with many, few or no ties and of mixed size; not all truths equal."""
    m = int(rng.integers(2, 8))
    kind = rng.integers(4)
    if kind == 0:
        truth = rng.integers(0, 2, m).astype(np.float64)
    elif kind == 1:
        truth = rng.integers(0, 5, m).astype(np.float64)
    elif kind == 2:
        truth = rng.normal(size=m)
    else:
        truth = rng.choice([1.0, -1.0], m) * 10.0 ** rng.integers(-14, 3, m)
    if (truth == truth[0]).all():
        truth[rng.integers(m)] += 1.0
    candidate = rng.integers(0, rng.integers(1, 5), m).astype(np.float64)
    if rng.random() < 0.4:  # equal truths gather in the first groups
        truth, candidate = np.sort(truth)[::-1].copy(), np.sort(candidate)[::-1].copy()
    return truth, candidate


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_is_the_mean_over_all_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(50):
        truth, candidate = random_case(rng)
        expected = mean_of_all_orders(truth, candidate)
        assert abs(_expected_tau_gap(truth, candidate) - expected) < TOLERANCE, (truth, candidate)


@pytest.mark.parametrize(
    ("truth", "candidate"),
    [
        ([1, 0], [0, 0]),
        ([1, 1, 0], [0, 0, 0]),
        ([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]),  # K from 1 to 5
        ([2, 2, 2, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0]),
        ([3, 3, 3, 1, 5, 2], [2, 1, 0, 0, 0, 0]),  # one value above, again and not alone in the mixed group
        ([3, 3, 3, 3, 1, 9, 4], [2, 2, 1, 1, 1, 1, 0]),
        ([3, 3, 1, 1, 5, 5, 3], [2, 2, 1, 1, 1, 1, 0]),  # one value above, not in the mixed group: K = 5
        ([3, 3, 3, 1, 1, 1], [2, 2, 2, 1, 1, 1]),
        ([5, 4, 4, 4, 4, 4], [1, 0, 0, 0, 0, 0]),
        ([4, 4, 4, 9, 9, 4, 4], [3, 2, 2, 1, 1, 1, 0]),
    ],
)
def test_every_kind_of_start(truth: list[float], candidate: list[float]) -> None:
    for sign in (1.0, -1.0):
        x, y = sign * np.asarray(truth, float), np.asarray(candidate, float)
        assert abs(_expected_tau_gap(x, y) - mean_of_all_orders(x, y)) < TOLERANCE


def test_by_hand() -> None:
    # 1 1 0: one share, 1. 1 0 1: 1 and 0. 0 1 1: 0 and 0. The means of the shares are 1, 1/2, 0.
    assert _expected_tau_gap(np.array([1.0, 1.0, 0.0]), np.zeros(3)) == pytest.approx(0.0, abs=TOLERANCE)
    # 2 above 0 and 1 in either order: 1 and 1/2, or 1 and 1.
    candidate = np.array([1.0, 0.0, 0.0])
    expected = 2 * (3 / 4 + 1) / 2 - 1
    assert _expected_tau_gap(np.array([2.0, 0.0, 1.0]), candidate) == pytest.approx(expected, abs=TOLERANCE)


def test_without_ties_it_is_tau_gap() -> None:
    rng = np.random.default_rng(5)
    for m in (2, 3, 10, 40):
        truth = rng.integers(0, m, m).astype(np.float64)
        truth[0] = -1.0
        candidate = rng.permutation(m).astype(np.float64)
        order = [Fraction(x) for x in truth[np.argsort(-candidate)].tolist()]
        assert _expected_tau_gap(truth, candidate) == pytest.approx(float(tau_gap_of_order(order)), abs=1e-14)
    ramp = np.arange(50.0)
    assert _expected_tau_gap(ramp, ramp) == 1.0
    assert _expected_tau_gap(ramp, -ramp) == -1.0


def test_nan_if_all_of_truth_is_tied() -> None:
    assert math.isnan(_expected_tau_gap(np.full(4, 0.1), np.array([1.0, 2.0, 2.0, 3.0])))
    assert math.isnan(_expected_tau_gap(np.array([0.0, -0.0]), np.zeros(2)))


def test_signed_zeros_are_ties() -> None:
    truth, candidate = np.array([3.0, 1.0, 2.0]), np.array([0.0, -0.0, 0.0])
    assert _expected_tau_gap(truth, candidate) == _expected_tau_gap(truth, np.zeros(3))


def test_the_order_of_the_input_does_not_matter() -> None:
    rng = np.random.default_rng(11)
    truth, candidate = np.round(rng.normal(size=30), 1), rng.integers(0, 4, 30).astype(np.float64)
    expected = _expected_tau_gap(truth, candidate)
    for _ in range(5):
        p = rng.permutation(30)
        assert _expected_tau_gap(truth[p], candidate[p]) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("exponent", [-1060, -1000, -300, 1, 300, 1000])
def test_scaling_the_truth_changes_no_bit(exponent: int) -> None:
    rng = np.random.default_rng(2)
    truth, candidate = rng.integers(-9, 9, 25).astype(np.float64), rng.integers(0, 4, 25).astype(np.float64)
    assert _expected_tau_gap(np.ldexp(truth, exponent), candidate) == _expected_tau_gap(truth, candidate)


def test_shifting_or_stretching_the_truth_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    truth, candidate = rng.integers(-9, 9, 25).astype(np.float64), rng.integers(0, 4, 25).astype(np.float64)
    expected = _expected_tau_gap(truth, candidate)
    assert _expected_tau_gap(truth + 1e6, candidate) == pytest.approx(expected, abs=1e-13)
    assert _expected_tau_gap(truth * 3.0, candidate) == pytest.approx(expected, abs=1e-13)
    assert _expected_tau_gap(truth, np.exp(candidate)) == expected


@pytest.mark.parametrize(
    "truth",
    [
        [0.0, 1e-12, 1.0, 1.0 + 1e-12, 2.0],
        [0.0, 1e-300, 1.0, 2.0, 1e300],
        [0.0, 1e-300, 1e-300, 1.0, 1e300, 1e300],
        [1.7e308, -1.7e308, 1.7e308, 0.0, 1e-300],
        [5e-324, 0.0, 1e-323, 1e-323],
        [1e-300, 2e-300, 4e-300, 4e-300],
        [1e300, 2e300, 4e300, 4e300],
    ],
)
def test_gaps_of_very_different_size(truth: list[float]) -> None:
    x = np.array(truth)
    place = np.arange(len(x))
    for groups in (0 * place, place // 2, -place // 3):
        candidate = groups.astype(np.float64)
        assert abs(_expected_tau_gap(x, candidate) - mean_of_all_orders(x, candidate)) < TOLERANCE


@share(0.5)
@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False), st.integers(0, 2)),
        min_size=2,
        max_size=5,
    )
)
def test_any_finite_floats(items: list[tuple[float, int]]) -> None:
    truth, candidate = np.array([x for x, _ in items]), np.array([float(y) for _, y in items])
    if (truth != truth[0]).any():
        with np.errstate(all="raise"):
            actual = _expected_tau_gap(truth, candidate)
        assert abs(actual - mean_of_all_orders(truth, candidate)) < TOLERANCE


def mean_by_counts(above: FloatArray, values: FloatArray, counts: FloatArray) -> float:
    """The mean for `above`, all of one value or empty, and one tied group with two values or more below it.

    Adds up over all (how many of each value are placed, the value of the next item): what is placed is in
    random order, and its first items decide about K.
    """
    lead, m, size = len(above), len(above) + int(counts.sum()), int(counts.sum())
    placed = np.indices(tuple(int(c) + 1 for c in counts)).reshape(len(counts), -1).astype(np.float64)[:, :-1]
    n = placed.sum(axis=0)
    ways = np.ones_like(n)
    for count, k in zip(counts, placed, strict=True):
        ways *= np.array([math.comb(int(count), j) for j in range(int(count) + 1)], float)[k.astype(int)]
    chance = ways / np.array([math.comb(size, j) for j in range(size + 1)], float)[n.astype(int)]
    inverse_k = mean_inverse_k(placed, values, above, m)
    total = 0.0
    for j, value in enumerate(values):
        better, worse = np.maximum(values - value, 0.0), np.maximum(value - values, 0.0)
        concordant = better @ placed + np.maximum(above - value, 0.0).sum()
        gaps = concordant + worse @ placed + np.maximum(value - above, 0.0).sum()
        share = np.divide(concordant, gaps, out=np.zeros_like(gaps), where=gaps > 0)
        total += float(np.sum(chance * (counts[j] - placed[j]) / (size - n) * share * inverse_k))
    assert lead == 0 or (above == above[0]).all()
    return 2 * total - 1


def mean_inverse_k(placed: FloatArray, values: FloatArray, above: FloatArray, m: int) -> FloatArray:
    """Mean of 1/(m - L) from the chance of each L, by what is placed; rows as in `mean_by_counts`."""
    n = placed.sum(axis=0)
    lead = len(above)
    mean: FloatArray = np.zeros_like(n)
    for value, k in zip(values, placed, strict=True):
        if lead and value != above[0]:
            continue
        start = np.ones_like(n)  # the chance that the first r are of this value
        for r in range(int(k.max()) + 1):
            left = np.maximum(n - r, 1.0)
            if r or lead:
                alone = (k == n) & (k == r)
                mean += start * np.where(alone, 1.0, (n - k) / left) * (k >= r) / (m - lead - r)
            start = start * np.maximum(k - r, 0.0) / left
    if lead and above[0] not in values:
        mean += 1.0 / (m - lead)
    return mean


@pytest.mark.parametrize(
    ("counts", "above"),
    [
        ([1] * 14, []),
        ([1] * 14, [0.4, 0.4, 0.4]),  # not a value of the group
        ([2] * 8, []),
        ([2, 1, 3, 1, 1, 2, 1, 1], []),
        ([60, 60], []),
        ([1, 99], []),
        ([20, 25, 30], []),
        ([20, 25, 30], [1.0, 1.0]),  # the middle value
        ([8, 7, 9, 10], [1.0]),
        ([300, 200], [1.0]),
        ([400, 2, 1], []),
    ],
)
def test_larger_groups(counts: list[int], above: list[float]) -> None:
    rng = np.random.default_rng(17)
    values = np.append(np.sort(rng.normal(size=len(counts) - 1)), 3.0)
    values[len(counts) // 2] = 1.0
    first = np.array(above)
    truth = np.append(first, np.repeat(values, counts))
    candidate = np.append(np.ones(len(first)), np.zeros(sum(counts)))
    expected = mean_by_counts(first, values, np.array(counts, dtype=np.float64))
    assert abs(_expected_tau_gap(truth, candidate) - expected) < 1e-11


def test_the_oracle_of_larger_groups_agrees_with_all_orders() -> None:
    for above in ([], [1.0], [1.0, 1.0], [7.0]):
        first, values, counts = np.array(above), np.array([0.0, 1.0, 3.0]), [1, 2, 2]
        truth = np.append(first, np.repeat(values, counts))
        candidate = np.append(np.ones(len(first)), np.zeros(5))
        by_counts = mean_by_counts(first, values, np.array(counts, dtype=np.float64))
        assert by_counts == pytest.approx(mean_of_all_orders(truth, candidate), abs=1e-14)


@pytest.mark.long
def test_fewer_nodes_for_large_groups_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(23)
    cases = [rng.normal(size=120), 10.0 ** rng.uniform(-12, 0, 120), np.round(3 * rng.normal(size=300))]
    actual = [_expected_tau_gap(truth, np.zeros(len(truth))) for truth in cases]

    def exact_nodes(degree: int) -> tuple[FloatArray, FloatArray]:
        nodes, weights = np.polynomial.legendre.leggauss(degree // 2 + 1)
        return (nodes + 1.0) / 2.0, weights / 2.0

    monkeypatch.setattr(gap, "_nodes_of_u", exact_nodes)
    for truth, value in zip(cases, actual, strict=True):
        assert abs(_expected_tau_gap(truth, np.zeros(len(truth))) - value) < 1e-11


@pytest.mark.parametrize("decimals", [0, 1, 15])
def test_random_orders_of_several_groups(decimals: int) -> None:
    rng = np.random.default_rng(29 + decimals)
    truth = np.round(rng.normal(size=50), decimals)
    candidate = np.round(truth + rng.normal(size=50))
    n_orders = 20_000
    order = np.lexsort((rng.random((n_orders, 50)), np.broadcast_to(-candidate, (n_orders, 50))))
    x = truth[order]
    shares, k = np.zeros(n_orders), np.zeros(n_orders)
    for i in range(1, 50):
        up = x[:, :i] - x[:, i : i + 1]
        gaps = np.abs(up).sum(axis=1)
        shares += np.divide(np.maximum(up, 0.0).sum(axis=1), gaps, out=np.zeros(n_orders), where=gaps > 0)
        k += gaps > 0
    values = 2 * shares / k - 1
    standard_error = float(values.std()) / math.sqrt(n_orders)
    assert abs(_expected_tau_gap(truth, candidate) - float(values.mean())) < 4 * standard_error


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_sorted_groups_give_the_bounds(seed: int) -> None:
    """The least and the greatest tau_gap: each tied group sorted by the truth; ties in the truth included."""
    rng = np.random.default_rng(100 + seed)
    for _ in range(50):
        truth, candidate = random_case(rng)
        values = list(tau_gap_of_all_orders(truth, candidate))
        groups = tied_groups(truth, candidate)
        assert tau_gap_of_order([x for g in groups for x in sorted(g)]) == min(values)
        assert tau_gap_of_order([x for g in groups for x in sorted(g, reverse=True)]) == max(values)
        assert min(values) - TOLERANCE <= _expected_tau_gap(truth, candidate) <= max(values) + TOLERANCE


def test_nodes_in_small_chunks_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(31)
    truth, candidate = rng.normal(size=60), rng.integers(0, 3, 60).astype(np.float64)
    whole = _expected_tau_gap(truth, candidate)
    for chunk in (1, 1 << 10):
        monkeypatch.setattr(gap, "_CHUNK", chunk)
        assert _expected_tau_gap(truth, candidate) == pytest.approx(whole, abs=1e-13)
