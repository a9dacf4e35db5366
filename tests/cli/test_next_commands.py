"""The commands that an answer suggests next: copied into a shell, they read and compare the same."""

from __future__ import annotations

import shlex
import warnings
from pathlib import Path

import numpy as np
import pytest

import concordant as cc
from concordant.render.report.document import document_of

from ..commands import CAREFUL, HASTY, PEOPLE, good, run

TOPICS = "401,402,403,404,405,406,407,408,409"  # too few to tell what a judge is worth, so a plan is suggested


def suggested(text: str) -> list[list[str]]:
    """The commands after `Next:`."""
    last = text.split("\nNext: ")[1].replace(" \\\n", " ")
    parts = [part for line in last.splitlines() for part in line.split(" | ")]
    return [shlex.split(part)[1:] for part in parts if part.strip().startswith("concordant ")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two judges on three measures, with errors, holes, groups and new names beside them."""
    rng = np.random.default_rng(5)
    for side in ("human", "my judge"):
        scores = np.round(rng.random((8, 5)), 4)
        for kind in ("long", "wide", "holes", "loss"):
            lines = ["system,topic,map,ndcg"] if kind == "long" else ["topic,a,b,c,d,e"]
            for t, row in enumerate(scores):
                if kind == "long":
                    lines += [f"{s},t{t},{value},{1 - value}" for s, value in zip("abcde", row, strict=True)]
                else:
                    lines.append(f"t{t}," + ",".join("" if kind == "holes" and t == 2 == s else str(value) for s, value
                                                     in enumerate(row)))  # fmt: skip
            (tmp_path / f"{side} {kind}.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "groups.csv").write_text("topic,group\n" + "".join(f"t{t},g{t // 2}\n" for t in range(8)))
    (tmp_path / "new.csv").write_text("a,alpha\nb,beta\n")
    (tmp_path / "topics.txt").write_text("t1\nt2\nt3\nt4\nt5\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("long", "-m ndcg"),
        ("long", "-m map --higher-is-better"),
        ("wide", "--lower-is-better"),
        ("wide", "--topics t1,t2 --topics t3,t4"),
        ("wide", "--topics @topics.txt --systems '!a'"),
        ("wide", "--groups groups.csv"),
        ("wide", "--total borda"),
        ("wide", "--rename new.csv"),
        ("wide", "--own-topics"),
        ("wide", "-c tau_ap_b"),
        ("holes", "--missing drop"),
        ("holes", "--missing available --topic-column topic"),
    ],
)
def test_the_next_commands_have_the_options_of_the_call(folder: Path, kind: str, options: str) -> None:
    files = [f"human {kind}.csv", f"my judge {kind}.csv"]
    first = run("compare", *files, *shlex.split(options), "--resamples", "500")
    assert first.exit_code == 0, first.stderr
    commands = suggested(first.stdout)
    on_common_topics = "own" not in options and "available" not in options
    assert [verb for verb, *_ in commands] == ["plan"] * on_common_topics + ["explain"]
    for command in commands:
        done = run(*command)
        assert done.exit_code == 0, (command, done.stderr)
    compared = run("compare", *files, *shlex.split(options), "--resamples", "500", "--all").stdout
    name, value = done.stdout.split(";")[0].split(" = ")  # what is explained is what was compared
    assert f"{name} {float(value):.3f}" in " ".join(compared.split())


def test_own_topics_of_one_side_are_carried_to_it_alone(folder: Path) -> None:
    sides = ["h=human wide.csv", "j=my judge wide.csv"]
    own = ["--topics", "h=t1,t2,t3", "--topics", "j=t4,t5,t6"]
    assert suggested(run("compare", *sides, "--own-topics", *own).stdout) == [["explain", *sides, "--own-topics", *own]]
    plan, explain = suggested(run("compare", *sides, *own[:2]).stdout)
    assert (plan, explain) == (["plan", sides[0], "--topics", "t1,t2,t3"], ["explain", *sides, *own[:2]])
    assert run(*plan).exit_code == run(*explain).exit_code == 0


@pytest.mark.parametrize("options", ["--top 10", "-c tau_b -c rbo"])
def test_what_no_other_command_can_repeat_suggests_none(options: str) -> None:
    assert not suggested(good("compare", PEOPLE, CAREFUL, "--topics", TOPICS, *options.split()))


def test_a_folder_of_several_tables_is_not_explained(tmp_path: Path) -> None:
    for path in (CAREFUL, HASTY):
        (tmp_path / Path(path).name).write_bytes(Path(path).read_bytes())
    commands = suggested(run("compare", PEOPLE, tmp_path).stdout)
    assert all(verb != "explain" for verb, *_ in commands)


@pytest.mark.parametrize(
    ("measure", "how"), [("ndcg", {}), ("map", {"lower_is_better": True}), ("map", {"topics": ["t1", "t2", "t4"]})]
)
def test_the_commands_of_a_page_read_the_same(folder: Path, measure: str, how: dict[str, object]) -> None:
    sides = [cc.read_scores(f"{side} long.csv", measure, **how) for side in ("human", "my judge")]  # type: ignore[arg-type]
    with warnings.catch_warnings(action="ignore"):
        document = document_of(cc.compare(*sides, n_resamples=500, rng=1))
    found = [shlex.split(command) for _, command in document["comparisons"][0]["verdict"]["next"]]
    assert found
    for _, *command in found:
        assert run(*command).exit_code == 0


def test_a_page_suggests_no_command_that_would_compare_something_else(folder: Path) -> None:
    sides = [cc.read_scores(f"{side} wide.csv", rename={"a": "x"}) for side in ("human", "my judge")]
    with warnings.catch_warnings(action="ignore"):
        document = document_of(cc.compare(*sides, n_resamples=500, rng=1))
    assert document["comparisons"][0]["verdict"]["next"] == []
