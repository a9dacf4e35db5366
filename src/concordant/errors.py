"""Errors and warnings, helpers that format messages, and a record of the files that were read and written.

`ConcordantError` is the base class of all errors.
"""

from __future__ import annotations

import difflib
import html
import math
import os
import re
import shlex
import stat
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any


class ConcordantError(Exception):
    """Base class of all errors that concordant raises on purpose."""


class InputError(ConcordantError, ValueError):
    """An argument has the wrong shape, size or value."""


class InputTypeError(InputError, TypeError):
    """An argument has a type that concordant cannot use."""


class LimitError(InputError):
    """A number is too large for floating point, or there are too many numbers for memory."""


@dataclass(eq=False, repr=False)
class TiesError(InputError):
    """A coefficient received tied scores, for which it is not defined."""

    coefficient: str
    """The name of the coefficient."""
    side: str
    """"truth" or "candidate"."""
    positions: tuple[tuple[int, ...], tuple[int, ...]]
    """The indices of the first two tied scores in the argument."""
    score: float
    """The tied score."""
    admits: Mapping[str, str]
    """The coefficients that allow these ties, and in which case to choose each (an empty string for any case)."""
    name: str | None = None
    """The name of the tied ranking, if it has one."""

    def __post_init__(self) -> None:
        super().__init__(*vars(self).values())  # pass all fields, so that the error can be unpickled

    def __str__(self) -> str:
        first, second = (f"{self.side}{list(place)}" for place in self.positions)
        tied = (
            f"{first} and {second} are tied (both {self.score:.17g})" if self.name is None else f"{self.name} has ties"
        )
        instead = ", or ".join(f"{name} {when}".rstrip() for name, when in self.admits.items())
        return f"{tied}, and {self.coefficient} is not defined for ties in {self.side}: use {instead}"


class MissingExtraError(ConcordantError, ImportError):
    """An optional package is missing; the message says how to install it."""


class UndefinedCorrelationWarning(RuntimeWarning):
    """A coefficient is not defined for these scores, for instance because all are tied; the result is nan."""


class RegularisationWarning(UserWarning):
    """There are no more topics than systems, so the covariance has no inverse and the result depends on `eps`."""


@dataclass(eq=False, repr=False)
class ReadError(ConcordantError, ValueError):
    """A file cannot be read. The message gives the name of the file, the line number and the text of the line."""

    message: str
    path: str | None = None
    line: int | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        super().__init__(*vars(self).values())  # pass all fields, so that the error can be unpickled

    def __str__(self) -> str:
        place = self.path or ""
        if self.line is not None:
            place += f":{self.line}"
        # Messages that are whole sentences already quote the text.
        text = self.text if self.text is None or len(self.text) <= 120 else f"{self.text[:117]}..."
        quoted = f": {text!r}" if text is not None and not self.message.endswith(".") else ""
        return f"{place}: {self.message}{quoted}" if place else f"{self.message}{quoted}"


class OtherKindError(ReadError):
    """A file does not hold scores. This is an error if the caller named the file; in a folder, the file is skipped."""


class DataWarning(UserWarning):
    """The data were read, but something was filled in, left out or renamed."""


class AlignmentWarning(DataWarning):
    """Systems or topics were left out because not all sides have them."""


_HEARD: ContextVar[list[str] | None] = ContextVar("heard", default=None)
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def hearing(*, quiet: bool = False) -> Iterator[list[str]]:
    """Collect warnings issued in a block, so that data and results can keep them. With `quiet`, do not show them."""
    before, heard = _HEARD.get(), list[str]()
    token, told = _HEARD.set(heard), _QUIET.set(quiet or _QUIET.get())
    try:
        yield heard
    finally:
        _HEARD.reset(token)
        _QUIET.reset(told)
        if before is not None:
            before.extend(heard)


def warn(message: str, category: type[Warning] = DataWarning) -> None:
    """Issue a warning that points to the line in the user's code where concordant was called."""
    if (heard := _HEARD.get()) is not None and message not in heard:
        heard.append(message)
    if _QUIET.get():
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "concordant":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def require(fits: bool, name: str, value: Any, wanted: str) -> None:
    """Raise an error unless an argument fits the data. The module `options` checks types and fixed limits."""
    if not fits:
        raise InputError(f"{named(name)} is {in_digits(value)}: {wanted}")


def limit_of(name: str, default: int) -> int:
    """Return a limit from an environment variable, or the default if the variable is not set."""
    given = os.environ.get(name, "")
    if given and not (given.isascii() and given.isdigit()):
        raise InputError(f"the environment variable {name} is {given!r}: set it to a whole number, or unset it")
    return int(given) if given else default


