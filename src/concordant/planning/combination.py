"""`combine`: means of systems from human and machine scores; `plan_mix`: the cheapest mix of both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import stdtrit

from ..arrays import FloatArray, require_moderate, require_room_for_pairs
from ..data.favours import CombinedMeans
from ..data.means import are_invented, mean_over_topics
from ..data.results import Findings, Interval, columns, settings_of
from ..data.scores import Means, Scores
from ..errors import AlignmentWarning, InputError, counted, listing, named, p_equals, warn
from ..options import checked
from ..pairing import match
from ..read import short_names
from ..read.labels import WANTED_COST, is_cost
from ..read.reader import Collection, as_topic_side, refuse
from .mixing import Bias, Combined, Moments, combined, error_with, tells
from .more_topics import smallest
from .partial import PROMISED_SYSTEMS, chosen_by_machine, covariance_of, favours, fit_partial, labelled_by_topic

Method: TypeAlias = Literal["control", "shrunk"]
RISK = "shrunk means trust the machine on average: a system that it favours moves up"
FEWEST = 5  # least number of human topics: fewer cannot show how far to trust the machine
LEVEL = 0.05  # significance level of the tests of how cells were chosen
FEWEST_LABELS = 3  # least number of labels for each system
PROMISED_LABELS = 10  # with fewer labels for a system, the intervals may miss their confidence level
LEAST = 15  # least number of human topics in a mix: smaller mixes were not measured
_SLACK = 1e-9  # share of a variance that rounding may add
_MOST = 10_000_000  # largest number of machine topics to try


class PairedSides(NamedTuple):
    """Human and machine scores of the same systems, on shared topics and on topics that only the machine judged."""

    human: Scores
    paired: Scores
    more: Scores
    notes: tuple[str, ...]
    names: tuple[str, str]


@checked
def combine(
    human: Collection,
    machine: Collection,
    *,
    method: Method = "control",
    confidence_level: float = 0.95,
    names: Sequence[str] | None = None,
) -> CombinedMeans:
    """Rank systems by human scores on few topics and machine scores on many.

    By default, machine scores only correct the human means for the choice of topics. The means are unbiased even if the
    machine is wrong. A useless machine gets hardly any weight.

    Parameters
    ----------
    human, machine : what `as_topics` takes
        Scores on each topic, matched by label. The machine must have judged at least 5 of the human topics and at least
        2 other topics. Human topics that the machine did not judge, and systems that either side lacks, are left out
        with an `AlignmentWarning`. A topic on which the machine gives all systems the same score counts as not judged
        by the machine. The scales may differ; the result is on the human scale. Human scores may have holes: they are
        then labels on some cells of the table, and the machine must have scored every cell.
    method : {"control", "shrunk"}
        "control": control variates, as in prediction-powered inference; valid even if the machine is wrong. "shrunk":
        the same means, shrunk towards the machine's own. Shrunk means ranked systems better on every collection
        measured. But a system that the machine favours moves up, by 14 ranks if favoured by 0.15.
    confidence_level : float
        Confidence level of the intervals.
    names : sequence of str, optional
        Names of the human and machine scores; by default those of their files.

    Returns
    -------
    CombinedMeans
        `means` with their covariance, for `rank_intervals(found.means)`. For each system: `low` and `high`, the
        interval of its mean alone; `human` and `machine`, its means from human and from machine scores alone; `favour`,
        how much the machine favours the system, on the human scale, and `favour_p`, the p-value corrected by Holm's
        method. See also `difference(a, b)` and `favoured()`.

        `worth`, with `worth_interval`, is the number of human topics that alone would give the same error in the
        differences between systems. `reduction` is the share of the error variance that the machine removes, `lam` the
        weight of the control variate, `weight` the weight of the machine's own means, and `bias` the standard deviation
        of the machine's bias.

        If human scores have holes: `labels` counts the labels of each system. `random_p` tests whether the labelled
        cells are random, and `scattered_p` whether they were labelled one by one; `whole_topics` tells whether whole
        topics were labelled instead. `doubts` lists reasons why the intervals may miss their confidence level.

    See Also
    --------
    plan_mix : Find the cheapest mix of human and machine topics.
    judge_worth : Estimate how many topics judged by the truth a candidate's topics are worth.
    rank_intervals : The ranks that each system may have.

    Notes
    -----
    Let y be the human scores on n topics, x the machine scores on the same topics, and u those on N more. Control
    variates give mean(y) + lam (mean(u) - mean(x)), where lam = cov(y, x) / var(x) * N / (n + N) over all topic x
    system residuals. The level of a topic and the deviations of systems from it each have their own lam; only the
    deviations affect rankings. A separate lam for each system did not rank the systems better.

    With labels on some cells, the machine's score and the labels of other systems on the topic predict each cell. The
    mean error on a system's labelled cells corrects its mean. Two tests check whether the cells look random, given the
    machine's scores, and whether whole topics were labelled. Each system needs at least 3 labels.

    Shrinking treats the machine's bias, after a change of scale and level, as drawn from a normal distribution over
    systems. Its variance is estimated from the distance between both rankings. The intervals therefore hold on average
    over systems, but not for a system with an exceptional bias. docs/theory/mixing.md has the derivation,
    docs/measured/combine.md the measurements.

    References
    ----------
    A. N. Angelopoulos, J. Duchi and T. Zrnic (2023). PPI++: Efficient Prediction-Powered Inference. arXiv 2311.01453.
    C. N. Morris (1983). Parametric Empirical Bayes Inference: Theory and Applications. JASA 78.
    G. K. Smyth (2004). Linear models and empirical Bayes methods for assessing differential expression in microarray
    experiments. Statistical Applications in Genetics and Molecular Biology 3(1). (variances, partial labels)

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful = cc.load_collection("people"), cc.load_collection("careful")
    >>> found = cc.combine(people.select(topics=people.topics[:15]), careful, names=("people", "careful"))
    >>> found.means.systems[0], round(found.worth), found.favoured()
    ('rerank-4', 25, [])

    """
    given = as_topic_side(human, "human"), as_topic_side(machine, "machine")
    if not given[0].has_holes or given[0].missing not in ("error", "available"):  # otherwise a policy removes holes
        return _by_topic(paired_sides(*given, names), method, confidence_level)
    if method == "shrunk":
        raise InputError(f"{named('method')} is 'shrunk', which needs human scores without holes: use 'control'")
    return _by_cell(given, _names(given, names), confidence_level)


def _by_topic(sides: PairedSides, method: Method, level: float) -> CombinedMeans:
    """Combine human scores on some topics with machine scores on these and on more topics."""
    found, (people, machine) = combined_means(sides, shrink=method == "shrunk"), sides.names
    human, error = sides.human, np.sqrt(np.diag(found.covariance))
    n_human, n_machine = len(sides.paired.topics), int(tells(sides.more.values).sum())
    lam, bias = found.lam, math.nan if found.bias is None else math.sqrt(found.bias.variance)
    interval = Interval(*found.worth_limits(level, n_human), level, "jackknife over topics")
    ranks = "leave no error"
    top = _first(human.systems, found.means)
    sentences = []
    # A mean over n topics has the variance V / n, and the combined estimate has V / worth.
    reduction = 1 - n_human / found.worth
    if math.isfinite(found.worth):
        ends = f"{_shown(interval.low)} to {_shown(interval.high)}" if math.isfinite(interval.high) else "not known"
        ranks = f"rank the systems as well as {_shown(found.worth)} by {people} ({100 * level:g}% interval {ends})"
        sentences.append(
            f"{machine} removes {100 * reduction:.0f}% of the error variance of {people}'s ranking"
            if reduction >= 0.01
            else f"{machine} hardly reduces the error of {people}'s ranking"
        )
    worth = f"{n_human} topics by {people} and {n_machine:,} more by {machine} {ranks}"
    made, risk = f"control variates, weight {lam:.3f}", []
    if method == "shrunk":
        risk = [f"{RISK[0].upper()}{RISK[1:]}".replace("the machine", machine)]
        made += f"; weight of the machine's own means {found.weight:.2f}"
        made += "" if math.isnan(bias) else f"; standard deviation of its bias {bias:.3g}"
    return _answered(
        human,
        sides.names,
        (found.means, found.covariance, np.full((len(error), len(error)), found.freedom)),
        {
            "standard_error": error,
            "reach": float(stdtrit(found.mean_freedom, (1 + level) / 2)) * error,
            "human": human.shown(human.means()),
            "machine": sides.more.shown(mean_over_topics(np.vstack([sides.paired.values, sides.more.values]))),
            "favour": found.favour,
            "favour_p": found.favour_p,
        },
        made=made,
        alone=f"{n_human} human topics alone",
        answer=f"{worth}; {top}",
        before=(worth, *sentences),
        after=(*risk, top),
        numbers={
            "n_human": n_human,
            "n_machine": n_machine,
            "worth": found.worth,
            "worth_interval": interval,
            "reduction": reduction,
            "lam": lam,
            "weight": found.weight,
            "bias": bias,
            "freedom": found.freedom,
        },
        notes=sides.notes,
        settings=settings_of(confidence_level=level, method=method, measure=human.measure),
    )


def _by_cell(given: tuple[Scores, Scores], names: tuple[str, str], level: float) -> CombinedMeans:
    """Combine human scores that have holes with complete machine scores, on the machine's topics."""
    if len(given[0].topics) != len(given[1].topics):  # unnamed rows, if equally many, are matched by position
        _refuse_invented(given, names)
    human = given[0]
    filled = Scores(np.nan_to_num(human.shown()), **human._about())  # used only for matching
    people, machine, notes = _matched((filled, given[1]), names)
    human = human.select(people.systems)
    for note in notes:
        warn(note, AlignmentWarning)
    f, y = machine.values, np.full_like(machine.values, np.nan)
    here = {topic: k for k, topic in enumerate(machine.topics)}
    known = [k for k, topic in enumerate(human.topics) if topic in here]
    y[[here[human.topics[k]] for k in known]] = human.values[known]
    there = ~np.isnan(y)
    n, m = y.shape
    labels = there.sum(axis=0)
    if few := [system for system, count in zip(human.systems, labels, strict=True) if count < FEWEST_LABELS]:
        raise InputError(
            f"{names[0]} has fewer than {FEWEST_LABELS} labels for {listing(few)}: label more of their cells, or leave "
            f"them out"
        )
    require_room_for_pairs(m, "the covariance of combined means", 7)
    random_p, scattered_p = chosen_by_machine(there, f), labelled_by_topic(there)
    whole, binary = scattered_p <= LEVEL, len(np.unique(y[there])) == 2
    fit = fit_partial(y, f, by_topic=not whole and there.sum() / n >= 1.5)
    favour, favour_p = favours(fit, f)
    # Half-widths: t sqrt(V) of the estimate, and t sqrt(s^2 / l) of the labels alone.
    reach = stdtrit(fit.freedom, (1 + level) / 2) * np.sqrt(fit.variance)
    own = np.sqrt(np.nanvar(y, axis=0, ddof=1) / labels) * stdtrit(labels - 1, (1 + level) / 2)
    doubts = []
    if random_p <= LEVEL:
        doubts.append("someone may have chosen which cells to label")
    if labels.min() < PROMISED_LABELS and (binary or m < PROMISED_SYSTEMS):
        kind = "binary scores" if binary else f"fewer than {PROMISED_SYSTEMS} systems"
        doubts.append(f"{kind} need {PROMISED_LABELS} labels for each system")
    order = np.argsort(-fit.means, kind="stable")
    # 1 - sum of the interval widths / sum of the interval widths from the labels alone.
    shown, width = human.shown(fit.means[order]), float(2 * own[order].sum())
    reduction = 1 - float(((shown + reach[order]) - (shown - reach[order])).sum()) / width if width > 0 else 0.0
    count, cut = int(labels.sum()), 100 * reduction
    answer = (
        f"{_first(human.systems, fit.means)} of {counted(m, 'system')}, from {count:,} labels by {names[0]} "
        f"({100 * count / y.size:.0f}% of the cells) and all scores of {names[1]}"
    )
    less = f"makes the intervals {cut:.0f}% narrower" if cut >= 1 else "does not make the intervals narrower"
    given_machine = f"given the scores of {names[1]}"
    if random_p <= LEVEL:
        chosen = f"The labelled cells do not look random, {given_machine}: {p_equals(random_p)}"
    else:
        which = "whole topics" if whole else "cells one by one"
        chosen = f"The labelled cells look random, {given_machine} ({p_equals(random_p)}); {names[0]} labelled {which}"
    broken = [f"The intervals may cover less than {100 * level:g}%: {'; '.join(doubts)}"] if doubts else []
    return _answered(
        human,
        names,
        (fit.means, *covariance_of(fit, labels, whole=whole)),
        {
            "labels": labels,
            "reach": reach,
            "human": human.shown(np.nanmean(y, axis=0)),
            "human_reach": own,
            "machine": machine.shown(f.mean(axis=0)),
            "favour": favour,
            "favour_p": favour_p,
        },
        made=f"weight of the machine's scores {fit.lam:.3f}",
        alone="labels alone",
        answer=answer,
        before=(answer, f"{names[1]} {less} than those of the labels alone", chosen, *broken),
        numbers={
            "lam": fit.lam,
            "random_p": random_p,
            "scattered_p": scattered_p,
            "whole_topics": whole,
            "doubts": tuple(doubts),
            "reduction": reduction,
            "n_topics": n,
        },
        notes=notes,
        settings=settings_of(confidence_level=level, measure=human.measure),
    )


