"""Print text, notes and progress. Names from files are escaped, so that they cannot control the terminal."""

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

from ..errors import ConcordantError, listing, one_line, printable

# Never fold within p-values and intervals, nor before the backslash that continues a command.
_TOGETHER = re.compile(r"\w+ [=<] -?[\d.]+|[\d.]+ to (?:[\d.]+|no limit)|\S+ \\$")
_BLANK = "\x00"  # stands for a blank where a line must not be folded; no text contains it
INTERRUPTED = 130  # the exit status after Ctrl-C
_CLEAR = "\r\x1b[2K"  # go to the start of the line, and clear it
ENDLESS = 10_000  # width of standard error if it goes to a file, because a log has one line per message


def width(stream: TextIO | None = None) -> int:
    """Return the width of a stream (default: standard output) in columns; at least 80 for a file or a pipe."""
    to_error = stream is not None and stream is sys.stderr
    stream = stream or sys.stdout
    columns = shutil.get_terminal_size().columns
    if stream.isatty():
        return columns
    return ENDLESS if to_error else max(columns, 80)


def say(text: str, *, verdict: bool = False) -> None:
    """Print text; fold long lines between words, and split tables that are too wide.

    On a terminal, a verdict (the first paragraph) is bold.
    """
    made = fitted(printable(text), width())
    if verdict and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        first, gap, rest = made.partition("\n\n")
        made = f"\x1b[1m{first}\x1b[0m{gap}{rest}"
    _write(made + "\n")


def give(text: str) -> None:
    """Print what a program reads (JSON, CSV, Markdown, LaTeX, BibTeX), and never fold its lines.

    In a file or a pipe, names stay as they are, so that CSV can be read back. On a terminal they are escaped.
    """
    _write((printable(text) if sys.stdout.isatty() else text) + "\n")


def fitted(text: str, columns: int) -> str:
    """Fold text to this many columns, without cutting numbers."""
    made = []
    for indented, block in itertools.groupby(text.split("\n"), lambda line: line.startswith("  ")):
        lines = list(block)
        made += _block(lines, columns) if indented else [folded(line, columns) for line in lines]
    return "\n".join(made)


def _block(lines: list[str], columns: int) -> list[str]:
    """Fold indented lines. If they are still too long, split the table that they hold into parts."""
    short = [folded(line, columns) for line in lines]
    if max(len(line) for text in short for line in text.split("\n")) <= columns:
        return short
    tables = [_cells(lines[k:]) for k in range(min(3, len(lines) - 1))]  # up to two lines may precede the table
    if not tables:
        return short
    above = max(range(len(tables)), key=lambda k: len(tables[k]))
    return [*short[:above], *(_in_parts(lines[above:], tables[above], columns) or short[above:])]


def _cells(lines: list[str]) -> list[tuple[int, int]]:
    """Find where the columns of a table begin and end: two blanks on every line separate them."""
    widest = max(map(len, lines))
    used = "".join("x" if any(line[k : k + 1].strip() for line in lines) else " " for k in range(widest))
    return [match.span() for match in re.finditer(r"x+(?: x+)*", used)]


def _in_parts(lines: list[str], cells: list[tuple[int, int]], columns: int) -> list[str]:
    """Split a table into parts that fit; return an empty list if a part would still be too wide.

    Each part repeats as many of the first columns as are needed to identify the rows.
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
    """Fold a line of words. If the line belongs to a table, fold only the words in the last column.

    Numbers are never cut: half a number would be a wrong number.
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
    """Suggest commands to copy: all on one line, or each on its own lines if one line would be too long.

    The text `also` ends the single line, and `same` follows the separate lines.
    """
    made = [["concordant", *map(shlex.quote, command)] for command in commands]
    line = "Next: " + " | ".join([*map(" ".join, made), *filter(None, [also])])
    if len(line) <= width():
        return line
    each = [" \\\n          ".join(_filled(command, width() - 12)) for command in made]
    return "Next: " + "\n      ".join([*each, *filter(None, [same])])


def _filled(parts: list[str], columns: int) -> list[str]:
    """Fold a command to this many columns, without cutting its parts."""
    whole = " ".join(part.replace(" ", _BLANK) for part in parts)
    lines = textwrap.wrap(whole, columns, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_BLANK, " ") for line in lines]


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe, such as head, has stopped
        abandon_output()
        raise typer.Exit from None
    except OSError as error:  # a full disk
        abandon_output()
        raise OSError(error.errno, error.strerror, "standard output") from None


def abandon_output() -> None:
    """Keep Python from trying again, at exit, to write pending output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(text: str) -> None:
    """Print a line on standard error, folded between words on a terminal."""
    sys.stderr.write(folded(one_line(text), width(sys.stderr)) + "\n")
    sys.stderr.flush()


@contextmanager
def told() -> Iterator[None]:
    """Print each error on one line, and exit with status 1 for bad data. For bad usage, typer exits with 2."""
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
    except BrokenPipeError:  # the program that reads the help has stopped
        raise
    except OSError as error:
        # On a full disk, an error without a filename comes from the help, which typer writes to standard output.
        place = error.filename or ("standard output" if error.errno == errno.ENOSPC else "")
        message = f"{place}: {error.strerror}" if place and error.strerror else str(error)
    tell(f"concordant: {message}")
    raise typer.Exit(1)


class Notes:
    """Show each warning of a block once, as a note on standard error, unless the answer shows it."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.seen: list[str] = []
        self._answered: set[str] = set()

    def answered(self, notes: Iterable[str]) -> None:
        """Leave out notes that the answer itself shows."""
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
        said: dict[str, list[str]] = {}  # a note about several files is shown once
        for note in () if self.quiet else self.seen:
            file, colon, what = note.partition(": ")
            said.setdefault(colon + what if colon else note, []).append(file if colon else "")
        for what, files in said.items():
            tell(f"note: {listing(files, 3)}{what}")


class Bar:
    """Show progress on standard error.

    A terminal shows one changing line after a second, or after two if the progress is unknown. A file gets one line per
    minute.
    """

    def __init__(self, what: str, quiet: bool) -> None:
        self.what, self.quiet, self.drawn = what, quiet, False
        self.start = self.last = time.monotonic()
        self.first: int | None = None
        self.timer = threading.Timer(2, self._draw, (f"{what} ...",))
        self.timer.daemon = True

    def update(self, done: int, total: int) -> None:
        """Show the progress, and the time left at the speed so far."""
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
        if self.timer.is_alive():  # the timer is drawing
            self.timer.join()
        if self.drawn:
            sys.stderr.write(_CLEAR)


def duration(seconds: float) -> str:
    """Write a duration in seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
