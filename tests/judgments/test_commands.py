"""`concordant evaluate` and `concordant judgments`: files in, tables out."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer

import concordant as cc
from concordant.cli.app import app

from .test_study import MACHINE, QRELS, RUNS, TEAMS

FEW = ["-m", "AP", "-c", "tau_b", "-c", "tau_ap_b"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("collection")
    (folder / "runs").mkdir()
    for system in RUNS.systems:
        lines = [
            f"{topic} Q0 {document} {k} {100 - k} {system}\n"
            for topic in RUNS.topics
            for k, document in enumerate(RUNS.documents(system, topic))
        ]
        (folder / "runs" / f"{system}.run").write_text("".join(lines))
    QRELS.write(folder / "human.txt")
    MACHINE.write(folder / "machine.txt")
    half = QRELS.with_grades(QRELS.grades / 2)
    half.write(folder / "half.txt")
    rows = [f"{name},{team},x\n" for team, names in TEAMS.items() for name in names]
    (folder / "teams.csv").write_text("run,team,note\n" + "".join(rows))
    return folder


@pytest.fixture
def run(files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.chdir(files)

    def call(*arguments: str) -> str:
        app([*arguments, "-q"], standalone_mode=False)
        return capsys.readouterr().out

    return call


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_evaluate(run, files: Path) -> None:  # type: ignore[no-untyped-def]
    wanted = cc.evaluate_all(RUNS, QRELS, ["nDCG@5", "AP(rel=2)"])
    arguments = ("evaluate", "runs", "human.txt", "-m", "nDCG@5", "-m", "AP(rel=2)")
    text = run(*arguments)
    assert text.startswith("7 systems, 12 topics; means, best by nDCG@5 first")
    rows = table(run(*arguments, "-f", "csv"))
    means = [float(row["nDCG@5"]) for row in rows]
    assert means == sorted(wanted["nDCG@5"].means(), reverse=True)
    found = json.loads(run(*arguments, "-f", "json"))
    np.testing.assert_array_equal(found["AP(rel=2)"]["values"], wanted["AP(rel=2)"].values)
    long = table(run(*arguments, "--per-topic", "-f", "csv"))
    assert len(long) == 2 * 7 * 12
    run("evaluate", "runs", "human.txt", "-m", "AP", "-o", "ap.csv")
    assert cc.read_scores(files / "ap.csv").means().tolist() == cc.evaluate(RUNS, QRELS, "AP").means().tolist()
    with pytest.raises(typer.BadParameter, match="writes one measure"):
        run("evaluate", "runs", "human.txt", "-o", "both.csv")


@pytest.mark.parametrize(
    ("arguments", "change", "levels", "draws"),
    [
        (["pool", "--depths", "1,3", "--contributing", "s0,s1"], "depth_pool", ["1", "3"], "1"),
        (["sample", "--shares", "0.2,0.5", "--draws", "3"], "sample", ["0.2", "0.5"], "3"),
        (["pseudo", "--depths", "5", "--draws", "2", "--spread", "0.1"], "pseudo", ["5"], "2"),
        (["single-run", "--names", "s0,s3"], "from_runs", ["s0", "s3"], "1"),
        (["single-run"], "from_runs", list(RUNS.systems), "1"),
        (["leave-out", "--teams", "teams.csv", "--depth", "5"], "leave_out", ["A", "B"], "1"),
    ],
)
def test_changes(run, arguments: list[str], change: str, levels: list[str], draws: str) -> None:  # type: ignore[no-untyped-def]
    command, *options = arguments
    rows = table(run("judgments", command, "runs", "human.txt", *options, *FEW, "-f", "csv"))
    assert [row["level"] for row in rows[:: len(rows) // len(levels)]] == levels
    assert {row["change"] for row in rows} == {change}
    assert {row["draws"] for row in rows} == {draws}
    assert {row["statistic"] for row in rows} == {"tau_b", "tau_ap_b", "d_rank", "p"}
    text = run("judgments", command, "runs", "human.txt", *options, *FEW)
    assert text.startswith("7 systems, 12 topics; against the full judgments")
    assert f"{change}: tau_ap_b from" in text
    assert ("without what its own team" in text) is (command == "leave-out")


def test_mix_equals_the_library(run) -> None:  # type: ignore[no-untyped-def]
    asked = ("judgments", "mix", "runs", "human.txt", "machine.txt", "--shares", "0.5", "--draws", "4", *FEW)
    rows = table(run(*asked, "--seed", "7", "-f", "csv"))
    change = cc.judgments.Change("mix", 0.5, machine=MACHINE)
    study = cc.judgment_study(RUNS, QRELS, [change], ["AP"], ["tau_b", "tau_ap_b"], 7, n_draws=4)
    assert float(rows[0]["mean"]) == pytest.approx(study.value("mix", "0.5", "AP", "tau_b"), abs=1e-12)


def test_judges(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    asked = ("judgments", "judges", "runs", "human.txt", "machine.txt", "half.txt", "-m", "nDCG@5")
    text = run(*asked)
    assert "ranks the systems most like the truth" in text
    assert "truth by row, other by column" in text
    found = json.loads(run(*asked, "-f", "json", "-o", str(tmp_path)))
    assert {path.name for path in tmp_path.iterdir()} == {"judges.csv", "systems.csv", "judges.png"}
    assert (
        (tmp_path / "judges.csv").read_text().startswith("judge,measure,coefficient,value,low,high,d_rank,p\nmachine,")
    )
    truth, machine = (cc.evaluate(RUNS, of, "nDCG@5").means() for of in (QRELS, MACHINE))
    value = next(r["value"] for r in found["rows"] if (r["judge"], r["coefficient"]) == ("machine", "tau_b"))
    assert value == pytest.approx(cc.tau_b(truth, machine), abs=1e-12)
    kappa = cc.judgments.label_agreement(QRELS, MACHINE, rng=0)["kappa"]
    assert found["labels"]["machine"]["kappa"]["value"] == kappa.value
    assert found["labels"]["half"]["kappa"]["value"] < 1
    with pytest.raises(cc.errors.InputError, match="rel="):
        run("judgments", "judges", "runs", "human.txt", "half.txt", "-m", "AP")


def test_a_folder_keeps_the_study_and_its_tables(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    asked = ("judgments", "sample", "runs", "human.txt", "--shares", "0.5", "--draws", "2", *FEW, "-o", str(tmp_path))
    assert run(*asked) == run(*asked)
    assert {"judgments.csv", "systems.csv", "judgments.png", "manifest.json", "chunks"} == {
        path.name for path in tmp_path.iterdir()
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pool", "runs", "human.txt", "--depths", "1,x"], "--depths is '1,x'"),
        (["pool", "runs", "human.txt", "--contributing", "zz"], "systems has no 'zz'"),
        (["sample", "runs", "human.txt", "--shares", "2"], "share is 2.0"),
        (["leave-out", "runs", "human.txt", "--teams", "human.txt"], "no columns named run and team"),
        (["leave-out", "runs", "human.txt", "--teams", "teams.csv", "--contributing", "s6"], "no team for 's6'"),
        (["sample", "runs", "human.txt", "-m", "XX"], "no measure 'XX'"),
        (["sample", "runs", "human.txt", "-c", "XX"], "no coefficient 'XX'"),
    ],
)
def test_mistakes(run, arguments: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((cc.errors.InputError, typer.BadParameter), match=message):
        run("judgments", *arguments)


def test_tables_of_teams_that_are_none(run, files: Path) -> None:  # type: ignore[no-untyped-def]
    for name, content, says in (
        ("latin.csv", "run,team\ns0,Zürich\n".encode("latin-1"), "latin.csv is not UTF-8: convert it"),
        ("empty.csv", b"run,team\n", "empty.csv has no columns named run and team"),
        ("twice.csv", b"run,team\ns0,A\ns0,B\n", "twice.csv has two teams for run 's0': A and B"),
    ):
        (files / name).write_bytes(content)
        with pytest.raises(cc.errors.InputError, match=says):
            run("judgments", "leave-out", "runs", "human.txt", "--teams", name)


def test_judges_in_every_format(run) -> None:  # type: ignore[no-untyped-def]
    asked = ("judgments", "judges", "runs", "human.txt", "machine.txt", "-m", "nDCG@5")
    rows = table(run(*asked, "-f", "csv"))
    found = json.loads(run(*asked, "-f", "json"))
    assert [row["coefficient"] for row in rows] == [row["coefficient"] for row in found["rows"]]
    assert float(rows[0]["value"]) == pytest.approx(found["rows"][0]["value"], abs=1e-12)
    markdown = run(*asked, "-f", "markdown")
    assert markdown.startswith("| judge | measure |")
    assert "ranks the systems" not in markdown
    assert "Which judge is better" not in run(*asked)  # one judge has no other


def test_a_mistake_is_one_line(files: Path) -> None:
    (files / "bad.csv").write_text("run,team\ns0,A\nnobody,B\n")
    done = subprocess.run(
        [sys.executable, "-m", "concordant", "judgments", "leave-out", "runs", "human.txt", "--teams", "bad.csv"],
        capture_output=True,
        text=True,
        check=False,
        cwd=files,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "concordant: the map of teams names 1 run that are not there: nobody\n"
