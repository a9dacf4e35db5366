"""What reaches the screen: text, notes and progress. Names from files are data and never control the terminal."""

from __future__ import annotations

import errno
import itertools
import os
import re
import shlex
import shutil
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import typer

from ..errors import ConcordantError
from ..words import listing, one_line, printable

# On one line: p-values, intervals, and the backslash that continues a command.
_TOGETHER = re.compile(r"\w+ [=<] -?[\d.]+|[\d.]+ to (?:[\d.]+|no limit)|\S+ \\$")
_BLANK = "\x00"  # for a blank at which nothing is folded; no text has it
INTERRUPTED = 130  # the exit status
_CLEAR = "\r\x1b[2K"  # to the start of the line, and nothing on it
ENDLESS = 10_000  # columns of standard error into a file: a log has one line per message


def width(stream: TextIO | None = None) -> int:
    """How many columns a line has, of standard output by default: at least 80 in a file or a pipe."""
    to_error = stream is not None and stream is sys.stderr
    stream = stream or sys.stdout
    columns = shutil.get_terminal_size().columns
    if stream.isatty():
        return columns
    return ENDLESS if to_error else max(columns, 80)


def say(text: str, *, verdict: bool = False) -> None:
    """Print text, its long lines folded between words, and tables that are too wide in parts.

    On a terminal the first paragraph is bold where it is a verdict.
    """
    made = fitted(printable(text), width())
    if verdict and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        first, gap, rest = made.partition("\n\n")
        made = f"\x1b[1m{first}\x1b[0m{gap}{rest}"
    _write(made + "\n")


def give(text: str) -> None:
    """Print what a program reads (JSON, CSV, Markdown, LaTeX, BibTeX): its lines stay whole, on a terminal, too.

    Into a file or a pipe CSV goes with its names as they are, so that they can be read again; no terminal gets them.
    """
    _write((printable(text) if sys.stdout.isatty() else text) + "\n")


def fitted(text: str, columns: int) -> str:
    """Text on lines of at most so many columns, as far as no number has to be cut for it."""
    made = []
    for indented, block in itertools.groupby(text.split("\n"), lambda line: line.startswith("  ")):
        lines = list(block)
        made += _block(lines, columns) if indented else [folded(line, columns) for line in lines]
    return "\n".join(made)


def _block(lines: list[str], columns: int) -> list[str]:
    """Lines that stand together: folded where that is enough, otherwise the table among them in parts."""
    short = [folded(line, columns) for line in lines]
    if max(len(line) for text in short for line in text.split("\n")) <= columns:
        return short
    tables = [_cells(lines[k:]) for k in range(min(3, len(lines) - 1))]  # a line or two may stand above it
    if not tables:
        return short
    above = max(range(len(tables)), key=lambda k: len(tables[k]))
    return [*short[:above], *(_in_parts(lines[above:], tables[above], columns) or short[above:])]


def _cells(lines: list[str]) -> list[tuple[int, int]]:
    """Where the columns of a table begin and end: two blanks on all lines are between them."""
    widest = max(map(len, lines))
    used = "".join("x" if any(line[k : k + 1].strip() for line in lines) else " " for k in range(widest))
    return [match.span() for match in re.finditer(r"x+(?: x+)*", used)]


def _in_parts(lines: list[str], cells: list[tuple[int, int]], columns: int) -> list[str]:
    """A table with as many of its columns as fit, then the others; nothing where that does not help.

    Each part begins with the first columns, as many as tell the rows apart.
    """
    rows = [[line[a:b].ljust(b - a) for a, b in cells] for line in lines]
    keys = next((k for k in range(1, len(cells)) if len({tuple(r[:k]) for r in rows}) == len(rows)), 1)
    parts: list[list[int]] = [[]]
    for k in range(keys, len(cells)):
        if parts[-1] and _size(cells, [*range(keys), *parts[-1], k]) > columns:
            parts.append([])
        parts[-1].append(k)
    parts = [[*range(keys), *part] for part in parts]
    if max(_size(cells, part) for part in parts) > columns:
        return []
    shown = [["  " + "  ".join(row[k] for k in part).rstrip() for row in rows] for part in parts]
    return [line for k, part in enumerate(shown) for line in ([""] if k else []) + part]


def _size(cells: list[tuple[int, int]], part: list[int]) -> int:
    return sum(2 + cells[k][1] - cells[k][0] for k in part)


def folded(line: str, columns: int) -> str:
    """A line of words on as many lines as it needs; of a line of a table, only the words in its last column.

    A number is never cut: half a number would be a wrong number.
    """
    if len(line) <= columns:
        return line
    table = re.match(r" *\S.*  +(?=\S)", line)
    start = len(table[0]) if table else len(line) - len(line.lstrip())
    if columns - start < 15:
        return line
    whole = _TOGETHER.sub(lambda found: found[0].replace(" ", _BLANK), line[start:])
    lines = textwrap.wrap(whole, columns - start, break_long_words=False, break_on_hyphens=False)
    return line[:start] + ("\n" + " " * start).join(lines).replace(_BLANK, " ")


