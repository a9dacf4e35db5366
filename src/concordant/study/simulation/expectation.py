"""The means of a simulator across the population of topics: an integral over topic effect and residual."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import FloatArray
from .scale import inverse_transform

if TYPE_CHECKING:
    from .simulator import Simulator

# Topic effect and residual are functions of two correlated normal deviates. Both have bends, where observations are
# sparse, which many equal steps follow better than the few nodes of a Gauss-Hermite rule.
_DEVIATES = np.linspace(-6.5, 6.5, 261)
_WEIGHTS = np.exp(-0.5 * _DEVIATES**2) / np.exp(-0.5 * _DEVIATES**2).sum()
_FAR = 60.0  # a system effect at which every score is 0 or 1


def unit_means(model: Simulator) -> FloatArray:
    """Expected scores on the scale from 0 to 1, one per system."""
    effects = zip(model._level, _effects(model), strict=True)
    return np.array([_mean(inverse_transform(level + effect)) for level, effect in effects])


def shifts(model: Simulator, wanted: FloatArray) -> FloatArray:
    """How much to add to each system effect so that the expected scores are those wanted."""
    from scipy.optimize import brentq

    found = np.empty(len(wanted))
    for j, effect in enumerate(_effects(model)):
        from_level = model._level[j] + effect

        def off(shift: float, start: FloatArray = from_level, target: float = wanted[j]) -> float:
            return _mean(inverse_transform(start + shift)) - target

        # A mean of 0 or 1 is reached only where every topic is.
        found[j] = -_FAR if off(-_FAR) >= 0 else _FAR if off(_FAR) <= 0 else brentq(off, -_FAR, _FAR, xtol=1e-10)
    return found


def _effects(model: Simulator) -> Iterator[FloatArray]:
    """Topic effect plus residual of each system, on the grid of both deviates."""
    *residuals, topic = model._margins
    correlation = model._factor[:-1] @ model._factor[-1]
    topic_effects = topic(_DEVIATES)[:, None]
    for margin, rho in zip(residuals, correlation, strict=True):
        z = rho * _DEVIATES[:, None] + np.sqrt(max(0.0, 1 - rho * rho)) * _DEVIATES
        yield topic_effects + margin(z.ravel()).reshape(z.shape)


def _mean(values: FloatArray) -> float:
    return float(_WEIGHTS @ values @ _WEIGHTS)
