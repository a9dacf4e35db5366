"""`plan_mix`: the cheapest numbers of human and machine topics that reach a wanted quality."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ..data.results import Findings, columns, settings_of
from ..errors import InputError
from ..options import checked
from ..read.labels import WANTED_COST, is_cost
from ..read.reader import Collection
from .combination import RISK, Method, combined_means, paired_sides
from .mixing import Bias, Moments, error_with

LEAST = 15  # human topics of a mix: fewer were not measured
_SLACK = 1e-9  # share of a variance that rounding may add
_MOST = 10_000_000  # machine topics


@dataclass(frozen=True)
class Mix:
    """A number of human topics, which the machine also scores, and a number that only the machine scores."""

    human: int
    machine: int
    """0 means people alone."""
    cost: float
    worth: float
    """Its quality, counted in human topics."""


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
    """Find the cheapest numbers of human and machine topics that rank systems as well as N human topics, by `combine`.

    Parameters
    ----------
    human, machine : what `as_topics` takes
        A pilot: scores on each topic, as `combine` takes them.
    costs : tuple of float
        The cost of a topic judged by people, and by the machine. The machine judges the human topics, too.
    as_good_as : int
        The number of human topics to match. `plan_topics` says how many an expected correlation needs.
    method : {"control", "shrunk"}
        The method of `combine` that will be used.
    names : sequence of str, optional
        Names of the human and machine scores; by default those of their files.

    Returns
    -------
    Findings
        `cheapest` is the answer and `alone` is the plan with people alone. `rows()` has the cheapest mix for each
        number of human topics that can reach the quality.

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
    mixes.append(alone)
    best, (people, other), n = min(mixes, key=lambda mix: mix.cost), sides.names, len(sides.paired.topics)
    answer = f"To match {wanted} topics judged by {people}, "
    if best.machine:
        answer += (
            f"let {people} judge {best.human} and {other} these and {best.machine:,} more: cost {best.cost:,g} instead "
            f"of {alone.cost:,g}; predicted from {n} topics"
        )
    else:
        answer += f"no mix with at least {LEAST} of them is cheaper than {people} alone: cost {best.cost:,g}"
    some = [mix for k, mix in enumerate(mixes) if k % max(1, len(mixes) // 8) == 0 or mix in (best, alone)]
    cells = [[str(mix.human), f"{mix.machine:,}", f"{mix.cost:g}"] for mix in some]
    return Findings(
        kind="MixPlan",
        answer=answer,
        numbers={
            "wanted": wanted,
            "cheapest": best,
            "alone": alone,
            "mixes": tuple(mixes),
            "costs": costs,
            "names": sides.names,
        },
        lines=[asdict(mix) for mix in mixes],
        shown=columns([["human topics", "machine topics", "cost"], *cells]),
        figure="curves.mixes",
        notes=(*sides.notes, *([RISK] if method == "shrunk" else [])),
        settings=settings_of(method=method, n_human=n, n_machine=len(sides.more.topics)),
    )


def _mix(of: Moments, bias: Bias | None, n: int, wanted: int, costs: tuple[float, float]) -> Mix | None:
    """Find the fewest machine topics that are enough with n human topics; None if no number is."""
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