def _answered(
    human: Scores,
    names: tuple[str, str],
    estimates: tuple[FloatArray, FloatArray, FloatArray],
    by_system: Mapping[str, FloatArray],
    *,
    made: str,
    alone: str,
    numbers: Mapping[str, Any],
    **parts: Any,
) -> CombinedMeans:
    """Sort the systems and make the result; `estimates` are the means, their covariance and degrees of freedom."""
    values, covariance, freedom = estimates
    order = np.argsort(-values, kind="stable")
    square = np.ix_(order, order)
    means = Means(
        human.shown(values[order]),
        [human.systems[k] for k in order],
        human.measure,
        lower_is_better=human.lower_is_better,
        covariance=covariance[square],
        degrees_of_freedom=float(np.median(freedom[np.triu_indices(len(order), 1)])),
    )
    middle, level = means.shown(), parts["settings"]["confidence_level"]
    shown = {"mean": middle}
    for name, part in by_system.items():
        own = part[order]
        shown |= {"low": middle - own, "high": middle + own} if name == "reach" else {name: own}
    rows = [
        {"system": system, **{name: part[k].item() for name, part in shown.items()}}
        for k, system in enumerate(means.systems)
    ]
    more = [name for name in ("labels",) if name in shown]
    cells = [["", "combined", f"{100 * level:g}% interval", *more, *(f"{name} alone" for name in names)]]
    for row in rows:
        each = [*(str(row[name]) for name in more), *(f"{row[side]:.4f}" for side in ("human", "machine"))]
        cells.append([row["system"], f"{row['mean']:.4f}", f"{row['low']:.4f} to {row['high']:.4f}", *each])
    return CombinedMeans(
        kind="CombinedMeans",
        numbers={"systems": rows, **numbers},
        beside={"means": means, "covariance": means.covariance, "difference_freedom": freedom[square]}
        | {name: part for name, part in shown.items() if name != "mean"}
        | {"names": names, "alone": alone},
        lines=rows,
        shown=f"{columns(cells)}\n\n  {made}",
        index="system",
        figure="intervals.combined",
        data=human,
        **parts,
    )


