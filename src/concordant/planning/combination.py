"""`combine`: the means of systems from human scores on few topics and machine scores on many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri, stdtrit

from ..arrays import FloatArray, require_room_for_pairs
from ..coefficients.registry import get_coefficient
from ..data.holes import are_invented
from ..data.means import mean_over_topics
from ..data.results import Estimate, Interval, Result, columns, settings_of
from ..data.scores import Means, Scores
from ..errors import AlignmentWarning, InputError, LimitError, warn
from ..inference.posterior import Prior, correlations, draw_estimates
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..pairing import match
from ..ranks.bounds import RankIntervals, rank_intervals
from ..read.door import Collection, as_topic_side, refuse
from ..words import counted, listing, named
from .mixing import Combined, combined

Method: TypeAlias = Literal["shrunk", "control"]
Errors: TypeAlias = Literal["t", "normal"]
FEWEST = 5  # human topics: with fewer, nothing tells how far to trust the machine
_SMALLEST, _LARGEST = 1e-140, 1e140  # whose squares are numbers, and can be summed
_MOST_LAM = 1e30  # times human scores over machine scores: its fourth power is a number


@dataclass(frozen=True, eq=False, repr=False)
class CombinedMeans(Result):
    """What `combine` found, systems by their combined means, best first."""

    _index = "system"
    means: Means
    """The estimates, in human scores, with the covariance of their errors."""
    freedom: float
    """Degrees of freedom of the covariance, for differences between systems."""
    low: FloatArray
    """Lower limit of the interval for each mean, taken by itself; limits and means below as the scores were given."""
    high: FloatArray
    """Upper limit of that interval."""
    human: FloatArray
    """The human means alone."""
    machine: FloatArray
    """The machine's means alone, over all of its topics, on its own scale."""
    n_human: int
    """Topics with human and machine scores."""
    n_machine: int
    """Topics with machine scores alone."""
    worth: float
    """The number of human topics that would give errors as small in the differences between systems."""
    lam: float
    """The weight of the control variate, for differences between systems."""
    weight: float
    """The weight of the machine's own means: 0 where its bias shows, or with method="control"."""
    bias: float
    """Standard deviation of the machine's bias over systems, in human scores; nan where it was not estimated."""

    @property
    def covariance(self) -> FloatArray:
        """The covariance of the errors of `means`, in their order."""
        assert self.means.covariance is not None
        return self.means.covariance

    @property
    def verdict(self) -> str:
        """What the mix is worth, and who ranks first."""
        topics = f"{self.n_human} human topics and {self.n_machine:,} of the machine"
        as_good = f"rank the systems as well as about {_shown(self.worth)} human ones" if self.worth < math.inf else ""
        values = self.means.values
        first = [system for system, mean in zip(self.means.systems, values, strict=True) if mean == values[0]]
        top = f"{first[0]} ranks first" if len(first) == 1 else f"{listing(first, 3)} tie for first"
        return f"{topics} {as_good or 'leave no error'}; {top}"

    def table(self) -> str:
        """One line per system, and how the means were made."""
        level = f"{100 * self.settings['confidence_level']:g}% interval"
        rows = [["", "combined", level, "human alone", "machine alone"]]
        rows += [
            [
                row["system"],
                f"{row['mean']:.4f}",
                f"{row['low']:.4f} to {row['high']:.4f}",
                *(f"{row[side]:.4f}" for side in ("human", "machine")),
            ]
            for row in self.rows()
        ]
        made = f"  lam {self.lam:.3f}; weight of the machine's own means {self.weight:.2f}"
        bias = "" if math.isnan(self.bias) else f"; standard deviation of its bias {self.bias:.3g}"
        return f"{columns(rows)}\n\n{made}{bias}"

    def rows(self) -> list[dict[str, Any]]:
        """One row per system, best first."""
        error = np.sqrt(np.diag(self.covariance))
        parts = (self.means.shown(), error, self.low, self.high, self.human, self.machine)
        names = ("mean", "standard_error", "low", "high", "human", "machine")
        return [
            {"system": system, **dict(zip(names, map(float, numbers), strict=True))}
            for system, *numbers in zip(self.means.systems, *parts, strict=True)
        ]

    def _contents(self) -> dict[str, Any]:
        names = ("n_human", "n_machine", "worth", "lam", "weight", "bias", "freedom")
        return {"systems": self.rows()} | {name: getattr(self, name) for name in names}

    @checked
    def rank_intervals(
        self, confidence_level: float = 0.95, *, simultaneous: bool = True, n_resamples: int = 49_999, rng: Seed = None
    ) -> RankIntervals:
        """The ranks that each system may have, and tiers: `rank_intervals` of these means."""
        return rank_intervals(
            self.means, confidence_level=confidence_level, simultaneous=simultaneous, n_resamples=n_resamples, rng=rng
        )

    @checked
    def expected_correlation(
        self,
        coefficient: str = "tau",
        *,
        prior: Prior = "normal",
        confidence_level: float = 0.95,
        n_resamples: int = 2_000,
        rng: Seed = None,
    ) -> Estimate:
        """Expected correlation of this ranking with the true one: as `expected_correlation` with "posterior"."""
        known, level = get_coefficient(coefficient), confidence_level
        how = Resampling.of(n_resamples, rng)
        truth = draw_estimates(
            self.means.values, self.covariance, self.freedom, how.n_resamples, prior, how.generator()
        )
        found = correlations(known, truth, self.means.values, how.threads)
        low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
        return Estimate(
            coefficient,
            float(found.mean()),
            "posterior",
            Interval(float(low), float(high), level, "posterior"),
            settings=settings_of(seed=how.seed, n_resamples=how.n_resamples, confidence_level=level, prior=prior),
        )

    def plot(self, ax: Any = None) -> Any:
        """The combined means with their intervals, and the human means alone as diamonds."""
        from ..render.figures import intervals

        return intervals.combined(self, ax)


