"""Load the files that a caller names (paths, globs, folders, open files, lists), and name the sides after them.

Input is data: it is read, decompressed up to a limit, and parsed; nothing in it is executed or followed.
"""

from __future__ import annotations

import glob
import gzip
import io
import json
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from ..errors import (
    InputError,
    InputTypeError,
    OtherKindError,
    ReadError,
    closest,
    limit_of,
    listing,
    reading,
    reading_whole,
    warn,
)
from .tables.vocabulary import number

# A line that is not JSON may have at most `MAX_BYTES` / 64 bytes, because a field of 2 bytes takes up to 60 in memory.
LINE_SHARE = 64
# The most files below one folder. A limit is needed because a link may lead to a whole disk.
MAX_FILES = 1_000_000
_ROW, _COMMENT = re.compile(rb"^[^#\n][^\n]*", re.MULTILINE), re.compile(rb"^#[^\n]+", re.MULTILINE)
QUOTED = re.compile(rb'"[^"]*"')

_DECOMPRESS = "decompress it first, or use gzip"
_ZIP = f"a zip archive: {_DECOMPRESS}"
# Kinds of files that are not read, recognised by their first bytes.
_REFUSED = {
    b"PK\x03\x04": _ZIP,
    b"BZh": f"compressed with bzip2: {_DECOMPRESS}",
    b"\xfd7zXZ\x00": f"compressed with xz: {_DECOMPRESS}",
    b"\x28\xb5\x2f\xfd": f"compressed with zstd: {_DECOMPRESS}",
    b"ARROW1": "an Arrow or Feather file: save it as Parquet",
    b"\xff\xff\xff\xff": "an Arrow stream: save it as Parquet",
}
# Kinds of zip archives, recognised by their suffixes.
_ARCHIVES = {
    ".eval": "an Inspect archive: convert it with `inspect log convert --to json --output-dir json FILE`",
    ".xlsx": "a workbook: save the sheet as CSV",
    ".ods": "a workbook: save the sheet as CSV",
}
_COMPRESSION_SUFFIX = (".gz", ".bz2", ".xz", ".zst")
_SUFFIX = (
    *(".eval", ".treceval", ".trec_eval", ".ndcgeval", ".txt", ".run", ".res", ".trec", ".out", ".csv", ".tsv", ".q"),
    *(".json", ".jsonl", ".parquet"),
)


class Item(NamedTuple):
    """One file to read: a path or an open file, and its name if the caller gave one."""

    file: Any
    name: str | None = None
    found: bool = False
    """Whether the file was found in a folder or by a pattern. Only then is a file of another kind skipped."""


@dataclass(frozen=True)
class Source:
    """The contents of one file, in UTF-8 with plain newlines. `label` is its name in messages."""

    label: str
    data: bytes
    path: Path | None = None
    name: str | None = None
    parquet: bool = False
    """Whether the contents are Parquet instead of text."""

    @property
    def empty(self) -> bool:
        """Whether the file contains only blank lines and comments."""
        return not self.parquet and next(self.lines(), None) is None

    def lines(self, comments: bool = False) -> Iterator[tuple[int, bytes]]:
        """Yield line numbers, from 1, and lines. Skip blank lines and comments (`#`), or yield only the comments."""
        number, place = 1, 0
        # Do not split all lines: often only the first one is needed, and there may be a million comments.
        for match in (_COMMENT if comments else _ROW).finditer(self.data):
            number += self.data.count(b"\n", place, match.start())
            place = match.start()
            if match[0].strip():
                yield number, match[0]

    def text(self, line: int) -> str:
        """Return the line with this number; if it is very long, return only its beginning."""
        return self.data.split(b"\n", line)[line - 1][:1000].decode(errors="replace")

    def error(self, message: str, line: int | None = None) -> ReadError:
        """Make an error that quotes a line of this file. Without `line`, the error is about the whole file."""
        text = None if line is None or self.parquet else self.text(line)
        says_nothing = text is None or text.strip() in ("{", "[")  # the first line of indented JSON
        return ReadError(message, self.label, line, None if says_nothing else text)

    def other_kind(self, message: str, line: int | None = None) -> OtherKindError:
        """Make the error for a file that holds something other than scores."""
        return OtherKindError(*self.error(message, line).args)

    def run_name(self) -> str:
        """Return the name of the run in this file, taken from the name of the file."""
        name = self.path.name if self.path else self.label
        # Escape bytes that are not UTF-8, because they could not be written to any file.
        return run_name(name.encode(errors="surrogateescape").decode(errors="backslashreplace"))

    def doubtful_comment(self, line: int) -> ReadError:
        """Make the error for a comment that has as many fields as the lines around it."""
        way_out = "if it is a comment, put a blank after the #; otherwise rename what starts with #"
        return self.error(f"starts with # like a comment, but looks like the other lines: {way_out}", line)

    def refuse_hidden_rows(self, width: int, place: int = -1, mark: bytes | None = None) -> None:
        """Refuse comments that look like rows, because a topic may begin with #.

        Such a comment has `width` fields, separated by `mark`, and a number in the field at index `place`.
        """
        for line, text in self.lines(comments=True) if b"#" in self.data else ():
            fields = text.split(mark)
            if len(fields) == width and fields[0].strip() != b"#" and number(fields[place]) is not None:
                raise self.doubtful_comment(line)

    def warn_if_cut(self) -> None:
        """Warn if the last line has no newline. Tools write one, so the file and its last number may be cut off."""
        if self.data and not self.data.endswith(b"\n"):
            last = self.data[self.data.rfind(b"\n") + 1 :].decode()
            warn(f"{self.label} does not end with a newline: if it was cut off, its last line is wrong: {last[:120]!r}")


