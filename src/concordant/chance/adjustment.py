"""p-values of several tests at once."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Holm's adjusted p-values: the k-th smallest of N times N - k + 1, made monotone."""
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted
