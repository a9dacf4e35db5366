"""Columns that are not systems, rows that are not topics, and the options that decide."""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc
from concordant.data.means import chosen
from concordant.errors import ConcordantError, DataWarning, InputError, ReadError
from concordant.read import look, read_scores

from ..commands import bad, good, run

LENGTHS = "topic,a,b,c,length\n1,.5,.6,.7,120\n2,.1,.4,.3,80\n3,.2,.9,.4,95\n4,.3,.1,.2,300\n"


def read(content: str, **options: Any) -> Any:
    return read_scores({"file": io.StringIO(content)}, **options)


def test_a_counter_is_no_system() -> None:
    """A system that is best on both sides agrees with every other: tau_b was 7/15 instead of 2/10."""
    means = [0.5, 0.4, 0.3, 0.2, 0.1], [0.3, 0.2, 0.5, 0.4, 0.1]
    sides = [
        "topic,Nr,a,b,c,d,e\n"
        + "".join(f"t{k},{k},{','.join(f'{v + k / 100:.2f}' for v in side)}\n" for k in range(1, 6))
        for side in means
    ]
    with pytest.warns(DataWarning, match="left out, because it numbers the rows: Nr"):
        x, y = (read(side) for side in sides)
    assert cc.tau_b(x.means(), y.means()) == pytest.approx(0.2)
    x, y = (read(side, systems=["*"]) for side in sides)
    assert cc.tau_b(x.means(), y.means()) == pytest.approx(7 / 15)


class TestOptions:
    @pytest.fixture
    def path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
        monkeypatch.chdir(tmp_path)
        Path("s.csv").write_text(LENGTHS)
        Path("names").write_text("a\nb\nc\n")
        Path("left").write_text("!length\n")
        return "s.csv"

    def test_the_option_that_the_error_names(self, path: str) -> None:
        said = bad("plan", path, status=1)
        options = re.findall(r"--systems '[^']*'", said)
        assert options == ["--systems '!length'", "--systems '*'"]
        answers = [good("look", path, *shlex.split(option)) for option in options]
        assert "3: a, b, c\n" in answers[0]
        assert "4: a, b, c, length\n" in answers[1]

    @pytest.mark.parametrize("systems", ["a,b,c", "@names", "!length", "!len*", "@left", "?", "a,?"])
    def test_systems(self, path: str, systems: str) -> None:
        assert "3: a, b, c\n" in good("look", path, "--systems", systems)

    @pytest.mark.parametrize(("topics", "shown"), [("2,1", "2: 2, 1"), ("!3", "3: 1, 2, 4"), ("?,!4", "3: 1, 2, 3")])
    def test_topics(self, path: str, topics: str, shown: str) -> None:
        assert f"{shown}\n" in good("look", path, "--systems", "!length", "--topics", topics)

    def test_names_that_are_not_there(self, path: str) -> None:
        assert "has no system 'd'" in bad("plan", path, "--systems", "a,d", status=1)
        assert "has no system 'z*'" in bad("plan", path, "--systems", "a,z*", status=1)
        said = run("look", path, "--systems", "!length,!Nr").stderr
        assert "has no system 'Nr' to leave out" in said
        assert "length" not in said

    def test_a_name_with_a_comma(self, path: str) -> None:
        Path(path).write_text(LENGTHS.replace("length", '"length, all"'))
        option = re.search(r"--systems '[^']*'", bad("plan", path, status=1))
        assert option
        assert "3: a, b, c\n" in good("look", path, *shlex.split(option[0]))

    def test_choices(self) -> None:
        labels = ["a", "!a", "*", "STS[dev]", "STS16"]
        assert [labels[k] for k in chosen(["!a"], labels)] == ["!a"]  # which is there
        assert [labels[k] for k in chosen(["*"], labels)] == ["*"]
        assert [labels[k] for k in chosen(["STS[*"], labels)] == ["STS[dev]"]
        assert [labels[k] for k in chosen(["!STS*"], labels)] == ["a", "!a", "*"]
        scores = cc.Scores([[1, 2, 3]], ["t"], ["a1", "a2", "b"])
        assert scores.select(systems=["a*"]).systems == ("a1", "a2")
        assert scores.select(systems=["!a1"]).systems == ("a2", "b")
        with pytest.raises(InputError, match="has no left after"):
            scores.select(systems=["!*"])