class Paired(NamedTuple):
    """Human and machine scores on the same systems: on the topics of both, and on the machine's others."""

    human: Scores
    paired: Scores
    more: Scores
    notes: tuple[str, ...]


@checked
def combine(
    human: Collection,
    machine: Collection,
    *,
    method: Method = "shrunk",
    lam: float | None = None,
    errors: Errors = "t",
    confidence_level: float = 0.95,
) -> CombinedMeans:
    """Rank systems by human scores on few topics and machine scores on many, better than either does alone.

    Nothing need be known about the machine: the topics that both have scored show how far to trust it.

    Parameters
    ----------
    human, machine : what `as_topics` takes
        Scores on each topic, matched by label. The machine must have the human topics, at least 5, and at least 2 more.
        Human topics that the machine lacks, and systems that one side lacks, are left out, and an `AlignmentWarning`
        says what. The two may be on different scales; the result is in human scores.
    method : {"shrunk", "control"}
        "control": control variates, as in prediction-powered inference. The means are unbiased, whatever the machine
        does. "shrunk": the same means, shrunk towards the machine's own by as much as its bias on the paired topics
        allows. It ranked systems better on every collection that was measured.
    lam : float, optional
        The weight of the control variates, for level and differences alike; by default those with the least variance.
    errors : {"t", "normal"}
        "t": allows for variances and weights that are estimated from few topics, and for skewed scores. "normal":
        as if there were very many topics, as the software of prediction-powered inference does; the intervals are
        then too short.
    confidence_level : float
        Confidence level of the interval for each mean.

    Returns
    -------
    CombinedMeans
        With `means` and their `covariance`; `rank_intervals`,
        `expected_correlation`, and the `worth` of the mix in human topics.

    See Also
    --------
    plan_mix : The cheapest mix of people and machine.
    judge_worth : Estimate how many topics judged by the truth a candidate's topics are worth.
    rank_intervals : The ranks that each system may have.

    Notes
    -----
    With y the human scores on n topics, x the machine's on the same, u the machine's on N more, control variates give
    mean(y) + lam (mean(u) - mean(x)). lam is cov(y, x) / var(x) * N / (n + N) from all topic x system residuals, with
    one value for the level of a topic and one for the deviations of systems from it, the only part that affects
    rankings. A separate value for each system was tried, and ranked them no better.

    Shrinking treats the machine's bias, after a change of scale and level, as drawn from a normal distribution over
    systems; its variance is estimated from the distance between both rankings. The intervals therefore hold on average
    over systems, but not for a system whose bias is exceptional. The derivation is in docs/theory/mixing.md, the
    measurements in docs/measured/combine.md.

    References
    ----------
    A. N. Angelopoulos, J. Duchi and T. Zrnic (2023). PPI++: Efficient Prediction-Powered Inference. arXiv 2311.01453.
    C. N. Morris (1983). Parametric Empirical Bayes Inference: Theory and Applications. JASA 78.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful = cc.load_collection("people"), cc.load_collection("careful")
    >>> found = cc.combine(people.select(topics=people.topics[:15]), careful)
    >>> print(found.verdict)
    15 human topics and 25 of the machine rank the systems as well as about 29 human ones; rerank-4 ranks first
    >>> found.rank_intervals(rng=1)["rerank-4"]
    (1, 9)

    """
    level = confidence_level
    sides = paired_sides(human, machine)
    found = combined_means(sides, shrink=method == "shrunk", lam=lam, few=errors == "t")
    order = np.argsort(-found.means, kind="stable")
    of_human, of_machine = exponents(sides)
    values = np.ldexp(found.means[order], of_human)
    covariance = np.ldexp(found.covariance[np.ix_(order, order)], 2 * of_human)
    quantile = ndtri((1 + level) / 2) if errors == "normal" else stdtrit(found.mean_freedom, (1 + level) / 2)
    reach = float(quantile) * np.sqrt(np.diag(covariance))
    every = np.vstack([sides.paired.values, sides.more.values])
    shown, lower = sides.human.shown(values), sides.human.lower_is_better
    names = [sides.human.systems[k] for k in order]
    return CombinedMeans(
        means=Means(
            shown,
            names,
            sides.human.measure,
            lower_is_better=lower,
            covariance=covariance,
            degrees_of_freedom=None if math.isinf(found.freedom) else found.freedom,
        ),
        freedom=found.freedom,
        low=shown - reach,
        high=shown + reach,
        human=sides.human.shown(sides.human.means()[order]),
        machine=sides.more.shown(mean_over_topics(every)[order]),
        n_human=len(sides.paired.topics),
        n_machine=len(sides.more.topics),
        worth=found.worth,
        lam=math.ldexp(found.lam, of_human - of_machine),
        weight=found.weight,
        bias=math.ldexp(math.sqrt(found.bias.variance), of_human) if found.bias is not None else math.nan,
        notes=sides.notes,
        settings=settings_of(
            confidence_level=level, method=method, lam=lam, errors=errors, measure=sides.human.measure
        ),
    )


