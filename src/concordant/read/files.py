"""Files that are read, up to a limit; tables that are written; and fingerprints of what they belong to."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError, InputTypeError, ReadError, limit_of
from ..render.outputs import Kind, reading, written_whole
from ..words import closest

# The most that one file may hold, decompressed: a gzip of 1 MB can expand to 1 GB, and /dev/zero has no end. Set
# CONCORDANT_MAX_BYTES in the environment, or this, to read larger files. All other limits of bytes are shares of it.
MAX_BYTES = limit_of("CONCORDANT_MAX_BYTES", 2**30)
JSON_SHARE = 4  # Python's objects take up to 40 times the room of the JSON that they come from
_PIECE = 2**20


def most_bytes(share: int = 1) -> int:
    """The limit of a file, or of something that may take one part in `share` of it."""
    return MAX_BYTES // share


def read_bytes(path: str | os.PathLike[str], share: int = 1) -> bytes:
    """The contents of a file, up to the limit. Nothing else in the package opens a file that a user names.

    A named pipe is refused, because nobody may ever write to it; `<(command)` of a shell is read.

    Parameters
    ----------
    path : path
        A file. Devices are read up to the limit as well.
    share : int
        The limit is one part in so many of `MAX_BYTES`.

    Returns
    -------
    bytes
        All of it.

    Raises
    ------
    ReadError
        If it cannot be read, is a named pipe, or is too large.

    """
    label = os.fsdecode(path)
    try:
        with open(path, "rb", opener=_open_without_waiting) as stream:
            about = os.fstat(stream.fileno())
            reading(stream, label)
            if stat.S_ISFIFO(about.st_mode) and Path(label).absolute().parts[1:2] not in (("dev",), ("proc",)):
                raise ReadError("is a named pipe, to which nobody may ever write: give a file or <(command)", label)
            size = about.st_size if stat.S_ISREG(about.st_mode) else 0
            if size > most_bytes(share):
                raise too_large(label, share)
            start = stream.read(size)  # at once: pieces would be in the memory twice
            rest = b"".join(pieces(stream, label, share, len(start)))
            return start + rest if rest else start
    except FileNotFoundError:
        raise ReadError(f"there is no such file{_alike(Path(label))}", label) from None
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", label) from None
    except ValueError as error:  # a null character in the path
        if isinstance(error, ReadError | InputError):
            raise
        raise ReadError(f"cannot be read: {error}", repr(label)) from None


def _alike(path: Path) -> str:
    """'; did you mean ...?' where its folder has a file whose name is nearly the same."""
    try:
        near = closest(path.name, os.listdir(path.parent))
    except OSError:
        near = None
    return "" if near is None else f"; did you mean {str(path.with_name(near))!r}?"


def _open_without_waiting(path: str, flags: int) -> int:
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    return handle


def pieces(stream: Any, label: str, share: int = 1, before: int = 0) -> Iterator[Any]:
    """The contents of an open file, bytes or text, in pieces, up to the limit; `before` are read already."""
    size = before
    while part := stream.read(_PIECE):
        if not isinstance(part, str | bytes | bytearray | memoryview):
            raise InputTypeError(f"{label}: read() gave a {type(part).__name__}, neither text nor bytes")
        size += len(part)
        if size > most_bytes(share):
            raise too_large(label, share)
        yield part


def too_large(label: str, share: int = 1, what: str = "holds", line: int | None = None) -> ReadError:
    """The error for a file, or a part of it, that is beyond its limit."""
    part = "" if share == 1 else f", {share} times as much"
    way_out = f"set CONCORDANT_MAX_BYTES{part} in the environment, or concordant.read.files.MAX_BYTES"
    return ReadError(f"{what} more than {most_bytes(share):,} bytes; to allow it, {way_out}", label, line)


def read_text(path: str | os.PathLike[str]) -> str:
    """The contents of a small file of UTF-8, such as names or JSON, with plain newlines."""
    data = read_bytes(path, JSON_SHARE)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise ReadError("is not UTF-8: convert it, for instance with iconv", os.fsdecode(path)) from None


def load_array(data: bytes) -> np.ndarray[Any, Any] | None:
    """The array of a .npy file, or None where it holds no array, or not as many bytes as its header says.

    numpy.load takes the header's word, and asks for terabytes if that says so.
    """
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read_header = np.lib.format.read_array_header_1_0 if version[0] == 1 else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read_header(stream)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None
    body = memoryview(data)[stream.tell() :]
    if dtype.hasobject or dtype.itemsize * math.prod(shape) != len(body) or min(shape, default=0) < 0:
        return None
    return np.frombuffer(body, dtype=dtype).reshape(shape, order="F" if fortran else "C").copy()


def write_csv(path: str | os.PathLike[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table, one mapping from column to value per row, all with the same columns, in full precision."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    header = text.getvalue().encode()
    writer.writerows(rows)
    with written_whole(path, Kind("an earlier version of this table", lambda start: start.startswith(header))) as file:
        file.write(text.getvalue().encode())


def fingerprint(values: FloatArray, *labels: Sequence[str]) -> str:
    """The same for the same numbers in the same order with the same labels, and for nothing else."""
    digest = hashlib.sha256(json.dumps(values.shape).encode())
    digest.update(np.ascontiguousarray(values + 0.0, dtype="<f8").tobytes())  # -0 is 0
    if labels:
        digest.update(json.dumps(labels).encode())
    return digest.hexdigest()
