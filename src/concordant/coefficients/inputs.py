"""From what callers pass to rows of scores, and from rows of results back to what callers expect.

Coefficients are strict: they compare scores position by position, so everything that could
silently compare the wrong things (names, labels in another order, missing values) is refused here.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ..errors import InputError, InputTypeError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_FLOAT64 = np.dtype(np.float64)


class Rows(NamedTuple):
    """Pairs of score vectors: pair b is (truth[truth_row[b]], observed[observed_row[b]]).

    Broadcasting repeats row numbers, never scores, so a batch needs no copy of its input.
    """

    truth: FloatArray
    observed: FloatArray
    truth_row: IntArray
    observed_row: IntArray
    shape: tuple[int, ...]


def vectors(truth: npt.ArrayLike, observed: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both arguments as contiguous float64 arrays with the same number of systems on the last axis.

    Whether the values are finite is left to the kernels, which read them all anyway.
    """
    t = _floats(truth, "truth")
    o = _floats(observed, "observed")
    if t is not truth or o is not observed:
        _refuse_other_labels(truth, observed)
    m = t.shape[-1]
    if o.shape[-1] != m:
        raise InputError(
            f"truth has {m} systems and observed has {o.shape[-1]}: both need one score for each system, "
            f"in the same order (last axis; shapes {t.shape} and {o.shape})"
        )
    if m < 2:
        raise InputError(
            f"truth and observed have {m} system{'' if m == 1 else 's'}: at least 2 are needed to compare rankings"
        )
    return t, o


def rows(truth: FloatArray, observed: FloatArray) -> Rows:
    """Broadcast the leading axes of two arrays from `vectors`."""
    lead_t, lead_o = truth.shape[:-1], observed.shape[:-1]
    try:
        shape = np.broadcast_shapes(lead_t, lead_o)
    except ValueError:
        raise InputError(
            f"truth of shape {truth.shape} and observed of shape {observed.shape} do not broadcast: "
            "the last axis holds the systems, the axes before it must be equal or 1"
        ) from None
    m = truth.shape[-1]
    truth, observed = truth.reshape(-1, m), observed.reshape(-1, m)

    def row_numbers(lead: tuple[int, ...], count: int) -> IntArray:
        return np.ascontiguousarray(np.broadcast_to(np.arange(count).reshape(lead), shape)).reshape(-1)

    return Rows(truth, observed, row_numbers(lead_t, len(truth)), row_numbers(lead_o, len(observed)), shape)


def require_finite(truth: FloatArray, observed: FloatArray) -> None:
    """Refuse NaN and infinite scores."""
    for array, name in ((truth, "truth"), (observed, "observed")):
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
    """The place of a value as a caller would write it: [3] or [0, 3]."""
    return "[" + ", ".join(str(int(k)) for k in place) + "]"


def _floats(values: Any, name: str) -> FloatArray:
    if type(values) is np.ndarray and values.dtype is _FLOAT64 and values.ndim and values.flags.c_contiguous:
        return values
    if isinstance(values, (str, bytes, Mapping, Set)) or (hasattr(values, "__next__")):
        _refuse_kind(name, f"a {type(values).__name__}", values)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(
            f"{name} has masked values: leave those systems out on both sides (a mask would be ignored silently)"
        )
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(
            f"{name} has rows of unequal length: give an array with the systems on the last axis"
        ) from None
    if array.ndim == 0:
        _refuse_kind(name, f"the single value {values!r}", None)
    if array.dtype.kind not in "fiub":
        kind = {"U": "strings", "S": "strings", "O": "objects", "c": "complex numbers"}.get(
            array.dtype.kind, f"values of type {array.dtype}"
        )
        example = f" such as {array.flat[0]!r}" if array.size else ""
        _refuse_kind(name, kind + example, None)
    floats = np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.itemsize >= 8 and array.dtype.kind in "iuf" and array.dtype != _FLOAT64:
        _refuse_rounding(array, floats, name)
    return floats


def _refuse_kind(name: str, what: str, values: Any) -> NoReturn:
    hint = ""
    if isinstance(values, Mapping):
        hint = f"; from mappings: names = sorted(truth), then [{name}[s] for s in names] for both sides"
    raise InputTypeError(
        f"{name} is or holds {what}: pass numbers, one score for each system in the same order on both sides, "
        f"higher is better. A ranking is passed as scores, never as a list of names; {{name: score}} mappings "
        f"of both sides bring the names into one order{hint}"
    )


def _refuse_rounding(array: npt.NDArray[Any], floats: FloatArray, name: str) -> None:
    """Large integers and long doubles may become equal in float64, which would invent ties."""
    with np.errstate(all="ignore"):
        changed = np.flatnonzero((floats.astype(array.dtype) != array) & np.isfinite(floats))
    if changed.size:
        place = np.unravel_index(changed[0], array.shape)
        raise InputError(
            f"{name}{subscript(place)} is {array[place]}, which float64 cannot hold exactly, so that different scores "
            "could become ties: subtract a constant or pass ranks (scipy.stats.rankdata)"
        )


def _refuse_other_labels(truth: Any, observed: Any) -> None:
    """Two pandas Series are compared by position here; that must be what their labels say, too."""
    if hasattr(truth, "iloc") and hasattr(observed, "iloc") and hasattr(truth, "index"):
        labels = [side.columns if hasattr(side, "columns") else side.index for side in (truth, observed)]
        if not labels[0].equals(labels[1]):
            raise InputError(
                "truth and observed carry different labels, or the same labels in another order: scores are "
                "compared by position; use observed.reindex(truth.index) first, or pass .to_numpy() of both"
            )