def _first(systems: Sequence[str], means: FloatArray) -> str:
    """Say which system ranks first, or which systems tie for first."""
    first = [system for system, mean in zip(systems, means, strict=True) if mean == means.max()]
    return f"{first[0]} ranks first" if len(first) == 1 else f"{listing(first, 3)} tie for first"


def combined_means(sides: PairedSides, *, shrink: bool = False) -> Combined:
    """Apply `combined` to matched scores."""
    require_room_for_pairs(len(sides.human.systems), "the covariance of combined means", 7)
    return combined(*(side.values for side in sides[:3]), shrink=shrink)


def _refuse_invented(given: tuple[Scores, Scores], names: tuple[str, str]) -> None:
    if all(are_invented(side.topics) for side in given):
        raise InputError(
            f"{names[0]} and {names[1]} have rows without names of topics, so they cannot be matched: give Scores, or "
            "files with a column named topic"
        )


def _names(given: tuple[Scores, Scores], called: Sequence[str] | None) -> tuple[str, str]:
    if called is not None and (len(called) != 2 or called[0] == called[1]):
        raise InputError(f"names is {called!r}: give two different names, for the human and for the machine scores")
    made = short_names(
        [side.source or name for side, name in zip(given, ("human", "machine"), strict=True)], [None] * 2
    )
    first, second = called or made
    return first, second


