"""One way to run things at the same time: `workers`, a number or any `concurrent.futures.Executor`.

A number means threads of this process, because the kernels release the interpreter's lock; a study takes processes. An
executor (Dask's `Client.get_executor()`, `mpi4py.futures.MPIPoolExecutor`, a pool of one's own) is given whole pieces
of work. What is computed never depends on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeAlias, TypeVar

import numpy as np

from .errors import InputError
from .words import named

Workers: TypeAlias = "int | Executor"
Piece = TypeVar("Piece")
Made = TypeVar("Made")


def check_workers(workers: Any) -> Workers:
    """A number of at least 1, or an executor."""
    if isinstance(workers, Executor):
        return workers
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 1:
        raise InputError(
            f"{named('workers')} is {workers!r}: give a whole number, at least 1, or an executor of concurrent.futures"
        )
    return min(int(workers), 2**20)


def threads(workers: Workers) -> int:
    """How many threads a kernel may start in this process; an executor has workers of its own."""
    return workers if isinstance(workers, int) else 1


def mapped(work: Callable[[Piece], Made], pieces: Sequence[Piece], workers: Workers) -> Iterator[Made]:
    """What `work` makes of each piece, in their order. An executor of processes needs pieces that can be pickled."""
    if isinstance(workers, Executor):
        yield from workers.map(work, pieces)
    elif workers == 1 or len(pieces) < 2:
        yield from map(work, pieces)
    else:
        with ThreadPoolExecutor(min(workers, len(pieces), 4 * (os.cpu_count() or 1))) as pool:
            yield from pool.map(work, pieces)


def shared_out(work: Callable[[Piece], Made], pieces: Iterable[Piece], workers: Workers) -> Iterator[Made]:
    """As `mapped`, for work whose kernels start threads of their own: only an executor is given the pieces."""
    return workers.map(work, pieces) if isinstance(workers, Executor) else map(work, pieces)
