"""`plan_runs` tells whether to spend a budget on more topics or on more runs."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ..data.results import Findings, Interval, columns, settings_of
from ..data.runs import components
from ..errors import InputError, counted, number, require
from ..options import checked
from ..ranks.noise import repeated
from ..read.labels import WANTED_COST, is_cost
from ..read.reader import Collection, as_topic_side, refuse

_MOST_RUNS = 1_000
_SHOWN = (1, 2, 3, 5, 10, 20)


@checked
def plan_runs(
    scores: Collection, *, topic_cost: float = 1.0, run_cost: float = 1.0, budget: float | None = None
) -> Findings:
    """Find the numbers of topics and runs with the smallest standard error within a budget.

    Parameters
    ----------
    scores : Collection
        Scores of several runs on each topic, as `as_scores` takes them. With two systems or more, the plan
        is for their differences; with one system, it is for its mean.
    topic_cost : float
        The cost of one more topic, such as writing and checking it.
    run_cost : float
        The cost of one run of one system on one topic.
    budget : float, optional
        The most to spend. By default, the cost of the topics and runs at hand.

    Returns
    -------
    Findings
        `n_topics` and `n_runs`, with an interval for the number of runs. `ratio` is the variance between runs of one
        cell divided by the variance between topics, and `se` the predicted standard error. `designs` has the runs,
        topics and standard errors of other designs for the same money.

    See Also
    --------
    run_noise : How much of the error comes from topics, and how much from runs.
    plan_topics : How many topics rank the systems well enough.

    Notes
    -----
    With n topics, R runs and S systems, the variance of a mean is (T + E / R) / n, where T is the variance between
    topics and E the variance between runs. The variance of a difference is 2 (T + E / R) / n, where T is the variance
    of the interaction of topics and systems. T and E are estimated by the method of moments. A topic costs topic_cost +
    R S run_cost, so the best R is sqrt(E / T topic_cost / (S run_cost)), at least 1. The interval comes from the F
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
    refuse(side, "scores", "total", "groups", why="only the error of a mean can be predicted")
    assert side.runs is not None
    runs = side.runs[~np.isnan(side.values).any(axis=1)]
    n, m, _ = runs.shape
    require(topic_cost == 0 or is_cost(topic_cost), "topic_cost", topic_cost, f"give 0, or {WANTED_COST[5:]}")
    require(is_cost(run_cost), "run_cost", run_cost, WANTED_COST)
    require(budget is None or is_cost(budget), "budget", budget, WANTED_COST)
    found = components(runs) if n > 1 else None
    if found is None or math.isnan(found.runs):
        raise InputError("scores need at least 2 topics that all systems have, and two runs of at least one of them")
    each_run = m * run_cost
    spent = n * topic_cost + float((~np.isnan(runs)).sum()) * run_cost
    budget = spent if budget is None else budget
    require(budget >= 2 * (topic_cost + each_run), "budget", budget, "give at least the cost of 2 topics with one run")
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
    (n_runs, n_topics, se), low, high = best, min(limits), max(limits)
    span = f"at least {low:.1f}" if math.isinf(high) else f"{low:.1f} to {high:.1f}"
    span = "without limits" if math.isinf(low) else span
    rows = [{"runs": r, "topics": topics, "se": error, "best": r == n_runs} for r, topics, error in shown]
    heads = ["runs", "topics", f"standard error of {'a difference' if m > 1 else 'a mean'}", ""]
    cells = [[str(r), str(topics), number(error, 4), "best" if r == n_runs else ""] for r, topics, error in shown]
    return Findings(
        kind="RunPlan",
        answer=f"Spend {budget:,.6g} on {counted(n_topics, 'topic')} with {counted(n_runs, 'run')} each "
        f"(95% interval of the best number of runs: {span}).",
        numbers={
            "n_topics": n_topics,
            "n_runs": n_runs,
            "n_runs_interval": Interval(low, high, 0.95, "F"),
            "ratio": ratio,
            "se": se,
            "n_systems": m,
            "designs": tuple(shown),
        },
        lines=rows,
        shown=columns([heads, *cells]),
        data=side,
        settings=settings_of(topic_cost=topic_cost, run_cost=run_cost, budget=budget, measure=side.measure),
    )
