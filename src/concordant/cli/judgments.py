"""`concordant judgments`: the same runs under changed judgments."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError
from .evaluating import MeasuresOption, RunsArgument, read_noting
from .judgment_answers import Asked, answer, print_each_out
from .options import (
    CoefficientsOption,
    Format,
    FormatOption,
    HtmlOption,
    Missing,
    MissingOption,
    QuietOption,
    SeedOption,
    WorkersOption,
)
from .reading import labels_of, names_of
from .reporting import Report
from .terminal import Bar, Notes, say

app = typer.Typer(
    help="Change the judgments, and see what happens to the ranking of systems.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _root() -> None:
    """Change the judgments, and see what happens to the ranking of systems."""


QrelsArgument = Annotated[Path, typer.Argument(help="The full judgments, in TREC's format.")]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="A folder for what is done, to continue there, and for tables and the figure."),
]
DrawsOption = Annotated[int, typer.Option(min=1, help="Random draws of each level.")]
ResamplesOption = Annotated[int, typer.Option(min=1, help="Resamples of topics, for p-values.")]
ProcessesOption = Annotated[int, typer.Option(min=1, help="Processes.")]
ContributingOption = Annotated[
    str | None, typer.Option(help="The runs that form the pool: names with commas between, or @FILE; default: all.")
]


@app.command()
def pool(
    runs: RunsArgument,
    qrels: QrelsArgument,
    depths: Annotated[str, typer.Option(help="Depths of the pool, with commas between.")] = "1,2,3,5,10",
    contributing: ContributingOption = None,
    measure: MeasuresOption = None,
    coefficient: CoefficientsOption = None,
    missing: MissingOption = Missing.error,
    resamples: ResamplesOption = 1_000,
    seed: SeedOption = 0,
    output: OutputOption = None,
    format: FormatOption = Format.table,
    html: HtmlOption = None,
    quiet: QuietOption = False,
) -> None:
    """Judge only the first k documents of each run (Yilmaz et al. 2008, figures 1 and 2)."""
    from ..judgments import Change

    options = {} if contributing is None else {"contributing": names_of(contributing, "--contributing")}
    changes = [Change("depth_pool", k, **options) for k in _numbers(depths, "--depths", int)]
    asked = Asked(measure, coefficient, missing, 1, resamples, seed, 1, output, quiet, html)
    answer(asked.study(*read_noting(runs, qrels, quiet), changes), format, asked)


@app.command()
def sample(
    runs: RunsArgument,
    qrels: QrelsArgument,
    shares: Annotated[
        str, typer.Option(help="Shares of the judgments, with commas between.")
    ] = "0.01,0.05,0.1,0.25,0.5",
    rel: Annotated[float | None, typer.Option(help="The lowest relevant grade; default 1.")] = None,
    draws: DrawsOption = 20,
    measure: MeasuresOption = None,
    coefficient: CoefficientsOption = None,
    missing: MissingOption = Missing.error,
    resamples: ResamplesOption = 1_000,
    seed: SeedOption = 0,
    workers: ProcessesOption = 1,
    output: OutputOption = None,
    format: FormatOption = Format.table,
    html: HtmlOption = None,
    quiet: QuietOption = False,
) -> None:
    """Keep a random share of the judgments (Buckley and Voorhees 2004; Carterette 2009, figure 4)."""
    from ..judgments import Change

    changes = [Change("sample", share, rel=rel) for share in _numbers(shares, "--shares", float)]
    asked = Asked(measure, coefficient, missing, draws, resamples, seed, workers, output, quiet, html)
    answer(asked.study(*read_noting(runs, qrels, quiet), changes), format, asked)


@app.command()
def pseudo(
    runs: RunsArgument,
    qrels: QrelsArgument,
    depths: Annotated[str, typer.Option(help="Depths of the pool, with commas between.")] = "10,50,100",
    share: Annotated[float, typer.Option(help="Mean share of the pool that is relevant.")] = 0.1,
    spread: Annotated[float, typer.Option(help="Its standard deviation over topics.")] = 0.0,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Documents that more runs have are likelier to be relevant.")
    ] = False,
    draws: DrawsOption = 20,
    measure: MeasuresOption = None,
    coefficient: CoefficientsOption = None,
    missing: MissingOption = Missing.error,
    resamples: ResamplesOption = 1_000,
    seed: SeedOption = 0,
    workers: ProcessesOption = 1,
    output: OutputOption = None,
    format: FormatOption = Format.table,
    html: HtmlOption = None,
    quiet: QuietOption = False,
) -> None:
    """Call random documents of the pool relevant (Soboroff et al. 2001)."""
    from ..judgments import Change

    changes = [
        Change("pseudo", k, share=share, spread=spread, duplicates=duplicates)
        for k in _numbers(depths, "--depths", int)
    ]
    asked = Asked(measure, coefficient, missing, draws, resamples, seed, workers, output, quiet, html)
    answer(asked.study(*read_noting(runs, qrels, quiet), changes), format, asked)


@app.command("single-run")
def single_run(
    runs: RunsArgument,
    qrels: QrelsArgument,
    names: Annotated[
        str | None, typer.Option(help="Runs to take the judged documents from, one by one, or @FILE; default: each.")
    ] = None,
    measure: MeasuresOption = None,
    coefficient: CoefficientsOption = None,
    missing: MissingOption = Missing.error,
    resamples: ResamplesOption = 1_000,
    seed: SeedOption = 0,
    output: OutputOption = None,
    format: FormatOption = Format.table,
    html: HtmlOption = None,
    quiet: QuietOption = False,
) -> None:
    """Keep the judgments of what one run retrieved (Sanderson and Joho 2004; Yilmaz et al. 2008, figure 5)."""
    from ..judgments import Change

    read, judged = read_noting(runs, qrels, quiet)
    wanted = list(read.systems) if names is None else names_of(names, "--names")
    asked = Asked(measure, coefficient, missing, 1, resamples, seed, 1, output, quiet, html)
    answer(asked.study(read, judged, [Change("from_runs", name) for name in wanted or ()]), format, asked)


@app.command("leave-out")
def leave_out(
    runs: RunsArgument,
    qrels: QrelsArgument,
    teams: Annotated[Path, typer.Option(help="A CSV file with columns run and team.")],
    depth: Annotated[
        int | None, typer.Option(min=1, help="Depth of the pool; default: all that was retrieved.")
    ] = None,
    contributing: ContributingOption = None,
    measure: MeasuresOption = None,
    coefficient: CoefficientsOption = None,
    missing: MissingOption = Missing.error,
    resamples: ResamplesOption = 1_000,
    seed: SeedOption = 0,
    output: OutputOption = None,
    format: FormatOption = Format.table,
    html: HtmlOption = None,
    quiet: QuietOption = False,
) -> None:
    """Leave out what one team alone pooled, team by team; and score each system without its own team's share."""
    from ..judgments import Change
    from ..judgments.teams import teams_of

    read, judged = read_noting(runs, qrels, quiet)
    owners = _owners(teams)
    if contributing is not None:
        pooled = names_of(contributing, "--contributing") or []
        lost = [name for name in pooled if name not in owners]
        if lost:
            raise InputError(f"{teams} has no team for {lost[0]!r}")
        owners = {name: owners[name] for name in pooled}
    of = teams_of(owners, read)
    changes = [Change("leave_out", team, teams=of, k=depth) for team in of]
    asked = Asked(measure, coefficient, missing, 1, resamples, seed, 1, output, quiet, html)
    study = asked.study(read, judged, changes)
    answer(study, format, asked)
    if format is Format.table:
        say("\nEach system without what its own team alone pooled, against all judgments:")
        print_each_out(read, judged, of, depth, study, missing)


