"""`concordant board`, `explain`, and what `compare` says of a worth."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import concordant as cc
from tests.commands import CAREFUL, HASTY, PEOPLE, bad, good, rows, run
from tests.pages import blocks


def test_a_board_says_the_verdict_first() -> None:
    text = good("board", PEOPLE, "-k", "3")
    found = cc.board(PEOPLE, rng=0)
    assert " ".join(text.split()).startswith(" ".join(found.verdict.split()))
    assert str(found.best(3)) in text
    assert str(found).partition("\n\n")[2] in text


def test_a_single_system_has_no_ranks(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("topic,a\n1,0.2\n2,0.3\n")
    assert "there is one system (a), and a ranking needs several" in bad("board", str(tmp_path / "one.csv"), status=1)


def test_boards_for_machines() -> None:
    found = cc.board(
        cc.as_scores(HASTY, total="borda"), confidence_level=0.9, simultaneous=False, n_resamples=499, rng=4
    )
    options = ("--level", "0.9", "--marginal", "--total", "borda", "--resamples", "499", "--seed", "4")
    answer = json.loads(good("board", HASTY, *options, "-f", "json", "--best", "2"))
    best = answer["settings"].pop("best")
    assert answer == {**found.to_dict(), "read_notes": []}
    assert (tuple(best["possible"]), tuple(best["certain"])) == (found.best(2).possible, found.best(2).certain)
    assert [(r["system"], int(r["rank"]), int(r["high"])) for r in rows("board", HASTY, *options)] == [
        (r["system"], r["rank"], r["high"]) for r in found.rows()
    ]


def test_explain_says_the_verdict_first() -> None:
    found = cc.explain(PEOPLE, HASTY, coefficient="tau_ap_b")
    text = good("explain", PEOPLE, HASTY, "-c", "tau_ap_b")
    assert text == f"{found}\n"
    assert json.loads(good("explain", PEOPLE, HASTY, "-c", "tau_ap_b", "-f", "json")) == {
        **found.to_dict(),
        "read_notes": [],
    }


@pytest.mark.parametrize("by", ["pairs", "systems", "topics"])
def test_explain_lists(by: str) -> None:
    found = rows("explain", PEOPLE, CAREFUL, "--by", by)
    expected = cc.explain(PEOPLE, CAREFUL).rows(by)  # type: ignore[arg-type]
    assert [list(row.values()) for row in found] == [
        [repr(v) if isinstance(v, float) else str(v) for v in row.values()] for row in expected
    ]


def test_mistakes() -> None:
    assert "--level is 95" in bad("board", PEOPLE, "--level", "95", status=1)
    assert "--best is 21" in bad("board", PEOPLE, "-k", "21", status=2)
    assert "needs at least 19" in bad("board", PEOPLE, "--resamples", "5", status=1)


def test_whom_to_cite() -> None:
    assert "Romano, Joseph P. and Wolf, Michael" in good("cite", "rank_intervals")


def test_the_verdict_is_that_of_judge_worth() -> None:
    found = cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"), rng=0)
    first, second = good("compare", PEOPLE, CAREFUL).splitlines()[:2]
    assert f"{first[:-1]}. {second[:-1]}" == found.verdict
    assert first == "careful is a weaker judge than people."
    assert second.startswith("25 topics judged by careful rank the systems only as ")


def test_worth_of_these_systems_and_other_topics(tmp_path: Path) -> None:
    """A judge of other topics than people's has a worth, too; with --these-systems for these systems only."""
    careful = cc.load_collection("careful")
    topics = [f"x{topic}" for topic in careful.topics]
    cc.Scores(careful.values, topics, careful.systems).to_frame().to_csv(tmp_path / "other.csv")
    sides = (PEOPLE, str(tmp_path / "other.csv"))
    for asked, new in (((), True), (("--these-systems",), False)):
        found = cc.judge_worth(*sides, names=("people", "other"), new_systems=new, on="systems")
        text = good("compare", *sides, "--own-topics", *asked)
        assert text.splitlines()[1][:-1] == found.sentence
    assert "rank these 20 systems" in text


@pytest.mark.long
def test_worth_takes_names_coefficient_level_and_seed() -> None:
    asked = ("-c", "tau_ap_b", "--level", "0.9", "--seed", "4")
    found = cc.judge_worth(
        PEOPLE, HASTY, coefficient="tau_ap_b", confidence_level=0.9, names=("human", "machine"), rng=4
    )
    first, second = good("compare", f"human={PEOPLE}", f"machine={HASTY}", *asked).splitlines()[:2]
    assert f"{first[:-1]}. {second[:-1]}" == found.verdict


