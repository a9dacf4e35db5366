"""Print or write what a command found: as a table, JSON, CSV, Markdown, LaTeX, a report or a figure.

A command is a function that reads its inputs and returns one result, several results, or an `Answer`. `answering` turns
the function into a command: its parameters become options. A parameter that is a dataclass, such as `Reader`, becomes a
group of options.

This file also writes tables as text: for the terminal, for programs (in full precision) and for papers.
"""

from __future__ import annotations

import csv
import inspect
import io
import json
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import typer

from ..errors import one_line, p_cell, printable, require_extras
from ..render.outputs import FIGURE, REPORT
from .options import Random, described, writable
from .terminal import INTERRUPTED, Bar, Notes, give, say, tell, told

if TYPE_CHECKING:
    from ..data.results import Result

T = TypeVar("T")
Format = Literal["table", "json", "jsonl", "csv", "markdown", "latex"]
Found = Any
"""What a command returns: a `Result`, a list of them, an `Answer`, or None if it has printed everything."""


def known_format(path: Path) -> None:
    """Check that a figure's file has the ending of a known format."""
    from ..render.figures.style import check_format

    check_format(path)


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
    quiet
        Print no notes and no progress on standard error.

    """

    PANEL: ClassVar = "Output"
    every: Annotated[bool, {"flags": ("--all",)}] = False
    plot: Annotated[Path | None, {"metavar": "FILE", "callback": writable(FIGURE, known_format)}] = None
    format: Format = "table"
    html: Annotated[Path | None, {"callback": writable(REPORT)}] = None
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
    """What a command found, in each format. A format is made only when the user asks for it."""

    text: Callable[[bool], str]
    """The text to print. Called with True, it gives every row, number and note."""
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
        """Make the answer for one result, or for several below one another. Figure and report show the first result."""
        several = list(found) if isinstance(found, Sequence) else [found]
        first = several[0]
        printed = getattr(type(first), "printed", None)
        return cls(
            lambda every: "\n\n".join(one.text(every=every, more="--all") for one in several),
            lambda: [row for one in several for row in one.rows()],
            lambda: [one.to_dict() for one in several] if isinstance(found, Sequence) else first.to_dict(),
            first.plot,
            first,
            partial(printed, first) if printed and len(several) == 1 else None,
            tuple(note for one in several for note in one.notes),
        )

    @classmethod
    def table(cls, head: str, rows: Rows, **others: Any) -> Answer:
        """Make an answer from a line and a table. JSON holds the rows, unless `content` is given."""
        text = f"{head}\n\n{to_text(Table.of(rows))}".lstrip("\n")
        return cls(lambda every: text, lambda: rows, **{"content": lambda: rows, **others})


def answering(
    *, plot: bool = False, html: bool = False, without: Collection[str] = ()
) -> Callable[[Callable[..., Found]], Callable[..., None]]:
    """Turn a function into a command: unfold its groups of options, and print what it returns.

    Parameters
    ----------
    plot, html : bool
        Whether the command can draw a figure, and whether it can write a report.
    without : collection of str
        Names of options that belong to the groups but that this command does not take.

    """
    hidden = {*without, *(name for name, there in (("plot", plot), ("html", html)) if not there)}

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
    """Print the answer, then write the files. If one file cannot be written, write the other files all the same."""

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
    pyplot.switch_backend("agg")  # this backend opens no window, whatever is installed
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


Cell = str | float | int | None
Rows = Sequence[Mapping[str, Any]]
_PVALUES = ("p", "pvalue", "rank_pvalue")  # names of columns that hold p-values


@dataclass(frozen=True)
class Table:
    """A table of columns and rows. Floats are rounded to four decimals in formats for people."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    @classmethod
    def of(cls, rows: Rows) -> Table:
        """Make a table from a result's `rows`. All rows must have the same columns, so that every value fits."""
        columns = list(rows[0]) if rows else []
        for row in rows:
            if list(row) != columns:
                raise ValueError(f"rows of one table have the columns {columns} and {list(row)}")
        return cls(columns, [list(row.values()) for row in rows])


def to_json(content: Any) -> str:
    """Return JSON that any parser accepts: nan becomes null, and control characters are escaped."""
    return printable(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def to_jsonl(rows: Rows) -> str:
    """Return JSON Lines, one object per row."""
    from ..data.results import plain

    return printable("\n".join(json.dumps(plain(row), ensure_ascii=False, allow_nan=False) for row in rows))


def to_csv(table: Table) -> str:
    """Return CSV with floats in full precision; missing values are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow(["" if _missing(cell) else repr(cell) if isinstance(cell, float) else cell for cell in row])
    return out.getvalue().rstrip("\n")


def to_markdown(table: Table) -> str:
    """Return a Markdown table as GitHub reads it."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(_markdown, cells)) + " |"

    rule = ["---:" if numeric else "---" for numeric in _numeric(table)]
    return "\n".join([line(table.columns), "| " + " | ".join(rule) + " |", *(line(row) for row in _shown(table))])


def to_latex(table: Table) -> str:
    """Return a LaTeX tabular that uses booktabs."""
    layout = "".join("r" if numeric else "l" for numeric in _numeric(table))

    def line(cells: Sequence[str]) -> str:
        made = " & ".join(map(_latex, cells)) + r" \\"
        return "{}" + made if made[0] in "[*" else made  # "[" or "*" would be read as an option of the \\ above

    body = [line(row) for row in _shown(table)]
    head = line(table.columns)
    return "\n".join(
        [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    )


def to_text(table: Table) -> str:
    """Return the table as text, with names aligned left and numbers aligned right."""
    lines = [[one_line(column) for column in table.columns], *_shown(table)]
    columns = [
        [cell.rjust(max(map(len, cells))) if numeric else cell.ljust(max(map(len, cells))) for cell in cells]
        for cells, numeric in zip(zip(*lines, strict=True), _numeric(table), strict=True)
    ]
    return "\n".join(f"  {'  '.join(cells)}".rstrip() for cells in zip(*columns, strict=True))


def _missing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _shown(table: Table) -> list[list[str]]:
    def text(cell: Cell, column: str) -> str:
        if _missing(cell):
            return "-"
        if not isinstance(cell, float):
            return one_line(str(cell))
        return p_cell(cell) if column in _PVALUES else f"{cell:.4f}"

    return [[text(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows]


def _numeric(table: Table) -> list[bool]:
    """Tell which columns hold numbers, or text that begins with one, as intervals do. The first column holds names."""

    def number(cell: Cell) -> bool:
        return isinstance(cell, float | int) or bool(re.match(r"(< )?-?\d|-$", str(cell)))

    return [
        k > 0 and bool(table.rows) and all(_missing(row[k]) or number(row[k]) for row in table.rows)
        for k in range(len(table.columns))
    ]


_MARKDOWN = re.compile(r"[\\|`<*~\[&$]|(?<![^\W_])_|_(?![^\W_])")
_BARE_LINK = re.compile(r"(?<=[a-z]):(?=//)|(?<=www)\.", re.I)
_ADDRESS = re.compile(r"(?<=\S)@(?=\S)")  # GitHub links addresses after it removes escapes, so a comment splits them


def _markdown(text: str) -> str:
    """Escape what Markdown reads as a cell, code, emphasis, HTML or a link, but not underscores within words."""
    plain = _BARE_LINK.sub(r"\\\g<0>", _MARKDOWN.sub(r"\\\g<0>", text))
    return _ADDRESS.sub("<!-- -->@", plain)


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{c: "\\" + c for c in "&%$#_"},
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)
