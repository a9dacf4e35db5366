"""Calls of kernels for one pair or a batch, with checks for finite scores and forbidden ties.

Each coefficient's own file has the formula that turns the kernel's sums into a value. The common parts of docstrings,
and the warning for undefined values, are here too.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import cleandoc, signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _kernels
from .._kernels.reference import Cosines, Counts, Gaps, Overlaps, Ranks, Value, Weights
from ..arrays import FloatArray
from ..errors import TiesError, UndefinedCorrelationWarning, warn
from ..options import check_option, check_workers
from ..parallel import threads
from .inputs import require_finite, rows, vectors


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
    """Compute the sums of a coefficient, by the kernel of their name."""
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
    """Apply a function of rows of scores to all pairs, some at a time to bound the memory."""
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
    """Raise if there are tied pairs; the error names the first and the coefficients that admit ties."""
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
    """Divide; nan if the denominator is 0 and the coefficient undefined."""
    if isinstance(denominator, float) and denominator != 0:
        return numerator / denominator
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(np.equal(denominator, 0), np.nan, np.divide(numerator, denominator))
    return values if values.ndim else values.item()


def correlation(product: Value, square_truth: Value, square_candidate: Value) -> Value:
    """Divide the product by the root of both squares, cut to [-1, 1]; nan if a square is 0."""
    if isinstance(product, np.ndarray):
        return np.clip(ratio(product, np.sqrt(square_truth * square_candidate)), -1, 1)
    root = math.sqrt(square_truth * square_candidate)
    return math.copysign(min(abs(product) / root, 1.0), product) if root else math.nan


def warn_undefined(values: npt.ArrayLike, why: str) -> None:
    """Warn if values are nan."""
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
    Scores closer than this are tied as well (a pair is tied if equal or if the difference is below the tolerance).
    This is not transitive: A may be tied with B and B with C, while A is above C. Scores are compared as floats, and
    0.57 - 0.56 is a little less than 0.01, so choose a tolerance between the steps of a grid.""",
    "workers": """workers : int
    Threads to use on a batch.""",
}


def undefined_if(why: str) -> Callable[[Callable[P, float | FloatArray]], Callable[P, float | FloatArray]]:
    """Make a coefficient warn if its formula gives nan because it is undefined.

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
    """Add Parameters and Returns before the other sections. No decorator, because mutmut skips decorated functions."""
    for function in coefficients:
        undefined = getattr(function, "undefined", "")
        nan = f"; nan, with an `UndefinedCorrelationWarning`, where {undefined}" if undefined else ""
        returns = f"A float for two vectors, otherwise an array of the broadcast leading shape{nan}."
        parameters = [_PARAMETERS[name] for name in signature(function).parameters if name in _PARAMETERS]
        sections = ["Parameters\n----------", *parameters, "\nReturns\n-------\nfloat or ndarray"]
        sections += textwrap.wrap(returns, 116, initial_indent="    ", subsequent_indent="    ")
        what, *own = re.split(r"\n\n(?=(?:Raises|References)\n---)", cleandoc(function.__doc__ or ""))
        function.__doc__ = "\n\n".join([what, "\n".join(sections), *own]) + "\n"
