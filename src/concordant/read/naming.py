"""What a side of a comparison is called: `NAME=PATH:MEASURE:DIRECTION` on the command line, or short names of paths."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from typing import NamedTuple

from ..errors import InputError
from .source import run_name


class SideName(NamedTuple):
    """A side as the caller wrote it. `name`, `measure` and `lower_is_better` are None where it does not say them."""

    name: str | None
    path: str
    measure: str | None
    lower_is_better: bool | None = None


def parse_side(text: str) -> SideName:
    """Take `NAME=PATH:MEASURE:DIRECTION` apart; each part but the path may be left out.

    Parameters
    ----------
    text : str
        What stands on the command line. The longest beginning that exists is the path, so that colons and equals signs
        in paths, and drive letters, work; a pattern exists if a file matches it. A last part `lower` or `higher` says
        which scores are better; a measure of that name needs a direction behind it, as in `scores.csv:lower:higher`.

    Returns
    -------
    SideName
        Its name, path, measure and direction. Where no part of it exists, all behind the first `=` is the path.

    Examples
    --------
    >>> parse_side("human=scores.csv")
    SideName(name='human', path='scores.csv', measure=None, lower_is_better=None)

    """
    for place in [-1, *(found.start() for found in re.finditer("=", text))]:
        name, rest = (None, text) if place < 0 else (text[:place], text[place + 1 :])
        cuts = [len(rest), *(found.start() for found in reversed(list(re.finditer(":", rest))))]
        path = next((rest[:cut] for cut in cuts if _exists(rest[:cut])), None)
        if path is None or (name is not None and not name):
            continue
        measure = rest[len(path) + 1 :] if len(path) < len(rest) else None
        if measure == "":
            raise InputError(f"{text!r} ends with a colon: a measure stands behind it, or leave the colon out")
        if measure is None:
            return SideName(name, path, None)
        before, _, last = measure.rpartition(":")
        if last in ("lower", "higher"):
            return SideName(name, path, before or None, last == "lower")
        return SideName(name, path, measure)
    name, equals, rest = text.partition("=")
    return SideName(name, rest, None) if equals and name and rest else SideName(None, text, None)


def _exists(path: str) -> bool:
    if not path or "\0" in path:
        return False
    path = os.path.expanduser(path)
    return os.path.exists(path) or (glob.has_magic(path) and next(glob.iglob(path, recursive=True), None) is not None)


def short_names(paths: Sequence[str | os.PathLike[str]], measures: Sequence[str | None] | None = None) -> list[str]:
    """Names for sides, made from their paths and shortened to what differs.

    Folders that are not needed, endings, and common beginnings and ends of names go. Sides of one file are named by
    their measures.

    Parameters
    ----------
    paths : sequence of path
        One for each side.
    measures : sequence of str or None, optional
        The measure of each side; used where two sides have the same path.

    Returns
    -------
    list of str
        One name for each side, all different unless path and measure are the same.

    Examples
    --------
    >>> short_names(["runs/ndcg__human.csv", "runs/ndcg__llm.csv"])
    ['human', 'llm']
    >>> short_names(["2023/human/", "2023/llm/"])
    ['human', 'llm']
    >>> short_names(["board.csv", "board.csv"], ["win_rate", "elo"])
    ['win_rate', 'elo']

    """
    texts = [os.fspath(path) for path in paths]
    said: list[str | None] = [None] * len(texts) if measures is None else list(measures)
    different = len(set(zip(texts, said, strict=True)))
    for parts in (_trimmed(_last_parts(texts, _without_ending)), _last_parts(texts, str)):
        names = _distinguished(parts, said)
        if len(set(names)) == different:
            return names
    return [text if measure is None else f"{text}:{measure}" for text, measure in zip(texts, said, strict=True)]


def look_alikes(names: Iterable[str], others: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of names that differ only in case, marks, folders or endings, where each has one such partner.

    >>> look_alikes(["runs/BM25.gz", "ql", "x"], ["bm25", "QL.eval", "y"])
    [('runs/BM25.gz', 'bm25'), ('ql', 'QL.eval')]
    """
    known, again = map(_by_plain_name, (names, others))
    return [
        (own[0], again[key][0]) for key, own in known.items() if key and len(own) == 1 and len(again.get(key, ())) == 1
    ]


def _by_plain_name(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(_plain(name), []).append(name)
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", _without_ending(re.split(r"[/\\]|__", name)[-1])).casefold()


_TABLE = re.compile(r"(?<=.)\.(jsonl?|ndjson|parquet|arrow|feather|ipc)$", re.IGNORECASE)


def _without_ending(file_name: str) -> str:
    return _TABLE.sub("", run_name(file_name))


def _last_parts(texts: list[str], ending: Callable[[str], str]) -> list[str]:
    """The file or folder of each path, and as many folders above as tell them apart; not what all end with."""
    parts = [PurePath(text).parts or (text,) for text in texts]
    parts = [(*part[:-1], ending(part[-1])) for part in parts]
    while len(parts) > 1 and min(map(len, parts)) > 1 and len({part[-1] for part in parts}) == 1:
        parts = [part[:-1] for part in parts]
    depth = 1
    while len({part[-depth:] for part in parts}) < len(set(parts)):
        depth += 1
    return ["/".join(part[-depth:]) for part in parts]


def _distinguished(names: list[str], measures: list[str | None]) -> list[str]:
    """With their measures, where these tell sides of one name apart."""
    if len(names) > 1 and len(set(names)) == 1 and len(set(measures)) == len(measures):
        return [measure or names[0] for measure in measures]
    return [
        f"{name}:{measure}" if measure and names.count(name) > 1 else name
        for name, measure in zip(names, measures, strict=True)
    ]


def _trimmed(names: list[str]) -> list[str]:
    """Without the words at the beginning and end that all names share; words end at marks, and 0.5 is one word."""
    if len(set(names)) < 2:
        return names
    words = [re.findall(r"\d+(?:\.\d+)+|[-_.]+|[^-_.]+", name) for name in names]
    for end in (0, -1):
        while len({tuple(word[end : end + 1 or None]) for word in words}) == 1 and min(map(len, words)) > 1:
            words = [word[1:] if end == 0 else word[:-1] for word in words]
    short = ["".join(word).strip("-_.") for word in words]
    return short if all(short) and len(set(short)) == len(set(names)) else names
