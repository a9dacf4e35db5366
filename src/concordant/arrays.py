"""Array types, limits on memory, fingerprints of data, and parallel work.

`workers` is a number, or an executor (any object with `submit`).

A number is the number of threads in this process; threads suffice because the kernels release the interpreter's lock.
Only a study starts processes. An executor (Dask's `Client.get_executor()`, `mpi4py.futures.MPIPoolExecutor`, your own
pool) gets whole pieces of work. Results never depend on `workers`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from .errors import LimitError, limit_of, named

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


def read_only(value: Any) -> None:
    """Make arrays read-only, including arrays inside tuples, lists, mappings and dataclasses."""
    if type(value) in (float, str, int, bool):  # the most frequent types first
        return
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, Mapping):
        for item in value.values():
            read_only(item)
    elif isinstance(value, list | tuple):
        for item in value:
            read_only(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            read_only(getattr(value, part.name))


def fingerprint(values: FloatArray, *labels: Sequence[str]) -> str:
    """Compute a hash of numbers and labels that changes if any number, any label or their order changes."""
    digest = hashlib.sha256(json.dumps(values.shape).encode())
    digest.update(np.ascontiguousarray(values + 0.0, dtype="<f8").tobytes())  # adding 0.0 turns -0 into 0
    if labels:
        digest.update(json.dumps(labels).encode())
    return digest.hexdigest()


# The most bytes that all arrays over pairs of systems, or over systems and draws, may take together.
MAX_PAIRS_BYTES = limit_of("CONCORDANT_MAX_PAIRS_BYTES", 2**32)


def require_room_for_pairs(m: int, what: str, arrays: int) -> None:
    """Raise an error if arrays over all pairs of m systems would exceed the memory limit.

    `arrays` is the measured peak of memory per ordered pair, in numbers of 8 bytes.
    """
    _require_room(arrays * m * m, f"{what} holds up to {arrays} numbers for each pair of {m:,} systems", "use")


def require_room_for_draws(count: int, m: int, arrays: int) -> None:
    """Raise an error if arrays over all draws and m systems would exceed the memory limit."""
    what = f"{count:,} draws hold up to {arrays} numbers for each of {m:,} systems"
    _require_room(arrays * count * m, what, f"lower {named('n_resamples')}, use")


def _require_room(numbers: int, what: str, way_out: str) -> None:
    if 8 * numbers > MAX_PAIRS_BYTES:
        raise LimitError(
            f"{what}, {8 * numbers / 2**30:,.1f} GiB: {way_out} fewer systems ({named('Scores.select')}), or raise "
            f"the limit of {MAX_PAIRS_BYTES:,} bytes: set CONCORDANT_MAX_PAIRS_BYTES in the environment, or "
            "concordant.arrays.MAX_PAIRS_BYTES"
        )


SMALLEST, LARGEST = 1e-60, 1e60  # between these, sums of fourth powers of scores neither underflow nor overflow


def require_moderate(values: FloatArray, name: str) -> None:
    """Refuse scores whose variances would overflow or underflow."""
    largest = np.nanmax(np.abs(values), initial=0.0)
    if largest > LARGEST:
        raise LimitError(f"{name} has scores beyond {LARGEST:g}: divide them by a constant")
    if 0 < largest < SMALLEST:
        raise LimitError(f"{name} has only scores below {SMALLEST:g} in size: multiply them by a constant")


_AT_A_TIME = 2**25  # numbers, which take 256 MB


def rows_at_a_time(columns: int, most: int) -> int:
    """Return how many rows of an array to make at a time, so that they fit into memory.

    If not all rows fit, the answer is a multiple of 4: NumPy draws four small integers from one random number, and
    discards unused integers at the end of a call.
    """
    room = _AT_A_TIME // columns
    return most if most <= room else max(4, room // 4 * 4)


# Parallel work --------------------------------------------------------------------------------------------------------

Workers: TypeAlias = "int | Executor"
Piece = TypeVar("Piece")
Made = TypeVar("Made")


def threads(workers: Workers) -> int:
    """Return how many threads a kernel may start in this process: `workers`, or one if `workers` is an executor."""
    return workers if isinstance(workers, int) else 1


def shared_out(
    work: Callable[[Piece], Made], pieces: Iterable[Piece], workers: Workers, *, in_threads: bool = False
) -> Iterator[Made]:
    """Yield the result of `work` for each piece, in order. An executor of processes needs pieces that can be pickled.

    If `workers` is a number, threads share the work only with `in_threads`. Without it, the work calls kernels that
    start their own threads.
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
            for piece in pieces:  # `Executor.map` would hold all pieces in memory at once
                waiting.append(pool.submit(work, piece))
                if len(waiting) > 2 * most:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
