"""What `Scores` is made of, from frames and dictionaries: the bodies of `Scores.from_frame` and `Scores.from_dict`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from . import tables
from .arrays import FloatArray
from .errors import DataWarning, InputError, InputTypeError
from .tool_results import as_nested
from .vocabulary import (
    MEASURE_COLUMNS,
    SYSTEM_COLUMNS,
    TOPIC_COLUMNS,
    column_name,
    is_summary,
    looks_like_measure,
    looks_like_topic,
    may_be_topic,
    names_systems,
)
from .words import listing

Parts: TypeAlias = tuple[FloatArray, list[str], list[str], str]  # values, topics, systems and measure

# What the one key around results is called; no system.
_WRAPPERS = frozenset({"results", "result", "scores", "metrics", "measures", "evaluation", "data"})


def parts_of_frame(frame: Any, measure: str | None, missing: tables.Missing) -> Parts:
    """See `Scores.from_frame`."""
    tables.check_measure(measure)
    frame = getattr(frame, "perquery", frame)  # PyTerrier's pair of frames, from perquery="both"
    header, columns = _columns(frame)
    twice = next((name for k, name in enumerate(header) if name in header[:k]), None)
    if twice is not None:
        raise InputError(f"the frame has two columns named {twice!r}: rename one, or leave it out")
    layout = tables.name_columns(header)
    if isinstance(layout, str):
        raise InputError(f"the frame {layout}")
    tables.warn_of_counters(header, layout, stacklevel=4)
    if layout.kind != "long":
        return _from_matrix(header, columns, layout, measure, missing)
    assert layout.topic is not None
    topics = _texts(columns[layout.topic], header[layout.topic])
    systems = (
        _texts(columns[layout.system], header[layout.system]) if layout.system is not None else ["run"] * len(topics)
    )
    if layout.value is None and layout.system is None:
        _refuse_wrong_rows(header[layout.topic], topics, [header[k] for k in layout.others])
    if layout.value is None:  # a column a measure
        numeric = [k for k in layout.others if _has_numbers(columns[k])]
        chosen = tables.choose_measure([header[k] for k in numeric], measure)
        values = columns[numeric[[header[k] for k in numeric].index(chosen)]]
    elif layout.measure is None:
        column = next((k for k in layout.others if header[k] == measure), layout.value)
        chosen, values = measure or "", columns[column]
    else:
        names = _texts(columns[layout.measure], header[layout.measure])
        chosen = tables.choose_measure(list(dict.fromkeys(names)), measure)
        keep = [k for k, name in enumerate(names) if name == chosen]
        tables.warn_of_lost(chosen, topics, [topics[k] for k in keep], stacklevel=4)
        systems, topics = [systems[k] for k in keep], [topics[k] for k in keep]
        values = [columns[layout.value][k] for k in keep]
    return _parts_of_records(systems, topics, [_number(v, chosen or "value") for v in values], chosen, missing)


def parts_of_dict(nested: Any, measure: str | None, system: str, missing: tables.Missing) -> Parts:
    """See `Scores.from_dict`."""
    tables.check_measure(measure)
    nested = as_nested(nested)
    records = nested_records(nested, system, measure)
    available = list(dict.fromkeys(m for _, _, m, v in records if _is_number(v)))
    if not available:
        raise InputError("the dictionary holds no numbers: give {system: {topic: {measure: value}}}")
    chosen = tables.choose_measure(available, measure)
    warn_of_nesting(nested, records)
    kept = [(s, t, _number(v, f"{m or 'value'} of {s} on {t}")) for s, t, m, v in records if m == chosen]
    tables.warn_of_lost(chosen, (t for _, t, _, _ in records), (t for _, t, _ in kept), stacklevel=4)
    return _parts_of_records([s for s, _, _ in kept], [t for _, t, _ in kept], [v for _, _, v in kept], chosen, missing)


def nested_records(nested: Mapping[Any, Any], system: str, measure: str | None) -> list[tuple[str, str, str, Any]]:
    """(system, topic, measure, value) of a dictionary nested in one of the usual ways.

    Where a level is of measures and no system is named, the system is `system`; where no level is, the measure
    is the one that was asked for, or "".
    """
    if not isinstance(nested, Mapping) or not nested or not all(isinstance(v, Mapping) and v for v in nested.values()):
        raise InputTypeError(
            "nested must be a dictionary of dictionaries, none of them empty: {system: {topic: {measure: value}}}"
        )
    deep = {isinstance(v, Mapping) for inner in nested.values() for v in inner.values()}
    if len(deep) > 1:
        raise InputTypeError("nested mixes two and three levels: give {system: {topic: {measure: value}}} throughout")
    if deep == {True}:
        if not all(bottom for inner in nested.values() for bottom in inner.values()):
            raise InputTypeError("nested has an empty dictionary: leave it out, or give null where there is no score")
        cells = [
            ((str(a), str(b), str(c)), v) for a, bs in nested.items() for b, cs in bs.items() for c, v in cs.items()
        ]
        s, t, m = _levels([{key[k] for key, _ in cells} for k in range(3)], measure)
        return [(key[s], key[t], key[m], v) for key, v in cells]
    columns = [str(key) for level in (nested, *nested.values()) for key in level]
    label = next((key for key in columns if column_name(key) in TOPIC_COLUMNS), None)
    if label is not None:
        raise InputError(
            f"the key {label!r} names a column of topics, as of a frame written as JSON: write it as CSV, or as JSON "
            "with orient='records'"
        )
    pairs = [(str(a), str(b), v) for a, inner in nested.items() for b, v in inner.items()]
    level = _level_of_measures({a for a, _, _ in pairs}, {b for _, b, _ in pairs}, measure)
    if level == "outer":
        return [(system, t, m, v) for m, t, v in pairs]
    if level == "inner":
        return [(system, t, m, v) for t, m, v in pairs]
    return [(s, t, measure or "", v) for s, t, v in pairs]


def _levels(levels: list[set[str]], measure: str | None) -> tuple[int, int, int]:
    """Which of three levels holds systems, which topics and which measures; in this order if nothing speaks against it.

    The measures are where the one asked for is, or known names are.
    """
    tests: tuple[Callable[[set[str]], bool], ...] = (
        lambda names: measure in names,
        lambda names: any(map(looks_like_measure, names)),
        lambda names: all(map(looks_like_measure, names)),
    )
    found = [[k for k in range(3) if test(levels[k])] for test in tests]
    place = next((places[0] for places in found if len(places) == 1), 2)
    a, b = (k for k in range(3) if k != place)
    topics = [all(looks_like_topic(name) or is_summary(name) for name in levels[k]) for k in (a, b)]
    wrapped = len(levels[0]) == 1 and next(iter(levels[0])).lower() in _WRAPPERS
    if wrapped or topics == [True, False] or (place != 2 and topics != [False, True]):
        shown = "; ".join(listing(sorted(names), 3) for names in levels)
        raise InputError(
            f"cannot tell which of the three levels ({shown}) "
            "holds systems, topics or measures: nest them as {system: {topic: {measure: value}}}"
            + ("; rename systems that are called as topics are" if topics[0] else "")
        )
    return a, b, place


def warn_of_nesting(nested: Mapping[Any, Any], records: Sequence[tuple[str, str, str, Any]], where: str = "") -> None:
    """Warn where levels of a dictionary may hold something else than what they were read as."""
    deep = any(isinstance(value, Mapping) for inner in nested.values() for value in inner.values())
    systems, topics, measures = (list(dict.fromkeys(record[k] for record in records)) for k in range(3))
    if deep:
        if not any(map(may_be_topic, topics)):
            warnings.warn(
                f"{where}read as systems: {listing(systems, 5)}; read as topics: {listing(topics, 5)}; "
                "if it is the other way round, nest them as {system: {topic: {measure: value}}}",
                DataWarning,
                stacklevel=4,
            )
        return
    unknown = [name for name in measures if name and not looks_like_measure(name)]
    if unknown and len(unknown) < len(measures):
        warnings.warn(
            f"{where}read as measures: {listing(measures, 5)}; if {listing(unknown, 5)} should be "
            "systems, nest them as {system: {topic: {measure: value}}}",
            DataWarning,
            stacklevel=4,
        )
    if any(measures) and set(topics) & set(map(str, nested)):
        tables.warn_of_words(topics, where, stacklevel=5)


def _level_of_measures(outer: set[str], inner: set[str], measure: str | None) -> Literal["outer", "inner", "none"]:
    """Which of two levels holds measures: the one with the measure that is asked for, or with known names.

    If neither has, they are systems and their topics, provided that the topics look like topics.
    """

    def known(test: Callable[[Iterable[bool]], bool]) -> tuple[bool, bool]:
        return test(map(looks_like_measure, outer)), test(map(looks_like_measure, inner))

    for in_outer, in_inner in ((measure in outer, measure in inner), known(any), known(all)):
        if in_outer != in_inner:
            return "outer" if in_outer else "inner"
    topics = all(looks_like_topic(name) or is_summary(name) for name in inner)
    if any(known(any)) or not topics or all(map(looks_like_topic, outer)):
        raise InputError(
            f"cannot tell which of the two levels ({listing(sorted(outer), 3)}; "
            f"{listing(sorted(inner), 3)}) holds systems, topics or measures: ask for a measure by its name, "
            "or nest them as {system: {topic: {measure: value}}}"
        )
    return "none"


def _parts_of_records(
    systems: Sequence[str],
    topics: Sequence[str],
    values: Sequence[float],
    measure: str,
    missing: tables.Missing,
) -> Parts:
    """Pivot parallel lists to a matrix. Summary topics are left out; a score given twice is an error."""
    keep = [k for k, topic in enumerate(topics) if not is_summary(topic)]
    if not keep:
        raise _only_summaries(topics)
    tables.warn_of_summaries(topics, stacklevel=5)
    column = {name: k for k, name in enumerate(dict.fromkeys(systems[k] for k in keep))}
    _refuse_summary(column)
    row = {name: k for k, name in enumerate(dict.fromkeys(topics[k] for k in keep))}
    matrix = np.full((len(row), len(column)), np.nan)
    seen: set[tuple[int, int]] = set()
    for k in keep:
        place = (row[topics[k]], column[systems[k]])
        if place in seen:
            raise InputError(
                f"system {systems[k]!r} has two scores on topic {topics[k]!r}: leave one out, or average them first"
            )
        seen.add(place)
        matrix[place] = values[k]
    return *tables.fill_or_drop(matrix, list(row), list(column), missing, stacklevel=5), measure


def _from_matrix(
    header: Sequence[str],
    columns: Sequence[Sequence[Any]],
    layout: tables.Columns,
    measure: str | None,
    missing: tables.Missing,
) -> Parts:
    names = [header[k] for k in layout.others]
    if not names:
        raise InputError("the frame has no columns of scores: give topics x systems, or system, topic and value")
    label = layout.topic if layout.kind == "matrix" else layout.system
    rows = _texts(columns[label], header[label]) if label is not None else None
    numbers = [[_number(v, header[k]) for v in columns[k]] for k in layout.others]
    if rows is None:
        numbered = tables.is_row_number(numbers[0], (v for column in numbers[1:] for v in column))
        if numbered is None:
            raise InputError(f"the frame's {tables.unclear_row_number(names[0])}")
        if numbered:
            warnings.warn(tables.says_row_number(names[0]), DataWarning, stacklevel=4)
            rows, names, numbers = _texts(columns[layout.others[0]], names[0]), names[1:], numbers[1:]
        else:
            rows = tables.invent_topics(len(numbers[0]))
    if label is not None and layout.kind == "matrix" and tables.number_rows(header[label], rows):
        rows = tables.invent_topics(len(rows))
    if layout.kind == "matrix":
        _refuse_wrong_rows("" if label is None else header[label], rows, names)
    matrix = np.array(numbers).T
    topics, systems = rows, names
    if layout.kind == "transposed":
        matrix, topics, systems = matrix.T, names, rows
    _refuse_summary(systems)
    if wrong := tables.no_measure(measure, systems):
        raise InputError(f"the frame {wrong}")
    tables.warn_of_summaries(topics, stacklevel=5)
    keep = [k for k, name in enumerate(topics) if not is_summary(name)]
    if not keep:
        raise _only_summaries(topics)
    filled = tables.fill_or_drop(matrix[keep], [topics[k] for k in keep], systems, missing, stacklevel=5)
    return *filled, measure or ""


def _only_summaries(topics: Iterable[str]) -> InputError:
    return InputError(f"there are only summary rows ({listing(dict.fromkeys(topics))}): give the scores of each topic")


def _refuse_summary(systems: Iterable[str]) -> None:
    wrong = tables.summary_system(systems)
    if wrong:
        raise InputError(f"{wrong}: leave it out, or rename it if it is a system")


def _columns(frame: Any) -> tuple[list[str], list[Sequence[Any]]]:
    """Names and contents of the columns of a pandas or polars frame, without importing either."""
    library = type(frame).__module__.split(".")[0]
    if library == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    if library == "polars" and hasattr(frame, "get_columns"):
        return list(frame.columns), [column.to_list() for column in frame.get_columns()]
    if library != "pandas" or not hasattr(frame, "columns"):
        raise InputTypeError(f"frame is a {type(frame).__name__}: give a pandas or polars DataFrame")
    if frame.columns.nlevels > 1:
        raise InputError(
            f"the frame's columns have {frame.columns.nlevels} levels ({listing(frame.columns.names)}): take "
            "one of them, such as frame['map'], or make it long with frame.stack().reset_index()"
        )
    if frame.index.nlevels > 1:
        try:
            frame = frame.reset_index()
        except ValueError as error:  # a level and a column of one name
            raise InputError(f"the frame's index cannot become columns: {error}") from None
    header = [str(name) for name in frame.columns]
    columns: list[Sequence[Any]] = [frame.iloc[:, k].tolist() for k in range(len(header))]
    name = _index_name(frame, {column_name(name) for name in header})
    return ([name, *header], [frame.index.tolist(), *columns]) if name else (header, columns)


def _index_name(frame: Any, header: set[str]) -> str | None:
    """The name of a pandas index that says something: labels of the rows, or what its name says they are."""
    name, across = (column_name(str(n or "")) for n in (frame.index.name, frame.columns.name))
    labelled = bool(name) or not _is_default_index(frame.index)
    if labelled and name not in header and (names_systems(name) or name in MEASURE_COLUMNS):
        return name
    if labelled and name not in header and name in TOPIC_COLUMNS:
        return name
    if header & set(TOPIC_COLUMNS):
        return None
    if across in TOPIC_COLUMNS and name not in TOPIC_COLUMNS and not header & set(SYSTEM_COLUMNS):
        if labelled:
            return "system"
        raise InputError("the frame's columns are topics, but nothing names the systems: make them the index")
    if not labelled or not header:
        return None
    if across in SYSTEM_COLUMNS:
        return "topic"
    _refuse_wrong_rows(name, list(map(str, frame.index)), list(map(str, frame.columns)))
    return "topic"


def _refuse_wrong_rows(name: str, rows: Sequence[str], across: Sequence[str]) -> None:
    wrong = tables.wrong_rows(name, rows, across)
    if wrong:
        raise InputError(f"the frame {wrong} (or frame.index.name)")


def _is_default_index(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _texts(column: Sequence[Any], name: str) -> list[str]:
    texts: list[str] = []
    for value in column:
        whole = isinstance(value, float) and value.is_integer()  # pandas: a column with holes
        if value == "" or isinstance(value, bool) or not (whole or isinstance(value, str | int | np.integer)):
            raise InputError(
                f"column {name!r} holds {value!r} as a label: labels are strings or whole numbers; if it is "
                "a system of its own, rename it"
            )
        texts.append(str(int(value)) if whole else str(value))
    return texts


def _has_numbers(column: Sequence[Any]) -> bool:
    """Whether a column may be a measure: something in it is a number, or there is nothing in it."""
    return any(map(_is_number, column)) or all(v is None or isinstance(v, float) for v in column)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | np.number) or (isinstance(value, float) and not math.isnan(value))


def _number(value: Any, name: str) -> float:
    if value is None or type(value).__name__ == "NAType":  # pandas.NA, without importing pandas
        return math.nan
    if isinstance(value, int | float | np.number) and not np.iscomplexobj(value):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    raise InputError(f"{name!r} holds {value!r}, which is not a number")
