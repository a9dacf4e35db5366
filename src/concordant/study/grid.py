"""`run_grid` runs independent trials in this process, in other processes or on a cluster, always with the same bits.

Each trial has its own stream of random numbers. Trials are computed and saved in chunks, so a study can be stopped and
continued.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import reprlib
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import __version__
from ..arrays import FloatArray, Workers
from ..errors import ConcordantError, InputError, import_extra, warn
from ..inference.resampling import Progress, silent
from ..options import checked
from ..read.source import read_text
from ..render.outputs import clear_parts, write_new, written_whole

_AT_ONCE = 64  # most chunks that an executor holds at a time, because each carries the inputs of the study


class StudyError(ConcordantError):
    """A trial of a study failed, or the executor did; all finished chunks are kept."""


@dataclass(frozen=True)
class Trials:
    """Trials 0, 1, ... of a study. A trial depends only on the work, the seed and its own number."""

    name: str
    work: Any
    """A callable that takes the number of a trial and a generator, and returns an array. Its method `describe(trial)`
    names the trial. The callable is sent to other processes, so it must be picklable and should be small."""
    n_trials: int
    shape: tuple[int, ...]
    """Shape of the array that a trial returns."""
    settings: Mapping[str, Any]
    """All settings that determine the results, with fingerprints of the inputs, ready for JSON."""
    seed: int
    chunk: int = 25
    """Number of trials computed and saved together. If a run is killed, each worker loses at most this many."""

    def trials(self, chunk: int) -> range:
        """Return the numbers of the trials in a chunk; the last chunk may be shorter."""
        return range(chunk * self.chunk, min((chunk + 1) * self.chunk, self.n_trials))

    def run_trial(self, trial: int) -> FloatArray:
        """Run one trial as the study does, for example to debug a trial that failed."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(trial,)))
        found = np.asarray(self.work(trial, rng), dtype=np.float64)
        if found.shape != self.shape:
            raise ValueError(f"the trial returned an array of shape {found.shape} instead of {self.shape}")
        return found


class GridRun(NamedTuple):
    """All values of a grid, with the trials along the first axis, and the cost of the run: trials and seconds."""

    values: FloatArray
    cost: dict[str, float]


