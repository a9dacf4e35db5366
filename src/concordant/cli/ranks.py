"""`concordant tiers` and `concordant explain`: what the topics say about a ranking, and what sets two apart."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

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
from .reading import Reader, known_coefficients, refuse_single_systems
from .render import Table, to_json
from .reporting import Report
from .terminal import Bar, Notes, print_table, say

if TYPE_CHECKING:
    from ..ranks.bounds import RankIntervals
    from ..topics.explanation import Explanation, Kind


class By(StrEnum):
    """What to list."""

    pairs = "pairs"
    systems = "systems"
    topics = "topics"


def tiers(
    scores: Annotated[str, typer.Argument(help="Scores of the systems: a file, a folder or a glob.")],
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    marginal: Annotated[
        bool, typer.Option("--marginal", help="The level holds for each system by itself, not for all together.")
    ] = False,
    borda: Annotated[
        bool, typer.Option("--borda", help="Rank by the mean of the ranks on each topic, not by the mean score.")
    ] = False,
    best: Annotated[int | None, typer.Option("--best", "-k", min=1, help="Who may be among the k best?")] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Number of resamples.")] = 9_999,
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
    """Show the ranks that each system may have, given the topics, and the tiers that can be told apart."""
    from ..ranks.bounds import rank_intervals

    check_plot(plot)
    if not 0 < level < 1:
        raise typer.BadParameter(f"--level is {level:g}: give a number above 0 and below 1, such as 0.95")
    with Notes(quiet):
        given = Reader(measure, missing, lower_is_better, systems, topics)(scores)
        refuse_single_systems([given])
        if best is not None and best > len(given.systems):
            raise typer.BadParameter(f"--best is {best}, and there are {len(given.systems)} systems")
        with Bar("resampling", quiet) as bar:
            found = rank_intervals(
                given,
                level,
                simultaneous=not marginal,
                aggregate="borda" if borda else "mean",
                n_resamples=resamples,
                rng=seed,
                workers=workers,
                progress=bar.update,
            )
    _print_tiers(found, best, format, None if html is None else Report(html, quiet))
    draw(plot, found.plot, format)


def _print_tiers(found: RankIntervals, best: int | None, format: Format, report: Report | None) -> None:
    from ..words import listing

    top = None if best is None else found.best(best)
    more = {} if top is None else {"best": {"k": top.k, "possible": top.possible, "certain": top.certain}}
    content = {**found.to_dict(), **more}
    if report is not None:
        content = report.write(content)
    if format is Format.json:
        say(to_json(content))
        return
    if format is not Format.table:
        rows = found.rows()
        print_table(Table.of(rows, decimals=4), format)
        return
    head, _, body = str(found).partition("\n\n")
    say(head)
    if top is not None:
        say(f"\n{top}\n  may be:    {listing(top.possible, 30)}\n  certainly: {listing(top.certain, 30) or 'none'}")
    say(f"\n{body}")


def explain(
    truth: Annotated[str, typer.Argument(help="Scores of the truth: a file, a folder or a glob.")],
    candidate: Annotated[str, typer.Argument(help="Scores to compare with it.")],
    coefficient: Annotated[str, typer.Option("--coefficient", "-c", help="The coefficient.")] = "tau_b",
    pair: Annotated[
        str | None, typer.Option(help="Two systems with a comma between: which topics drive their difference?")
    ] = None,
    by: Annotated[By, typer.Option(help="What csv, markdown, latex and --plot show.")] = By.pairs,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    plot: PlotOption = None,
    format: FormatOption = Format.table,
    quiet: QuietOption = False,
) -> None:
    """Show which pairs of systems and which topics make two rankings disagree."""
    from ..topics.explanation import explain as run

    check_plot(plot)
    name = known_coefficients([coefficient])[0]
    with Notes(quiet) as notes:
        read = Reader(measure, missing, lower_is_better, systems, topics)
        first, second = read.all([truth, candidate], quiet)
        refuse_single_systems([first, second])
        found = run(first, second, name)
        notes.hide(found.notes)
    if pair is not None:
        names = _two_systems(pair)
        _print_pair(found, names, format)
        draw(plot, lambda: found.plot_pair(*names), format)
        return
    kind: Kind = by.value
    if format is Format.json:
        say(to_json(found.to_dict()))
    elif format is Format.table:
        say(f"{_verdict(found)}\n\n{found}")
    else:
        rows = found.rows(kind)
        columns = list(rows[0]) if rows else [by.value]
        print_table(Table(columns, [list(row.values()) for row in rows], decimals=4), format)
    draw(plot, lambda: found.plot(kind), format)


def _verdict(found: Explanation) -> str:
    """The pairs and the topic that matter most, in words."""
    from ..words import counted

    swapped = sum(p.kind == "swapped" for p in found.pairs)
    parts = []
    if found.exact:
        parts.append(f"{counted(swapped, 'pair')} of systems swapped")
    if found.pairs:
        worst = found.pairs[0]
        parts.append(f"{worst.better} and {worst.worse} cost most ({worst.loss:.4f} of {found.loss:.4f})")
    if found.topics and found.topics[0].effect > 0:
        topic = found.topics[0]
        parts.append(f"without topic {topic.topic} {found.coefficient} would be {topic.without:.4f}")
    return "; ".join(parts) or "Nothing to explain"


def _two_systems(pair: str) -> tuple[str, str]:
    names = [name.strip() for name in pair.split(",")]
    if len(names) != 2:
        raise typer.BadParameter(f"--pair is {pair!r}: give two systems with a comma between")
    return names[0], names[1]


def _print_pair(found: Explanation, names: tuple[str, str], format: Format) -> None:
    from ..words import counted

    parts = found.topics_of(*names)
    if format is Format.json:
        rows = [{"topic": p.topic, "truth": p.truth, "candidate": p.candidate, "shift": p.shift} for p in parts]
        say(to_json({"pair": list(names), "topics": rows}))
        return
    shown = parts[:10] if format is Format.table else parts
    if format is Format.table:
        truth, candidate = sum(p.truth for p in parts), sum(p.candidate for p in parts)
        say(
            f"{names[0]} minus {names[1]}: {truth:+.4f} in the truth, {candidate:+.4f} candidate; "
            f"parts of {len(shown)} of {counted(len(parts), 'topic')}, the worst first\n"
        )
    print_table(
        Table(["topic", "truth", "candidate", "shift"], [[p.topic, p.truth, p.candidate, p.shift] for p in shown], 4),
        format,
    )
