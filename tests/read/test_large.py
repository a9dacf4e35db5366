"""Files of 100 MB: the right answer, or one clear error, in bounded time and memory."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from concordant.errors import ConcordantError, ReadError
from concordant.judgments.read_runs import read_qrels, read_runs
from concordant.read import read_scores, source

pytestmark = pytest.mark.long

SIZE = 100 * 2**20

JUNK: dict[str, Callable[[], bytes]] = {
    "random bytes": lambda: os.urandom(2**20) * 100,
    "one line": lambda: b"a" * SIZE,
    "one line of numbers": lambda: b"0.5 " * (SIZE // 4),
    "one row of commas": lambda: b"," * SIZE,
    "blank lines": lambda: b"\n" * SIZE,
    "zero bytes": lambda: bytes(SIZE),
    "opening brackets": lambda: b"[" * SIZE,
    "an open string": lambda: b'{"a": "' + b"b" * SIZE,
    "lines of junk": lambda: b"what is this?\n" * (SIZE // 14),
    "cut rows": lambda: b"map\t301\n" * (SIZE // 8),
}


@pytest.mark.parametrize("kind", JUNK)
@pytest.mark.parametrize("read", [read_scores, read_qrels, read_runs])
def test_junk(tmp_path: Path, kind: str, read: Callable[[Path], object]) -> None:
    path = tmp_path / "junk.txt"
    path.write_bytes(JUNK[kind]())
    with pytest.raises(ReadError, match=r"junk\.txt"):
        read(path)


def test_a_valid_file_is_read(tmp_path: Path) -> None:
    topics, measures = 40_000, 80
    values = np.random.default_rng(1).integers(0, 10_000, topics) / 10_000
    rest = "".join(f"m{k:<21}\t%d\t0.5000\n" for k in range(measures))
    with (tmp_path / "large.eval").open("w") as file:
        for topic, value in enumerate(values):
            file.write(f"map                   \t{topic}\t{value:.4f}\n" + rest.replace("%d", str(topic)))
    assert (tmp_path / "large.eval").stat().st_size > SIZE
    scores = read_scores(tmp_path / "large.eval", "map")
    np.testing.assert_array_equal(scores.values[:, 0], values)


def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 10 * 2**20)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(bytes(SIZE), compresslevel=1))
    with pytest.raises(ConcordantError, match=r"bomb\.csv\.gz.*MAX_BYTES|bomb\.csv\.gz.*more than"):
        read_scores(path)
