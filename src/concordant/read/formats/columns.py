"""Columns without a header: ir_measures -q (topic, measure, value), four with the run in front, AutoJudge's six.

The run's file may order measure and topic either way; the names of measures and the summary row tell which.
"""

from __future__ import annotations

from itertools import islice

from ...errors import ConcordantError, ReadError
from ...words import listing
from ..source import QUOTED, Source
from ..tables.cells import number, scores_of
from ..tables.contents import Contents, warn_of_words
from ..tables.pivot import Grid, pivot
from ..tables.vocabulary import is_summary, looks_like_measure, looks_like_topic, may_be_topic
from .trec_eval import TEXTS, TrecEval

_WAY_OUT_SUMMARY = "write per-topic scores (ir_measures -q, trec_eval -q)"
Fields = list[tuple[int, list[str]]]


def separator(source: Source) -> bytes | None:
    """What separates the fields of a file's first line: tabs, commas or semicolons, else white space (None).

    Names may have blanks (`topic,GPT 4`), and those of runs marks (`a,b map 301 0.5`): the second line tells.
    """
    lines = source.lines()
    line, second = next(lines)[1], next(lines, (0, b""))[1]
    if b"\t" in line:
        return b"\t"
    parts, below = line.split(), second.split()
    columns = len(parts) == len(below) and all(number(row[-1]) is not None for row in (parts, below))
    measured = columns and any(looks_like_measure(part.decode()) for part in parts[:-1])
    for mark in (b",", b";"):
        counts = [QUOTED.sub(b"", text).count(mark) for text in (line, second)]
        if mark in line and all(part.endswith(mark) for part in parts[:-1]):
            return mark
        # `x, map t, 0.5` has a measure between blanks, `301, GPT 4, 0.5` has not.
        if counts[0] == counts[1] > 0 and not (columns and (measured or not any(p.endswith(mark) for p in parts))):
            return mark
    return None


def split_line(line: bytes, mark: bytes | None) -> list[str]:
    """The fields of a line without the white space around them."""
    return [part.strip().decode() for part in line.split(mark)]


def topic_first(fields: Fields, first: int) -> bool | None:
    """Whether column `first` holds topics and the next one measures; None if that cannot be told."""
    for a, b, answer in ((first, first + 1, True), (first + 1, first, False)):
        topics, measures = {row[a] for _, row in fields}, {row[b] for _, row in fields}
        if all(map(looks_like_measure, measures)) and not all(map(looks_like_measure, topics)):
            return answer
    # Measures of no known name: the summary row has its name in the column of topics.
    summary = [any(is_summary(row[k]) for _, row in fields) for k in (first, first + 1)]
    return summary[0] if summary[0] != summary[1] else None


def read_columns(source: Source, width: int) -> Contents | None:
    """Three columns (one run) or four (the run first). None if no column holds measures."""
    fields = _fields(source, width)
    order = topic_first(fields, width - 3)
    if order is None:
        return None
    if width == 4:
        _refuse_no_run_first(source, fields, 1 if order else 2)
    if width == 3:
        topics = {row[0 if order else 1] for _, row in fields}
        warn_of_words(source, sorted(topics))
    if width == 3 and not order:
        return TrecEval(source)  # without its padding
    topic, measure = (width - 3, width - 2) if order else (width - 2, width - 3)
    return _contents(source, fields, topic, measure, "four columns" if width == 4 else "ir_measures -q")


def read_ranking(source: Source) -> Contents | None:
    """AutoJudge's rankings: topic Q0 system rank score measure. None if it is a run, which has the same columns.

    A run ranks the documents of each topic, and few documents are in several topics. Here every rank is the same, and
    most systems have most topics.
    """
    if len({line.split()[3:4][0] for _, line in islice(source.lines(), 100) if len(line.split()) == 6}) != 1:
        return None
    fields = _fields(source, 6)
    topics, systems = {row[0] for _, row in fields}, {row[2] for _, row in fields}
    cells = {(row[0], row[2]) for _, row in fields}
    if len({row[3] for _, row in fields}) > 1 or len(topics) < 2 or 2 * len(cells) < len(topics) * len(systems):
        return None
    return _contents(source, [(line, [r[2], r[0], r[5], r[4]]) for line, r in fields], 1, 2, "AutoJudge ranking")


def _contents(source: Source, fields: Fields, topic: int, measure: int, form: str) -> Contents:
    """The scores by measure; where there are four columns, the run is in front."""
    parts: dict[str, Fields] = {}
    for line, row in fields:
        if not row[measure].startswith(TEXTS):
            parts.setdefault(row[measure], []).append((line, row))
    grids: dict[str, Grid] = {}
    only_summary = None
    for name, rows in parts.items():
        if all(is_summary(row[topic]) for _, row in rows):
            only_summary = rows[0][0]
            continue
        grids[name] = _grid(source, rows, topic, len(rows[0][1]) == 4)
    if not grids:
        raise source.error(f"holds only summary rows, no scores of topics: {_WAY_OUT_SUMMARY}", only_summary)
    found = Contents(source, grids)
    found.format = form
    return found


def _refuse_no_run_first(source: Source, fields: Fields, topic: int) -> None:
    """Four columns start with the run. Topics or measures there would be read as runs."""
    for line, row in fields:
        if is_summary(row[0]):
            raise _not_the_run(source, f"the summary row {row[0]!r}", line)
    first, topics = {row[0] for _, row in fields}, {row[topic] for _, row in fields}
    if all(map(looks_like_measure, first)):
        raise _not_the_run(source, "a measure", fields[0][0])
    if all(map(looks_like_topic, first)) and not any(map(looks_like_topic, topics)):
        raise _not_the_run(source, "a topic", fields[0][0])
    if not any(map(may_be_topic, topics)):
        raise source.error(
            f"nothing tells which of the columns are the run and the topic ({listing(sorted(topics), 3)}): add a first "
            "line that names the columns, such as system, topic, measure, value",
            fields[0][0],
        )


def _not_the_run(source: Source, what: str, line: int) -> ReadError:
    return source.error(
        f"the first of four columns should be the run, but looks like {what}: add a first line that names the columns, "
        "such as topic, system, measure, value",
        line,
    )


def _fields(source: Source, width: int) -> Fields:
    fields = []
    mark = separator(source)
    for line, text in source.lines():
        row = split_line(text, mark)
        if len(row) != width or not all(row):
            raise source.error(f"has {len(row)} fields where the lines before have {width}", line)
        fields.append((line, row))
    for line, text in source.lines(comments=True):
        row = split_line(text, mark)
        if len(row) == width and row[0] != "#" and number(row[-1]) is not None:
            raise source.doubtful_comment(line)
    return fields


def _grid(source: Source, rows: Fields, topic: int, with_system: bool) -> Grid:
    values, percent = scores_of([row[-1] for _, row in rows], lambda k, said: source.error(said, rows[k][0]))

    def twice(first: int, again: int) -> ConcordantError:
        return source.error(f"the same score was given at line {rows[first][0]}", rows[again][0])

    systems = [row[0] for _, row in rows] if with_system else None
    return pivot(source, [row[topic] for _, row in rows], systems, values, twice, percent)
