"""The kernels in NumPy and SciPy: a readable twin of the native module, used if the native module was not built.

Each function is the twin of the C++ function with the same name. This package has every name of the native module.
"""

from __future__ import annotations

from .concordance import BACK, MEAN, PAIRS, STRICT, Counts, Value, concordance_pair, concordance_rows
from .distance import rank_distances, recentred_distances
from .resamples import exceedances, negative_shares, plug_in_widths, resampled_sums, short_means
from .weighted import (
    Cosines,
    Gaps,
    Overlaps,
    Ranks,
    Weights,
    cosines_pair,
    cosines_rows,
    gaps_pair,
    gaps_rows,
    overlaps_pair,
    overlaps_rows,
    ranks_pair,
    ranks_rows,
    weights_pair,
    weights_rows,
)