def run_name(file_name: str) -> str:
    """Derive the name of a run from its file name: drop `input.`, a compression suffix and a known suffix.

    >>> [run_name(n) for n in ("input.bm25.gz", "smith.bm25", "smith.ql.eval", "x.q.txt")]
    ['bm25', 'smith.bm25', 'smith.ql', 'x.q']
    """
    name = file_name.removeprefix("input.")
    for suffixes in (_COMPRESSION_SUFFIX, _SUFFIX):
        suffix = next((s for s in suffixes if name.lower().endswith(s)), "")
        name = name[: len(name) - len(suffix)] if len(name) > len(suffix) else name
    return name or file_name


def expand(what: Any) -> list[Item]:
    """List all files that `what` names: a path, glob, folder, open file, {name: path}, or a list of these."""
    if isinstance(what, Mapping) and what:
        return [Item(_single(file), str(name)) for name, file in what.items()]
    if isinstance(what, str | os.PathLike):
        return _paths(what)
    if hasattr(what, "read"):
        return [Item(what)]
    if isinstance(what, bytes | bytearray) or hasattr(what, "dtypes") or not isinstance(what, Iterable):
        way_out = "give a path, glob, folder, open file, or a list of them; for data in memory, use as_scores"
        raise InputTypeError(f"cannot read from a {type(what).__name__}: {way_out}")
    items = [item for part in what for item in expand(part)]
    if not items:
        raise ReadError("the list of files is empty")
    return items


def _single(file: Any) -> Any:
    found = expand(file)
    if len(found) != 1:
        raise ReadError(f"matches {len(found)} files, but has one name: give each file its own name", str(file))
    return found[0].file


def _paths(what: str | os.PathLike[str]) -> list[Item]:
    text = os.fsdecode(what)
    if "\0" in text:
        raise ReadError("is not a path: it has a null character", repr(text))
    if not text:
        raise ReadError("the path is empty: give the name of a file, or . for this folder")
    try:
        path = Path(text)
        if not path.exists():
            path = Path(os.path.expanduser(text))
        if path.is_dir():
            return [Item(file, found=True) for file in _folder(path)]
        if not path.exists() and glob.has_magic(text):
            return [Item(file, found=True) for file in _glob(path, text)]
    except OSError as error:  # for instance, the name is too long
        raise ReadError(f"cannot be read: {error.strerror or error}", text) from None
    return [Item(path)]


