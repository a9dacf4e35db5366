"""Recognise the format of a file and the kind of a table by their content, never by the file's name."""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from ..errors import ConcordantError, OtherKindError, ReadError, listing
from .formats import delimited, mteb, nested, records
from .formats.parquet import parquet_table
from .source import Source, load_json
from .tables import layout, vocabulary
from .tables.contents import Contents, Long, matrix
from .tables.frames import frame_cells
from .tables.layout import NO_ROLES, Cells, Column, Origin, Roles
from .tables.rows import Rows, unnamed
from .tables.vocabulary import cell_number, is_fraction, number

KNOWN = (
    "trec_eval; four columns (run measure topic value, run topic measure value); ir_measures -q and "
    "-o jsonl; pytrec_eval and ranx scores as JSON; a CSV matrix topics x systems; a long CSV "
    "(system, topic, measure, value; PyTerrier perquery=True); a leaderboard (one row per system); tables in Markdown; "
    "frames that pandas wrote as JSON; Parquet; MTEB, lm-evaluation-harness, HELM per_instance_stats, "
    "Inspect, AlpacaEval, AutoJudge, tau-bench, Every Eval Ever and WMT results"
)
_EVALUATE = "Score runs against judgments first: `concordant evaluate RUNS QRELS -m nDCG@10 -o scores.csv`"
_LATEX = re.compile(rb".*&.*\\\\\s*")


_Reader = Callable[[Source, Any], Contents]
_JSON: tuple[tuple[Callable[[Any], bool], _Reader], ...] = (
    (records.is_inspect, records.read_inspect),
    (records.is_annotations, records.read_annotations),
    (records.is_evaluations, records.read_evaluations),
    (records.is_trials, records.read_trials),
    (mteb.is_mteb, mteb.read_mteb),
    (records.is_results, records.read_results),
    (records.is_per_instance, records.read_helm),
    (records.is_companion, records.refuse_companion),
    (nested.is_ranx_report, nested.refuse_ranx_report),
    (nested.is_means, nested.read_means),
    (nested.is_nested, nested.NestedScores),
)
# Formats with one record per line.
_LINES: tuple[tuple[Callable[[Any], bool], _Reader], ...] = (
    (records.is_sample, records.read_samples),
    (records.is_instance, records.read_instances),
    (records.is_document, records.read_documents),
)


def recognise(source: Source, roles: Roles = NO_ROLES) -> Contents:
    """Recognise and read a file that is not empty. If the caller named the file and it holds one run, use this name."""
    try:
        found = _recognise(source, roles)
    except OtherKindError:
        raise
    except ReadError as error:
        if not _has_scores(source):
            raise OtherKindError(*error.args) from None
        raise
    if found.format == "leaderboard" and not found.measures() and not _has_scores(source):
        raise source.other_kind("holds no measure with a number for each topic")
    if roles.columns and not found.is_table:
        raise source.error("is not a table with named columns, so no column can be chosen")
    if source.name:
        found.names = (source.name,)
    elif not found.names:
        found.names = (source.run_name(),)
    return found


def _recognise(source: Source, roles: Roles) -> Contents:
    if source.parquet:
        found = frame_contents(parquet_table(source)[0], source, roles)
        found.format = f"{found.format} (parquet)"
        return found
    line, first = next(source.lines())
    if first.lstrip()[:1] in (b"{", b"["):
        return _json(source, first, roles)
    table = _text(source, line, first, roles)
    source.warn_if_cut()
    return table


def _text(source: Source, line: int, first: bytes, roles: Roles) -> Contents:
    if delimited.is_markdown(first):
        plain = delimited.as_tabs(source)
        line, first = next(plain.lines())
        return _text(plain, line, first, roles)
    if _LATEX.fullmatch(first):
        raise source.error("is a LaTeX table: save it as CSV, with commas between the cells. The line", line)
    fields = delimited.split_line(first, delimited.separator(source))
    if len(fields) == 3 and (
        (fields[0] == "runid" and vocabulary.is_summary(fields[1]))
        or (first.count(b"\t") == 2 and first.split(b"\t")[0].endswith(b" "))
    ):
        return delimited.Columns(source, delimited.TREC_EVAL)
    if not vocabulary.names_labels(fields[0].strip('"')) and not roles.columns:
        table = _headerless(source, line, fields)
        if table is not None:
            return table
    cells = delimited.read_delimited(source, roles)
    table = None if cells is None else table_contents(cells, roles)
    if table is None and len(fields) > 1 and len(list(islice(source.lines(), 2))) == 1:
        raise source.other_kind("has one line, which may be a header, and no rows. The line", line)
    if table is None:
        raise unknown(source, line)
    return table


