"""Paths, globs, folders, open files, gzip, encodings and limits."""

from __future__ import annotations

import gzip
import io
import pickle
from pathlib import Path
from typing import Any

import pytest

from concordant.data.scores import Scores
from concordant.errors import ConcordantError, InputTypeError, ReadError
from concordant.read import read_scores, source

CONTENT = "topic,a,b\n301,0.5,0.25\n"
EXPECTED = Scores([[0.5, 0.25]], ["301"], ["a", "b"])


def zipped(data: bytes) -> bytes:
    """Without the time of day, which would be part of a test's name and tell the workers of pytest-xdist apart."""
    return gzip.compress(data, mtime=0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "scores.csv"
    found.write_text(CONTENT)
    return found


def test_ways_to_name_a_file(path: Path) -> None:
    with path.open() as text, path.open("rb") as binary:
        ways: list[Any] = [
            path,
            str(path),
            str(path.parent),
            str(path.parent / "*.csv"),
            str(path.parent / "**" / "*.csv"),
            [path],
            (path for _ in range(1)),
            text,
            binary,
            io.StringIO(CONTENT),
            io.BytesIO(CONTENT.encode()),
            io.BytesIO(gzip.compress(CONTENT.encode())),
        ]
        for way in ways:
            assert read_scores(way) == EXPECTED


def test_a_name_with_brackets_is_a_name_first(tmp_path: Path) -> None:
    odd = tmp_path / "scores[1].csv"
    odd.write_text(CONTENT)
    assert read_scores(str(odd)) == EXPECTED


def test_hidden_files_of_a_folder_are_not_read(path: Path) -> None:
    (path.parent / ".hidden").write_text("junk")
    (path.parent / ".git").mkdir()
    (path.parent / ".git" / "config").write_text("junk")
    assert read_scores(path.parent) == EXPECTED


@pytest.mark.parametrize(
    "data",
    [
        CONTENT.encode("utf-8-sig"),
        CONTENT.encode("utf-16"),
        CONTENT.replace("\n", "\r\n").encode(),
        CONTENT.replace("\n", "\r").encode(),
        zipped(CONTENT[:10].encode()) + zipped(CONTENT[10:].encode()),
    ],
)
def test_encodings(data: bytes) -> None:
    assert read_scores(io.BytesIO(data)) == EXPECTED


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", None, "is empty"),
        (b"\n \n# nothing\n", None, "is empty"),
        ("topic,a\nzürich,1\n".encode("latin-1"), 2, "is not UTF-8"),
        (b"topic,a\n1,2\n\x00\x01\n", 3, "is binary"),
        (b"\xff\xfea", 1, "starts like UTF-16"),
        (zipped(CONTENT.encode())[:-6], None, "damaged gzip"),
        (zipped(CONTENT.encode())[:4], None, "damaged gzip"),
        (b"\x1f\x8bjunk", None, "damaged gzip"),
        (b"PK\x03\x04junk", None, "zip archive"),
        (b"BZh91AY", None, "bzip2"),
        (zipped(zipped(CONTENT.encode())), 1, "is binary|not UTF-8"),
    ],
)
def test_bad_bytes(data: bytes, line: int | None, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read_scores({"f": io.BytesIO(data)})
    assert (caught.value.path, caught.value.line) == ("f", line)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for name, message in (
        ("none.csv", "there is no such file"),
        ("*.none", "no file matches"),
        ("x" * 5000, "cannot be read: File name too long"),
        ("a\0b", "null character"),
    ):
        with pytest.raises(ReadError, match=message):
            read_scores(str(tmp_path / name))
    with pytest.raises(ReadError, match="folder holds no files"):
        read_scores(tmp_path)
    with pytest.raises(ReadError, match="list of files is empty"):
        read_scores([])
    for what in (3, b"x", None):
        with pytest.raises(InputTypeError, match="give a path"):
            read_scores(what)


def test_closed_and_wrongly_opened_files(path: Path) -> None:
    with path.open() as closed:
        pass
    with pytest.raises(ReadError, match="closed"):
        read_scores(closed)
    packed = path.parent / "packed.gz"
    packed.write_bytes(gzip.compress(CONTENT.encode() * 100))
    with packed.open(encoding="utf-8") as text, pytest.raises(ReadError, match="binary mode"):
        read_scores(text)


def test_the_size_is_limited(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    bomb = gzip.compress(b"0" * 10_000_000)
    monkeypatch.setattr(source, "MAX_BYTES", 1_000_000)
    for what in (io.BytesIO(bomb), io.BytesIO(b"0" * 2_000_000), io.StringIO("0" * 2_000_000)):
        with pytest.raises(
            ReadError,
            match=r"more than 1,000,000 bytes; .* set CONCORDANT_MAX_BYTES .*, or concordant.read.source.MAX_BYTES",
        ):
            read_scores(what)
    assert read_scores(path) == EXPECTED
    monkeypatch.setattr(source, "MAX_BYTES", 40)
    with pytest.raises(ReadError, match=r"is JSON of more than 10 bytes; .* CONCORDANT_MAX_BYTES to 4 times as much"):
        read_scores(io.StringIO('{"1": {"map": 0.5}}'))


def test_the_error_tells_and_survives_pickling() -> None:
    error = ReadError("is wrong", "f.txt", 3, "x" * 500)
    assert str(error).startswith("f.txt:3: is wrong: 'xxx")
    assert len(str(error)) < 200
    assert isinstance(error, ConcordantError)
    assert isinstance(error, ValueError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(ReadError("is wrong")) == "is wrong"
