"""Columns without a header: trec_eval -q (measure, topic, value), ir_measures -q (topic, measure, value), four columns
with the run in front, and AutoJudge's six.

The run's file may order measure and topic either way; the names of measures and the summary row tell which. The rows of
topic `all` are the summary: `runid` among them names the run; the others are used only where there is nothing else
(trec_eval without -q), because they may average other topics than the rows do (missing topics, -c, qrels of several
years).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from ...errors import ConcordantError, ReadError, listing
from ..source import QUOTED, Source
from ..tables.cells import MEAN, Grid, number, pivot, scores_of, warn_of_lost
from ..tables.contents import Contents, warn_of_words
from ..tables.vocabulary import is_summary, looks_like_measure, looks_like_topic, may_be_topic

# Values of these measures are strings.
TEXTS = ("runid", "relstring")
_COUNTS = frozenset({"runid", "relstring", "num_q"})  # of a summary, no scores
_NAME_THEM = "add a first line that names the columns"
Rows = list[tuple[int, list[bytes]]]


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


class Form(NamedTuple):
    """Which of how many columns are what."""

    name: str
    width: int
    topic: int
    measure: int
    value: int
    system: int | None = None


TREC_EVAL = Form("trec_eval -q", 3, 1, 0, 2)


class Columns(Contents):
    """The scores in columns without a header.

    Published studies read a hundred files with thirty measures each to use one, so only the lines that name the measure
    are taken apart.
    """

    def __init__(self, source: Source, form: Form) -> None:
        super().__init__(source)
        self.source, self.format, self.form = source, form.name, form
        self.means: dict[str, str] = {}
        if form == TREC_EVAL:
            tags = dict.fromkeys(_text(row[2]) for _, row in self._rows(b"runid") if _text(row[0]) == "runid")
            if len(tags) > 1:
                raise source.error(f"holds several runs ({listing(tags)}): give each a file of its own")
            self.names = (*tags, source.run_name()) if tags else ()
            if b"all" in next(source.lines())[1] and source.data.count(b"all") >= source.data.count(b"\n"):
                self._take_means(self._rows())  # otherwise there are topics

    @cached_property
    def _regular(self) -> bool:
        """Whether all lines can have as many fields as they should; otherwise they are read to say what is wrong."""
        mark, data = separator(self.source), self.source.data
        raw = np.frombuffer(data, np.uint8)  # which counts much faster than bytes do
        lines = np.count_nonzero(raw == ord("\n")) + (not data.endswith(b"\n"))
        return mark is not None and np.count_nonzero(raw == ord(mark)) == (self.form.width - 1) * lines

    def _rows(self, wanted: bytes = b"") -> Rows:
        return _rows(self.source, self.form.width, wanted if self._regular else b"")

    def _take_means(self, rows: Rows) -> None:
        if not all(is_summary(_text(topic)) for _, (_, topic, _) in rows):
            return
        for line, (name, _, value) in rows:
            if self.means.setdefault(_text(name), _text(value)) != _text(value):
                raise self.source.error(f"has {_text(name)!r} twice: give each run a file of its own", line)
        self.format, self.averaged = "trec_eval, means", self.means.get("num_q", "")
        self.reading = "one score per system"

    @cached_property
    def _known(self) -> tuple[list[str], list[str]]:
        """The measures with rows of topics, in the order of the file, and the topics."""
        form, rows = self.form, self._rows()
        topics = {row[form.topic] for _, row in rows}
        summaries = {topic for topic in topics if is_summary(_text(topic))}
        named = dict.fromkeys(_text(row[form.measure]) for _, row in rows if row[form.topic] not in summaries)
        measures = [name for name in named if not name.startswith(TEXTS)]
        if not measures:
            way_out = "write per-topic scores (ir_measures -q, trec_eval -q)"
            raise self.source.error(f"holds only summary rows, no scores of topics: {way_out}", rows[0][0])
        return measures, list(map(_text, topics - summaries))

    def measures(self) -> Collection[str]:
        """The measures that have rows of topics; of a summary, those with a mean."""
        if self.means:
            return [name for name, value in self.means.items() if number(value) is not None and name not in _COUNTS]
        return self._known[0]

    def grid(self, measure: str) -> Grid:
        """The scores of one measure."""
        if self.means:
            if measure not in self.measures():
                raise self.no_measure(measure)
            return Grid(np.array([[number(self.means[measure])]], dtype=np.float64), [MEAN])
        form, wanted = self.form, measure.encode(errors="replace")
        rows = [(k, row) for k, row in self._rows(wanted) if row[form.measure].strip() == wanted]
        if not rows:
            raise self.no_measure(measure)
        topics = [_text(row[form.topic]) for _, row in rows]
        if all(map(is_summary, topics)):
            said = f"measure {measure!r} exists only as the summary of all topics, not for each topic"
            raise self.source.error(said, rows[0][0])
        texts = [_text(row[form.value]) for _, row in rows]
        values, percent = scores_of(texts, lambda k, said: self.source.error(said, rows[k][0]))

        def twice(first: int, again: int) -> ConcordantError:
            said = f"topic {topics[again]!r} has {measure!r} twice (first at line {rows[first][0]}): one file, one run"
            return self.source.error(said, rows[again][0])

        systems = None if form.system is None else [_text(row[form.system]) for _, row in rows]
        found = pivot(self.source, topics, systems, values, twice, percent)
        if form != TREC_EVAL:
            warn_of_lost(self.source, measure, self._known[1], found.topics)
        return found


def _text(field: bytes) -> str:
    return field.strip().decode()


def _rows(source: Source, width: int, wanted: bytes = b"") -> Rows:
    """The lines and fields of all rows, or of those with this text in them."""
    mark = separator(source)
    rows = [(k, line.split(mark)) for k, line in _lines(source.data, wanted) if not line.startswith(b"#")]
    for place, (k, fields) in enumerate(rows):
        if len(fields) != width:
            rows[place] = k, b" ".join(fields).split(None, width - 1)  # blanks in place of tabs
        if len(rows[place][1]) != width or not all(map(bytes.strip, fields)):
            need = ": a measure, a topic and a value are needed" if width == 3 else ""
            raise source.error(f"has {len(fields)} fields where the lines before have {width}{need}", k)
    return rows


def _lines(data: bytes, wanted: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines with this text in them, and their numbers; without blank ones."""
    if not wanted:
        yield from ((k, line) for k, line in enumerate(data.split(b"\n"), 1) if line.strip())
        return
    k, end, data = 1, 0, data if data.endswith(b"\n") else data + b"\n"
    while (place := data.find(wanted, end)) >= 0:
        start = data.rfind(b"\n", end, place) + 1
        k += data.count(b"\n", end, start)
        end = data.index(b"\n", place)
        yield k, data[start:end]


