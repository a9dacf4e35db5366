"""trec_eval: what its files look like when something is special or wrong, and how fast they are read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from concordant.errors import DataWarning, InputError, ReadError
from concordant.read import read_scores
from concordant.read.source import run_name

ROWS = [("map", "1", "0.5000"), ("P_5", "1", "0.2000"), ("map", "2", "0.2500"), ("P_5", "2", "1.0000")]
SUMMARY = [
    ("runid", "all", "bm25"),
    ("num_q", "all", "2"),
    ("map", "all", "0.3750"),
    ("P_5", "all", "0.6000"),
]


def text(rows: list[tuple[str, str, str]]) -> str:
    return "".join(f"{m:<22}\t{t}\t{v}\n" for m, t, v in rows)


def read(content: str, measure: str | None = None) -> object:
    return read_scores({"x": io.StringIO(content)}, measure).complete()


def test_summary_rows_are_not_used() -> None:
    wrong = text([*ROWS, ("runid", "all", "bm25"), ("map", "all", "0.0662")])
    scores = read_scores(io.StringIO(wrong), "map")
    assert scores.systems == ("bm25",)
    assert scores.means().tolist() == [0.375]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: "# trec_eval 10\n" + t,
        lambda t: t.replace("\nP_5", "\n# comment\nP_5", 1),
        lambda t: "\n\n" + t + "\n\n",
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: "\ufeff" + t,
        lambda t: "\n".join(" ".join(line.split()) for line in t.split("\n")),  # no padding, no tabs
        lambda t: "\n".join("\t".join(line.split()) for line in t.split("\n")),  # no padding
    ],
)
def test_other_ways_to_write_it(change: object) -> None:
    content = text(ROWS + SUMMARY)
    changed = change(content)  # type: ignore[operator]
    assert read_scores(io.StringIO(changed), "map") == read_scores(io.StringIO(content), "map")


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ([*ROWS, ("map", "1", "0.1")], 5, r"topic '1' has 'map' twice \(first at line 1\)"),
        ([*ROWS, ("map", "3", "inf")], 5, "is not a number"),
        (
            [*ROWS, ("map", "3", "1_0")],
            5,
            "'1_0' is not a number. Write digits with a decimal point, such as 0.25, .*; if it is missing, write nan",
        ),
        ([*ROWS, ("map", "3", "high")], 5, "'high' is not a number"),
        ([*ROWS, ("map", "3", "45%")], 5, "45% has a percent sign, but other scores have none"),
        ([*ROWS, ("map", "3", "")], 5, "a measure, a topic and a value"),
    ],
)
def test_bad_rows_are_quoted(rows: list[tuple[str, str, str]], line: int, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read(text(rows), "map")
    assert (caught.value.path, caught.value.line) == ("x", line)
    assert caught.value.text == text(rows).split("\n")[line - 1]
    assert str(caught.value).startswith(f"x:{line}: ")


def test_a_damaged_line_of_another_measure_is_noticed() -> None:
    with pytest.raises(ReadError, match="a measure, a topic and a value"):
        read(text(ROWS).replace("P_5                   \t2\t1.0000", "P_5"), "map")


def test_a_file_that_may_be_cut_off() -> None:
    with pytest.warns(DataWarning, match=r"does not end with a newline.*0\.2500"):
        read(text(ROWS[:3])[:-1], "map")


@pytest.mark.parametrize("measure", ["", " ", "map\t1", "map\n", "ma", "map ", "\udcff"])
def test_strange_measures(measure: str) -> None:
    with pytest.raises(ReadError, match="there is no measure"):
        read(text(ROWS), measure)


def test_strings_are_no_scores() -> None:
    content = text([*ROWS, ("relstring", "1", "'1010'")])
    with pytest.raises(ReadError, match=r"2 measures; choose one with measure=: map, P_5$"):
        read(content)
    with pytest.raises(ReadError, match="is not a number"):
        read(content, "relstring")


def test_a_topic_without_a_score() -> None:
    with pytest.raises(InputError, match="lacks topic 3"):
        read(text([*ROWS, ("map", "3", "nan")]), "map")


def test_names_of_files() -> None:
    named = {
        "input.bm25.gz": "bm25",
        "smith.bm25": "smith.bm25",
        "smith.bm25.gz": "smith.bm25",
        "smith.ql.eval": "smith.ql",
        "run.q.txt": "run.q",
        "a.eval.gz": "a",
        "a.gz.gz": "a.gz",
        "10x10.prf.unipd.it.gz": "10x10.prf.unipd.it",
        ".txt": ".txt",
    }
    assert {name: run_name(name) for name in named} == named


def test_names_of_runs(tmp_path: Path) -> None:
    for name in ("a/x.eval", "b/x.eval", "c/y.eval"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text(ROWS[::2]))
    assert read_scores([tmp_path / "a", tmp_path / "c"]).systems == ("x", "y")
    with pytest.raises(ReadError, match=r"all hold a run named 'x'.*read_scores\(\{name: path\}\)"):
        read_scores(tmp_path)
    named = read_scores({"one": tmp_path / "a/x.eval", "two": tmp_path / "b/x.eval"})
    assert named.systems == ("one", "two")
    assert read_scores(str(tmp_path / "?" / "*.eval").replace("?", "[ac]")).systems == ("x", "y")


def test_empty_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_text(text(ROWS[::2]))
    (tmp_path / "b.eval").write_text("")
    with pytest.raises(InputError, match=r"no scores at all for b: .*missing='drop-systems'"):
        read_scores(tmp_path).complete()
    with pytest.warns(DataWarning, match="1 system dropped of 2, because they lack topics: b"):
        assert read_scores(tmp_path, missing="drop-systems").complete().systems == ("a",)
