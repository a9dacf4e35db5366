"""Names that almost match, and topics for one side alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import concordant as cc
from concordant.errors import AlignmentWarning, DataWarning, InputError, ReadError
from concordant.read.reader import tables_in
from concordant.read.source import look_alikes

from ..commands import run

FILES = {"human.csv": "topic,runs/BM25.gz,QL,x\n", "gpt.csv": "topic,bm25,ql.eval,y\n"}


@pytest.fixture
def sides(tmp_path: Path) -> list[Path]:
    for name, header in FILES.items():
        (tmp_path / name).write_text(header + "1,.5,.25,.125\n2,.5,.75,.25\n3,.125,.25,0\n")
    return [tmp_path / name for name in FILES]


class TestLookAlikes:
    def test_in_case_marks_folders_and_endings(self) -> None:
        assert look_alikes(["BAAI__bge-small", "GPT 4"], ["bge_small.txt.gz", "gpt-4"]) == [
            ("BAAI__bge-small", "bge_small.txt.gz"), ("GPT 4", "gpt-4"),
        ]  # fmt: skip

    def test_not_where_there_are_two(self) -> None:
        assert look_alikes(["bm25", "BM25"], ["Bm25"]) == []
        assert look_alikes(["---", "a"], ["***", "b"]) == []

    def test_the_error_where_no_system_matches(self, sides: list[Path]) -> None:
        with pytest.raises(InputError, match=r"2 pairs of names in human and gpt look alike \(runs/BM25.gz"):
            cc.pair(*sides)

    def test_a_note_where_some_match(self, sides: list[Path]) -> None:
        found = cc.pair(sides[0], cc.read_scores(sides[1], rename={"y": "x"}))
        assert found.systems == ("x",)
        assert any("look alike" in note and "rename one side with rename=" in note for note in found.notes)


class TestRename:
    @pytest.mark.parametrize("header", ["", "old,new\n"])
    def test_by_a_file(self, sides: list[Path], tmp_path: Path, header: str) -> None:
        names = tmp_path / "names.csv"
        names.write_text(header + "runs/BM25.gz,bm25\nQL,ql.eval\nnobody,z\n")
        with pytest.warns(AlignmentWarning, match="1 system of"):
            found = cc.pairing.pairings(cc.read_scores(sides[0], rename=names), sides[1])[0]
        assert found.systems == ("bm25", "ql.eval")
        assert found.truth.means().tolist() == found.candidates[0].means().tolist()
        out = run("compare", *sides, "--rename", names)
        assert "2 systems" in out.stdout

    def test_teams_are_by_the_new_names(self, sides: list[Path]) -> None:
        found = cc.read_scores(sides[0], rename={"x": "z"}, teams={"runs/BM25.gz": "a", "QL": "b", "z": "c"})
        assert found.teams == ("a", "b", "c")

    def test_of_what_python_holds(self) -> None:
        assert cc.as_scores({"a": 1.0, "b": 2.0}, rename={"a": "c"}).systems == ("c", "b")

    def test_errors(self, sides: list[Path], tmp_path: Path) -> None:
        with pytest.raises(InputError, match="rename gives two systems the name 'QL'"):
            cc.read_scores(sides[0], rename={"x": "QL"})
        for content, message in (("a,b,c\n", "has 3 columns: give two"), ("a,b\na,c\n", "'a' has two new names")):
            (tmp_path / "names.csv").write_text(content)
            with pytest.raises(ReadError, match=message):
                cc.read_scores(sides[0], rename=tmp_path / "names.csv")


class TestTopicsOfOneSide:
    @pytest.fixture
    def board(self, tmp_path: Path) -> Path:
        path = tmp_path / "board.csv"
        path.write_text("task,bge,e5,gte\nSTS16,.5,.25,.125\nSTS17,.5,.75,.25\nQ1,.125,.25,0\nQ2,.5,.25,0\n")
        return path

    def test_two_benchmarks_of_one_file(self, board: Path) -> None:
        given: list[Any] = [f"sts={board}", f"rest={board}", "--own-topics", "-f", "json"]
        found = run("compare", *given, "--topics", "sts=STS*", "--topics", "rest=!STS*")
        assert found.exit_code == 0, found.stderr
        sts, rest = (cc.read_scores(board, topics=[wanted]) for wanted in ("STS*", "!STS*"))
        expected = cc.compare(sts, rest, names=["sts", "rest"], on="systems")
        assert str(expected["tau_b"]) in found.stdout
        assert expected.comparisons[0].pairing.noun == "benchmark"

    def test_without_a_name_for_both(self, board: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.csv"
        other.write_text(board.read_text())
        shown = run(
            "compare", f"a={board}", f"b={other}", "--topics", "STS*,!STS16", "--topics", "a=STS*", "--own-topics"
        )
        assert shown.exit_code == 0, shown.stderr
        shown = run("compare", board, board, "--topics", "STS*")
        assert shown.exit_code == 2
        assert "was given twice" in shown.stderr


def test_an_empty_file_in_a_folder_of_tables_is_skipped(tmp_path: Path) -> None:
    table = "topic,a,b,c\n1,.1,.2,.3\n2,.2,.3,.1\n3,.5,.4,.6\n"
    for name, content in (("x.csv", table), ("y.csv", table), ("empty.csv", "")):
        (tmp_path / name).write_text(content)
    with pytest.warns(DataWarning, match=r"^Skipped 1 file without scores: empty.csv$"):
        assert tables_in(tmp_path) == [str(tmp_path / "x.csv"), str(tmp_path / "y.csv")]