def _has_scores(source: Source) -> bool:
    """Tell whether an unreadable file was meant to hold scores: then the file is damaged and must not be skipped.

    The file was meant to hold scores if its header names a score or a measure, if its header names systems or topics
    and other columns hold a number, or if at least half of the first cells are numbers.
    """
    if source.parquet:
        return True
    lines = list(islice(source.lines(), 20))
    first, mark = lines[0][1], delimited.separator(source)
    if first.lstrip()[:1] in (b"{", b"["):
        record, mark = _first_record(source, first), b","
        content = load_json(source) if record is None else [record]
        if not isinstance(content, list) or not content or not isinstance(content[0], dict):
            return True
        header, rows = list(content[0]), [list(record.values()) for record in content[:20] if isinstance(record, dict)]
    else:
        header, *rows = [delimited.split_line(text, mark) for _, text in lines]
    # Prose may contain the names of columns by chance. Its words are separated by blanks.
    named = mark is not None and any(map(vocabulary.names_labels, header))
    if named and any(
        vocabulary.looks_like_measure(name) or vocabulary.column_name(name) in vocabulary.VALUE_COLUMNS
        for name in header
    ):
        return True
    labels = [k for k, name in enumerate(header) if vocabulary.holds_labels(name, k)] if named else [0]
    cells = [cell_number(cell) for row in rows or [header] for k, cell in enumerate(row) if k not in labels]
    numbers = [value for value in cells if value is not None and not math.isnan(value)]
    return bool(numbers) and (named or 2 * len(numbers) >= len(cells))


def unknown(source: Source, line: int | None) -> OtherKindError:
    """Make the error for a file whose format is not recognised."""
    return source.other_kind(f"has a format that is not recognised. Known formats: {KNOWN}. The line", line)


def _headerless(source: Source, line: int, fields: list[str]) -> Contents | None:
    """Read a file whose first line already holds data; return None if the first line is a header."""
    ends_in_number = number(fields[-1]) is not None or _names_a_measure_again(source, fields)
    if len(fields) >= 6 and fields[1].upper() == "Q0" and None not in map(number, fields[3:5]):
        if (ranking := delimited.read_ranking(source)) is not None:
            return ranking
        raise source.other_kind(f"is a run: it ranks documents and has no scores. {_EVALUATE}. The line", line)
    numbers = [number(field) for field in fields]
    # Four whole numbers may be qrels.
    if None not in numbers and len(fields) > 1 and (len(fields) != 4 or any(map(is_fraction, numbers[::2]))):
        raise delimited.no_header(source, line)
    if len(fields) == 4 and any(field.startswith(delimited.TEXTS) for field in fields[1:3]):
        ends_in_number = True  # this line names the run, and scores follow
    if not ends_in_number or len(fields) not in (2, 3, 4):
        return None
    if len(fields) == 2:
        means = "has two columns, a measure and its mean, as ir_measures prints by default"
        raise source.error(f"{means}: write per-topic scores, with ir_measures -q", line)
    # A line that holds only numbers names no measure.
    table = delimited.read_columns(source, len(fields)) if None in numbers else None
    if table is not None:
        return table
    if (None not in numbers[1:] and (len(fields) == 3 or is_fraction(numbers[2]))) or is_fraction(numbers[1]):
        raise delimited.no_header(source, line)
    if len(fields) == 4 and number(fields[1]) is not None:
        qrels = "looks like qrels (topic, iteration, document, grade): judgments of documents, not scores of systems"
        raise source.other_kind(f"{qrels}. {_EVALUATE}; in Python, use read_qrels. Line", line)
    names = "add a first line that names the columns, such as system, topic, measure, value"
    raise source.error(f"cannot tell which column holds the topics and which the measures: {names}", line)


def _names_a_measure_again(source: Source, fields: list[str]) -> bool:
    """Tell whether the second line names the same measure in the same field, so that the first line is no header."""
    _, below = next(islice(source.lines(), 1, None), (0, b""))
    pairs = list(zip(fields[:-1], delimited.split_line(below, delimited.separator(source)), strict=False))
    return len(fields) in (3, 4) and any(a == b and vocabulary.looks_like_measure(a) for a, b in pairs)


