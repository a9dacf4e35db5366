"""Names for the kinds of array that go through the package, and how much room the largest may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import LimitError, limit_of
from .words import named

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]


def read_only(value: Any) -> None:
    """Let nobody write to an array, nor to those within tuples, lists, mappings and dataclasses: results are values."""
    if type(value) in (float, str, int, bool):  # nearly all there is
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


# The most that arrays with a number for each pair of systems, or for each system and draw, may take together.
MAX_PAIRS_BYTES = limit_of("CONCORDANT_MAX_PAIRS_BYTES", 2**32)


def require_room_for_pairs(m: int, what: str, arrays: int) -> None:
    """Raise if so many numbers for each pair of m systems would fill the memory, rather than try and be killed.

    `arrays` is what was measured at the peak, in numbers of 8 bytes per ordered pair, whatever holds them.
    """
    _require_room(arrays * m * m, f"{what} holds up to {arrays} numbers for each pair of {m:,} systems", "take")


def require_room_for_draws(count: int, m: int, arrays: int) -> None:
    """As for pairs, for so many numbers for each draw and each of m systems."""
    what = f"{count:,} draws hold up to {arrays} numbers for each of {m:,} systems"
    _require_room(arrays * count * m, what, f"lower {named('n_resamples')}, take")


def _require_room(numbers: int, what: str, way_out: str) -> None:
    if 8 * numbers > MAX_PAIRS_BYTES:
        raise LimitError(
            f"{what}, {8 * numbers / 2**30:,.1f} GiB: {way_out} fewer systems ({named('Scores.select')}), or allow "
            f"more than {MAX_PAIRS_BYTES:,} bytes: set CONCORDANT_MAX_PAIRS_BYTES in the environment, or "
            "concordant.arrays.MAX_PAIRS_BYTES"
        )


_AT_A_TIME = 2**25  # numbers: 256 MB


def rows_at_a_time(columns: int, most: int) -> int:
    """How many rows of an array to make at a time, so that many topics do not take much memory.

    All of them where they fit. Otherwise a multiple of 4: NumPy draws four small integers from one random number, and
    drops what is left of it at the end of a call.
    """
    room = _AT_A_TIME // columns
    return most if most <= room else max(4, room // 4 * 4)
