"""`run_grid`: every trial that is not done yet, here, in processes or on a Dask cluster; the same bits each way."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..coefficients.sums import check_workers
from ..errors import import_extra
from ..resampling import Progress
from .folder import Folder
from .grid import Failure, Grid, Outcome, StudyError, run_chunk


@dataclass(frozen=True, eq=False)
class GridRun:
    """All values of a grid, and what the run cost that finished it."""

    values: FloatArray
    """A trial each along the first axis."""
    computed: int
    """Trials that this run computed; the others were in the folder."""
    seconds: float
    cpu_seconds: float
    """Of the trials that this run computed, in all processes."""


def run_grid(
    grid: Grid,
    folder: str | os.PathLike[str] | None = None,
    *,
    workers: int = 1,
    dask: Any = None,
    progress: Progress | None = None,
) -> GridRun:
    """Run the trials of a grid.

    Parameters
    ----------
    grid
        The trials.
    folder
        Where to keep what is done: a run that was killed continues there. Without it, nothing is kept.
    workers
        Processes on this machine.
    dask
        The address of a Dask scheduler, or a `distributed.Client`, to run on instead.
    progress
        Called with the number of trials that are done, and of all.

    Raises
    ------
    StudyError
        If trials failed, naming the first of them; all chunks without a failure are kept.
    """
    workers = check_workers(workers)
    start = time.monotonic()
    store = None if folder is None else Folder(Path(folder), grid)
    if store is not None:
        grid = store.grid
    values = np.empty((grid.n_trials, *grid.shape))
    todo: list[int] = []
    for chunk in range(grid.n_chunks):
        kept = None if store is None else store.read(chunk)
        if kept is None:
            todo.append(chunk)
        else:
            values[_rows(grid, chunk)] = kept
    missing = sum(len(grid.trials(chunk)) for chunk in todo)
    done = grid.n_trials - missing
    failures: list[Failure] = []
    cpu_seconds = 0.0
    if progress is not None:
        progress(done, grid.n_trials)
    for chunk, outcome in _outcomes(grid, todo, workers, dask):
        cpu_seconds += outcome.cpu_seconds
        failures += outcome.failures
        if outcome.values is not None:
            values[_rows(grid, chunk)] = outcome.values
            if store is not None:
                store.write(chunk, outcome.values)
        done += len(grid.trials(chunk))
        if progress is not None:
            progress(done, grid.n_trials)
    if failures:
        raise _failed(grid, failures, folder)
    return GridRun(values, missing, time.monotonic() - start, cpu_seconds)


def _rows(grid: Grid, chunk: int) -> slice:
    trials = grid.trials(chunk)
    return slice(trials.start, trials.stop)


def _failed(grid: Grid, failures: list[Failure], folder: Any) -> StudyError:
    first = min(failures, key=lambda failure: failure.trial)
    kept = "" if folder is None else f" What succeeded is kept in {os.fspath(folder)}."
    error = StudyError(
        f"{len(failures)} of {grid.n_trials} trials failed, first trial {first.trial} of seed {grid.seed} "
        f"({first.what}): {first.error}.{kept}"
    )
    error.add_note(first.trace)
    return error


def _outcomes(grid: Grid, todo: list[int], workers: int, dask: Any) -> Iterator[tuple[int, Outcome]]:
    """Each chunk and what came of it, in the order in which they finish."""
    if not todo:
        return iter(())
    if dask is not None:
        return _on_dask(grid, todo, dask)
    if workers > 1 and len(todo) > 1:
        return _in_processes(grid, todo, workers)
    return ((chunk, run_chunk(grid, chunk)) for chunk in todo)


def _numbered(grid: Grid, chunk: int, version: str) -> tuple[int, Outcome]:
    return chunk, run_chunk(grid, chunk, version)


def _uninterrupted(grid: Grid, chunk: int, version: str) -> tuple[int, Outcome]:
    """In a process of joblib's: Ctrl-C reaches all processes, and the one that started them ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return _numbered(grid, chunk, version)


def _in_processes(grid: Grid, todo: list[int], workers: int) -> Iterator[tuple[int, Outcome]]:
    joblib = import_extra("joblib")
    from concurrent.futures.process import BrokenProcessPool

    parallel = joblib.Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1)
    try:
        yield from parallel(joblib.delayed(_uninterrupted)(grid, chunk, __version__) for chunk in todo)
    except BrokenProcessPool as error:
        raise StudyError(
            f"a worker process died ({str(error).split('.', maxsplit=1)[0]}); what was finished is kept: run it again "
            "to continue, with fewer workers if memory ran out"
        ) from None


def _on_dask(grid: Grid, todo: list[int], dask: Any) -> Iterator[tuple[int, Outcome]]:
    distributed = import_extra("distributed", "dask")
    own = not isinstance(dask, distributed.Client)
    try:
        client = distributed.Client(dask) if own else dask
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(f"no Dask scheduler answers at {dask}: {error}") from None
    try:
        yield from _by_client(distributed, client, grid, todo)
    except distributed.KilledWorker as error:
        raise StudyError(f"workers died again and again; what was finished is kept: {error}") from None
    finally:
        if own:
            client.close()


def _by_client(distributed: Any, client: Any, grid: Grid, todo: list[int]) -> Iterator[tuple[int, Outcome]]:
    """Not all chunks at once: each carries the inputs, which the scheduler must hold until it is done.

    The inputs go with the chunk because what is scattered to a worker is lost with it.
    """
    waiting = iter(todo)
    running = distributed.as_completed()
    count = 0
    while True:
        threads = sum(client.nthreads().values())  # workers come and go
        for chunk in islice(waiting, max(0, max(4, 2 * threads) - count)):
            # Not pure: a second study with the same grid must not be given results that are still there.
            running.add(client.submit(_numbered, grid, chunk, __version__, pure=False))
            count += 1
        if not count:
            return
        yield next(running).result()
        count -= 1
