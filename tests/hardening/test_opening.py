"""Whatever file a user names is opened in one guarded way: no endless device, no waiting pipe, no header that lies."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.cli.options import names_of
from concordant.data.results import plain
from concordant.judgments import read_runs as runs
from concordant.read import source
from concordant.read.formats import delimited
from concordant.read.labels import labels_of
from concordant.study.grid import run_grid

from ..commands import PEOPLE
from ..study.trials import grid

pytestmark = pytest.mark.long

OPENERS: dict[str, Callable[[Path], Any]] = {
    "scores": cc.read_scores,
    "runs": cc.read_runs,
    "qrels": cc.read_qrels,
    "teams": lambda path: labels_of(path, "teams"),
    "names": lambda path: names_of(f"@{path}", "--systems"),
    "votes": cc.votes.read_votes,
    "groups": lambda path: cc.as_scores(cc.load_collection("people"), groups=path),
    "types": lambda path: cc.as_scores(cc.load_collection("people"), types=path, total="type-mean"),
    "costs": lambda path: cc.select_topics(cc.load_collection("people"), budget=9, costs=path),
}


@pytest.fixture(params=list(OPENERS))
def opened(request: pytest.FixtureRequest) -> Callable[[Path], str]:
    """What is said when a file is opened."""

    def said(path: Path) -> str:
        with pytest.raises(Exception, match=path.name) as caught:
            OPENERS[request.param](path)
        assert isinstance(caught.value, cc.ConcordantError) or type(caught.value).__name__ == "BadParameter"
        return str(caught.value)

    return said


def test_a_device_without_an_end(opened: Callable[[Path], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 2**22)
    tracemalloc.start()
    assert "holds more than" in opened(Path("/dev/zero"))
    assert tracemalloc.get_traced_memory()[1] < 4 * 2**22
    tracemalloc.stop()


def test_a_pipe_that_nobody_writes_to(opened: Callable[[Path], str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is a named pipe" in opened(tmp_path / "pipe")


def test_a_file_that_is_larger_than_it_takes(opened: Callable[[Path], str], tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(10 * 2**30)
    said = opened(tmp_path / "sparse")
    assert "holds more than" in said
    assert "CONCORDANT_MAX_BYTES" in said


def test_a_folder_and_nothing(opened: Callable[[Path], str], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert "folder" in opened(tmp_path / "folder")
    assert "there is no such file" in opened(tmp_path / "nothing")


def test_a_command_of_a_shell_is_a_file() -> None:
    program = "import sys, concordant.read.source as f; print(f.read_bytes(sys.argv[1]))"
    command = f"{sys.executable} -c '{program}' <(printf abc)"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "b'abc'\n", done.stderr


def test_reading_takes_no_more_than_eight_times_the_size_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_PIECE", 2**16)
    lines = (
        f"{k % 20} Q0 clueweb12-0000wb-{k:05d}-{k * 7 % 10007:05d} {k} {1 / (k + 1):.6f} a\n" for k in range(15_000)
    )
    (tmp_path / "a.run").write_text("".join(lines))
    records = ({"system": f"s{k % 5}", "topic": f"t{k // 5}", "score": k % 97 / 97} for k in range(15_000))
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for name, read in (("a.run", cc.read_runs), ("a.jsonl", cc.read_scores)):
        tracemalloc.start()
        read([tmp_path / name])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 * (tmp_path / name).stat().st_size


def test_files_of_names_take_what_their_names_take(tmp_path: Path) -> None:
    """And not a list of all rows beside them: about 60 bytes for a short string, and 100 for its place in a dictionary.

    With a quarter of the limit of a file, 12 times their size is three times that limit.
    """
    pairs = "".join(f"t{k},g{k // 10}\n" for k in range(100_000, 110_000))
    battles = "".join(f"m{k % 50},m{k % 49 + 50},model_a,q{k}\n" for k in range(100_000, 110_000))
    tables: list[tuple[str, Callable[[Path], Any]]] = [
        ("topic,group\n" + pairs, lambda path: labels_of(path, "groups")),
        ("model_a,model_b,winner,question_id\n" + battles, cc.votes.read_votes),
        ('{"a": "m1", "b": "m2", "winner": "model_a"}\n' * 4000, cc.votes.read_votes),
    ]
    for text, read in tables:
        (tmp_path / "x").write_text(text)
        tracemalloc.start()
        read(tmp_path / "x")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 12 * len(text), text[:20]


def test_files_of_names_have_a_quarter_of_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for start, read in TABLES.values():
        text = start + 50 * start[start.rindex("\n", 0, -1) + 1 :]
        plain, zipped = tmp_path / "x.csv", tmp_path / "x.csv.gz"
        plain.write_bytes(text.encode())
        zipped.write_bytes(gzip.compress(text.encode()))
        for path in (plain, zipped):
            monkeypatch.setattr(source, "MAX_BYTES", 4 * len(text.encode()))
            read(path)
            monkeypatch.setattr(source, "MAX_BYTES", 4 * len(text.encode()) - 4)
            with pytest.raises(cc.errors.ReadError, match=r"holds more than .*CONCORDANT_MAX_BYTES to 4 times as much"):
                read(path)


# Headers that lie ---------------------------------------------------------------------------------


def parquet(table: Any) -> bytes:
    """A table as a file."""
    buffer = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(table, buffer)
    return buffer.getvalue()


def test_a_table_that_is_larger_than_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    zeros = pyarrow.table({"topic": np.arange(100_000) // 50, "a": np.zeros(100_000), "b": np.zeros(100_000)})
    small = pyarrow.table({"topic": np.arange(20.0), "a": np.linspace(0, 1, 20), "b": np.linspace(1, 0, 20)})
    (tmp_path / "bomb").write_bytes(parquet(zeros))
    (tmp_path / "small").write_bytes(parquet(small))
    monkeypatch.setattr(source, "MAX_BYTES", 2**20)
    assert (tmp_path / "bomb").stat().st_size < 2**17
    with pytest.raises(
        cc.errors.ReadError, match=r"bomb: is a table of more than 1,048,576 bytes; .*CONCORDANT_MAX_BY"
    ):
        cc.read_scores(tmp_path / "bomb")
    assert cc.read_scores(tmp_path / "small").systems == ("a", "b")
    monkeypatch.setattr(delimited, "MAX_CELLS", 59)
    with pytest.raises(cc.errors.ReadError, match=r"small: is a table of more than 59 cells; .*CONCORDANT_MAX_CELLS"):
        cc.read_scores(tmp_path / "small")


def test_texts_and_rows_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    names = {"topic": [str(k) for k in range(20)], "system": ["a"] * 20}
    (tmp_path / "x").write_bytes(parquet(pyarrow.table({**names, "value": np.linspace(0, 1, 20)})))
    assert cc.read_scores(tmp_path / "x").values[:, 0].tolist() == np.linspace(0, 1, 20).tolist()
    monkeypatch.setattr(delimited, "MAX_CELLS", 390)  # a tenth may be text
    with pytest.raises(cc.errors.ReadError, match=r"x: is a table of more than 39 rows or cells of text; .*_MAX_CELLS"):
        cc.read_scores(tmp_path / "x")


def test_lists_and_records_are_not_read(tmp_path: Path) -> None:
    """A list of one row may be of any length, and no limit of rows bounds it."""
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"topic": [1, 2], "turns": [[1.0] * 9, []], "a": [0.5, 1.0], "about": [{"x": 1}, {"x": 2}], "b": [1, 0]}
    (tmp_path / "x").write_bytes(parquet(pyarrow.table(columns)))
    with pytest.warns(cc.errors.DataWarning, match="x: left out, because they hold lists or records: turns, about"):
        assert cc.read_scores(tmp_path / "x").systems == ("a", "b")


def test_only_the_columns_of_battles_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    battles = {"model_a": ["x", "y"], "prompt": ["Hello", "Why?"], "model_b": ["y", "z"], "winner": ["model_a", "tie"]}
    (tmp_path / "x").write_bytes(parquet(pyarrow.table(battles)))
    (tmp_path / "other").write_bytes(parquet(pyarrow.table({"topic": ["x"], "text": ["y"]})))
    monkeypatch.setattr(delimited, "MAX_CELLS", 70)  # 7 cells of text: 6 without the prompts, 8 with them
    assert cc.votes.read_votes(tmp_path / "x").systems == ("x", "y", "z")
    with pytest.raises(cc.errors.ReadError, match="has no column model_a or system_a; available: topic, text"):
        cc.votes.read_votes(tmp_path / "other")


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="NO LIMIT: memory is bounded on Linux only")
@pytest.mark.parametrize("kind", ["texts", "numbers", "long text", "list"])
def test_small_files_stay_small(kind: str, tmp_path: Path) -> None:
    """Parquet of some 100 kB that takes gigabytes once it is decoded, in a process of 3 GiB."""
    pyarrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")

    def same(text: str, rows: int) -> Any:
        return pyarrow.DictionaryArray.from_arrays(np.zeros(rows, dtype=np.int32), [text])

    tables: dict[str, Callable[[], dict[str, Any]]] = {
        "texts": lambda: {"topic": same("x", 49_000_000)},
        "numbers": lambda: {"a": np.zeros(49_000_000), "b": np.zeros(49_000_000)},
        "long text": lambda: {"topic": same("x" * 10**6, 10_000), "a": np.zeros(10_000)},
        "list": lambda: {
            "topic": ["1"],
            "turns": pyarrow.ListArray.from_arrays([0, 49_000_000], np.zeros(49_000_000)),
            "a": [0.5],
        },
    }
    said = {
        "texts": "more than 10,000,000 rows or cells of text",
        "numbers": "more than 10,000,000 rows or cells of text",
        "long text": "already has a row",
        "list": "1 topic x 1 system",
    }
    files.write_table(pyarrow.table(tables[kind]()), tmp_path / "x")
    assert (tmp_path / "x").stat().st_size < 2**20
    script = f"""
