"""Frames as tables of cells: pandas, polars, pyarrow, and anything with Arrow's stream interface."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...errors import InputTypeError, import_extra, listing
from .layout import Cells, Column, Origin
from .vocabulary import SYSTEM_COLUMNS, TOPIC_COLUMNS, column_name, names_systems


def is_frame(given: Any) -> bool:
    """A pandas or polars frame, PyTerrier's pair of frames, or anything with Arrow's stream interface."""
    if hasattr(type(given), "columns") or hasattr(given, "columns") or hasattr(given, "perquery"):
        return True  # by its type first: a lazy frame of polars computes its columns
    return hasattr(given, "__arrow_c_stream__") and not hasattr(given, "index")  # which a Series of pandas has


def frame_cells(frame: Any, origin: Origin) -> Cells:
    """The cells of a frame. An index of pandas that says something is the first column, as in a CSV of the frame."""
    frame = getattr(frame, "perquery", frame)  # PyTerrier's pair of frames, from perquery="both"
    library = type(frame).__module__.partition(".")[0]
    if library == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    if library == "pandas" and hasattr(frame, "columns"):
        names, columns = _pandas(frame, origin)
    elif library == "polars" and hasattr(frame, "get_columns"):
        cells = [c.to_numpy() if c.dtype.is_numeric() and not c.null_count() else c.to_list() for c in frame]
        names, columns = _index_first(list(frame.columns), cells)
    elif is_frame(frame):
        names, columns = _arrow(frame)
    else:
        raise InputTypeError(
            f"{origin.label} is a {type(frame).__name__}: give a pandas or polars DataFrame, or an Arrow table"
        )
    return Cells(origin, names, [Column(cells) for cells in columns], typed=True)


def _arrow_cells(column: Any) -> Any:
    kind = str(column.type)
    if kind in _TEXTS or kind.startswith(tuple(f"dictionary<values={text}," for text in _TEXTS)):
        # A text is made once, not once per row: a small file can repeat a long one millions of times.
        codes = (column.dictionary_encode() if kind in _TEXTS else column).combine_chunks()
        texts = dict(enumerate(codes.dictionary.to_pylist()))
        return [texts.get(code) for code in codes.indices.to_pylist()]
    return column.to_numpy() if kind in _NUMERIC and not column.null_count else column.to_pylist()


_NUMERIC = frozenset({"double", "float", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))})
_TEXTS = ("string", "large_string")


def _index_first(names: list[str], columns: list[Any]) -> tuple[list[str], list[Any]]:
    """Of a frame that pandas wrote, the index comes last, under a name that nobody gave it."""
    order = sorted(range(len(names)), key=lambda k: names[k] != "__index_level_0__")
    return ["" if names[k] == "__index_level_0__" else names[k] for k in order], [columns[k] for k in order]


def _arrow(frame: Any) -> tuple[list[str], list[Any]]:
    table = import_extra("pyarrow", "an Arrow table").table(frame)
    return _index_first(table.column_names, list(map(_arrow_cells, table.columns)))


def _pandas(frame: Any, origin: Origin) -> tuple[list[str], list[Any]]:
    if frame.columns.nlevels > 1:
        way_out = "take one of them, such as frame['map'], or make it long with frame.stack().reset_index()"
        raise origin.error(
            f"the columns have {frame.columns.nlevels} levels ({listing(frame.columns.names)}): {way_out}"
        )
    if frame.index.nlevels > 1:
        try:
            frame = frame.reset_index()
        except ValueError as error:  # a level and a column of one name
            raise origin.error(f"the index cannot become columns: {error}") from None
    names = [str(name) for name in frame.columns]
    columns = [frame.iloc[:, k] for k in range(len(names))]
    cells = [column.to_numpy() if str(column.dtype)[:3] in _PLAIN else column.tolist() for column in columns]
    index = _index_name(frame, {column_name(name) for name in names}, origin)
    if index is None or (index in names and frame.index.tolist() == columns[names.index(index)].tolist()):
        return names, cells
    return [index, *names], [frame.index.tolist(), *cells]


_PLAIN = frozenset({"flo", "int", "uin"})


def _index_name(frame: Any, header: Collection[str], origin: Origin) -> str | None:
    """What an index is called as a column; None where it only counts the rows, or numbers them beside topics.

    Where the columns are said to be topics, it holds the systems, and the other way round.
    """
    own, across = (column_name(str(name or "")) for name in (frame.index.name, frame.columns.name))
    index = frame.index
    labelled = bool(own) or type(index).__name__ != "RangeIndex" or index.start != 0 or index.step != 1
    known = own in TOPIC_COLUMNS or names_systems(own)
    if across in TOPIC_COLUMNS and not known and not set(header) & {*SYSTEM_COLUMNS, *TOPIC_COLUMNS}:
        if not labelled:
            raise origin.error("the columns are topics, but nothing names the systems: make them the index")
        return "system"
    if not labelled or not header:
        return None
    if across in SYSTEM_COLUMNS and not known:
        return "topic"
    return str(frame.index.name or "")
