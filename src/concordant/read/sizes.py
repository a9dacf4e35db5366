"""How much a binary file takes once it is read, as it says itself, before a library reads it.

Parquet and Arrow compress and repeat: 50 kB can be millions of rows.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

from ..files import JSON_SHARE, most_bytes, too_large
from . import delimited
from .source import Source

_CELL = 8  # bytes: a number
_DICTIONARY, _BATCH = 2, 3  # of the messages of Arrow's format


class Size(NamedTuple):
    """What a table takes."""

    cells: int
    stored: int
    """Bytes of the cells as the file stores them, decompressed."""


def refuse_large(source: Source) -> None:
    """Raise if a table is beyond the limits, or an archive of Inspect; a damaged file is left to the library."""
    if source.binary == "inspect":
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > most_bytes(JSON_SHARE):
                raise too_large(source.label, JSON_SHARE, "is an archive of JSON, of")
        return
    size = _of_parquet(source.data) if source.binary == "parquet" else _of_arrow(source.data)
    if size.cells > delimited.MAX_CELLS:
        raise delimited.too_many_cells(source)
    if max(size.cells * _CELL, size.stored) > most_bytes():
        raise too_large(source.label, what="is a table of")


def _of_parquet(data: bytes) -> Size:
    """By the first library that is there; only pyarrow knows the size that is stored."""
    for module in ("pyarrow.parquet", "polars", "fastparquet"):
        try:
            library = import_module(module)
        except ImportError:
            continue
        if module == "polars":
            table = library.scan_parquet(io.BytesIO(data))
            return Size(table.select(library.len()).collect().item() * len(table.collect_schema()), 0)
        found = library.ParquetFile(io.BytesIO(data))
        if module == "fastparquet":
            return Size(found.count() * len(found.columns), 0)
        # Not by column: on some damaged files pyarrow ends the process when it is asked for one.
        groups = [found.metadata.row_group(k) for k in range(found.metadata.num_row_groups)]
        rows = max(found.metadata.num_rows, sum(group.num_rows for group in groups))
        return Size(rows * found.metadata.num_columns, sum(group.total_byte_size for group in groups))
    return Size(0, 0)


class _Record:
    """A table of FlatBuffers, in which Arrow describes its messages: https://flatbuffers.dev/internals."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data, self.place = data, place + self._number("<I", data, place)

    @staticmethod
    def _number(form: str, data: bytes, place: int) -> int:
        return int(struct.unpack_from(form, data, place)[0])

    def _field(self, k: int) -> int | None:
        """Where field k is; None where it is left out."""
        table = self.place - self._number("<i", self.data, self.place)
        inside = 4 + 2 * k < self._number("<H", self.data, table)
        offset = self._number("<H", self.data, table + 4 + 2 * k) if inside else 0
        return self.place + offset if offset else None

    def number(self, k: int, form: str) -> int:
        """A number, 0 where it is left out."""
        at = self._field(k)
        return 0 if at is None else self._number(form, self.data, at)

    def record(self, k: int) -> _Record | None:
        """A table within."""
        at = self._field(k)
        return None if at is None else _Record(self.data, at)

    def structs(self, k: int, form: str) -> list[tuple[Any, ...]]:
        """A list of structures."""
        at = self._field(k)
        if at is None:
            return []
        at += self._number("<I", self.data, at)
        count = self._number("<I", self.data, at)
        return list(struct.iter_unpack(form, self.data[at + 4 : at + 4 + count * struct.calcsize(form)]))


def _of_arrow(data: bytes) -> Size:
    """From the messages that describe batches: https://arrow.apache.org/docs/format/Columnar.html."""
    cells = stored = 0
    for message, body in _messages(data):
        kind, header = message.number(1, "<B"), message.record(2)
        batch = header.record(1) if kind == _DICTIONARY and header else header
        if kind not in (_DICTIONARY, _BATCH) or batch is None:
            continue
        cells += sum(max(length, 0) for length, _ in batch.structs(1, "<qq"))
        compressed = batch.record(3) is not None
        for offset, length in batch.structs(2, "<qq"):
            # A compressed buffer starts with its length, or with -1 where it did not pay.
            plain = struct.unpack_from("<q", data, body + offset)[0] if compressed and length else -1
            stored += max(length, 0) if plain < 0 else plain
    return Size(cells, stored)


def _messages(data: bytes) -> Iterator[tuple[_Record, int]]:
    """Each message and the place of its body: those that the footer of a file names, or one after the other."""
    if data.startswith(b"ARROW1"):
        (length,) = struct.unpack_from("<i", data, len(data) - 10)
        footer = _Record(data, len(data) - 10 - length)
        for offset, metadata, _ in footer.structs(2, "<qi4xq") + footer.structs(3, "<qi4xq"):
            yield _Record(data, offset + 8), offset + metadata
        return
    place = 0
    while data[place : place + 4] == b"\xff\xff\xff\xff" and (size := struct.unpack_from("<i", data, place + 4)[0]) > 0:
        message = _Record(data, place + 8)
        yield message, place + 8 + size
        place += 8 + size + message.number(3, "<q")
