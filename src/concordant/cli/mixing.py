"""`concordant combine` and `plan-mix`: people and machines together."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Annotated, Literal

import typer

from .answer import Answer, Found, Output, answering
from .options import CoefficientOption, LevelOption, SeedOption
from .reading import Reader, known_coefficients
from .render import Rows

HumanArgument = Annotated[str, typer.Argument(metavar="HUMAN", help="Human scores: [NAME=]PATH[:MEASURE][:lower].")]
MachineArgument = Annotated[
    str, typer.Argument(metavar="MACHINE", help="Machine scores on these topics and more, given in the same way.")
]


@answering(plot=True)
def combine(
    human: HumanArgument,
    machine: MachineArgument,
    *,
    method: Annotated[
        Literal["shrunk", "control"],
        typer.Option(help="Shrink towards the machine by what is seen of its bias, or control variates alone."),
    ] = "shrunk",
    lam: Annotated[float | None, typer.Option(help="The weight of the control variates; default: the best.")] = None,
    ranks: Annotated[bool, typer.Option("--ranks", help="Also show the ranks that each system could have.")] = False,
    level: LevelOption = 0.95,
    read: Reader,
    seed: SeedOption = 0,
    out: Output,
) -> Found:
    """Rank systems by human and machine scores together.

    People have scored few topics, and a machine these and many more.

    Example: concordant combine few.csv careful.csv --ranks
    """
    from ..planning.combination import combine as run

    people, others = read.sides([human, machine], out.quiet)
    found = run(people, others, method=method, lam=lam, confidence_level=level)
    if not ranks:
        return found
    intervals = found.rank_intervals(level, rng=seed)

    def rows() -> Rows:
        """Means and ranks in one table; both have an interval."""
        of = {row["system"]: row for row in intervals.rows()}
        names = {"rank": "rank", "high": "rank_high", "border_below": "border_below"}
        return [row | {new: of[row["system"]][old] for old, new in names.items()} for row in found.rows()]

    return replace(Answer.of([found, intervals]), rows=rows, plot=found.plot)


@answering(plot=True)
def plan_mix(
    human: HumanArgument,
    machine: MachineArgument,
    *,
    cost: Annotated[tuple[str, str], typer.Option(metavar="human=COST machine=COST", help="Cost per topic of each.")],
    target: Annotated[float, typer.Option(help="The expected correlation with the true ranking to reach.")] = 0.9,
    coefficient: CoefficientOption = "tau",
    as_good_as: Annotated[int | None, typer.Option(min=1, help="Instead: as good as this many human topics.")] = None,
    read: Reader,
    seed: SeedOption = 0,
    out: Output,
) -> Found:
    """Find the cheapest mix of human and machine topics.

    It ranks the systems as well as wanted, by what a pilot shows of the machine.

    Example: concordant plan-mix few.csv careful.csv --as-good-as 60 --cost human=20 machine=0.05
    """
    from ..planning.mix_plan import plan_mix as run

    name = known_coefficients([coefficient])[0]
    each = _costs(cost)
    people, others = read.sides([human, machine], out.quiet)
    return run(people, others, target, name, costs=each, as_good_as=as_good_as, rng=seed)


def _costs(given: tuple[str, str]) -> tuple[float, float]:
    """What a topic costs by people and by the machine, in either order."""
    from ..read.labels import WANTED_COST, is_cost

    found = dict(part.partition("=")[::2] for part in given)
    with contextlib.suppress(KeyError, ValueError):
        costs = float(found["human"]), float(found["machine"])
        if all(map(is_cost, costs)):
            return costs
    raise typer.BadParameter(
        f"--cost is {' '.join(given)!r}: {WANTED_COST}, for what a topic costs, such as --cost human=20 machine=0.05"
    )
