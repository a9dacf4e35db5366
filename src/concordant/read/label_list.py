"""The list of documents to judge, as `label` writes it, with the grades that people typed into it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ReadError
from ..files import read_text
from ..judgments.label import COLUMNS, PLAN, LabelList, plan_path
from ..judgments.qrels import MOST
from ..tables.numbers import plain_number
from .names import load_names, named_rows
from .source import Source

SKIP = "skip"


def is_label_list(header: list[str]) -> bool:
    """Whether a table with these columns is a list of documents to judge."""
    return {"order", "batch", "topic", "document", "grade"} <= {name.lower() for name in header}


def read_labels(path: str | os.PathLike[str]) -> LabelList:
    """Read a list of documents to judge, with the grades that people gave, and the plan beside it.

    It may have been through a spreadsheet: rows in another order, other separators and quotes, grades such as 1.0 or
    1,0. An empty grade is one that is still to come; `skip` is a pair that cannot be judged.

    See Also
    --------
    concordant.judgments.label : Choose the documents.
    concordant.judgments.rank_from_labels : Rank the systems by the grades.

    """
    plan = _plan(path)
    found = LabelList.of_plan(plan, source=os.fspath(path))
    source = load_names(path)
    header, rows = named_rows(source)
    if not is_label_list(header):
        raise source.error(f"is not a list of documents to judge: it lacks columns of {', '.join(COLUMNS)}")
    at = {name.lower(): k for k, name in enumerate(header)}
    place = {pair: k for k, pair in enumerate(found.pairs)}
    grades, skipped = np.full(len(place), np.nan), np.zeros(len(place), dtype=bool)
    seen: set[int] = set()
    for line, cells in rows:
        order, topic, document, text = (cells[at[name]] for name in ("order", "topic", "document", "grade"))
        k = _place(source, line, (order, topic, document), place, found)
        if k in seen:
            raise source.error(f"has document {document!r} on topic {topic!r} twice", line)
        seen.add(k)
        if text.lower() == SKIP:
            skipped[k] = True
        elif text:
            grades[k] = _grade(source, line, text)
    if len(seen) < len(place):
        topic, document = next(pair for pair, k in place.items() if k not in seen)
        missing = len(place) - len(seen)
        raise source.error(f"lacks {missing} of the {len(place)} rows of the list, such as {document!r} on {topic!r}")
    return replace(found, grades=grades, skipped=skipped)


def _plan(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    file = plan_path(path)
    if not file.exists():
        raise ReadError(f"has no plan beside it: put back {file.name}, which `concordant label` wrote", os.fspath(path))
    try:
        plan = json.loads(read_text(file))
        if plan["format"] == PLAN and plan["version"] == 1 and plan["pairs"]:
            return plan  # type: ignore[no-any-return]
    except (ValueError, TypeError, KeyError):
        pass
    raise ReadError("is not the plan of a list of documents to judge", str(file))


def _place(
    source: Source, line: int, given: tuple[str, str, str], place: Mapping[tuple[str, str], int], found: LabelList
) -> int:
    """The pair that a row is about: by its names, or by its order if a spreadsheet only rewrote numbers (007 to 7)."""
    order, topic, document = given
    if (k := place.get((topic, document))) is not None:
        return k
    number = plain_number(order.encode())
    if number is not None and number == int(number) and 1 <= number <= len(found.pairs):
        k = int(number) - 1
        if all(_alike(a, b) for a, b in zip((topic, document), found.pairs[k], strict=True)):
            return k
    raise source.error(f"document {document!r} on topic {topic!r} is not on the list", line)


def _alike(now: str, before: str) -> bool:
    if now == before:
        return True
    a, b = plain_number(now.encode()), plain_number(before.encode())
    return a is not None and a == b


def _grade(source: Source, line: int, text: str) -> float:
    number = plain_number(text.replace(",", ".").encode())
    if number is None or not abs(number) <= MOST:
        raise source.error(f"the grade {text!r} is not a number: write a number, leave it empty, or write {SKIP}", line)
    return number
