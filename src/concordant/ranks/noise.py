"""`run_noise`: how much of the error of each mean comes from topics, and how much from repeated runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import special, stats

from ..arrays import BoolArray, FloatArray, IntArray
from ..data.means import places_of_groups
from ..data.results import Findings, Interval, columns, settings_of
from ..data.runs import Scale, Seeds, on_these_topics, run_means, scale_of, within
from ..data.scores import Means, Scores
from ..errors import InputError, argument, counted, number, one_line
from ..options import checked
from ..read.reader import Collection, as_topic_side, refuse
from .paired import clustered

RunsAs: TypeAlias = Literal["auto", "trials", "seeds"]
"""How to treat repeated runs: as independent trials of each topic, or as seeds, where run r is one trained system on
all topics; "auto" tests which of the two they are."""
# significance level of the test for seeds: missing real seeds costs more than assuming seeds where there are none
_LEVEL = 0.2
_LEVEL_OF_FEW, _FEW = 0.35, 10  # level below 10 degrees of freedom, because the test then misses more seeds
_SHRINKAGE = {"binary": 1.0, "graded": 0.1}  # number of topics of maximal variance that Wilson's interval adds


class SeedNoise(NamedTuple):
    """Contribution of seeds to the variance of a mean, one entry per system."""

    variance: FloatArray
    """(MS_R - MS_E) / (n R), at least 0."""
    parts: FloatArray
    """Sum in Satterthwaite's denominator: the square of each of the two terms divided by its degrees of freedom."""


@checked
def run_noise(
    scores: Collection, *, these_topics: bool = False, runs: RunsAs = "auto", confidence_level: float = 0.95
) -> Findings:
    """Split the error of each mean into the parts due to topics and to repeated runs (seeds, trials, epochs).

    Parameters
    ----------
    scores : Collection
        Scores on each topic with several runs, as `as_scores` takes them: topics x systems x runs, or a long table with
        a column such as trial, seed or epoch.
    these_topics : bool
        True: the intervals are for these topics only, so only runs are random. False: the intervals are for topics
        like these.
    runs : {"auto", "trials", "seeds"}
        "trials": the runs of each topic are independent. "seeds": run r is one trained system on all topics. "auto"
        tests over all systems whether some runs are better on all topics, and takes them as seeds if p < 0.2, or if
        p < 0.35 and systems x (runs - 1) is below 10.
    confidence_level : float
        Confidence level of the intervals.

    Returns
    -------
    Findings
        For each of the `systems`, best first: `means`, `intervals`, and `from_runs`, the share of the variance due to
        runs (nan if the system has no topic with two runs). `without` is half the width of the interval with infinitely
        many runs on these topics.

    See Also
    --------
    difference : Test whether one system is better than another.

    Notes
    -----
    V = S^2(M) / n is the variance of a mean over n topics, where M are the means over runs. Runs contribute
    sum(s^2 / k) / n^2 to V, where s^2 is the variance within a topic and k its number of runs. Scores between 0
    and 1 get Wilson's interval with the observed dispersion of the topics, and other scores Student's t. If
    topics are in groups, the variance is CR2. Seeds add (MS_R - MS_E) / (n R) to V, with Satterthwaite's degrees
    of freedom.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> runs = (np.random.default_rng(1).random((40, 2, 5)) < [[[0.7], [0.4]]]).astype(float)
    >>> found = cc.ranks.run_noise(cc.Scores(runs, topics=range(40), systems=["a", "b"]))
    >>> found.systems, found.from_runs.round(1).tolist()
    (('a', 'b'), [1.0, 0.9])

    """
    side = as_topic_side(scores, "scores")
    passes = side.measure.startswith(("pass@", "pass^")) and side.runs is None and not these_topics
    side = side if passes else repeated(side)
    refuse(side, "scores", "total", why="only the error of a mean can be split")
    given = side.shown(side.values[:, :, None] if side.runs is None else side.runs)
    scale: Scale = "binary" if passes else scale_of(given)
    n_runs = (~np.isnan(given)).sum(axis=2)
    seeds, p = (None, math.nan) if these_topics else seed_noise(given, runs)
    added = [None] * len(side.systems) if seeds is None else list(zip(seeds.variance, seeds.parts, strict=True))
    found = [
        _on_these(given[:, k], scale, confidence_level)
        if these_topics
        else _of_system(given[:, k], scale, confidence_level, groups_of(side, ~np.isnan(side.values[:, k])), added[k])
        for k in range(len(side.systems))
    ]
    order = np.argsort(-np.array([one.mean for one in found]) * (-1 if side.lower_is_better else 1), kind="stable")
    notes = () if seeds is None or runs != "auto" else (taken_as_seeds(p),)
    every = [found[k] for k in order]
    numbers: dict[str, Any] = {
        "systems": tuple(side.systems[k] for k in order),
        "means": np.array([one.mean for one in every]),
        "intervals": tuple(one.interval for one in every),
        "from_runs": np.array([one.share for one in every]),
        "without": np.array([one.without for one in every]),
        "n_topics": len(side.topics),
        "n_runs": (int(n_runs[n_runs > 0].min()), int(n_runs.max())),
    }
    heads = ["system", "mean", f"{100 * confidence_level:g}% interval", "from runs", "with unlimited runs"]
    cells, rows = [heads], []
    for system, (mean, ends, share, without) in zip(numbers["systems"], every, strict=True):
        shown = "-" if math.isnan(share) else f"{100 * share:.0f}%", "-" if math.isnan(without) else f"+-{without:.4f}"
        cells.append([one_line(system), number(mean, 4), f"{ends.low:.4f} to {ends.high:.4f}", *shown])
        row = {"system": system, "mean": mean, "low": ends.low, "high": ends.high}
        rows.append({**row, "from_runs": share, "without": without})
    return Findings(
        kind="RunNoise",
        answer=_verdict(numbers, side.measure, these_topics),
        numbers=numbers,
        lines=rows,
        shown=columns(cells),
        index="system",
        notes=notes,
        data=side,
        settings=settings_of(
            confidence_level=confidence_level,
            these_topics=these_topics,
            runs="trials" if seeds is None else "seeds",
            measure=side.measure,
        ),
    )


