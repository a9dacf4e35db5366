"""Files that other libraries read: Parquet and Arrow by polars, pyarrow or pandas, Inspect's archives by Inspect.

Parquet and Arrow compress and repeat: 50 kB can be millions of rows. So the rows and the types of columns, which the
file says itself, are checked against the limits before anything is decoded.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Literal, NamedTuple

from ...errors import MissingExtraError, ReadError
from ...words import listing
from ..files import JSON_SHARE, most_bytes, too_large
from ..source import Source
from ..tables.cells import warn_of
from ..tables.contents import Contents, table_contents
from ..tables.frames import frame_cells
from ..tables.layout import Roles
from . import delimited
from .inspect_log import read_inspect

_PANIC = "PanicException"  # of libraries in Rust, such as polars, on damaged files; it is no Exception
Kind = Literal["number", "text", "nested"]


class _Opened(NamedTuple):
    """A table of which only the description was read."""

    rows: int
    columns: list[tuple[str, Kind]]
    read: Callable[[list[str] | None], Any]
    """A frame of these columns, or of all."""
    stored: int = 0
    """Bytes of the decompressed columns, where the library knows it."""


def read_binary(source: Source, roles: Roles) -> Contents:
    """A table in Parquet or Arrow, or a log of Inspect."""
    if source.binary == "inspect":
        return read_inspect(source, _inspect_log(source))
    cells = frame_cells(BinaryTable(source).read(), source, roles.columns)
    found = table_contents(cells, roles) if len(cells) else None
    if found is None:
        raise source.error("has no scores: give topics x systems, or columns of systems, topics and scores")
    found.format = f"{found.format} ({source.binary})"
    return found


class BinaryTable:
    """A table of Parquet or Arrow, opened by the library that is installed."""

    def __init__(self, source: Source) -> None:
        self.source = source
        stream = source.binary == "arrow" and not source.data.startswith(b"ARROW1")
        ways = _OPEN["stream" if stream else source.binary or "parquet"]
        library = next((name for name in ways if _has(name)), None)
        if library is None:
            libraries = dict.fromkeys(name.partition(".")[0] for name in ways)
            raise MissingExtraError(f"{source.label} needs {' or '.join(libraries)}: pip install pyarrow")
        self._library = library.partition(".")[0]
        with self._refusing():
            self._opened = ways[library](source)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _ in self._opened.columns]

    def read(self, names: Sequence[str] | None = None) -> Any:
        """A frame of these columns, or of all but lists and records, which are no scores and have no limit."""
        rows, columns, read, stored = self._opened
        chosen = [(name, kind) for name, kind in columns if (kind != "nested" if names is None else name in names)]
        if names is None and len(chosen) < len(columns):
            left = listing(name for name, kind in columns if kind == "nested")
            warn_of(self.source, f"left out, because they hold lists or records: {left}")
        check_size(self.source, rows, [kind for _, kind in chosen], stored)
        with self._refusing():
            return read(None if len(chosen) == len(columns) else [name for name, _ in chosen])

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except ReadError:
            raise
        except BaseException as error:  # each library has its own
            if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
                raise
            said = f"cannot be read as {self.source.binary} by {self._library}: {error}"
            raise self.source.error(said) from None


def check_size(source: Source, rows: int, kinds: Sequence[Kind], stored: int = 0) -> None:
    """Raise if a table of so many rows is beyond the limits."""
    cells = rows * len(kinds)
    if cells > delimited.MAX_CELLS:
        raise delimited.too_many_cells(source)
    if rows > delimited.MAX_WORDS:
        raise delimited.too_many_words(source, "rows")
    if rows * (len(kinds) - kinds.count("number")) > delimited.MAX_WORDS:
        raise delimited.too_many_words(source)
    if max(cells * 8, stored) > most_bytes():
        raise too_large(source.label, what="is a table of")


def _by_polars(source: Source) -> _Opened:
    polars = import_module("polars")
    scan = polars.scan_parquet if source.binary == "parquet" else polars.scan_ipc
    table = scan(io.BytesIO(source.data))
    columns: list[tuple[str, Kind]] = [
        (name, "number" if kind.is_numeric() or kind == polars.Boolean else "nested" if kind.is_nested() else "text")
        for name, kind in table.collect_schema().items()
    ]
    rows = table.select(polars.len()).collect().item()
    stored = _parquet_by_pyarrow(source).stored if source.binary == "parquet" and _has("pyarrow.parquet") else 0
    return _Opened(rows, columns, lambda names: (table if names is None else table.select(names)).collect(), stored)


def _has(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def _parquet_by_pyarrow(source: Source) -> _Opened:
    file = import_module("pyarrow.parquet").ParquetFile
    about = file(io.BytesIO(source.data))
    # Not by column: on some damaged files pyarrow ends the process when it is asked for one.
    groups = [about.metadata.row_group(k) for k in range(about.metadata.num_row_groups)]
    rows = max(about.metadata.num_rows, sum(group.num_rows for group in groups))
    columns, stored = _columns(about.schema_arrow), sum(group.total_byte_size for group in groups)
    texts = [name for name, kind in columns if kind == "text"]  # which may be stored once for many rows
    table = file(io.BytesIO(source.data), read_dictionary=texts)
    return _Opened(rows, columns, lambda names: _validated(table.read(names)), stored)


def _arrow_by_pyarrow(source: Source) -> _Opened:
    pyarrow, ipc = import_module("pyarrow"), import_module("pyarrow.ipc")
    is_stream = not source.data.startswith(b"ARROW1")
    open_file = ipc.open_stream if is_stream else ipc.open_file
    columns, rows = _columns(open_file(source.data).schema), 0  # a stream says only batch by batch how much it holds
    if not is_stream:
        form = import_module("pyarrow.dataset").IpcFileFormat()
        rows = form.make_fragment(pyarrow.BufferReader(source.data)).count_rows()

    def read(names: list[str] | None) -> Any:
        places = [k for k, (name, _) in enumerate(columns) if names is None or name in names]
        reader = open_file(source.data, options=ipc.IpcReadOptions(included_fields=places))
        batches, done, stored = [], 0, 0
        for batch in reader if is_stream else map(reader.get_batch, range(reader.num_record_batches)):
            batches.append(batch)
            done += batch.num_rows
            stored += sum(column.nbytes for column in batch if not hasattr(column, "dictionary"))
            check_size(source, done, [columns[k][1] for k in places], stored)
        return _validated(pyarrow.Table.from_batches(batches, reader.schema))

    return _Opened(rows, columns, read)


def _columns(schema: Any) -> list[tuple[str, Kind]]:
    kinds = import_module("pyarrow").types
    numbers = (kinds.is_integer, kinds.is_floating, kinds.is_decimal, kinds.is_boolean)
    found: list[tuple[str, Kind]] = []
    for column in schema:
        nested = kinds.is_nested(column.type)
        found.append(
            (column.name, "nested" if nested else "number" if any(f(column.type) for f in numbers) else "text")
        )
    return found


def _validated(table: Any) -> Any:
    """Pyarrow takes places and bytes of text as they are."""
    table.validate(full=True)
    "".join(table.column_names)
    return table


def _by_pandas(source: Source) -> _Opened:
    """By fastparquet, which pandas uses where pyarrow is not installed."""
    table = import_module("fastparquet").ParquetFile(io.BytesIO(source.data))
    columns: list[tuple[str, Kind]] = [
        (name, "number" if kind.kind in "fiub" else "text") for name, kind in table.dtypes.items()
    ]
    return _Opened(table.count(), columns, table.to_pandas)


# What opens a file, the first that is installed.
_OPEN: dict[str, dict[str, Callable[[Source], _Opened]]] = {
    "parquet": {"polars": _by_polars, "pyarrow.parquet": _parquet_by_pyarrow, "fastparquet": _by_pandas},
    "arrow": {"pyarrow.dataset": _arrow_by_pyarrow, "polars": _by_polars},
    "stream": {"pyarrow.ipc": _arrow_by_pyarrow},
}


def _inspect_log(source: Source) -> Any:
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            size = sum(info.file_size for info in archive.infolist())
    except Exception as error:  # zipfile has several
        raise source.error(f"is a damaged archive: {error}") from None
    if size > most_bytes(JSON_SHARE):
        raise too_large(source.label, JSON_SHARE, "is an archive of JSON, of")
    try:
        log = import_module("inspect_ai.log")
    except ImportError:
        raise source.error(
            "is an archive of Inspect, which its own reader opens: pip install inspect-ai; or make it JSON with "
            "`inspect log convert --to json`"
        ) from None
    try:
        return json.loads(log.read_eval_log(str(source.path)).model_dump_json())
    except Exception as error:  # of zip, JSON or pydantic
        raise source.error(f"cannot be read by inspect-ai: {error}") from None