@app.command()
def mix(
    runs: RunsArgument,
    qrels: QrelsArgument,
    machine: Annotated[Path, typer.Argument(help="The other judge's judgments.")],
    shares: Annotated[str, typer.Option(help="Shares that it replaces, with commas between.")] = "0.1,0.25,0.5,0.75,1",
    draws: DrawsOption = 20,
    measure: MeasuresOption = None,
    coefficient: CoefficientsOption = None,
    missing: MissingOption = Missing.error,
    resamples: ResamplesOption = 1_000,
    seed: SeedOption = 0,
    workers: ProcessesOption = 1,
    output: OutputOption = None,
    format: FormatOption = Format.table,
    html: HtmlOption = None,
    quiet: QuietOption = False,
) -> None:
    """Replace a random share of the grades by another judge's."""
    from ..judgments import Change
    from ..read import read_qrels

    read, judged = read_noting(runs, qrels, quiet)
    with Notes(quiet):
        other = read_qrels(machine)
    changes = [Change("mix", share, machine=other) for share in _numbers(shares, "--shares", float)]
    asked = Asked(measure, coefficient, missing, draws, resamples, seed, workers, output, quiet, html)
    answer(asked.study(read, judged, changes), format, asked)


@app.command()
def judges(
    runs: RunsArgument,
    qrels: Annotated[Path, typer.Argument(help="The judgments of the truth.")],
    others: Annotated[list[Path], typer.Argument(help="The judgments of other judges, a file each.")],
    rel: Annotated[
        float | None, typer.Option(help="Compare labels only by whether grades are at least this, on all sides.")
    ] = None,
    measure: MeasuresOption = None,
    coefficient: CoefficientsOption = None,
    missing: MissingOption = Missing.error,
    resamples: Annotated[int, typer.Option(min=500, help="Resamples of topics, for intervals and tests.")] = 4_999,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A folder for tables and the figure.")] = None,
    format: FormatOption = Format.table,
    html: HtmlOption = None,
    quiet: QuietOption = False,
) -> None:
    """Compare judges: do they rank the systems alike, and do they give the same grades?"""
    from ..judgments.evaluation import parse_all
    from ..read import read_qrels
    from ..study.judges import judge_study
    from .judgment_answers import print_judges
    from .reading import known_coefficients

    read, truth = read_noting(runs, qrels, quiet)
    wanted = known_coefficients(coefficient) if coefficient else ["tau_b", "tau_ap_b"]
    measures = [str(found) for found in parse_all(measure or ["nDCG@10"])]
    with Notes(quiet), Bar("judges", quiet) as bar:
        labels = [label.removesuffix(".gz").removesuffix(".txt") for label in labels_of([str(path) for path in others])]
        study = judge_study(
            read,
            truth,
            {label: read_qrels(path) for label, path in zip(labels, others, strict=True)},
            measures,
            wanted,
            seed,
            rel=rel,
            n_resamples=resamples,
            missing=missing.value,
            workers=workers,
            progress=bar.update,
        )
    if output is not None:
        study.save(output)
    print_judges(study, format, None if html is None else Report(html, quiet).write(study))


def _numbers(text: str, option: str, kind: type[int] | type[float]) -> list[Any]:
    try:
        return list(dict.fromkeys(kind(part) for part in text.split(",")))
    except ValueError:
        raise typer.BadParameter(f"{option} is {text!r}: give numbers with commas between") from None


def _owners(path: Path) -> dict[str, str]:
    """{run: team} from a CSV file with these columns."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8: convert it, for instance with iconv") from None
    if not rows or not {"run", "team"} <= set(rows[0]):
        raise InputError(f"{path} has no columns named run and team")
    owners: dict[str, str] = {}
    for row in rows:
        if owners.setdefault(row["run"], row["team"]) != row["team"]:
            raise InputError(f"{path} has two teams for run {row['run']!r}: {owners[row['run']]} and {row['team']}")
    return owners