import resource, sys, warnings
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
warnings.simplefilter("ignore")
import concordant as cc
try:
    print(cc.read_scores({str(tmp_path / "x")!r}))
except cc.errors.ReadError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said[kind] in done.stdout


def test_a_library_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever pyarrow raises is told with the file; an interrupt stays one."""
    pyarrow = pytest.importorskip("pyarrow")
    (tmp_path / "x").write_bytes(parquet(pyarrow.table({"topic": [1, 2], "a": [0.5, 1.0]})))
    for raised, expected in ((OSError, cc.errors.ReadError), (KeyboardInterrupt, KeyboardInterrupt)):

        def fail(_: Any, raised: type[BaseException] = raised) -> None:
            raise raised("assertion failed")

        monkeypatch.setattr(pytest.importorskip("pyarrow.parquet"), "ParquetFile", fail)
        with pytest.raises(expected, match="assertion failed"):
            cc.read_scores(tmp_path / "x")


@pytest.mark.parametrize(("cell", "column"), [("xxxx", "a"), ("1", "xxxx")])
def test_text_that_is_not_utf8(cell: str, column: str, tmp_path: Path) -> None:
    table = pytest.importorskip("pyarrow").table({"topic": [cell, "2", "3"], column: [0.5, 0.25, 1.0]})
    (tmp_path / "x").write_bytes(parquet(table).replace(b"xxxx", b"\xe9xxx"))
    with pytest.raises(cc.errors.ReadError, match=r"x: cannot be read as Parquet by"):
        cc.read_scores(tmp_path / "x")


@pytest.mark.parametrize("damage", ["flipped", "nan", "short", "endless"])
def test_a_damaged_chunk_is_computed_again(tmp_path: Path, damage: str) -> None:
    expected = run_grid(grid(8), tmp_path).values
    chunk = tmp_path / "chunks" / "000001.bin"
    content = chunk.read_bytes()
    if damage == "flipped":
        chunk.write_bytes(content[:-40] + bytes([content[-40] ^ 4]) + content[-39:])
    elif damage == "nan":
        chunk.write_bytes(content[:-40] + np.array(np.nan).tobytes() + content[-32:])
    elif damage == "short":
        chunk.write_bytes(hashlib.sha256(b"1 ").digest())
    else:
        os.truncate(chunk, 10 * 2**30)
    with pytest.warns(cc.errors.DataWarning, match=r"000001\.bin is damaged, and is computed again"):
        again = run_grid(grid(8), tmp_path).values
    np.testing.assert_array_equal(again, expected)
    np.testing.assert_array_equal(run_grid(grid(8), tmp_path).values, expected)


# Contents that are not what they should be --------------------------------------------------------


# Files of names -----------------------------------------------------------------------------------

TABLES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "votes": ("a,b,winner\nmé,mè,a\nmè,x,tie\n", lambda path: plain(vars(cc.votes.read_votes(path)))),
    "groups": ("topic,group\né,1\nè,2\n", lambda path: tuple(labels_of(path, "groups").values())),
}


@pytest.fixture(params=list(TABLES))
def table(request: pytest.FixtureRequest) -> tuple[str, Callable[[Path], Any]]:
    """A file of names, and what reads it."""
    return TABLES[request.param]


@pytest.mark.parametrize(
    "encoded",
    [
        lambda text: gzip.compress(text.encode()),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace(",", " , ").encode(),
        lambda text: text.replace(",", ";").encode(),
        lambda text: ("\n" + text + ",,\n"[text.count(",", 0, text.find("\n")) == 1 :]).encode(),
    ],
    ids=["gzip", "utf-16", "mark", "cr", "crlf", "blanks", "semicolons", "empty"],
)
def test_tables_of_names_in_other_clothes(
    table: tuple[str, Callable[[Path], Any]], encoded: Callable[[str], bytes], tmp_path: Path
) -> None:
    text, read = table
    (tmp_path / "plain.csv").write_bytes(text.encode())
    (tmp_path / "other.csv").write_bytes(encoded(text))
    assert read(tmp_path / "other.csv") == read(tmp_path / "plain.csv")


@pytest.mark.parametrize(
    ("spoiled", "message"),
    [
        (lambda text: text.encode("latin-1"), r"x\.csv:2: is not UTF-8: convert it"),
        (lambda text: text.encode() + b"\0", r"x\.csv:\d: is binary: it has a null byte"),
        (lambda text: text.encode() + b'"' + b"x" * 200_000, r"x\.csv:\d: is not a table: field larger than"),
        (lambda text: text.encode() + b'"x', r"x\.csv:\d: is not a table: unexpected end of data"),
        (lambda text: text.encode() + b"x\n", r"x\.csv:\d: has 1 cell, but the first line has \d"),
        (lambda text: text.encode() + b"\nx,y,z,z\n", r"x\.csv:\d: has 4 cells, but the first line has \d"),
        (lambda text: b"winner,group,team," + text.encode(), r"x\.csv:1: has the column '\w+' twice"),
        (lambda text: b"PK\3\4" + text.encode(), r"x\.csv: is a zip archive: decompress it first"),
    ],
    ids=["latin-1", "null", "field", "quote", "short", "long", "column", "zip"],
)
def test_tables_of_names_that_are_refused(
    table: tuple[str, Callable[[Path], Any]], spoiled: Callable[[str], bytes], message: str, tmp_path: Path
) -> None:
    text, read = table
    (tmp_path / "x.csv").write_bytes(spoiled(text))
    with pytest.raises(cc.errors.ReadError, match=message):
        read(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": "x", "b": "y", "winner": "a", "winner": "b"}', r"v:1: has the key 'winner' twice"),
        ("[" * 3000 + "]" * 3000, "v: is JSON that cannot be read"),
        ('{"a": ' + "1" * 5000 + ', "b": "y", "winner": "a"}', "v:1: is JSON that cannot be read"),
        ('{"a": "x", "b": "y", "winner": "a"}\n{"a": "x", "b": "y"}', "v:2: battle 2 does not have the same keys as"),
        ('[{"a": "x", "b": "y", "winner": "a"}, 3]', "v: battle 2 does not have the same keys as the first, a, b"),
        (
            '[{"a": "x", "b": "y", "winner": "a"}, {"a": "x", "b": "y", "winner": "a", "qid": 1}]',
            "battle 2 does not have the same keys",
        ),
        ('{"a": "x", "b": null, "winner": "a"}', "v: battle 1 has no b: give it, or leave the battle out"),
        ("a,b,winner,qid\nx,y,a,\n", "v: battle 1 has no qid"),
        ("a,b,winner,vote\nx,y,a,b\n", "v: has the columns winner, vote, which mean the same: rename all but one"),
        ("a,b,winner,qid,topic\nx,y,a,1,2\n", "qid, topic, which mean the same: choose one with question"),
        ("a,b,winner\nx,y,z\n", "v: the winner of battle 1 is 'z'"),
        ("[]", "v: holds no battles"),
    ],
)
def test_votes_that_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "v").write_text(text)
    with pytest.raises(cc.errors.ReadError, match=message):
        cc.votes.read_votes(tmp_path / "v")


def test_votes_with_two_columns_of_questions(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("a,b,winner,qid,topic\nx,y,a,1,2\n")
    assert cc.votes.read_votes(tmp_path / "v.csv", question="topic").questions == ("2",)


def test_votes_in_frames_and_parquet(tmp_path: Path) -> None:
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "winner": ["a", "tie"], "qid": [1, 2]})
    expected = cc.votes.Votes(["x", "y"], ["y", "z"], ["a", "tie"], [1, 2])
    frame.to_parquet(tmp_path / "v.parquet")
    for given in (frame, pyarrow.Table.from_pandas(frame), tmp_path / "v.parquet"):
        assert plain(vars(cc.votes.read_votes(given))) == plain(vars(expected))
    with pytest.raises(cc.errors.ReadError, match="votes: battle 2 has no b"):
        cc.votes.read_votes(frame.assign(b=["y", None]))
    with pytest.raises(cc.errors.ReadError, match="votes: has the column 'a' twice"):
        cc.votes.read_votes(frame.set_axis(["a", "b", "winner", "a"], axis=1))
    with pytest.raises(cc.errors.ReadError, match=r"v\.parquet: is a Parquet file: save it as CSV"):
        labels_of(tmp_path / "v.parquet", "groups")


def test_a_topic_without_a_label_is_named(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("topic,group\n1,g\n2,\n")
    with pytest.raises(cc.errors.ReadError, match=r"g\.csv:3: '2' has no group: '2,'"):
        cc.as_scores(cc.Scores([[1, 2], [3, 4]], ["1", "2"], ["a", "b"]), groups=tmp_path / "g.csv")
    (tmp_path / "g.csv").write_text("topic,group\n1,g\n")
    given = cc.as_scores(cc.Scores([[1, 2], [3, 4]], ["1", "2"], ["a", "b"]), groups=tmp_path / "g.csv")
    with pytest.raises(cc.errors.InputError, match="groups lacks 1 of 2 topics: 2"):
        cc.reliability(given)


@pytest.mark.parametrize(("closed", "status"), [(">&-", 1), ("2>&-", 0), (">&- 2>&-", 1)])
def test_standard_output_or_error_that_is_closed(closed: str, status: int) -> None:
    command = f"{sys.executable} -m concordant look {PEOPLE} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stderr == (
        "concordant: standard output is closed: redirect it to a file or to /dev/null\n" * (closed == ">&-")
    )
