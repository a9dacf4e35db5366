"""`Trials`: independent trials, each with its own stream of random numbers, computed and saved in chunks."""

from __future__ import annotations

import hashlib
import io
import json
import time
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..errors import ConcordantError, InputError, ReadError, import_extra, warn
from ..read.source import load_array, read_bytes, read_text
from ..render.outputs import clear_parts, guarding, write_new, written_whole


class StudyError(ConcordantError):
    """Some trials of a study failed, or the executor did; all finished chunks are kept."""


class Work(Protocol):
    """The work of a trial. It is sent to other processes, so it must be picklable and should be small."""

    def __call__(self, trial: int, rng: np.random.Generator) -> FloatArray:
        """Run a trial and return its numbers, always in the same shape."""
        ...

    def describe(self, trial: int) -> str:
        """Name a trial for messages."""
        ...


@dataclass(frozen=True)
class Trials:
    """Trials 0, 1, ... of a study. A trial depends only on the work, the seed and its own number."""

    name: str
    work: Work
    n_trials: int
    shape: tuple[int, ...]
    """Shape of the result of a trial."""
    settings: Mapping[str, Any]
    """All settings that decide the results, with fingerprints of the inputs, ready for JSON."""
    seed: int
    chunk: int = 25
    """Trials computed and saved together: the most that each worker of a killed run can lose."""

    @property
    def n_chunks(self) -> int:
        """Number of chunks; the last may be shorter."""
        return -(-self.n_trials // self.chunk)

    def trials(self, chunk: int) -> range:
        """The trials of a chunk."""
        return range(chunk * self.chunk, min((chunk + 1) * self.chunk, self.n_trials))

    def run_trial(self, trial: int) -> FloatArray:
        """Run one trial as in the study, for example to debug one that failed."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(trial,)))
        found = np.asarray(self.work(trial, rng), dtype=np.float64)
        if found.shape != self.shape:
            raise ValueError(f"the trial returned an array of shape {found.shape} instead of {self.shape}")
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
    """The outcome of a chunk: the values of its trials, or none if one of them failed."""

    values: FloatArray | None
    failures: tuple[Failure, ...]
    cpu_seconds: float


def one_thread() -> Any:
    """Limit linear algebra to one thread, so that workers do not compete for cores and sums keep their last bit.

    Workers limit themselves. If they are threads of one process, this limit must outlast all of them.
    """
    return import_extra("threadpoolctl").threadpool_limits(1)


def run_chunk(grid: Trials, chunk: int, version: str = __version__) -> Outcome:
    """Run all trials of a chunk in this process."""
    if version != __version__:
        raise StudyError(f"a worker has concordant {__version__}, but the study was started by {version}")
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


# The folder of a study: a manifest of what it is, and a file for each chunk that is done ------------------------------

_CHECKSUM = hashlib.sha256().digest_size


class Folder:
    """Chunks of one study on disk.

    Every file is written completely under another name and then renamed, and its content depends only on the manifest.
    So a killed run leaves no partial file, and two runs at the same time write the same bytes.
    """

    def __init__(self, path: Path, grid: Trials) -> None:
        """Open or create the folder of this study. A study continued from it keeps its chunk size."""
        manifest = path / "manifest.json"
        wanted = _manifest(grid)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise InputError(f"{path} is a file: give a folder, which is made if it is not there") from None
        if not manifest.exists():  # if two runs start together, one writes it and both read it
            write_new(manifest, (json.dumps(wanted, indent=2, ensure_ascii=False) + "\n").encode())
        found = _read(manifest)
        differences = list(_differences(found, wanted))
        if differences:
            shown = "; ".join(differences[:5]) + ("; ..." if len(differences) > 5 else "")
            raise InputError(f"{path} holds another study: {shown}. Give another folder, or the settings of this one")
        self.grid = replace(grid, chunk=int(found["chunk"]))
        self.chunks = path / "chunks"
        self.chunks.mkdir(exist_ok=True)
        for place in (path, self.chunks):
            clear_parts(place)

    def read(self, chunk: int) -> FloatArray | None:
        """Read the values of a chunk; None if it must be computed."""
        path = self._path(chunk)
        if not path.exists():
            return None
        try:
            with guarding({}):  # chunks are not user input: replace damaged ones
                content = read_bytes(path)
        except ReadError:  # not a chunk, or another run is renaming it on a network disk
            content = b""
        saved, checksum = content[:-_CHECKSUM], content[-_CHECKSUM:]
        if _checksum(chunk, saved) == checksum:
            values: FloatArray | None = load_array(saved)
            shape = (len(self.grid.trials(chunk)), *self.grid.shape)
            if values is not None and values.shape == shape and values.dtype == np.float64:
                return values
        warn(f"{path} is damaged, and is computed again")
        return None

    def write(self, chunk: int, values: FloatArray) -> None:
        """Write the values of a chunk as a .npy file, followed by a checksum that .npy readers ignore."""
        with written_whole(self._path(chunk)) as file:
            buffer = io.BytesIO()
            np.save(buffer, values, allow_pickle=False)
            file.write(buffer.getvalue() + _checksum(chunk, buffer.getvalue()))

    def _path(self, chunk: int) -> Path:
        return self.chunks / f"{chunk:06d}.npy"


def _checksum(chunk: int, saved: bytes) -> bytes:
    """Checksum of the bytes and the chunk number, so that a file copied over another one counts as damaged."""
    return hashlib.sha256(b"%d " % chunk + saved).digest()


def _manifest(grid: Trials) -> dict[str, Any]:
    """Return everything that decides the results, as read back from JSON. No dates: runs must write the same bytes."""
    made = {
        "study": grid.name,
        "version": __version__,
        "seed": grid.seed,
        "n_trials": grid.n_trials,
        "shape": list(grid.shape),
        "settings": dict(grid.settings),
        "chunk": grid.chunk,
    }
    return dict(json.loads(json.dumps(made, allow_nan=False)))


def _read(manifest: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_text(manifest))
        if isinstance(found, dict) and isinstance(found["study"], str) and int(found["chunk"]) >= 1:
            return found
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise InputError(f"{manifest} is not the manifest of a study: give another folder")


def _differences(found: Any, wanted: Any, where: str = "") -> Iterator[str]:
    """Describe the differences between two manifests; chunk sizes may differ."""
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        for key in dict.fromkeys([*found, *wanted]):
            if where or key != "chunk":
                name = f"{where} {key}" if where and where != "settings" else key
                yield from _differences(found.get(key), wanted.get(key), name)
    elif found != wanted:
        yield f"{where} is {_short(found)} there and {_short(wanted)} here"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
