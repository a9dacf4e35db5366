"""Files that other libraries read: Parquet and Arrow by polars, pyarrow or pandas, Inspect's archives by Inspect."""

from __future__ import annotations

import io
import json
from importlib import import_module
from typing import Any

from ..errors import MissingExtraError, ReadError
from ..tables.contents import Contents, table_contents
from ..tables.frames import frame_cells
from ..tables.layout import Roles
from .inspect_log import read_inspect
from .sizes import refuse_large
from .source import Source

_PANIC = "PanicException"  # of libraries in Rust, such as polars, on damaged files; it is no Exception


def read_binary(source: Source, roles: Roles) -> Contents:
    """A table in Parquet or Arrow, or a log of Inspect."""
    if source.binary == "inspect":
        return read_inspect(source, _inspect_log(source))
    cells = frame_cells(read_frame(source), source, roles.columns)
    found = table_contents(cells, roles) if len(cells) else None
    if found is None:
        raise source.error("has no scores: give topics x systems, or columns of systems, topics and scores")
    found.format = f"{found.format} ({source.binary})"
    return found


def read_frame(source: Source) -> Any:
    """A frame of the library that is installed."""
    data = io.BytesIO(source.data)
    readers: dict[str, tuple[tuple[str, str], ...]] = {
        "parquet": (("polars", "read_parquet"), ("pyarrow.parquet", "read_table"), ("pandas", "read_parquet")),
        "arrow": (("pyarrow.feather", "read_table"), ("polars", "read_ipc"), ("pandas", "read_feather")),
    }
    if source.binary == "arrow" and not source.data.startswith(b"ARROW1"):
        readers["arrow"] = (("pyarrow.ipc", "open_stream"), ("polars", "read_ipc_stream"))
    for module, name in readers[source.binary or "parquet"]:
        try:
            library = import_module(module)
        except ImportError:
            continue
        try:
            refuse_large(source)
            found = getattr(library, name)(data)
            found = found.read_all() if name == "open_stream" else found
            if module.startswith("pyarrow"):  # takes places and bytes of text as they are
                found.validate(full=True)
                "".join(found.column_names)
            return found
        except ReadError:
            raise
        except BaseException as error:  # each library has its own
            if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
                raise
            raise source.error(f"cannot be read as {source.binary} by {module.partition('.')[0]}: {error}") from None
    raise MissingExtraError(f"{source.label} needs pyarrow, polars or pandas: pip install pyarrow")


def _inspect_log(source: Source) -> Any:
    try:
        refuse_large(source)
    except ReadError:
        raise
    except Exception as error:  # zipfile has several
        raise source.error(f"is a damaged archive: {error}") from None
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
