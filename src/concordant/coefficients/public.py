"""What all coefficients share beside their formulas: sections of docstrings, and a warning where they are undefined."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable
from functools import wraps
from inspect import cleandoc, signature
from typing import ParamSpec

from ..arrays import FloatArray
from .sums import warn_undefined

P = ParamSpec("P")

ALL_TIED = "all systems are tied in truth or in candidate"

_PARAMETERS = {
    "candidate": """truth, candidate : array_like
    One score for each system, higher is better. The last axis holds the systems, the axes before it broadcast.""",
    "tolerance": """tolerance : float
    Scores closer than this are tied as well (a pair is tied if equal or if the difference is below the tolerance).
    That is not transitive: A may be tied with B and B with C, while A is above C. Scores are compared as the floats
    that they are: 0.57 - 0.56 is a little less than 0.01, so choose a tolerance between the steps of a grid.""",
    "workers": """workers : int
    Threads to use on a batch.""",
}


def coefficient(undefined: str = "") -> Callable[[Callable[P, float | FloatArray]], Callable[P, float | FloatArray]]:
    """Make a formula a public coefficient: Parameters and Returns are added to its docstring, and nan is warned of.

    `undefined` says when the formula gives nan, because the definition gives no value. The formula itself, which is
    silent, then is the function's `__wrapped__`; see `Coefficient.formula`.
    """

    def public(formula: Callable[P, float | FloatArray]) -> Callable[P, float | FloatArray]:
        formula.__doc__ = _completed(formula, undefined)
        if not undefined:
            return formula

        @wraps(formula)
        def coefficient(*arguments: P.args, **options: P.kwargs) -> float | FloatArray:
            value = formula(*arguments, **options)
            if type(value) is not float or math.isnan(value):
                warn_undefined(value, undefined)
            return value

        coefficient.undefined = undefined  # type: ignore[attr-defined]
        return coefficient

    return public


def _completed(formula: Callable[..., object], undefined: str) -> str:
    """The docstring with the sections that all coefficients have, before those of its own."""
    nan = f"; nan, with an `UndefinedCorrelationWarning`, where {undefined}" if undefined else ""
    returns = f"A float for two vectors, otherwise an array of the broadcast leading shape{nan}."
    parameters = [_PARAMETERS[name] for name in signature(formula).parameters if name in _PARAMETERS]
    sections = ["Parameters\n----------", *parameters, "\nReturns\n-------\nfloat or ndarray"]
    sections += textwrap.wrap(returns, 116, initial_indent="    ", subsequent_indent="    ")
    what, *own = re.split(r"\n\n(?=(?:Raises|References)\n---)", cleandoc(formula.__doc__ or ""))
    return "\n\n".join([what, "\n".join(sections), *own]) + "\n"
