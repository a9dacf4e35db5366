"""`concordant study`: long runs that can be stopped and continued."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from .options import (
    Format,
    FormatOption,
    HighestOption,
    LowestOption,
    MeasureOption,
    Missing,
    MissingOption,
    QuietOption,
)
from .reading import Reader, labels_of
from .terminal import Bar, Notes, print_table, say

app = typer.Typer(
    help="Run a study: many trials, in parallel, that can be stopped and continued.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _root() -> None:
    """Run a study: many trials, in parallel, that can be stopped and continued."""


@app.command()
def reliability(
    collections: Annotated[list[str], typer.Argument(help="Scores of collections, a file, folder or glob each.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for what is done, table and figures.")],
    trials: Annotated[int, typer.Option(min=1, help="Simulated collections of each size, from each original.")] = 1_000,
    sizes: Annotated[
        str, typer.Option(help="Numbers of topics, with commas between, or FIRST:LAST:STEP.")
    ] = "10:100:10",
    drop_bottom: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out the systems below this quantile of the means.")
    ] = 0.25,
    exact_means: Annotated[
        bool, typer.Option("--exact-means", help="Make the original means the exact truth, unlike the paper.")
    ] = False,
    lowest: LowestOption = 0.0,
    highest: HighestOption = 1.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the study.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run on instead.")] = None,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    format: FormatOption = Format.table,
    quiet: QuietOption = False,
) -> None:
    """Measure error and bias of the estimators of expected correlation, as Urbano and Marrero did (2016).

    Stop it at any time; the same command continues.
    """
    from ..study.reliability import reliability_study
    from .render import Table, to_json

    wanted = _sizes(sizes)
    signal.signal(
        signal.SIGTERM, signal.default_int_handler
    )  # a scheduler's kill ends the workers, too, as Ctrl-C does
    with Notes(quiet):
        names = _names(collections)
        read = Reader(measure, missing, False, None, None).all(collections, quiet)
        lines = Lines("trials", quiet)
        with Bar("trials", quiet) as bar:

            def progress(done: int, total: int) -> None:
                bar.update(done, total)
                lines.update(done, total)

            try:
                study = reliability_study(
                    dict(zip(names, read, strict=True)),
                    n_trials=trials,
                    sizes=wanted,
                    drop_bottom=drop_bottom,
                    exact_means=exact_means,
                    bounds=(lowest, highest),
                    rng=seed,
                    folder=output,
                    workers=workers,
                    dask=dask,
                    progress=progress,
                )
            except KeyboardInterrupt:
                sys.stderr.write(f"stopped; what is done is kept in {output}, and the same command continues\n")
                raise
        written = study.save(output)
    if format is Format.json:
        say(to_json(study.to_dict()))
        return
    rows = study.summary() if format is Format.table else study.rows()
    if format is Format.table:
        say(f"{study.verdict()}\n")
    print_table(Table.of(rows, decimals=4), format)
    if format is Format.table:
        say(f"\nMeans over all sizes and collections. Every cell, and the figures: {', '.join(map(str, written))}")
        if study.cost["computed"]:
            each = study.cost["cpu_seconds"] / study.cost["computed"]
            say(
                f"{study.cost['computed']:,} trials in {_duration(study.cost['seconds'])}, "
                f"{1000 * each:.0f} ms of processor time each"
            )


class Lines:
    """Progress in lines, one a minute, where standard error is no terminal: a file that somebody looks into."""

    def __init__(self, what: str, quiet: bool, every: float = 60.0) -> None:
        self.what = what
        self.silent = quiet or sys.stderr.isatty()
        self.every = every
        self.start = self.last = time.monotonic()
        self.first: int | None = None

    def update(self, done: int, total: int) -> None:
        """Say how far it is, and how long it will take at the speed of this run."""
        self.first = done if self.first is None else self.first
        now = time.monotonic()
        if self.silent or now - self.last < self.every or done == self.first:
            return
        self.last = now
        left = (now - self.start) / (done - self.first) * (total - done)
        sys.stderr.write(f"{done:,} of {total:,} {self.what}, {_duration(left)} left\n")
        sys.stderr.flush()


def _names(paths: list[str]) -> list[str]:
    """What the files are called without their endings, or, where that is not enough, with their folders."""
    labels = labels_of(paths)
    stems = [Path(label).stem for label in labels]
    return stems if len(set(stems)) == len(stems) else labels


def _sizes(text: str) -> list[int]:
    try:
        if ":" in text:
            first, last, step = (int(part) for part in text.split(":"))
            return list(range(first, last + 1, step))
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--sizes is {text!r}: give numbers such as 10,20,50, or 10:100:10") from None


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
