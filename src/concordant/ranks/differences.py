"""`difference`: test whether one system is better than another; `neighbours`: test each system against the next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray, require_moderate
from ..data.means import ROUNDING, group_rows, mean_over_topics
from ..data.results import Findings, Interval, columns, settings_of
from ..data.runs import Scale, on_these_topics, scale_of, within
from ..data.scores import Scores
from ..errors import InputError, counted, nearest, number, one_line, p_cell, p_equals, require
from ..inference.resampling import Seed
from ..options import checked
from ..read.reader import Collection, as_topic_side, as_topics
from .intervals import RankIntervals, rank_intervals, sample_of
from .noise import RunsAs, groups_of, on_these_topics_only, seed_noise, taken_as_seeds
from .paired import POWER, Paired, paired, quantiles, topics_needed, variance_limits

_RESAMPLES = 49_999  # number of resamples for rank intervals, as on a board
SHOWN = 20  # number of pairs in the printed table
SEEDS = "runs as seeds"  # suffix of a method's name if runs are seeds
_COLUMNS = ("pvalue", "wins", "ties", "losses", "smallest", "n_topics_needed", "significant", "from_runs")


@checked
def difference(
    scores: Collection,
    a: str,
    b: str,
    *,
    these_topics: bool = False,
    runs: RunsAs = "auto",
    confidence_level: float = 0.95,
    rng: Seed = None,
) -> Findings:
    """Test whether system a is better than b, and estimate by how much.

    The systems are compared on the topics that both have. These topics are taken as a sample of all topics of their
    kind.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, of these two systems and any others.
    a, b : str
        The two systems.
    these_topics : bool
        Draw conclusions about these topics only, so that only runs are random. Needs several runs per topic.
    runs : {"auto", "trials", "seeds"}
        Whether repeated runs are independent trials, or run r is one trained system on all topics, as in `run_noise`.
    confidence_level : float
        Confidence level of the intervals. The significance level of the tests is 1 - confidence_level.
    rng : int, Generator or None
        Seed of the rank intervals. All other results are exact.

    Returns
    -------
    Findings
        - `difference`: the mean of a minus the mean of b over the topics that both have, with its `interval` (nan if
          all topics show the same difference) and the two-sided `pvalue`.
        - `exact_pvalue`: the p-value over all sign flips of up to 12 topics or groups, or of McNemar's exact test; nan
          if not computed.
        - `smallest`: the true difference that these topics detect with 80% power.
        - `n_topics_needed`: the number of topics that detect a true difference as large as the observed one with 80%
          power. `n_topics_interval` reflects that the spread of the differences is estimated.
        - `wins`, `ties`, `losses`: numbers of topics on which a is better than b, as good as b, and worse than b.
        - `ranks`: the best and worst rank that a, and that b, may have among all systems.
        - `from_runs`: the share of the variance of the difference due to repeated runs, 0 to 1; nan without runs.
        - `significant`: whether the p-value is at most 1 minus the confidence level.

    See Also
    --------
    neighbours : Test each system of a leaderboard against the next one, and estimate the difference.
    rank_intervals : The ranks that each system may have.

    Notes
    -----
    Interval and p-value come from a paired t test. For binary scores they are Bonett and Price's interval and McNemar's
    mid-p. If topics are in groups, of which at least 5 are needed, they use the cluster-robust variance CR2 with Bell
    and McCaffrey's degrees of freedom. With up to 12 topics, `exact_pvalue` comes from all sign flips. With 5 topics,
    this p-value cannot be below 0.0625.

    `n_topics_needed` takes the observed difference as the true one. It does not estimate how many topics the true
    difference needs, because the observed difference varies too much.

    References
    ----------
    D. G. Bonett and R. M. Price (2012). Adjusted Wald Confidence Interval for a Difference of Binomial Proportions
    Based on Paired Data. Journal of Educational and Behavioral Statistics 37.
    M. W. Fagerland, S. Lydersen and P. Laake (2013). The McNemar Test for Binary Matched-Pairs Data. BMC Medical
    Research Methodology 13.
    R. M. Bell and D. F. McCaffrey (2002). Bias Reduction in Standard Errors for Linear Regression with Multi-Stage
    Samples. Survey Methodology 28.

    Examples
    --------
    >>> import concordant as cc
    >>> found = cc.difference(cc.load_collection("people"), "rerank-4", "bm25-1", rng=1)
    >>> round(found.difference, 4), found.significant
    (0.2447, True)

    """
    require(a != b, "b", b, "give two different systems")
    side = _given(scores)
    for system in (a, b):
        if system not in side.systems:
            raise InputError(f"there is no system {system!r}{nearest(system, side.systems)}")
    ranks = _ranks(side, confidence_level, rng, these=these_topics, runs=runs)
    return _compared(side, a, b, ranks, 1, these=these_topics, runs=runs)


@checked
def neighbours(
    scores: Collection,
    *,
    these_topics: bool = False,
    runs: RunsAs = "auto",
    confidence_level: float = 0.95,
    rng: Seed = None,
) -> Findings:
    """Test each system of a leaderboard against the next one, and estimate the difference.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them.
    these_topics : bool
        Draw conclusions about these topics only, so that only runs are random. Needs several runs per topic.
    runs : {"auto", "trials", "seeds"}
        How to treat repeated runs, as in `difference`.
    confidence_level : float
        Confidence level that holds for all pairs together.
    rng : int, Generator or None
        Seed of the rank intervals.

    Returns
    -------
    Findings
        `pairs`: the pairs of neighbours, best first, each with the results of `difference`. Intervals and p-values are
        corrected for the number of pairs by Bonferroni's rule.

    See Also
    --------
    difference : Compare two systems of your choice.
    board : Find which ranks of a leaderboard are certain.

    Examples
    --------
    >>> import concordant as cc
    >>> found = cc.ranks.neighbours(cc.load_collection("people"), rng=1)
    >>> len(found.pairs), sum(pair.significant for pair in found.pairs)
    (19, 0)

    """
    side = _given(scores)
    ranks = _ranks(side, confidence_level, rng, these=these_topics, runs=runs)
    names = list(zip(ranks.systems, ranks.systems[1:], strict=False))
    pairs = tuple(_compared(side, a, b, ranks, len(names), these=these_topics, runs=runs) for a, b in names)
    found = sum(pair.significant for pair in pairs)
    which = "no two neighbours" if not found else f"{found} of {counted(len(pairs), 'pair')} of neighbours"
    sample = sample_of(pairs[0].n_topics, pairs[0].settings.get("groups"))
    cells = [["neighbours", "difference", "interval", "p", "better/tied/worse"]]
    for pair in pairs:
        ends = pair.interval
        between = "-" if math.isnan(ends.low) else f"{ends.low:.4f} to {ends.high:.4f}"
        topics = f"{pair.wins}/{pair.ties}/{pair.losses}"
        cells.append([f"{pair.a} - {pair.b}", number(pair.difference, 4), between, p_cell(pair.pvalue), topics])
    return Findings(
        kind="Difference",
        answer=f"{sample} separate {which} ({100 * confidence_level:g}% confidence for all together).",
        numbers={"pairs": [pair.numbers for pair in pairs]},
        beside={"pairs": pairs},
        lines=[line for pair in pairs for line in pair.lines],
        shown=columns(cells),
        first_rows=SHOWN,
        notes=tuple(dict.fromkeys(note for pair in pairs for note in pair.notes)),
        data=side,
        settings={name: value for name, value in pairs[0].settings.items() if name != "method"} | {"pairs": len(pairs)},
    )


def _given(scores: Collection) -> Scores:
    side = as_topic_side(scores, "scores")
    require_moderate(side.values, "scores")
    return as_topics(side.described(missing="available") if side.missing == "error" else side, holes=True)


def _ranks(side: Scores, level: float, rng: Seed, *, these: bool, runs: RunsAs) -> RankIntervals:
    ranked = on_these_topics_only(side) if these else side
    return rank_intervals(ranked, runs=runs, confidence_level=level, n_resamples=_RESAMPLES, rng=rng)


def _compared(
    side: Scores, a: str, b: str, ranks: RankIntervals, n_pairs: int, *, these: bool, runs: RunsAs
) -> Findings:
    """Compare systems a and b, with interval and p-value corrected for `n_pairs` comparisons."""
    points, level = side.points(), ranks.confidence_level
    x, y = (points.values[:, points.systems.index(system)] for system in (a, b))
    both = ~np.isnan(x) & ~np.isnan(y)
    n = int(both.sum())
    if n < 2:
        raise InputError(f"{a} and {b} have {counted(n, 'topic')} in common: at least 2 are needed")
    x, y = x[both], y[both]
    groups = groups_of(side, both)
    grouped = {} if groups is None else {"groups": int(groups.max()) + 1}
    d, mean = _by_topic(x, y)
    each = 1 - (1 - level) / n_pairs
    found = paired(d, mean, each, groups, binary=side.runs is None and scale_of(np.append(x, y)) == "binary")
    share, said = math.nan, tuple[str, ...]()
    if side.runs is not None and side.total == "mean":
        every, here = side.runs[both], [side.systems.index(system) for system in (a, b)]
        scale = scale_of(side.shown(side.runs)) if these else None
        found, share, said = _with_runs(found, every, here, each, scale, runs)
    pvalue = min(1.0, n_pairs * found.pvalue)
    interval, significant = Interval(found.low, found.high, each, found.method), bool(pvalue <= 1 - level + 1e-12)
    numbers = {
        "a": a,
        "b": b,
        "difference": found.difference,
        "interval": interval,
        "pvalue": pvalue,
        "exact_pvalue": min(1.0, n_pairs * found.exact) if not math.isnan(found.exact) else math.nan,
        "smallest": found.se * quantiles(found.df, each) if found.se > 0 else math.nan,
        **_needed(d, found, groups, each, these),
        "wins": int((d > 0).sum()),
        "ties": int((d == 0).sum()),
        "losses": int((d < 0).sum()),
        "ranks": (ranks[a], ranks[b]),
        "n_topics": n,
        "from_runs": share,
    }
    sample, about = sample_of(n, grouped.get("groups")), {**numbers, "significant": significant}
    return Findings(
        kind="Difference",
        answer=_answer(about, sample),
        numbers=numbers,
        beside={"significant": significant},
        lines=[
            {"a": a, "b": b, "difference": found.difference, "low": found.low, "high": found.high}
            | {name: about[name] for name in _COLUMNS}
        ],
        shown=_facts(numbers, sample, len(side.systems), these),
        notes=(*said, *_notes(side, a, b, n, found, each)),
        data=side,
        settings=settings_of(
            seed=ranks.settings["seed"],
            n_resamples=_RESAMPLES,
            confidence_level=level,
            method=found.method,
            **grouped,
            systems=len(side.systems),
            **({"these_topics": True} if these else {}),
            measure=side.measure,
        ),
    )


def _answer(pair: Mapping[str, Any], sample: str) -> str:
    """State which system is better and by how much."""
    a, b, lead, interval = pair["a"], pair["b"], pair["difference"], pair["interval"]
    better, worse = (a, b) if lead >= 0 else (b, a)
    size, evidence = number(abs(lead), 4), p_equals(pair["pvalue"])
    if not math.isnan(interval.low):
        # Show the interval of the better system's lead, so that its signs fit the sentence.
        low, high = sorted(math.copysign(1, lead) * end for end in (interval.low, interval.high))
        level = 100 * interval.confidence_level
        evidence = f"{level:.4g}% interval {number(low, 4)} to {number(high, 4)}, {evidence}"
    if pair["significant"]:
        return f"{better} is better than {worse} by {size} ({evidence})."
    leads = f"{better} leads by {size}" if lead else "their means are equal"
    return f"{sample} cannot separate {a} and {b}: {leads} ({evidence})."


def _facts(pair: Mapping[str, Any], sample: str, systems: int, these: bool) -> str:
    """Format one fact per line."""
    a, b, method = pair["a"], pair["b"], pair["interval"].method
    exact = "" if math.isnan(pair["exact_pvalue"]) else f"; exact {p_cell(pair['exact_pvalue'])}"
    ranks = [f"{name} {low} to {high}" for name, (low, high) in zip((a, b), pair["ranks"], strict=True)]
    facts = {
        "method": f"{method}{exact}",
        "topics": f"{a} better on {pair['wins']}, {b} on {pair['losses']}, {pair['ties']} tied",
        "ranks": f"{', '.join(ranks)} (of {systems} systems)",
    }
    if not math.isnan(pair["smallest"]):
        facts["smallest"] = (
            f"{number(pair['smallest'], 4)} is the smallest difference that {sample} detect with {100 * POWER:g}% power"
        )
    if not these:
        low, high = pair["n_topics_interval"].low, pair["n_topics_interval"].high
        if method.endswith(SEEDS):
            facts["needed"] = "not known: more topics do not remove the noise of seeds"
        elif math.isnan(low):
            why = "because the topics show no spread"
            facts["needed"] = f"not known, {why}" if pair["difference"] else "not known: no difference"
        else:
            needed, true = f"{math.ceil(pair['n_topics_needed']):,} topics", number(abs(pair["difference"]), 4)
            facts["needed"] = f"{needed} ({math.ceil(low):,} to {math.ceil(high):,}) if the true difference is {true}"
    if not math.isnan(pair["from_runs"]):
        facts["runs"] = f"{100 * pair['from_runs']:.0f}% of the variance of the difference comes from runs"
    width = max(map(len, facts))
    return "\n".join(f"  {name:<{width}}  {one_line(fact)}" for name, fact in facts.items())


def _with_runs(
    found: Paired, every: FloatArray, here: list[int], level: float, scale: Scale | None, runs: RunsAs
) -> tuple[Paired, float, tuple[str, ...]]:
    """Add the error of repeated runs to the difference of two systems, which are in the columns `here` of `every`.

    `every` is topics x systems x runs. Runs contribute V_a + V_b to the variance of the difference. If `scale` is
    given, only runs are random, and V_a + V_b is the whole variance. Otherwise seeds add to the variance.
    """
    cells = every[:, here]
    if scale is not None:
        variances, dfs = on_these_topics(cells, scale)
        alone = Paired.by_t(found.difference, math.sqrt(variances.sum()), float(dfs.sum()), level, "runs only")
        return alone, math.nan, ()
    noise, variance = float(within(cells).runs.sum()), found.se**2
    share = min(noise / variance, 1.0) if variance > 0 else math.nan
    seeds, p = seed_noise(cells, runs, every)
    if seeds is None or not (added := float(seeds.variance.sum())):
        return found, share, ()
    total = variance + added
    df = total**2 / (variance**2 / found.df + float(seeds.parts.sum()))
    said = (taken_as_seeds(p),) if runs == "auto" else ()
    crossed = Paired.by_t(found.difference, math.sqrt(total), df, level, f"{found.method}, {SEEDS}")
    return crossed, (share * variance + added) / total if variance > 0 else 1.0, said


def _needed(d: FloatArray, found: Paired, groups: IntArray | None, level: float, these: bool) -> dict[str, Any]:
    """Compute how many topics would detect the observed difference. The interval allows for the estimated spread."""
    n = len(d)
    if these or found.method.endswith(SEEDS):  # the formula needs V = S^2 / n, which does not hold here
        n_needed, low, high = math.nan, math.nan, math.nan
    elif found.difference == 0 or found.se == 0:
        n_needed, low, high = math.inf if found.difference == 0 else math.nan, math.nan, math.nan
    else:
        units = d if groups is None else group_rows(d[:, None], groups)[:, 0]
        variance, per_topic = n * found.se**2, found.df / (n - 1)
        factors = (1.0, *sorted(variance_limits(units, level)))
        n_needed, low, high = (topics_needed(variance * f, found.difference, level, per_topic) for f in factors)
    return {"n_topics_needed": n_needed, "n_topics_interval": Interval(low, high, level, "chi-square")}


def _by_topic(x: FloatArray, y: FloatArray) -> tuple[FloatArray, float]:
    """Compute the differences by topic, free of rounding errors, and their mean, which is 0 if the totals are tied."""
    means = mean_over_topics(np.column_stack([x, y]))
    d, slack = x - y, ROUNDING * float(np.abs([x, y]).max())
    d = np.full_like(d, d.mean()) if np.ptp(d) <= slack else d
    return np.where(np.abs(d) <= slack, 0.0, d), float(means[0] - means[1])


def _notes(side: Scores, a: str, b: str, common: int, found: Paired, level: float) -> tuple[str, ...]:
    notes: list[str] = []
    if common < len(side.topics):
        notes.append(f"{a} and {b} are compared on the {common} of {len(side.topics)} topics that both have")
    if math.isnan(found.low):
        notes.append(f"{a} and {b} differ by the same amount on every topic, so there is no interval")
    elif (found.pvalue <= 1 - level) != (found.low > 0 or found.high < 0):
        notes.append("Interval and p-value disagree about 0, because they come from two methods: too close to call")
    return tuple(notes)
