"""Which systems or topics a caller chose: names, patterns such as STS*, and what to leave out, such as !AFQMC."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from ..errors import ConcordantError, warn
from ..words import listing, nearest


def says_which(wanted: Iterable[str] | None) -> bool:
    """Whether a choice says what to read, and not only what to leave out."""
    return wanted is not None and not all(name.startswith("!") for name in wanted)


def chosen(wanted: Iterable[str] | None, labels: Sequence[str]) -> list[int]:
    """The places of the labels that a choice takes, in its order; names that are not there take nothing.

    A label that a name spells exactly is meant itself, so `*` and `!` may be part of it.

    >>> chosen(["STS*", "b", "!STS17"], ["a", "b", "STS16", "STS17"]), chosen(["!a"], ["a", "b"]), chosen(None, ["a"])
    ([2, 1], [1], [0])
    """
    wanted, places = list(wanted or ()), {label: k for k, label in enumerate(labels)}
    left = {k for name in wanted if _leaves_out(name, places) for k in _places(name[1:], places)}
    kept = [name for name in wanted if not _leaves_out(name, places)]
    found = dict.fromkeys(k for name in kept for k in _places(name, places)) if kept else range(len(labels))
    return [k for k in found if k not in left]


def choose(
    wanted: Iterable[str],
    labels: Sequence[str],
    noun: str,
    error: Callable[[str], ConcordantError],
    left_out: Collection[str] = (),
) -> list[int]:
    """As `chosen`; a name that is not there is an error, and one that could not be left out gets a warning.

    `left_out` are labels that the same choice has left out before.
    """
    wanted, places = list(wanted), {label: k for k, label in enumerate(labels)}
    gone, has_no = dict.fromkeys(left_out, 0), f"has no {noun}".rstrip()
    for name in wanted:
        if not _leaves_out(name, places):
            if not _places(name, places):
                raise error(f"{has_no} {name!r}{nearest(name, labels)}")
        elif not _places(name[1:], places) and not _places(name[1:], gone):
            warn(f"{error(f'{has_no} {name[1:]!r} to leave out')}")
    found = chosen(wanted, labels)
    if not found:
        raise error(f"{has_no} left after {listing(wanted)}")
    return found


def _leaves_out(name: str, places: Collection[str]) -> bool:
    return name.startswith("!") and name not in places


def _places(name: str, places: dict[str, int]) -> list[int]:
    """The place of a label, or of all that a pattern fits. Brackets are no pattern: STS22[dev] is a label."""
    if name in places or not {"*", "?"} & set(name):
        return [places[name]] if name in places else []
    pattern = re.compile(re.escape(name).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
    return [k for label, k in places.items() if pattern.fullmatch(label)]