class TestPython:
    FRAME = pd.read_csv(io.StringIO(LENGTHS))

    def test_frames(self) -> None:
        with pytest.raises(InputError, match=r"'length' \(a fact about topics\).*systems=\['!length'\]"):
            cc.as_scores(self.FRAME)
        for found in (
            cc.as_scores(self.FRAME, systems=["!length"]),
            cc.as_scores(self.FRAME, systems=["a", "b", "c"]),
        ):
            assert found.systems == ("a", "b", "c")
        assert cc.as_scores(self.FRAME, systems=["b", "a"], topics=["!4"]).values.tolist() == [
            [0.6, 0.5],
            [0.4, 0.1],
            [0.9, 0.2],
        ]

    def test_what_is_read_already(self) -> None:
        scores = read(LENGTHS, systems=["!length"])
        assert cc.as_scores(scores, systems=["!a"], topics=["1"]).values.tolist() == [[0.6, 0.7]]
        assert cc.as_scores({"x": 1.0, "y": 2.0}, systems=["!x"]).systems == ("y",)
        assert cc.as_scores(pd.Series({"x": 1.0, "y": 2.0}), systems=["y"]).systems == ("y",)
        nested = {"x": {"1": {"map": 0.5}}, "y": {"1": {"map": 0.25}}}
        assert cc.as_scores(nested, systems=["y"]).systems == ("y",)


class TestNames:
    """Systems may be called so."""

    SCORES = np.random.default_rng(3).random((6, 4)).round(3)

    def systems(self, *names: str) -> tuple[str, ...]:
        rows = "".join(f"{k},{','.join(map(str, row[: len(names)]))}\n" for k, row in enumerate(self.SCORES))
        found: tuple[str, ...] = read(f"topic,{','.join(names)}\n{rows}").systems
        return found

    @pytest.mark.parametrize(
        "names",
        [
            ("bm25", "x", "no", "row"),  # of fractions
            ("k", "l", "m", "n"),
            ("en", "de", "no", "sv"),
            ("gpt-4", "gpt-4.1", "llama3", "llama3.1"),
            ("splade", "splade_max", "bm25", "bm25_low"),  # below and above the other
            ("run", "run2", "no_stem", "minimal"),
            ("a_mean", "b_mean", "c_mean", "d_mean"),
            ("weighted", "timely", "n-gram", "seed7"),
        ],
    )
    def test_systems(self, names: tuple[str, ...]) -> None:
        assert self.systems(*(f"{name}s" if name == "run" else name for name in names))[1:] == names[1:]

    @pytest.mark.parametrize(
        "name", ["length", "year", "weight", "seed", "cost", "time", "difficulty", "n_words", "is_easy"]
    )
    def test_facts(self, name: str) -> None:
        with pytest.raises(ReadError, match=rf"'{name}' \(a fact about topics\)"):
            self.systems("bm25", "ql", name)

    @pytest.mark.parametrize(
        "name",
        [
            "a_n",
            "a_ci",
            "a SE",
            "a.1",
            "a_err",
            "a_var",
            "a_rank",
            "a_time",
            "a (std)",
            "A_se",
            "rank_a",
            "se(a)",
            "a 95% CI",
        ],
    )
    def test_companions(self, name: str) -> None:
        with pytest.raises(ReadError, match=rf"'{re.escape(name)}' \(belongs to 'a'\)"):
            self.systems("a", "bm25", name)

    @pytest.mark.parametrize("name", ["best", "mean", "max", "avg", "total", "Overall"])
    def test_summaries(self, name: str) -> None:
        with pytest.raises(ReadError, match=rf"'{name}' \(a summary\)"):
            self.systems("bm25", "ql", name)

    def test_grades_are_scores(self) -> None:
        assert read("topic,a,b,c\n1,0,1,2\n2,1,0,2\n3,0,0,0\n4,1,1,1\n5,0,1,0\n").systems == ("a", "b", "c")

    def test_numbers_unlike_the_others(self) -> None:
        rows = "".join(f"{k},{k / 10},{k / 20},{70 * k % 43 + 9}\n" for k in range(1, 8))
        with pytest.raises(ReadError, match=r"'foo' \(15 to 47, unlike the others\)"):
            read(f"topic,a,b,foo\n{rows}")


class TestMeans:
    def test_tiny_scores_are_topics(self) -> None:
        content = "topic,a,b,c\n" + "".join(f"{k},{k}e-8,{9 - k}e-8,{k * k}e-9\n" for k in range(1, 8))
        assert len(read(content).topics) == 7

    @pytest.mark.parametrize("decimals", [2, 3, 4])
    @pytest.mark.parametrize("first", [True, False])
    def test_fewer_decimals(self, decimals: int, first: bool) -> None:
        scores = np.random.default_rng(5).random((8, 4)).round(4)
        rows = [f"q{k},{','.join(map(str, row))}\n" for k, row in enumerate(scores)]
        mean = "Ø," + ",".join(f"{value:.{decimals}f}" for value in scores.mean(axis=0)) + "\n"
        content = "topic,a,b,c,d\n" + "".join([mean, *rows] if first else [*rows, mean])
        with pytest.warns(DataWarning, match="it is the mean of the other rows in every column: Ø"):
            assert len(read(content).topics) == 8

    def test_few_systems_of_few_decimals(self) -> None:
        content = "topic,a,b\n1,.12,.33\n2,.94,.71\n3,.55,.16\n4,.23,.84\nlast,.46,.51\n"
        with pytest.raises(
            ReadError, match=r"row 'last' is the mean of the other rows.*topics=\['!last'\].*topics=\['\*'\]"
        ):
            read(content)
        assert len(read(content, topics=["!last"]).topics) == 4
        assert len(read(content, topics=["*"]).topics) == 5

    def test_a_coincidence(self) -> None:
        assert len(read("topic,a,b\n1,.1,.3\n2,.9,.7\n3,.5,.2\n4,.5,.4\n").topics) == 4
        assert len(read("topic,a\n1,.1\n2,.9\n3,.2\n4,.4\n").topics) == 4


