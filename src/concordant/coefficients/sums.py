"""Call the kernels for one pair or a batch; refuse scores that are not finite, and ties that a coefficient forbids.

Each coefficient's own file has the formula that turns the kernel's sums into a value. The parts that the docstrings of
coefficients share, and the warning for undefined values, are in this file.

This file also checks the arguments of coefficients and converts them to rows of scores. Coefficients compare scores by
position, so it refuses everything that could silently compare the wrong scores: names, labels in another order, and
missing values.
"""

from __future__ import annotations

import math
import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Set
from functools import partial, wraps
from inspect import cleandoc, signature
from typing import Any, NamedTuple, NoReturn, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _kernels
from .._kernels.reference import Cosines, Counts, Gaps, Overlaps, Ranks, Value, Weights
from ..arrays import FloatArray, IntArray, threads
from ..errors import InputError, InputTypeError, TiesError, UndefinedCorrelationWarning, warn
from ..options import check_option, check_workers


def concordance(
    truth: npt.ArrayLike, candidate: npt.ArrayLike, *, tolerance: float = 0.0, extra: int = 0, workers: int = 1
) -> tuple[int, Counts]:
    """Return the number of systems, and the counts of concordant pairs and related sums."""
    if type(tolerance) is not float or tolerance != 0.0:
        tolerance = check_option("tolerance", tolerance, float)
    m, found = _call("concordance", truth, candidate, workers, len(Counts._fields), (tolerance, extra))
    return m, Counts._make(found)


S = TypeVar("S", Gaps, Cosines, Ranks, Weights, Overlaps)


def _sums(kind: type[S], truth: npt.ArrayLike, candidate: npt.ArrayLike, *settings: Any, workers: int = 1) -> S:
    """Compute the sums that a coefficient needs, using the kernel named after their class."""
    found = _call(kind.__name__.lower(), truth, candidate, workers, len(kind._fields), settings)[1]
    return kind._make(found)


gaps = partial(_sums, Gaps)
cosines = partial(_sums, Cosines)
ranks = partial(_sums, Ranks)
weights = partial(_sums, Weights)
overlaps = partial(_sums, Overlaps)