def _verdict(found: Mapping[str, Any], measure: str, these: bool) -> str:
    """State the share of the error due to runs, and whether to add runs or topics."""
    fewest, most = found["n_runs"]
    topics = counted(found["n_topics"], "topic")
    runs = counted(most, "run") if fewest == most else f"{fewest} to {most} runs"
    if these:
        return f"Intervals for these topics only ({topics}, {runs} each)."
    known = found["from_runs"][~np.isnan(found["from_runs"])]
    if not known.size:
        if measure.startswith("pass"):
            return f"Intervals for topics like these ({topics})."
        return f"No system has a topic with two runs, so topics and runs cannot be separated ({topics}, {runs} each)."
    share = float(np.median(known))
    advice = "more runs help most" if share > 0.5 else "more topics help most"
    where = "" if len(found["systems"]) == 1 else " (median over systems)"
    return f"Runs cause {100 * share:.0f}% of the variance of a mean{where}: {advice} ({topics}, {runs} each)."


def repeated(side: Scores) -> Scores:
    """Return the scores, or raise an error if no topic has repeated runs."""
    if side.runs is None:
        raise InputError(
            f"{side.source or 'scores'}: every topic has one run, so topics and runs cannot be separated: give several "
            "runs per topic, in a column named run, seed, trial or epoch"
        )
    return side


def on_these_topics_only(scores: Collection) -> Means:
    """Return one score per system with the error due to runs alone, for rank intervals on these topics only."""
    side = as_topic_side(scores, "scores")
    refuse(side, "scores", "total", why="runs are averaged when the topics are fixed")
    runs = repeated(side).runs
    assert runs is not None
    variance, df = on_these_topics(side.shown(runs), scale_of(side.shown(runs)))
    if (variance <= 0).any() or np.isnan(variance).any():
        raise InputError("a system has no spread between runs, so these topics cannot be judged alone: leave it out")
    about: Any = {"lower_is_better": side.lower_is_better, "source": side.source}
    shown = np.nanmean(side.shown(), axis=0)
    return Means(
        shown, side.systems, side.measure, errors=np.sqrt(variance), degrees_of_freedom=float(df.min()), **about
    )


