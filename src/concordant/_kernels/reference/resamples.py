"""Sums over resampled topics: the twins of resamples.cpp, means.cpp, exceedances.cpp and discordance.cpp."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray, IntArray


def resampled_sums(values: FloatArray, weights: IntArray, out: FloatArray, workers: int) -> None:
    """Sum scores over resampled topics. `weights` says how often each topic was drawn, one row per resample."""
    np.matmul(weights.astype(np.float64), values, out=out)


LARGEST_SLACK = 2e-13
_POWERS = 10.0 ** np.arange(301)


def short_means(sums: FloatArray, divisor: float, slack: float, out: FloatArray, workers: int) -> None:
    """Divide sums of nonnegative scores by `divisor`, and round to 12 digits. Systems are on the last axis.

    A row becomes NaN if 12 digits would tie two systems whose sums x and y differ by more than slack * (x + y), or
    separate two systems whose sums differ by less. It also becomes NaN if a mean is below 1e-11 (except 0), or at least
    1e12. All rows become NaN if the slack is above `LARGEST_SLACK`, which takes more than about 1,800 topics.
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
    """Round to 12 significant digits, counted from the leading digit of `size`."""
    digits = 11 - np.floor(np.log10(np.where(size > 0, size, 1.0)))
    # Means of decimals over 512 or 1,024 topics can lie exactly half way between two steps, where the last bit of a sum
    # would decide. Rounding up only from 0.52 of a step rounds all of them down.
    if ((digits >= 0) & (digits <= 300)).all():  # the fast common case
        up = _POWERS[digits.astype(np.intp)]
        return np.asarray(np.copysign(np.rint(np.abs(x) * up - 0.02) / up, x) + 0.0)
    up, down = 10.0 ** np.clip(digits, 0, 300), 10.0 ** np.clip(-digits, 0, None)
    more = 10.0 ** np.clip(digits - 300, 0, None)  # in two steps, because the power itself may overflow
    steps = np.rint(np.abs(x) * up * more / down - 0.02)
    return np.asarray(np.copysign(steps / up / more * down, x) + 0.0)