def _glob(pattern: Path, text: str) -> list[Path]:
    """List the files that match a pattern, and all files in matching folders, sorted."""
    for part in reversed(pattern.parents):
        # glob skips folders that it may not read.
        for folder in glob.glob(str(part), recursive=True) if glob.has_magic(str(part)) else ():
            if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK):
                raise ReadError("the folder cannot be read: Permission denied", folder)
    found = sorted(Path(name) for name in glob.glob(str(pattern), recursive=True))
    found = found if _is_backup(pattern) else _without_backups(found)  # a pattern such as *~ requests backups
    if not found:
        raise ReadError("no file matches", text)
    reading_whole({match.parent for match in found}, pattern.name)
    files = [file for match in found for file in (_folder(match) if match.is_dir() else [match])]
    return list(dict.fromkeys(files))


def _is_backup(path: Path) -> bool:
    """Tell whether this is the name of a backup or temporary copy that an editor or a tool made."""
    name = path.name
    kept = name.endswith(("~", ".bak", ".orig")) or (name.startswith("#") and name.endswith("#"))
    return kept and not name.startswith(".")


def _without_backups(found: list[Path]) -> list[Path]:
    """Return the files that are not backups, sorted. Warn about the backups that are left out."""
    if shown := listing(sorted(path for path in found if _is_backup(path))):
        warn(f"backup files left out: {shown}")
    return sorted(path for path in found if not _is_backup(path))


def _folder(folder: Path) -> list[Path]:
    """List all files below a folder except hidden files, sorted. Follow links, but enter each folder only once."""

    def refuse(error: OSError) -> None:
        raise ReadError(f"the folder cannot be read: {error.strerror or error}", str(error.filename or folder))

    found: list[Path] = []
    seen = {str(above) for above in Path(os.path.realpath(folder)).parents}  # do not follow a link back up
    for place, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        seen.add(os.path.realpath(place))
        inside = (name for name in folders if not name.startswith("."))
        folders[:] = sorted(name for name in inside if os.path.realpath(os.path.join(place, name)) not in seen)
        found += [Path(place, name) for name in files if not name.startswith(".")]
        if len(found) > MAX_FILES:
            raise ReadError(f"the folder holds more than {MAX_FILES:,} files: give a glob", str(folder))
    found = _without_backups(found)
    if not found:
        raise ReadError("the folder holds no files", str(folder))
    reading_whole({folder, *(path.parent for path in found)})
    return found


def load(item: Item, share: int = 1) -> Source:
    """Read a file, decompress it and convert it to UTF-8 with plain newlines, up to the limit divided by `share`."""
    # Most open files have a path as their name, but the name of a pipe is a number, and that of a terminal is <stdin>.
    own = item.file if isinstance(item.file, Path) else getattr(item.file, "name", "")
    path = Path(own) if isinstance(own, str | Path) and str(own) and not str(own).startswith("<") else None
    label = str(path) if path else item.name or f"<{type(item.file).__name__}>"
    raw = _raw(item.file, label, share)
    if raw[:2] == b"\x1f\x8b":
        raw = _gunzip(raw, label, share)
    if raw.startswith(b"PAR1"):
        return Source(label, raw, path, item.name, parquet=True)
    data = _clean(raw, label)
    _refuse_long_lines(data, label)
    return Source(label, data, path, item.name)


def _raw(file: Any, label: str, share: int) -> bytes:
    if isinstance(file, Path):
        return read_bytes(file, share)
    try:
        reading(file, label)
        return b"".join(part.encode() if isinstance(part, str) else part for part in pieces(file, label, share))
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", label) from None
    except (ReadError, InputTypeError):
        raise
    except ValueError as error:  # the file is closed, in another encoding, or gzip opened as text
        raise ReadError(f"cannot be read: {error}; open it in binary mode", label) from None


