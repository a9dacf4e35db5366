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


# The most that arrays with a number for each pair of systems may take together.
MAX_PAIRS_BYTES = limit_of("CONCORDANT_MAX_PAIRS_BYTES", 2**32)


def require_room_for_pairs(m: int, what: str, arrays: int) -> None:
    """Raise if so many numbers for each pair of m systems would fill the memory, rather than try and be killed.

    `arrays` is what was measured at the peak, in numbers of 8 bytes per ordered pair, whatever holds them.
    """
    room = 8 * arrays * m * m
    if room > MAX_PAIRS_BYTES:
        raise LimitError(
            f"{what} holds up to {arrays} numbers for each pair of {m:,} systems, {room / 2**30:,.1f} GiB: take fewer "
            f"systems ({named('Scores.select')}), or allow more than {MAX_PAIRS_BYTES:,} bytes: set "
            "CONCORDANT_MAX_PAIRS_BYTES in the environment, or concordant.arrays.MAX_PAIRS_BYTES"
        )