def next_steps(commands: Iterable[Iterable[str]], also: str = "", same: str = "") -> str:
    """What to do next: commands in a line, or where that is too long each on lines of its own, to be copied.

    `also` ends the line; in its place `same` stands below the lines.
    """
    made = [["concordant", *map(shlex.quote, command)] for command in commands]
    line = "Next: " + " | ".join([*map(" ".join, made), *filter(None, [also])])
    if len(line) <= width():
        return line
    each = [" \\\n          ".join(_filled(command, width() - 12)) for command in made]
    return "Next: " + "\n      ".join([*each, *filter(None, [same])])


def _filled(parts: list[str], columns: int) -> list[str]:
    """The parts of a command on lines of at most so many columns, as far as no part is longer; none is cut."""
    whole = " ".join(part.replace(" ", _BLANK) for part in parts)
    lines = textwrap.wrap(whole, columns, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_BLANK, " ") for line in lines]


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe, head for instance, has seen enough
        abandon_output()
        raise typer.Exit from None
    except OSError as error:  # a full disk
        abandon_output()
        raise OSError(error.errno, error.strerror, "standard output") from None


def abandon_output() -> None:
    """What could not be written is not tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(text: str) -> None:
    """A line on standard error, folded between words on a terminal."""
    sys.stderr.write(folded(one_line(text), width(sys.stderr)) + "\n")
    sys.stderr.flush()


@contextmanager
def told() -> Iterator[None]:
    """Tell what goes wrong in one line. Bad data are status 1, bad usage is 2, as typer has it."""
    try:
        yield
        return
    except KeyboardInterrupt:
        tell("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except ConcordantError as error:
        message = str(error)
    except MemoryError:
        message = "not enough memory"
    except BrokenPipeError:  # whoever reads the help has seen enough
        raise
    except OSError as error:
        place = error.filename or ("standard output" if error.errno == errno.ENOSPC else "")  # help, written by typer
        message = f"{place}: {error.strerror}" if place and error.strerror else str(error)
    tell(f"concordant: {message}")
    raise typer.Exit(1)


class Notes:
    """Shows the warnings of a block as notes on standard error, once each, but those that the answer has."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.seen: list[str] = []
        self._answered: set[str] = set()

    def answered(self, notes: Iterable[str]) -> None:
        """Leave out what the answer itself says."""
        self._answered.update(notes)

    def __enter__(self) -> Notes:
        self._catch = warnings.catch_warnings(record=True)
        self._caught = self._catch.__enter__()
        warnings.simplefilter("always")
        return self

    def __exit__(self, *error: Any) -> None:
        self._catch.__exit__(*error)
        found = dict.fromkeys(str(w.message) for w in self._caught or ())
        self.seen = [note for note in found if note not in self._answered]
        said: dict[str, list[str]] = {}  # what is said of several files is said once
        for note in () if self.quiet else self.seen:
            file, colon, what = note.partition(": ")
            said.setdefault(colon + what if colon else note, []).append(file if colon else "")
        for what, files in said.items():
            tell(f"note: {listing(files, 3)}{what}")


class Bar:
    """How far something is, on standard error.

    On a terminal a line that changes, once it takes longer than a second, or after two if nothing says how far it is;
    elsewhere, in a file that somebody looks into, one line per minute.
    """

    def __init__(self, what: str, quiet: bool) -> None:
        self.what, self.quiet, self.drawn = what, quiet, False
        self.start = self.last = time.monotonic()
        self.first: int | None = None
        self.timer = threading.Timer(2, self._draw, (f"{what} ...",))
        self.timer.daemon = True

    def update(self, done: int, total: int) -> None:
        """Say how far it is, and how long it will take at the speed of this run."""
        self.first = done if self.first is None else self.first
        now, screen = time.monotonic(), not self.quiet and sys.stderr.isatty()
        if self.quiet or now - self.last < (0.1 if self.drawn else 1 if screen else 60) or done == self.first:
            return
        self.last = now
        left = (now - self.start) / (done - self.first) * (total - done)
        text = f"{self.what}: {done:,} of {total:,}, {duration(left)} left"
        if screen:
            self.timer.cancel()
            self._draw(text)
        else:
            tell(text)

    def _draw(self, text: str) -> None:
        self.drawn = True
        sys.stderr.write(f"{_CLEAR}{text[: width(sys.stderr) - 1]}")
        sys.stderr.flush()

    def __enter__(self) -> Bar:
        if not self.quiet and sys.stderr.isatty():
            self.timer.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.timer.cancel()
        if self.timer.is_alive():  # it is drawing
            self.timer.join()
        if self.drawn:
            sys.stderr.write(_CLEAR)


def duration(seconds: float) -> str:
    """Seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
