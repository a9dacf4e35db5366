"""`compare_judges`: does one judge rank the systems more like the truth than another?"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ..alignment import alignment
from ..arrays import FloatArray
from ..calibration import FEWEST, WIDENING
from ..chance.nulls import Alternative
from ..coefficients.registry import get_coefficient
from ..door import Collection, as_topic_side
from ..errors import (
    AlignmentWarning,
    InputError,
    InputTypeError,
    UndefinedCorrelationWarning,
    check_choice,
)
from ..parallel import Workers
from ..resampling import Progress, Resampling, Seed, check_level
from ..results import Interval, Result, settings_of
from ..words import counted, named, p_equals
from .bootstrap import normal_quantile
from .correlation import NO_INTERVAL, not_resampled
from .nested import nested_values, summarise

JudgeMethod: TypeAlias = Literal["iterated", "plain"]


@dataclass(frozen=True, eq=False, repr=False)
class JudgeComparison(Result):
    """What `compare_judges` found. `print` shows it, `to_dict` has everything."""

    coefficient: str
    value_a: float
    """Agreement of judge a with the truth, on these topics."""
    value_b: float
    difference: float
    """value_a - value_b."""
    bias_corrected: float
    """The difference without the bias of sampling, which is not the same for both judges."""
    standard_error: float
    """Of `bias_corrected`; with method "plain", of `difference`."""
    interval: Interval
    """For the difference across the population; with method "plain", for that expected on as many topics."""
    pvalue: float
    alternative: Alternative
    names: tuple[str, str]

    @property
    def verdict(self) -> str:
        """Which judge agrees better, or that they cannot be distinguished."""
        a, b = self.names
        verdict = f"{a} and {b} cannot be distinguished"
        if self.pvalue <= 1 - self.interval.confidence_level:
            a_is_better = {"greater": True, "less": False, "two-sided": self.interval.low > 0}[self.alternative]
            better, worse = (a, b) if a_is_better else (b, a)
            verdict = f"{better} agrees with the truth better than {worse}"
        return f"{verdict} ({p_equals(self.pvalue, 4)}, {self.alternative})"

    def table(self) -> str:
        """Both values, and their difference with its interval."""
        a, b = self.names
        width = max(len(a), len(b), 10)
        level = f"{100 * self.interval.confidence_level:g}%"
        return (
            f"  {self.coefficient}\n"
            f"  {a:<{width}}  {self.value_a:8.4f}\n"
            f"  {b:<{width}}  {self.value_b:8.4f}\n"
            f"  {'difference':<{width}}  {self.difference:8.4f}   bias-corrected {self.bias_corrected:.4f}, "
            f"{level} interval {self.interval}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        numbers = ("value_a", "value_b", "difference", "bias_corrected", "standard_error", "pvalue")
        row = {"coefficient": self.coefficient, **{name: getattr(self, name) for name in numbers}}
        return [{**row, "low": self.interval.low, "high": self.interval.high}]

    def plot(self, ax: Any = None) -> Any:
        """Draw the difference with its interval, and no difference as a dashed line."""
        from ..plots import intervals

        return intervals.judges(self, ax)


@dataclass(frozen=True)
class Difference:
    """The statistic that is resampled: the coefficient of truth and judge a, minus that of truth and judge b."""

    coefficient: str
    threads: int

    def __call__(self, means: Sequence[FloatArray]) -> FloatArray:
        agreement = get_coefficient(self.coefficient).on_workers(self.threads)
        return np.asarray(agreement(means[0], means[1]) - agreement(means[0], means[2]))


def compare_judges(  # noqa: PLR0913
    truth: Collection,
    candidate_a: Collection,
    candidate_b: Collection,
    coefficient: str = "tau_b",
    *,
    method: JudgeMethod = "iterated",
    n_resamples: int = 9_999,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> JudgeComparison:
    """Test whether judge a ranks the systems more like the truth than judge b, on topics that all three share.

    Parameters
    ----------
    truth, candidate_a, candidate_b : what `as_topics` takes
        `Scores`, files, frames or results of an evaluation tool, or topics x systems matrices, matched by label. What
        not all three have is left out, and an `AlignmentWarning` says what.
    coefficient : str
        A name from `list_coefficients`. It must admit ties on both sides, as in `correlate`.
    method : {"iterated", "plain"}
        Which difference is compared with its standard error.

        - "iterated": that across the population of topics. The hypothesis is f(mu, nu_a) = f(mu, nu_b), with mu, nu_a
          and nu_b the population means of the systems. As in `correlate`, resamples of resamples take back the bias of
          sampling, which favours the judge whose scores vary less.
        - "plain": that expected on as many topics as there are here, bias included. It sees smaller differences, but
          calls a judge worse whose scores only vary more and would rank the systems as well if there were more topics.
    n_resamples : int
        Resamples in all, those of resamples included.
    alternative : {"two-sided", "greater", "less"}
        "greater": a agrees better than b.
    confidence_level : float
        Of the interval for the difference; the verdict is at level 1 - confidence_level.
    names : tuple of str
        What to call the judges.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers. Where none is given, one is drawn, and the settings
        say which.
    workers : int or concurrent.futures.Executor
        Threads, or an executor.
    progress : callable, optional
        Called with the number of resamples done and of all.

    Returns
    -------
    JudgeComparison
        With both values, their difference, its interval and its p-value.

    Notes
    -----
    Topics are resampled for all three at once, so that what they share cancels. p comes from a difference over its
    standard error, times a constant that is our own calibration (`concordant.calibration.WIDENING`).
    docs/guide/intervals.md has the size and the power of both methods, benchmarks/coverage_judges.py measures them.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful, hasty = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
    >>> print(cc.compare_judges(people, careful, hasty, method="plain", names=("careful", "hasty"), rng=7))
    careful agrees with the truth better than hasty (p = 0.0024, two-sided)
    <BLANKLINE>
      tau_b
      careful       0.9053
      hasty         0.7234
      difference    0.1818   bias-corrected 0.1825, 95% interval [0.0643, 0.2993]

    """
    known = get_coefficient(coefficient)
    check_choice("method", method, get_args(JudgeMethod))
    check_choice("alternative", alternative, get_args(Alternative))
    level = check_level(confidence_level)
    if why := not_resampled(known):
        raise InputError(why)
    drawn = Resampling.of(n_resamples, rng, workers, progress)
    if drawn.n_resamples < FEWEST:
        raise InputError(f"{named('n_resamples')} is {drawn.n_resamples}: a test needs at least {FEWEST} resamples")
    if isinstance(names, str) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise InputTypeError(f"names is {names!r}: give two strings, what to call judge a and what judge b")
    given = {"truth": truth, "candidate_a": candidate_a, "candidate_b": candidate_b}
    found = alignment(*(as_topic_side(side, name) for name, side in given.items()), names=("truth", *names))
    for note in found.notes:
        warnings.warn(note, AlignmentWarning, stacklevel=2)
    sides, notes = found.scores, found.notes
    n, m = sides[0].values.shape
    if n < 2 or m < 2:
        raise InputError(
            f"all three sides have {counted(m, 'system')} and {counted(n, 'topic')} in common: at least 2 of each are "
            "needed"
        )
    values = [float(known.formula(sides[0].means(), side.means())) for side in sides[1:]]
    if np.isnan(values).any():
        raise InputError(f"{coefficient} is undefined for these means: {known.undefined}")
    difference = Difference(known.name, drawn.threads)
    (summary,) = summarise(nested_values([side.values for side in sides], difference, drawn), n)
    if summary is None:
        raise InputError(NO_INTERVAL)
    if summary.undefined:
        notes += (
            f"{coefficient} is undefined on {summary.undefined} of some {drawn.n_resamples:,} resamples; the others "
            "are used",
        )
        warnings.warn(notes[-1], UndefinedCorrelationWarning, stacklevel=2)
    tested = (summary.centre, summary.standard_error) if method == "iterated" else (summary.value, summary.spread)
    reach = known.range[1] - known.range[0]
    half = WIDENING * normal_quantile(level) * tested[1]
    low, high = np.clip([tested[0] - half, tested[0] + half], -reach, reach)
    return JudgeComparison(
        coefficient,
        value_a=values[0],
        value_b=values[1],
        difference=values[0] - values[1],
        bias_corrected=summary.centre,
        standard_error=tested[1],
        interval=Interval(float(low), float(high), level, f"{method} topic bootstrap"),
        pvalue=pvalue_of(*tested, alternative),
        alternative=alternative,
        names=(names[0], names[1]),
        notes=notes,
        settings=settings_of(
            seed=drawn.seed,
            n_resamples=drawn.n_resamples,
            confidence_level=level,
            n_systems=m,
            n_topics=n,
            method=method,
            undefined=summary.undefined,
        ),
    )


def pvalue_of(centre: float, error: float, alternative: Alternative = "two-sided") -> float:
    """How likely a difference as far from 0 is by chance, given its standard error; never 0."""
    z = 0.0 if abs(centre) < 1e-12 else centre / (WIDENING * error) if error > 0 else math.copysign(math.inf, centre)
    below = NormalDist().cdf
    p = {"greater": below(-z), "less": below(z), "two-sided": 2 * below(-abs(z))}[alternative]
    return max(p, sys.float_info.min)
