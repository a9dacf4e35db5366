"""Convert frames to tables of cells: pandas, polars, pyarrow, and any object with Arrow's stream interface."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

from ...errors import InputTypeError, import_extra, listing
from .layout import Cells, Column, Origin
from .vocabulary import SYSTEM_COLUMNS, TOPIC_COLUMNS, column_name, names_systems


def is_frame(given: Any) -> bool:
    """Recognise a pandas or polars frame, PyTerrier's pair of frames, or any object with Arrow's stream interface."""
    if hasattr(type(given), "columns") or hasattr(given, "columns") or hasattr(given, "perquery"):
        return True  # test the type first, because a lazy polars frame would compute its columns
    return hasattr(given, "__arrow_c_stream__") and not hasattr(given, "index")  # a pandas Series has both attributes


def frame_cells(frame: Any, origin: Origin) -> Cells:
    """Return the cells of a frame. A pandas index that labels rows is the first column, as in a CSV file."""
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
        names, columns = _arrow(frame, origin)
    else:
        raise InputTypeError(
            f"{origin.label} is a {type(frame).__name__}: give a pandas or polars DataFrame, or an Arrow table"
        )
    return Cells(origin, names, [Column(cells) for cells in columns], typed=True)


def _arrow_cells(column: Any) -> Any:
    kind = str(column.type)
    if kind in _TEXTS or kind.startswith(tuple(f"dictionary<values={text}," for text in _TEXTS)):
        # Make each text only once, because a small file can repeat a long text in millions of rows.
        codes = (column.dictionary_encode() if kind in _TEXTS else column).combine_chunks()
        texts = dict(enumerate(codes.dictionary.to_pylist()))
        return [texts.get(code) for code in codes.indices.to_pylist()]
    return column.to_numpy() if kind in _NUMERIC and not column.null_count else column.to_pylist()


_NUMERIC = frozenset({"double", "float", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))})
_TEXTS = ("string", "large_string")


def _index_first(names: list[str], columns: list[Any]) -> tuple[list[str], list[Any]]:
    """Move the index to the front. In a file that pandas wrote, it comes last, with a name that pandas made up."""
    order = sorted(range(len(names)), key=lambda k: names[k] != "__index_level_0__")
    return ["" if names[k] == "__index_level_0__" else names[k] for k in order], [columns[k] for k in order]


def _arrow(frame: Any, origin: Origin) -> tuple[list[str], list[Any]]:
    table = import_extra("pyarrow", "an Arrow table").table(frame)
    names, columns = _index_first(table.column_names, list(map(_arrow_cells, table.columns)))
    levels, across = _index_of_arrow(table, names)
    index = [(name, columns[level] if isinstance(level, int) else level) for name, level in levels]
    kept = [k for k in range(len(names)) if all(level != k for _, level in levels)]
    names, columns = [names[k] for k in kept], [columns[k] for k in kept]
    if len(index) == 1:
        return _with_index(names, columns, *index[0], across, origin)
    for k, (name, cells) in reversed(list(enumerate(index))):
        names, columns = [f"level_{k}" if name is None else str(name), *names], [list(cells), *columns]
    return names, columns


def _index_of_arrow(table: Any, names: Sequence[str]) -> tuple[list[tuple[Any, int | range]], Any]:
    """Return the name of each index level that pandas wrote into the metadata, with the level's column or range.

    Also return the name of the column axis. Both are empty if another tool wrote the table or has changed it.
    """
    levels: list[tuple[Any, int | range]] = []
    with suppress(ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
        written = json.loads(table.schema.metadata[b"pandas"])
        known = {column["field_name"]: column["name"] for column in written["columns"]}
        for level in written["index_columns"]:
            if isinstance(level, str):
                levels.append((known[level], names.index("" if level == "__index_level_0__" else level)))
            elif len(rows := range(level["start"], level["stop"], level["step"])) == table.num_rows:
                levels.append((level["name"], rows))
        return levels, next((level["name"] for level in written["column_indexes"]), None)
    return [], None


def _pandas(frame: Any, origin: Origin) -> tuple[list[str], list[Any]]:
    if frame.columns.nlevels > 1:
        way_out = "take one of them, such as frame['map'], or make it long with frame.stack().reset_index()"
        raise origin.error(
            f"the columns have {frame.columns.nlevels} levels ({listing(frame.columns.names)}): {way_out}"
        )
    if frame.index.nlevels > 1:
        try:
            frame = frame.reset_index()
        except ValueError as error:  # a level and a column have the same name
            raise origin.error(f"the index cannot become columns: {error}") from None
    names = [str(name) for name in frame.columns]
    columns = [frame.iloc[:, k] for k in range(len(names))]
    cells = [column.to_numpy() if str(column.dtype)[:3] in _PLAIN else column.tolist() for column in columns]
    index = frame.index if _is_default(frame.index) else frame.index.tolist()
    return _with_index(names, cells, frame.index.name, index, frame.columns.name, origin)


def _with_index(
    names: list[str], columns: list[Any], own: Any, index: Sequence[Any], across: Any, origin: Origin
) -> tuple[list[str], list[Any]]:
    """Add a pandas index as the first column, unless a column of the same name already holds the same labels."""
    name = _index_name(names, own, index, across, origin)
    cells = list(index)
    if name is None or (name in names and cells == list(columns[names.index(name)])):
        return names, columns
    return [name, *names], [cells, *columns]


_PLAIN = frozenset({"flo", "int", "uin"})


def _index_name(names: Collection[str], index_name: Any, index: Any, across_name: Any, origin: Origin) -> str | None:
    """Choose a column name for an index; None if the index only counts the rows or there are no columns.

    If the column axis is called topics, the index holds the systems, and vice versa.
    """
    header = set(map(column_name, names))
    own, across = (column_name(str(name or "")) for name in (index_name, across_name))
    labelled = bool(own) or not _is_default(index)
    known = own in TOPIC_COLUMNS or names_systems(own)
    if across in TOPIC_COLUMNS and not known and not header & {*SYSTEM_COLUMNS, *TOPIC_COLUMNS}:
        if not labelled:
            raise origin.error("the columns are topics, but nothing names the systems: make them the index")
        return "system"
    if not labelled or not header:
        return None
    if across in SYSTEM_COLUMNS and not known:
        return "topic"
    return str(index_name or "")


def _is_default(index: Any) -> bool:
    return type(index).__name__ in {"RangeIndex", "range"} and index.start == 0 and index.step == 1