def _gunzip(raw: bytes, label: str, share: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
            return b"".join(pieces(stream, label, share))
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError(f"is a damaged gzip file: {error}", label) from None


def _clean(data: bytes, label: str) -> bytes:
    for start, what in _REFUSED.items():
        if data.startswith(start):
            ending = Path(label).suffix.lower() if what == _ZIP else ""
            kind = OtherKindError if what == _ZIP and ending != ".eval" else ReadError
            raise kind(f"is {_ARCHIVES.get(ending, what)}", label)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            raise ReadError("starts like UTF-16, but is not: save it as UTF-8", label, 1) from None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.isascii():
        data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\n\xef\xbb\xbf", b"\n")  # byte order marks of joined files
    if b"\0" in data:
        error = _bad_byte(data, data.index(b"\0"), "is binary: it has a null byte; save text as UTF-8", label)
        raise OtherKindError(*error.args)
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise _bad_byte(data, error.start, "is not UTF-8: convert it, for instance with iconv", label) from None
    return data


def _refuse_long_lines(data: bytes, label: str) -> None:
    start, most = 0, most_bytes(LINE_SHARE)
    while len(data) - start > most and data[:1] not in (b"{", b"["):
        end = data.rfind(b"\n", start, start + most + 1)
        if end < 0:
            raise too_large(label, LINE_SHARE, "has a line of", data.count(b"\n", 0, start) + 1)
        start = end + 1


def _bad_byte(data: bytes, place: int, message: str, label: str) -> ReadError:
    start, end = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place)
    text = data[start : end if end >= 0 else None].decode(errors="backslashreplace")
    return ReadError(message, label, data.count(b"\n", 0, place) + 1, text)


# Keys that hold no scores. Each of them occurs twice in a published MTEB file.
_TOLERATED = frozenset({"evaluation_time", "kg_co2_emissions"})


class _TwiceError(ValueError):
    """A JSON object contains a key twice. Parsers silently keep the last value."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        times = Counter(key for key, _ in pairs if key not in _TOLERATED)
        if (twice := next((key for key, count in times.items() if count > 1), None)) is not None:
            raise _TwiceError(twice)
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def load_json(source: Source, text: bytes | None = None, line: int | None = None) -> Any:
    """Parse the JSON of a file, or of one of its lines."""
    if len(source.data) > most_bytes(JSON_SHARE):
        raise too_large(source.label, JSON_SHARE, "is JSON of")
    try:
        return _DECODER.decode((source.data if text is None else text).decode())
    except json.JSONDecodeError as error:
        start, rest = error.doc[: error.pos].strip(), error.doc[error.pos :].strip()
        # Prose may begin with a bracket. If JSON was cut off, the error is at its end.
        kind = source.other_kind if text is None and start in ("{", "[") and rest else source.error
        raise kind(f"is not JSON: {error.msg}", line or error.lineno) from None
    except _TwiceError as error:
        raise source.error(f"has the key {str(error)!r} twice in one object", line) from None
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number with thousands of digits
        raise source.error(f"is JSON that cannot be read: {error}", line) from None


# The most bytes that one file may hold, decompressed: a gzip of 1 MB can expand to 1 GB, and /dev/zero has no end. To
# read larger files, set CONCORDANT_MAX_BYTES in the environment, or this constant. All other limits depend on it.
MAX_BYTES = limit_of("CONCORDANT_MAX_BYTES", 2**30)
JSON_SHARE = 4  # Python objects take up to 40 times the memory of their JSON
_PIECE = 2**20


def most_bytes(share: int = 1) -> int:
    """Return the limit for a file in bytes, divided by `share`."""
    return MAX_BYTES // share


def read_bytes(path: str | os.PathLike[str], share: int = 1) -> bytes:
    """Read a file, up to the limit. No other function of the package opens a file that a user names.

    A named pipe is refused, because perhaps no program ever writes to it. A shell's `<(command)` is read.

    Parameters
    ----------
    path : path
        The path of a file. A device is read up to the limit, too.
    share : int
        The limit is `MAX_BYTES` divided by this number.

    Returns
    -------
    bytes
        The contents.

    Raises
    ------
    ReadError
        If the file cannot be read, is a named pipe, or is too large.

    """
    label = os.fsdecode(path)
    try:
        about = os.stat(path)
        if stat.S_ISFIFO(about.st_mode) and Path(label).absolute().parts[1:2] not in (("dev",), ("proc",)):
            raise ReadError("is a named pipe, which may never be written to: give a file or <(command)", label)
        with open(path, "rb") as stream:
            reading(stream, label)
            size = about.st_size if stat.S_ISREG(about.st_mode) else 0
            if size > most_bytes(share):
                raise too_large(label, share)
            start = stream.read(size)  # in one call, because joining pieces would take twice the memory
            rest = b"".join(pieces(stream, label, share, len(start)))
            return start + rest if rest else start
    except FileNotFoundError:
        raise ReadError(f"there is no such file{_alike(Path(label))}", label) from None
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", label) from None


def _alike(path: Path) -> str:
    """Write '; did you mean ...?' if the folder has a file with a similar name."""
    try:
        near = closest(path.name, os.listdir(path.parent))
    except OSError:
        near = None
    return "" if near is None else f"; did you mean {str(path.with_name(near))!r}?"


def pieces(stream: Any, label: str, share: int = 1, before: int = 0) -> Iterator[Any]:
    """Yield the rest of an open file, as pieces of bytes or text, up to the limit. `before` bytes were already read."""
    size = before
    while part := stream.read(_PIECE):
        if not isinstance(part, str | bytes | bytearray | memoryview):
            raise InputTypeError(f"{label}: read() returned a {type(part).__name__}, not text or bytes")
        size += len(part)
        if size > most_bytes(share):
            raise too_large(label, share)
        yield part


def too_large(label: str, share: int = 1, what: str = "holds", line: int | None = None) -> ReadError:
    """Make the error for a file, or a part of a file, that is larger than its limit."""
    part = "" if share == 1 else f" to {share} times as much"
    way_out = f"set CONCORDANT_MAX_BYTES{part} in the environment, or concordant.read.source.MAX_BYTES"
    return ReadError(f"{what} more than {most_bytes(share):,} bytes; to allow it, {way_out}", label, line)


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a small UTF-8 file, such as a list of names or JSON, and convert its newlines to plain ones."""
    data = read_bytes(path, JSON_SHARE)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise ReadError("is not UTF-8: convert it, for instance with iconv", os.fsdecode(path)) from None


