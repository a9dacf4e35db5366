"""`--html`: what is printed, what is written, and that both have the same numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import concordant as cc

from ...commands import CAREFUL, HASTY, PEOPLE, bad, good
from ...commands import run as invoke
from ...judgments.test_study import MACHINE, QRELS, RUNS, TEAMS
from .test_page import Page

FEW = ["--resamples", "500"]
Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: good(*arguments, "-q")


def in_page(path: Path) -> Any:
    return Page(path.read_text(encoding="utf-8")).script("document")


@pytest.mark.long
def test_compare_writes_a_page_of_what_python_finds(run: Run, tmp_path: Path) -> None:
    arguments = ["compare", PEOPLE, CAREFUL, HASTY, *FEW, "--seed", "3", "-f", "json"]
    assert run(*arguments) == run(*arguments, "--html", "r.html")
    printed = in_page(tmp_path / "r.html")
    for part, other in zip(printed["comparisons"], (CAREFUL, HASTY), strict=True):
        truth, candidate = cc.read_scores(PEOPLE), cc.read_scores(other)
        names = ("people", Path(other).stem)
        how: dict[str, Any] = {"interval": True, "test": True, "n_resamples": 500, "rng": 3}
        found = cc.compare(truth, candidate, **how).comparisons[0].to_dict()
        del found["verdict"]  # the report has its own
        del found["worth"]  # over the same splits for all: below
        assert {key: part[key] for key in found} == json.loads(json.dumps(found))
        judges = {"careful": cc.read_scores(CAREFUL), "hasty": cc.read_scores(HASTY)}
        ranking = cc.rank_judges(truth, judges, rng=3)
        (judge,) = (judge for judge in ranking.judges if judge.names == names)
        assert part["worth"]["worth"] == judge.worth
        assert part["rank_intervals"] == json.loads(json.dumps(cc.rank_intervals(truth, rng=3).to_dict()))
        for name in ("tau_b", "tau_ap_b", "pearson_rank"):
            wanted = cc.expected_correlation(truth, coefficient=name, estimator="posterior", rng=3).to_dict()
            assert part["ceiling"][name] == json.loads(json.dumps(wanted))
        explained = cc.explain(truth, candidate, coefficient="tau_ap_b").to_dict()
        assert part["explanation"]["value"] == part["coefficients"]["tau_ap_b"] == explained["value"]
        assert part["explanation"]["topics"] == json.loads(json.dumps(explained["topics"]))
        assert part["explanation"]["counts"]["with_loss"] == len(explained["pairs"])
    assert printed["ranking"]["best"] == ["careful"]


def test_screen_json_page_and_python_have_the_same_numbers(tmp_path: Path) -> None:
    """Of the same call: the verdict, worth and its interval, tau_b, and swapped pairs."""
    page = tmp_path / "r.html"
    arguments = ["compare", PEOPLE, HASTY, "--seed", "0", "-q"]
    screen = " ".join(good(*arguments, "--html", page).split())
    (printed,) = json.loads(good(*arguments, "-f", "json"))["comparisons"]
    found = cc.compare(cc.read_scores(PEOPLE), cc.read_scores(HASTY), names=("people", "hasty"), rng=0)
    document = in_page(page)
    (part,) = document["comparisons"]
    words = " ".join("".join(Page(page.read_text(encoding="utf-8")).words).split())
    assert printed["worth"] == part["worth"] == json.loads(json.dumps(found.worth.to_dict()))
    assert printed["coefficients"] == part["coefficients"]
    assert part["coefficients"]["tau_b"] == found["tau_b"]
    span = found.worth.interval
    for text in (
        *found.worth._answers(),
        f"{found.worth.worth:.1f}",
        f"95% interval up to {span.high:.0f}",  # its lower end is below 3 topics, and so not known
        f"tau_b {found['tau_b']:.2f}",
        "25 of 190",
    ):
        assert text in screen, text
        assert text in words, text


@pytest.mark.long
def test_the_answer_on_the_screen_says_where_the_report_is(tmp_path: Path) -> None:
    done = invoke("compare", PEOPLE, HASTY, *FEW, "--html", tmp_path / "r.html")
    assert done.exit_code == 0
    assert done.stderr == f"Report: {tmp_path / 'r.html'}\n"
    assert done.stdout == invoke("compare", PEOPLE, HASTY, *FEW).stdout
    assert (tmp_path / "r.html").stat().st_size < 100_000
    assert list(tmp_path.iterdir()) == [tmp_path / "r.html"]


@pytest.mark.parametrize(
    "command", [["board", PEOPLE, *FEW, "-k", "3"], ["plan", PEOPLE, "--resamples", "50", "--all"]], ids=lambda c: c[0]
)
def test_what_is_printed_is_in_the_page(run: Run, tmp_path: Path, command: list[str]) -> None:
    printed = json.loads(run(*command, "--html", "t.html", "-f", "json"))
    assert printed == json.loads(run(*command, "-f", "json"))
    printed = printed[0] if command[0] == "plan" else printed
    page = in_page(tmp_path / "t.html")
    if command[0] == "board":
        assert {key: page[key] for key in printed} == printed
        return
    assert page["verdict"]["headline"].removesuffix(".") in printed["verdict"]
    if command[0] == "plan":
        assert {key: printed[key] for key in page["result"]} == page["result"]


@pytest.fixture
def collected(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    for system in RUNS.systems:
        lines = [
            f"{topic} Q0 {document} {k} {100 - k} {system}\n"
            for topic in RUNS.topics
            for k, document in enumerate(RUNS.documents(system, topic))
        ]
        (tmp_path / "runs" / f"{system}.run").write_text("".join(lines), encoding="utf-8")
    QRELS.write(tmp_path / "human.txt")
    MACHINE.write(tmp_path / "machine.txt")
    rows = [f"{name},{team}\n" for team, names in TEAMS.items() for name in names]
    (tmp_path / "teams.csv").write_text("run,team\n" + "".join(rows), encoding="utf-8")
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        ["depth_pool", "--levels", "1,3"],
        ["sample", "--levels", "0.2,0.5", "--draws", "3"],
        ["pseudo", "--levels", "3", "--draws", "3"],
        ["from_runs"],
        ["leave_out", "--teams", "teams.csv"],
        ["mix", "--machine", "machine.txt", "--levels", "0.5,1", "--draws", "3"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_studies_of_judgments(run: Run, collected: Path, arguments: list[str]) -> None:
    few = ["-m", "AP", "-m", "nDCG@5", "-c", "tau_b", "-c", "tau_ap_b", "--resamples", "50", "-f", "json"]
    printed = json.loads(run("judgments", "change", "runs", "human.txt", *arguments, *few, "--html", "r.html"))
    document = Page((collected / "r.html").read_text(encoding="utf-8")).script("document")
    assert document["verdict"]["headline"].removesuffix(".") in printed["verdict"]
    assert document["tables"][0]["rows"] == printed["rows"]


@pytest.mark.long
def test_judges(run: Run, collected: Path) -> None:
    Path("second_JUDGE.txt").write_bytes(Path("human.txt").read_bytes())
    judges = [
        "judgments",
        "judges",
        "runs",
        "human.txt",
        "machine.txt",
        "second_JUDGE.txt",
        "-m",
        "AP",
        "--resamples",
        "500",
    ]
    printed = json.loads(run(*judges, "-f", "json", "--html", "r.html"))
    page = Page((collected / "r.html").read_text(encoding="utf-8"))
    document = page.script("document")
    assert document["tables"][0]["rows"] == printed["rows"]
    told = " ".join(page.words)
    assert "most like the truth" not in told
    assert "candidate rank" not in told
    assert "second_JUDGE" in told
    assert printed["study"]["rows"] in [table["rows"] for table in document["tables"]]
    known = {json.dumps(v) for table in document["tables"] for row in table["rows"] for v in row.values()}
    assert page.cells
    assert {full for full, _ in page.cells} <= known


def test_mistakes_are_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "there is no folder" in bad("compare", PEOPLE, HASTY, "--html", "nowhere/r.html", status=2)


def test_sides_that_share_no_topics_have_a_report_without_intervals(run: Run, tmp_path: Path) -> None:
    people: Any = cc.read_scores(PEOPLE)
    half = len(people.topics) // 2
    people.select(topics=people.topics[:half]).to_frame().to_csv("a.csv")
    people.select(topics=people.topics[half:]).to_frame().to_csv("b.csv")
    run("compare", "a.csv", "b.csv", *FEW, "--own-topics", "--html", "r.html")
    document = in_page(tmp_path / "r.html")
    (part,) = document["comparisons"]
    assert part["intervals"] == {}
    assert part["explanation"]["value"] == part["coefficients"]["tau_ap_b"]
    assert part["ceiling"]["tau_b"]["value"] > 0.5
    assert any("no intervals" in note for note in part["notes"])
    assert part["worth"]["word"] == "cannot tell"  # of a judge of other topics
    assert document["verdict"]["answer"] == "open"


@pytest.mark.long
@pytest.mark.parametrize("more", [[], ["-c", "tau_b", "-c", "rbo", "--top", "10"]])
def test_the_python_call_of_the_report_makes_it_again(run: Run, tmp_path: Path, more: list[str]) -> None:
    for side in (PEOPLE, CAREFUL, HASTY):
        (tmp_path / Path(side).name).write_bytes(Path(side).read_bytes())
    sides = ["people.csv", "careful.csv", "hasty.csv"]
    run("compare", *sides, *more, *FEW, "--html", "a.html")
    exec(in_page(tmp_path / "a.html")["call"], {})
    assert (tmp_path / "report.html").read_bytes() == (tmp_path / "a.html").read_bytes()


def test_a_report_from_too_few_resamples_has_no_intervals_and_says_why(tmp_path: Path) -> None:
    quick = ["--resamples", "99", "-c", "tau_b"]
    invoke("compare", PEOPLE, HASTY, *quick, "--html", tmp_path / "page.html")
    (found,) = in_page(tmp_path / "page.html")["comparisons"]
    said = "there are no intervals: --resamples is 99: an interval needs at least 500 resamples"
    assert (found["intervals"], said in found["notes"]) == ({}, True)
