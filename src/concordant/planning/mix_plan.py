"""`plan_mix`: how many human and how many machine topics reach a wanted quality at the least cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..data.results import Result, columns, settings_of
from ..errors import InputError
from ..options import checked
from ..read.door import Collection
from ..read.labels import WANTED_COST, is_cost
from .combination import RISK, Method, combined_means, paired_sides
from .mixing import Bias, Moments, error_with

LEAST = 15  # human topics of a mix: with fewer, nobody measured how well it ranks
_SLACK = 1e-9  # of a variance: what is as small but for rounding is small enough
_MOST = 10_000_000  # machine topics


@dataclass(frozen=True)
class Mix:
    """A number of human topics, all scored by the machine as well, and a number that the machine alone scores."""

    human: int
    machine: int
    """0: people alone, without the machine."""
    cost: float
    worth: float
    """Its quality, counted in human topics."""


@dataclass(frozen=True, eq=False, repr=False)
class MixPlan(Result):
    """What `plan_mix` found."""

    _figure = "curves.mixes"
    wanted: int
    """The number of human topics whose quality is wanted."""
    cheapest: Mix
    alone: Mix
    """People alone."""
    mixes: tuple[Mix, ...]
    """The cheapest for each number of human topics that can reach the quality."""
    costs: tuple[float, float]
    """What a topic costs when people judge it, and when the machine does."""
    names: tuple[str, str] = ("human", "machine")
    """What the sides are called."""

    @property
    def verdict(self) -> str:
        """The cheapest mix, beside people alone."""
        best, (human, machine) = self.cheapest, self.names
        start = f"To match {self.wanted} topics judged by {human}"
        if not best.machine:
            return f"{start}, no mix with at least {LEAST} of them is cheaper than {human} alone: cost {best.cost:,g}"
        return (
            f"{start}, let {human} judge {best.human} and {machine} these and {best.machine:,} more: cost "
            f"{best.cost:,g} instead of {self.alone.cost:,g}; predicted from {self.settings['n_human']} topics"
        )

    def table(self) -> str:
        """Some of the mixes, and the cheapest."""
        step = max(1, len(self.mixes) // 8)
        shown = [mix for k, mix in enumerate(self.mixes) if k % step == 0 or mix in (self.cheapest, self.alone)]
        rows = [["human topics", "machine topics", "cost"]]
        rows += [[str(mix.human), f"{mix.machine:,}", f"{mix.cost:g}"] for mix in shown]
        return columns(rows)

    def rows(self) -> list[dict[str, Any]]:
        """One row per number of human topics."""
        return [
            {"human": mix.human, "machine": mix.machine, "cost": mix.cost, "worth": mix.worth} for mix in self.mixes
        ]


@checked
def plan_mix(
    human: Collection,
    machine: Collection,
    *,
    costs: tuple[float, float],
    as_good_as: int,
    method: Method = "control",
    names: Sequence[str] | None = None,
) -> MixPlan:
    """Find the cheapest numbers of human and machine topics that rank systems as well as N human topics, by `combine`.

    Parameters
    ----------
    human, machine : what `as_topics` takes
        A pilot: scores on each topic, as `combine` takes them.
    costs : tuple of float
        What a topic costs when people judge it, and when the machine does. The machine judges the human topics, too.
    as_good_as : int
        The number of human topics to match. `plan_topics` says how many an expected correlation needs.
    method : {"control", "shrunk"}
        The method of `combine` that will be used.
    names : sequence of str, optional
        What to call the two sides; by default the names of their files.

    Returns
    -------
    MixPlan
        `cheapest` is the answer, `rows()` has a mix for each number of human topics.

    See Also
    --------
    combine : One ranking from people and machine.
    plan_topics : How many topics are enough.

    Notes
    -----
    The error of a mix is predicted from the pilot's variances and the machine's covariance with people, and with
    "shrunk" from its bias, which few topics estimate poorly. A mix has at least 15 human topics, the fewest for which
    it was measured (docs/measured/combine.md).

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
    alone = Mix(wanted, 0, wanted * costs[0], float(wanted))
    return MixPlan(
        wanted=wanted,
        cheapest=min([*mixes, alone], key=lambda mix: mix.cost),
        alone=alone,
        mixes=(*mixes, alone),
        costs=costs,
        names=sides.names,
        notes=(*sides.notes, *([RISK] if method == "shrunk" else [])),
        settings=settings_of(method=method, n_human=len(sides.paired.topics), n_machine=len(sides.more.topics)),
    )


def _mix(of: Moments, bias: Bias | None, n: int, wanted: int, costs: tuple[float, float]) -> Mix | None:
    """With n human topics: the fewest machine topics that are enough, if any number is."""
    goal = of.human / wanted * (1 + _SLACK)

    def enough(more: int) -> bool:
        return error_with(of, bias, n, more) <= goal

    if not enough(_MOST):
        return None
    below, at = 0, 1
    while not enough(at):
        below, at = at, 2 * at
    while at - below > 1:
        middle = (below + at) // 2
        below, at = (below, middle) if enough(middle) else (middle, at)
    error = error_with(of, bias, n, at)
    return Mix(n, at, n * costs[0] + (n + at) * costs[1], of.human / error if error > 0 else math.inf)
