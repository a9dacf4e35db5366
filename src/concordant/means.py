"""Means over topics, in which two systems are tied exactly when rounding can explain the difference of their totals.

0.1 + 0.2 is not 0.3 in floating point, and a lost tie changes a coefficient. So every mean (of all topics, of
resamples, of halves, without a topic) comes from `tied_sums`: totals of systems x and y that differ by no more than

    (n / 2 + 2) eps (sum |x| + sum |y|),    eps = 2**-52,

count as equal. That is what n additions of numbers that were rounded themselves can be off by, for these two systems:
a third one, however large, changes nothing. Scores of a few decimals with different totals lie far beyond it.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray
from .errors import DataWarning

_EPS = float(np.finfo(np.float64).eps)
_POWERS = 10.0 ** np.arange(301)


def mean_over_topics(values: npt.ArrayLike, axis: int = 0) -> FloatArray:
    """Means over `axis`, with the systems on the last of the other axes; equal totals give equal means.

    >>> mean_over_topics([[0.1, 0.3], [0.2, 0.0]]).tolist()
    [0.15, 0.15]
    """
    # In one order of memory, whatever came in, so that the same scores are added in the same order.
    array = np.ascontiguousarray(np.moveaxis(np.asarray(values, dtype=np.float64), axis, 0))
    n = len(array)
    sums = array.sum(axis=0)
    sizes = np.abs(array).sum(axis=0) if (array < 0).any() else sums
    found = tied_means(sums, sizes, n)
    if array.ndim == 2 and np.ptp(sums) < 1e-8 * sizes.max(initial=0.0):
        _warn_of_lost_digits(array)
    return found


def tied_means(sums: npt.ArrayLike, sizes: npt.ArrayLike, n: int, divisor: int | None = None) -> FloatArray:
    """Means from sums of n terms each, tied as `tied_sums` has it, and written as decimals where that keeps them apart.

    A mean of decimals is a decimal, or the start of one: 12 significant digits of it are without the noise of its sum,
    so that means can be rounded, or held against a tolerance, as on paper. Where 12 digits would tie systems of a row
    that are not tied, the means of that row stay as they are.
    """
    divisor = n if divisor is None else divisor
    s = np.asarray(sums, dtype=np.float64) + 0.0
    if s.ndim and s.shape[-1] > 1 and sizes is sums:  # scores that are not negative: the common case, without argsort
        rows = s.reshape(-1, s.shape[-1])
        raw = rows / divisor
        found = _to_digits(raw, raw)
        odd = _other_ties(rows, found, _slack(n))
        if odd.size:
            found[odd] = _careful(rows[odd], rows[odd], n, divisor)
        return found.reshape(s.shape)
    return _careful(s, np.broadcast_to(np.asarray(sizes, dtype=np.float64), s.shape), n, divisor)


def _careful(sums: FloatArray, sizes: FloatArray, n: int, divisor: int) -> FloatArray:
    """`tied_means` for any scores: 12 digits are taken in the rows whose order and ties they keep."""
    means = tied_sums(sums, sizes, n) / divisor
    short = _to_digits(means, sizes / divisor)
    if means.ndim == 0:
        return short
    order = np.argsort(means, axis=-1)
    steps, short_steps = (np.sign(np.diff(np.take_along_axis(x, order, axis=-1), axis=-1)) for x in (means, short))
    return np.asarray(np.where((steps == short_steps).all(axis=-1)[..., None], short, means))


def _other_ties(sums: FloatArray, short: FloatArray, slack: float) -> npt.NDArray[np.intp]:
    """The rows in which 12 digits do not tie exactly the systems that `tied_sums` ties."""
    s = np.sort(sums, axis=1)
    near = np.diff(s, axis=1) <= slack * (s[:, 1:] + s[:, :-1])
    odd = (near != (np.diff(np.sort(short, axis=1), axis=1) == 0)).any(axis=1)
    chains = np.flatnonzero((near[:, 1:] & near[:, :-1]).any(axis=1) & ~odd)
    if chains.size:
        s = s[chains]
        starts = np.concatenate([np.ones((len(s), 1), dtype=bool), ~near[chains]], axis=1)
        base = np.take_along_axis(s, _lowest(starts), axis=1)
        odd[chains] = (s - base > slack * (s + base)).any(axis=1)
    return np.flatnonzero(odd)


def _slack(n: int) -> float:
    """What n additions of rounded numbers can be off by, as a part of the sum of their sizes."""
    return (n / 2 + 2) * _EPS


def _lowest(starts: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """For each place of a sorted row, the place at which its group starts."""
    return np.maximum.accumulate(np.where(starts, np.arange(starts.shape[1]), 0), axis=1)


def _to_digits(x: FloatArray, size: FloatArray) -> FloatArray:
    """Rounded to 12 significant digits, counted from `size`."""
    digits = 11 - np.floor(np.log10(np.where(size > 0, size, 1.0)))
    # Means of decimals over 512 or 1,024 topics lie exactly half way between two steps, where a sum's last
    # bit would decide; going up a little after the half (0.02 of a step) keeps them on one side.
    if ((digits >= 0) & (digits <= 300)).all():  # nearly always, and many resampled means come this way
        up = _POWERS[digits.astype(np.intp)]
        return np.asarray(np.copysign(np.rint(np.abs(x) * up - 0.02) / up, x) + 0.0)
    up, down = 10.0 ** np.clip(digits, 0, 300), 10.0 ** np.clip(-digits, 0, None)
    more = 10.0 ** np.clip(digits - 300, 0, None)  # no float is as large as the whole power
    steps = np.rint(np.abs(x) * up * more / down - 0.02)
    return np.asarray(np.copysign(steps / up / more * down, x) + 0.0)


def tied_sums(sums: npt.ArrayLike, sizes: npt.ArrayLike, n: int) -> FloatArray:
    """Sums of n terms each, systems on the last axis, where those that rounding can explain are made equal.

    `sizes` are the sums of the terms' absolute values. In sorted order, neighbours that are tied share the lowest sum
    of their group. A group whose ends are further apart than rounding explains is split, from its lowest sum up.
    """
    s = np.array(sums, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    if s.ndim == 0 or s.shape[-1] < 2:
        return s
    rows, z = s.reshape(-1, s.shape[-1]), np.broadcast_to(np.asarray(sizes, dtype=np.float64), s.shape)
    z = z.reshape(rows.shape)
    slack = _slack(n)
    # Nearly always no two sums of a row are close: found by one sort, with room for the two largest systems of the row.
    close = np.diff(np.sort(rows, axis=1), axis=1) <= 2 * slack * z.max(axis=1, keepdims=True)
    some = np.flatnonzero(close.any(axis=1))
    if some.size:
        rows[some] = _tied(rows[some], slack * z[some])
    return s


def _tied(sums: FloatArray, slack: FloatArray) -> FloatArray:
    """Each sum becomes the lowest of its group, row by row."""
    order = np.argsort(sums, axis=1)
    s, z = np.take_along_axis(sums, order, axis=1), np.take_along_axis(slack, order, axis=1)
    starts = np.ones(s.shape, dtype=bool)
    starts[:, 1:] = np.diff(s, axis=1) > z[:, 1:] + z[:, :-1]
    lowest = _lowest(starts)
    shared = np.take_along_axis(s, lowest, axis=1)
    for k in np.flatnonzero((s - shared > np.take_along_axis(z, lowest, axis=1) + z).any(axis=1)):
        shared[k] = _split(s[k], z[k], starts[k])
    found = np.empty_like(sums)
    np.put_along_axis(found, order, shared, axis=1)
    return found


def _split(s: FloatArray, z: FloatArray, starts: npt.NDArray[np.bool_]) -> FloatArray:
    """A sorted row with a chain of ties that is too long: it is cut wherever its lowest sum is too far away."""
    shared, low = s.copy(), 0
    for k in range(1, len(s)):
        if starts[k] or s[k] - s[low] > z[low] + z[k]:
            low = k
        shared[k] = s[low]
    return shared


def _warn_of_lost_digits(values: FloatArray) -> None:
    """Where scores have a large part in common, floating point has few digits left for their differences."""
    largest = float(np.abs(values).max(initial=0.0))
    apart = float(np.ptp(values, axis=1).max(initial=0.0))
    if 0 < apart < 1e4 * _EPS * largest:
        warnings.warn(
            f"scores of up to {largest:.17g} differ by {apart:.3g} at most, where floating point has hardly a digit "
            "left, so that systems may be tied that are not: subtract the same number from all scores",
            DataWarning,
            stacklevel=3,
        )