def test_worth_for_machines() -> None:
    found = cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"), rng=0)
    (compared,) = json.loads(good("compare", PEOPLE, CAREFUL, "-f", "json"))["comparisons"]
    assert compared["worth"]["worth"] == found.worth
    assert compared["worth"]["interval"]["low"] == found.interval.low
    assert compared["worth"]["word"] == "weaker"
    row = rows("compare", PEOPLE, CAREFUL)[0]
    assert (row["candidate"], row["coefficient"], float(row["value"])) == ("careful", "worth", found.worth)
    assert (float(row["low"]), float(row["high"])) == (found.interval.low, found.interval.high)


def test_several_judges_are_ranked() -> None:
    judges = {"hasty": HASTY, "careful": CAREFUL}
    found = cc.rank_judges(PEOPLE, judges, rng=0)
    stored = json.loads(good("compare", PEOPLE, HASTY, CAREFUL, "-f", "json"))["ranking"]
    assert [judge["names"] for judge in stored["judges"]] == [["people", "careful"], ["people", "hasty"]]
    assert stored["best"] == list(found.best) == ["careful"]


@pytest.mark.parametrize(
    ("candidates", "at_least", "status", "told"),
    [
        ([CAREFUL], 7, 0, ""),
        ([CAREFUL], 15, 3, "careful: the worth of 25 topics may be as low as 8.9; --at-least asks for 15\n"),
        ([CAREFUL, HASTY], 7, 3, "hasty: the worth of 25 topics may be less than 3; --at-least asks for 7\n"),
    ],
)
def test_a_gate_for_continuous_integration(
    candidates: list[str], at_least: int, status: int, told: str, tmp_path: Path
) -> None:
    for form in ("table", "json"):
        done = run("compare", PEOPLE, *candidates, "--at-least", at_least, "-f", form, "--plot", tmp_path / "p.svg")
        assert (done.exit_code, done.stderr) == (status, told)
        assert "careful" in done.stdout  # the answer is there all the same
        assert (tmp_path / "p.svg").exists()


@pytest.mark.parametrize(("at_least", "status"), [("7", 0), ("15", 3)])
def test_the_workflow_of_the_how_to_closes_the_gate(
    at_least: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last step, run as it stands in a repository that holds both files, and with a rule that careful fails."""
    yaml = pytest.importorskip("yaml")
    (block,) = (b for b in blocks("docs/how-to/judge-good-enough.md") if b.language == "yaml")
    *_, step = yaml.safe_load(block.code)["jobs"]["worth"]["steps"]
    for name, path in (("people", PEOPLE), ("careful", CAREFUL)):
        (tmp_path / f"{name}.csv").write_bytes(Path(path).read_bytes())
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(step["run"])
    assert (program, arguments[-1]) == ("concordant", "7")
    assert run(*arguments[:-1], at_least).exit_code == status


def test_a_gate_is_closed_where_the_worth_is_not_known() -> None:
    few = ("--topics", "401,402,403,404,405,406,407,408,409")
    done = run("compare", PEOPLE, CAREFUL, *few, "--at-least", "1")
    assert (done.exit_code, done.stderr) == (3, "careful: the worth of 25 topics is not known; --at-least asks for 1\n")
    assert "--card gives another answer" in bad("compare", PEOPLE, CAREFUL, "--at-least", "1", "--card", status=2)


def test_what_cannot_be_valued(tmp_path: Path) -> None:
    nine = "--topics 401,402,403,404,405,406,407,408,409"
    few = good("compare", PEOPLE, CAREFUL, *nine.split())
    assert "Note: The worth of careful is not known: there are only 9 topics (at least 10 are needed)\n" in few
    more = [f"concordant explain {PEOPLE} {CAREFUL} {nine}", "or the same with --html report.html, or --all"]
    assert few.endswith(f"Next: concordant plan {PEOPLE} {nine}\n      {more[0]}\n      {more[1]}\n")
    ten = "401,402,403,404,405,406,407,408,409,410"
    assert "25 topics judged by careful " in good("compare", PEOPLE, CAREFUL, "--topics", ten)
    means = tmp_path / "means.csv"
    people = cc.load_collection("people")
    scores = zip(people.systems, people.means().tolist(), strict=True)
    means.write_text("system,score\n" + "".join(f"{name},{score}\n" for name, score in scores))
    text = good("compare", CAREFUL, means)
    assert text.startswith("means swaps 9 of 190 pairs of careful's systems (tau_b 0.91).\n")
    assert "worth" not in text
    assert "there is no coefficient 'tau_bb'" in bad("compare", PEOPLE, CAREFUL, "-c", "tau_bb", status=2)
    assert f"{CAREFUL}x" in bad("compare", PEOPLE, f"{CAREFUL}x", status=1)
    assert "was given twice" in bad("compare", PEOPLE, PEOPLE, status=2)
    assert "Missing argument 'CANDIDATE" in bad("compare", PEOPLE, status=2)