def _matched(given: tuple[Scores, Scores], names: tuple[str, str]) -> tuple[Scores, Scores, tuple[str, ...]]:
    """Keep the systems that both sides have, and note what is left out."""
    for whole, name in zip(given, names, strict=True):
        refuse(whole, name, "groups", "total", why="human and machine scores are combined topic by topic")
    found = match(given, names, "systems")
    people, others = (side for side in found if isinstance(side, Scores))
    notes, known = list(found.notes), set(others.topics)
    if lost := [topic for topic in people.topics if topic not in known]:
        notes.append(
            f"{counted(len(lost), 'topic')} of {names[0]} left out, because {names[1]} lacks "
            f"{'it' if len(lost) == 1 else 'them'}: {listing(lost)}"
        )
    if len(people.systems) < 2:
        raise InputError(
            f"{names[0]} and {names[1]} have {counted(len(people.systems), 'system')} in common: at least 2 are needed"
        )
    return people, others, tuple(notes)


def paired_sides(human: Collection, machine: Collection, called: Sequence[str] | None = None) -> PairedSides:
    """Match human and machine scores: keep the shared systems, and split topics by who scored them."""
    given = as_topic_side(human, "human"), as_topic_side(machine, "machine")
    names = _names(given, called)
    _refuse_invented(given, names)
    people, others, notes = _matched(given, names)
    in_machine, in_human = set(others.topics), set(people.topics)
    both = [topic for topic in people.topics if topic in in_machine]
    more = [topic for topic in others.topics if topic not in in_human]
    telling = {topic for topic, yes in zip(others.topics, tells(others.values), strict=True) if yes}
    for some, least, wanted in (
        (both, FEWEST, f"{FEWEST} topics that {names[0]} judged: they show how much the two have in common"),
        (more, 2, f"two topics that {names[0]} did not"),
    ):
        if (count := len(telling.intersection(some))) < least:
            alike = f", and gives all systems the same score on {len(some) - count} more" if count < len(some) else ""
            raise InputError(f"{names[1]} must judge at least {wanted}. It judged {count}{alike}")
    if same := [topic for topic in (*both, *more) if topic not in telling]:
        notes = (
            *notes,
            f"{names[1]} gives all systems the same score on {counted(len(same), 'topic')}, which count as not judged "
            f"by it: {listing(same)}",
        )
    for side, scores in zip(names, (people, others), strict=True):
        require_moderate(scores.values, side)
    for note in notes:
        warn(note, AlignmentWarning)
    return PairedSides(people.select(topics=both), others.select(topics=both), others.select(topics=more), notes, names)


