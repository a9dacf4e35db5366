"""Intervals of a coefficient by resampling topics, with the systems fixed.

Observed means are noisy. Resampling adds more noise, and noise lowers agreement, so the bootstrap distribution does not
estimate the sampling error. docs/guide/intervals.md derives the corrections and reports the coverage of each method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import Coefficient, get_coefficient
from ..data.means import mean_over_topics
from ..data.results import Interval
from ..errors import InputError
from ..words import named
from .calibration import AWAY, FEWEST, LEFT, MISFIT, NEAR, STEADY
from .nested import Summary, centres, nested_values, plain_values, summarise
from .resampling import Resampling, in_blocks
from .shrinkage import fit_of, model_of, shrunk_values, summarised

Method: TypeAlias = Literal["auto", "shrinkage", "iterated", "percentile"]
Range: TypeAlias = tuple[float, float]

ITERATED = "the interval is by the iterated bootstrap"
BOTH = "the interval includes that of the iterated bootstrap"
NEARLY_TIED = "many systems seem to be nearly tied, which the shrinkage model does not allow for"
SHRINKAGE_NEEDS = (
    "needs at least 4 systems and 3 topics, means that vary over systems, and errors that vary over topics "
    "differently on each side"
)


class Found(NamedTuple):
    """Bootstrap limits of a coefficient, with its corrected value and standard error."""

    low: float
    high: float
    bias_corrected: float
    standard_error: float
    undefined: int
    """The number of resamples on which the coefficient has no value."""
    method: str
    note: str = ""
    """Why this method was chosen."""
    n_resamples: int = 0

    def interval(self, level: float) -> Interval:
        """Return the limits as an `Interval`."""
        return Interval(self.low, self.high, level, f"{self.method} topic bootstrap")


@dataclass(frozen=True)
class Agreements:
    """The resampled statistic: coefficients of the means of two conditions, nan if undefined."""

    names: tuple[str, ...]
    threads: int

    def __call__(self, means: Sequence[FloatArray]) -> FloatArray:
        return np.array([get_coefficient(name).on_workers(self.threads)(*means) for name in self.names])


def check_bootstrap(n_resamples: int) -> None:
    """Refuse too few resamples."""
    if n_resamples < FEWEST:
        raise InputError(f"{named('n_resamples')} is {n_resamples}: an interval needs at least {FEWEST} resamples")


def limits(
    sides: tuple[FloatArray, FloatArray],
    coefficients: Sequence[Coefficient],
    method: Method,
    level: float,
    drawn: Resampling,
) -> list[Found | None]:
    """Compute limits for all coefficients from the same resamples; None for one undefined on nearly all of them.

    The sides, truth and candidate, are topics x systems.
    """
    blocks = in_blocks(sides[0]), in_blocks(sides[1])
    values = Agreements(tuple(c.name for c in coefficients), drawn.threads)
    ranges = [c.range for c in coefficients]
    if method == "iterated":
        found = _iterated(blocks, values, ranges, level, drawn)
    elif method == "percentile":
        resampled = plain_values(blocks, values, drawn)
        means = [mean_over_topics(side) for side in sides]
        at = [float(c.formula(*means)) for c in coefficients]
        found = [_quantiles(*each, level) for each in zip(at, resampled, ranges, strict=True)]
    else:
        found = _modelled(blocks, values, ranges, method, level, drawn)
    return [f and f._replace(n_resamples=f.n_resamples or drawn.n_resamples) for f in found]


def _modelled(
    sides: tuple[FloatArray, FloatArray],
    values: Agreements,
    ranges: Sequence[Range],
    method: Method,
    level: float,
    drawn: Resampling,
) -> list[Found | None]:
    """Compute limits by shrinkage; for "auto", widen them by the iterated bootstrap."""
    model = model_of(sides)
    # With eight times as many resamples, the iterated interval varies as little with the seed as the one by shrinkage.
    more = replace(drawn, n_resamples=STEADY * drawn.n_resamples)
    if model is None:
        if method == "shrinkage":
            raise InputError(f"method is 'shrinkage', which {SHRINKAGE_NEEDS}: use method='iterated'")
        return _iterated(sides, values, ranges, level, more, f"{ITERATED}: shrinkage {SHRINKAGE_NEEDS}")
    found = [around(*each, level) for each in zip(*shrunk_values(model, values, drawn), ranges, strict=True)]
    if method == "shrinkage":
        return found
    others = centres(sides, values, drawn.quiet())
    found = [f and reaching(f, float(o), r, level) for f, o, r in zip(found, others, ranges, strict=True)]
    if (fit := fit_of(model)) >= MISFIT:
        return found
    note = (
        f"{BOTH}: {NEARLY_TIED} (agreement between halves of the topics is {-fit:.1f} standard deviations below "
        "the model's prediction)"
    )
    return [
        i and (i if f is None else i._replace(low=min(i.low, f.low), high=max(i.high, f.high), method="auto"))
        for i, f in zip(_iterated(sides, values, ranges, level, more.quiet(), note), found, strict=True)
    ]


def _iterated(
    sides: tuple[FloatArray, FloatArray],
    values: Agreements,
    ranges: Sequence[Range],
    level: float,
    drawn: Resampling,
    note: str = "",
) -> list[Found | None]:
    """Compute iterated intervals, with a note on why."""
    summaries = summarise(nested_values(sides, values, drawn), len(sides[0]))
    found = [s and from_summary(s, within, level) for s, within in zip(summaries, ranges, strict=True)]
    return [f and f._replace(note=note, n_resamples=drawn.n_resamples) for f in found]


def around(truth: FloatArray, again: FloatArray, within: Range, level: float) -> Found | None:
    """Compute limits from draws of a coefficient in the population and in another sample: mean +- z sd of the error."""
    found = summarised(truth, again)
    if found is None:
        return None
    half = normal_quantile(level) * found.error
    low, high = np.clip([found.centre - half, found.centre + half], *within)
    return Found(float(low), float(high), found.centre, found.error, found.undefined, "shrinkage")


def reaching(found: Found, other: float, within: Range, level: float) -> Found:
    """Move the limit by shrinkage that is nearer 0 further, if the centre of the iterated bootstrap is nearer 0.

    Violations of the model (ties, groups, curved relations) usually make its centre too extreme. So the half away from
    0 is shortened a little, unless the sign of the centre is unclear.
    """
    half = normal_quantile(level) * found.standard_error
    sign = -1.0 if found.bias_corrected < 0 else 1.0
    centre = sign * found.bias_corrected
    apart = 0.0 if math.isnan(other) else sign * other - centre
    unclear = centre < half
    near = centre - half + min(apart, 0.0)
    far = centre + (half + max(apart, 0.0) if unclear else AWAY * half)
    low, high = np.clip(sorted((sign * near, sign * far)), *within)
    return found._replace(low=float(low), high=float(high), method="auto")


def from_summary(summary: Summary, within: Range, level: float) -> Found:
    """Compute the iterated limits from a summary of all levels.

    The centre is first cut to the range of the coefficient, so that no interval shrinks to a point.
    """
    corrected = float(np.clip(summary.centre, *within))
    # Student's quantile and the Monte Carlo error of the centre keep the coverage with few resamples.
    t = student_quantile(level, summary.outer - 1)
    near = NEAR * t * math.hypot(summary.standard_error, summary.monte_carlo)
    far = near * (1 + LEFT / summary.n_topics)
    # If the sign is unclear, so is the direction of the bias: both halves are long.
    low = corrected - (near if corrected > near else far)
    high = corrected + (near if corrected < -near else far)
    low, high = np.clip([low, high], *within)
    return Found(float(low), float(high), corrected, summary.standard_error, summary.undefined, "iterated")


def _quantiles(value: float, resampled: FloatArray, within: Range, level: float) -> Found | None:
    """Compute quantiles of the resampled coefficients, as many papers do."""
    kept = resampled[~np.isnan(resampled)]
    if len(kept) < 2:
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail])
    low, high, corrected = np.clip([low, high, 2 * value - kept.mean()], *within)
    undefined = len(resampled) - len(kept)
    return Found(float(low), float(high), float(corrected), float(kept.std(ddof=1)), undefined, "percentile")


def student_quantile(confidence_level: float, df: int) -> float:
    """Return Student's two-sided quantile: the half-width of an interval in standard errors with `df` degrees."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + confidence_level) / 2))


def normal_quantile(confidence_level: float) -> float:
    """Return the two-sided normal quantile: the half-width of an interval in standard errors."""
    return NormalDist().inv_cdf((1 + confidence_level) / 2)


def not_resampled(coefficient: Coefficient) -> str:
    """Say why a coefficient never has an interval; empty if it may have one."""
    if len(coefficient.ties) == 2:
        return ""
    return (
        f"resampled means can be tied, and {coefficient.name} is not defined for ties on both sides: use "
        f"{coefficient.with_ties!r}, which is the same without ties"
    )
