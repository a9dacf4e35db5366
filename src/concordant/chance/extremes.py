"""How many rankings are nearly perfect by AP correlation, counted one by one.

Near its largest value AP correlation has few values, far apart, which no smooth formula follows. Let D = sum_j D_j / j
be what is missing from the largest sum, D_j in 0 .. j. Every (D_1, D_2, ...) is one ranking. Those with D <= d are
counted from two lists, the sums over odd j and those over even j: for each sum of one, how many of the other fit in.
The lists are about as long as the root of the count.
"""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray


def near_perfect(m: int, deficits: FloatArray) -> FloatArray:
    """For each d: the number of rankings of m systems with D <= d."""
    most = float(deficits.max())
    few, many = sorted((_sums(m, 1, most), _sums(m, 2, most)), key=len)
    many = np.sort(many)
    return np.array([np.searchsorted(many, d - few, side="right").sum() for d in deficits.tolist()], np.float64)


def _sums(m: int, first: int, most: float) -> FloatArray:
    """All sums of D_j / j over every second j from the first, up to the most, one for each (D_j)."""
    sums = np.zeros(1)
    for j in range(first, m, 2):
        steps = np.arange(min(j, int(most * j)) + 1) / j
        if len(steps) > 1:
            sums = (sums[:, None] + steps).ravel()
            sums = sums[sums <= most]
    return sums
