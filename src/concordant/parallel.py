"""Parallel work: `workers` is a number, or an executor (any object with `submit`).

A number means threads of this process, because the kernels release the interpreter's lock; a study starts processes.
An executor (Dask's `Client.get_executor()`, `mpi4py.futures.MPIPoolExecutor`, your own pool) gets whole pieces of work.
Results never depend on `workers`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TypeAlias, TypeVar

Workers: TypeAlias = "int | Executor"
Piece = TypeVar("Piece")
Made = TypeVar("Made")


def threads(workers: Workers) -> int:
    """Return how many threads a kernel may start in this process: one if an executor does the work."""
    return workers if isinstance(workers, int) else 1


def shared_out(
    work: Callable[[Piece], Made], pieces: Iterable[Piece], workers: Workers, *, in_threads: bool = False
) -> Iterator[Made]:
    """Yield the result of `work` for each piece, in order. An executor of processes needs pieces that can be pickled.

    A number of workers counts only for work `in_threads`. Other work calls kernels that start their own threads.
    """
    if not isinstance(workers, int):  # an executor needs only `submit`
        running = deque(workers.submit(work, piece) for piece in pieces)
        try:
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()
    elif workers == 1 or not in_threads:
        yield from map(work, pieces)
    else:
        most, waiting = min(workers, 4 * (os.cpu_count() or 1)), deque[Future[Made]]()
        with ThreadPoolExecutor(most) as pool:
            for piece in pieces:  # `map` would take all pieces, and their memory, at once
                waiting.append(pool.submit(work, piece))
                if len(waiting) > 2 * most:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
