"""The commands of the command line. They import heavy modules late, so that `--help` answers at once."""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..errors import InputError
from .answer import Answer, Found, Output, answering
from .boards import board, votes
from .comparing import audit, compare, explain
from .judgments import app as judgments
from .judgments import evaluate, label
from .options import Commands, Reader, writable_folder
from .terminal import give, next_steps, say, told
from .topics import combine, plan, select
from .topics import study as studies

DEMO_REPORT = "demo-report.html"
FILES = "Files and help"
GUIDE = """\
Does another judge, measure or pool rank the systems alike?
  concordant compare people.csv gpt.csv
Which ranks of a leaderboard are real?
  concordant board scores.csv
How many topics are enough?
  concordant plan scores.csv
How do runs score under qrels?
  concordant evaluate runs/ qrels.txt -m map
How will a file be read?
  concordant look scores.csv

Try it on example files: concordant demo. All commands: concordant --help"""


def _summary(command: Any) -> str:
    return str(command.help).split("\n\n", maxsplit=1)[0].replace("\n", " ")


class _Commands(TyperGroup):
    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands in groups, each with its full summary."""
        widest = max(map(len, self.commands))
        groups: dict[str, list[tuple[str, str]]] = {}
        command: Any
        for name, command in self.commands.items():
            groups.setdefault(command.rich_help_panel, []).append((name.ljust(widest), _summary(command)))
        for group, rows in groups.items():
            with formatter.section(group):
                formatter.write_dl(rows)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse as usual (which also answers --help and --version), and keep the user's arguments for reports."""
        ctx.meta["arguments"] = list(args)
        with told():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and print each error on one line."""
        with told():
            return super().invoke(ctx)


app = Commands(
    name="concordant",
    cls=_Commands,
    help="Compare rankings of systems: do they agree, and does it matter?",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__, has_native

        say(f"concordant {__version__}, {'native' if has_native else 'NumPy'} kernels")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Compare rankings of systems: do they agree, and does it matter?"""
    if ctx.invoked_subcommand is None:
        say(GUIDE)


@answering(without=("missing", "lower_is_better", "groups", "types", "total"))
def look(file: list[str], *, read: Reader, out: Output) -> Found:
    """Show how files would be read.

    Prints each file's format, orientation, systems, topics, measures and missing scores, and what to try next.
    The exit status is 1 if a file cannot be read as it is.

    Example: concordant look people.csv

    Parameters
    ----------
    file
        Files, folders or quoted patterns: PATH[:MEASURE][:lower].

    """
    from ..judgments.label import is_label_list, read_labels
    from ..read import look as run
    from ..read import parse_side

    columns: Any = {
        name: getattr(read, name) for name in ("topic_column", "system_column", "score_column", "run_column")
    }
    how: Any = {**columns, **read.wanted()}
    found: list[Any] = []
    for side in [parse_side(given) for given in file]:
        if is_label_list(side.path):
            found.append(read_labels(side.path))
            continue
        with out.bar("reading"):
            found.append(run(side.path, side.measure or read.measure, side.lower_is_better, **how))
    made = Answer.of(found)
    commands = [shlex.split(one.next_command)[1:] for one in found if getattr(one, "next_command", "")]
    if commands:
        shown = made.text
        made = replace(made, text=lambda every: f"{shown(every)}\n\n{next_steps(commands)}")
    return replace(made, status=int(any(getattr(one, "problem", None) for one in found)))


@answering()
def coefficients(*, out: Output) -> Found:
    """List the coefficients and their properties.

    Example: concordant coefficients --format markdown
    """
    from ..coefficients.registry import list_coefficients

    yes = {True: "yes", False: "no"}
    rows = [
        {
            "name": c.name,
            "what it is": c.summary,
            "ties in": {0: "none", 2: "both"}.get(len(c.ties), "".join(c.ties[:1])),
            "reads": "scores of truth" if c.reads == ("scores", "order") else c.reads[0],
            "top-weighted": yes[c.top_weighted],
            "symmetric": yes[c.symmetric],
            "paper": c.reference,
        }
        for c in list_coefficients()
    ]
    return Answer.table("", rows)


@answering()
def cite(name: list[str]) -> None:
    """Print BibTeX for coefficients and papers.

    Example: concordant cite tau_ap_b rank_test

    Parameters
    ----------
    name
        Coefficients, functions, or keys of papers.

    """
    from ..render.references import bibliography

    try:
        give("\n\n".join(bibliography(name)))
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


@answering()
def demo(*, save: Annotated[Path | None, {"metavar": "FOLDER", "callback": writable_folder}] = None) -> None:
    """Show what concordant does, on example files.

    Example: concordant demo --save .

    Parameters
    ----------
    save
        Only copy the example files into this folder.

    """
    from ..data.collection import path

    if save is not None:
        _save_collection(save)
        return
    human, careful, hasty = (f"{name}.csv" for name in ("people", "careful", "hasty"))
    page, folder = str(Path(DEMO_REPORT).resolve()), path("people").parent
    steps: list[tuple[str, list[str]]] = [
        (
            "People and a careful machine scored the same 20 systems on 40 topics. Is the machine good enough?",
            ["compare", human, careful],
        ),
        (
            "A hasty machine scored them, too. Which machine ranks the systems more like people?",
            ["compare", human, careful, hasty],
        ),
        ("Which systems and topics make the hasty one disagree?", ["explain", human, hasty]),
        ("Which ranks are real?", ["board", human]),
        ("How many topics are enough?", ["plan", human]),
        ("Print the table for a paper.", ["compare", human, careful, hasty, "--format", "latex"]),
        ("Cite the coefficient.", ["cite", "tau_ap_b"]),
        (
            "Put everything into one file that you can open and send.",
            ["compare", human, careful, hasty, "--format", "markdown", "--quiet", "--html", page],
        ),
    ]
    for k, (text, arguments) in enumerate(steps):
        if k:
            say("")
        say(text)
        say(f"$ concordant {shlex.join(DEMO_REPORT if a == page else a for a in arguments)}\n")
        with contextlib.chdir(folder):  # so that each command names the files without a folder
            failed = app(arguments, standalone_mode=False)
        if failed:
            raise typer.Exit(failed)
    say(f"\nThe report is in {page}: open it in a browser.")


def _save_collection(folder: Path) -> None:
    """Copy the example files into a folder; never overwrite a file."""
    from ..data.collection import NAMES, path
    from ..render.outputs import written_whole

    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        there = folder / f"{name}.csv"
        if there.exists():
            raise InputError(f"{there} already exists: choose another folder")
    for name in NAMES:
        with written_whole(folder / f"{name}.csv") as file:
            file.write(path(name).read_bytes())
    where = "" if folder.resolve() == Path.cwd() else f"$ cd {shlex.quote(str(folder))}\n"
    say(
        f"people.csv, careful.csv and hasty.csv: 20 systems on 40 topics, by three judges. Try\n{where}"
        "$ concordant compare people.csv careful.csv\n$ concordant compare people.csv careful.csv hasty.csv"
    )


for group, commands in (
    ("Compare", (compare, explain, audit)),
    ("Ranks and boards", (board, votes)),
    ("Topics", (plan, select, combine)),
    ("Judgments", (label, evaluate)),
    (FILES, (look, coefficients, cite, demo)),
):
    for command in commands:
        app.command(rich_help_panel=group)(command)
app.add_typer(studies, name="study", rich_help_panel="Topics")
app.add_typer(judgments, name="judgments", rich_help_panel="Judgments")


def run() -> None:
    """Run the command line; exit with 0 after success, with 1 for bad data, or with 2 for bad usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(standalone_mode=True)
