"""Runs in trec_eval's order and qrels with the grades as written."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from concordant.errors import DataWarning, ReadError
from concordant.judgments.read_runs import read_qrels, read_runs


def run(content: str) -> dict[str, tuple[str, ...]]:
    """The documents of one run, by topic."""
    found = read_runs({"tag": io.StringIO(content)})
    return {topic: found.documents("tag", topic) for topic in found.topics}


def test_order_is_by_score_then_by_name_descending() -> None:
    found = run("1 Q0 a 0 1.5 tag\n1 Q0 c 9 2 tag\n1 Q0 b 1 2 tag\n2 Q0 a 1 -1e-3 tag\n")
    assert found == {"1": ("c", "b", "a"), "2": ("a",)}
    assert tuple(found) == ("1", "2")


def test_scores_are_float32() -> None:
    found = run("1 Q0 a 1 69.48762512207031 tag\n1 Q0 b 2 69.487625122 tag\n")
    assert found["1"] == ("b", "a")  # equal in float32, so by name
    assert run("1 Q0 b 1 -1e300 tag\n1 Q0 a 1 1e300 tag\n1 Q0 c 1 1e200 tag\n")["1"] == ("c", "a", "b")  # infinite


def test_layouts() -> None:
    plain = run("1 Q0 a 1 2 tag\n1 Q0 b 2 1 tag\n")
    for other in (
        "1\tQ0\ta\t1\t 2\ttag\n1\tQ0\tb\t2\t 1\ttag\n",
        "# comment\n1 Q0 a 1 2 tag and more\n\n1 0 b 2 1 tag\n",
        "1 Q0 a 1 2 tag\r\n1 Q0 b 2 1 tag\r\n",
    ):
        assert run(other) == plain


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("1 Q0 a 1 2 tag\n1 Q0 a 2 1 tag\n", 2, r"'a' is ranked twice on topic '1' \(first at line 1\)"),
        ("1 Q0 a 1 2 tag\n1 Q0 b 2 tag\n", 2, "has 5 fields: a run has 6"),
        ("1 Q0 a 1 2 tag\n1 Q0 b 2 x tag\n", 2, "the score 'x' is not a number"),
        ("1 Q0 a 1 2 tag\n1 Q0 b 2 nan tag\n", 2, "the score 'nan' is not a number"),
        ("1 Q0 a 1 2 tag\n1 Q0 b 2 1_0 tag\n", 2, "the score '1_0' is not a number"),
        ("1 Q0 a 1 2 tag\n1 Q0 b 2 -inf tag\n", 2, "the score '-inf' is not a number.*leave out the line"),
        ("", None, "is empty"),
    ],
)
def test_bad_runs(content: str, line: int | None, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        run(content)
    assert (caught.value.path, caught.value.line) == ("tag", line)
    assert line is None or caught.value.text == content.split("\n")[line - 1]


def test_names_and_tags(tmp_path: Path) -> None:
    for name in ("input.a.gz", "b.run"):
        (tmp_path / name).write_text("1 Q0 d 1 2 a\n")
    with pytest.warns(DataWarning, match=r"although their tags differ: b \(tag a\)"):
        runs = read_runs(tmp_path)
    assert runs.systems == ("b", "a")  # in the order of the files
    assert read_runs([tmp_path / "input.a.gz"]).documents("a", "1") == ("d",)
    (tmp_path / "a.run").write_text("1 Q0 d 1 2 a\n")
    with pytest.raises(ReadError, match=r"is named 'a', like .*a.run.*read_runs\(\{name: path\}\)"):
        read_runs(tmp_path)
    with pytest.warns(DataWarning, match="several tags: a, z"):
        read_runs({"a": io.StringIO("1 Q0 d 1 2 a\n1 Q0 e 1 2 z\n")})
    assert read_runs(io.StringIO("1 Q0 d 1 2 a\n")).systems == ("a",)  # a file in memory has no other name
    with pytest.warns(DataWarning, match="does not end with a newline"):
        read_runs({"a": io.StringIO("1 Q0 d 1 2 a")})


def test_grades() -> None:
    whole = read_qrels(io.StringIO("1 0.5  d1 2\n1\t1\td2  -1\n2 0 d1 999\n# c\n2 0 d#2 6\n"))
    assert whole == {"1": {"d1": 2, "d2": -1}, "2": {"d1": 999, "d#2": 6}}
    assert {type(grade) for judged in whole.values() for grade in judged.values()} == {int}
    mixed = read_qrels(io.StringIO("1 0 d1 1.7\n1 0 d2 0\n"))
    assert mixed == {"1": {"d1": 1.7, "d2": 0.0}}
    assert {type(grade) for grade in mixed["1"].values()} == {float}


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("1 0 d1 1\n1 0 d1 1\n", 2, "'d1' is judged twice on topic '1'"),
        ("1 0 d1 1\n1 0 d1\n", 2, "has 3 fields: qrels have 4"),
        ("1 0 d1 1\n1 0 d2 high\n", 2, "the grade 'high' is not a number"),
        ("1 0 d1 1\n1 0 d2 nan\n", 2, "the grade 'nan' is not a number"),
        ("1 0 d1 1\n1 0 d2 1_0\n", 2, "the grade '1_0' is not a number"),
        ("1 0 d1 1\n1 0 d2 1e10\n", 2, "the grade '1e10' is too large: at most 1e"),
        ("1 Q0 d1 1 2 tag\n", 1, "has 6 fields"),
        ("\n", None, "is empty"),
    ],
)
def test_bad_qrels(content: str, line: int | None, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read_qrels({"q": io.StringIO(content)})
    assert (caught.value.path, caught.value.line) == ("q", line)


def test_qrels_are_one_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("1 0 d 1\n")
    with pytest.raises(ReadError, match="2 files: read qrels one file at a time"):
        read_qrels(tmp_path)
