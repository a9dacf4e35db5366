"""`concordant evaluate`: runs scored under judgments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Format, FormatOption, Missing, MissingOption, QuietOption, writable
from .terminal import Notes, print_table, say

if TYPE_CHECKING:
    from ..judgments.qrels import Qrels
    from ..judgments.runs import Runs

RunsArgument = Annotated[str, typer.Argument(help="The runs: a folder or a glob.")]
MeasuresOption = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", help="A measure, such as nDCG@10 or AP(rel=2); may be given several times."),
]
DEFAULT = ("nDCG@10", "AP")


def evaluate(
    runs: RunsArgument,
    qrels: Annotated[Path, typer.Argument(help="The judgments, in TREC's format.")],
    measure: MeasuresOption = None,
    missing: MissingOption = Missing.error,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="A row for each topic, system and measure.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", callback=writable, help="Also write topics x systems to this CSV file, full precision."
        ),
    ] = None,
    format: FormatOption = Format.table,
    quiet: QuietOption = False,
) -> None:
    """Score all runs under the judgments, as trec_eval does; the best by the first measure first."""
    from ..judgments.evaluation import evaluate_all
    from .render import Table, to_json

    if output is not None and len(measure or DEFAULT) != 1:
        raise typer.BadParameter("--output writes one measure: give one with -m")
    with Notes(quiet):
        found = evaluate_all(*read(runs, qrels), measure or DEFAULT, missing=missing.value)
    first = next(iter(found.values()))
    if output is not None:
        _write_matrix(first, output)
    if format is Format.json:
        content = {
            name: {
                "topics": list(scores.topics),
                "systems": list(scores.systems),
                "means": scores.means().tolist(),
                "values": scores.values.tolist(),
            }
            for name, scores in found.items()
        }
        say(to_json(content))
        return
    if per_topic:
        rows: list[list[Any]] = [
            [topic, system, name, float(scores.values[i, j])]
            for name, scores in found.items()
            for i, topic in enumerate(scores.topics)
            for j, system in enumerate(scores.systems)
        ]
        print_table(Table(["topic", "system", "measure", "value"], rows, decimals=4), format)
        return
    if format is Format.table:
        say(f"{len(first.systems)} systems, {len(first.topics)} topics; means, best by {first.measure} first\n")
    means = {name: scores.means() for name, scores in found.items()}
    order = sorted(range(len(first.systems)), key=lambda j: -means[first.measure][j])
    table: list[list[Any]] = [[first.systems[j], *(float(values[j]) for values in means.values())] for j in order]
    print_table(Table(["system", *means], table, decimals=4), format)


def read(runs: str, qrels: Path) -> tuple[Runs, Qrels]:
    from ..read import read_qrels, read_runs

    return read_runs(runs), read_qrels(qrels)


def read_noting(runs: str, qrels: Path, quiet: bool) -> tuple[Runs, Qrels]:
    with Notes(quiet):
        return read(runs, qrels)


def _write_matrix(scores: Any, path: Path) -> None:
    from ..files import written_whole
    from .render import Table, to_csv

    rows = [[topic, *map(float, row)] for topic, row in zip(scores.topics, scores.values, strict=True)]
    with written_whole(path) as file:
        file.write((to_csv(Table(["topic", *scores.systems], rows)) + "\n").encode())
