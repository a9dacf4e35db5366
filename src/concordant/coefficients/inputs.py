"""Checks of the arguments of coefficients, and their conversion to rows of scores.

Coefficients compare scores by position. So everything that could silently compare the wrong scores (names, labels in
another order, missing values) is refused here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Set
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..errors import InputError, InputTypeError

_FLOAT64 = np.dtype(np.float64)


class Batch(NamedTuple):
    """Pairs of score vectors: pair b is (truth[truth_row[b]], candidate[candidate_row[b]]).

    Broadcasting repeats row numbers, never scores, so a batch needs no copy of its input.
    """

    truth: FloatArray
    candidate: FloatArray
    truth_row: IntArray
    candidate_row: IntArray
    shape: tuple[int, ...]


def vectors(truth: npt.ArrayLike, candidate: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Convert both arguments to contiguous float64 arrays with equally many systems on the last axis.

    The kernels check that values are finite, because they read them all anyway.
    """
    t = floats(truth, "truth")
    o = floats(candidate, "candidate")
    if t is not truth or o is not candidate:
        refuse_other_labels(truth, candidate)
    m = t.shape[-1]
    if o.shape[-1] != m:
        raise InputError(
            f"truth has {m} systems and candidate has {o.shape[-1]}: both need one score for each system, "
            f"in the same order (last axis; shapes {t.shape} and {o.shape})"
        )
    if m < 2:
        raise InputError(
            f"truth and candidate have {m} system{'' if m == 1 else 's'}: at least 2 are needed to compare rankings"
        )
    return t, o


def rows(truth: FloatArray, candidate: FloatArray) -> Batch:
    """Broadcast the leading axes of two arrays from `vectors`."""
    lead_t, lead_o = truth.shape[:-1], candidate.shape[:-1]
    try:
        shape = np.broadcast_shapes(lead_t, lead_o)
    except ValueError:
        raise InputError(
            f"truth of shape {truth.shape} and candidate of shape {candidate.shape} do not broadcast: "
            "the last axis holds the systems, the axes before it must be equal or 1"
        ) from None
    m = truth.shape[-1]
    truth, candidate = truth.reshape(-1, m), candidate.reshape(-1, m)

    def row_numbers(lead: tuple[int, ...], count: int) -> IntArray:
        return np.ascontiguousarray(np.broadcast_to(np.arange(count).reshape(lead), shape)).reshape(-1)

    return Batch(truth, candidate, row_numbers(lead_t, len(truth)), row_numbers(lead_o, len(candidate)), shape)


def require_finite(truth: FloatArray, candidate: FloatArray) -> None:
    """Refuse NaN and infinite scores."""
    for array, name in ((truth, "truth"), (candidate, "candidate")):
        if not np.isfinite(array).all():
            refuse_not_finite(array, name)


def refuse_not_finite(array: FloatArray, name: str) -> NoReturn:
    """Raise for the first value of `array` that is NaN or infinite."""
    place = np.unravel_index(np.flatnonzero(~np.isfinite(array))[0], array.shape)
    raise InputError(
        f"{name}{subscript(place)} is {array[place]}: every score must be a finite number; "
        "leave out the system on both sides, or give its missing topics a score first"
    )


def subscript(place: tuple[Any, ...]) -> str:
    """Format the place of a value as in Python: [3] or [0, 3]."""
    return "[" + ", ".join(str(int(k)) for k in place) + "]"


def floats(values: Any, name: str) -> FloatArray:
    if type(values) is np.ndarray and values.dtype is _FLOAT64 and values.ndim and values.flags.c_contiguous:
        return values
    if isinstance(values, (str, bytes, bytearray, memoryview, Mapping, Set)) or hasattr(values, "__next__"):
        _refuse_kind(name, f"is a {type(values).__name__}", values)
    _refuse_masks_and_labels(values, name)
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(
            f"{name} has rows of unequal length: give an array with the systems on the last axis"
        ) from None
    if array.ndim == 0:
        _refuse_kind(name, f"is the single value {values!r}", None)
    if array.dtype.kind not in "fiub":
        _refuse_kind(name, f"holds {_first_odd(values, array)}", None)
    with np.errstate(over="ignore"):
        floats = np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.itemsize >= 8 and array.dtype.kind in "iuf" and array.dtype != _FLOAT64:
        _refuse_rounding(array, floats, name)
    return floats


