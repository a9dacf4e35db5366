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


def undefined_if(why: str) -> Callable[[Callable[P, float | FloatArray]], Callable[P, float | FloatArray]]:
    """A coefficient whose formula gives nan where its definition gives no value: the public function warns of it.

    The formula itself, which is silent, is the function's `__wrapped__`; see `Coefficient.formula`.
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
    """Add Parameters and Returns before the other sections. No decorator: mutmut passes over functions with one."""
    for function in coefficients:
        undefined = getattr(function, "undefined", "")
        nan = f"; nan, with an `UndefinedCorrelationWarning`, where {undefined}" if undefined else ""
        returns = f"A float for two vectors, otherwise an array of the broadcast leading shape{nan}."
        parameters = [_PARAMETERS[name] for name in signature(function).parameters if name in _PARAMETERS]
        sections = ["Parameters\n----------", *parameters, "\nReturns\n-------\nfloat or ndarray"]
        sections += textwrap.wrap(returns, 116, initial_indent="    ", subsequent_indent="    ")
        what, *own = re.split(r"\n\n(?=(?:Raises|References)\n---)", cleandoc(function.__doc__ or ""))
        function.__doc__ = "\n\n".join([what, "\n".join(sections), *own]) + "\n"
