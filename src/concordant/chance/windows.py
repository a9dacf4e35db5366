"""Draws of independent discrete uniforms whose weighted sum falls into a window.

All (D_1, D_2, ...), D_j in 0 .. j, with low <= sum_j spacing_j D_j <= high are to be equally probable. All but the last
are drawn with probability in proportion to exp(-theta sum), theta such that the whole sum would be in the window on
average; the values of the last that bring the sum into the window are counted, and the draw is kept with probability in
proportion to that count times exp(theta sum), which takes the tilt out again. The last is then one of these values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray
from .inversion import UniformSum

_BATCH = 2**21  # numbers drawn at a time, at most
_MOST = 2**25  # numbers drawn before giving up, where nothing was found


class NothingFoundError(Exception):
    """No sum came into the window: how many were drawn, and the nearest sums on both sides."""

    def __init__(self, tried: int, nearest: tuple[float, ...]) -> None:
        self.tried = tried
        self.nearest = nearest
        super().__init__(tried, nearest)


@dataclass(frozen=True, eq=False)
class Window:
    """Sums of spacing_j D_j, D_j from 0 to j = 1 .. len(spacing), from low to high."""

    spacing: FloatArray
    low: float
    high: float

    def draw(self, size: int, rng: np.random.Generator) -> IntArray:
        """Rows of (D_1, D_2, ...) with their sum in the window, all such rows equally probable."""
        j = np.arange(1, len(self.spacing) + 1)
        most = float(self.spacing @ j)
        if self.low + self.high > most:  # mirrored, D_j to j - D_j, this is a window at the small sums
            try:
                return np.asarray(j - Window(self.spacing, most - self.high, most - self.low).draw(size, rng))
            except NothingFoundError as none:
                raise NothingFoundError(none.tried, tuple(most - d for d in none.nearest)) from None
        # Most of the rows are near the upper end; so is the mean of what is proposed.
        theta = _tilt(self.spacing, self.high)
        found: list[IntArray] = []
        kept = tried = 0
        nearest = (-math.inf, math.inf)
        step = 8 * size + 64
        while kept < size:
            step = min(2 * step, max(1, _BATCH // len(j)))
            rows, sums = self._some(theta, step, rng)
            found.append(rows)
            kept += len(rows)
            tried += step
            if kept == 0:
                nearest = self._nearer(nearest, sums)
                if tried * len(j) > _MOST:
                    raise NothingFoundError(tried, tuple(d for d in nearest if math.isfinite(d)))
        return np.concatenate(found)[:size]

    def _some(self, theta: float, step: int, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """The rows that are kept, and the sums without the last of all that were proposed."""
        unit, last = float(self.spacing[-1]), len(self.spacing)
        rows = self._propose(theta, step, rng)
        sums = rows[:, :-1] @ self.spacing[:-1]
        from_ = np.maximum(np.ceil((self.low - sums) / unit), 0)
        options = np.maximum(np.minimum(np.floor((self.high - sums) / unit), last) - from_ + 1, 0)
        keep = rng.random(step) * self._most(theta) < options * np.exp(theta * np.minimum(sums - self.high, 0))
        rows[:, -1] = from_ + np.floor(rng.random(step) * options)
        return rows[keep], sums

    def _most(self, theta: float) -> float:
        """The largest value of options times exp(theta (sum - high)): k units below high there are k + 1 options."""
        unit, k = float(self.spacing[-1]), np.arange(len(self.spacing) + 1)
        fit = math.floor((self.high - self.low) / unit + 1e-6)
        return float(np.max((np.minimum(k, fit) + 1) * np.exp(-theta * unit * k)))

    def _nearer(self, nearest: tuple[float, float], sums: FloatArray) -> tuple[float, float]:
        """The sums nearest to the window from below and above, over all values of the last."""
        unit, last = float(self.spacing[-1]), len(self.spacing)
        middle = (self.low + self.high) / 2
        place = np.clip(np.floor((middle - sums) / unit), 0, last)
        reached = np.concatenate([sums + place * unit, sums + np.minimum(place + 1, last) * unit])
        below = np.max(reached[reached <= middle], initial=nearest[0])
        return float(below), float(np.min(reached[reached > middle], initial=nearest[1]))

    def _propose(self, theta: float, rows: int, rng: np.random.Generator) -> IntArray:
        """D_j with probability in proportion to exp(-theta spacing_j D_j), by inverting the distribution function."""
        j = np.arange(1, len(self.spacing) + 1)
        x = theta * self.spacing
        drawn = np.floor(np.log1p(rng.random((rows, len(j))) * np.expm1(-(j + 1) * x)) / -x)
        return np.minimum(drawn, j).astype(np.int64)


def _tilt(spacing: FloatArray, mean: float) -> float:
    """The theta, positive, under which the sum has this mean, by bisection."""
    whole = UniformSum(spacing)
    low, high = 1e-6 / float(spacing @ whole.counts), 100 / float(spacing.min())
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if whole.moments(middle)[0] > mean else (low, middle)
    return low
