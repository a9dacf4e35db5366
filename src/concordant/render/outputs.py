"""Write each output file completely or not at all, and never over an input or a file of another kind."""

from __future__ import annotations

import csv
import errno
import glob
import io
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..errors import InputError, files_of_call

try:
    import fcntl
except ImportError:  # Windows, which cannot remove an open file
    fcntl = None  # type: ignore[assignment]


class Kind(NamedTuple):
    """A kind of output file. An output may replace an earlier file of its kind, but no other file."""

    words: str
    holds: Callable[[bytes], object]
    """Function that tells whether a file that begins with given bytes is of this kind."""


REPORT_START = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="concordant">'
)
REPORT = Kind("a report by concordant", re.compile(re.escape(REPORT_START.encode())).match)
FIGURE = Kind("a figure", re.compile(rb"%PDF-|\x89PNG|\s*<(?:\?xml|svg|!--|!DOCTYPE svg)").match)
# Quotes around a plain word mean nothing in CSV, and few programs write them. They mark the tables that we wrote.
SCORES_START = '"topic",'
SCORES = Kind("a table of scores by concordant", re.compile(SCORES_START.encode() + b'(?!")').match)
JUDGMENTS = Kind("judgments in TREC's format", re.compile(rb"\S+(?:[ \t]+\S+){3}[ \t]*\r?\n").match)
_START = 4096  # bytes at the start of a file, enough to tell its kind


def check_output(path: str | os.PathLike[str], kind: Kind | None = None) -> None:
    """Raise an error, before the computation, if a file cannot or must not be written.

    Parameters
    ----------
    path : path
        The file to write.
    kind : Kind, optional
        The kind of file to write. An existing file of another kind is not replaced.

    """
    target = Path(os.path.realpath(path))
    before = _replaceable(target, path, kind)
    if before is None or stat.S_ISREG(before):
        try:
            with _beside(target) as file:  # try to write, since permission bits do not tell everything
                file.write(b"\0")
        except OSError as error:
            raise _named(error, path) from None


@contextmanager
def written_whole(path: str | os.PathLike[str], kind: Kind | None = None) -> Iterator[IO[bytes]]:
    """Open a binary file that replaces `path` once the block ends without an error.

    The earlier file stays until then. Links are followed. Devices and pipes cannot be replaced and are written to
    directly. Files that were read, and non-empty files of another kind, are not replaced.
    """
    target = Path(os.path.realpath(path))
    before = _replaceable(target, path, kind)
    try:
        if before is not None and not stat.S_ISREG(before):
            with open(target, "wb") as file:
                yield file
            return
        with _beside(target) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # some file systems report only here that they are full
            if before is not None:
                os.chmod(file.name, stat.S_IMODE(before))
            if fcntl is None:  # Windows cannot rename an open file
                file.close()
            os.replace(file.name, target)
        files_of_call().wrote(target)
    except OSError as error:  # the error names no file, or only the temporary one
        raise _named(error, path) from None


def _replaceable(target: Path, path: str | os.PathLike[str], kind: Kind | None) -> int | None:
    """Return the mode of the existing file, or None if there is none. Raise an error if it must not be replaced."""
    try:
        mode = target.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(mode):
            return mode
        with open(target, "r+b") as there:  # also checks that it is writable
            start = there.read(_START)
    except FileNotFoundError:
        return None
    except OSError as error:  # for instance, a parent is a file
        raise _named(error, path) from None
    if files_of_call().was_read(target):
        raise InputError(f"{os.fspath(path)} is an input and would be overwritten: give another file")
    if kind is not None and start and not kind.holds(start):
        raise InputError(f"{os.fspath(path)} exists and is not {kind.words}: give another file, or delete it first")
    return mode


def write_csv(path: str | os.PathLike[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a CSV table in full precision. Each row maps columns to values, and all rows have the same columns."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    header = text.getvalue().encode()
    writer.writerows(rows)
    with written_whole(path, Kind("an earlier version of this table", lambda start: start.startswith(header))) as file:
        file.write(text.getvalue().encode())


def write_new(path: str | os.PathLike[str], data: bytes) -> bool:
    """Write a file unless it exists, and return whether it was written. Only one of two processes can succeed."""
    target = Path(path)
    try:
        with _beside(target) as part:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
            try:
                os.link(part.name, target)
            except FileExistsError:
                return False
            except OSError:  # a file system without links: the first to create the file wins
                with suppress(FileExistsError), open(target, "xb") as file:
                    file.write(data)
                    return True
                return False
            return True
    except OSError as error:
        raise _named(error, path) from None


@contextmanager
def _beside(target: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file in the target's folder, and always delete it at the end.

    The file is locked while it is written, so that no process takes it for the leftover of a killed process.
    """
    name = target.name[:40]
    clear_parts(target.parent, glob.escape(name))
    while True:
        # Choose the name before the file exists. With tempfile, an interrupt between making the file and learning its
        # name would leave the file behind.
        part = target.parent / f".{name}.{secrets.token_hex(8)}.part"
        try:
            with open(part, "xb") as file:
                if _locked(file) is not False and os.path.exists(part):  # otherwise another process has just deleted it
                    yield file
                    return
        finally:
            part.unlink(missing_ok=True)


def clear_parts(folder: Path, name: str = "*") -> None:
    """Remove partial files that killed processes left in a folder, if the names of their targets match a pattern."""
    for part in folder.glob(f".{name}.{'[0-9a-f]' * 16}.part"):
        with suppress(OSError), open(part, "r+b") as file:
            if _locked(file):
                if fcntl is None:
                    file.close()
                part.unlink()


def _locked(file: IO[bytes]) -> bool | None:
    """Lock an open file until it is closed. Return False if another process locked it, None if locks do not work."""
    if fcntl is None:  # no lock needed: Windows does not remove open files
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if isinstance(error, BlockingIOError) else None
    return True


def _named(error: OSError, path: str | os.PathLike[str]) -> OSError:
    other = error.filename is not None and not os.fsdecode(error.filename).endswith(".part")
    if error.errno is None or (other and os.fspath(path) != os.fsdecode(error.filename)):
        return error  # a library raised it, with its own message or about its own file
    return OSError(error.errno, error.strerror, os.fspath(path))  # Python chooses the subclass by errno
