"""`concordant label` and `combine --labels`: from runs to a list, and from the list to a ranking."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import concordant as cc

from ..commands import bad, good
from .collection import MACHINE, PEOPLE, RUNS

LABEL = ("label", "runs", "--machine", "machine.txt", "-m", "P(rel=2)@10", "--seed", "1")


def write_runs(folder: Path, runs: cc.Runs) -> None:
    folder.mkdir()
    for system in runs.systems:
        lines = [
            f"{topic} Q0 {document} {k} {100 - k} {system}\n"
            for topic in runs.topics
            for k, document in enumerate(runs.documents(system, topic))
        ]
        (folder / f"{system}.run").write_text("".join(lines))


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_runs(tmp_path / "runs", RUNS)
    write_runs(tmp_path / "early", RUNS.select(RUNS.systems[:-2]))
    PEOPLE.write(tmp_path / "people.txt")
    MACHINE.write(tmp_path / "machine.txt")
    monkeypatch.chdir(tmp_path)


def grade(path: str, until: int | None = None) -> None:
    """What people do."""
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    for row in rows[:until]:
        row[4] = str(PEOPLE[row[2]][row[3]])
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def test_label_writes_a_list_and_says_what_to_do() -> None:
    text = good(*LABEL, "--budget", "120", "-o", "list.csv", "-q")
    assert text.startswith("Judge 120 of 289 pairs of topic and document, in 3 batches of up to 50")
    assert "Next: concordant combine --labels list.csv RUNS -m 'P(rel=2)@10'" in text
    wanted = cc.judgments.label(RUNS, machine=MACHINE, measures=["P(rel=2)@10"], budget=120, seed=1)
    assert cc.judgments.read_labels("list.csv") == wanted


def test_label_never_writes_over_a_list() -> None:
    good(*LABEL, "--budget", "60", "-o", "list.csv", "-q")
    before = Path("list.csv").read_bytes()
    assert "already exists: choose another name, it may hold" in bad(
        *LABEL, "--budget", "9", "-o", "list.csv", status=2
    )
    assert Path("list.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("label", "runs", "-m", "P@10", "--budget", "9"), "--output is missing"),
        (("label", "runs", "-m", "P@10", "-o", "x.csv"), "--budget is missing"),
        (("label", "runs", "--budget", "9", "-o", "x.csv"), "-m is missing"),
        (("label", "runs", "--add", "list.csv", "-m", "P@10", "-o", "x.csv"), "--add takes -m from the list"),
    ],
)
def test_label_names_the_option_that_is_missing(arguments: tuple[str, ...], said: str) -> None:
    assert said in bad(*arguments, status=2)
    assert not Path("x.csv").exists()


def test_label_add_keeps_the_grades() -> None:
    good("label", "early", *LABEL[2:], "--budget", "100", "-o", "list.csv", "-q")
    grade("list.csv")
    text = good("label", "runs", "--machine", "machine.txt", "--add", "list.csv", "-o", "more.csv", "-q")
    assert "100 of " in text
    found = cc.judgments.read_labels("more.csv")
    assert found.added > 0
    assert found.answered.sum() == 100


def test_look_knows_a_list() -> None:
    good(*LABEL, "--budget", "60", "-o", "list.csv", "-q")
    assert good("look", "list.csv", "-q").startswith("Judge 60 of 289 pairs")
    grade("list.csv", 55)
    assert good("look", "list.csv", "-q").startswith("55 of 60 pairs judged; 1 of 2 batches complete")
    Path("list.plan.json").unlink()
    assert "has no plan beside it" in bad("look", "list.csv", status=1)
