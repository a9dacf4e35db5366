"""What reaches the screen: text, tables, notes and bars. Names from files are data and never control the terminal."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import time
import warnings
from collections.abc import Iterable
from typing import Any

import typer

from . import render
from .options import Format
from .render import printable


def print_table(table: Any, format: Format) -> None:
    if format is not Format.table:
        say({"csv": render.to_csv, "markdown": render.to_markdown, "latex": render.to_latex}[format.value](table))
        return
    from rich.console import Console

    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else 10_000  # into a file or a pipe: never cut
    fitting, left_out = render.fit(table, width)
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=terminal, highlight=False).print(render.to_terminal(fitting))
    _write("\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n")) + "\n")
    if left_out:
        say(f"(too narrow for {', '.join(left_out)}; --format csv has them)")


def say(text: str) -> None:
    _write(printable(text) + "\n")


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe, head for instance, has seen enough
        abandon_output()
        raise typer.Exit from None
    except OSError as error:  # a full disk
        raise OSError(error.errno, error.strerror, "standard output") from None


def abandon_output() -> None:
    """What could not be written is not tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Notes:
    """Collects the warnings of a block, and prints them on standard error as notes."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.seen: list[str] = []
        self._hidden: set[str] = set()

    def hide(self, notes: Iterable[str]) -> None:
        """Leave out what the answer itself says."""
        self._hidden.update(notes)

    def __enter__(self) -> Notes:
        self._catch = warnings.catch_warnings(record=True)
        self._caught = self._catch.__enter__()
        warnings.simplefilter("always")
        return self

    def __exit__(self, *error: Any) -> None:
        self._catch.__exit__(*error)
        self.seen = list(dict.fromkeys(str(w.message) for w in self._caught or ()))
        self.seen = [note for note in self.seen if note not in self._hidden]
        if not self.quiet:
            for note in self.seen:
                sys.stderr.write(printable(f"note: {in_options(note)}") + "\n")


class Bar:
    """A bar on standard error, once something takes longer than a second; none where that is no terminal."""

    def __init__(self, what: str, quiet: bool) -> None:
        self.what = what
        self.silent = quiet or not sys.stderr.isatty()
        self.start = time.monotonic()
        self.bar: Any = None

    def update(self, done: int, total: int) -> None:
        """Say how far it is."""
        if self.silent:
            return
        if self.bar is None and time.monotonic() - self.start > 1:
            from rich.console import Console
            from rich.progress import Progress

            self.bar = Progress(console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task(self.what, total=total)
        if self.bar is not None:
            self.bar.update(self.task, completed=done, total=total)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: Any) -> None:
        if self.bar is not None:
            self.bar.stop()


def in_options(message: str) -> str:
    """A message of the library, with the options of the command line for its arguments."""
    message = re.sub(r"missing='([a-z-]+)'", r"--missing \1", message)
    message = re.sub(r"measure=(?=')", "-m ", message)
    for argument, option in (
        ("measure=", "-m"),
        ("missing=", "--missing"),
        ("lower_is_better=True", "--lower-is-better"),
        ("bounds=(lowest, highest)", "--lowest and --highest"),
        ("(Scores.drop_bottom, select)", "(--systems)"),
    ):
        message = message.replace(argument, option)
    return message
