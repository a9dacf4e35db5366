"""Read text files: tables with a header (CSV, TSV, semicolons, blanks, Markdown), and columns without one.

Formats without a header are trec_eval -q (measure, topic, value), ir_measures -q (topic, measure, value), four columns
that start with the run, and AutoJudge's six columns. After the run, measure and topic may come in either order; names
of measures and the summary row show which. Rows of the topic `all` are summaries. The summary of the measure `runid`
names the run. Other summaries are used only if the file has no other rows (trec_eval without -q), because they may be
means over topics that the file does not list (missing topics, -c, qrels of several years).
"""

from __future__ import annotations

import csv
import io
import re
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain, compress, islice
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConcordantError, ReadError, limit_of, listing
from ..source import QUOTED, Source
from ..tables import vocabulary
from ..tables.contents import MEAN, Contents, Grid, pivot, warn_of_lost, warn_of_words
from ..tables.layout import Cells, Column, Roles, is_plausible, name_columns, parse, scores_of
from ..tables.vocabulary import NOTHING, cell_number, is_fraction, number, plain_numbers

# A number takes 8 bytes of memory; a text that is neither a label nor a number takes about 170. So only a tenth of the
# cells may hold such text. To read larger tables, set CONCORDANT_MAX_CELLS in the environment, or this constant.
MAX_CELLS = limit_of("CONCORDANT_MAX_CELLS", 100_000_000)
_BATCH = 2**10  # cells that are parsed at a time; small batches spare the garbage collector
_BLANK = " \t\n"


def read_delimited(source: Source, roles: Roles) -> Cells | None:
    """Read a table with a header line; return None if the text does not look like such a table."""
    # The first two rows show whether this is a table.
    beginning = [(line, [cell.strip(_BLANK) for cell in row]) for line, row in islice(_rows(source), 2)]
    header_line, header = beginning[0]
    if len(beginning) < 2 or all(number(name) is not None for name in header):
        return None
    first = beginning[1][1]
    width = len(header)
    longer = len(first) == width + 1
    trailing = longer and any(map(vocabulary.names_labels, header))  # rows end with a delimiter, or a name is missing
    if longer and not trailing:  # R's write.table writes no header for the row names
        header = ["", *header]
    scores = [cell_number(name) for name in header[1:]]  # nan if a cell says that its score is missing
    said = (roles.topic, roles.system)
    labelled = header[0] in said or vocabulary.names_labels(header[0])
    if not labelled and None not in scores and any(number(name) is not None for name in header[1:]):
        raise no_header(source, header_line)
    layout = name_columns(header, roles)
    if not isinstance(layout, str) and not is_plausible(layout, [cell_number(cell) for cell in first]):
        return None
    kept = [k for k, name in enumerate(header) if name in said or vocabulary.holds_labels(name, k)]
    cells = _cells(source, header, kept, trailing)
    if longer and not trailing:
        bad = next((row for row, cell in enumerate(cells.values(0)) if is_fraction(number(cell))), None)
        if bad is not None:  # the first column holds scores, not names of rows
            raise _unequal(source, width + 1, width, cells.lines[bad] if cells.lines else header_line)
    return cells


def no_header(source: Source, line: int) -> ReadError:
    """Make the error for a table that starts with numbers. If a comment looks like its header, the error quotes it."""
    before = (text for text in source.data.split(b"\n", line)[: line - 1] if text.startswith(b"#"))
    width = len(_split(source.text(line).encode()))
    comment = next((text.decode() for text in before if len(_split(text)) == width > 1), None)
    hint = "" if comment is None else f" (lines that start with # are comments: {comment[:80]!r})"
    names = "add a first line with the systems' names, and with topic if the first column holds the topics"
    return source.error(f"holds numbers without a header: {names}{hint}", line)


def _split(line: bytes) -> list[bytes]:
    return line.split(delimiter_of(line).strip(" ").encode() or None)


def _unequal(source: Source, fields: int, names: int, line: int) -> ReadError:
    return source.error(f"has {fields} fields, but the header has {names}: name each column once", line)


