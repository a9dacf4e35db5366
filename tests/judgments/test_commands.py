"""`concordant evaluate` and `concordant judgments`: files in, tables out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import concordant as cc

from ..commands import bad, good, rows
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
    rows = [f"{name},{team}\n" for team, names in TEAMS.items() for name in names]
    (folder / "teams.csv").write_text("run,team\n" + "".join(rows))
    return folder


@pytest.fixture(autouse=True)
def _there(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)


def test_labels_are_compared_where_one_run_leaves_nothing_to_rank(files: Path) -> None:
    """README sends users of one system here."""
    run = f"runs/{RUNS.systems[0]}.run"
    wanted = cc.judgments.label_agreement(QRELS, MACHINE, n_resamples=999, rng=0)
    found = good("judgments", "judges", run, "human.txt", "machine.txt", "--resamples", "999", "-q")
    assert found.startswith(wanted.verdict.split(",")[0])
    assert f"kappa            {wanted.kappa.value:.4f}" in found
    assert "at least 2" in bad("judgments", "judges", run, "human.txt", "machine.txt", "half.txt", status=1)


def test_evaluate(files: Path) -> None:
    wanted = cc.evaluate(RUNS, QRELS, ["nDCG@5", "AP(rel=2)"])
    arguments = ("evaluate", "runs", "human.txt", "-m", "nDCG@5", "-m", "AP(rel=2)")
    text = good(*arguments, "-q")
    assert text.startswith("8 systems, 12 topics; means, best by nDCG@5 first")
    found = rows(*arguments, "-q")
    means = [float(row["nDCG@5"]) for row in found]
    assert means == sorted(wanted["nDCG@5"].means(), reverse=True)
    values = json.loads(good(*arguments, "-f", "json"))["AP(rel=2)"]["values"]
    np.testing.assert_array_equal(values, wanted["AP(rel=2)"].values)
    long = rows(*arguments, "--per-topic", "-q")
    assert len(long) == 2 * 8 * 12
    good("evaluate", "runs", "human.txt", "-m", "AP", "-o", "ap.csv", "-q")
    assert cc.read_scores(files / "ap.csv").means().tolist() == cc.evaluate(RUNS, QRELS, "AP").means().tolist()
    assert "writes one measure" in bad("evaluate", "runs", "human.txt", "-o", "both.csv", status=2)


@pytest.mark.parametrize(
    ("arguments", "change", "levels", "draws"),
    [
        (["--levels", "1,3", "--contributing", "s0,s1"], "depth_pool", ["1", "3"], "1"),
        (["--levels", "0.2,0.5", "--draws", "3"], "sample", ["0.2", "0.5"], "3"),
        (["--levels", "5", "--draws", "2", "--spread", "0.1"], "pseudo", ["5"], "2"),
        (["--levels", "s0,s3"], "from_runs", ["s0", "s3"], "1"),
        ([], "from_runs", list(RUNS.systems), "1"),
        (["--teams", "teams.csv", "--depth", "5"], "leave_out", ["A", "B"], "1"),
    ],
)
def test_changes(arguments: list[str], change: str, levels: list[str], draws: str) -> None:
    asked = ("judgments", "change", "runs", "human.txt", change, *arguments, *FEW, "-q")
    found = rows(*asked)
    assert [row["level"] for row in found[:: len(found) // len(levels)]] == levels
    assert {row["change"] for row in found} == {change}
    assert {row["draws"] for row in found} == {draws}
    assert {row["statistic"] for row in found} == {"tau_b", "tau_ap_b", "d_rank", "p", "worth"}
    assert good(*asked).startswith(tuple(f"{change} {level}: 25 topics are worth " for level in levels))


def test_mix_equals_the_library() -> None:
    asked = ("judgments", "change", "runs", "human.txt", "mix", "--machine", "machine.txt", "--levels", "0.5", *FEW)
    found = rows(*asked, "--draws", "4", "--seed", "7", "-q")
    change = cc.judgments.Change("mix", 0.5, machine=MACHINE)
    study = cc.study.judgment_study(RUNS, QRELS, [change], ["AP"], ["tau_b", "tau_ap_b"], 7, n_draws=4)
    assert float(found[0]["mean"]) == pytest.approx(study.cell("mix", "0.5", "AP", "tau_b")["mean"], abs=1e-12)


@pytest.mark.long
def test_judges(tmp_path: Path) -> None:
    asked = ("judgments", "judges", "runs", "human.txt", "machine.txt", "half.txt", "-m", "nDCG@5")
    text = good(*asked, "-q")
    assert "The best judge is any of the 2" in text
    assert "human by row, machine by column" in text
    found = json.loads(good(*asked, "-f", "json", "-o", str(tmp_path), "-q"))
    assert {path.name for path in tmp_path.iterdir()} == {"judges.csv", "systems.csv", "judges.png"}
    assert (
        (tmp_path / "judges.csv").read_text().startswith("judge,measure,coefficient,value,low,high,d_rank,p\nmachine,")
    )
    truth, machine = (cc.evaluate(RUNS, of, "nDCG@5").means() for of in (QRELS, MACHINE))
    value = next(r["value"] for r in found["rows"] if (r["judge"], r["coefficient"]) == ("machine", "tau_b"))
    assert value == pytest.approx(cc.tau_b(truth, machine), abs=1e-12)
    kappa = cc.judgments.label_agreement(QRELS, MACHINE, rng=0).kappa
    assert found["labels"]["machine"]["kappa"]["value"] == kappa.value
    assert found["labels"]["half"]["kappa"]["value"] < 1
    assert "rel=" in bad("judgments", "judges", "runs", "human.txt", "half.txt", "-m", "AP", status=1)


def test_a_folder_keeps_the_study_and_its_tables(tmp_path: Path) -> None:
    asked = ("judgments", "change", "runs", "human.txt", "sample", "--levels", "0.5", "--draws", "2", *FEW, "-q")
    assert good(*asked, "-o", str(tmp_path)) == good(*asked, "-o", str(tmp_path))
    assert {"judgments.csv", "systems.csv", "judgments.png", "manifest.json", "chunks"} == {
        path.name for path in tmp_path.iterdir()
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["depth_pool", "--levels", "1,x"], "--levels is '1,x'"),
        (["depth_pool", "--contributing", "zz"], "has no 'zz'"),
        (["depth_pool", "--rel", "2"], "depth_pool takes contributing"),
        (["sample", "--levels", "2"], "--levels is 2.0"),
        (["leave_out"], "leave_out needs the teams of the runs: --teams FILE"),
        (["leave_out", "--teams", "human.txt"], "human.txt"),
        (["mix"], "mix needs the judgments of the other judge: --machine"),
        (["sample", "-m", "XX"], "unknown measure 'XX'"),
        (["sample", "-c", "XX"], "no coefficient 'XX'"),
    ],
)
def test_mistakes(arguments: list[str], message: str) -> None:
    usage = message.startswith(("--levels is '", "leave_out", "mix", "no coefficient"))
    assert message in bad("judgments", "change", "runs", "human.txt", *arguments, status=2 if usage else 1)


def test_tables_of_teams_that_are_none(files: Path) -> None:
    for name, content, says in (
        ("latin.csv", "run,team\ns0,Zürich\n".encode("latin-1"), "latin.csv:2: is not UTF-8: convert it"),
        (
            "empty.csv",
            b"run,team\n",
            "empty.csv: --teams needs a header, and below it one line for each name with its label",
        ),
        ("twice.csv", b"run,team\ns0,A\ns0,B\n", "twice.csv:3: 's0' has two labels, 'A' and 'B'"),
        ("short.csv", b"run,team\ns0\n", "short.csv:2: has 1 cell, but the first line has 2"),
        ("long.csv", b"run,team\ns0,A,B\n", "long.csv:2: has 3 cells, but the first line has 2"),
        ("none.csv", b"run,team\ns0,\n", "none.csv:2: 's0' has no team"),
        ("column.csv", b"run,team,team\ns0,A,B\n", "column.csv:1: has the column 'team' twice"),
        ("odd.csv", b"run,team\ns0,A\nnobody,B\n", "teams names 1 unknown run: nobody"),
    ):
        (files / name).write_bytes(content)
        assert says in bad("judgments", "change", "runs", "human.txt", "leave_out", "--teams", name, status=1)


@pytest.mark.long
def test_judges_in_every_format() -> None:
    asked = ("judgments", "judges", "runs", "human.txt", "machine.txt", "-m", "nDCG@5")
    listed = rows(*asked, "-q")
    found = json.loads(good(*asked, "-f", "json", "-q"))
    assert [row["coefficient"] for row in listed] == [row["coefficient"] for row in found["rows"]]
    assert float(listed[0]["value"]) == pytest.approx(found["rows"][0]["value"], abs=1e-12)
    markdown = good(*asked, "-f", "markdown", "-q")
    assert markdown.startswith("| judge | measure |")
    assert "ranks the systems" not in markdown
    assert "p (Holm)" not in good(*asked, "-q")  # one judge has no other


def test_judges_are_called_by_their_files_and_given_once(files: Path) -> None:
    asked = ("judgments", "judges", "runs", "human.txt", "machine.txt", "-m", "nDCG@5", "--resamples", "500", "-q")
    text = good(*asked)
    assert "the truth" not in text
    assert "only human judged" in text
    for twice in ("human.txt", "machine.txt"):
        assert f"{twice} was given twice" in bad(*asked[:5], twice, status=2)
