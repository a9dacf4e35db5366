"""`concordant combine`: people and machines together."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Annotated, Literal

import typer

from .answer import Answer, Found, Output, answering
from .labelling import Labelled
from .options import LevelOption, SeedOption
from .reading import Reader
from .render import Rows

GivenArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="HUMAN MACHINE",
        help="Human scores, and machine scores on these topics and more: [NAME=]PATH[:MEASURE][:lower]. "
        "With --labels, the runs.",
    ),
]


@answering(plot=True)
def combine(
    given: GivenArgument,
    *,
    judged: Labelled,
    method: Annotated[
        Literal["control", "shrunk"],
        typer.Option(help="Control variates, which need not trust the machine, or also shrink towards its ranking."),
    ] = "control",
    ranks: Annotated[bool, typer.Option("--ranks", help="Also show the ranks that each system could have.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Find the cheapest mix instead; needs the next two.")] = False,
    cost: Annotated[
        tuple[str, str] | None, typer.Option(metavar="human=COST machine=COST", help="Cost per topic of each.")
    ] = None,
    as_good_as: Annotated[int | None, typer.Option(min=1, help="Match the ranking by this many human topics.")] = None,
    level: LevelOption = 0.95,
    read: Reader,
    seed: SeedOption = 0,
    out: Output,
) -> Found:
    """Rank systems by human and machine scores, or plan a mix.

    People have scored few topics, and a machine these and many more; or people have judged a list of documents. With
    --plan: how many topics of each are the cheapest way to a ranking that is good enough.

    Example: concordant combine few.csv careful.csv --plan --as-good-as 60 --cost human=20 machine=0.05
    """
    from ..planning.combination import combine as run
    from ..planning.mix_plan import plan_mix

    if plan != (cost is not None) or plan != (as_good_as is not None):
        raise typer.BadParameter("--plan, --cost and --as-good-as belong together: give all three or none")
    if plan and ranks:
        raise typer.BadParameter("--ranks shows ranks, and --plan finds none: give one of them")
    if judged.given:
        if plan or ranks:
            raise typer.BadParameter("--labels ranks by labels on documents: leave out --plan and --ranks")
        return judged.answer(given, read.measure, level, seed)
    if len(given) != 2:
        raise typer.BadParameter("give human scores, and machine scores; or a list of documents with --labels")
    each = _costs(cost) if cost is not None else None
    labels = read.labels(given)
    people, others = read.sides(given, out.quiet)
    if each is not None and as_good_as is not None:
        return plan_mix(people, others, costs=each, as_good_as=as_good_as, method=method, names=labels)
    with out.bar("combining"):
        found = run(people, others, method=method, confidence_level=level, names=labels)
    if not ranks:
        return found
    intervals = found.rank_intervals(level, rng=seed)

    def rows() -> Rows:
        """Means and ranks in one table; both have an interval."""
        of = {row["system"]: row for row in intervals.rows()}
        names = {"rank": "rank_low", "high": "rank_high", "border_below": "border_below"}
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
