"""What the columns of a table mean: the one place that decides which are systems, topics, measures and scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..words import listing
from .cells import Cells, warn_of
from .missing import are_invented
from .numbers import cell_number, is_fraction, number
from .vocabulary import (
    COUNTERS,
    DOCUMENT_COLUMNS,
    INDEX_COLUMNS,
    MEASURE_COLUMNS,
    ROW_NUMBERS,
    ROW_NUMBERS_AGAIN,
    SYSTEM_COLUMNS,
    TOPIC_COLUMNS,
    TOPIC_ID,
    VALUE_COLUMNS,
    column_name,
    is_summary,
    looks_like_measure,
    looks_like_topic,
    may_be_topic,
    names_systems,
)

_WAY_OUT = "name the first column system if each row is a system, topic if each is a topic"
# No topic is named so.
_SCORE = re.compile(r"-?0?\.\d+")


class Layout(NamedTuple):
    """What the columns of a table are. `system` None: one system; `value` None: a column for each measure.

    A matrix has a column for each system, a transposed one for each topic: `others`.
    """

    kind: Literal["matrix", "transposed", "long"]
    system: int | None
    topic: int | None
    measure: int | None
    value: int | None
    others: tuple[int, ...]


def name_columns(header: Sequence[str]) -> Layout | str:
    """Decide by its header what each column of a table holds, or say why that cannot be told."""
    names = [column_name(name) for name in header]
    if not names:
        return "has no columns"
    twice = (
        next((k for k, name in enumerate(header) if name in header[:k]), None)
        if len(set(header)) < len(header)
        else None
    )
    if twice is not None:
        return f"two columns are named {header[twice]!r}: rename one, or leave it out if both are the same run"
    if (unnamed := next((k for k, name in enumerate(header) if k and not name), None)) is not None:
        return f"column {unnamed + 1} has no name in the header"
    system, topic = _first(names, SYSTEM_COLUMNS), _first(names, TOPIC_COLUMNS)
    if system is None:
        system = next((k for k, name in enumerate(names) if names_systems(name)), None)
    measure, value = _first(names, MEASURE_COLUMNS), _first(names, VALUE_COLUMNS)
    if topic is None and (system, measure, value) == (None, None, None) and TOPIC_ID.fullmatch(names[0]):
        topic = 0
    labelled = value is None and (topic, system) != (None, None)
    others = tuple(
        k
        for k in range(len(names))
        if k not in (system, topic, measure, value)
        and not (k == 0 and names[k] in ROW_NUMBERS)
        and not ((topic, system) != (None, None) and ROW_NUMBERS_AGAIN.fullmatch(names[k]))
        and not (labelled and names[k] in COUNTERS)
    )
    unnamed_pandas = next((header[k] for k in others if names[k].startswith("unnamed:_")), None)
    if unnamed_pandas is not None:
        return f"has a column {unnamed_pandas!r}, as pandas calls columns without a name: name it, or leave it out"
    if topic is not None and any(names[k] in DOCUMENT_COLUMNS for k in others):
        return (
            "scores documents, not topics: it is a run or qrels, as BEIR writes them. Evaluate the run; read_qrels "
            "reads qrels of four columns, topic, iteration, document and grade"
        )
    if topic is None and (measure is not None or (system is not None and (value is not None or _any(header, others)))):
        return (
            f"has a column of {'systems' if system is not None else 'measures'} but none of topics, so these are "
            "summaries: per-topic scores need a column named topic (or qid, query_id)"
        )
    if topic is None and system is not None:
        if names[system] == "name":
            return f"has a column {header[system]!r}: rename it system or topic, to tell which of them the rows are"
        return Layout("transposed", system, None, None, None, others)
    if value is not None and topic is not None:
        if system is None and measure is None and others:
            return (
                f"has columns {header[topic]!r} and {header[value]!r}, but none that names the systems beside "
                f"{listing(header[k] for k in others)}: name it system; if {header[value]!r} is a system, rename it"
            )
        if measure is None and _any(header, others):  # the value is one measure of several
            return Layout("long", system, topic, None, None, tuple(sorted((value, *others))))
        return Layout("long", system, topic, measure, value, others)
    if system is not None:
        if measure is not None:
            return "has columns for systems, topics and measures, but no column named value or score"
        return Layout("long", system, topic, None, None, others)
    if measure is not None:
        return (
            "has columns for topics and measures, but none named value or score: for one column per system, keep the "
            f"rows of one measure and leave out {header[measure]!r}; if that is a system, rename it"
        )
    # A matrix, unless the columns are measures: one system's scores, one column per measure.
    index = topic if topic is not None else 0 if names[0] in INDEX_COLUMNS else None
    rest = tuple(k for k in (range(len(names)) if topic is None else others) if k != index)
    second = next((header[k] for k in rest if names[k] in TOPIC_COLUMNS), None)
    if second is not None:
        assert topic is not None
        return f"has two columns named as topics are, {header[topic]!r} and {second!r}: leave one out, or rename it"
    measures = [header[k] for k in rest if looks_like_measure(header[k].strip())]
    if measures and (index is None or len(measures) < len(rest)):
        return (
            f"has columns named as measures ({listing(measures, 5)}) and "
            + (
                "none named topic"
                if index is None
                else f"others ({listing([header[k] for k in rest if header[k] not in measures], 5)})"
            )
            + ": for the scores of one system, name its topics topic and keep only measures, or add a column named "
            "system; if these are systems, rename them"
        )
    if measures:
        return Layout("long", None, index, None, None, rest)
    return Layout("matrix", None, index, None, None, rest)


def is_plausible(layout: Layout, scores: Sequence[float | None]) -> bool:
    """Whether the first row of a matrix, as numbers, has a score in it; prose and other formats have none.

    Where the header names the topics or systems, a bad score is for the reader to name.
    """
    if layout.kind == "long" or (layout.others and (layout.topic, layout.system) != (None, None)):
        return True
    return any(k < len(scores) and scores[k] is not None for k in layout.others)


def warn_of_counters(cells: Cells, layout: Layout) -> None:
    """Warn of the columns that are left out because they number the rows."""
    used = {layout.system, layout.topic, layout.measure, layout.value, *layout.others}
    left = [name for k, name in enumerate(cells.names) if k not in used and column_name(name) in COUNTERS]
    if left:
        warn_of(cells.origin, f"left out, because columns of this name number the rows: {listing(left)}")


def refuse_scores_as_names(cells: Cells, column: int, topic: int | None) -> None:
    """A matrix may have a system called `model`: its cells are scores, and each topic comes once."""
    found = [number(str(cell)) for cell in cells.values(column)]
    if topic is None:
        wrong = any(map(is_fraction, found))
    else:
        topics = cells.values(topic)
        wrong = None not in found and any(map(is_fraction, found)) and len(set(topics)) == len(topics)
    if wrong:
        raise cells.error(
            f"column {cells.names[column]!r} should name the systems, but holds numbers: if it is a system of its own, "
            "rename it"
        )


def refuse_wrong_rows(cells: Cells, name: str, rows: Sequence[str], across: Sequence[str]) -> None:
    """Refuse rows of a table without a column of systems that cannot be topics.

    Where their column is not named so, they have to look like topics.
    """
    labels, name = [row for row in rows if not is_summary(row)], column_name(name)
    if not labels or not across:
        return
    measures = [label for label in labels if looks_like_measure(label)]
    if measures and all(looks_like_topic(label) for label in labels if not looks_like_measure(label)):
        if len(measures) < len(labels):
            raise cells.error(
                f"has rows named as measures ({listing(measures, 3)}) among topics: leave them out, or rename them"
            )
        if name not in TOPIC_COLUMNS:
            raise cells.error(
                f"has measures as its rows ({listing(rows, 3)}), so these are summaries: give a row for each topic"
            )
    if name in TOPIC_COLUMNS:
        return
    shown = f"({listing(rows, 3)})"
    numbered = are_invented(labels) or all(map(looks_like_topic, labels))
    if all(map(looks_like_topic, across)) and not (numbered and counts(across)):
        like = "may be so as well" if numbered else "are not"
        raise cells.error(
            f"has columns named as topics ({listing(across, 3)}) and rows that {like} {shown}: {_WAY_OUT}"
        )
    if any(map(_SCORE.fullmatch, labels)):
        raise cells.error(f"has scores where names of topics should be {shown}: add a column named topic")
    known = name in INDEX_COLUMNS or TOPIC_ID.fullmatch(name)
    if not numbered and not (known and all(map(may_be_topic, labels))):
        raise cells.error(f"has rows {shown} of which nothing tells whether they are topics or systems: {_WAY_OUT}")


def first_is_topics(cells: Cells) -> bool:
    """Whether the first column of a matrix that names no topics holds them: words, or the numbers of the rows."""
    first, name = cells.values(0), cells.names[0]
    if cells.typed and len(cells.names) > 1 and all(isinstance(cell, str) for cell in first) and not cells.odd:
        return True  # text beside numbers
    rows = [row for row, cell in enumerate(first) if not is_summary(str(cell))]
    found = [cell_number(first[row]) for row in rows]
    word = next((row for row, value in zip(rows, found, strict=True) if value is None), None)
    if word is not None:
        if any(value is not None and not np.isnan(value) for value in found):
            raise cells.error(
                f"column {name!r} holds numbers, and here something else: if it is the column of topics, name it topic",
                word,
            )
        return True
    numbered = _is_row_number(np.array(found, dtype=np.float64), cells.block)
    if numbered is None:
        raise cells.error(
            f"column {name!r} holds numbers which may be topics or scores: if they are topics, name it topic; if it is "
            "a system, add a column named topic",
            0,
        )
    if numbered:
        warn_of(
            cells.origin,
            f"column {name!r} holds a different whole number in each row: read as the topics, not as a system; name it "
            "topic",
        )
    return numbered


def _is_row_number(column: FloatArray, others: FloatArray) -> bool | None:
    """Whether a matrix's first column numbers its rows: distinct whole numbers beside fractions.

    None if that cannot be told: numbers such as 31.1 beside scores up to 1; beside whole numbers, rising ones, or
    others than all of these.
    """
    if len(column) < 2 or np.isnan(column).any() or len(np.unique(column)) < len(column):
        return False
    whole = not (column % 1).any()
    if not whole and column.min() < 1:
        return False
    scores = others[~np.isnan(others)]
    if not whole:  # 31.1 and 31.2 are topics as well
        return None if scores.size and scores.max() <= 1 else False
    if (scores % 1).any():
        return True
    apart = bool(scores.size) and bool(column.min() > scores.max() or column.max() < scores.min())
    return None if apart or (np.diff(column) > 0).all() else False


def number_rows(name: str, labels: Sequence[str]) -> bool:
    """Whether a column of no name only counts the rows, from 0 or 1, as pandas and R write it."""
    return column_name(name) in ROW_NUMBERS and counts(labels)


def counts(labels: Sequence[str]) -> bool:
    """Whether labels are 0, 1, 2, ... or 1, 2, 3, ..."""
    return any(all(label == str(k) for k, label in enumerate(labels, start)) for start in (0, 1))


def _first(names: Sequence[str], wanted: Iterable[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _any(header: Sequence[str], columns: Iterable[int]) -> bool:
    return any(looks_like_measure(header[k].strip()) for k in columns)