def _shown(topics: float) -> str:
    return f"{topics:,.0f}" if topics >= 9.95 else f"{topics:.1f}"


@dataclass(frozen=True)
class Mix:
    """A number of human topics, which the machine also scores, and a number of topics that only the machine scores."""

    human: int
    machine: int
    """Number of topics that only the machine scores; 0 means people alone."""
    cost: float


@checked
def plan_mix(
    human: Collection,
    machine: Collection,
    *,
    costs: tuple[float, float],
    as_good_as: int,
    method: Method = "control",
    names: Sequence[str] | None = None,
) -> Findings:
    """Find the cheapest mix of human and machine topics with which `combine` ranks systems as well as N human topics.

    Parameters
    ----------
    human, machine : what `as_topics` takes
        A pilot: scores on each topic, as `combine` takes them.
    costs : tuple of float
        The cost of one topic judged by people, and of one judged by the machine. The machine also judges the human
        topics.
    as_good_as : int
        The number of human topics to match. `plan_topics` says how many you need for an expected correlation.
    method : {"control", "shrunk"}
        The method that `combine` will use.
    names : sequence of str, optional
        Names of the human and machine scores; by default those of their files.

    Returns
    -------
    Findings
        `cheapest` is the answer and `alone` is the plan with people alone. `rows()` has the cheapest mix for each
        number of human topics that allows a good enough mix.

    See Also
    --------
    combine : Rank systems by human and machine scores together.
    plan_topics : How many topics are enough.

    Notes
    -----
    The error of a mix is predicted from the pilot's variances and the machine's covariance with people. With "shrunk",
    it also depends on the machine's bias, which a few topics estimate poorly. A mix has at least 15 human topics,
    because smaller mixes were not measured (docs/measured/combine.md).

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful = cc.load_collection("people"), cc.load_collection("careful")
    >>> pilot = people.select(topics=people.topics[:20])
    >>> plan = cc.plan_mix(pilot, careful, as_good_as=40, costs=(20, 0.05))
    >>> plan.cheapest.human, plan.cheapest.machine, plan.cheapest.cost, plan.alone.cost
    (15, 501, 325.8, 800.0)

    """
    if not all(map(is_cost, costs)):
        raise InputError(f"costs is {costs!r}: {WANTED_COST}")
    sides, wanted = paired_sides(human, machine, names), as_good_as
    found = combined_means(sides, shrink=method == "shrunk")
    mixes = [mix for n in range(LEAST, wanted) if (mix := _mix(found.moments, found.bias, n, wanted, costs))]
    alone = Mix(wanted, 0, wanted * costs[0])
    mixes.append(alone)
    best, (people, other), n = min(mixes, key=lambda mix: mix.cost), sides.names, len(sides.paired.topics)
    answer = f"To match {wanted} topics judged by {people}, "
    if best.machine:
        answer += (
            f"let {people} judge {best.human}, and {other} the same {best.human} and {best.machine:,} more: "
            f"cost {best.cost:,g} instead of {alone.cost:,g}; predicted from {n} topics"
        )
    else:
        answer += f"no mix with at least {LEAST} of them is cheaper than {people} alone: cost {best.cost:,g}"
    some = [mix for k, mix in enumerate(mixes) if k % max(1, len(mixes) // 8) == 0 or mix in (best, alone)]
    cells = [[str(mix.human), f"{mix.machine:,}", f"{mix.cost:g}"] for mix in some]
    return Findings(
        kind="MixPlan",
        answer=answer,
        numbers={"wanted": wanted, "cheapest": best, "alone": alone, "mixes": tuple(mixes)},
        lines=[asdict(mix) for mix in mixes],
        shown=columns([["human topics", "machine topics", "cost"], *cells]),
        notes=(*sides.notes, *([RISK] if method == "shrunk" else [])),
        settings=settings_of(method=method, n_human=n, n_machine=len(sides.more.topics)),
    )


def _mix(of: Moments, bias: Bias | None, n: int, wanted: int, costs: tuple[float, float]) -> Mix | None:
    """Find the fewest machine topics that are enough with n human topics; None if no number is enough."""
    # The error of `wanted` human topics is var(y) / wanted; the worth of a mix is var(y) / error.
    goal = of.human / wanted * (1 + _SLACK)

    def enough(more: int) -> bool:
        return error_with(of, bias, n, more) <= goal

    at = smallest(enough, _MOST) if enough(_MOST) else None
    if at is None:
        return None
    return Mix(n, at, n * costs[0] + (n + at) * costs[1])
