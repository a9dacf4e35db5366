"""tau_gap: AP correlation that weights each pair of systems by the difference of their truth scores.

`tau_gap_a` is the exact mean of tau_gap over all orders of the items tied in `candidate`; the truth may have ties, too.

In one order, D_i is the sum of |truth_j - truth_i| over the items j above i, and N_i is the part of this sum with
truth_j > truth_i. tau_gap is 2/K * sum_i N_i/D_i - 1 over the K positions with D_i > 0; if 0/0 counts as 0, the
sum may run over all positions.

Consider one item of a tied group. The groups above it give D and N the constant parts D0 and N0. Its own group
is shuffled: give each member a uniformly random place in (0, 1). If the item has place u, each other member is above it
independently with probability u. And 1/D is the integral of exp(-sD) over s > 0. Let g_j be the gap to
another member j, and e_j = exp(-s g_j). The mean of exp(-s times j's part of D) is f_j = 1 - u + u e_j. So

    E[N/D] = int_0^1 du int_0^inf ds exp(-s D0) prod_j f_j (N0 + sum_{j better} g_j u e_j/f_j).

Members with equal truth scores share a factor, so the cost grows with the number of distinct truth scores.

Gauss-Legendre quadrature gives the integral over u. The integral over s is a polynomial in u. Its degree n is the
number of other members with g_j > 0, and its Bernstein coefficients (the means of N/D given how many of them are
above) are in [0, 1]. So its modulus is at most (|u| + |1-u|)^n, which is cosh(d)^n on the ellipse around (0, 1) with
parameter exp(d), and the error of M nodes at most 32/15 exp(n d^2/2 - 2 M d) / (1 - exp(-2d)). n//2 + 1 nodes
are exact; M = sqrt(14 n) nodes are fewer from n = 58 on, with an error below 1e-11 up to n = 10,000 (take
d = 2M/n).

The trapezoid rule in z gives the integral over s = exp(z). For given D, the result is N/D times the sum by which the
rule replaces the integral of D exp(z - D exp(z)); that integral is 1. The error of the sum is at most
2 |Gamma(1 + 2 pi i/h)| for any D, 1e-14 for h = 0.28. On the right, exp(-sD) ends the sum. On the left the terms
decrease slowly, but exp(-sD) is nearly a polynomial in s there, so 8 nodes of a Gauss rule replace all these terms.

K depends on the order. D_i is 0 exactly in the first L positions, in which the truth is constant from the top, so
K = m - L. The mixed group is the first group that brings a second truth value. The groups before it hold
`lead` items of one value. The mixed group, of T items, adds r items to these if its first r items all have one
value v: any v if lead = 0, otherwise the value of the items above. With a_l = 1/(m-l) and l0 = max(lead, 1),

    1/K = a_l0 + sum_{l > l0} (a_l - a_{l-1}) [L >= l].

Given that the mixed group begins with r = l - lead items of value v, its other items are shuffled as before,
below r more fixed items. So, for an item of that group that has c_v other items of value v beside it,

    E[N/D / K] = a_l0 E[N/D] + sum_{v,r} w_vr E[N/D | r of v first],  w_vr = (a_l - a_{l-1}) (c_v)_r / (T)_r

(falling factorials; if the item is one of the first r, N/D = 0). The condition replaces f_v^r by e_v^r, so it
multiplies the integrand by (e_v/f_v)^r, on the same nodes. Later groups do not depend on the order of the
mixed group, and take the factor E[1/K].
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..errors import LimitError
from .sums import by_block, complete_docstrings, gaps, ratio, refuse_ties, undefined_if

_ALL_TIED = "all systems are tied in truth"


@undefined_if(_ALL_TIED)
def tau_gap(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, workers: int = 1) -> float | FloatArray:
    """Gap-sensitive AP correlation of candidate with the truth.

    Walk candidate from the top; with g_ji = abs(truth_j - truth_i),

    tau_gap = 2 / K * sum_i [ sum_{j above i, concordant} g_ji / sum_{j above i} g_ji ] - 1

    over the K places i >= 2 whose denominator is positive. Swapping systems that the truth barely separates costs
    little. It uses the scores of the truth and the order of candidate. It is not symmetric; the range is -1 to 1. Ties
    in the truth have gap 0. It is undefined if the truth ties all systems.

    Raises
    ------
    TiesError
        If candidate has ties: `tau_gap_a` admits them.

    See Also
    --------
    tau_gap_a : Gap-sensitive AP correlation with ties in the candidate.
    pearson_rank : Pearson rank, rho_r, of candidate with the truth.

    References
    ----------
    N. Gao and D. Oard (2015). A Head-Weighted Gap-Sensitive Correlation Coefficient. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.tau_gap([0.9, 0.5, 0.49, 0.1], [0.9, 0.5, 0.51, 0.1]), 6)
    0.98374
    >>> round(cc.tau_ap([0.9, 0.5, 0.49, 0.1], [0.9, 0.5, 0.51, 0.1]), 6)
    0.666667

    """
    g = gaps(truth, candidate, workers=workers)
    refuse_ties(g.tied_candidate, "candidate", candidate, of="tau_gap", admits={"tau_gap_a": ""})
    return 2 * ratio(g.sum, g.places) - 1


@undefined_if(_ALL_TIED)
def tau_gap_a(truth: npt.ArrayLike, candidate: npt.ArrayLike) -> float | FloatArray:
    """Gap-sensitive AP correlation with ties in candidate: the mean of `tau_gap` over all orders of the tied systems.

    There is no closed form; the mean is a smooth double integral, evaluated to 1e-9 or better. Without
    ties it equals `tau_gap`. Groups of about ten tied systems take milliseconds, a group of 100 a fraction of a second.

    Raises
    ------
    LimitError
        If the computation would take hours, because very many systems are tied.

    See Also
    --------
    tau_gap : Gap-sensitive AP correlation of candidate with the truth.
    tau_a : Kendall's tau with ties in the candidate.

    References
    ----------
    N. Gao and D. Oard (2015). A Head-Weighted Gap-Sensitive Correlation Coefficient. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> round(cc.get_coefficient("tau_gap_a")([0.9, 0.5, 0.49, 0.1], [0.9, 0.5, 0.5, 0.1]), 6)
    0.99187

    """
    return by_block(_mean_over_orders, truth, candidate)


def _mean_over_orders(truth: FloatArray, candidate: FloatArray) -> list[float]:
    values = []
    for t, o in zip(truth, candidate, strict=True):
        g = gaps(t, o)
        untied = g.places and not g.tied_candidate
        values.append(float(2 * g.sum / g.places - 1) if untied else _expected_tau_gap(t, o))
    return values


# The mean over the orders of ties -------------------------------------------------------------------------------------

_STEP = 0.28  # step of the trapezoid rule in z = log s
_TAIL_NODES = 8  # Gauss nodes that replace all nodes with s * (largest D) < _TAIL_START, to 1e-14
_TAIL_START = 4.0
_EXPONENT_END = 32.0  # exp(-32) = 1e-14 ends the sum over s
_LOG_HUGE = 7.0  # exp(-exp(7)) is 0 in floating point; larger exponents could only overflow
_MOST_TIED = 4_000  # a tied group of this size takes some minutes
_CHUNK = 1 << 16  # size of an array over z, u and values that fits the processor's cache


class _View(NamedTuple):
    """One item of a tied group: its sums over the groups above, and its gaps to the other truth values of its group."""

    fixed: float  # D0
    fixed_better: float  # N0
    gap: FloatArray  # distance to each other value
    members: FloatArray  # number of members with that value
    better: FloatArray  # 1 if that value is higher than the item's, else 0


@np.errstate(under="ignore")
def _expected_tau_gap(truth: FloatArray, candidate: FloatArray) -> float:
    """Compute the mean of tau_gap over all orders of the items tied in `candidate`; nan if `truth` ties all items."""
    order = np.argsort(-candidate, kind="stable")
    ranked, x = candidate[order], _scaled(truth)[order]
    differs = np.flatnonzero(x != x[0])
    if not differs.size:
        return math.nan
    m = len(x)
    starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    _refuse_many_ties(np.diff(np.append(starts, m)))
    starts = starts[np.searchsorted(starts, differs[0], side="right") - 1 :]  # keep the groups from the mixed group on
    ends = np.append(starts[1:], m).tolist()
    total, inverse_k = _mixed_group(x[: starts[0]], x[starts[0] : ends[0]], m)
    for start, end in pairwise(ends):
        values, counts = np.unique(x[start:end], return_counts=True)
        for k, count in enumerate(counts.tolist()):
            view = _view(x[:start], values, counts, k)
            total += count * inverse_k * _mean_share(view, 1.0, np.empty((0, len(view.gap))))
    return min(max(2.0 * total - 1.0, -1.0), 1.0)  # the integrals may be off by 1e-14


def _refuse_many_ties(sizes: IntArray) -> None:
    """Refuse very large tied groups. The time grows with the square of their size: 400 tied systems take 5 seconds."""
    if float((sizes[sizes > 1].astype(np.float64) ** 2).sum()) > _MOST_TIED**2:
        raise LimitError(
            f"candidate has groups of up to {int(sizes.max()):,} tied systems, and the mean of tau_gap over their "
            f"orders would take hours beyond {_MOST_TIED:,}: use tau_ap_b, or give scores with more decimals"
        )


def _scaled(truth: FloatArray) -> FloatArray:
    """Scale the truth by a power of two, so that sums of gaps cannot overflow and small gaps do not vanish."""
    exponent = math.frexp(float(np.abs(truth).max()))[1]
    return np.ldexp(truth, 1022 - len(truth).bit_length() - exponent)


def _mixed_group(above: FloatArray, group: FloatArray, m: int) -> tuple[float, float]:
    """Compute E[sum of N/D / K] over the first group with two values of the truth, and E[1/K]."""
    lead, size = len(above), len(group)
    values, counts = np.unique(group, return_counts=True)
    repeats = np.where(values == above[0], counts, 0) if lead else counts
    base = 1.0 / (m - max(lead, 1))
    total = 0.0
    for k, count in enumerate(counts.tolist()):
        own = np.arange(len(values)) == k
        runs = _run_weights(np.maximum(repeats - own, 0), size, lead, m)
        weight = base + float(runs[:, k].sum())  # further items of the same value above it change neither N nor D
        total += count * _mean_share(_view(above, values, counts, k), weight, runs[:, ~own])
    return total, base + float(_run_weights(repeats, size, lead, m).sum())


def _run_weights(repeats: IntArray, size: int, lead: int, m: int) -> FloatArray:
    """Compute the weights w_vr, in row r - 1 and the column of v. `repeats` has the c_v, or 0 if v cannot be first."""
    r = np.arange(1, int(repeats.max()) + 1)[:, None]
    step = 1.0 / ((m - lead - r) * (m - lead - r + 1.0))  # a_l - a_{l-1}, l = lead + r
    if lead == 0:
        step[:1] = 0.0  # l = l0, which the sum leaves out
    return step * np.cumprod(np.maximum(repeats - r + 1, 0) / (size - r + 1.0), axis=0)


def _view(above: FloatArray, values: FloatArray, counts: IntArray, k: int) -> _View:
    up = above - values[k]
    gap = values - values[k]
    other = gap != 0.0
    return _View(
        fixed=float(np.abs(up).sum()),
        fixed_better=float(np.maximum(up, 0.0).sum()),
        gap=np.abs(gap[other]),
        members=counts[other].astype(np.float64),
        better=(gap[other] > 0.0).astype(np.float64),
    )


def _mean_share(view: _View, weight: float, runs: FloatArray) -> float:
    """Add up weight * E[N/D] and all runs[r-1, v] * E[N/D | r of the members of value v are fixed above]."""
    fixed, fixed_better, gap, members, better = view
    if not gap.size:
        return weight * (fixed_better / fixed)
    lengths = np.count_nonzero(runs, axis=0)
    longest_first = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    all_z, z_weight = _nodes_of_z(fixed or float(gap.min()), fixed + float(members @ gap))
    u, u_weight = _nodes_of_u(int(members.sum()))
    rows = max(1, _CHUNK // (len(u) * len(gap)))
    total = 0.0
    for chunk in (slice(k, k + rows) for k in range(0, len(all_z), rows)):  # array axes: z, u, value
        z = all_z[chunk, None]
        s_gap = _exp(z + np.log(gap))
        s_better = s_gap * better
        e = np.exp(-s_gap)[:, None, :]
        f = (1.0 - u)[:, None] + u[:, None] * e
        quotient = e / f
        numerator = _times(z, fixed_better) + u * _dot(quotient, s_better * members)  # s E[N exp(-sD)] / density
        density = np.exp(np.log(f) @ members - _times(z, fixed))  # E[exp(-sD)]
        inner = weight * numerator
        if longest_first.size:
            x = quotient[..., longest_first]
            sums, slopes = _polynomials(runs[:, longest_first], x)
            inner += numerator * sums.sum(axis=-1)
            inner += _dot(slopes * (1.0 - u[:, None] * x), s_better[:, longest_first])
        total += float(z_weight[chunk] @ (density * inner) @ u_weight)
    return total


def _times(z: FloatArray, factor: float) -> FloatArray:
    """Compute s * factor, where s = exp(z)."""
    return _exp(z + math.log(factor)) if factor else np.zeros_like(z)


def _exp(exponent: FloatArray) -> FloatArray:
    return np.exp(np.minimum(exponent, _LOG_HUGE))


def _dot(array: FloatArray, weights: FloatArray) -> FloatArray:
    """Sum an array with axes (z, u, value) over the value axis. The weights depend on z and value."""
    return np.asarray(np.matmul(array, weights[:, :, None])[..., 0])


def _polynomials(coefficients: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute sum c_r x^r and sum r c_r x^r over r = 1, 2, ... by Horner's rule. Each x has a column of coefficients.

    Longer columns come first. Each step of the rule uses only the columns that are long enough.
    """
    value, slope = np.zeros_like(x), np.zeros_like(x)
    begun = 0
    for row in coefficients[::-1]:
        begun = max(begun, int(np.count_nonzero(row)))
        slope[..., :begun] = slope[..., :begun] * x[..., :begun] + value[..., :begun]
        value[..., :begun] = value[..., :begun] * x[..., :begun] + row[:begun]
    return value * x, (slope * x + value) * x


