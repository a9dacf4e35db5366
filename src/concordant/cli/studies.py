"""`concordant study`: long runs that can be stopped and continued."""

from __future__ import annotations

import signal
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from .answer import Answer, Found, Output, answering
from .options import Commands, DropOption, ProcessesOption, SeedOption, Simulation, writable_folder
from .reading import Reader
from .terminal import duration, tell

app = Commands(
    help="Run a study that can be stopped and continued.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _root() -> None:
    """Run a study that can be stopped and continued."""


@app.command()
@answering(without=("lower_is_better", "systems", "topics", "types", "total"))
def reliability(
    collections: Annotated[
        list[str], typer.Argument(metavar="SCORES", help="Scores of collections, a file, folder or glob each.")
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", callback=writable_folder, help="The folder for what is done, table and figures."
        ),
    ],
    trials: Annotated[int, typer.Option(min=1, help="Simulated collections of each size, from each original.")] = 1_000,
    sizes: Annotated[
        str, typer.Option(help="Numbers of topics, separated by commas, or FIRST:LAST:STEP.")
    ] = "10:100:10",
    drop_bottom: DropOption = 0.25,
    simulation: Simulation,
    seed: SeedOption = 0,
    workers: ProcessesOption = 1,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run on instead.")] = None,
    read: Reader,
    out: Output,
) -> Found:
    """Measure error and bias of the estimators of expected correlation.

    As Urbano and Marrero did (2016). Stop it at any time; the same command continues.

    Example: concordant study reliability adhoc6.csv adhoc7.csv adhoc8.csv -o study
    """
    from ..study.execution import executor_at
    from ..study.reliability import reliability_study

    wanted = _sizes(sizes)
    # A scheduler's kill ends the workers, too, as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    given = dict(zip(read.labels(collections), read.sides(collections, out.quiet), strict=True))
    with out.bar("trials") as bar:
        try:
            with nullcontext(workers) if dask is None else executor_at(dask) as runs_on:
                study = reliability_study(
                    given,
                    n_trials=trials,
                    sizes=wanted,
                    drop_bottom=drop_bottom,
                    exact_means=simulation.exact_means,
                    bounds=(simulation.lowest, simulation.highest),
                    rng=seed,
                    folder=output,
                    workers=runs_on,
                    progress=bar.update,
                )
        except KeyboardInterrupt:
            tell(f"stopped; what is done is kept in {output}, and the same command continues")
            raise

    def text(every: bool) -> str:
        lines = [f"{study}\n", "Means over all sizes and collections."]
        if computed := study.cost["computed"]:
            each = 1000 * study.cost["cpu_seconds"] / computed
            took = duration(study.cost["seconds"])
            lines.append(f"{computed:,} trials in {took}, {each:.0f} ms of processor time each")
        return "\n".join(lines)

    def write() -> str:
        written = study.save(output)
        drawn = ", and the figures" if any(path.suffix == ".png" for path in written) else ""
        return f"Every cell{drawn}: {', '.join(map(str, written))}"

    return replace(Answer.of(study), text=text, printed=study.summary, write=write)


def _sizes(text: str) -> list[int]:
    try:
        if ":" in text:
            first, last, step = (int(part) for part in text.split(":"))
            return list(range(first, last + 1, step))
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--sizes is {text!r}: give numbers such as 10,20,50, or 10:100:10") from None