class TestMessages:
    def test_a_run_says_how_to_evaluate_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("runs").mkdir()
        for name, best in (("a", "d1"), ("b", "d2")):
            other = "d2" if best == "d1" else "d1"
            Path(f"runs/{name}.run").write_text(f"1 Q0 {best} 1 9 {name}\n1 Q0 {other} 2 8 {name}\n")
        Path("qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
        with pytest.raises(ReadError, match="is a run") as error:
            read_scores("runs")
        command = re.search(r"`concordant ([^`]*)`", str(error.value))
        assert command
        good(*command[1].replace("RUNS", "runs").replace("QRELS", "qrels").split())
        assert read_scores("scores.csv").systems == ("a", "b")
        with pytest.raises(
            ReadError, match=r"looks like qrels .*judgments of documents.*`concordant evaluate RUNS QRELS"
        ):
            read_scores("qrels")

    def test_a_side_of_zeros(self) -> None:
        with pytest.warns(DataWarning, match="every score is 0, so all systems are tied"):
            read("topic,a,b\n1,0,0\n2,0,0\n")

    def test_years_and_numbers_are_refused(self) -> None:
        for rows in ("foo,.3,.2,.4\nbar,.1,.2,.3\n", "1,.3,.2,.4\n2,.1,.2,.3\n", "bm25,.3,.2,.4\nql,.1,.2,.3\n"):
            with pytest.raises(ReadError, match=r"Pass topic_column='id' or system_column='id'"):
                read(f"id,2015,2016,2017\n{rows}")
        numbers = "1,1,.5\n1,2,.6\n2,1,.3\n2,2,.4\n"
        with pytest.raises(ReadError, match="add a first line"):
            read(numbers)
        with pytest.raises(
            ReadError, match=r"topic_column= and system_column= and score_column=.*systems=\['a', 'b', 'c'\]"
        ):
            read(f"a,b,c\n{numbers}")
        found = read(f"a,b,c\n{numbers}", topic_column="a", system_column="b", score_column="c")
        assert found.values.tolist() == [[0.5, 0.6], [0.3, 0.4]]
        assert read(f"a,b,c\n{numbers}", systems=["a", "b", "c"]).systems == ("a", "b", "c")


class TestLook:
    def test_first_and_last_names(self) -> None:
        names = [f"s{k}" for k in range(9)]
        content = "topic," + ",".join(names) + "\n" + "".join(f"q{k}," + ",".join(["0.5"] * 9) + "\n" for k in range(3))
        text = str(look(io.StringIO(content)))
        assert "9: s0, s1, s2, ..., s6, s7, s8\n" in text
        assert "3: q0, q1, q2\n" in text

    def test_status(self, tmp_path: Path) -> None:
        fine, wrong = tmp_path / "fine.csv", tmp_path / "wrong.csv"
        fine.write_text("topic,a,b\n1,.5,.6\n2,.3,.4\n")
        wrong.write_text("id,2015,2016\nfoo,.5,.6\nbar,.3,.4\n")
        assert run("look", fine).exit_code == 0
        assert run("look", fine, wrong).exit_code == 1
        assert run("look", tmp_path / "none.csv").exit_code == 1
        assert "cannot be read" in run("look", wrong).stdout

    def test_the_next_command_has_its_options(self) -> None:
        found = look(io.StringIO(LENGTHS.replace("topic", "what")), topic_column="what", systems=["!length"])
        assert found.next_command.endswith(" --topic-column what --systems '!length'")

    def test_it_shows_what_is_read(self) -> None:
        content = "topic,a,b,Nr\n" + "".join(f"q{k},.{k}1,.{9 - k}2,{k}\n" for k in range(1, 7))
        with pytest.warns(DataWarning, match="numbers the rows: Nr"):
            assert look(io.StringIO(content)).systems == ("a", "b")


def test_all_errors_are_ours() -> None:
    for content in (
        "topic,a,a_n\n1,.5,\n",
        "topic,n\n1,2\n",
        "Nr,Nr.1\n1,1\n2,2\n",
        "topic,a,b\n1,nan,nan\n2,,\n3,,\n4,,\n5,,\n",
    ):
        try:
            read(content)
        except ConcordantError:
            continue
