"""Adjusted p-values for several tests."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray


def stepped_down(p: FloatArray, order: IntArray | slice = slice(None)) -> FloatArray:
    """Make adjusted p-values monotone, in the order of significance, and at most 1."""
    found = np.empty(len(p))
    found[order] = np.minimum(1.0, np.maximum.accumulate(p[order]))
    return found


def holm(p: FloatArray) -> FloatArray:
    """Compute Holm's adjusted p-values: the k-th smallest of N, times N - k + 1, made monotone."""
    order = np.argsort(p)
    ranks = np.empty(len(p))
    ranks[order] = np.arange(len(p), 0, -1)
    return stepped_down(p * ranks, order)