class SideName(NamedTuple):
    """A side as the caller wrote it. `name`, `measure` and `lower_is_better` are None if the caller left them out."""

    name: str | None
    path: str
    measure: str | None
    lower_is_better: bool | None = None


def parse_side(text: str) -> SideName:
    """Split `NAME=PATH:MEASURE:DIRECTION` into its parts; all except the path are optional.

    Parameters
    ----------
    text : str
        The text on the command line. The path is the longest beginning that is an existing path, so paths may
        contain colons, equals signs and drive letters. A pattern counts as existing if a file matches it. A last part
        `lower` or `higher` says which scores are better. A measure with one of these names needs a direction after it,
        as in `scores.csv:lower:higher`.

    Returns
    -------
    SideName
        The name, path, measure and direction. If no such path exists, the path is everything after the first `=`.

    Examples
    --------
    >>> parse_side("human=scores.csv")
    SideName(name='human', path='scores.csv', measure=None, lower_is_better=None)

    """
    for place in [-1, *(found.start() for found in re.finditer("=", text))]:
        name, rest = (None, text) if place < 0 else (text[:place], text[place + 1 :])
        cuts = [len(rest), *(found.start() for found in reversed(list(re.finditer(":", rest))))]
        path = next((rest[:cut] for cut in cuts if _exists(rest[:cut])), None)
        if path is None or (name is not None and not name):
            continue
        measure = rest[len(path) + 1 :] if len(path) < len(rest) else None
        if measure == "":
            raise InputError(f"{text!r} ends with a colon: write a measure after it, or leave the colon out")
        if measure is None:
            return SideName(name, path, None)
        before, _, last = measure.rpartition(":")
        if last in ("lower", "higher"):
            return SideName(name, path, before or None, last == "lower")
        return SideName(name, path, measure)
    name, equals, rest = text.partition("=")
    return SideName(name, rest, None) if equals and name and rest else SideName(None, text, None)


def as_options(how: Mapping[str, Any]) -> list[str]:
    """Write arguments of `read_scores` as command-line options; raise TypeError if no option can express a value."""
    made = []
    for name, value in how.items():
        option = "-m" if name == "measure" else f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            made.append(option if value else option.replace("lower", "higher"))
            continue
        names = [value] if isinstance(value, str) else list(value)
        if isinstance(value, Mapping) or (len(names) > 1 and any("," in part for part in names)):
            raise TypeError(f"{name} is {value!r}, which no option can express")
        made += [option, ",".join(names)]
    return made


def _exists(path: str) -> bool:
    if not path or "\0" in path:
        return False
    path = os.path.expanduser(path)
    return os.path.exists(path) or (glob.has_magic(path) and next(glob.iglob(path, recursive=True), None) is not None)


