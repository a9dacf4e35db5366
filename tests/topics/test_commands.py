"""`concordant tiers` and `concordant explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import concordant as cc
from tests.commands import CAREFUL, HASTY, PEOPLE, bad, good, rows


def test_tiers_say_the_verdict_first() -> None:
    text = good("tiers", PEOPLE, "-k", "3")
    found = cc.rank_intervals(PEOPLE, rng=0)
    assert " ".join(text.split()).startswith(" ".join(found.verdict.split()))
    assert str(found.best(3)) in text
    assert str(found).partition("\n\n")[2] in text


def test_a_single_system_has_no_tiers(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("topic,a\n1,0.2\n2,0.3\n")
    assert "there is one system (a), and a ranking has several" in bad("tiers", str(tmp_path / "one.csv"), status=1)


def test_tiers_for_machines() -> None:
    found = cc.rank_intervals(HASTY, 0.9, simultaneous=False, aggregate="borda", n_resamples=499, rng=4)
    options = ("--level", "0.9", "--marginal", "--borda", "--resamples", "499", "--seed", "4")
    answer = json.loads(good("tiers", HASTY, *options, "-f", "json", "--best", "2"))
    best = answer.pop("best")
    assert answer == {**found.to_dict(), "read_notes": []}
    assert (tuple(best["possible"]), tuple(best["certain"])) == (found.best(2).possible, found.best(2).certain)
    assert [(r["system"], int(r["low"]), int(r["high"])) for r in rows("tiers", HASTY, *options)] == [
        (r["system"], r["low"], r["high"]) for r in found.rows()
    ]


def test_explain_says_the_verdict_first() -> None:
    found = cc.explain(PEOPLE, HASTY, "tau_ap_b")
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
    assert "--level is 95" in bad("tiers", PEOPLE, "--level", "95", status=1)
    assert "--best is 21" in bad("tiers", PEOPLE, "-k", "21", status=2)
    assert "needs at least 19" in bad("tiers", PEOPLE, "--resamples", "5", status=1)
    assert "--pair is" in bad("explain", PEOPLE, HASTY, "--pair", "rerank-4", status=2)
    assert "there is no system 'x'" in bad("explain", PEOPLE, HASTY, "--pair", "x,rerank-4", status=1)


def test_whom_to_cite() -> None:
    assert "Romano, Joseph P. and Wolf, Michael" in good("cite", "rank_intervals")
