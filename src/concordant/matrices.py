"""From what a caller passes as a collection to a checked topics x systems matrix and the names of its systems."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray
from .coefficients.inputs import floats, refuse_not_finite
from .errors import InputError
from .scores import Scores, require_summable
from .words import counted

Collection: TypeAlias = "Scores | npt.ArrayLike"


def matrix_of(given: Collection, argument: str) -> tuple[FloatArray, tuple[str, ...]]:
    """The values, and the systems' names: those of Scores or of a frame's columns, else their numbers from 0."""
    has = f"{argument} {'have' if argument.endswith('s') else 'has'}"
    if isinstance(given, Scores):
        values, systems = given.values, given.systems
    else:
        values = floats(given, argument)
        if values.ndim != 2:
            raise InputError(
                f"{has} {counted(values.ndim, 'dimension')} (shape {values.shape}): give the scores on each topic, as "
                "Scores or as a topics x systems matrix"
            )
        if not np.isfinite(values).all():
            refuse_not_finite(values, argument)
        require_summable(values, argument)
        names = getattr(given, "columns", range(values.shape[1]))
        systems = tuple(str(name) for name in names)
    n, m = values.shape
    if m < 2:
        raise InputError(f"{has} {counted(m, 'system')}: at least 2 are needed to rank them")
    if n < 2:
        raise InputError(
            f"{has} {counted(n, 'topic')}: at least 2 are needed, because how systems differ from topic to topic tells "
            "how far their means can be trusted"
        )
    return values, systems