def _nodes_of_z(smallest: float, largest: float) -> tuple[FloatArray, FloatArray]:
    """Compute nodes and weights for the integral over z = log s, for D from `smallest` to `largest`."""
    x, weight = _tail_rule()
    first = math.log(_TAIL_START) - math.log(largest)
    count = math.ceil((math.log(_EXPONENT_END) - math.log(smallest) - first) / _STEP) + 1
    trapezoid = first + _STEP * np.arange(count)
    return np.append(first + np.log(x), trapezoid), np.append(weight / x, np.full(count, _STEP))


@lru_cache(maxsize=1)
def _tail_rule() -> tuple[FloatArray, FloatArray]:
    """Compute Gauss's rule for masses h x at x = exp(-h), exp(-2h), ..., which replaces the left trapezoid nodes.

    x is s divided by the s of the first remaining node. The eigenvalues of multiplication by x, in an orthonormal
    basis of the polynomials of low degree, are the nodes (Golub and Welsch).
    """
    x = np.exp(-_STEP * np.arange(1, math.ceil(40.0 / _STEP)))
    root = np.sqrt(_STEP * x)
    basis, _ = np.linalg.qr(root[:, None] * np.polynomial.chebyshev.chebvander(2 * x - 1, _TAIL_NODES - 1))
    nodes, vectors = np.linalg.eigh(basis.T @ (x[:, None] * basis))
    return nodes, (vectors.T @ basis.T @ root) ** 2


@lru_cache(maxsize=64)
def _nodes_of_u(degree: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(min(degree // 2 + 1, math.isqrt(14 * degree) + 1))
    return (nodes + 1.0) / 2.0, weights / 2.0


complete_docstrings(tau_gap, tau_gap_a)
