"""The commands. Heavy imports stay inside them, so that `--help` answers at once."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from ..errors import ConcordantError, InputError
from .auditing import audit
from .comparing import compare, matrix
from .evaluating import evaluate
from .judging import compare_judges
from .judgments import app as judgments
from .options import (
    Format,
    FormatOption,
    LowerOption,
    MeasureOption,
    Missing,
    MissingOption,
    QuietOption,
    SeedOption,
    SystemsOption,
    TopicsOption,
    WorkersOption,
    writable,
)
from .ranks import explain, tiers
from .reading import Reader
from .reliability import plan, reliability
from .render import printable
from .reporting import report
from .simulation import simulate
from .studies import app as studies
from .terminal import Bar, Notes, abandon_output, in_options, print_table, say

DEMO_REPORT = "demo-report.html"


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """As usual; but Ctrl-C says so, in one line. Typer itself ends without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.stderr.write("interrupted\n")
            raise typer.Exit(130) from None


app = typer.Typer(
    name="concordant",
    cls=_Commands,
    help="Compare rankings of systems: do they agree, and does it matter?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__, has_native

        typer.echo(f"concordant {__version__}, {'native' if has_native else 'NumPy'} kernels")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Compare rankings of systems: do they agree, and does it matter?"""


app.command()(compare)
app.command()(matrix)
app.command()(compare_judges)
app.command()(audit)


@app.command()
def distribution(
    scores: Annotated[str, typer.Argument(help="Scores of the truth: a file, a folder or a glob.")],
    output: Annotated[Path, typer.Option("--output", "-o", callback=writable, help="The file to write, .npz.")],
    resamples: Annotated[int, typer.Option(min=1, help="Number of resamples.")] = 9_999,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Save the paper's bootstrap distribution of rank distances, to be used for many rankings of one collection."""
    from ..ranks.distribution import DistanceDistribution

    with Notes(quiet), Bar("resampling", quiet) as bar:
        truth = Reader(measure, missing, lower_is_better, systems, topics)(scores)
        made = DistanceDistribution.bootstrap(
            truth, n_resamples=resamples, rng=seed, workers=workers, progress=bar.update
        )
        made.save(output)
    say(f"{made}\nSaved: {output}")


app.command()(simulate)
app.add_typer(studies, name="study")
app.command()(evaluate)
app.add_typer(judgments, name="judgments")
app.command()(reliability)
app.command()(plan)
app.command()(tiers)
app.command()(explain)
app.command()(report)


@app.command()
def coefficients(format: FormatOption = Format.table) -> None:
    """List the coefficients and what is true of them."""
    from ..coefficients.registry import list_coefficients
    from .render import Table, to_json

    columns = ["name", "what it is", "ties in", "reads", "top-weighted", "symmetric", "paper"]
    rows: list[list[str]] = []
    for c in list_coefficients():
        ties = {0: "none", 2: "both"}.get(len(c.ties), "".join(c.ties[:1]))
        reads = "scores of truth" if c.reads == ("scores", "order") else c.reads[0]
        rows.append([c.name, c.summary, ties, reads, _yes(c.top_weighted), _yes(c.symmetric), c.reference])
    if format is Format.json:
        say(to_json([dict(zip(columns, row, strict=True)) for row in rows]))
    else:
        print_table(Table(columns, rows), format)


@app.command()
def cite(names: Annotated[list[str], typer.Argument(help="Coefficients, or keys of papers.")]) -> None:
    """Print BibTeX for the papers that define coefficients."""
    from ..references import bibliography

    try:
        say("\n\n".join(bibliography(names)))
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


@app.command()
def demo() -> None:
    """Show what concordant does, on a small simulated collection that comes with it."""
    from ..collection import path

    human, careful, hasty = (str(path(name)) for name in ("people", "careful", "hasty"))
    steps: list[tuple[str, list[str]]] = [
        (
            "Three judges scored the same 20 systems on 40 topics. Which machine ranks them as people do?",
            ["compare", human, careful, hasty],
        ),
        ("A closer look at the hasty one: all coefficients, and what its ties leave open.", ["compare", human, hasty]),
        ("Only the ten best systems: the top is harder.", ["compare", human, careful, hasty, "--top", "10"]),
        ("All against all.", ["matrix", human, careful, hasty, "-c", "tau_ap_b"]),
        ("For the paper.", ["compare", human, careful, hasty, "-c", "tau_b", "-c", "tau_ap_b", "--format", "latex"]),
        ("And whom to cite.", ["cite", "tau_ap_b"]),
        (
            "All of it in one file, to look at and to send.",
            ["compare", human, careful, hasty, "--format", "markdown", "--quiet", "--html", DEMO_REPORT],
        ),
    ]
    for k, (text, arguments) in enumerate(steps):
        if k:
            say("")
        say(text)
        shown = [Path(a).name if a.endswith(".csv") else a for a in arguments]
        say(f"$ concordant {' '.join(shown)}\n")
        if app(arguments, standalone_mode=False):  # interrupted
            raise typer.Exit(130)
    say(f"\nThe report is in {Path(DEMO_REPORT).resolve()}: open it in a browser.")


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def run() -> None:
    """The command line: exit status 0, 1 for bad data, 2 for bad usage; errors in one line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(standalone_mode=True)
    except ConcordantError as error:
        _fail(in_options(str(error)))
    except MemoryError:
        _fail("not enough memory")
    except OSError as error:
        abandon_output()
        _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))


def _fail(message: str) -> NoReturn:
    sys.stderr.write(printable("concordant: " + " ".join(message.split("\n"))) + "\n")
    sys.exit(1)
