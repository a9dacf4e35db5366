"""Sums over resampled topics: the twin of resamples.cpp."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray, IntArray


def resampled_sums(values: FloatArray, weights: IntArray, out: FloatArray, workers: int) -> None:
    """Sum scores over resampled topics; `weights` say how often each topic was drawn, one row per resample."""
    np.matmul(weights.astype(np.float64), values, out=out)