def with_seeds(side: Scores, how: RunsAs) -> tuple[Scores | Means, tuple[str, ...]]:
    """Return the scores to rank, and notes. If runs are seeds, return means with the errors of topics and seeds.

    The covariance of these means is S / n, over topics, plus the variance that seeds add to each system. The degrees of
    freedom are the fewest that Satterthwaite's rule gives for any system.
    """
    if side.runs is None or side.total != "mean" or (side.groups is not None and how != "seeds"):
        return side, ()
    noise, p = seed_noise(side.runs, how)
    if noise is None:
        return side, ()
    refuse(side, "scores", "groups", why="ranks can allow for groups or for seeds, not for both")
    n = len(side.topics)
    # V = S^2 / n + (MS_R - MS_E) / (n R), df = V^2 / (V_topics^2 / (n - 1) + terms of the seeds).
    covariance = np.atleast_2d(np.cov(side.values.T)) / n
    topics = np.diag(covariance)
    df = (topics + noise.variance) ** 2 / (topics**2 / (n - 1) + noise.parts)
    made = Means(
        side.shown().mean(axis=0),
        side.systems,
        side.measure,
        covariance=covariance + np.diag(noise.variance),
        degrees_of_freedom=float(df.min()),
        lower_is_better=side.lower_is_better,
        source=side.source,
    )
    return made, (taken_as_seeds(p),) if how == "auto" else ()


def seed_noise(runs: FloatArray, how: RunsAs, tested: FloatArray | None = None) -> tuple[SeedNoise | None, float]:
    """Compute the noise of seeds, or None if runs are not seeds, and the p-value of the test, or nan without a test.

    The test pools the systems of `tested`, by default of `runs`, that have every run on every topic:
    F = sum(MS_R) / sum(MS_E) with m (R - 1) and m (n - 1) (R - 1) degrees of freedom.
    """
    complete = runs.shape[2] > 1 and len(runs) > 1 and not np.isnan(runs).any()
    if how == "seeds" and not complete:
        raise InputError(
            f"{argument('runs', 'seeds')} needs every run of every system on every topic: drop incomplete systems"
        )
    if how == "trials" or not complete:
        return None, math.nan
    # F = sum MS_R / sum MS_E over the systems.
    pooled = runs if tested is None else tested[:, ~np.isnan(tested).any(axis=(0, 2))]
    (n, m, r), squares = pooled.shape, Seeds.of(pooled)
    error = float(squares.error.sum())
    p = float(stats.f.sf(squares.runs.sum() / error, m * (r - 1), m * (n - 1) * (r - 1))) if error > 0 else math.nan
    if how == "auto" and not p < (_LEVEL if m * (r - 1) >= _FEW else _LEVEL_OF_FEW):
        return None, p
    # Seeds add (MS_R - MS_E) / (n R), with R - 1 and (n - 1) (R - 1) degrees of freedom.
    own = Seeds.of(runs)
    terms = np.array([own.runs, own.error]) / (n * r)
    df = np.array([[r - 1], [(n - 1) * (r - 1)]])
    return SeedNoise(np.maximum(terms[0] - terms[1], 0.0), (terms**2 / df).sum(axis=0)), p


def taken_as_seeds(p: float) -> str:
    """Say that runs were taken as seeds, and how to treat them as trials instead."""
    return (
        f"Some runs may be better on all topics (p = {p:.3g}), so runs were taken as seeds; "
        f"if they are independent trials, say {argument('runs', 'trials')}"
    )


class _System(NamedTuple):
    mean: float
    interval: Interval
    share: float
    without: float


