"""`concordant audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from .drawing import check_plot, draw
from .options import (
    Format,
    FormatOption,
    LowerOption,
    MeasureOption,
    Missing,
    PlotOption,
    QuietOption,
    SystemsOption,
    TopicsOption,
)
from .reading import Reader, labels_of, refuse_single_systems
from .render import Table, to_json
from .terminal import Bar, Notes, print_table, say

if TYPE_CHECKING:
    from ..sides import Side
    from ..tables import Missing as Policy


def audit(
    truth: Annotated[str, typer.Argument(help="Scores of the truth: a file, a folder or a glob.")],
    candidate: Annotated[list[str], typer.Argument(help="Scores that were compared with it.")],
    reported: Annotated[
        list[str],
        typer.Option("--reported", "-r", help="The number as printed, 0.870 or 87%; one for each candidate ranking."),
    ],
    top: Annotated[list[int] | None, typer.Option(min=2, help="Also try the k best systems only.")] = None,
    departures: Annotated[int, typer.Option(min=0, help="Most steps away from the plain way.")] = 3,
    measure: MeasureOption = None,
    missing: Annotated[
        Missing | None, typer.Option(help="What to do about topics that a system lacks; by default each way is tried.")
    ] = None,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    plot: PlotOption = None,
    format: FormatOption = Format.table,
    quiet: QuietOption = False,
) -> None:
    """Find the coefficient, direction and rule for ties that give a number someone reported."""
    from ..audit.search import audit_read
    from ..sides import side_of

    check_plot(plot)
    labels = labels_of([truth, *candidate])

    def read(policy: Policy) -> list[Side]:
        chosen = Missing(policy) if missing is None else missing
        if missing is None and lower_is_better and chosen is Missing.zero:
            raise InputError("0 would be the best score where lower is better")
        reader = Reader(measure, chosen, lower_is_better, systems, topics)
        scores = reader.all([truth, *candidate], quiet)
        refuse_single_systems(scores)
        return [side_of(side, label) for side, label in zip(scores, labels, strict=True)]

    with Notes(quiet), Bar("trying", quiet) as bar:
        found = audit_read(read, reported, labels, top=top or (), departures=departures, progress=bar.update)
    if format is Format.json:
        say(to_json(found.to_dict()))
    elif format is Format.table:
        say(str(found))
    else:
        rows = found.rows()
        print_table(Table.of(rows, decimals=4) if rows else Table(["match"], []), format)
    draw(plot, found.plot, format)
