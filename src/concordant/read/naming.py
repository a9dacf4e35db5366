"""What a side of a comparison is called: `NAME=PATH:MEASURE` on the command line, or short names made from paths."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from ..errors import InputError
from .source import run_name


class SideName(NamedTuple):
    """A side as the caller wrote it. `name` and `measure` are None where it says none."""

    name: str | None
    path: str
    measure: str | None


def parse_side(text: str) -> SideName:
    """Take `NAME=PATH:MEASURE` apart; each part but the path may be left out.

    Parameters
    ----------
    text : str
        What stands on the command line. The longest beginning that exists is the path, so that colons and equals signs
        in paths, and drive letters, work; a pattern exists if a file matches it.

    Returns
    -------
    SideName
        Its name, path and measure. Where no part of it exists, all behind the first `=` is the path.

    Examples
    --------
    >>> parse_side("human=scores.csv")
    SideName(name='human', path='scores.csv', measure=None)

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

    Common folders, endings, and common beginnings and ends of names go. Sides of one file are named by their measures.

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
    said = list(measures) if measures is not None else [None] * len(texts)
    parts = [list(PurePath(text).parts) for text in texts]
    for part in parts:
        if part:
            part[-1] = run_name(part[-1])
    if len(parts) == 1:
        return [parts[0][-1] if parts[0] else texts[0]]
    while all(len(part) > 1 for part in parts) and len({part[0] for part in parts}) == 1:
        parts = [part[1:] for part in parts]
    while all(len(part) > 1 for part in parts) and len({part[-1] for part in parts}) == 1:
        parts = [part[:-1] for part in parts]
    names = _trimmed(["/".join(part) or text for part, text in zip(parts, texts, strict=True)])
    if len(set(names)) == 1 and len(set(said)) == len(said):
        return [measure or names[0] for measure in said]
    return [
        f"{name}:{measure}" if measure and names.count(name) > 1 else name
        for name, measure in zip(names, said, strict=True)
    ]


def _trimmed(names: list[str]) -> list[str]:
    """Without the words at the beginning and end that all names share; words end at marks."""
    if len(set(names)) < 2:
        return names
    words = [re.split(r"(?<=[-_.])(?=[^-_.])|(?<=[^-_.])(?=[-_.])", name) for name in names]
    for end in (0, -1):
        while len({tuple(word[end : end + 1 or None]) for word in words}) == 1 and min(map(len, words)) > 1:
            words = [word[1:] if end == 0 else word[:-1] for word in words]
    short = ["".join(word).strip("-_.") for word in words]
    return short if all(short) and len(set(short)) == len(set(names)) else names
