import numpy as np
import numpy.typing as npt

_Float = npt.NDArray[np.float64]
_Int = npt.NDArray[np.int64]

def concordance_pair(truth: _Float, candidate: _Float, tolerance: float, extra: int, /) -> tuple[float, ...] | None: ...
def concordance_rows(
    truth: _Float,
    candidate: _Float,
    truth_row: _Int,
    candidate_row: _Int,
    out: _Float,
    workers: int,
    tolerance: float,
    extra: int,
    /,
) -> bool: ...
def gaps_pair(truth: _Float, candidate: _Float, /) -> tuple[float, ...] | None: ...
def gaps_rows(
    truth: _Float, candidate: _Float, truth_row: _Int, candidate_row: _Int, out: _Float, workers: int, /
) -> bool: ...
def ranks_pair(truth: _Float, candidate: _Float, /) -> tuple[float, ...] | None: ...
def ranks_rows(
    truth: _Float, candidate: _Float, truth_row: _Int, candidate_row: _Int, out: _Float, workers: int, /
) -> bool: ...
def weights_pair(truth: _Float, candidate: _Float, /) -> tuple[float, ...] | None: ...
def weights_rows(
    truth: _Float, candidate: _Float, truth_row: _Int, candidate_row: _Int, out: _Float, workers: int, /
) -> bool: ...
def overlaps_pair(truth: _Float, candidate: _Float, weights: _Float, ties: int, /) -> tuple[float, ...] | None: ...
def overlaps_rows(
    truth: _Float,
    candidate: _Float,
    truth_row: _Int,
    candidate_row: _Int,
    out: _Float,
    workers: int,
    weights: _Float,
    ties: int,
    /,
) -> bool: ...
def cosines_pair(truth: _Float, candidate: _Float, /) -> tuple[float, ...] | None: ...
def cosines_rows(
    truth: _Float, candidate: _Float, truth_row: _Int, candidate_row: _Int, out: _Float, workers: int, /
) -> bool: ...
def rank_distances(
    covariance: _Float, means: _Float, candidate: _Float, eps: float, out: _Float, duals: _Float, workers: int, /
) -> None: ...
def recentred_distances(
    columns: _Float, projection: _Float, ends: _Int, weights: _Int, eps: float, out: _Float, workers: int, /
) -> None: ...
def resampled_sums(values: _Float, weights: _Int, out: _Float, workers: int, /) -> None: ...
def short_means(sums: _Float, divisor: float, slack: float, out: _Float, workers: int, /) -> None: ...
def exceedances(
    values: _Float,
    base: _Int,
    signs: _Int,
    first: _Int,
    second: _Int,
    scale: _Float,
    least: _Float,
    ends: _Int,
    out: _Float,
    /,
) -> None: ...
def negative_shares(
    differences: _Float, steps: _Float, points: _Int, widths: _Float, most: int, out: _Float, workers: int, /
) -> None: ...
def plug_in_widths(differences: _Float, scales: _Float, out: _Float, workers: int, /) -> None: ...
