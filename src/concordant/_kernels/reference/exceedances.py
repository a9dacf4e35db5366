"""Count how often the largest statistic of pairs reaches the observed ones: the twin of exceedances.cpp."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray, IntArray

_SUMS = 2**22  # sums at a time
_PAIRS = 64  # pairs at a time, to fit the cache


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
    """Count for each pair the resamples in which the largest statistic of its family, up to this pair, reaches it.

    `signs` has one row of 1 and -1 per resample. S = signs @ values, where column c adds to the sum of the earlier
    column ``base[c]``, unless that is -1. The statistic of pair k in resample b is
    ``|S[b, first[k]] - S[b, second[k]]| * scale[k]``. It must reach ``least[k]``, which does not decrease within a
    family. Families are consecutive pairs; `ends` has the end of each.
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