def _call(
    kernel: str,
    truth: npt.ArrayLike,
    candidate: npt.ArrayLike,
    workers: int,
    fields: int,
    settings: tuple[Any, ...],
) -> tuple[int, Any]:
    if type(workers) is not int or workers != 1:
        workers = threads(check_workers(workers))
    t, o = vectors(truth, candidate)
    if t.ndim == 1 and o.ndim == 1:
        found = getattr(_kernels.active, kernel + "_pair")(t, o, *settings)
        if found is None:
            require_finite(t, o)
        return t.size, found
    batch = rows(t, o)
    m, count = t.shape[-1], len(batch.truth_row)
    out = np.empty((count, fields))
    step = max(1, 2**25 // m)  # about a second of work, so that Python can handle an interrupt
    for lo in range(0, count, step):
        some = slice(lo, lo + step)
        these = batch.truth_row[some], batch.candidate_row[some], out[some]
        if not getattr(_kernels.active, kernel + "_rows")(batch.truth, batch.candidate, *these, workers, *settings):
            require_finite(t, o)
    return m, out.T.reshape((fields, *batch.shape))


def by_block(
    function: Callable[[FloatArray, FloatArray], npt.ArrayLike], truth: npt.ArrayLike, candidate: npt.ArrayLike
) -> float | FloatArray:
    """Apply a function of rows of scores to all pairs, in blocks that bound the memory."""
    t, o = vectors(truth, candidate)
    require_finite(t, o)
    batch = rows(t, o)
    step = max(1, 2**20 // t.shape[-1])
    values = np.empty(len(batch.truth_row))
    for lo in range(0, len(values), step):
        some = slice(lo, lo + step)
        values[some] = function(batch.truth[batch.truth_row[some]], batch.candidate[batch.candidate_row[some]])
    return float(values[0]) if batch.shape == () else values.reshape(batch.shape)


def refuse_ties(tied: Value, side: str, scores: npt.ArrayLike, *, of: str, admits: Mapping[str, str]) -> None:
    """Raise an error if pairs are tied. The error names the first tied pair and the coefficients that admit ties."""
    if tied > 0 if isinstance(tied, float) else tied.any():
        array = np.asarray(scores, dtype=np.float64)
        places = _first_tie(array)
        raise TiesError(of, side, places, float(array[places[0]]), admits)


def _first_tie(array: FloatArray) -> tuple[tuple[int, ...], tuple[int, ...]]:
    for lead in np.ndindex(array.shape[:-1]):
        order = np.argsort(array[lead], kind="stable")
        ascending = array[lead][order]
        equal = np.flatnonzero(ascending[1:] == ascending[:-1])
        if equal.size:
            best = equal[np.argmin(order[equal])]
            return (*lead, int(order[best])), (*lead, int(order[best + 1]))
    raise AssertionError("a kernel reported ties where there are none")


def ratio(numerator: Value, denominator: Value) -> Value:
    """Divide two sums of a coefficient. Where the denominator is 0, the coefficient is undefined: return nan."""
    if isinstance(denominator, float) and denominator != 0:
        return numerator / denominator
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(np.equal(denominator, 0), np.nan, np.divide(numerator, denominator))
    return values if values.ndim else values.item()


def correlation(product: Value, square_truth: Value, square_candidate: Value) -> Value:
    """Compute product / sqrt(square_truth * square_candidate), clipped to [-1, 1]; nan if a square is 0."""
    if isinstance(product, np.ndarray):
        return np.clip(ratio(product, np.sqrt(square_truth * square_candidate)), -1, 1)
    root = math.sqrt(square_truth * square_candidate)
    return math.copysign(min(abs(product) / root, 1.0), product) if root else math.nan


def warn_undefined(values: npt.ArrayLike, why: str) -> None:
    """Warn if values of a coefficient are nan, and say why."""
    undefined = np.isnan(values)
    if undefined.any():
        some = f" (in {undefined.sum()} of {undefined.size} pairs)" if undefined.size > 1 else ""
        warn(f"undefined, so nan: {why}{some}", UndefinedCorrelationWarning)


P = ParamSpec("P")

ALL_TIED = "all systems are tied in truth or in candidate"

_PARAMETERS = {
    "candidate": """truth, candidate : array_like
    One score for each system, higher is better. The last axis holds the systems, the axes before it broadcast.""",
    "tolerance": """tolerance : float
    Scores that differ by less than this are tied, as equal scores always are. Such ties are not transitive: A may be
    tied with B and B with C, while A is above C. Scores are compared as floats, and 0.57 - 0.56 is a little less than
    0.01, so choose a tolerance between two possible differences of scores.""",
    "workers": """workers : int
    Number of threads to use on a batch.""",
}


def undefined_if(why: str) -> Callable[[Callable[P, float | FloatArray]], Callable[P, float | FloatArray]]:
    """Make a coefficient warn if its formula gives nan because the coefficient is undefined.

    The silent formula is the function's `__wrapped__`; see `Coefficient.formula`.
    """

    def public(formula: Callable[P, float | FloatArray]) -> Callable[P, float | FloatArray]:
        @wraps(formula)
        def coefficient(*arguments: P.args, **options: P.kwargs) -> float | FloatArray:
            value = formula(*arguments, **options)
            if type(value) is not float or math.isnan(value):
                warn_undefined(value, why)
            return value

        coefficient.undefined = why  # type: ignore[attr-defined]
        return coefficient

    return public


def complete_docstrings(*coefficients: Callable[..., object]) -> None:
    """Insert the sections Parameters and Returns before the other sections of each docstring.

    This is not a decorator, because mutmut skips decorated functions.
    """
    for function in coefficients:
        undefined = getattr(function, "undefined", "")
        nan = f"; nan, with an `UndefinedCorrelationWarning`, where {undefined}" if undefined else ""
        returns = f"A float for two vectors, otherwise an array of the broadcast leading shape{nan}."
        parameters = [_PARAMETERS[name] for name in signature(function).parameters if name in _PARAMETERS]
        sections = ["Parameters\n----------", *parameters, "\nReturns\n-------\nfloat or ndarray"]
        sections += textwrap.wrap(returns, 116, initial_indent="    ", subsequent_indent="    ")
        what, *own = re.split(r"\n\n(?=(?:Raises|References)\n---)", cleandoc(function.__doc__ or ""))
        function.__doc__ = "\n\n".join([what, "\n".join(sections), *own]) + "\n"


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

    It does not check that the scores are finite. The kernels do, because they read every score anyway.
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
    """Raise an error for the first value of `array` that is NaN or infinite."""
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
    """Describe the first value that is not a real number, and say where it is."""
    kind = f"values of type {array.dtype}"
    if array.dtype.kind not in "OUS":
        return f"{kind}, such as {array.flat[0]!s}" if array.size else kind
    # NumPy turns lists of numbers and names into strings, so look at the original values.
    given = np.empty(array.shape, dtype=object)
    given[...] = array if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    for place, value in np.ndenumerate(given):
        known = isinstance(value, (int, float, np.bool_, np.integer, np.floating))
        if known and not isinstance(value, np.timedelta64):  # NumPy counts timedelta64 as an integer
            finite: Any = value
            if abs(finite) <= sys.float_info.max:
                continue
        return f"{value!r} at {subscript(place)}, which is not a real number that float64 can hold"
    return kind


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
    """Refuse large integers and long doubles that float64 would round, because rounding could create ties."""
    with np.errstate(all="ignore"):
        changed = np.flatnonzero((floats.astype(array.dtype) != array) & ~np.isnan(floats))
    if changed.size:
        place = np.unravel_index(changed[0], array.shape)
        raise InputError(
            f"{name}{subscript(place)} is {array[place]}, which float64 cannot hold exactly, so different scores "
            "could become ties: subtract a constant or pass ranks (scipy.stats.rankdata)"
        )


def _refuse_masks_and_labels(values: Any, name: str) -> None:
    """Refuse masked values, and lists of Series, because NumPy would silently drop the masks and the labels."""
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