@checked
def run_grid(
    grid: Trials,
    folder: str | os.PathLike[str] | None = None,
    *,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> GridRun:
    """Run the trials of a grid that are not yet in the folder; without a folder, run all trials and save nothing.

    `workers` is a number of processes, or an executor, which gets chunks of trials and stays open. A `StudyError` names
    the failed trial or executor. Finished chunks are kept.
    """
    start = time.monotonic()
    chunks = None if folder is None else _opened(Path(folder), grid)
    values = np.empty((grid.n_trials, *grid.shape))
    todo = []
    for chunk in range(-(-grid.n_trials // grid.chunk)):
        trials = grid.trials(chunk)
        kept = None if chunks is None else _read(chunks, chunk, (len(trials), *grid.shape))
        if kept is None:
            todo.append(chunk)
        else:
            values[trials] = kept
    missing = sum(len(grid.trials(chunk)) for chunk in todo)
    done = grid.n_trials - missing
    (progress or silent)(done, grid.n_trials)
    finished = "" if folder is None else f" Finished trials are in {os.fspath(folder)}: run again to continue."
    with _one_thread(), closing(_computed(grid, todo, workers, finished)) as computed:
        for chunk, found in computed:
            values[grid.trials(chunk)] = found
            if chunks is not None:
                with written_whole(_path(chunks, chunk)) as file:
                    file.write(_sealed(chunk, found))
            done += len(found)
            (progress or silent)(done, grid.n_trials)
    return GridRun(values, {"computed": missing, "seconds": time.monotonic() - start})


# The folder of a study: a manifest that identifies the study, and a file for each finished chunk. Files are written
# completely under another name and then renamed, and their content depends only on the manifest. So a killed run leaves
# no partial file, and two runs at the same time write the same bytes.


def _opened(path: Path, grid: Trials) -> Path:
    """Open or create the folder of this study; return the folder of its chunks."""
    manifest, chunks = path / "manifest.json", path / "chunks"
    # No dates, because all runs must write the same bytes.
    about = {"study": grid.name, "version": __version__, "seed": grid.seed, "n_trials": grid.n_trials}
    wanted = about | {"shape": grid.shape, "chunk": grid.chunk, **grid.settings}
    written = json.dumps(wanted, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        chunks.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError(f"{path} is a file: give a folder, which is created if it does not exist") from None
    # If two runs start together, one writes the manifest and both read it.
    if manifest.exists() or not write_new(manifest, f"{written}\n".encode()):
        found, wanted = None, json.loads(written)
        with suppress(ValueError, RecursionError):
            found = json.loads(read_text(manifest))
        if not isinstance(found, dict) or "study" not in found:
            raise InputError(f"{manifest} is not the manifest of a study: give another folder")
        differences = [
            f"{key} is {reprlib.repr(found.get(key))} there and {reprlib.repr(wanted.get(key))} here"
            for key in dict.fromkeys([*found, *wanted])
            if found.get(key) != wanted.get(key)
        ]
        if differences:
            shown = "; ".join(differences[:5]) + ("; ..." if len(differences) > 5 else "")
            raise InputError(f"{path} holds another study: {shown}. Give another folder, or the settings of that study")
    for place in (path, chunks):
        clear_parts(place)
    return chunks


def _path(chunks: Path, chunk: int) -> Path:
    return chunks / f"{chunk:06d}.bin"


def _sealed(chunk: int, values: FloatArray) -> bytes:
    """Encode values, with a checksum of the values and the chunk number that reveals damaged or swapped files."""
    saved = values.tobytes()
    return saved + hashlib.sha256(b"%d " % chunk + saved).digest()


def _read(chunks: Path, chunk: int, shape: tuple[int, ...]) -> FloatArray | None:
    """Read the values of a chunk; None if it must be computed."""
    path, values = _path(chunks, chunk), np.zeros(shape)
    if not path.exists():
        return None
    if path.stat().st_size == len(_sealed(chunk, values)):
        content = path.read_bytes()
        values = np.frombuffer(content[: values.nbytes]).reshape(shape)
        if content == _sealed(chunk, values):
            return values
    warn(f"{path} is damaged, and is computed again")
    return None


# The computation -----------------------------------------------------------------------------------------------------


def _one_thread() -> Any:
    """Limit linear algebra to one thread, so that workers do not compete for cores and sums have the same last bit.

    Each worker sets its own limit. If the workers are threads of one process, the limit set here must last until all
    are done.
    """
    return import_extra("threadpoolctl").threadpool_limits(1)


def _run_chunk(grid: Trials, chunk: int) -> FloatArray:
    """Run all trials of a chunk in this process."""
    values = np.empty((len(grid.trials(chunk)), *grid.shape))
    with _one_thread():
        for row, trial in zip(values, grid.trials(chunk), strict=True):
            try:
                row[:] = grid.run_trial(trial)
            except Exception as error:
                what = f"trial {trial} of seed {grid.seed} ({grid.work.describe(trial)})"
                raise StudyError(f"{what} failed with {type(error).__name__}: {error}.") from error
    return values


def _computed(
    grid: Trials, todo: list[int], workers: Workers, finished: str
) -> Generator[tuple[int, FloatArray], None, None]:
    """Yield the values of chunks in the order in which they finish."""
    try:
        if workers == 1 or (isinstance(workers, int) and len(todo) < 2):
            yield from ((chunk, _run_chunk(grid, chunk)) for chunk in todo)
        else:
            with _processes(workers, len(todo)) if isinstance(workers, int) else nullcontext(workers) as pool:
                yield from _submitted(pool, partial(_run_chunk, grid), todo)
    except ConcordantError as error:
        raise StudyError(f"{error}{finished}") from error
    except Exception as error:
        broke = f"the executor, a {type(workers).__name__}, gave up"
        if isinstance(workers, int):
            broke = "a worker process died: use fewer workers if memory ran out; in a script, run the study below "
            broke += 'if __name__ == "__main__":'
        raise StudyError(f"{broke} ({type(error).__name__}: {error}).{finished}") from error


def _submitted(
    executor: Executor, work: Callable[[int], FloatArray], todo: list[int]
) -> Iterator[tuple[int, FloatArray]]:
    """Run chunks on an executor, a limited number at a time."""
    waiting = iter(todo)
    running: dict[Future[FloatArray], int] = {}
    try:
        while True:
            for chunk in islice(waiting, _AT_ONCE - len(running)):
                running[executor.submit(work, chunk)] = chunk
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        for future in running:
            with suppress(Exception):  # the cluster may be gone
                future.cancel()


@contextmanager
def _processes(workers: int, most: int) -> Iterator[Executor]:
    """Start processes, at most as many as there are chunks. They end when this process ends, for whatever reason."""
    before = multiprocessing.active_children()
    count = min(workers, most, 61 if os.name == "nt" else most)  # Windows cannot wait for more processes
    context = multiprocessing.get_context("spawn")  # forked processes may hang if threads run
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin)
    try:
        yield pool
    except BaseException:  # on Ctrl-C, too, because a chunk may take minutes
        for process in set(multiprocessing.active_children()).difference(before):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
