"""Read Parquet with pyarrow.

Parquet is compressed: 50 kB can hold millions of rows. So the number of rows and the types of columns that the file
declares are checked against the limits before decoding.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import ReadError, import_extra, listing
from ..source import Source, most_bytes, too_large
from ..tables.layout import warn_of
from .delimited import refuse_too_many


def parquet_table(
    source: Source, wanted: Callable[[Sequence[str]], Sequence[str]] | None = None
) -> tuple[Any, Sequence[str]]:
    """Read the wanted columns as a table, and also return the names of all columns.

    By default, read all columns except lists and records, because these are not scores and may have any size.
    """
    parquet, types = import_extra("pyarrow.parquet", source.label), import_extra("pyarrow").types
    numeric = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    try:
        schema = parquet.ParquetFile(io.BytesIO(source.data)).schema_arrow
        nested = [column.name for column in schema if types.is_nested(column.type)]
        names = [name for name in schema.names if name not in nested] if wanted is None else wanted(schema.names)
        numbers = [column.name for column in schema if any(test(column.type) for test in numeric)]
        texts = [name for name in names if name not in numbers]
        # Store each text only once, even if it occurs in many rows, as the file may do.
        file = parquet.ParquetFile(io.BytesIO(source.data), read_dictionary=texts)
        # Do not ask for the metadata of single columns: it makes pyarrow end the process on some damaged files.
        groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
        rows = max(file.metadata.num_rows, sum(group.num_rows for group in groups))
        refuse_too_many(source, rows * len(names), rows * max(len(texts), 1))
        if max(rows * len(names) * 8, sum(group.total_byte_size for group in groups)) > most_bytes():
            raise too_large(source.label, what="is a table of")
        table = file.read(names)
        table.validate(full=True)  # read() checks neither the offsets nor the bytes of texts
        "".join(table.column_names)
    except ReadError:
        raise
    except Exception as error:  # pyarrow raises many kinds of errors
        raise source.error(f"cannot be read as Parquet by pyarrow: {error}") from None
    if nested and wanted is None:
        warn_of(source, f"left out, because they hold lists or records: {listing(nested)}")
    return table, schema.names
