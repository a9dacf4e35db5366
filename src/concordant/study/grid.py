"""`Grid`: independent trials, each with its own stream of random numbers, and what is computed of some at a time."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..errors import ConcordantError, import_extra


class StudyError(ConcordantError):
    """Some trials of a study failed, or what runs them did; all others are kept."""


class Work(Protocol):
    """What a trial does. It goes to other processes, so it must survive pickling, and should be small."""

    def __call__(self, trial: int, rng: np.random.Generator) -> FloatArray:
        """The numbers that a trial finds, always as many."""
        ...

    def describe(self, trial: int) -> str:
        """What a trial is called in messages."""
        ...


@dataclass(frozen=True)
class Grid:
    """Trials 0, 1, ... of a study. A trial depends on the work, the seed and its own number, and on nothing else."""

    name: str
    work: Work
    n_trials: int
    shape: tuple[int, ...]
    """Of what a trial finds."""
    settings: Mapping[str, Any]
    """Everything that decides the results, fingerprints of the inputs included, ready for JSON."""
    seed: int
    chunk: int = 25
    """Trials that are computed and written together: what a killed run loses at most, for each worker."""

    @property
    def n_chunks(self) -> int:
        """The last one may be shorter."""
        return -(-self.n_trials // self.chunk)

    def trials(self, chunk: int) -> range:
        """The trials of a chunk."""
        return range(chunk * self.chunk, min((chunk + 1) * self.chunk, self.n_trials))

    def run_trial(self, trial: int) -> FloatArray:
        """One trial alone, as it runs in the study; to look into one that failed."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(trial,)))
        found = np.asarray(self.work(trial, rng), dtype=np.float64)
        if found.shape != self.shape:
            raise ValueError(f"the trial found an array of shape {found.shape} and not {self.shape}")
        return found


@dataclass(frozen=True)
class Failure:
    """A trial that raised an error."""

    trial: int
    what: str
    error: str
    trace: str


@dataclass(frozen=True)
class Outcome:
    """What came out of a chunk: the values of its trials, or none if one of them failed."""

    values: FloatArray | None
    failures: tuple[Failure, ...]
    cpu_seconds: float


def one_thread() -> Any:
    """One thread for linear algebra: several workers would fight for the cores, and sums could change their last bit.

    The workers limit themselves. Where they are threads of one process, this has to last longer than each of them.
    """
    return import_extra("threadpoolctl").threadpool_limits(1)


def run_chunk(grid: Grid, chunk: int, version: str = __version__) -> Outcome:
    """All trials of a chunk, in whatever process this is."""
    if version != __version__:
        raise StudyError(f"a worker has concordant {__version__}, and the study was started by {version}")
    start = time.thread_time()
    trials = grid.trials(chunk)
    values = np.empty((len(trials), *grid.shape))
    failures = []
    with one_thread():
        for row, trial in enumerate(trials):
            try:
                values[row] = grid.run_trial(trial)
            except Exception as error:
                name = type(error).__name__
                failures.append(Failure(trial, grid.work.describe(trial), f"{name}: {error}", traceback.format_exc()))
    return Outcome(None if failures else values, tuple(failures), time.thread_time() - start)
