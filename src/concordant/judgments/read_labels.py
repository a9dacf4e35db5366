"""`read_labels`: read the list of documents that `label` wrote, with the grades that people added."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace

import numpy as np

from ..errors import ReadError, counted
from ..options import checked
from ..read.labels import load_names, named_rows
from ..read.source import Source, read_text
from ..read.tables.cells import plain_number
from .label import COLUMNS, PLAN, SKIP, LabelList, plan_path
from .qrels import MOST


def is_label_list(path: str) -> bool:
    """Whether a file begins like a list of documents to judge, in any format that a spreadsheet writes."""
    try:
        with open(path, "rb") as file:
            first = file.readline(200).decode("utf-8-sig", errors="replace")
    except (OSError, ValueError):
        return False
    return set(re.findall(r"\w+", first.lower())) >= set(COLUMNS)


@checked
def read_labels(path: str | os.PathLike[str]) -> LabelList:
    """Read a list of documents to judge, with the grades that people gave, and the plan next to it.

    A spreadsheet may have reordered the rows and changed separators and quotes, or grades to 1.0 or 1,0. An empty grade
    means not yet judged; `skip` marks a pair that cannot be judged.

    Parameters
    ----------
    path : path
        The list, such as list.csv. Its plan, list.plan.json, must be beside it.

    Returns
    -------
    LabelList
        The list with `grades` and `skipped`.

    See Also
    --------
    label : Choose the documents.
    rank_from_labels : Rank the systems by the grades.

    """
    source = load_names(path)
    found = _planned(path)
    header, rows = named_rows(source)
    at = {name.lower(): k for k, name in enumerate(header)}
    if not at.keys() >= set(COLUMNS):
        raise source.error(f"is not a list of documents to judge: it lacks columns of {', '.join(COLUMNS)}")
    place = {pair: k for k, pair in enumerate(found.pairs)}
    grades, skipped = np.full(len(place), np.nan), np.zeros(len(place), dtype=bool)
    seen: set[int] = set()
    for line, cells in rows:
        order, topic, document, text = (cells[at[name]] for name in ("order", "topic", "document", "grade"))
        k = place.get((topic, document), _rewritten(order, topic, document, found))
        if k is None:
            raise source.error(f"document {document!r} on topic {topic!r} is not on the list", line)
        if k in seen:
            raise source.error(f"has document {document!r} on topic {topic!r} twice", line)
        seen.add(k)
        if text.lower() == SKIP:
            skipped[k] = True
        elif text:
            grades[k] = _grade(source, line, text)
    if lost := [pair for pair, k in place.items() if k not in seen]:
        topic, document = lost[0]
        raise source.error(f"lacks {counted(len(lost), 'row')} of the list, such as {document!r} on topic {topic!r}")
    return replace(found, grades=grades, skipped=skipped)


def _planned(path: str | os.PathLike[str]) -> LabelList:
    file = plan_path(path)
    if not file.exists():
        raise ReadError(f"lacks its plan: put back {file.name}, which `concordant label` wrote", os.fspath(path))
    try:
        plan = json.loads(read_text(file))
        if plan["format"] == PLAN and plan["version"] == 1:
            return LabelList.of_plan(plan, os.fspath(path))
    except (ValueError, TypeError, KeyError):
        pass
    raise ReadError("is not the plan of a list of documents to judge", str(file))


def _rewritten(order: str, topic: str, document: str, found: LabelList) -> int | None:
    """Find the pair of a row by its order, if a spreadsheet only rewrote numbers, such as 007 to 7."""
    number = plain_number(order)
    if number is None or number not in range(1, len(found.pairs) + 1):
        return None
    k = int(number) - 1
    return k if all(_alike(a, b) for a, b in zip((topic, document), found.pairs[k], strict=True)) else None


def _alike(now: str, before: str) -> bool:
    return now == before or ((a := plain_number(now)) is not None and a == plain_number(before))


def _grade(source: Source, line: int, text: str) -> float:
    whole, comma, digits = text.partition(",")
    number = plain_number(text if len(digits) == 3 else f"{whole}.{digits}" if comma else text)  # 1,000 is unclear
    if number is None or not abs(number) <= MOST:
        raise source.error(f"the grade {text!r} is not a number: write a number, leave it empty, or write {SKIP}", line)
    return number