def _first_odd(values: Any, array: npt.NDArray[Any]) -> str:
    """Describe the first value that is not a real number, and its place."""
    if array.dtype.kind not in "OUS":
        return (
            f"values of type {array.dtype}, such as {array.flat[0]!s}"
            if array.size
            else f"values of type {array.dtype}"
        )
    # NumPy turns lists of numbers and names into strings, so look at the original values.
    given = np.empty(array.shape, dtype=object)
    given[...] = array if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    for place, value in np.ndenumerate(given):
        if isinstance(value, (int, float, np.bool_, np.integer, np.floating)):
            finite: Any = value
            if abs(finite) <= sys.float_info.max:
                continue
        return f"{value!r} at {subscript(place)}, which is not a real number that float64 can hold"
    return f"values of type {array.dtype}"


def _refuse_kind(name: str, what: str, values: Any) -> NoReturn:
    hint = ""
    if isinstance(values, Mapping):
        hint = f"; from mappings: names = sorted(truth), then [{name}[s] for s in names] for both sides"
    raise InputTypeError(
        f"{name} {what}: pass numbers, one score for each system in the same order on both sides, higher is better. "
        f"A ranking is passed as scores, never as a list of names; list the scores of {{name: score}} mappings in one "
        f"order of names{hint}"
    )


def _refuse_rounding(array: npt.NDArray[Any], floats: FloatArray, name: str) -> None:
    """Large integers and long doubles may become equal in float64, which would invent ties."""
    with np.errstate(all="ignore"):
        changed = np.flatnonzero((floats.astype(array.dtype) != array) & ~np.isnan(floats))
    if changed.size:
        place = np.unravel_index(changed[0], array.shape)
        raise InputError(
            f"{name}{subscript(place)} is {array[place]}, which float64 cannot hold exactly, so different scores "
            "could become ties: subtract a constant or pass ranks (scipy.stats.rankdata)"
        )


def _refuse_masks_and_labels(values: Any, name: str) -> None:
    """Refuse masks, and lists of Series, whose labels NumPy would drop silently."""
    parts = values if isinstance(values, (list, tuple)) else (values,)
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise InputError(
            f"{name} has masked values: leave those systems out on both sides (a mask would be ignored silently)"
        )
    if isinstance(values, (list, tuple)) and any(hasattr(part, "iloc") for part in parts):
        raise InputError(
            f"{name} is a {type(values).__name__} of Series, whose labels would be ignored: pass "
            f"pandas.DataFrame({name}), which brings them into one order, or the .to_numpy() of each"
        )


def refuse_other_labels(truth: Any, candidate: Any) -> None:
    """Refuse two pandas objects whose labels differ, because scores are compared by position."""
    if not (hasattr(truth, "iloc") and hasattr(candidate, "iloc")):
        return
    t, o = (side.columns if hasattr(side, "columns") else side.index for side in (truth, candidate))
    if t.equals(o):
        return
    if set(t) == set(o) and len(t) == len(o):
        labels = "truth.columns" if hasattr(truth, "columns") else "truth.index"
        raise InputError(
            "truth and candidate carry the same labels in another order, and scores are compared by position: "
            f"use candidate[{labels}]"
        )
    odd = next(iter(sorted(map(str, set(t) ^ set(o)))))
    raise InputError(
        f"truth and candidate do not carry the same labels ({odd!r} is on one side only), and scores are compared by "
        "position: choose what both have with common = truth.index.intersection(candidate.index), or let "
        "concordant.compare match them; rbo takes the .to_dict() of both"
    )