def import_extra(name: str, user: str = "this") -> Any:
    """Import an optional package. If it is missing, raise an error that says what needs it and how to install it."""
    try:
        return import_module(name)
    except ImportError:
        raise missing_extra(name.partition(".")[0], user) from None


def require_extras(*packages: str) -> None:
    """Raise an error if one of these packages is not installed, without importing any."""
    for package in packages:
        if find_spec(package) is None:
            raise missing_extra(package)


def missing_extra(package: str, user: str = "this") -> MissingExtraError:
    """Make the error for a missing optional package. Each such package has the same name in pip and in Python."""
    return MissingExtraError(f"{user} needs {package}: pip install {package}")


# Words in messages ----------------------------------------------------------------------------------------------------

_OPTIONS: ContextVar[Mapping[str, str]] = ContextVar("options", default=MappingProxyType({}))
_REVERSED = -0.3  # if the coefficient is lower, one side may be an error measure
# Characters that move the cursor, are invisible, or change the direction of text. Joiners are not included, because
# some scripts need them.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def printable(text: str) -> str:
    """Escape control characters, so that a name from a file cannot control the terminal; keep line breaks.

    JSON stays valid and keeps its meaning, because its strings contain no raw character below 0x20.
    """
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}" if m[0] < " " else f"\\u{ord(m[0]):04x}", text)


def escaped(value: Any) -> str:
    """Escape text for HTML, including attribute values. Call this for all text from files on a page."""
    return html.escape(printable(str(value)), quote=True)


def one_line(text: Any) -> str:
    """Escape control characters, line breaks and tabs, so that a name fits in a cell or a sentence.

    Call this before aligning columns, because escaping makes text longer.
    """
    return printable(str(text)).replace("\n", "\\n").replace("\t", "\\t")


def counted(n: int, noun: str, several: str = "") -> str:
    """Format a count with its noun: '1 topic', '2 topics', '2 batches'."""
    return f"{n} {noun}" if n == 1 else f"{n} {several or noun + 's'}"


