"""The difference between two judges' agreement with the truth, across the population of topics or on as many topics."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..calibration import MISFIT, WIDENING
from ..chance.nulls import Alternative
from ..coefficients.registry import Coefficient, get_coefficient
from ..errors import InputError
from ..resampling import Resampling
from .bootstrap import NEARLY_TIED, normal_quantile, what_shrinkage_needs
from .correlation import NO_INTERVAL
from .nested import nested_values, summarise
from .shrinkage import fit_of, model_of, shrunk_values, summarised


@dataclass(frozen=True)
class Difference:
    """The statistic that is resampled: the coefficient of truth and judge a, minus that of truth and judge b."""

    coefficient: str
    threads: int

    def __call__(self, means: Sequence[FloatArray]) -> FloatArray:
        agreement = get_coefficient(self.coefficient).on_workers(self.threads)
        return np.asarray(agreement(means[0], means[1]) - agreement(means[0], means[2]))


class Tested(NamedTuple):
    """A difference, what it is compared with, and what to doubt."""

    difference: float
    """What the method estimates."""
    error: float
    """Its standard error."""
    bias_corrected: float
    undefined: int
    """Resamples on which the coefficient has no value."""
    widening: float = 1.0
    """By which the standard error is multiplied, because it is estimated as well."""
    notes: tuple[str, ...] = ()

    def limits(self, level: float, most: float) -> tuple[float, float]:
        """The interval, cut to -most and most."""
        half = self.widening * normal_quantile(level) * self.error
        return max(self.difference - half, -most), min(self.difference + half, most)

    def pvalue(self, alternative: Alternative = "two-sided") -> float:
        """How likely a difference as far from 0 is by chance, given its standard error; never 0."""
        error, z = self.widening * self.error, 0.0
        if abs(self.difference) >= 1e-12:
            z = self.difference / error if error > 0 else math.copysign(math.inf, self.difference)
        below = NormalDist().cdf
        p = {"greater": below(-z), "less": below(z), "two-sided": 2 * below(-abs(z))}[alternative]
        return max(p, sys.float_info.min)


def tested(conditions: Sequence[FloatArray], known: Coefficient, method: str, drawn: Resampling) -> Tested:
    """The difference between judges, the conditions being truth, judge a and judge b, topics x systems each."""
    statistic = Difference(known.name, drawn.threads)
    if method == "shrinkage":
        return by_shrinkage(conditions, statistic, drawn)
    (summary,) = summarise(nested_values(conditions, statistic, drawn), len(conditions[0]))
    if summary is None:
        raise InputError(NO_INTERVAL)
    own = (summary.centre, summary.standard_error) if method == "iterated" else (summary.value, summary.spread)
    return Tested(*own, summary.centre, summary.undefined, WIDENING)


def by_shrinkage(conditions: Sequence[FloatArray], statistic: Difference, drawn: Resampling) -> Tested:
    """The mean of the difference over draws of the population means, and the error that another sample would make."""
    model = model_of(conditions)
    if model is None:
        raise InputError(f"method is 'shrinkage', which {what_shrinkage_needs(len(conditions))}: use method='across'")
    (truth,), (again,) = shrunk_values(model, statistic, drawn)
    found = summarised(truth, again)
    if found is None:
        raise InputError(NO_INTERVAL)
    doubt = (f"{NEARLY_TIED}: method='iterated' has no model",) if fit_of(model) < MISFIT else ()
    return Tested(found.centre, found.error, found.centre, found.undefined, notes=doubt)
