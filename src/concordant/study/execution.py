"""`run_grid`: run the remaining trials in this process, in others or on a cluster, always with the same bits."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..arrays import FloatArray, Workers
from ..errors import ConcordantError, import_extra
from ..inference.resampling import Progress
from ..options import checked
from .grid import Failure, Folder, Outcome, StudyError, Trials, one_thread, run_chunk

# Limits on the chunks submitted to an executor at a time, each of which carries the inputs of the study.
_IN_FLIGHT_BYTES = 2**28
_FEWEST, _MOST = 16, 1024


@dataclass(frozen=True, eq=False)
class GridRun:
    """All values of a grid, and the cost of the last run."""

    values: FloatArray
    """Results of the trials along the first axis."""
    computed: int
    """Trials that this run computed; the others were in the folder."""
    seconds: float
    cpu_seconds: float
    """Processor time of the trials that this run computed, in all processes."""

    @property
    def cost(self) -> dict[str, float]:
        """Cost of the run, for a result."""
        return {"computed": self.computed, "seconds": self.seconds, "cpu_seconds": self.cpu_seconds}


@checked
def run_grid(
    grid: Trials,
    folder: str | os.PathLike[str] | None = None,
    *,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> GridRun:
    """Run the trials of a grid that are not yet in the folder; without a folder, run all and keep nothing.

    `workers` is a number of processes, or an executor, which gets chunks of trials and stays open. A `StudyError` names
    the first failed trial or the failed executor; chunks without a failure are kept.
    """
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
            values[grid.trials(chunk)] = kept
    missing = sum(len(grid.trials(chunk)) for chunk in todo)
    done = grid.n_trials - missing
    failures: list[Failure] = []
    cpu_seconds = 0.0
    if progress is not None:
        progress(done, grid.n_trials)
    finished = "" if folder is None else f" What was finished is kept in {os.fspath(folder)}: run it again to continue."
    with one_thread(), closing(_outcomes(grid, todo, workers, finished)) as outcomes:
        for chunk, outcome in outcomes:
            cpu_seconds += outcome.cpu_seconds
            failures += outcome.failures
            if outcome.values is not None:
                values[grid.trials(chunk)] = outcome.values
                if store is not None:
                    store.write(chunk, outcome.values)
            done += len(grid.trials(chunk))
            if progress is not None:
                progress(done, grid.n_trials)
    if failures:
        first = min(failures, key=lambda failure: failure.trial)
        error = StudyError(
            f"{len(failures)} of {grid.n_trials} trials failed, first trial {first.trial} of seed {grid.seed} "
            f"({first.what}): {first.error}.{finished}"
        )
        error.add_note(first.trace)
        raise error
    return GridRun(values, missing, time.monotonic() - start, cpu_seconds)


def _outcomes(
    grid: Trials, todo: list[int], workers: Workers, finished: str
) -> Generator[tuple[int, Outcome], None, None]:
    """Yield the outcomes of chunks in the order in which they finish."""
    if not isinstance(workers, int):
        work = partial(run_chunk, grid, version=__version__)
        yield from _submitted(workers, work, todo, _at_once(grid), finished)
    elif workers == 1 or len(todo) < 2:
        yield from ((chunk, run_chunk(grid, chunk)) for chunk in todo)
    else:
        with _processes(grid, min(workers, len(todo))) as pool:
            yield from _submitted(pool, _run_own, todo, 2 * workers, finished)


def _at_once(grid: Trials) -> int:
    try:
        size = len(pickle.dumps(grid))
    except Exception:  # only some executors can send this work, or it stays in this process
        return _FEWEST
    return min(max(_IN_FLIGHT_BYTES // size, _FEWEST), _MOST)


def _submitted(
    executor: Executor, work: Callable[[int], Outcome], todo: list[int], at_once: int, finished: str
) -> Iterator[tuple[int, Outcome]]:
    """Run chunks on an executor, a limited number at a time, because it holds the inputs of each."""
    waiting = iter(todo)
    running: dict[Future[Outcome], int] = {}
    broken: Exception | None = None  # error of the executor; failed trials are part of an outcome
    try:
        while broken is None:
            try:
                for chunk in islice(waiting, at_once - len(running)):
                    running[executor.submit(work, chunk)] = chunk
            except Exception as error:
                broken = error
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                chunk = running.pop(future)
                try:
                    outcome = future.result()
                except Exception as error:
                    broken = error
                else:
                    yield chunk, outcome
    finally:
        for future in running:
            with suppress(Exception):  # the cluster may be gone; the error is raised below
                future.cancel()
    if isinstance(broken, ConcordantError):
        raise broken
    if broken is not None:
        raise StudyError(f"{_what_broke(executor)} ({type(broken).__name__}: {broken}).{finished}") from broken


def _what_broke(executor: Executor) -> str:
    if isinstance(executor, ProcessPoolExecutor):
        return (
            "a worker process died: use fewer workers if memory ran out; in a script, run the study below "
            'if __name__ == "__main__":'
        )
    return f"the executor, a {type(executor).__name__}, gave up"


# Processes of this machine ------------------------------------------------------------------------


class _Recorded(SpawnContext):
    """Start new processes, because forked ones may hang if threads run, and record them to end them immediately."""

    def __init__(self) -> None:
        self.started: list[SpawnProcess] = []

    def Process(self, *args: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        process = SpawnProcess(*args, **options)
        self.started.append(process)
        return process


@contextmanager
def _processes(grid: Trials, count: int) -> Iterator[Executor]:
    """Start processes with the grid. They end when this one does, however it ends."""
    context = _Recorded()
    count = min(count, 61) if os.name == "nt" else count  # Windows cannot wait for more
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(grid,))
    try:
        yield pool
    except BaseException:  # Ctrl-C, too: a chunk may take minutes
        for process in context.started:
            if process.is_alive():
                process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_own: list[Trials] = []  # in a pool process: the grid it was started for


def _begin(grid: Trials) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent ends these
    _own.append(grid)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run_own(chunk: int) -> Outcome:
    return run_chunk(_own[0], chunk)


# A cluster ----------------------------------------------------------------------------------------


@checked
@contextmanager
def executor_at(address: str) -> Iterator[Executor]:
    """Open an executor on the Dask cluster with this scheduler, to pass as `workers`.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as "tcp://10.0.0.1:8786".

    Yields
    ------
    concurrent.futures.Executor
        Closed at the end. If workers of the cluster die, Dask gives their work to others.

    Raises
    ------
    StudyError
        If no scheduler answers.

    See Also
    --------
    reliability_study : A study that takes the executor as `workers`.

    """
    distributed = import_extra("distributed")
    try:
        client = distributed.Client(address)
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(f"no Dask scheduler answers at {address}: {error}") from None
    try:
        yield client.get_executor(pure=False)
    finally:
        with suppress(Exception):  # the scheduler may be gone, which the study has reported
            client.close()
