"""`TopicBootstrap`: intervals of a coefficient by resampling topics, with the systems fixed.

The resampled coefficient is no picture of the sampling error: a resample adds noise to means that are noisy already,
and noise lowers agreement. docs/guide/intervals.md derives what is done about it and has the coverage of each method.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from ..arrays import FloatArray
from ..calibration import FEWEST, LEFT, NEAR, WIDENING
from ..errors import InputError, UndefinedCorrelationWarning
from ..resampling import Progress, check_count, check_level, resampled_means, resampled_weights
from ..results import Interval
from ..scores import mean_over_topics
from .nested import nested_values
from .summary import Summary, summarise

BootstrapMethod: TypeAlias = Literal["iterated", "another-sample", "percentile", "basic"]


class Problem(NamedTuple):
    """A coefficient of two conditions, topics x systems each."""

    truth: FloatArray
    candidate: FloatArray
    coefficient: Callable[..., Any]
    range: tuple[float, float]

    def values(self, means: Sequence[FloatArray]) -> FloatArray:
        """The coefficient on each resample, nan where it is undefined."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedCorrelationWarning)  # counted, and reported once
            return np.asarray(self.coefficient(*means))


class Found(NamedTuple):
    """What a bootstrap says about a coefficient."""

    low: float
    high: float
    bias_corrected: float
    standard_error: float
    undefined: int
    """Resamples on which the coefficient has no value."""


@dataclass(frozen=True)
class TopicBootstrap:
    """How to make an interval by resampling topics; an argument of `correlate`.

    The methods are

    - "iterated" (the default): for the coefficient between the two *population* mean vectors. Resamples of resamples
      show how the coefficient falls as noise is added; the fall is taken back and the interval built around the result.
      The only one here that holds its level.
    - "another-sample": where the coefficient of another sample of as many topics would lie.
    - "percentile": quantiles of the resampled coefficients, as papers print. Covers far too seldom; for comparison.
    - "basic": those quantiles reflected at the value. Too short as well.

    Parameters
    ----------
    n_resamples : int
        Resamples in all, those of resamples included.
    method : str
        One of the above.
    confidence_level : float
        How often the interval is to hold what it is for.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.TopicBootstrap(4999, confidence_level=0.9)
    TopicBootstrap(n_resamples=4999, method='iterated', confidence_level=0.9)
    """

    n_resamples: int = 9_999
    method: BootstrapMethod = "iterated"
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        check_count(self.n_resamples)
        if self.method not in get_args(BootstrapMethod):
            raise InputError(f"method is {self.method!r}: use {', '.join(map(repr, get_args(BootstrapMethod)))}")
        check_level(self.confidence_level)
        if self.n_resamples < FEWEST:
            raise InputError(f"n_resamples is {self.n_resamples}: an interval needs at least {FEWEST} resamples")

    def run(
        self, problem: Problem, rng: np.random.Generator, *, workers: int = 1, progress: Progress | None = None
    ) -> Found:
        """The limits for a coefficient, and what they are made from."""
        if self.method in ("percentile", "basic"):
            return self._plain(problem, rng, workers, progress)
        found = nested_values(
            (problem.truth, problem.candidate),
            problem.values,
            self.n_resamples,
            rng,
            workers=workers,
            progress=progress,
        )
        return self.limits(summarise(found, len(problem.truth))[0], problem.range)

    def limits(self, summary: Summary, within: tuple[float, float]) -> Found:
        """The limits from a summary of all levels.

        The centre is cut to the range of the coefficient before the limits are, so that no interval shrinks to a point.
        """
        corrected = float(np.clip(summary.centre, *within))
        z = normal_quantile(self.confidence_level)
        if self.method == "another-sample":
            half = WIDENING * z * math.sqrt(2) * summary.spread
            low, high = summary.value - half, summary.value + half
        else:
            near = NEAR * z * summary.standard_error
            far = near * (1 + LEFT / summary.n_topics)
            # Where the sign is not clear, neither is the side of the bias.
            low = corrected - (near if corrected > near else far)
            high = corrected + (near if corrected < -near else far)
        low, high = np.clip([low, high], *within)
        return Found(float(low), float(high), corrected, summary.standard_error, summary.undefined)

    def interval(self, found: Found) -> Interval:
        """The limits as an `Interval`."""
        return Interval(found.low, found.high, float(self.confidence_level), f"{self.method} topic bootstrap")

    def _plain(self, problem: Problem, rng: np.random.Generator, workers: int, progress: Progress | None) -> Found:
        values = plain_values(problem, self.n_resamples, rng, workers=workers, progress=progress)
        kept = values[~np.isnan(values)]
        if len(kept) < 2:
            raise InputError("the coefficient is undefined on all resamples of the topics: there is no interval")
        value = float(problem.coefficient(mean_over_topics(problem.truth), mean_over_topics(problem.candidate)))
        tail = (1 - self.confidence_level) / 2
        low, high = np.quantile(kept, [tail, 1 - tail])
        if self.method == "basic":
            low, high = 2 * value - high, 2 * value - low
        low, high, corrected = np.clip([low, high, 2 * value - kept.mean()], *problem.range)
        return Found(float(low), float(high), float(corrected), float(kept.std(ddof=1)), len(values) - len(kept))


def plain_values(
    problem: Problem,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> FloatArray:
    """The coefficient on resamples of the topics: the plain bootstrap distribution."""
    values = np.empty(n_resamples)
    for some, weights in resampled_weights(len(problem.truth), n_resamples, rng):
        means = [resampled_means(side, weights, workers=workers) for side in (problem.truth, problem.candidate)]
        values[some] = problem.values(means)
        if progress is not None:
            progress(some.stop, n_resamples)
    return values


def normal_quantile(confidence_level: float) -> float:
    """How many standard errors a normal interval of that level reaches to each side."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + confidence_level) / 2)
