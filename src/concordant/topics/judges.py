"""`compare_judges`: does one judge rank the systems more like the truth than another?"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ..calibration import FEWEST
from ..chance.nulls import Alternative
from ..clusters import Groups
from ..door import Collection
from ..errors import InputError, InputTypeError, UndefinedCorrelationWarning, check_choice
from ..parallel import Workers
from ..resampling import Progress, Resampling, Seed
from ..results import Interval, Result, columns, settings_of
from ..words import named, one_line, p_equals
from .agreement_curves import STEADY, Curves
from .judge_difference import tested
from .judged import Judged, curves_of, matched_sides
from .worth_core import Difference, Rate, difference_of

JudgeMethod: TypeAlias = Literal["across", "shrinkage", "iterated", "plain"]


@dataclass(frozen=True, eq=False, repr=False)
class JudgeComparison(Result):
    """What `compare_judges` found. `print` shows it, `to_dict` has everything."""

    coefficient: str
    value_a: float
    """Agreement of judge a with the truth: with method "across", on other topics; otherwise on these topics."""
    value_b: float
    difference: float
    """value_a - value_b."""
    bias_corrected: float
    """The difference without sampling bias, which is not the same for both; nan with method "across"."""
    standard_error: float
    """Standard error of what the interval is for."""
    interval: Interval
    """For the difference: of agreement across topics; with "shrinkage" and "iterated", in the population; with "plain",
    of that expected on as many topics."""
    pvalue: float
    alternative: Alternative
    names: tuple[str, str]
    ratio: float = math.nan
    """With method "across": how many topics of b one of a is worth; nan where a worth is 0 or has no bounds."""
    ratio_interval: Interval | None = None
    adjusted: float | None = None
    """The p-value for all pairs of `rank_judges` together, by Holm's method."""

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
        """Both values, their difference with its interval, and what one judge's topics are worth in the other's."""
        a, b = self.names
        level = f"{100 * self.interval.confidence_level:g}% interval"
        corrected = "" if math.isnan(self.bias_corrected) else f"bias-corrected {self.bias_corrected:.4f}, "
        rows = [[a, f"{self.value_a:.4f}"], [b, f"{self.value_b:.4f}"], ["difference", f"{self.difference:.4f}"]]
        lines = columns(rows).split("\n")
        lines[-1] += f"   {corrected}{level} {self.interval}"
        if self.ratio_interval is not None:
            between = f"{self.ratio_interval.low:.2g} to {self.ratio_interval.high:.2g}"
            unit = "group" if "groups" in self.settings else "topic"
            worth = f"a {unit} of {a} is worth {self.ratio:.2g} of {b} ({level} {between})"
            lines.append(f"  {one_line(worth)}")
        about = ", agreement across topics" if math.isnan(self.bias_corrected) else ""
        return "\n".join([f"  {self.coefficient}{about}", *lines])

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        numbers = ("value_a", "value_b", "difference", "bias_corrected", "standard_error", "pvalue")
        row = {"coefficient": self.coefficient, **{name: getattr(self, name) for name in numbers}}
        ratio = self.ratio_interval or Interval(math.nan, math.nan, math.nan, "")
        more = {"ratio": self.ratio, "ratio_low": ratio.low, "ratio_high": ratio.high}
        return [{**row, "low": self.interval.low, "high": self.interval.high, **more}]

    def plot(self, ax: Any = None) -> Any:
        """Draw the difference with its interval, and no difference as a dashed line."""
        from ..plots import intervals

        return intervals.judges(self, ax)


