"""`plan_topics`: how many topics are needed to reach a correlation with the true ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..arrays import FloatArray, Workers
from ..coefficients.registry import Coefficient, get_coefficient
from ..data.results import Findings, Interval, settings_of
from ..errors import counted, require
from ..inference.posterior import Draws, correlations, draw
from ..inference.resampling import Progress, Resampling, Seed
from ..options import checked
from ..read.reader import Collection, as_topics

POINTS = 24  # number of points on the curve
SLACK = 1e-12  # a coefficient that misses the target by rounding error alone counts as reaching it
TRUTHS = 2_000  # draws of the true means for the interval; a quarter of them with `probability`
ERRORS = 8  # antithetic pairs of errors for each draw of the true means; four times as many with `probability`
STEPS = 12  # number of bisections to find the number of topics for each draw, on the log scale


@checked
def plan_topics(  # noqa: PLR0913
    scores: Collection,
    *,
    coefficient: str = "tau",
    target: float = 0.9,
    probability: float | None = None,
    n_resamples: int = 16_000,
    most: int = 10_000,
    confidence_level: float = 0.95,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Findings:
    """Estimate how many topics a new collection of the same kind needs to rank these systems well enough.

    The correlation between the true ranking and a ranking by n' new topics is predicted for any n'. Both rankings are
    unknown, so both are drawn. True means come from their posterior given the scores, as in `expected_correlation` with
    estimator="posterior". Means over n' topics are drawn around them, with the observed errors and their correlations
    between systems, divided by sqrt(n'). The mean coefficient over the draws is the expected correlation; with
    `probability`, that share of the draws must reach the target. The same draws serve every n', so the curve is smooth,
    and bisection finds the smallest n'.

    The interval is for the number of topics that these systems would need if their true means were known. Each of 2,000
    draws (500 with `probability`) of the true means, their spread over systems and the noise gives one such number. The
    interval holds the middle `confidence_level` of these numbers.

    Using the observed means as true means would promise too much, because they are spread more widely than true means.
    docs/guide/reliability.md compares predictions with real collections.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, or a topics x systems array, at least 2 x 2; higher is better.
    coefficient : str
        Any of `list_coefficients()`.
    target : float
        The correlation to reach.
    probability : float, optional
        The probability with which a collection must reach the target; by default, the expectation must reach it.
    n_resamples : int
        Number of draws from the posterior.
    most : int
        The largest number of topics to try.
    confidence_level : float
        Confidence level of the interval.
    rng : int, Generator or None
        The same seed gives the same bits with any number of workers.
    workers : int or Executor
        Number of threads; an executor is accepted but not used.
    progress : callable, optional
        Called with how many numbers of topics were tried, and an estimate of how many there will be.

    Returns
    -------
    Findings
        `n_topics` is the smallest number of topics that reaches the target; None if `most` do not. `interval` is the
        confidence interval of the number that these systems need; inf means more than `most`. `rows()` is the curve:
        for each number of topics the expected correlation, the range (`low` to `high`) of 90% of such collections, and
        the probability that one reaches the target.

    See Also
    --------
    reliability : How close a ranking is to the true one, by all estimators.
    select_topics : Choose which topics to keep.
    plan_mix : Find the cheapest mix of human and machine topics.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.plan_topics(cc.load_collection("people"), coefficient="tau", target=0.9, rng=1))
    60 topics for an expected tau of 0.9 with the true ranking (95% interval 29 to 130); predicted from 40 topics
    <BLANKLINE>
      topics  expected tau  90% of collections  P(>= 0.9)
           5         0.684        0.53 to 0.82       0.00
           9         0.757        0.63 to 0.86       0.01
          15         0.808        0.71 to 0.89       0.04
          26         0.851        0.77 to 0.93       0.15
          40         0.879        0.80 to 0.94       0.33
          46         0.887        0.81 to 0.95       0.40
          60         0.901        0.83 to 0.96       0.55
          79         0.913        0.85 to 0.96       0.68

    """
    known = get_coefficient(coefficient)
    least, largest = known.range  # a target between these limits can be both reached and missed
    wanted = f"give a value of {coefficient} above {least:g} and below {largest:g}"
    require(least < target < largest, "target", target, wanted)
    how = Resampling.of(n_resamples, rng, workers, progress)
    given = as_topics(scores, "scores", holes=True)
    values = given.observations().values
    random = how.generator()
    drawn = draw(values, how.n_resamples, random, new=True)
    found: dict[int, FloatArray] = {}

    def at(n: int) -> FloatArray:
        if n not in found:
            found[n] = correlations(known, drawn.truth, drawn.observed(n), how.threads)
            how.progress(len(found), max(len(found), POINTS + 20))
        return found[n]

    def enough(values: FloatArray) -> Any:
        if probability is None:
            return values.mean(axis=0) >= target
        return (values >= target - SLACK).mean(axis=0) >= probability

    answer = smallest(lambda n: bool(enough(at(n))), most)
    topics = tuple(_curve(answer, len(values), most))
    curve = np.stack([at(n) for n in topics])
    share = 1 if probability is None else 4
    truths = draw(values, min(TRUTHS // share, how.n_resamples), random, new=True, vary=True)
    needed = _needed(truths, share * ERRORS, known, enough, most, how.threads)
    low = float(np.floor(np.quantile(needed, (1 - confidence_level) / 2, method="lower")))
    high = float(np.ceil(np.quantile(needed, (1 + confidence_level) / 2, method="higher")))
    columns = {
        "topics": topics,
        "expected": curve.mean(axis=1),
        "low": np.quantile(curve, 0.05, axis=1),
        "high": np.quantile(curve, 0.95, axis=1),
        "reached": (curve >= target - SLACK).mean(axis=1),
    }
    rows = [
        {name: value if name == "topics" else float(value) for name, value in zip(columns, row, strict=True)}
        for row in zip(*columns.values(), strict=True)
    ]
    numbers: dict[str, Any] = {
        "n_topics": answer,
        "interval": Interval(low, high, confidence_level, "posterior, normal prior"),
        "coefficient": coefficient,
        "target": target,
        "probability": probability,
        "most": most,
        "observed_topics": len(values),
    }
    grouped = {} if given.groups is None else {"groups": len(values)}
    unit = "group" if grouped else "topic"
    return Findings(
        kind="TopicPlan",
        answer=_verdict(numbers, unit),
        numbers={**numbers, "curve": rows},
        beside=columns,
        lines=rows,
        shown=_table([row for row in rows if row["topics"] in {*topics[::4], len(values), answer}], numbers, unit),
        figure="curves.plan",
        data=given,
        settings=settings_of(
            seed=how.seed, n_resamples=how.n_resamples, confidence_level=confidence_level, total=given.total, **grouped
        ),
    )


def _verdict(plan: Mapping[str, Any], unit: str) -> str:
    most, ends, chance = plan["most"], plan["interval"], plan["probability"]
    aim = f"{plan['coefficient']} of {plan['target']:g} with the true ranking"
    aim = f"an expected {aim}" if chance is None else f"a {aim}, with a probability of {chance:g}"
    n = plan["n_topics"]
    topics = f"{most:,} {unit}s are not enough" if n is None else f"{n:,} {unit}{'s' * (n != 1)}"
    low, high = (float(f"{end:.2g}") for end in (ends.low, ends.high))
    span = f"{low:,.0f} to {high:,.0f}" if high < math.inf else f"from {low:,.0f} up"
    span = span if low < math.inf else f"above {most:,}"
    level, observed = f"{100 * ends.confidence_level:g}%", counted(plan["observed_topics"], unit)
    return f"{topics} for {aim} ({level} interval {span}); predicted from {observed}"


def _table(rows: list[dict[str, Any]], numbers: Mapping[str, Any], unit: str) -> str:
    """Print some rows of the curve."""
    expected, reaches = f"expected {numbers['coefficient']}", f"P(>= {numbers['target']:g})"
    lines = [
        f"  {row['topics']:>6}  {row['expected']:>{len(expected)}.3f}      {row['low']:>6.2f} to {row['high']:.2f}"
        f"  {row['reached']:>{len(reaches)}.2f}"
        for row in rows
    ]
    return "\n".join([f"  {unit}s  {expected}  90% of collections  {reaches}", *lines])


def smallest(enough: Callable[[int], bool], most: int) -> int | None:
    """Find the smallest number from 1 to `most` that is enough, if every larger number is enough, too."""
    below, at = 0, 1
    while not enough(at):
        if at == most:
            return None
        below, at = at, min(2 * at, most)
    while at - below > 1:
        middle = (below + at) // 2
        if enough(middle):
            at = middle
        else:
            below = middle
    return at


def _needed(
    drawn: Draws, errors: int, known: Coefficient, enough: Callable[[FloatArray], Any], most: int, workers: int
) -> FloatArray:
    """Find the number of topics that each draw of the true means needs; inf if `most` are not enough."""
    low, high = np.zeros((len(drawn.truth), 1)), np.full((len(drawn.truth), 1), math.log(most))

    def reached(log_n: FloatArray) -> FloatArray:
        """Tell, for each draw of the true means, whether collections of exp(log_n) topics are enough."""
        n, turns = np.exp(log_n), [*range(-errors, 0), *range(1, errors + 1)]
        values = [correlations(known, drawn.truth, drawn.observed(n, turn), workers) for turn in turns]
        return np.asarray(enough(np.array(values)))[:, None]

    ever = reached(high)
    for _ in range(STEPS):
        middle = (low + high) / 2
        there = reached(middle)
        low, high = np.where(there, low, middle), np.where(there, middle, high)
    return np.where(ever, np.exp(high), math.inf)[:, 0]


def _curve(answer: int | None, n: int, most: int) -> list[int]:
    """Choose the numbers of topics on the curve, including the answer and the observed number."""
    end = min(most, 2 * max(n, answer or most))
    spaced = np.unique(np.round(np.geomspace(min(5, end), end, POINTS)).astype(int)).tolist()
    return sorted({*spaced, min(n, most), *([answer] if answer else [])})
