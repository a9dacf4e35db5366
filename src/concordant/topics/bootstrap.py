"""`TopicBootstrap`: intervals of a coefficient by resampling topics, with the systems fixed.

The resampled coefficient is no picture of the sampling error: a resample adds noise to means that are noisy already,
and noise lowers agreement. docs/guide/intervals.md derives what is done about it and has the coverage of each method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from ..arrays import FloatArray
from ..calibration import AWAY, FEWEST, LEFT, MISFIT, NEAR, STEADY, WIDENING
from ..coefficients.registry import Coefficient, get_coefficient
from ..errors import InputError, check_choice
from ..means import mean_over_topics
from ..resampling import Resampling, check_count, check_level
from ..results import Interval
from ..words import named
from .nested import Summary, centres, nested_values, plain_values, summarise
from .shrinkage import fit_of, model_of, shrunk_values, summarised

BootstrapMethod: TypeAlias = Literal["auto", "shrinkage", "iterated", "another-sample", "percentile", "basic"]

ITERATED = "the interval is by the iterated bootstrap"
BOTH = "the interval holds that of the iterated bootstrap as well"
NEARLY_TIED = "many systems seem to be nearly tied, which the shrinkage model does not allow for"


def what_shrinkage_needs(sides: int) -> str:
    """What data a model of so many sides is made from, after 'shrinkage'."""
    return (
        f"needs at least {sides + 2} systems and 3 topics, and sides whose means vary over systems and whose errors "
        "vary over topics, each in its own way"
    )


class Found(NamedTuple):
    """What a bootstrap says about a coefficient."""

    low: float
    high: float
    bias_corrected: float
    standard_error: float
    undefined: int
    """Resamples on which the coefficient has no value."""
    method: str
    """By which method."""
    note: str = ""
    """Why by that one."""
    n_resamples: int | None = None
    """How many resamples, where not as many as were asked for."""


@dataclass(frozen=True)
class Agreements:
    """The statistic that is resampled: coefficients of the means of two conditions, nan where undefined."""

    names: tuple[str, ...]
    threads: int

    def __call__(self, means: Sequence[FloatArray]) -> FloatArray:
        return np.array([get_coefficient(name).on_workers(self.threads)(*means) for name in self.names])


@dataclass(frozen=True)
class TopicBootstrap:
    """How to make an interval by resampling topics; an argument of `correlate` and `compare`.

    Parameters
    ----------
    n_resamples : int
        Resamples in all, those of resamples included; "auto" makes as many for each of its two parts, and eight times
        as many where it takes the iterated interval, so that limits vary with the seed by less than a tenth of a
        standard error. By "iterated" alone it is a quarter: ask for 49,999 there.
    method : {"auto", "shrinkage", "iterated", "another-sample", "percentile", "basic"}
        - "auto": for the coefficient between the two *population* mean vectors. The interval by shrinkage, reaching
          towards 0 from its own centre or from that of the iterated bootstrap, whichever is nearer. Where a check finds
          that the model does not fit, it holds the iterated interval as well, and a note says so.
        - "shrinkage": for the same. Population means are drawn, given the observed ones, as those of exchangeable
          systems in linearly related conditions. Narrower still; wrong where the model is wrong: where a third of the
          systems is nearly tied, for instance.
        - "iterated": for the same, without a model. Resamples of resamples show how the coefficient falls as noise is
          added; the fall is taken back and the interval built around the result.
        - "another-sample": where the coefficient of another sample of as many topics would lie.
        - "percentile": quantiles of the resampled coefficients, as papers print. Covers far too seldom; for comparison.
        - "basic": those quantiles reflected at the value. Too short as well.
    confidence_level : float
        How often the interval is to hold what it is for.

    Notes
    -----
    Of 95% intervals by "auto", 93 to 100% held in 203 of 210 cells of real and simulated collections and pairs of
    measures, from 10 topics and 6 systems on, reciprocal ranks and ERR included (600 samples of each cell:
    docs/measured/default-interval.md); with 10 and 15 topics more often than promised. Those for tau_b from 50 topics
    were a fifth narrower than by "iterated". In five of the other cells 91 or 92% held: pearson_rank from 100 topics of
    two collections, tau_b from 100 topics of a measure that is 0 or 1 on a topic, and one cell each of tau_ap_b and
    pearson_rank by judges with exam questions. The last two are tau_ap_b by a judge that gives most systems the same
    score: 85 and 89% with 25 and 50 topics, where "iterated" holds in 59 and 71%.

    Data that are unlike the model, 50 topics, tau_b, tau_ap_b and pearson_rank: a third of the systems truly tied, in
    another order on each side (70, 61 and 66% on adhoc8, where "iterated" holds in 77, 77 and 81%; 96, 92 and 78% on
    adhoc7, and 71% for pearson_rank with 15 topics); half of the systems related and half not (89, 81 and 99%; by
    "iterated" 95, 95 and 93%); AP and P@1 on covid1 (96, 92 and 93%). A check sees a third of tied systems in a third
    to a half of samples of 50 topics, in two thirds of samples of 100, and with fewer hardly ever.

    "iterated" itself holds in 93 to 97.5% of samples of the collections that it was made on; tau_ap_b against
    reciprocal ranks, or another measure of few values, in 68 to 93%.

    How many standard errors the intervals "iterated" and "another-sample" reach to each side is our own calibration,
    and measured: `concordant.calibration` has the constants, benchmarks/coverage_intervals.py finds them again
    (``--constants``), and docs/measured/interval-coverage.md has the coverage with these values.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.TopicBootstrap(4999, confidence_level=0.9)
    TopicBootstrap(n_resamples=4999, method='auto', confidence_level=0.9)

    """

    n_resamples: int = 9_999
    method: BootstrapMethod = "auto"
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        check_count(self.n_resamples)
        check_choice("method", self.method, get_args(BootstrapMethod))
        check_level(self.confidence_level)
        if self.n_resamples < FEWEST:
            raise InputError(
                f"{named('n_resamples')} is {self.n_resamples}: an interval needs at least {FEWEST} resamples"
            )

    def run(
        self, truth: FloatArray, candidate: FloatArray, coefficients: Sequence[Coefficient], drawn: Resampling
    ) -> list[Found | None]:
        """The limits for each coefficient from the same resamples, and what they are made from.

        Both sides are topics x systems. None where a coefficient is undefined on nearly all resamples.
        """
        values = Agreements(tuple(c.name for c in coefficients), drawn.threads)
        if self.method in ("auto", "shrinkage"):
            return self._modelled((truth, candidate), coefficients, values, drawn)
        if self.method in ("percentile", "basic"):
            means = mean_over_topics(truth), mean_over_topics(candidate)
            resampled = plain_values((truth, candidate), values, drawn)
            return [
                self._quantiles(float(c.formula(*means)), row, c.range)
                for c, row in zip(coefficients, resampled, strict=True)
            ]
        summaries = summarise(nested_values((truth, candidate), values, drawn), len(truth))
        return [s and self.limits(s, c.range) for c, s in zip(coefficients, summaries, strict=True)]

    def _modelled(
        self,
        sides: tuple[FloatArray, FloatArray],
        coefficients: Sequence[Coefficient],
        values: Agreements,
        drawn: Resampling,
    ) -> list[Found | None]:
        """Limits by shrinkage; for "auto", reaching as far as the iterated bootstrap makes likely."""
        model = model_of(sides)
        if model is None:
            if self.method == "shrinkage":
                raise InputError(f"method is 'shrinkage', which {what_shrinkage_needs(2)}: use method='iterated'")
            return self._iterated(sides, coefficients, drawn, f"{ITERATED}: shrinkage {what_shrinkage_needs(2)}")
        drawn_values = shrunk_values(model, values, drawn)
        found = [self.around(t, a, c.range) for c, t, a in zip(coefficients, *drawn_values, strict=True)]
        if self.method == "shrinkage":
            return found
        others = centres(sides, values, drawn.quiet())
        found = [f and self.reaching(f, float(o), c.range) for c, f, o in zip(coefficients, found, others, strict=True)]
        if (fit := fit_of(model)) >= MISFIT:
            return found
        note = (
            f"{BOTH}: {NEARLY_TIED} (agreement between halves of the topics is {-fit:.1f} standard deviations below "
            "what it predicts)"
        )
        return [
            i and (i if f is None else i._replace(low=min(i.low, f.low), high=max(i.high, f.high), method="auto"))
            for i, f in zip(self._iterated(sides, coefficients, drawn.quiet(), note), found, strict=True)
        ]

    def _iterated(
        self, sides: tuple[FloatArray, FloatArray], coefficients: Sequence[Coefficient], drawn: Resampling, note: str
    ) -> list[Found | None]:
        """The iterated interval, as steady as the one by shrinkage, with the reason for it."""
        more = STEADY * drawn.n_resamples
        how = replace(self, method="iterated", n_resamples=more)
        others = how.run(*sides, coefficients, replace(drawn, n_resamples=more))
        return [found and found._replace(note=note, n_resamples=more) for found in others]

    def around(self, truth: FloatArray, again: FloatArray, within: tuple[float, float]) -> Found | None:
        """The limits from draws of a coefficient in the population and in another sample: mean +- z sd of the error."""
        found = summarised(truth, again)
        if found is None:
            return None
        half = normal_quantile(self.confidence_level) * found.error
        low, high = np.clip([found.centre - half, found.centre + half], *within)
        return Found(float(low), float(high), found.centre, found.error, found.undefined, "shrinkage")

    def reaching(self, found: Found, other: float, within: tuple[float, float]) -> Found:
        """Limits by shrinkage that reach down from its centre or from the iterated bootstrap's, whichever is nearer 0.

        What breaks the model (ties, groups, curved relations) makes its centre too extreme, seldom the reverse: the
        half away from 0 is cut a little instead. Where the sign is not clear, neither is the side.
        """
        half = normal_quantile(self.confidence_level) * found.standard_error
        sign = -1.0 if found.bias_corrected < 0 else 1.0
        centre = sign * found.bias_corrected
        apart = 0.0 if math.isnan(other) else sign * other - centre
        unclear = centre < half
        near = centre - half + min(apart, 0.0)
        far = centre + (half + max(apart, 0.0) if unclear else AWAY * half)
        low, high = np.clip(sorted((sign * near, sign * far)), *within)
        return found._replace(low=float(low), high=float(high), method="auto")

    def limits(self, summary: Summary, within: tuple[float, float]) -> Found:
        """The limits from a summary of all levels.

        The centre is cut to the range of the coefficient before the limits are, so that no interval shrinks to a point.
        """
        corrected = float(np.clip(summary.centre, *within))
        # Student's quantile, and the error of the centre that few resamples make, so that fewer cost no coverage.
        t = student_quantile(self.confidence_level, summary.outer - 1)
        if self.method == "another-sample":
            half = WIDENING * t * math.sqrt(2) * summary.spread
            low, high = summary.value - half, summary.value + half
        else:
            near = NEAR * t * math.hypot(summary.standard_error, summary.monte_carlo)
            far = near * (1 + LEFT / summary.n_topics)
            # Where the sign is not clear, neither is the side of the bias.
            low = corrected - (near if corrected > near else far)
            high = corrected + (near if corrected < -near else far)
        low, high = np.clip([low, high], *within)
        method = "another-sample" if self.method == "another-sample" else "iterated"
        return Found(float(low), float(high), corrected, summary.standard_error, summary.undefined, method)

    def interval(self, found: Found) -> Interval:
        """The limits as an `Interval`."""
        return Interval(found.low, found.high, float(self.confidence_level), f"{found.method} topic bootstrap")

    def _quantiles(self, value: float, resampled: FloatArray, within: tuple[float, float]) -> Found | None:
        kept = resampled[~np.isnan(resampled)]
        if len(kept) < 2:
            return None
        tail = (1 - self.confidence_level) / 2
        low, high = np.quantile(kept, [tail, 1 - tail])
        if self.method == "basic":
            low, high = 2 * value - high, 2 * value - low
        low, high, corrected = np.clip([low, high, 2 * value - kept.mean()], *within)
        undefined = len(resampled) - len(kept)
        return Found(float(low), float(high), float(corrected), float(kept.std(ddof=1)), undefined, self.method)


def student_quantile(confidence_level: float, df: int) -> float:
    """How many standard errors an interval of that level reaches to each side, if they have `df` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + confidence_level) / 2))


def normal_quantile(confidence_level: float) -> float:
    """How many standard errors a normal interval of that level reaches to each side."""
    return NormalDist().inv_cdf((1 + confidence_level) / 2)
