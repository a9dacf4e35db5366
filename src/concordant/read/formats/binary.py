"""Files that other libraries read: Parquet and Arrow by pyarrow, Inspect's archives by Inspect.

Parquet and Arrow compress and repeat: 50 kB can be millions of rows. So the rows and the types of columns, which the
file says itself, are checked against the limits before they are decoded.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ...errors import MissingExtraError, ReadError, listing
from ..source import JSON_SHARE, Source, most_bytes, too_large
from ..tables.cells import warn_of
from ..tables.contents import Contents, frame_contents
from ..tables.layout import Roles
from .delimited import refuse_too_many
from .inspect_log import read_inspect


def read_binary(source: Source, roles: Roles) -> Contents:
    """A table in Parquet or Arrow, or a log of Inspect."""
    if source.binary == "inspect":
        return read_inspect(source, _inspect_log(source))
    found = frame_contents(BinaryTable(source).read(), source, roles)
    found.format = f"{found.format} ({source.binary})"
    return found


class BinaryTable:
    """A table of Parquet or Arrow, of which only the description was read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        try:
            self._ipc, self._parquet = import_module("pyarrow.ipc"), import_module("pyarrow.parquet")
        except ImportError:
            raise MissingExtraError(f"{source.label} needs pyarrow: pip install pyarrow") from None
        with self._refusing():
            self._schema = (
                self._parquet.ParquetFile(io.BytesIO(source.data)).schema_arrow
                if self._is_parquet
                else self._arrow().schema
            )
            self.names: list[str] = list(self._schema.names)
            """The names of the columns."""

    def read(self, names: Collection[str] | None = None) -> Any:
        """A table of these columns, or of all but lists and records, which are no scores and have no limit."""
        types = import_module("pyarrow").types
        nested = [column.name for column in self._schema if types.is_nested(column.type)]
        wanted = [name for name in self.names if (name not in nested if names is None else name in names)]
        if names is None and nested:
            warn_of(self.source, f"left out, because they hold lists or records: {listing(nested)}")
        numeric = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
        numbers = [c.name for c in self._schema if c.name in wanted and any(test(c.type) for test in numeric)]
        texts = [name for name in wanted if name not in numbers]
        with self._refusing():
            table = self._read_parquet(wanted, texts) if self._is_parquet else self._read_arrow(wanted, texts)
            table.validate(full=True)  # pyarrow takes places and bytes of text as they are
            "".join(table.column_names)
        return table

    @property
    def _is_parquet(self) -> bool:
        return self.source.binary == "parquet"

    def _arrow(self, **how: Any) -> Any:
        is_file = self.source.data.startswith(b"ARROW1")
        return (self._ipc.open_file if is_file else self._ipc.open_stream)(self.source.data, **how)

    def _read_parquet(self, wanted: list[str], texts: list[str]) -> Any:
        # A text may be stored once for many rows.
        file = self._parquet.ParquetFile(io.BytesIO(self.source.data), read_dictionary=texts)
        # Not by column: on some damaged files pyarrow ends the process when it is asked for one.
        groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
        rows = max(file.metadata.num_rows, sum(group.num_rows for group in groups))
        self._check(rows, wanted, texts, sum(group.total_byte_size for group in groups))
        return file.read(wanted)

    def _read_arrow(self, wanted: list[str], texts: list[str]) -> Any:
        places = [k for k, name in enumerate(self.names) if name in wanted]
        reader = self._arrow(options=self._ipc.IpcReadOptions(included_fields=places))
        batches, rows, stored = [], 0, 0
        # How much there is becomes known batch by batch.
        whole = hasattr(reader, "num_record_batches")
        for batch in map(reader.get_batch, range(reader.num_record_batches)) if whole else reader:
            batches.append(batch)
            rows += batch.num_rows
            stored += sum(column.nbytes for column in batch if not hasattr(column, "dictionary"))
            self._check(rows, wanted, texts, stored)
        return import_module("pyarrow").Table.from_batches(batches, reader.schema)

    def _check(self, rows: int, wanted: list[str], texts: list[str], stored: int) -> None:
        refuse_too_many(self.source, rows * len(wanted), rows * max(len(texts), 1))
        if max(rows * len(wanted) * 8, stored) > most_bytes():
            raise too_large(self.source.label, what="is a table of")

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except ReadError:
            raise
        except Exception as error:  # pyarrow has many
            raise self.source.error(f"cannot be read as {self.source.binary} by pyarrow: {error}") from None


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
        way_out = "pip install inspect-ai; or make it JSON with `inspect log convert --to json`"
        raise source.error(f"is an archive of Inspect, which its own reader opens: {way_out}") from None
    try:
        return json.loads(log.read_eval_log(str(source.path)).model_dump_json())
    except Exception as error:  # of zip, JSON or pydantic
        raise source.error(f"cannot be read by inspect-ai: {error}") from None
