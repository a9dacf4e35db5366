"""The kernels in NumPy and SciPy: a readable twin of the native module, used if that was not built.

Each module is the twin of the C++ file of its name. This package has all names of the native module.
"""

from __future__ import annotations

from .concordance import BACK, MEAN, PAIRS, STRICT, Counts, concordance_pair, concordance_rows
from .cosines import Cosines, cosines_pair, cosines_rows
from .discordance import negative_shares, plug_in_widths
from .distance import rank_distances, recentred_distances
from .exceedances import exceedances
from .gaps import Gaps, gaps_pair, gaps_rows
from .means import short_means
from .overlaps import Overlaps, overlaps_pair, overlaps_rows
from .pairing import Value
from .ranks import Ranks, ranks_pair, ranks_rows
from .resamples import resampled_sums
from .weights import Weights, weights_pair, weights_rows
