"""`combine`: the means of systems from human scores on few topics and machine scores on many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import stdtrit

from ..arrays import require_room_for_pairs
from ..data.favours import CombinedMeans, by_system, first_of, rows_of, table_of
from ..data.means import are_invented, mean_over_topics
from ..data.results import Interval, settings_of
from ..data.scores import Means, Scores
from ..errors import AlignmentWarning, InputError, LimitError, counted, listing, named, warn
from ..options import checked
from ..pairing import match
from ..read import short_names
from ..read.reader import Collection, as_topic_side, refuse
from .mixing import Combined, combined, tells
from .partial import combine_partial

Method: TypeAlias = Literal["control", "shrunk"]
RISK = "shrunk means trust the machine on average: a system that it favours moves up"
FEWEST = 5  # human topics: fewer cannot show how far to trust the machine
_SMALLEST, _LARGEST = 1e-60, 1e60  # sums of fourth powers between these neither underflow nor overflow


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

    By default the machine only corrects the human means for the choice of topics. The means are unbiased even if the
    machine is wrong. A useless machine gets hardly any weight.

    Parameters
    ----------
    human, machine : what `as_topics` takes
        Scores on each topic, matched by label. The machine must have judged at least 5 human topics and at least 2
        more. Human topics that the machine lacks, and systems that either lacks, are left out with an
        `AlignmentWarning`. Where the machine gives all systems the same score, the topic counts as not judged by it.
        The scales may differ; the result is in human scores. Human scores may have holes: then they are labels on some
        cells of the table, and the machine must have scored every cell.
    method : {"control", "shrunk"}
        "control": control variates, as in prediction-powered inference; valid even if the machine is wrong. "shrunk":
        these means, shrunk towards the machine's own. It ranked systems better on every collection measured. But a
        system that the machine favours moves up, by 14 ranks if favoured by .15.
    confidence_level : float
        Confidence level of the intervals.
    names : sequence of str, optional
        What to call the two sides; by default the names of their files.

    Returns
    -------
    CombinedMeans
        `means` with their covariance, for `rank_intervals(found.means)`. By system: `low` and `high`, the interval of
        each mean alone; `human` and `machine`, the means by each alone; `favour`, by how much the machine favours the
        system in human scores, and `favour_p`, its p-value by Holm's method. See also `difference(a, b)` and
        `favoured()`.

        `worth`, with `worth_interval`, is the number of human topics with the same error in the differences between
        systems. `reduction` is the share of the error variance that the machine removes, `lam` the weight of the
        control variate, `weight` that of the machine's own means, and `bias` the standard deviation of its bias.

        Where human scores have holes: `labels` counts them by system. `random_p` tests whether the labelled cells are
        random, `scattered_p` whether they were labelled one by one; `whole_topics` is the conclusion. `doubts` lists
        reasons why the intervals may miss their confidence level.

    See Also
    --------
    plan_mix : The cheapest mix of people and machine.
    judge_worth : Estimate how many topics judged by the truth a candidate's topics are worth.
    rank_intervals : The ranks that each system may have.

    Notes
    -----
    Let y be the human scores on n topics, x the machine's on the same topics, and u the machine's on N more. Control
    variates give mean(y) + lam (mean(u) - mean(x)), where lam = cov(y, x) / var(x) * N / (n + N) over all topic x
    system residuals. The level of a topic and the deviations of systems from it each have their own lam; only the
    deviations affect rankings. A separate lam for each system did not rank them better.

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
    level = confidence_level
    human = as_topic_side(human, "human")
    if human.has_holes and human.missing in ("error", "available"):  # otherwise the policy fills or drops
        return _partial(human, machine, names, level, method)
    sides = paired_sides(human, machine, names)
    found = combined_means(sides, shrink=method == "shrunk")
    order = np.argsort(-found.means, kind="stable")
    values, covariance = found.means[order], found.covariance[np.ix_(order, order)]
    error = np.sqrt(np.diag(covariance))
    reach = float(stdtrit(found.mean_freedom, (1 + level) / 2)) * error
    shown, names = sides.human.shown(values), sides.names
    n_human, n_machine = len(sides.paired.topics), int(tells(sides.more.values).sum())
    means = Means(
        shown,
        [sides.human.systems[k] for k in order],
        sides.human.measure,
        lower_is_better=sides.human.lower_is_better,
        covariance=covariance,
        degrees_of_freedom=found.freedom,
    )
    rows = rows_of(
        means,
        standard_error=error,
        low=shown - reach,
        high=shown + reach,
        human=sides.human.shown(sides.human.means()[order]),
        machine=sides.more.shown(mean_over_topics(np.vstack([sides.paired.values, sides.more.values]))[order]),
        favour=found.favour[order],
        favour_p=found.favour_p[order],
    )
    lam, bias = found.lam, math.nan if found.bias is None else math.sqrt(found.bias.variance)
    interval = Interval(*found.worth_limits(level, n_human), level, "jackknife over topics")
    worth, top = f"{n_human} topics by {names[0]} and {n_machine:,} more by {names[1]} leave no error", first_of(means)
    sentences = []
    reduction = 1 - n_human / found.worth
    if math.isfinite(found.worth):
        level_named = f"{100 * level:g}% interval"
        ends = f"{_shown(interval.low)} to {_shown(interval.high)}" if math.isfinite(interval.high) else "not known"
        worth = worth.replace("leave no error", f"rank the systems as well as {_shown(found.worth)} by {names[0]}")
        worth += f" ({level_named} {ends})"
        sentences.append(
            f"{names[1]} removes {100 * reduction:.0f}% of the error variance of {names[0]}'s ranking"
            if reduction >= 0.01
            else f"{names[1]} hardly reduces the error of {names[0]}'s ranking"
        )
    risk = [f"{RISK[0].upper()}{RISK[1:]}".replace("the machine", names[1])] if method == "shrunk" else []
    made = f"  control variates, weight {lam:.3f}"
    if method == "shrunk":
        made += f"; weight of the machine's own means {found.weight:.2f}"
        made += "" if math.isnan(bias) else f"; standard deviation of its bias {bias:.3g}"
    m = len(order)
    return CombinedMeans(
        kind="CombinedMeans",
        answer=f"{worth}; {top}",
        before=(worth, *sentences),
        after=(*risk, top),
        numbers={
            "systems": rows,
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
        beside={"means": means, "covariance": covariance, "difference_freedom": np.full((m, m), found.freedom)}
        | by_system(rows)
        | {"names": names, "alone": f"{n_human} human topics alone"},
        lines=rows,
        shown=f"{table_of(rows, level, names)}\n\n{made}",
        index="system",
        figure="intervals.combined",
        notes=sides.notes,
        data=sides.human,
        settings=settings_of(confidence_level=level, method=method, measure=sides.human.measure),
    )


def combined_means(sides: PairedSides, *, shrink: bool = False) -> Combined:
    """Apply `combined` to matched scores."""
    require_room_for_pairs(len(sides.human.systems), "the covariance of combined means", 6)
    return combined(*(side.values for side in sides[:3]), shrink=shrink)


def _partial(
    human: Scores, machine: Collection, called: Sequence[str] | None, level: float, method: Method
) -> CombinedMeans:
    """Combine labels on some of the cells with machine scores on all."""
    if method == "shrunk":
        raise InputError(f"{named('method')} is 'shrunk', which needs human scores without holes: use 'control'")
    others = as_topic_side(machine, "machine")
    names = _names((human, others), called)
    if len(human.topics) != len(others.topics):  # otherwise rows without names belong together as they stand
        _refuse_invented((human, others), names)
    return combine_partial(human, others, names, level)


def _refuse_invented(given: tuple[Scores, Scores], names: tuple[str, str]) -> None:
    if all(are_invented(side.topics) for side in given):
        raise InputError(
            f"{names[0]} and {names[1]} have rows without names of topics, so they cannot be matched: give Scores, or "
            "files with a column named topic"
        )


def _names(given: tuple[Scores, Scores], called: Sequence[str] | None) -> tuple[str, str]:
    if called is not None and (len(called) != 2 or called[0] == called[1]):
        raise InputError(f"names is {called!r}: give two different names, of the human and of the machine scores")
    made = short_names(
        [side.source or name for side, name in zip(given, ("human", "machine"), strict=True)], [None] * 2
    )
    first, second = called or made
    return first, second


def paired_sides(human: Collection, machine: Collection, called: Sequence[str] | None = None) -> PairedSides:
    """Match human and machine scores: keep shared systems, split topics by who scored them."""
    given = as_topic_side(human, "human"), as_topic_side(machine, "machine")
    names = _names(given, called)
    _refuse_invented(given, names)
    for whole, name in zip(given, names, strict=True):
        refuse(whole, name, "groups", "total", why="human and machine scores are combined topic by topic")
    found = match(given, names, "systems")
    people, others = (side for side in found if isinstance(side, Scores))
    notes = list(found.notes)
    in_machine, in_human = set(others.topics), set(people.topics)
    both = [topic for topic in people.topics if topic in in_machine]
    more = [topic for topic in others.topics if topic not in in_human]
    lost = [topic for topic in people.topics if topic not in in_machine]
    telling = {topic for topic, yes in zip(others.topics, tells(others.values), strict=True) if yes}
    who = f"{names[1]} must judge at least"
    if (found_both := len(telling.intersection(both))) < FEWEST:
        raise InputError(
            f"{who} {FEWEST} topics that {names[0]} judged: they show how much the two have in common. It judged "
            f"{found_both}{_alike(len(both) - found_both)}"
        )
    if (found_more := len(telling.intersection(more))) < 2:
        raise InputError(
            f"{who} two topics that {names[0]} did not. It judged {found_more}{_alike(len(more) - found_more)}"
        )
    if alike := [topic for topic in (*both, *more) if topic not in telling]:
        notes.append(
            f"{names[1]} gives all systems one score on {counted(len(alike), 'topic')}, which count as not judged by "
            f"it: {listing(alike)}"
        )
    if lost:
        notes.append(
            f"{counted(len(lost), 'topic')} of {names[0]} left out, because {names[1]} lacks "
            f"{'it' if len(lost) == 1 else 'them'}: {listing(lost)}"
        )
    for side, scores in zip(names, (people, others), strict=True):
        largest = np.abs(scores.values).max()
        if largest > _LARGEST:
            raise LimitError(f"{side} has scores beyond {_LARGEST:g}: divide them by a constant")
        if 0 < largest < _SMALLEST:
            raise LimitError(f"{side} has no score of {_SMALLEST:g} or more in size: multiply them by a constant")
    if len(people.systems) < 2:
        raise InputError(
            f"{names[0]} and {names[1]} have {counted(len(people.systems), 'system')} in common: 2 are needed"
        )
    for note in notes:
        warn(note, AlignmentWarning)
    systems = people.systems
    return PairedSides(
        people.select(systems, both),
        others.select(systems, both),
        others.select(systems, more),
        tuple(notes),
        names,
    )


def _alike(topics: int) -> str:
    return f", and gives all systems one score on {topics} more" if topics else ""


def _shown(topics: float) -> str:
    return f"{topics:,.0f}" if topics >= 9.95 else f"{topics:.1f}"
