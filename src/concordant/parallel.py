"""One way to run things at the same time: `workers`, a number or any executor, which has `submit`.

A number means threads of this process, because the kernels release the interpreter's lock; a study takes processes. An
executor (Dask's `Client.get_executor()`, `mpi4py.futures.MPIPoolExecutor`, a pool of one's own) is given whole pieces
of work. What is computed never depends on it.
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
    """How many threads a kernel may start in this process; an executor has workers of its own."""
    return workers if isinstance(workers, int) else 1


def shared_out(
    work: Callable[[Piece], Made], pieces: Iterable[Piece], workers: Workers, *, in_threads: bool = False
) -> Iterator[Made]:
    """What `work` makes of each piece, in their order. An executor of processes needs pieces that can be pickled.

    A number of workers is used only for work `in_threads`; other work has kernels that start threads of their own.
    """
    if not isinstance(workers, int):  # by `submit`, which is all that an executor must have
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
            for piece in pieces:  # not by `map`, which would take all pieces, and their memory, at once
                waiting.append(pool.submit(work, piece))
                if len(waiting) > 2 * most:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
