"""Errors and warnings of concordant. `ConcordantError` is the base class of all errors."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .words import in_digits, named


class ConcordantError(Exception):
    """Base of every error that concordant raises on purpose."""


class InputError(ConcordantError, ValueError):
    """An argument has the wrong shape, size or value."""


class InputTypeError(InputError, TypeError):
    """An argument has a type that concordant cannot use."""


class LimitError(InputError):
    """Numbers are too large for floating point, or too many for the memory."""


@dataclass(eq=False, repr=False)
class TiesError(InputError):
    """A coefficient got tied scores, for which it is not defined."""

    coefficient: str
    """The name of the coefficient."""
    side: str
    """"truth" or "candidate"."""
    positions: tuple[tuple[int, ...], tuple[int, ...]]
    """The indices of the first two tied scores in the argument."""
    score: float
    """The tied score."""
    admits: Mapping[str, str]
    """The coefficients that admit these ties, and when to choose each (empty: always)."""
    name: str | None = None
    """The name of the tied ranking, if it has one."""

    def __post_init__(self) -> None:
        super().__init__(*vars(self).values())  # all, so that the error survives pickling

    def __str__(self) -> str:
        first, second = (f"{self.side}{list(place)}" for place in self.positions)
        tied = (
            f"{first} and {second} are tied (both {self.score:.17g})" if self.name is None else f"{self.name} has ties"
        )
        instead = ", or ".join(f"{name} {when}".rstrip() for name, when in self.admits.items())
        return f"{tied}, and {self.coefficient} is not defined for ties in {self.side}: use {instead}"


class MissingExtraError(ConcordantError, ImportError):
    """An optional package is needed here; the message says how to install it."""


class UndefinedCorrelationWarning(RuntimeWarning):
    """The definition gives no value here, for instance when all items are tied; the result is nan."""


class RegularisationWarning(UserWarning):
    """The covariance has no inverse, so the result depends on eps: there are not more topics than systems."""


@dataclass(eq=False, repr=False)
class ReadError(ConcordantError, ValueError):
    """A file cannot be read. The message names the file, the line and its text."""

    message: str
    path: str | None = None
    line: int | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        super().__init__(*vars(self).values())  # all four, so that the error survives pickling

    def __str__(self) -> str:
        place = self.path or ""
        if self.line is not None:
            place += f":{self.line}"
        # Messages in whole sentences already quote the text.
        quoted = f": {_shorten(self.text)!r}" if self.text is not None and not self.message.endswith(".") else ""
        return f"{place}: {self.message}{quoted}" if place else f"{self.message}{quoted}"


class OtherKindError(ReadError):
    """A file holds something other than scores: an error if the caller named it, skipped in a folder."""


class DataWarning(UserWarning):
    """The data were read, but something was filled in, left out or renamed."""


class AlignmentWarning(DataWarning):
    """Systems or topics were left out because not all sides have them."""


_HEARD: ContextVar[list[str] | None] = ContextVar("heard", default=None)
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def hearing(*, quiet: bool = False) -> Iterator[list[str]]:
    """Collect the warnings of a block, for data and results to keep. With `quiet`, they are not shown."""
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
    """Issue a warning that points to the user's line that called concordant."""
    if (heard := _HEARD.get()) is not None and message not in heard:
        heard.append(message)
    if _QUIET.get():
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "concordant":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def require(fits: bool, name: str, value: Any, wanted: str) -> None:
    """Raise unless an argument fits the data. `options` checks its type and limits."""
    if not fits:
        raise InputError(f"{named(name)} is {in_digits(value)}: {wanted}")


def limit_of(name: str, default: int) -> int:
    """Return a limit, which an environment variable may change."""
    given = os.environ.get(name, "")
    if given and not (given.isascii() and given.isdigit()):
        raise InputError(f"the environment variable {name} is {given!r}: set it to a whole number, or unset it")
    return int(given) if given else default


def _shorten(text: str, width: int = 120) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


# The extra of pyproject.toml that installs each package; the command line itself needs `cli`.
EXTRA_OF = {
    "typer": "cli",
    "threadpoolctl": "cli",
    "pandas": "frames",
    "matplotlib": "plots",
    "distributed": "dask",
    "evalica": "votes",
}


def import_extra(name: str) -> Any:
    """Import an optional package, or raise an error that says how to install it."""
    try:
        return import_module(name)
    except ImportError:
        raise _missing(name.partition(".")[0]) from None


def require_extras(*packages: str) -> None:
    """Raise if a package is not installed, without importing it."""
    for package in packages:
        if find_spec(package) is None:
            raise _missing(package)


def _missing(package: str) -> MissingExtraError:
    return MissingExtraError(f"this needs {package}: pip install 'concordant[{EXTRA_OF[package]}]'")