def read_columns(source: Source, width: int) -> Contents | None:
    """Three columns (one run) or four (the run first). None if no column holds measures."""
    source.refuse_hidden_rows(width, mark=separator(source))
    fields = [(line, list(map(_text, row))) for line, row in _rows(source, width)]
    order = _topic_first(fields, width - 3)
    if order is None:
        return None
    topic, measure = (width - 3, width - 2) if order else (width - 2, width - 3)
    if width == 4:
        _refuse_no_run_first(source, fields, topic)
        return Columns(source, Form("four columns", 4, topic, measure, 3, 0))
    warn_of_words(source, sorted({row[topic] for _, row in fields}))
    return Columns(source, Form("ir_measures -q", 3, 0, 1, 2) if order else TREC_EVAL)  # without its padding


def _topic_first(fields: Iterable[tuple[int, list[str]]], first: int) -> bool | None:
    """Whether column `first` holds topics and the next one measures; None if that cannot be told."""
    for a, b, answer in ((first, first + 1, True), (first + 1, first, False)):
        topics, measures = {row[a] for _, row in fields}, {row[b] for _, row in fields}
        if all(map(looks_like_measure, measures)) and not all(map(looks_like_measure, topics)):
            return answer
    # Measures of no known name: the summary row has its name in the column of topics.
    summary = [any(is_summary(row[k]) for _, row in fields) for k in (first, first + 1)]
    return summary[0] if summary[0] != summary[1] else None


def read_ranking(source: Source) -> Contents | None:
    """AutoJudge's rankings: topic Q0 system rank score measure. None if it is a run, which has the same columns.

    A run ranks the documents of each topic, and few documents are in several topics. Here every rank is the same, and
    most systems have most topics.
    """
    if len({line.split()[3:4][0] for _, line in islice(source.lines(), 100) if len(line.split()) == 6}) != 1:
        return None
    rows = _rows(source, 6)
    topics, systems, cells = {row[0] for _, row in rows}, {row[2] for _, row in rows}, {(r[0], r[2]) for _, r in rows}
    if len({row[3] for _, row in rows}) > 1 or len(topics) < 2 or 2 * len(cells) < len(topics) * len(systems):
        return None
    source.refuse_hidden_rows(6)
    return Columns(source, Form("AutoJudge ranking", 6, 0, 5, 4, 2))


def _refuse_no_run_first(source: Source, fields: list[tuple[int, list[str]]], topic: int) -> None:
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
        said = f"nothing tells which of the columns are the run and the topic ({listing(sorted(topics), 3)})"
        raise source.error(f"{said}: {_NAME_THEM}, such as system, topic, measure, value", fields[0][0])


def _not_the_run(source: Source, what: str, line: int) -> ReadError:
    said = f"the first of four columns should be the run, but looks like {what}"
    return source.error(f"{said}: {_NAME_THEM}, such as topic, system, measure, value", line)