def lowest_of(starts: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return, for each position in a sorted row, the position at which its group starts."""
    return np.maximum.accumulate(np.where(starts, np.arange(starts.shape[1]), 0), axis=1)


def _other_ties(sums: FloatArray, short: FloatArray, slack: float) -> npt.NDArray[np.intp]:
    """Find the rows in which the systems that `short` ties are not exactly those whose sums differ only by rounding."""
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


_SUMS = 2**22  # sums to compute at a time
_PAIRS = 64  # pairs to compute at a time, few enough for the cache


def exceedances(
    values: FloatArray,
    base: IntArray,
    signs: IntArray,
    first: IntArray,
    second: IntArray,
    scale: FloatArray,
    least: FloatArray,
    ends: IntArray,
    out: FloatArray,
) -> None:
    """Count, for each pair, the resamples in which the largest statistic so far in its family reaches its threshold.

    `signs` has one row of 1 and -1 per resample. S = signs @ values, but column c of S also includes the sums of the
    earlier column ``base[c]``, unless that is -1. The statistic of pair k in resample b is
    ``|S[b, first[k]] - S[b, second[k]]| * scale[k]``. The largest is over the pairs of the family up to k, and the
    threshold is ``least[k]``, which does not decrease within a family. Families are consecutive pairs, and `ends` has
    the end of each family.
    """
    out[:] = 0
    step = max(1, _SUMS // values.shape[1])
    for lo in range(0, len(signs), step):
        sums = np.ascontiguousarray(values.T @ signs[lo : lo + step].T.astype(np.float64))
        for c in np.flatnonzero(base >= 0):
            sums[c] += sums[base[c]]
        for begin, end in zip((0, *ends[:-1].tolist()), ends.tolist(), strict=True):
            largest = np.zeros(sums.shape[1])
            for at in range(begin, end, _PAIRS):
                some = slice(at, min(at + _PAIRS, end))
                r = sums[first[some]]
                r -= sums[second[some]]
                np.abs(r, out=r)
                r *= scale[some, None]
                for row in r:  # several times faster than np.maximum.accumulate along the first axis
                    np.maximum(row, largest, out=row)
                    largest = row
                out[some] += np.count_nonzero(r >= least[some, None], axis=1)


# A sum ends after 8 + 1,000 / n successive terms below this limit. With few topics, one small term means little.
NEGLIGIBLE = 1e-9
TAPER = 4.5  # the terms of a truncated sum fade out, up to a factor of exp(-TAPER^2 / 2)
_AT_A_TIME = 2**17


def negative_shares(
    differences: FloatArray,
    steps: FloatArray,
    points: IntArray,
    widths: FloatArray,
    most: int,
    out: FloatArray,
    workers: int,
) -> None:
    """Compute P(S < 0) + P(S = 0) / 2 for S, the sum of n draws with replacement from a row, and for S + N(0, width).

    If f is the characteristic function of S, and |S| < 2 pi / step, this probability is

        1/2 - (1 / pi) * sum over k >= 0 of Im f((k + 1/2) step) / (k + 1/2),

    because the sum over k of sin((k + 1/2) step s) / (k + 1/2) is pi/2 times the sign of s. This is Gil-Pelaez's
    formula with the midpoint rule, and it is exact. If S lies on a lattice with `points` points in 2 pi / step, the sum
    ends after points / 2 terms, with the weights cot(pi (2k + 1) / (2 points)) / points. Otherwise it ends when the
    terms are negligible, or after `most` terms, which then fade out and so smooth S a little.
    """
    n = differences.shape[1]
    for lo in range(0, len(differences), max(1, _AT_A_TIME // n)):
        rows = np.arange(lo, min(lo + max(1, _AT_A_TIME // n), len(differences)))
        turn = np.exp(1j * steps[rows, None] * differences[rows])
        at = np.exp(0.5j * steps[rows, None] * differences[rows])
        plain: FloatArray = np.zeros((len(rows), 2))
        faded: FloatArray = np.zeros((len(rows), 2))
        quiet: IntArray = np.zeros((len(rows), 2), dtype=np.int64)
        done = np.stack([np.zeros(len(rows), dtype=bool), widths[rows] == 0], axis=1)
        for k in range(most):
            f = at.mean(axis=1) ** n
            weights = _weights(k, steps[rows], points[rows], widths[rows])
            plain += np.where(done, 0.0, weights * f.imag[:, None])
            faded += np.where(done, 0.0, math.exp(-0.5 * (TAPER * (k + 0.5) / most) ** 2) * weights * f.imag[:, None])
            quiet = np.where(np.abs(f)[:, None] * weights < NEGLIGIBLE, quiet + 1, 0)
            ends = quiet >= 8 + 1000 // n
            ends[:, 0] = np.where(points[rows] > 0, 2 * k + 3 >= points[rows], ends[:, 0])
            done |= ends
            out[rows] = 0.5 - np.where(done, plain, faded)
            left = ~done.all(axis=1)
            if not left.any():
                break
            rows, plain, faded, quiet, done = rows[left], plain[left], faded[left], quiet[left], done[left]
            turn = turn[left]
            at = at[left] * turn
    out[widths == 0, 1] = out[widths == 0, 0]
    np.clip(out, 0.0, 1.0, out=out)


def _weights(k: int, steps: FloatArray, points: IntArray, widths: FloatArray) -> FloatArray:
    """Return the weights of the k-th term, for S and for S + N(0, width)."""
    plain = 1 / (math.pi * (k + 0.5))
    sharp = np.full(len(steps), plain)
    on = points > 2 * k + 1
    sharp[on] = 1 / (np.tan(math.pi * (2 * k + 1) / (2 * points[on])) * points[on])
    return np.stack([sharp, plain * np.exp(-0.5 * widths * ((k + 0.5) * steps) ** 2)], axis=1)


def plug_in_widths(differences: FloatArray, scales: FloatArray, out: FloatArray, workers: int) -> None:
    """Compute the bandwidth of a Gaussian kernel density of each row by Sheather and Jones's two-stage direct plug-in.

    psi_r(g) is the sum over all pairs of values, including each value with itself, of the r-th derivative of the normal
    density with standard deviation g, divided by n (n - 1). Start with psi_8 of a normal distribution of the given
    scale. It gives the g for psi_6, psi_6 gives the g for psi_4, and psi_4 gives the bandwidth
    h = (1 / (2 sqrt(pi) psi_4 n))^(1/5). Wand and Jones divide by n^2 instead. For few values, their kernels are wider
    than those that urbano2016 used for its figures.
    """
    n = differences.shape[1]
    # (-2 K6(0) / (psi_8 n))^(1/9) with K6(0) = -15 / sqrt(2 pi) and psi_8 = 105 / (32 sqrt(pi) scale^9)
    first = (30 * 32 / (105 * math.sqrt(2) * n)) ** (1 / 9)
    block = max(1, _AT_A_TIME // (n * n))
    for lo in range(0, len(differences), block):
        rows = slice(lo, lo + block)
        apart = differences[rows, :, None] - differences[rows, None, :]
        g = first * scales[rows]
        psi_6 = n / (n - 1) * _mean_derivative(apart, g, 6, (1, -15, 45, -15))
        g = (6 / (math.sqrt(2 * math.pi) * -psi_6 * n)) ** (1 / 7)
        psi_4 = n / (n - 1) * _mean_derivative(apart, g, 4, (1, -6, 3))
        out[rows] = (1 / (2 * math.sqrt(math.pi) * psi_4 * n)) ** (1 / 5)


def _mean_derivative(apart: FloatArray, g: FloatArray, order: int, polynomial: tuple[int, ...]) -> FloatArray:
    """Compute psi_order(g), the mean of a Hermite polynomial (in the squares) times the normal density."""
    u = (apart / g[:, None, None]) ** 2
    values = np.polyval(polynomial, u) * np.exp(-0.5 * u)
    return np.asarray(values.mean(axis=(1, 2)) / (math.sqrt(2 * math.pi) * g ** (order + 1)))
