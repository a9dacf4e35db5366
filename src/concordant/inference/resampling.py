"""Resampling of topics, seeds and settings, for everything that draws at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from .. import _kernels
from ..arrays import FloatArray, IntArray, rows_at_a_time
from ..data.means import tied_means
from ..parallel import Made, Workers, shared_out, threads

Progress: TypeAlias = Callable[[int, int], None]
Seed: TypeAlias = "int | np.random.Generator | None"

CHUNK = 512  # resamples at a time, or fewer where there are very many topics


@dataclass(frozen=True)
class Resampling:
    """How something is drawn at random: how often, from which seed, on which workers, and whom to tell."""

    n_resamples: int
    rng: int | np.random.Generator
    workers: Workers = 1
    progress: Progress | None = None

    @classmethod
    def of(
        cls, n_resamples: int, rng: Seed = None, workers: Workers = 1, progress: Progress | None = None
    ) -> Resampling:
        """Where no seed is given, one is drawn, so that the settings can say which."""
        seed = int(np.random.SeedSequence().generate_state(1)[0]) if rng is None else rng
        return cls(n_resamples, seed, workers, progress)

    @property
    def seed(self) -> int | None:
        """The seed to keep with a result: None where a generator was given."""
        return int(self.rng) if isinstance(self.rng, (int, np.integer)) else None

    @property
    def threads(self) -> int:
        """How many threads a kernel may start."""
        return threads(self.workers)

    def generator(self) -> np.random.Generator:
        """A generator from the seed, the same one at each call; or the one that was given."""
        return np.random.default_rng(self.rng)

    def quiet(self) -> Resampling:
        """The same, telling nobody."""
        return replace(self, progress=None)


def resampled_weights(n: int, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[slice, IntArray]]:
    """How often each topic is drawn, some resamples at a time."""
    step = rows_at_a_time(n, CHUNK)
    for lo in range(0, n_resamples, step):
        rows = min(step, n_resamples - lo)
        drawn = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        yield slice(lo, lo + rows), np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)


def over_resamples(work: Callable[[IntArray], Made], n: int, how: Resampling) -> Iterator[Made]:
    """What `work` makes of how often each of n topics is drawn, some resamples at a time and in their order."""
    drawn = (weights for _, weights in resampled_weights(n, how.n_resamples, how.generator()))
    step = rows_at_a_time(n, CHUNK)
    for k, made in enumerate(shared_out(work, drawn, how.workers), start=1):
        if how.progress is not None:
            how.progress(min(k * step, how.n_resamples), how.n_resamples)
        yield made


def resampled_means(values: FloatArray, weights: IntArray, *, workers: int = 1) -> FloatArray:
    """Means of the systems over resampled topics, divided by their number; equal totals are tied, as in all means."""

    def sums(of: FloatArray) -> FloatArray:
        found = np.empty((len(weights), of.shape[1]))
        _kernels.active.resampled_sums(of, weights, found, workers)
        return found

    total = sums(values)
    sizes = sums(np.abs(values)) if (values < 0).any() else total
    return tied_means(total, sizes, len(values), workers=workers)


def is_borderline(p: FloatArray | float, alpha: float, n_resamples: int) -> Any:
    """Whether another seed could put a p-value from so many resamples on the other side of alpha: two of its errors."""
    p = np.asarray(p)
    return np.abs(p - alpha) <= 2 * np.sqrt(p * (1 - p) / n_resamples)
