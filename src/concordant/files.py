"""Files that are written whole or not at all, and fingerprints by which they know what they belong to."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from .arrays import FloatArray


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file to write to, which takes the place of `path` once the block ends without an error.

    What was there before stays until then. A link is followed. Devices and pipes, which nothing can replace, are
    written to.
    """
    target = Path(os.path.realpath(path))
    before = _mode(target, path)
    try:
        if before is not None and not stat.S_ISREG(before):
            with open(target, "wb") as file:
                yield file
            return
        with _beside(target) as part:
            with open(part, "xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())  # some file systems only tell here that they are full
            if before is not None:
                os.chmod(part, stat.S_IMODE(before))
            os.replace(part, target)
    except OSError as error:  # which names no file, or one that nobody asked for
        raise _named(error, path) from None


def write_csv(path: str | os.PathLike[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table, one mapping from column to value per row, all with the same columns, in full precision."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with written_whole(path) as file:
        file.write(text.getvalue().encode())


def fingerprint(values: FloatArray, *labels: Sequence[str]) -> str:
    """The same for the same numbers in the same order with the same labels, and for nothing else."""
    digest = hashlib.sha256(json.dumps(values.shape).encode())
    digest.update(np.ascontiguousarray(values + 0.0, dtype="<f8").tobytes())  # -0 is 0
    if labels:
        digest.update(json.dumps(labels).encode())
    return digest.hexdigest()


def write_new(path: str | os.PathLike[str], data: bytes) -> bool:
    """Write a file that is not there yet, and say whether this was done; of two processes at once only one does."""
    target = Path(path)
    try:
        with _beside(target) as part:
            with open(part, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(part, target)
            except FileExistsError:
                return False
            except OSError:  # a file system without links: the first to make the file has it
                with suppress(FileExistsError), open(target, "xb") as file:
                    file.write(data)
                    return True
                return False
            return True
    except OSError as error:
        raise _named(error, path) from None


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A name that no file has, in the folder of the target; the file is gone at the end, whatever happens."""
    # By hand, not by tempfile: an interrupt between making the file and knowing its name would leave it behind.
    part = target.parent / f".{target.name[:40]}.{secrets.token_hex(8)}.part"
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def _mode(target: Path, path: str | os.PathLike[str]) -> int | None:
    """The mode of what is there, or None."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:  # below a file, for instance
        raise _named(error, path) from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    return mode


def _named(error: OSError, path: str | os.PathLike[str]) -> OSError:
    other = error.filename is not None and not os.fsdecode(error.filename).endswith(".part")
    if error.errno is None or (other and os.fspath(path) != os.fsdecode(error.filename)):
        return error  # raised by a library with words of its own, or about a file of its own
    return OSError(error.errno, error.strerror, os.fspath(path))  # of the class that the number has
