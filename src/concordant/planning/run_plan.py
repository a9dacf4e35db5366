"""`plan_runs`: more topics or more runs, for what each costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from ..data.results import Interval, Result, columns, settings_of
from ..data.runs import components
from ..errors import InputError, require
from ..options import checked
from ..ranks.noise import repeated
from ..read.door import Collection, as_topic_side, refuse
from ..read.labels import WANTED_COST, is_cost
from ..words import counted, number

_MOST_RUNS = 1_000
_SHOWN = (1, 2, 3, 5, 10, 20)


@dataclass(frozen=True, eq=False, repr=False)
class RunPlan(Result):
    """What `plan_runs` found."""

    _figure = "curves.run_plan"
    n_topics: int
    n_runs: int
    """Of each topic, for each system."""
    n_runs_interval: Interval
    """Of the number of runs without rounding: topics may differ more or less than they seem to."""
    ratio: float
    """The variance of runs of a cell, divided by that between topics; of differences, where there are two systems."""
    se: float
    """The standard error that this design promises: of a mean, or with two systems or more of a difference."""
    n_systems: int
    designs: tuple[tuple[int, int, float], ...]
    """Runs, topics and standard error of other designs for the same budget."""

    @property
    def verdict(self) -> str:
        """The best design, and how sure it is."""
        low, high = self.n_runs_interval.low, self.n_runs_interval.high
        span = f"at least {low:.1f}" if math.isinf(high) else f"{low:.1f} to {high:.1f}"
        spend = f"{self.settings['budget']:,.6g}"
        return (
            f"Spend {spend} on {counted(self.n_topics, 'topic')} with {counted(self.n_runs, 'run')} each "
            f"(95% interval of the best number of runs: {span})."
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row per design."""
        return [{"runs": r, "topics": n, "se": se, "best": r == self.n_runs} for r, n, se in self.designs]

    def table(self) -> str:
        """One line per design."""
        of = "a difference" if self.n_systems > 1 else "a mean"
        cells = [
            [str(row["runs"]), str(row["topics"]), number(row["se"], 4), "best" if row["best"] else ""]
            for row in self.rows()
        ]
        return columns([["runs", "topics", f"standard error of {of}", ""], *cells])


@checked
def plan_runs(
    scores: Collection, *, topic_cost: float = 1.0, run_cost: float = 1.0, budget: float | None = None
) -> RunPlan:
    """More topics or more runs: the design that makes the most of a budget.

    Parameters
    ----------
    scores : Collection
        Scores on each topic with several runs, as `as_scores` takes them. Two systems or more are planned for their
        differences, one for its mean.
    topic_cost : float
        What one more topic costs, such as writing and checking it.
    run_cost : float
        What one run of one system on one topic costs.
    budget : float, optional
        What may be spent. By default, what topics and runs like those at hand would cost.

    Returns
    -------
    RunPlan
        `n_topics` and `n_runs`, and other designs for the same money.

    See Also
    --------
    run_noise : How much of the error comes from topics, and how much from runs.
    plan_topics : How many topics rank the systems well enough.

    Notes
    -----
    With n topics, R runs and S systems, the variance of a mean is (T + E / R) / n, where T is the variance between
    topics and E that of runs; of a difference it is twice as much, where T is the variance of topics by systems. Both
    are estimated by moments. A topic costs topic_cost + R S run_cost, so the best R is
    sqrt(E / T topic_cost / (S run_cost)), at least 1; whole numbers near it are tried. The interval comes from the F
    distribution of the ratio of mean squares.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> easy = np.random.default_rng(1).normal(0.5, 0.1, (40, 1, 1))
    >>> runs = easy + np.random.default_rng(2).normal(0, 0.3, (40, 1, 4))
    >>> plan = cc.planning.plan_runs(cc.Scores(runs, topics=range(40), systems=["a"]), topic_cost=5)
    >>> plan.n_runs > 4
    True

    """
    side = repeated(as_topic_side(scores, "scores"))
    refuse(side, "scores", "total", "groups", why="the error of a mean is split")
    assert side.runs is not None
    runs = side.runs[~np.isnan(side.values).any(axis=1)]
    n, m, _ = runs.shape
    require(topic_cost == 0 or is_cost(topic_cost), "topic_cost", topic_cost, f"give 0, or {WANTED_COST[5:]}")
    require(is_cost(run_cost), "run_cost", run_cost, WANTED_COST)
    require(budget is None or is_cost(budget), "budget", budget, WANTED_COST)
    found = components(runs) if n > 1 else None
    if found is None or math.isnan(found.runs):
        raise InputError("fewer than 2 topics are there for all systems, or none of them has two runs")
    each_run = m * run_cost
    spent = n * topic_cost + float((~np.isnan(runs)).sum()) * run_cost
    budget = spent if budget is None else budget
    require(budget >= 2 * (topic_cost + each_run), "budget", budget, "give at least what 2 topics with one run cost")
    between = max(found.topics_by_systems, 0.0)

    def design(r: int) -> tuple[int, int, float]:
        topics = int(budget / (topic_cost + r * each_run) * (1 + 1e-12))
        variance = (between + found.runs / r) / topics if topics > 1 else math.inf
        return r, topics, math.sqrt(variance * (2 if m > 1 else 1))

    most = min(_MOST_RUNS, max(int((budget / 2 - topic_cost) / each_run * (1 + 1e-12)), 1))
    best = min((design(r) for r in range(1, most + 1)), key=lambda one: one[2])
    shown = sorted({best, *(design(r) for r in _SHOWN if r <= most)})
    noise = found.runs * found.each
    ratio = found.runs / between if between > 0 else math.inf if found.runs > 0 else 0.0
    df = (n - 1) * max(m - 1, 1), int((~np.isnan(runs)).sum()) - n * m
    limits = []
    for tail in (0.025, 0.975):  # (T + E each) / (E each) is distributed as F
        f = (found.topics_by_systems + noise) / noise / float(special.fdtri(*df, 1 - tail)) if noise > 0 else math.inf
        low = (f - 1) * found.each  # T / E
        limits.append(max(1.0, math.sqrt(topic_cost / (low * each_run))) if low > 0 else math.inf)
    return RunPlan(
        n_topics=best[1],
        n_runs=best[0],
        n_runs_interval=Interval(min(limits), max(limits), 0.95, "F"),
        ratio=ratio,
        se=best[2],
        n_systems=m,
        designs=tuple(shown),
        data=side,
        settings=settings_of(topic_cost=topic_cost, run_cost=run_cost, budget=budget, measure=side.measure),
    )
