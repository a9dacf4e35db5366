"""`concordant board`, `explain` and `worth`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import concordant as cc
from tests.commands import CAREFUL, HASTY, PEOPLE, bad, good, rows, run


def test_a_board_says_the_verdict_first() -> None:
    text = good("board", PEOPLE, "-k", "3")
    found = cc.board(PEOPLE, rng=0)
    assert " ".join(text.split()).startswith(" ".join(found.verdict.split()))
    assert str(found.best(3)) in text
    assert str(found).partition("\n\n")[2] in text


def test_a_single_system_has_no_ranks(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("topic,a\n1,0.2\n2,0.3\n")
    assert "there is one system (a), and a ranking has several" in bad("board", str(tmp_path / "one.csv"), status=1)


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


def test_topics_of_a_pair() -> None:
    text = good("explain", PEOPLE, HASTY, "--pair", "rerank-4,rerank-1")
    first = cc.explain(PEOPLE, HASTY).topics_of("rerank-4", "rerank-1")[0]
    assert text.splitlines()[3].split()[0] == first.topic
    assert len(json.loads(good("explain", PEOPLE, HASTY, "--pair", "rerank-4,rerank-1", "-f", "json"))["topics"]) == 40


def test_mistakes() -> None:
    assert "--level is 95" in bad("board", PEOPLE, "--level", "95", status=1)
    assert "--best is 21" in bad("board", PEOPLE, "-k", "21", status=2)
    assert "needs at least 19" in bad("board", PEOPLE, "--resamples", "5", status=1)
    assert "--pair is" in bad("explain", PEOPLE, HASTY, "--pair", "rerank-4", status=2)
    assert "there is no system 'x'" in bad("explain", PEOPLE, HASTY, "--pair", "x,rerank-4", status=1)


def test_whom_to_cite() -> None:
    assert "Romano, Joseph P. and Wolf, Michael" in good("cite", "rank_intervals")


def test_worth_says_the_verdict_first() -> None:
    found = cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"), rng=0)
    text = good("worth", PEOPLE, CAREFUL)
    assert text == f"{found}\n"
    assert text.startswith(
        "careful is a weaker judge than people.\n25 topics judged by careful rank the systems only as "
    )


def test_worth_of_these_systems_and_other_topics() -> None:
    how: dict[str, Any] = {"names": ("people", "careful"), "n_topics": 10, "new_systems": False, "on": "systems"}
    found = cc.judge_worth(PEOPLE, CAREFUL, **how)
    asked = ("--n-topics", "10", "--these-systems", "--on", "systems")
    assert good("worth", PEOPLE, CAREFUL, *asked) == f"{found}\n"


@pytest.mark.long
def test_worth_takes_names_coefficient_level_and_seed() -> None:
    asked = ("-c", "tau_ap_b", "--level", "0.9", "--seed", "4")
    found = cc.judge_worth(
        PEOPLE, HASTY, coefficient="tau_ap_b", confidence_level=0.9, names=("human", "machine"), rng=4
    )
    assert good("worth", f"human={PEOPLE}", f"machine={HASTY}", *asked) == f"{found}\n"


def test_worth_for_machines() -> None:
    found = cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"), rng=0)
    stored = json.loads(good("worth", PEOPLE, CAREFUL, "-f", "json"))
    assert stored["worth"] == found.worth
    assert stored["interval"]["low"] == found.interval.low
    assert stored["word"] == "weaker"
    assert list(stored) == [*found.to_dict(), "read_notes"]
    (row,) = rows("worth", PEOPLE, CAREFUL)
    assert (row["candidate"], float(row["topics"]), float(row["worth"])) == ("careful", 25, found.worth)
    assert (float(row["low"]), float(row["high"])) == (found.interval.low, found.interval.high)


@pytest.mark.long
def test_worth_for_papers() -> None:
    found = cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"), rng=0)
    latex = good("worth", PEOPLE, CAREFUL, "-f", "latex")
    assert rf"careful & tau\_b & 25.0000 & {found.worth:.4f} & {found.interval.low:.4f} &" in latex
    assert f"| careful | tau_b | 25.0000 | {found.worth:.4f} |" in good("worth", PEOPLE, CAREFUL, "-f", "markdown")


@pytest.mark.long
def test_several_judges_are_ranked() -> None:
    judges = {"hasty": HASTY, "careful": CAREFUL}
    found = cc.rank_judges(PEOPLE, judges, rng=0)
    assert good("worth", PEOPLE, HASTY, CAREFUL) == f"{found}\n"
    stored = json.loads(good("worth", PEOPLE, HASTY, CAREFUL, "-f", "json"))
    assert [judge["names"] for judge in stored["judges"]] == [["people", "careful"], ["people", "hasty"]]
    assert stored["best"] == ["careful"]
    told = rows("worth", PEOPLE, HASTY, CAREFUL)
    assert [(row["candidate"], row["may_be_best"]) for row in told] == [("careful", "True"), ("hasty", "False")]


@pytest.mark.long
def test_worth_is_drawn(tmp_path: Path) -> None:
    one, several = tmp_path / "one.svg", tmp_path / "several.svg"
    assert "25 topics" in run("worth", PEOPLE, CAREFUL, "--plot", one).stdout
    assert "careful" in one.read_text(encoding="utf-8")
    assert "hasty" in run("worth", PEOPLE, CAREFUL, HASTY, "--plot", several).stdout
    assert "worth of 25 topics, in topics of people" in several.read_text(encoding="utf-8")


def test_what_cannot_be_valued(tmp_path: Path) -> None:
    few = good("worth", PEOPLE, CAREFUL, "--topics", "401,402,403,404,405,406,407,408,409")
    assert few.startswith("What careful is worth is not known: there are only 9 topics, at least 10 are needed.\n")
    ten = "401,402,403,404,405,406,407,408,409,410"
    assert "25 topics judged by careful " in good("worth", PEOPLE, CAREFUL, "--topics", ten)
    means = tmp_path / "means.csv"
    people = cc.load_collection("people")
    scores = zip(people.systems, people.means().tolist(), strict=True)
    means.write_text("system,score\n" + "".join(f"{name},{score}\n" for name, score in scores))
    assert "candidate has one score per system and no topics" in bad("worth", PEOPLE, means, status=1)
    assert "there is no coefficient 'tau_bb'" in bad("worth", PEOPLE, CAREFUL, "-c", "tau_bb", status=2)
    assert "use 'tau_b'" in bad("worth", PEOPLE, CAREFUL, "-c", "tau", status=1)
    assert f"{CAREFUL}x" in bad("worth", PEOPLE, f"{CAREFUL}x", status=1)
    assert "was given twice" in bad("worth", PEOPLE, PEOPLE, status=2)
    assert "Missing argument 'CANDIDATE" in bad("worth", PEOPLE, status=2)
