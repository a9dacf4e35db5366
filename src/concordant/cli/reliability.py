"""`concordant reliability` and `concordant plan`: how close is this ranking to the truth, and what would be enough?"""

from __future__ import annotations

from typing import Annotated

import typer

from .drawing import check_plot, draw
from .options import (
    Format,
    FormatOption,
    HtmlOption,
    LowerOption,
    MeasureOption,
    Missing,
    MissingOption,
    PlotOption,
    QuietOption,
    SeedOption,
    SystemsOption,
    TopicsOption,
    WorkersOption,
)
from .reading import Reader, known_coefficients
from .reporting import Report
from .terminal import Bar, Notes, print_table, say

ScoresArgument = Annotated[str, typer.Argument(help="Scores: a file, a folder or a glob.")]


def reliability(
    scores: ScoresArgument,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    plot: PlotOption = None,
    format: FormatOption = Format.table,
    html: HtmlOption = None,
    quiet: QuietOption = False,
) -> None:
    """Expected correlation of the ranking with the true one, over all topics there could be."""
    from ..expected.estimation import expected_correlation
    from ..expected.estimation import reliability as run
    from ..words import counted
    from .render import Cell, Table, to_json

    check_plot(plot)
    with Notes(quiet) as notes:
        read = Reader(measure, missing, lower_is_better, systems, topics)(scores)
        found = run(read, rng=seed, workers=workers)
        intervals = [expected_correlation(read, c, "posterior", rng=seed, workers=workers) for c in ("tau", "tau_ap")]
    content = found.to_dict() | {"posterior": [e.to_dict() for e in intervals], "read_notes": notes.seen}
    if html is not None:
        content = Report(html, quiet).write(content)
    if format is Format.json:
        say(to_json(content))
        draw(plot, found.plot, format)
        return
    if format is Format.table:
        measured = f", {read.measure}" if read.measure else ""
        say(f"{counted(found.n_systems, 'system')}, {counted(found.n_topics, 'topic')}{measured}\n")
        say(f"Expected correlation with the true ranking: tau {found.tau:.3f}, tau_ap {found.tau_ap:.3f} (msqd).")
        ranges = [f"{e.coefficient} {e.interval.low:.3f} to {e.interval.high:.3f}" for e in intervals if e.interval]
        say(f"95% intervals: {', '.join(ranges)} (posterior).\n")
    rows: list[list[Cell]] = [[name, *values] for name, values in found.estimates.items()]
    rows.append(["posterior", *(e.value for e in intervals)])
    print_table(Table(["estimator", "tau", "tau_ap"], rows, decimals=4), format)
    if format is Format.table:
        say("\nMind: sh(w) and sh(w/o) are baselines, known to be too high.")
        say("Cite: concordant cite urbano2016")
    draw(plot, found.plot, format)


def plan(
    scores: ScoresArgument,
    target: Annotated[float, typer.Option(help="The correlation to reach.")] = 0.9,
    coefficient: Annotated[str, typer.Option("--coefficient", "-c", help="The coefficient.")] = "tau",
    probability: Annotated[
        float | None, typer.Option(help="How probable it must be to reach the target; by default on average.")
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Draws of the posterior.")] = 1_000,
    most: Annotated[int, typer.Option(min=1, help="The largest number of topics to try.")] = 10_000,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    plot: PlotOption = None,
    format: FormatOption = Format.table,
    quiet: QuietOption = False,
) -> None:
    """How many topics are enough for a correlation with the true ranking."""
    from ..expected.planning import plan_topics
    from .render import Table, to_json

    check_plot(plot)
    name = known_coefficients([coefficient])[0]
    with Notes(quiet) as notes, Bar("planning", quiet) as bar:
        read = Reader(measure, missing, lower_is_better, systems, topics)(scores)
        found = plan_topics(
            read,
            name,
            target,
            probability,
            n_resamples=resamples,
            most=most,
            rng=seed,
            workers=workers,
            progress=bar.update,
        )
    if format is Format.json:
        say(to_json(found.to_dict() | {"read_notes": notes.seen}))
    elif format is Format.table:
        say(str(found))
    else:
        frame = found.to_dict()["curve"]
        print_table(Table.of(frame), format)
    draw(plot, found.plot, format)
