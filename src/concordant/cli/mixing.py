"""`concordant combine`: people and machines together."""

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
    ranks: Annotated[bool, typer.Option("--ranks", help="Also show the ranks that each system could have.")] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Find the cheapest mix of human and machine topics; needs --cost.")
    ] = False,
    cost: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="human=COST machine=COST", help="For --plan: the cost per topic of each."),
    ] = None,
    as_good_as: Annotated[
        int | None, typer.Option(min=1, help="For --plan: as good as this many human topics.")
    ] = None,
    target: Annotated[
        float, typer.Option(help="For --plan: or the expected correlation with the true ranking to reach.")
    ] = 0.9,
    coefficient: CoefficientOption = "tau",
    level: LevelOption = 0.95,
    read: Reader,
    seed: SeedOption = 0,
    out: Output,
) -> Found:
    """Rank systems by human and machine scores together.

    People have scored few topics, and a machine these and many more. With --plan: how many topics of each are the
    cheapest way to a ranking that is good enough.

    Example: concordant combine few.csv careful.csv --ranks
    """
    from ..planning.combination import combine as run
    from ..planning.mix_plan import plan_mix

    if plan != (cost is not None):
        raise typer.BadParameter("--plan and --cost go together: --plan --cost human=20 machine=0.05")
    each = None if cost is None else _costs(cost)
    name = known_coefficients([coefficient])[0]
    people, others = read.sides([human, machine], out.quiet)
    if each is not None:
        return plan_mix(people, others, target, name, costs=each, as_good_as=as_good_as, rng=seed)
    found = run(people, others, method=method, confidence_level=level)
    if not ranks:
        return found
    intervals = found.rank_intervals(level, rng=seed)

    def rows() -> Rows:
        """Means and ranks in one table; both have an interval."""
        of = {row["system"]: row for row in intervals.rows()}
        names = {"rank": "rank", "low": "rank_low", "high": "rank_high"}
        return [row | {new: of[row["system"]][old] for old, new in names.items()} for row in found.rows()]

    return replace(Answer.of([found, intervals]), rows=rows, plot=found.plot)


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