def short_names(paths: Sequence[str | os.PathLike[str]], measures: Sequence[str | None] | None = None) -> list[str]:
    """Name sides by their paths, shortened to the parts that differ.

    Suffixes, common beginnings and ends of names, and folders that do not tell the paths apart are dropped. If both
    sides come from the same file, each is named after its measure.

    Parameters
    ----------
    paths : sequence of path
        The path of each side.
    measures : sequence of str or None, optional
        The measure of each side; used if two sides have the same path.

    Returns
    -------
    list of str
        One name for each side, all different unless path and measure are the same.

    Examples
    --------
    >>> short_names(["runs/ndcg__human.csv", "runs/ndcg__llm.csv"])
    ['human', 'llm']
    >>> short_names(["2023/human/", "2023/llm/"])
    ['human', 'llm']
    >>> short_names(["board.csv", "board.csv"], ["win_rate", "elo"])
    ['win_rate', 'elo']

    """
    texts = [os.fspath(path) for path in paths]
    said: list[str | None] = [None] * len(texts) if measures is None else list(measures)
    different = len(set(zip(texts, said, strict=True)))
    for parts in (_trimmed(_last_parts(texts, _without_ending)), _last_parts(texts, str)):
        names = _distinguished(parts, said)
        if len(set(names)) == different:
            return names
    return [text if measure is None else f"{text}:{measure}" for text, measure in zip(texts, said, strict=True)]


def look_alikes(names: Iterable[str], others: Iterable[str]) -> list[tuple[str, str]]:
    """Pair names that differ only in case, punctuation, folders or suffixes. Skip names with several such partners.

    >>> look_alikes(["runs/BM25.gz", "ql", "x"], ["bm25", "QL.eval", "y"])
    [('runs/BM25.gz', 'bm25'), ('ql', 'QL.eval')]
    """
    known, again = map(_by_plain_name, (names, others))
    return [
        (own[0], again[key][0]) for key, own in known.items() if key and len(own) == 1 and len(again.get(key, ())) == 1
    ]


def _by_plain_name(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(_plain(name), []).append(name)
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", _without_ending(re.split(r"[/\\]|__", name)[-1])).casefold()


_TABLE = re.compile(r"(?<=.)\.(jsonl?|ndjson|parquet)$", re.IGNORECASE)


def _without_ending(file_name: str) -> str:
    return _TABLE.sub("", run_name(file_name))


def _last_parts(texts: list[str], ending: Callable[[str], str]) -> list[str]:
    """Return the last part of each path, with enough folders above it to tell the paths apart.

    Last parts that all paths share are dropped first.
    """
    parts = [PurePath(text).parts or (text,) for text in texts]
    parts = [(*part[:-1], ending(part[-1])) for part in parts]
    while len(parts) > 1 and min(map(len, parts)) > 1 and len({part[-1] for part in parts}) == 1:
        parts = [part[:-1] for part in parts]
    depth = 1
    while len({part[-depth:] for part in parts}) < len(set(parts)):
        depth += 1
    return ["/".join(part[-depth:]) for part in parts]


def _distinguished(names: list[str], measures: list[str | None]) -> list[str]:
    """Add measures to names that several sides have; use only the measures if all sides have the same name."""
    if len(names) > 1 and len(set(names)) == 1 and len(set(measures)) == len(measures):
        return [measure or names[0] for measure in measures]
    return [
        f"{name}:{measure}" if measure and names.count(name) > 1 else name
        for name, measure in zip(names, measures, strict=True)
    ]


def _trimmed(names: list[str]) -> list[str]:
    """Drop the first and last words that all names share. Words end at punctuation, but 0.5 is one word."""
    if len(set(names)) < 2:
        return names
    words = [re.findall(r"\d+(?:\.\d+)+|[-_.]+|[^-_.]+", name) for name in names]
    for end in (0, -1):
        while len({tuple(word[end : end + 1 or None]) for word in words}) == 1 and min(map(len, words)) > 1:
            words = [word[1:] if end == 0 else word[:-1] for word in words]
    short = ["".join(word).strip("-_.") for word in words]
    return short if all(short) and len(set(short)) == len(set(names)) else names
