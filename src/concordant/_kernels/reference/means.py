"""Means of 12 digits, where these tie the systems that rounding ties, and no others: the twin of means.cpp."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray

LARGEST_SLACK = 2e-13
_POWERS = 10.0 ** np.arange(301)


def short_means(sums: FloatArray, divisor: float, slack: float, out: FloatArray, workers: int) -> None:
    """Sums of scores that are not negative, divided and rounded to 12 digits, systems on the last axis.

    A row becomes NaN where 12 digits would tie systems whose sums x and y differ by more than slack * (x + y), or part
    others; and where a mean is below 1e-11 (but for 0), or 1e12 and more. So do all where the slack is not well below
    the last digit, as it is for up to some 1,800 topics.
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


def lowest_of(starts: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """For each place of a sorted row, the place at which its group starts."""
    return np.maximum.accumulate(np.where(starts, np.arange(starts.shape[1]), 0), axis=1)


def _other_ties(sums: FloatArray, short: FloatArray, slack: float) -> npt.NDArray[np.intp]:
    """The rows in which `short` does not tie exactly the systems that rounding ties."""
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
