"""How often the largest statistic of pairs reaches the observed ones: the twin of exceedances.cpp."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray, IntArray

_SUMS = 2**22  # at a time
_PAIRS = 64  # at a time: small enough for the cache


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
    """Of each pair: in how many resamples the largest statistic, over it and all before it in its family, reaches it.

    `signs` has one row of 1 and -1 per resample, and S = signs @ values, where column c starts from the sum of column
    ``base[c]``, which comes before it, unless that is -1. The statistic of pair k in resample b is
    ``|S[b, first[k]] - S[b, second[k]]| * scale[k]``, and what must be reached is ``least[k]``, which does not decrease
    within a family. Families are pairs that stand together; `ends` says where each ends.
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
