"""`Scores` from frames and dictionaries: the bodies of `Scores.from_frame` and `Scores.from_dict`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import tables
from .errors import DataWarning, InputError, InputTypeError
from .scores import Scores


def scores_from_frame(frame: Any, measure: str | None, missing: tables.Missing) -> Scores:
    """See `Scores.from_frame`."""
    header, columns = _columns(frame)
    layout = tables.name_columns(header)
    if isinstance(layout, str):
        raise InputError(f"the frame {layout}")
    if layout.kind == "matrix":
        topics = _texts(columns[layout.topic], "topic") if layout.topic is not None else None
        return _from_matrix(
            [header[k] for k in layout.others], [columns[k] for k in layout.others], topics, measure, missing
        )
    assert layout.topic is not None
    topics = _texts(columns[layout.topic], header[layout.topic])
    systems = (
        _texts(columns[layout.system], header[layout.system]) if layout.system is not None else ["run"] * len(topics)
    )
    if layout.value is None:  # a column a measure
        numeric = [k for k in layout.others if _is_numeric(columns[k])]
        chosen = tables.choose_measure([header[k] for k in numeric], measure)
        values = columns[numeric[[header[k] for k in numeric].index(chosen)]]
    elif layout.measure is None:
        chosen, values = measure or "", columns[layout.value]
    else:
        names = _texts(columns[layout.measure], header[layout.measure])
        chosen = tables.choose_measure(list(dict.fromkeys(names)), measure)
        keep = [k for k, name in enumerate(names) if name == chosen]
        systems, topics = [systems[k] for k in keep], [topics[k] for k in keep]
        values = [columns[layout.value][k] for k in keep]
    return scores_from_records(systems, topics, [_number(v, "value") for v in values], chosen, missing)


def scores_from_dict(nested: Mapping[Any, Any], measure: str | None, system: str, missing: tables.Missing) -> Scores:
    """See `Scores.from_dict`."""
    records = [
        (s, t, m, v) for s, t, m, v in nested_records(nested, system, measure) if isinstance(v, int | float | np.number)
    ]
    if not records:
        raise InputError("the dictionary holds no numbers: give {system: {topic: {measure: value}}}")
    chosen = tables.choose_measure(list(dict.fromkeys(m for _, _, m, _ in records)), measure)
    kept = [(s, t, float(v)) for s, t, m, v in records if m == chosen]
    return scores_from_records(
        [s for s, _, _ in kept], [t for _, t, _ in kept], [v for _, _, v in kept], chosen, missing
    )


def nested_records(nested: Mapping[Any, Any], system: str, measure: str | None) -> Iterable[tuple[str, str, str, Any]]:
    """(system, topic, measure, value) of a dictionary nested in one of the usual ways.

    Two levels are told apart by which of them holds names of measures.
    """
    if not isinstance(nested, Mapping) or not nested or not all(isinstance(v, Mapping) and v for v in nested.values()):
        raise InputTypeError(
            "nested must be a dictionary of dictionaries, none of them empty: {system: {topic: {measure: value}}}"
        )
    deep = {isinstance(v, Mapping) for inner in nested.values() for v in inner.values()}
    if len(deep) > 1:
        raise InputTypeError("nested mixes two and three levels: give {system: {topic: {measure: value}}} throughout")
    inner_keys = {str(key) for inner in nested.values() for key in inner}
    if deep == {True}:
        return [(str(s), str(t), str(m), v) for s, ts in nested.items() for t, ms in ts.items() for m, v in ms.items()]
    if measure in inner_keys or all(tables.looks_like_measure(key) for key in inner_keys):
        return [(system, str(t), str(m), v) for t, ms in nested.items() for m, v in ms.items()]
    if measure in {str(key) for key in nested} or all(tables.looks_like_measure(str(key)) for key in nested):
        return [(system, str(t), str(m), v) for m, ts in nested.items() for t, v in ts.items()]
    return [(str(s), str(t), measure or "", v) for s, ts in nested.items() for t, v in ts.items()]


def scores_from_records(
    systems: Sequence[str],
    topics: Sequence[str],
    values: Sequence[float],
    measure: str,
    missing: tables.Missing,
) -> Scores:
    """Pivot parallel lists to a matrix. Summary topics are left out; a score given twice is an error."""
    keep = [k for k, topic in enumerate(topics) if not tables.is_summary(topic)]
    if not keep:
        raise InputError(
            f"there are only summary rows ({tables.listing(dict.fromkeys(topics))}): give the scores of each topic"
        )
    column = {name: k for k, name in enumerate(dict.fromkeys(systems[k] for k in keep))}
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
    return Scores(*tables.fill_or_drop(matrix, list(row), list(column), missing, stacklevel=5), measure)


def _from_matrix(
    systems: list[str],
    columns: list[Sequence[Any]],
    topics: Sequence[str] | None,
    measure: str | None,
    missing: tables.Missing,
) -> Scores:
    if not columns:
        raise InputError("the frame has no columns of scores: give topics x systems, or system, topic and value")
    numbers = [[_number(v, name) for v in column] for name, column in zip(systems, columns, strict=True)]
    if topics is None and tables.is_row_number(numbers[0], [v for column in numbers[1:] for v in column]):
        warnings.warn(
            f"column {systems[0]!r} holds a different whole number in each row: read as the topics, not as a "
            "system; name it topic",
            DataWarning,
            stacklevel=4,
        )
        topics, systems, numbers = _texts(columns[0], systems[0]), systems[1:], numbers[1:]
    matrix = np.array(numbers).T
    names = list(topics) if topics is not None else [str(k + 1) for k in range(len(matrix))]
    keep = [k for k, name in enumerate(names) if not tables.is_summary(name)]
    filled = tables.fill_or_drop(matrix[keep], [names[k] for k in keep], systems, missing, stacklevel=5)
    return Scores(*filled, measure or "")


def _columns(frame: Any) -> tuple[list[str], list[Sequence[Any]]]:
    """Names and contents of the columns of a pandas or polars frame, without importing either."""
    library = type(frame).__module__.split(".")[0]
    if library == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    if library == "polars" and hasattr(frame, "get_columns"):
        return list(frame.columns), [column.to_list() for column in frame.get_columns()]
    if library != "pandas" or not hasattr(frame, "columns"):
        raise InputTypeError(f"frame is a {type(frame).__name__}: give a pandas or polars DataFrame")
    header = [str(name) for name in frame.columns]
    columns: list[Sequence[Any]] = [frame.iloc[:, k].tolist() for k in range(len(header))]
    # An index that says something (labels, or a name) holds the topics of a wide frame.
    labelled = frame.index.name is not None or not _is_default_index(frame.index)
    if labelled and frame.index.nlevels == 1 and not any(name.lower() in tables.TOPIC_COLUMNS for name in header):
        return ["topic", *header], [frame.index.tolist(), *columns]
    if frame.index.nlevels > 1:
        return _columns(frame.reset_index())
    return header, columns


def _is_default_index(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _texts(column: Sequence[Any], name: str) -> list[str]:
    texts: list[str] = []
    for value in column:
        whole = isinstance(value, float) and value.is_integer()  # pandas: a column with holes
        if not whole and not isinstance(value, str | int | np.integer):
            raise InputError(
                f"column {name!r} holds {value!r} as a label: labels are strings or whole numbers; if it is "
                "a system of its own, rename it"
            )
        texts.append(str(int(value)) if whole else str(value))
    return texts


def _is_numeric(column: Sequence[Any]) -> bool:
    return all(v is None or isinstance(v, int | float | np.number) for v in column) and len(column) > 0


def _number(value: Any, name: str) -> float:
    if value is None or type(value).__name__ == "NAType":  # pandas.NA, without importing pandas
        return math.nan
    if isinstance(value, int | float | np.number) and not isinstance(value, complex):
        return float(value)
    raise InputError(f"column {name!r} holds {value!r}, which is not a number")
