"""Counts and lists of names, as sentences have them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from typing import Any


def counted(n: int, noun: str) -> str:
    """'1 topic', '2 topics'."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def listing(labels: Iterable[Any], most: int = 12) -> str:
    """Labels separated by commas, only the first ones where there are very many."""
    labels = [str(label) for label in labels]
    more = f", ... ({len(labels)} in all)" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more


def nearest(label: str, labels: Collection[str]) -> str:
    """'; did you mean ...?' for a label that is not there."""
    near = difflib.get_close_matches(label, labels, n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else f"; there are: {listing(labels)}"
