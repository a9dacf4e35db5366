"""Print or write what a command found: as a table, JSON, CSV, Markdown, LaTeX, a report or a figure.

A command is a function that reads its inputs and returns one result, several, or an `Answer`. `answering` turns the
function into a command: its parameters become options. A parameter that is a dataclass, such as `Reader`, becomes a
group of options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import typer

from ..errors import InputError, require_extras
from ..render.outputs import FIGURE, REPORT
from .options import Random, described, writable
from .render import Rows, Table, to_csv, to_json, to_jsonl, to_latex, to_markdown
from .terminal import INTERRUPTED, Bar, Notes, give, say, tell, told

if TYPE_CHECKING:
    from ..data.results import Result

T = TypeVar("T")
Format = Literal["table", "json", "jsonl", "csv", "markdown", "latex"]
Found = Any
"""What a command returns: a `Result`, a list of them, an `Answer`, or None if it has printed everything."""


def drawable(path: Path | None) -> Path | None:
    """Check that a figure can be written, and that its file ending names a known format."""
    if path is not None:
        from ..render.figures.style import check_format

        try:
            check_format(path)
        except InputError as error:
            raise typer.BadParameter(str(error)) from None
    return writable(FIGURE)(path)


@dataclass(frozen=True, kw_only=True)
class Output:
    """What to print and write, and whether to show progress.

    Parameters
    ----------
    every
        Print every row, number and note.
    plot
        Also draw the answer, to a .pdf, .svg or .png file.
    format
        The format to print.
    html
        Also write a report, a single HTML file.
    open
        Open the report in a browser.
    quiet
        Print no notes and no progress on standard error.

    """

    PANEL: ClassVar = "Output"
    every: Annotated[bool, {"flags": ("--all",)}] = False
    plot: Annotated[Path | None, {"metavar": "FILE", "callback": drawable}] = None
    format: Format = "table"
    html: Annotated[Path | None, {"callback": writable(REPORT)}] = None
    open: bool = False
    quiet: bool = False

    def run(self, what: str, function: Callable[..., T], *given: Any, **how: Any) -> T:
        """Call a function that reports its progress, and show a progress bar."""
        with self.bar(what) as bar:
            return function(*given, **how, progress=bar.update)

    def bar(self, what: str) -> Bar:
        """Return a progress bar."""
        return Bar(what, self.quiet)


@dataclass(frozen=True)
class Answer:
    """What a command found, in each format; a format is made only when asked for."""

    text: Callable[[bool], str]
    """The text to print; with True, every row, number and note."""
    rows: Callable[[], Rows]
    """The rows for CSV."""
    content: Callable[[], Any]
    """The content for JSON."""
    plot: Callable[[], Any] | None = None
    result: Result | None = None
    """The result that the report shows."""
    printed: Callable[[], Rows] | None = None
    """The rows for Markdown and LaTeX; by default `rows`."""
    notes: tuple[str, ...] = ()
    status: int = 0
    """The exit status: 1 if the answer is that a file cannot be read, 3 if --at-least is not met."""
    write: Callable[[], str] | None = None
    """Write what --output asks for, and return a line that names the file."""

    @classmethod
    def of(cls, found: Result | Sequence[Result]) -> Answer:
        """Make the answer for one result, or for several printed one below the other."""
        if not isinstance(found, Sequence):
            about: Any = {"result": found, "notes": tuple(found.notes)}
            if printed := getattr(type(found), "printed", None):
                about["printed"] = partial(printed, found)
            text = lambda every: found.text(every=every, more="--all")  # noqa: E731
            return cls(text, found.rows, found.to_dict, found.plot, **about)
        return cls(
            lambda every: "\n\n".join(one.text(every=every, more="--all") for one in found),
            lambda: [row for one in found for row in one.rows()],
            lambda: [one.to_dict() for one in found],
            notes=tuple(note for one in found for note in one.notes),
        )


def answering(
    *, plot: bool = False, html: bool = False, without: Collection[str] = ()
) -> Callable[[Callable[..., Found]], Callable[..., None]]:
    """Turn a function into a command: unfold its groups of options, and print what it returns.

    Parameters
    ----------
    plot, html : bool
        Whether the command can draw a figure, and whether it can write a report.
    without : collection of str
        Options of the groups that this command lacks.

    """
    hidden = {*without, *(name for name, there in (("plot", plot), ("html", html), ("open", html)) if not there)}

    def decorate(function: Callable[..., Found]) -> Callable[..., None]:
        options: dict[str, inspect.Parameter] = {}
        groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
        for name, parameter in described(function).items():
            kind: Any = parameter.annotation
            if not (isinstance(kind, type) and is_dataclass(kind)):
                options[name] = parameter
                continue
            its = {o: p.replace(default=parameter.default.get(o, p.default)) for o, p in described(kind).items()}
            unused = [o for o, p in its.items() if o in hidden or (kind is Random and p.default is p.empty)]
            absent: dict[str, Any] = dict.fromkeys(unused) if kind is Random else {}
            groups[name] = partial(kind, **absent), [o for o in its if o not in unused]
            options |= {o: its[o] for o in groups[name][1]}

        def command(**given: Any) -> None:
            made = {name: group(**{o: given.pop(o) for o in its}) for name, (group, its) in groups.items()}
            out = next((group for group in made.values() if isinstance(group, Output)), Output())
            if out.open and out.html is None:
                raise typer.BadParameter("--open opens a report: name its file with --html")
            if out.plot is not None:  # fail before the computation, not after it
                require_extras("matplotlib")
            with Notes(out.quiet) as notes:
                found = function(**made, **given)
                answer = found if isinstance(found, Answer | None) else Answer.of(found)
                notes.answered(answer.notes if answer else ())
            if answer is not None:
                with Notes(out.quiet):
                    _give(answer, out, notes.seen)
                if answer.status:
                    raise typer.Exit(answer.status)

        command.__name__, command.__module__ = function.__name__, function.__module__
        command.__doc__ = (function.__doc__ or "").partition("Parameters\n")[0]
        command.__signature__ = inspect.Signature(list(options.values()))  # type: ignore[attr-defined]
        command.__annotations__ = {name: parameter.annotation for name, parameter in options.items()}
        return command

    return decorate


def _give(answer: Answer, out: Output, read_notes: list[str]) -> None:
    """Print first, then write: if one file cannot be written, the answer and the other files still come out."""

    def show() -> None:
        if out.format == "json":
            give(to_json(_noted(answer.content(), read_notes)))
        elif out.format == "table":
            say(answer.text(out.every), verdict=True)
        elif out.format == "jsonl":
            give(to_jsonl(answer.rows()))
        elif out.format == "csv":
            give(to_csv(Table.of(answer.rows())))
        else:
            table = Table.of((answer.printed or answer.rows)())
            give(to_markdown(table) if out.format == "markdown" else to_latex(table))

    def write(make: Callable[[], str]) -> None:
        made = make()
        if out.format == "table":
            say(f"\n{made}")

    steps = [show]
    if answer.write is not None:
        steps.append(partial(write, answer.write))
    if (page := out.html) is not None:
        steps.append(lambda: _write_page(answer, page, out))
    if out.plot is not None and answer.plot is not None:
        steps.append(partial(write, partial(_draw, answer.plot, out.plot)))
    status = 0
    for step in steps:
        try:
            with told():
                step()
        except typer.Exit as end:
            if end.exit_code == INTERRUPTED:
                raise
            status = status or end.exit_code
    if status:
        raise typer.Exit(status)


def _noted(content: Any, notes: list[str]) -> Any:
    """Add the notes from reading the files to the JSON of each result."""
    if isinstance(content, list):
        return [_noted(part, notes) for part in content]
    if "comparisons" in content:
        return {**content, "comparisons": _noted(content["comparisons"], notes)}
    return {**content, "read_notes": notes} if "settings" in content else content


def _draw(plot: Callable[[], Any], path: Path) -> str:
    from ..errors import import_extra
    from ..render.figures.style import figure_of, save

    pyplot = import_extra("matplotlib.pyplot")
    pyplot.switch_backend("agg")  # opens no window, whichever backends are installed
    drawn = plot()
    save(drawn, path)
    pyplot.close(figure_of(drawn))
    return f"Figure: {path}"


def _write_page(answer: Answer, path: Path, out: Output) -> None:
    """Write the report, and print its path."""
    assert answer.result is not None
    with out.bar("writing the report"):
        answer.result.report(path)
    if not out.quiet:
        tell(f"Report: {path}")
    if out.open:
        typer.launch(path.resolve().as_uri())