def ordinal(n: int) -> str:
    """Format an ordinal number: '1st', '12th', '23rd'."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


MOST = 10  # names that a message lists


def listing(labels: Iterable[Any], most: int = MOST) -> str:
    """Join the first `most` labels with commas, and say how many more there are."""
    labels = [one_line(label) for label in labels]
    more = f", and {len(labels) - most:,} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more


def closest(label: str, labels: Collection[str]) -> str | None:
    """Return the label most similar to the given one, or None if no label is similar."""
    near = difflib.get_close_matches(label, labels, n=1, cutoff=0.6)
    return near[0] if near else None


def nearest(label: str, labels: Collection[str]) -> str:
    """Suggest labels for an unknown one: '; did you mean ...?', or '; available: ...'."""
    near = closest(label, labels)
    if parts := [other for other in labels if other.startswith((f"{label}/", f"{label}["))]:  # subsets of a task
        return f"; did you mean {listing(map(repr, parts), 3)}?"
    return f"; available: {listing(labels)}" if near is None else f"; did you mean {near!r}?"


def number(value: float, decimals: int = 3) -> str:
    """Format a number for a table: '-' for nan, and 0 without a sign."""
    return "-" if math.isnan(value) else f"{value:z.{decimals}f}"


def in_digits(value: Any) -> str:
    """Format a value on one short line for a message. A huge number is replaced by its number of digits."""
    if isinstance(value, int) and abs(value) >= 10**30:
        return f"a number of {math.ceil(abs(value).bit_length() * math.log10(2))} digits"
    text = one_line(repr(value))
    return text if len(text) <= 120 else f"{text[:117]}..."


def p_cell(p: float, decimals: int = 3) -> str:
    """Format a p-value for a table: '0.034', '< 0.001', or '-' for nan."""
    return "-" if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.{decimals}f}"


def p_equals(p: float, decimals: int = 3) -> str:
    """Format a p-value for a sentence: 'p = 0.034', 'p < 0.001'."""
    return f"p {p_cell(p)}" if p < 0.001 else f"p = {p_cell(p, decimals)}"


def argument(name: str, value: Any = None) -> str:
    """Format an argument with its value: ``missing='drop'`` in Python, ``--missing drop`` in a command."""
    if (flag := _OPTIONS.get().get(f"{name}={value}")) is not None:
        return flag
    option = _OPTIONS.get().get(name)
    if option is None:
        return f"{name}=" if value is None else f"{name}={value!r}"
    if isinstance(value, list):  # commas separate names, so a comma within a name becomes a wildcard
        value = ",".join(str(name).replace(",", "?") for name in value)
    return option if value is None or value is True else f"{option} {shlex.quote(str(value))}"


def either_direction(side: str = "PATH") -> str:
    """Say how to declare that lower or higher scores are better, for one side or for all sides."""
    if not _OPTIONS.get():
        return "pass lower_is_better=True or lower_is_better=False to read_scores or as_scores"
    flags = [flag for value in (True, False) if (flag := _OPTIONS.get().get(f"lower_is_better={value}"))]
    every = f"; for all files, {' or '.join(flags)}" if flags else ""
    return f"write {side}:lower or {side}:higher{every}"


def nearly_reversed(value: float, coefficient: str) -> tuple[str, ...]:
    """Write a note that one ranking may be reversed, if the coefficient is far below 0."""
    if not value < _REVERSED:
        return ()
    lower = "read it with lower_is_better=True" if not _OPTIONS.get() else "write :lower after its path"
    which = f"{coefficient} = {value:.2f}"
    return (f"These rankings are nearly reversed ({which}). Is one side an error measure? Then {lower}.",)


def named(name: str) -> str:
    """Return the name of an argument to show: ``n_resamples`` in Python, ``--resamples`` in a command."""
    return _OPTIONS.get().get(name, name)


def in_python(hint: str) -> str:
    """Return a hint that applies only in Python; in a command, return an empty string."""
    return "" if _OPTIONS.get() else hint


@contextmanager
def naming(options: Mapping[str, str]) -> Iterator[None]:
    """Within the block, let messages show command-line options instead of arguments."""
    token = _OPTIONS.set(options)
    try:
        yield
    finally:
        _OPTIONS.reset(token)


# Files that a call reads and writes -----------------------------------------------------------------------------------


def _identity(file: str | os.PathLike[str] | int) -> tuple[int, int] | None:
    """Return the device and inode of a regular file. Return None for devices and pipes, which cannot be replaced."""
    try:
        about = os.stat(file)
    except (OSError, ValueError):
        return None
    return (about.st_dev, about.st_ino) if stat.S_ISREG(about.st_mode) else None


class _Files:
    """The files that a command, or a Python session, reads and writes.

    A file is identified by its device and inode, which are the same for all its names. Its path is kept too, because
    the inode of a deleted file may be reused.
    """

    def __init__(self, outputs: Mapping[str, Path]) -> None:
        self.outputs = outputs
        self.replaced = {_identity(path): option for option, path in outputs.items()}
        self.read: dict[tuple[int, int] | None, str] = {}
        self.written: dict[tuple[int, int] | None, str] = {}

    def was_read(self, target: Path) -> bool:
        """Tell whether a file was read and was not written by concordant."""
        identity = _identity(target)
        read, written = (known.get(identity) for known in (self.read, self.written))
        return read is not None and _identity(read) == identity and (written is None or _identity(written) != identity)

    def wrote(self, target: Path) -> None:
        """Remember that a file was written."""
        self.written[_identity(target)] = str(target)


_FILES: ContextVar[_Files] = ContextVar("files", default=_Files({}))  # noqa: B039 - shared by a Python session
files_of_call = _FILES.get


@contextmanager
def guarding(outputs: Mapping[str, Path]) -> Iterator[None]:
    """Within the block, refuse to read a file that an output would replace, and to replace a file that was read.

    `outputs` maps each option that names an output to the file or folder that the command will write.
    """
    token = _FILES.set(_Files(outputs))
    try:
        yield
    finally:
        _FILES.reset(token)


def reading(file: Any, label: str) -> None:
    """Remember that an open file is being read. Raise an error if an output would replace it."""
    try:
        identity = _identity(file.fileno())
    except (AttributeError, TypeError, OSError, ValueError):  # not a file on disk
        return
    files = _FILES.get()
    if identity is not None and (option := files.replaced.get(identity)) is not None:
        raise InputError(f"{option} would replace {label}, which this command reads: give {option} another file")
    files.read[identity] = os.path.abspath(label)


def reading_whole(folders: Iterable[Path], pattern: str = "*") -> None:
    """Refuse an output in an input folder that matches the pattern, because the next run would read the output."""
    for option, path in _FILES.get().outputs.items():
        where = Path(os.path.realpath(path))
        read = set(map(os.path.realpath, folders))
        for place in (where / "x", where, *where.parents):  # an output may be a folder
            if str(place.parent) in read and fnmatch(place.name, pattern):
                raise InputError(
                    f"{option} would write into {place.parent}, where the next run would read it as an input: "
                    f"give {option} another folder"
                )