def refuse_too_many(source: Source, cells: int, words: int) -> None:
    """Refuse a table with too many cells, or too many cells of text."""
    for count, most, what in ((cells, MAX_CELLS, "cells"), (words, MAX_CELLS // 10, "rows or cells of text")):
        if count > most:
            way_out = "set CONCORDANT_MAX_CELLS in the environment, or concordant.read.formats.delimited.MAX_CELLS"
            raise source.error(f"is a table of more than {most:,} {what}; to allow it, {way_out}")


class _Scores:
    """The scores of a table, collected row by row."""

    def __init__(self, columns: list[int]) -> None:
        self.columns = columns
        self.values, self.words = array("d"), 0
        self.odd: dict[int, dict[int, Any]] = {}

    def add(self, cells: list[str]) -> None:
        """Add the cells of some rows."""
        found = plain_numbers(cells)
        if found is not None:
            self.values.fromlist(found)
            return
        (values, odd), before = parse(cells), len(self.values)
        for place, cell in odd.items():
            row, k = divmod(before + place, len(self.columns))
            self.odd.setdefault(self.columns[k], {})[row] = cell.strip(_BLANK)
        self.words += len(odd)
        self.values.fromlist(values.tolist())


def _cells(source: Source, header: list[str], kept: list[int], trailing: bool) -> Cells:
    """Read all rows below the header."""
    rows = _rows(source)
    header_line = next(rows)[0]
    width = len(header)
    refuse_too_many(source, (source.data.count(b"\n") + 1) * width, 0)
    scored = [k not in kept for k in range(width)]
    scores = _Scores(list(compress(range(width), scored)))
    texts: dict[int, list[str]] = {k: [] for k in kept}
    lines = array("q")
    while batch := list(islice(rows, 1 + _BATCH // width)):
        for line, row in batch:
            if trailing and len(row) == width + 1 and not row[-1].strip():
                row.pop()
            if len(row) != width:
                raise _unequal(source, len(row), width, line)
            lines.append(line)
        for k, labels in texts.items():
            labels.extend([sys.intern(row[k].strip(_BLANK)) for _, row in batch])  # store each label only once
        scores.add(list(compress(chain.from_iterable(row for _, row in batch), scored * len(batch))))
        refuse_too_many(source, 0, scores.words)
    block = np.frombuffer(scores.values, dtype=np.float64).reshape(len(lines), len(scores.columns))
    columns = {k: Column(block[:, place], scores.odd.get(k, {})) for place, k in enumerate(scores.columns)}
    columns |= {k: Column(labels) for k, labels in texts.items()}
    return Cells(source, header, [columns[k] for k in range(width)], lines, header_line)


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of each row, the header first."""
    line, first = next(source.lines())
    delimiter = delimiter_of(first)
    text = io.TextIOWrapper(io.BytesIO(source.data), encoding="utf-8", newline="")
    for _ in range(line - 1):  # comments before the header
        text.readline()
    lines: Iterator[str] = text
    if delimiter == " ":  # blanks align the columns, perhaps together with tabs
        lines = (line.replace("\t", " ").strip(" \n") + "\n" for line in lines)
    rows = csv_rows(source, lines, delimiter, line)
    if b'"' not in source.data and delimiter != " ":  # twice as fast as the csv module
        rows = ((place, text.rstrip("\n").split(delimiter)) for place, text in enumerate(lines, line))
    width = 0
    for place, row in rows:
        # Test the first cell before the others, because it is hardly ever empty.
        if not row or not (row[0].strip(_BLANK) or any(cell.strip(_BLANK) for cell in row)):
            continue
        if not width or not row[0].startswith("#") or not _is_comment(source, row, place, width):
            yield place, row
            width = width or len(row)
    if not width:
        raise source.error("is a table of empty fields", line)


def csv_rows(source: Source, lines: Iterable[str], delimiter: str, line: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number where each row starts, and its cells; `line` is the number of the first line."""
    # strict: otherwise a quotation mark that is never closed would swallow the rest of the file.
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=delimiter != "\t")
    start = line
    try:
        for row in reader:
            yield start, row
            start = line + reader.line_num
    except csv.Error as error:
        raise source.error(f"is not a table: {error}", start) from None


def _is_comment(source: Source, cells: list[str], line: int, width: int) -> bool:
    """Tell whether a row that starts with # is a comment."""
    first = cells[0].strip(_BLANK)
    if first.lower() in NOTHING:
        return False
    # A quoted text may be the name of a topic.
    quoted = b'"' in source.data and len(cells) == width and any(number(cell) is not None for cell in cells[1:])
    if len(cells) > 1 and ((not first.startswith("# ") and first != "#") or quoted):
        raise source.doubtful_comment(line)
    return True


def delimiter_of(first: bytes) -> str:
    """Find the character that separates the names in the header, ignoring quoted text."""
    plain = QUOTED.sub(b"", first)
    marks = [mark for mark in "\t,;" if mark.encode() in plain]
    labels = (
        mark for mark in marks if vocabulary.names_labels(plain.split(mark.encode())[0].decode()) and plain[:1].strip()
    )
    return next(labels, None) or next(iter(marks), " ")


_ROW = re.compile(rb"\s*\|.*\|\s*")
_RULE = re.compile(rb"[\s|:-]*-[\s|:-]*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"(\*\*|__|`|\*)(.*)\1")


def is_markdown(line: bytes) -> bool:
    """Tell whether a line is a row of a Markdown table."""
    return _ROW.fullmatch(line) is not None


def as_tabs(source: Source) -> Source:
    """Convert a Markdown table to tab-separated text, without links and emphasis. Each line keeps its number."""
    made, rules = [], 0
    for place, line in enumerate(source.data.split(b"\n"), 1):
        if not line.strip() or (_RULE.fullmatch(line) and is_markdown(line)):
            rules += bool(line.strip())
            made.append("")
            continue
        if not is_markdown(line) and not any(made):  # a heading or text above the table
            made.append("")
            continue
        if not is_markdown(line) or rules > 1:
            raise source.error("is not a row of the table above: give each table its own file", place)
        cells = re.split(r"(?<!\\)\|", line.decode().strip().replace("\t", " ")[1:-1])
        made.append("\t".join(_plain(cell) for cell in cells))
    return replace(source, data="\n".join(made).encode())


def _plain(cell: str) -> str:
    text = _LINK.sub(r"\1", cell.replace(r"\|", "|").replace(r"\_", "_")).strip()
    while match := _MARKS.fullmatch(text):
        text = match[2].strip()
    return text


# Columns without a header --------------------------------------------------------------------------------------------

# Measures whose values are strings.
TEXTS = ("runid", "relstring")
_COUNTS = frozenset({"runid", "relstring", "num_q"})  # measures in a summary that are not scores
_NAME_THEM = "add a first line that names the columns"
Rows = list[tuple[int, list[bytes]]]


def separator(source: Source) -> bytes | None:
    """Find the separator of fields in the first line of a file: tab, comma or semicolon; None means white space.

    Names may have blanks (`topic,GPT 4`), and names of runs may have commas (`a,b map 301 0.5`), so the second line is
    used, too.
    """
    lines = source.lines()
    line, second = next(lines)[1], next(lines, (0, b""))[1]
    if b"\t" in line:
        return b"\t"
    parts, below = line.split(), second.split()
    columns = len(parts) == len(below) and all(number(row[-1]) is not None for row in (parts, below))
    measured = columns and any(vocabulary.looks_like_measure(part.decode()) for part in parts[:-1])
    for mark in (b",", b";"):
        counts = [QUOTED.sub(b"", text).count(mark) for text in (line, second)]
        if mark in line and all(part.endswith(mark) for part in parts[:-1]):
            return mark
        # `x, map t, 0.5` has a measure between blanks, `301, GPT 4, 0.5` has none.
        if counts[0] == counts[1] > 0 and not (columns and (measured or not any(p.endswith(mark) for p in parts))):
            return mark
    return None


def split_line(line: bytes, mark: bytes | None) -> list[str]:
    """Split a line into fields without the white space around them."""
    return [part.strip().decode() for part in line.split(mark)]


class Form(NamedTuple):
    """A format without a header: its name, the number of columns, and the index of the column for each role."""

    name: str
    width: int
    topic: int
    measure: int
    value: int
    system: int | None = None


TREC_EVAL = Form("trec_eval -q", 3, 1, 0, 2)


class Columns(Contents):
    """The scores in columns without a header.

    Published studies read a hundred files with thirty measures each, but use only one measure. So only lines that
    contain its name are split.
    """

    def __init__(self, source: Source, form: Form) -> None:
        super().__init__(source)
        self.source, self.format, self.form = source, form.name, form
        self.means: dict[str, str] = {}
        mark, raw = separator(source), np.frombuffer(source.data, np.uint8)  # NumPy counts faster than bytes.count
        lines = np.count_nonzero(raw == ord("\n")) + (not source.data.endswith(b"\n"))
        self.regular = mark is not None and np.count_nonzero(raw == ord(mark)) == (form.width - 1) * lines
        if form == TREC_EVAL:
            tags = dict.fromkeys(row[2].decode() for _, row in self._rows(b"runid") if row[0] == b"runid")
            if len(tags) > 1:
                raise source.error(f"holds several runs ({listing(tags)}): give each its own file")
            self.names = (*tags, source.run_name()) if tags else ()
            if b"all" in next(source.lines())[1] and source.data.count(b"all") >= source.data.count(b"\n"):
                self._take_means(self._rows())  # otherwise some rows are topics

    def _rows(self, wanted: bytes = b"") -> Rows:
        """Return all rows or, if every line can have the right number of fields, only rows that contain `wanted`."""
        return _fields(self.source, self.form.width, wanted if self.regular else b"")

    def _take_means(self, rows: Rows) -> None:
        if not all(vocabulary.is_summary(topic.decode()) for _, (_, topic, _) in rows):
            return
        for place, (name, _, value) in rows:
            if self.means.setdefault(name.decode(), value.decode()) != value.decode():
                raise _at(self.source, f"has {name.decode()!r} twice: give each run its own file", place)
        self.format, self.averaged = "trec_eval, means", self.means.get("num_q", "")
        self.reading = "one score per system"

    @cached_property
    def _known(self) -> tuple[list[str], list[str]]:
        """The measures that have scores on topics, in the order of the file, and the topics."""
        form, rows = self.form, self._rows()
        topics = {row[form.topic] for _, row in rows}
        summaries = {topic for topic in topics if vocabulary.is_summary(topic.decode())}
        named = dict.fromkeys(row[form.measure].decode() for _, row in rows if row[form.topic] not in summaries)
        measures = [name for name in named if not name.startswith(TEXTS)]
        if not measures:
            way_out = "write per-topic scores (ir_measures -q, trec_eval -q)"
            raise _at(self.source, f"holds only summary rows, no scores on topics: {way_out}", rows[0][0])
        return measures, list(map(bytes.decode, topics - summaries))

    def measures(self) -> Collection[str]:
        """The measures that have scores on topics; if the file is a summary, the measures that have a mean."""
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
        rows = [(place, row) for place, row in self._rows(wanted) if row[form.measure] == wanted]
        if not rows:
            raise self.no_measure(measure)
        topics = [row[form.topic].decode() for _, row in rows]
        if all(map(vocabulary.is_summary, topics)):
            said = f"measure {measure!r} exists only as the summary of all topics, not for each topic"
            raise _at(self.source, said, rows[0][0])
        texts = [row[form.value].decode() for _, row in rows]
        values, percent = scores_of(texts, lambda k, said: _at(self.source, said, rows[k][0]))

        def twice(first: int, again: int) -> ConcordantError:
            line = _line(self.source, rows[first][0])
            said = f"topic {topics[again]!r} has {measure!r} twice (first at line {line}): give each run its own file"
            return _at(self.source, said, rows[again][0])

        systems = None if form.system is None else [row[form.system].decode() for _, row in rows]
        found = pivot(self.source, topics, systems, values, twice, percent, quiet=True)
        if form != TREC_EVAL:
            warn_of_lost(self.source, measure, self._known[1], found.topics)
        return found


def _line(source: Source, place: int) -> int:
    """Return the number of the line that starts at `place`. Only errors need it, so reading does not count lines."""
    return source.data.count(b"\n", 0, place) + 1


def _at(source: Source, said: str, place: int) -> ReadError:
    return source.error(said, _line(source, place))


def _lines(data: bytes, wanted: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield where each line starts, and the line; with `wanted`, yield only lines that contain this text."""
    start, end, found = 0, len(data), []
    for line in () if wanted else data.split(b"\n"):
        yield start, line
        start += len(line) + 1
    while wanted and (place := data.rfind(wanted, 0, end)) >= 0:  # in CPython, searching from the end is twice as fast
        start = data.rfind(b"\n", 0, place) + 1
        found.append((start, data[start:end].partition(b"\n")[0]))
        end = start
    yield from reversed(found)


def _fields(source: Source, width: int, wanted: bytes = b"") -> Rows:
    """Return where each row starts, and its stripped fields; with `wanted`, only rows that contain this text."""
    mark, rows = separator(source), []
    for place, line in _lines(source.data, wanted):
        if not line.strip() or line.startswith(b"#"):
            continue
        fields = found = list(map(bytes.strip, line.split(mark)))
        if len(fields) != width:
            found = b" ".join(fields).split(None, width - 1)  # blanks instead of tabs
        if len(found) != width or not all(fields):
            need = ": a measure, a topic and a value are needed" if width == 3 else ""
            raise _at(source, f"has {len(fields)} fields, but the lines before have {width}{need}", place)
        rows.append((place, found))
    return rows


def read_columns(source: Source, width: int) -> Contents | None:
    """Read three columns (one run) or four (the run first); None if it is unclear which column holds measures."""
    source.refuse_hidden_rows(width, mark=separator(source))
    fields = [(place, list(map(bytes.decode, row))) for place, row in _fields(source, width)]
    order = _topic_first(fields, width - 3)
    if order is None:
        return None
    topic, measure = (width - 3, width - 2) if order else (width - 2, width - 3)
    if width == 4:
        _refuse_no_run_first(source, fields, topic)
        return Columns(source, Form("four columns", 4, topic, measure, 3, 0))
    warn_of_words(source, sorted({row[topic] for _, row in fields}))
    return Columns(source, Form("ir_measures -q", 3, 0, 1, 2) if order else TREC_EVAL)  # unpadded


def _topic_first(fields: Iterable[tuple[int, list[str]]], first: int) -> bool | None:
    """Tell whether column `first` holds topics and the next one measures; None if unclear."""
    for a, b, answer in ((first, first + 1, True), (first + 1, first, False)):
        topics, measures = {row[a] for _, row in fields}, {row[b] for _, row in fields}
        if all(map(vocabulary.looks_like_measure, measures)) and not all(map(vocabulary.looks_like_measure, topics)):
            return answer
    # If no measure has a known name, the summary row shows which column holds the topics.
    summary = [any(vocabulary.is_summary(row[k]) for _, row in fields) for k in (first, first + 1)]
    return summary[0] if summary[0] != summary[1] else None


def read_ranking(source: Source) -> Contents | None:
    """Read AutoJudge's rankings: topic Q0 system rank score measure. Return None for a run, whose columns look alike.

    A run ranks documents for each topic, and few documents occur in several topics. In AutoJudge's rankings, all ranks
    are the same, and most systems occur in most topics.
    """
    if len({line.split()[3:4][0] for _, line in islice(source.lines(), 100) if len(line.split()) == 6}) != 1:
        return None
    rows = _fields(source, 6)
    topics, systems, cells = {row[0] for _, row in rows}, {row[2] for _, row in rows}, {(r[0], r[2]) for _, r in rows}
    if len({row[3] for _, row in rows}) > 1 or len(topics) < 2 or 2 * len(cells) < len(topics) * len(systems):
        return None
    source.refuse_hidden_rows(6)
    return Columns(source, Form("AutoJudge ranking", 6, 0, 5, 4, 2))


def _refuse_no_run_first(source: Source, fields: list[tuple[int, list[str]]], topic: int) -> None:
    """Refuse four columns if the first is not the run, because its topics or measures would be read as runs."""
    first, topics = {row[0]: place for place, row in reversed(fields)}, {row[topic] for _, row in fields}
    if summary := next(filter(vocabulary.is_summary, first), None):
        what = f"the summary row {summary!r}"
    elif all(map(vocabulary.looks_like_measure, first)):
        what = "a measure"
    elif all(map(vocabulary.looks_like_topic, first)) and not any(map(vocabulary.looks_like_topic, topics)):
        what = "a topic"
    elif any(map(vocabulary.may_be_topic, topics)):
        return
    else:
        said = f"nothing tells which of the columns are the run and the topic ({listing(sorted(topics), 3)})"
        raise _at(source, f"{said}: {_NAME_THEM}, such as system, topic, measure, value", fields[0][0])
    said = f"the first of four columns should be the run, but looks like {what}"
    place = first[summary] if summary else fields[0][0]
    raise _at(source, f"{said}: {_NAME_THEM}, such as topic, system, measure, value", place)