def combined_means(sides: Paired, *, shrink: bool = True, lam: float | None = None, few: bool = True) -> Combined:
    """The formulas of `estimator` on matched sides, each divided by two to the power of its `exponents`."""
    require_room_for_pairs(len(sides.human.systems), "the covariance of combined means", 6)
    of_human, of_machine = exponents(sides)
    if lam is not None:
        most = math.ldexp(_MOST_LAM, of_human - of_machine)
        if abs(lam) > most:
            raise LimitError(f"{named('lam')} is {lam:g}: give at most {most:.3g} in size for these scores")
        lam = math.ldexp(lam, of_machine - of_human)
    parts = zip((sides.human, sides.paired, sides.more), (of_human, of_machine, of_machine), strict=True)
    return combined(*(np.ldexp(side.values, -by) for side, by in parts), shrink=shrink, lam=lam, few=few)


def exponents(sides: Paired) -> tuple[int, int]:
    """Of two, so that human scores, and those of the machine, are within [-1, 1] and their fourth powers numbers."""
    human, paired, more = (float(np.abs(side.values).max()) for side in sides[:3])
    return math.frexp(human)[1], math.frexp(max(paired, more))[1]


def paired_sides(human: Collection, machine: Collection) -> Paired:
    """Both sides through the door, on the systems that both have; topics sorted by who has scored them."""
    names = ("human", "machine")
    given = as_topic_side(human, "human"), as_topic_side(machine, "machine")
    if all(are_invented(side.topics) for side in given):
        raise InputError(
            "human and machine have rows without names of topics, so nothing tells which belong together: give Scores, "
            "or files with a column named topic"
        )
    for whole, name in zip(given, names, strict=True):
        refuse(whole, name, "groups", "total", why="human and machine scores are combined topic by topic")
    found = match(given, names, "systems")
    people, others = (side for side in found if isinstance(side, Scores))
    notes = list(found.notes)
    in_machine, in_human = set(others.topics), set(people.topics)
    both = [topic for topic in people.topics if topic in in_machine]
    more = [topic for topic in others.topics if topic not in in_human]
    lost = [topic for topic in people.topics if topic not in in_machine]
    if len(both) < FEWEST:
        raise InputError(
            f"human and machine have {counted(len(both), 'topic')} in common: at least {FEWEST} are needed, because "
            "these tell how far the machine can be trusted; let it score the human topics, too"
        )
    if len(more) < 2:
        raise InputError(
            f"machine has {counted(len(more), 'topic')} that human lacks: at least 2 are needed, let it score more"
        )
    if lost:
        notes.append(
            f"{counted(len(lost), 'topic')} of human left out, because machine lacks "
            f"{'it' if len(lost) == 1 else 'them'}: {listing(lost)}"
        )
    for side, scores in zip(names, (people, others), strict=True):
        largest = np.abs(scores.values).max()
        if largest > _LARGEST:
            raise LimitError(f"{side} has scores beyond {_LARGEST:g}: divide them by a constant")
        if 0 < largest < _SMALLEST:
            raise LimitError(f"{side} has no score of {_SMALLEST:g} or more in size: multiply them by a constant")
    if len(people.systems) < 2:
        raise InputError(f"human and machine have {counted(len(people.systems), 'system')} in common: 2 are needed")
    for note in notes:
        warn(note, AlignmentWarning)
    systems = people.systems
    return Paired(
        people.select(systems, both), others.select(systems, both), others.select(systems, more), tuple(notes)
    )


def _shown(topics: float) -> str:
    return f"{topics:,.0f}" if topics >= 9.95 else f"{topics:.1f}"
