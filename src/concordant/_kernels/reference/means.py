"""Means rounded to 12 digits, if this keeps all ties and makes no others: the twin of means.cpp."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray

LARGEST_SLACK = 2e-13
_POWERS = 10.0 ** np.arange(301)


def short_means(sums: FloatArray, divisor: float, slack: float, out: FloatArray, workers: int) -> None:
    """Divide sums of nonnegative scores and round to 12 digits, systems on the last axis.

    A row becomes NaN if 12 digits would tie systems whose sums x and y differ by more than slack * (x + y), or separate
    others. It also becomes NaN if a mean is below 1e-11 (except 0), or at least 1e12. All rows do if the slack is not
    well below the last digit, which takes more than about 1,800 topics.
    """
    out[...] = np.nan
    if slack > LARGEST_SLACK:
        return
    raw = (sums + 0.0) / divisor  # -0.0 becomes 0.0
    within = np.flatnonzero(((raw == 0) | ((raw >= 1e-11) & (raw < 1e12))).all(axis=1))
    short = to_digits(raw[within], raw[within])
    short[_other_ties(sums[within], short, slack)] = np.nan
    out[within] = short


def to_digits(x: FloatArray, size: FloatArray) -> FloatArray:
    """Round to 12 significant digits, counted from `size`."""
    digits = 11 - np.floor(np.log10(np.where(size > 0, size, 1.0)))
    # Means of decimals over 512 or 1,024 topics lie exactly half way between two steps, where a sum's last
    # bit would decide. Rounding up only from 0.52 of a step keeps them all on one side.
    if ((digits >= 0) & (digits <= 300)).all():  # the fast common case
        up = _POWERS[digits.astype(np.intp)]
        return np.asarray(np.copysign(np.rint(np.abs(x) * up - 0.02) / up, x) + 0.0)
    up, down = 10.0 ** np.clip(digits, 0, 300), 10.0 ** np.clip(-digits, 0, None)
    more = 10.0 ** np.clip(digits - 300, 0, None)  # in two steps, because the power itself may overflow
    steps = np.rint(np.abs(x) * up * more / down - 0.02)
    return np.asarray(np.copysign(steps / up / more * down, x) + 0.0)


def lowest_of(starts: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return for each place of a sorted row the start of its group."""
    return np.maximum.accumulate(np.where(starts, np.arange(starts.shape[1]), 0), axis=1)


def _other_ties(sums: FloatArray, short: FloatArray, slack: float) -> npt.NDArray[np.intp]:
    """Find the rows in which `short` does not tie exactly the systems whose sums differ only by rounding."""
    s = np.sort(sums, axis=1)
    near = np.diff(s, axis=1) <= slack * (s[:, 1:] + s[:, :-1])
    odd = (near != (np.diff(np.sort(short, axis=1), axis=1) == 0)).any(axis=1)
    chains = np.flatnonzero((near[:, 1:] & near[:, :-1]).any(axis=1) & ~odd)
    if chains.size:
        s = s[chains]
        starts = np.concatenate([np.ones((len(s), 1), dtype=bool), ~near[chains]], axis=1)
        base = np.take_along_axis(s, lowest_of(starts), axis=1)
        odd[chains] = (s - base > slack * (s + base)).any(axis=1)
    return np.flatnonzero(odd)
