"""The scale on which effects add up: scores between 0 and 1, and there and back."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray

OFFSET = 0.05  # keeps scores of 0 and 1 finite


def transform(x: FloatArray) -> FloatArray:
    """Scores x between 0 and 1 to y = log((x + a) / (1 - x + a))."""
    return np.asarray(np.log((x + OFFSET) / (1 - x + OFFSET)))


def inverse_transform(y: FloatArray) -> FloatArray:
    """Back from `transform` to scores, clipped to [0, 1]."""
    from scipy.special import expit

    return np.asarray(np.clip(expit(y) * (1 + 2 * OFFSET) - OFFSET, 0.0, 1.0))
