"""`Trials`: independent trials, each with its own stream of random numbers, and what is computed of some at a time."""

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
from ..read.files import load_array, read_bytes, read_text
from ..render.outputs import clear_parts, guarding, write_new, written_whole


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
class Trials:
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


def run_chunk(grid: Trials, chunk: int, version: str = __version__) -> Outcome:
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


# The folder of a study: a manifest of what it is, and a file for each chunk that is done ------------------------------

_CHECKSUM = hashlib.sha256().digest_size


class Folder:
    """Chunks of one study on disk.

    Every file is written whole under another name and then renamed, and what it holds depends on the manifest alone.
    So a killed run leaves no half of a file, and two runs at the same time write the same bytes twice.
    """

    def __init__(self, path: Path, grid: Trials) -> None:
        """Open the folder of this study, or make it. The chunks of a study that was begun keep their size."""
        manifest = path / "manifest.json"
        wanted = _manifest(grid)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise InputError(f"{path} is a file: give a folder, which is made if it is not there") from None
        if not manifest.exists():  # of two runs that begin at once one writes it, and both read what it wrote
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
        """The values of a chunk, or None where it has to be computed."""
        path = self._path(chunk)
        if not path.exists():
            return None
        try:
            with guarding({}):  # a chunk is no input: a damaged one is replaced
                content = read_bytes(path)
        except ReadError:  # another run may have it half renamed on a network's disk, or it is no chunk at all
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
        """Keep the values of a chunk, as a .npy file with a checksum behind, which readers of .npy pass over."""
        with written_whole(self._path(chunk)) as file:
            buffer = io.BytesIO()
            np.save(buffer, values, allow_pickle=False)
            file.write(buffer.getvalue() + _checksum(chunk, buffer.getvalue()))

    def _path(self, chunk: int) -> Path:
        return self.chunks / f"{chunk:06d}.npy"


def _checksum(chunk: int, saved: bytes) -> bytes:
    """Of the bytes and the number of their chunk: a file that was copied over another one is damaged, too."""
    return hashlib.sha256(b"%d " % chunk + saved).digest()


def _manifest(grid: Trials) -> dict[str, Any]:
    """What decides the results, in the form that JSON gives back. No dates: two runs must write the same bytes."""
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
    """What two manifests do not agree on, in words; the size of chunks is no matter."""
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