def groups_of(side: Scores, there: BoolArray) -> IntArray | None:
    """Return the group of each topic marked in `there`, numbered from 0; None without groups."""
    if side.groups is None:
        return None
    return np.unique(places_of_groups(side.groups, side.topics)[1][there], return_inverse=True)[1]


def _on_these(runs: FloatArray, scale: Scale, level: float) -> _System:
    """Compute the mean and interval of one system, from its topics x runs, if only runs are random."""
    mean = float(run_means(runs[~np.isnan(runs).all(axis=1)][:, None]).mean())
    variance, df = (float(part[0]) for part in on_these_topics(runs[:, None], scale))
    half = _half(variance, df, level)
    return _System(mean, Interval(mean - half, mean + half, level, "runs only"), 1.0, 0.0)


def _of_system(
    runs: FloatArray, scale: Scale, level: float, groups: IntArray | None, seeds: tuple[float, float] | None
) -> _System:
    """Compute the mean, interval and shares of one system, from its topics x runs.

    `seeds` has the amounts that seeds add to the variance and to Satterthwaite's denominator.
    """
    runs = runs[~np.isnan(runs).all(axis=1)]
    cells, n = run_means(runs[:, None])[:, 0], len(runs)
    if n < 2:
        raise InputError("a system has fewer than 2 topics, so their spread is unknown: leave it out")
    # V = S^2(M) / n, to which runs contribute sum(s^2 / k) / n^2.
    mean, noise = float(cells.mean()), float(within(runs[:, None]).runs[0])
    variance, df = float(cells.var(ddof=1)) / n, n - 1.0
    if groups is not None:
        error, df = clustered(cells, groups)
        variance = error**2
    share, left = math.nan, math.nan
    if not math.isnan(noise) and variance > 0:
        share, left = min(noise / variance, 1.0), _half(max(variance - noise, 0.0), df, level)
    total = variance + (0.0 if seeds is None else float(seeds[0]))
    if seeds is not None and total > variance:
        # V = V_topics + V_seeds, df = V^2 / (V_topics^2 / df + terms of the seeds).
        share = (share * variance + total - variance) / total
        df = total**2 / (variance**2 / df + float(seeds[1]))
    if scale != "unbounded" and groups is None and (variance > 0 or total == 0):
        low, high = wilson(cells, level, scale, *((total / variance, df) if total > variance else ()))
        return _System(mean, Interval(low, high, level, "Wilson"), share, left)
    half = _half(total, df, level)
    return _System(mean, Interval(mean - half, mean + half, level, "t" if groups is None else "CR2"), share, left)


def _half(variance: float, df: float, level: float) -> float:
    return float(special.stdtrit(df, (1 + level) / 2)) * math.sqrt(variance)


def wilson(
    cells: FloatArray, level: float, scale: Scale, more: float = 1.0, df: float | None = None
) -> tuple[float, float]:
    """Compute Wilson's interval for a mean of scores in [0, 1], with the topics' dispersion, not the binomial one.

    phi = (SS + c/4) / (n p (1-p) + c/4) n / (n-1), u = q^2 phi / n, and the limits are
    (p + u/2 +- sqrt(u p (1-p) + u^2/4)) / (1 + u). For binary runs, c = 1 and q is a normal quantile; for others,
    c = 0.1 and q is a quantile of t(n-1). Seeds make the variance `more` times as large: phi is multiplied by `more`,
    and q is a quantile of t(df).
    """
    n, p, c = len(cells), float(cells.mean()), _SHRINKAGE[scale]
    tail = (1 + level) / 2
    if df is None and scale == "binary":
        q = float(special.ndtri(tail))
    else:
        q = float(special.stdtrit(n - 1 if df is None else df, tail))
    phi = more * (float(((cells - p) ** 2).sum()) + c / 4) / (n * p * (1 - p) + c / 4) * n / (n - 1)
    u = q**2 * phi / n
    half = math.sqrt(u * p * (1 - p) + u**2 / 4)
    return max((p + u / 2 - half) / (1 + u), 0.0), min((p + u / 2 + half) / (1 + u), 1.0)