def compare_judges(  # noqa: PLR0913
    truth: Collection,
    candidate_a: Collection,
    candidate_b: Collection,
    coefficient: str = "tau_b",
    *,
    method: JudgeMethod = "across",
    n_resamples: int = 9_999,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
    groups: Groups | None = None,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> JudgeComparison:
    """Test whether judge a ranks the systems more like the truth than judge b, on topics that all three share.

    Parameters
    ----------
    truth, candidate_a, candidate_b : what `as_topics` takes
        `Scores`, files, frames or results of an evaluation tool, or topics x systems matrices, matched by label. What
        not all three have is left out, with an `AlignmentWarning` that names it.
    coefficient : str
        A name from `list_coefficients`. It must admit ties on both sides, as in `correlate`.
    method : {"across", "shrinkage", "iterated", "plain"}
        Which difference is compared with its standard error.

        - "across": that of agreement across topics, as in `judge_worth`: each judge on half of the topics against the
          truth on the other half, over the same random splits, with a jackknife over topics. It also gives the ratio of
          the judges' worths.
        - "shrinkage": that across the population of topics, whose three mean vectors are drawn given the observed ones,
          as in `correlate`. The test of the population with the most power; a note says where its model seems not to
          fit.
        - "iterated": the same difference, without a model. The hypothesis is f(mu, nu_a) = f(mu, nu_b), with mu, nu_a
          and nu_b the population means of the systems. As in `correlate`, resamples of resamples take back the bias of
          sampling, which favours the judge whose scores vary less.
        - "plain": that expected on as many topics as there are here, bias included. It sees smaller differences, but
          calls a judge worse whose scores only vary more and would rank the systems as well if there were more topics.
    n_resamples : int
        Resamples in all, those of resamples included; "across" draws as many splits as it needs for limits that move
        with the seed by less than a tenth of a standard error, which are more than `rank_judges` draws.
    alternative : {"two-sided", "greater", "less"}
        "greater": a agrees better than b.
    confidence_level : float
        Confidence level of the interval for the difference; the verdict is at level 1 - confidence_level.
    names : tuple of str
        What to call the judges.
    groups : mapping, Series or path, optional
        The group of each topic, where topics come in groups, as in `rank_intervals`: groups are drawn whole,
        and their number is the sample size.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers. Without one, a seed is drawn, and the settings
        record it.
    workers : int or concurrent.futures.Executor
        Threads, or an executor.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    JudgeComparison
        With both values, their difference, its interval and its p-value.

    Notes
    -----
    All methods draw topics for all three at once, so what they share cancels. "across" compares with Student's t,
    n - 1 degrees of freedom; for the others, p comes from a difference over its standard error, for "iterated" and
    "plain" times a constant that is our own calibration (`concordant.calibration.WIDENING`). docs/measured/worth.md has
    the size and the power of "across" (benchmarks/coverage_worth.py), docs/guide/intervals.md those of the others
    (benchmarks/coverage_judges.py). "shrinkage" found a difference in 0 to 2% of samples where there was none, and in
    79% and 94% of samples of 25 and 50 topics for two judges that "iterated" told apart in 32% and 40%
    (tau_b; docs/measured/default-interval.md, 600 samples of each cell).

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful, hasty = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
    >>> print(cc.compare_judges(people, careful, hasty, names=("careful", "hasty"), rng=7))
    careful agrees with the truth better than hasty (p = 0.0137, two-sided)
    <BLANKLINE>
      tau_b, agreement across topics
      careful     0.7275
      hasty       0.6197
      difference  0.1079   95% interval [0.0234, 0.1924]
      a topic of careful is worth 3 of hasty (95% interval 1.7 to 5.4)

    """
    check_choice("method", method, get_args(JudgeMethod))
    check_choice("alternative", alternative, get_args(Alternative))
    if isinstance(names, str) or len(names) != 2:
        raise InputTypeError(f"names is {names!r}: give two strings, what to call judge a and what judge b")
    drawn = Resampling.of(n_resamples, rng, workers, progress)
    given = {"truth": truth, "candidate_a": candidate_a, "candidate_b": candidate_b}
    sides = matched_sides(given, ("truth", *names), coefficient, confidence_level, groups)
    if method == "across":
        curves = curves_of(sides, drawn, STEADY)
        return across(curves, sides, (1, 2), drawn.seed, difference_across(curves, (1, 2), alternative), alternative)
    if drawn.n_resamples < FEWEST:
        raise InputError(f"{named('n_resamples')} is {drawn.n_resamples}: a test needs at least {FEWEST} resamples")
    known, level, notes = sides.coefficient, sides.level, sides.notes
    n, m = sides.scores[0].values.shape
    values = [float(known.formula(sides.scores[0].means(), side.means())) for side in sides.scores[1:]]
    if np.isnan(values).any():
        raise InputError(f"{coefficient} is undefined for these means: {known.undefined}")
    found = tested([side.values for side in sides.scores], known, method, drawn)
    notes += found.notes
    if found.undefined:
        notes += (
            f"{coefficient} is undefined on {found.undefined} of some {drawn.n_resamples:,} resamples; the others "
            "are used",
        )
        warnings.warn(notes[-1], UndefinedCorrelationWarning, stacklevel=2)
    low, high = found.limits(level, known.range[1] - known.range[0])
    return JudgeComparison(
        coefficient,
        value_a=values[0],
        value_b=values[1],
        difference=values[0] - values[1],
        bias_corrected=found.bias_corrected,
        standard_error=found.error,
        interval=Interval(low, high, level, f"{method} topic bootstrap"),
        pvalue=found.pvalue(alternative),
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
            undefined=found.undefined,
            **sides.grouped,
        ),
    )


def difference_across(
    curves: Curves,
    which: tuple[int, int],
    alternative: Alternative = "two-sided",
    rates: Mapping[int, Rate] | None = None,
) -> tuple[Difference, float]:
    """Two candidates (1...) by the difference of their agreement across topics, over the same splits; and its p-value.

    `rates` are what many pairs share.
    """
    from scipy.special import stdtr

    found = difference_of(curves, *which, rates)
    df, t = curves.n_topics - 1, found.statistic
    p = {"greater": stdtr(df, -t), "less": stdtr(df, t), "two-sided": 2 * stdtr(df, -abs(t))}[alternative]
    return found, max(float(p), sys.float_info.min)


def across(
    curves: Curves,
    sides: Judged,
    which: tuple[int, int],
    seed: int | None,
    tested: tuple[Difference, float],
    alternative: Alternative = "two-sided",
    *,
    rising: bool | None = None,
    adjusted: float | None = None,
) -> JudgeComparison:
    """What `difference_across` found of two candidates. `rising` is what many pairs share."""
    found, p = tested
    half = sides.critical * found.standard_error
    rising = curves.is_rising(sides.critical) if rising is None else rising
    ratio, known = None, rising and not math.isnan(found.log_ratio)
    if known:
        ends = [math.exp(found.log_ratio + sign * sides.critical * found.log_ratio_error) for sign in (-1, 1)]
        ratio = Interval(ends[0], ends[1], sides.level, "jackknife over topics")
    low, high = np.clip([found.difference - half, found.difference + half], -2, 2).tolist()
    return JudgeComparison(
        sides.coefficient.name,
        value_a=float(curves.values[which[0], -1]),
        value_b=float(curves.values[which[1], -1]),
        difference=found.difference,
        bias_corrected=math.nan,
        standard_error=found.standard_error,
        interval=Interval(low, high, sides.level, "jackknife over topics"),
        pvalue=p,
        alternative=alternative,
        names=(sides.names[which[0]], sides.names[which[1]]),
        ratio=math.exp(found.log_ratio) if known else math.nan,
        ratio_interval=ratio,
        adjusted=adjusted,
        notes=sides.notes,
        settings={**sides.settings(curves, seed), "method": "across"},
    )