def _json(source: Source, first: bytes, roles: Roles) -> Contents:
    record = _first_record(source, first)
    if record is not None:
        parsed = ((line, load_json(source, text, line)) for line, text in source.lines())
        for fits, read in _LINES:
            if fits(record):
                records = list(parsed)
                if (odd := next((line for line, other in records if not fits(other)), None)) is not None:
                    raise source.error("is not a record like the first", odd)
                return _read(source, records, read)
        return _long(source, parsed, roles)
    content = load_json(source)
    content = nested.rows_of_frame(content) or content
    for fits, read in _JSON:
        if fits(content):
            return _read(source, content, read)
    if isinstance(content, list) and content and all(isinstance(record, dict) for record in content):
        return _long(source, ((1, record) for record in content), roles)
    raise unknown(source, 1)


def _read(source: Source, content: Any, read: _Reader) -> Contents:
    try:
        return read(source, content)
    except ConcordantError:
        raise
    except KeyError as error:
        raise source.error(f"has a record without the key {error}", 1) from None
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
        raise source.error(f"has a part that does not fit its format: {error}", 1) from None


def _first_record(source: Source, first: bytes) -> Any:
    """Return the first object of a file with one JSON object per line; None if the file is one JSON document."""
    lines = list(islice(source.lines(), 2))
    try:
        record = load_json(source, first, lines[0][0])
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    one_of_several = len(lines) > 1 or "value" in record or any(fits(record) for fits, _ in _LINES)
    return record if one_of_several else None


def _long(source: Source, records: Iterator[tuple[int, Any]], roles: Roles) -> Contents:
    """Read records that all have the same keys as a table. The keys become its header."""
    first, lines = next(records), array("q")
    header = list(first[1])
    columns: list[list[Any]] = [[] for _ in header]
    for line, record in chain([first], records):
        if not isinstance(record, dict) or record.keys() != first[1].keys():
            raise source.error(f"is not a record with the keys {listing(map(repr, header))}, like the first", line)
        lines.append(line)
        for column, key in zip(columns, header, strict=True):
            cell = record[key]
            column.append(sys.intern(cell) if type(cell) is str else cell)  # store each name once
    cells = Cells(source, header, [Column(column) for column in columns], lines, lines[0], typed=True)
    table = table_contents(cells, roles)
    if table is None:
        raise unknown(source, lines[0])
    return table


# Tables ---------------------------------------------------------------------------------------------------------------


def table_contents(cells: Cells, roles: Roles = NO_ROLES) -> Contents | None:
    """Read the scores of a table; return None if its cells do not fit its header."""
    cells = cells.without(_blank(cells))
    roles = layout.of_samples(cells.names, roles)
    runs: list[str] | None = None
    if places := layout.run_columns(cells, roles):
        runs = ["/".join(labels) for labels in zip(*(cells.labels(k, "run") for k in places), strict=True)]
        cells, roles = cells.without(places), roles._replace(run=None)
    shape = layout.name_columns(cells.names, roles)
    if isinstance(shape, str):
        raise cells.error(shape)
    if runs is not None and (shape.kind not in ("long", "matrix") or shape.topic is None):
        raise cells.error("has a column of runs, but no column of topics: repeated runs need a row per topic and run")
    if not layout.is_plausible(shape, [cell_number(cell) for cell in cells.first_row()]):
        return None
    if runs is None:
        layout.warn_of_counters(cells, shape)
        layout.refuse_numbers_beside_names(cells, shape, roles)
    if shape.kind == "matrix":
        return matrix(cells, shape.topic, list(shape.others), roles, runs)
    if shape.kind == "rows":
        columns = sorted(k for k in {shape.value, *shape.others} if k is not None)
        return Rows(cells, shape.system, columns, True, roles)
    if shape.kind == "unnamed":
        return unnamed(cells, list(shape.others), roles)
    if shape.system is None and shape.value is None and shape.topic is not None and runs is None:
        layout.refuse_measures_as_rows(cells, [str(cell) for cell in cells.values(shape.topic)], True)
    if shape.value is None and shape.system is not None and runs is None:
        layout.refuse_scores_as_names(cells, shape.system, shape.topic)
    return Long(cells, shape, roles, runs)


def _blank(cells: Cells) -> list[int]:
    """Find empty columns without a name. Spreadsheets write such columns after a table."""
    unnamed = (k for k, name in enumerate(cells.names) if k and (not name or name.startswith("Unnamed: ")))
    return [k for k in unnamed if not cells.words(k) and np.isnan(cells.numbers(k)).all()]


def frame_contents(frame: Any, origin: Origin, roles: Roles = NO_ROLES) -> Contents:
    """Read the scores of a frame."""
    cells = frame_cells(frame, origin)
    found = table_contents(cells, roles) if len(cells) else None
    if found is None:
        raise cells.error("has no scores: give topics x systems, or columns of systems, topics and scores")
    return found
