"""Format counts, lists of names, p-values and arguments for sentences."""

from __future__ import annotations

import difflib
import math
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

_OPTIONS: ContextVar[Mapping[str, str]] = ContextVar("options", default=MappingProxyType({}))
_REVERSED = -0.3  # the coefficient below which one side may be an error measure
# Characters that move the cursor, are invisible, or change the direction of text. Joiners stay: letters need them.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def printable(text: str) -> str:
    """Escape the control characters that a name from a file could send to the terminal; keep line breaks.

    JSON stays valid and unchanged in meaning: its strings have no bare character below 0x20.
    """
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}" if m[0] < " " else f"\\u{ord(m[0]):04x}", text)


def one_line(text: Any) -> str:
    """Escape line breaks and tabs too, so that a name fits a cell or a sentence.

    Call it before aligning columns, because escapes are longer.
    """
    return printable(str(text)).replace("\n", "\\n").replace("\t", "\\t")


def counted(n: int, noun: str, several: str = "") -> str:
    """Format a count with its noun: '1 topic', '2 topics', '2 batches'."""
    return f"{n} {noun}" if n == 1 else f"{n} {several or noun + 's'}"


def ordinal(n: int) -> str:
    """Format an ordinal number: '1st', '12th', '23rd'."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def listing(labels: Iterable[Any], most: int = 12) -> str:
    """List labels, separated by commas, and at most the first `most`."""
    labels = [one_line(label) for label in labels]
    more = f", ... ({len(labels)} in all)" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more


def closest(label: str, labels: Collection[str]) -> str | None:
    """Return the most similar label, if any is similar."""
    near = difflib.get_close_matches(label, labels, n=1, cutoff=0.6)
    return near[0] if near else None


def nearest(label: str, labels: Collection[str]) -> str:
    """Suggest labels for an unknown one: '; did you mean ...?', or a list of all."""
    near = closest(label, labels)
    if parts := [other for other in labels if other.startswith((f"{label}/", f"{label}["))]:  # subsets of a task
        return f"; did you mean {listing(map(repr, parts), 3)}?"
    return f"; there are: {listing(labels)}" if near is None else f"; did you mean {near!r}?"


def number(value: float, decimals: int = 3) -> str:
    """Format a number for a table: '-' for nan, and 0 without a sign."""
    return "-" if math.isnan(value) else f"{value:z.{decimals}f}"


def in_digits(value: Any) -> str:
    """Format a value for a message, on one short line; a huge number by how many digits it has."""
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
    if isinstance(value, list):  # separated by commas, so a comma in a name becomes a pattern
        value = ",".join(str(name).replace(",", "?") for name in value)
    return option if value is None or value is True else f"{option} {shlex.quote(str(value))}"


def either_direction(side: str = "PATH") -> str:
    """Say how to declare that lower or higher scores are better, for one side or for all."""
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
    """Name an argument: ``n_resamples`` in Python, ``--resamples`` in a command."""
    return _OPTIONS.get().get(name, name)


def in_python(hint: str) -> str:
    """Return a hint in Python, and an empty string in a command."""
    return "" if _OPTIONS.get() else hint


@contextmanager
def naming(options: Mapping[str, str]) -> Iterator[None]:
    """Let messages name command-line options instead of arguments."""
    token = _OPTIONS.set(options)
    try:
        yield
    finally:
        _OPTIONS.reset(token)
