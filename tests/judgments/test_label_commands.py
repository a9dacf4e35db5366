"""`concordant label` and `combine --labels`: from runs to a list, and from the list to a ranking."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import numpy as np
import pytest

import concordant as cc

from ..commands import bad, good, rows
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
    said = text.split("\nNext: concordant ")[1].splitlines()[0]
    assert said == "combine --labels list.csv runs --machine machine.txt -m 'P(rel=2)@10'"
    assert "the systems are ranked once the whole list is judged" in good(*shlex.split(said), "-q")
    wanted = cc.judgments.label(RUNS, machine=MACHINE, measures=["P(rel=2)@10"], budget=120, seed=1)
    assert cc.judgments.read_labels("list.csv") == wanted


def test_label_never_writes_over_a_list() -> None:
    good(*LABEL, "--budget", "60", "-o", "list.csv", "-q")
    before = Path("list.csv").read_bytes()
    assert "already exists and may hold grades: choose another" in bad(
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


COMBINE = ("combine", "runs", "--labels", "list.csv", "--machine", "machine.txt", "-m", "P(rel=2)@10", "-q")


def test_combine_ranks_by_the_labels() -> None:
    good(*LABEL, "--budget", "120", "-o", "list.csv", "-q")
    grade("list.csv")
    found = cc.judgments.rank_from_labels(
        cc.judgments.read_labels("list.csv"), RUNS, "P(rel=2)@10", machine=MACHINE, rng=0
    )
    assert good(*COMBINE).strip() == str(found)
    table = rows(*COMBINE)
    assert [row["system"] for row in table] == list(found.means.systems)
    np.testing.assert_allclose([float(row["low"]) for row in table], found.low)
    files = sorted(map(str, Path("runs").iterdir()))
    assert good("combine", *files, *COMBINE[2:]) == good(*COMBINE)
    assert "intervals for these topics" in good(*COMBINE, "--these-topics")


def test_combine_shows_progress_until_the_list_is_judged() -> None:
    good(*LABEL, "--budget", "120", "-o", "list.csv", "-q")
    grade("list.csv", 70)
    text = good(*COMBINE)
    assert text.startswith("70 of 120 pairs judged; 1 of 3 batches complete")
    assert "the systems are ranked once the whole list is judged; if judging has ended, add --final" in text
    assert "leads" not in text
    assert "50 of 289 pairs judged" in good(*COMBINE, "--final")


def test_late_runs_are_ranked_by_their_own_documents() -> None:
    good("label", "early", *LABEL[2:], "--budget", "100", "-o", "first.csv", "-q")
    grade("first.csv")
    good("label", "runs", "--machine", "machine.txt", "--add", "first.csv", "-o", "list.csv", "-q")
    assert "100 of " in good(*COMBINE)
    assert "judge the whole list first" in bad(*COMBINE, "--final", status=1)
    grade("list.csv")
    assert RUNS.systems[-1] in good(*COMBINE)
    early = ("combine", "early", "--labels", "first.csv", "-m", "P(rel=2)@10", "-q")
    assert "runs are not on the list: s7, s8" in bad("combine", "runs", *early[2:], status=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("combine", "runs"), "give human scores and machine scores, or a list of documents with --labels"),
        (("combine", "a.csv", "b.csv", "--final"), "--machine, --these-topics and --final go with --labels"),
        ((*COMBINE, "--ranks"), "leave out --plan and --ranks"),
        (COMBINE[:4], "-m is missing: the list was made for P(rel=2)@10"),
    ],
)
def test_combine_names_the_option(arguments: tuple[str, ...], said: str) -> None:
    good(*LABEL, "--budget", "60", "-o", "list.csv", "-q")
    grade("list.csv")
    assert said in bad(*arguments, status=2)


def test_label_simulates_an_earlier_year() -> None:
    arguments = ("label", "runs", "--machine", "machine.txt", "-m", "P(rel=2)@10", "--simulate", "people.txt", "-q")
    text = good(*arguments, "--plot", "trial.svg")
    wanted = cc.planning.try_labels(RUNS, PEOPLE, "P(rel=2)@10", machine=MACHINE, rng=0)
    assert text.startswith(str(wanted))
    assert Path("trial.svg").read_text().startswith("<?xml")
    assert len(rows(*arguments)) == len(wanted.designs) * 5
    assert "leave out --budget" in bad(*arguments, "--budget", "9", status=2)
    assert "ranks by one measure" in bad(*arguments, "-m", "AP", status=2)


def test_look_knows_a_list() -> None:
    good(*LABEL, "--budget", "60", "-o", "list.csv", "-q")
    assert good("look", "list.csv", "-q").startswith("Judge 60 of 289 pairs")
    grade("list.csv", 55)
    assert good("look", "list.csv", "-q").startswith("55 of 60 pairs judged; 1 of 2 batches complete")
    Path("list.plan.json").unlink()
    assert "lacks its plan" in bad("look", "list.csv", status=1)
