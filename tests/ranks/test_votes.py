"""Votes: win rates against loops, strengths against a fit of our own, intervals on battles whose truth is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc
from concordant.errors import InputError, InputTypeError, ReadError
from concordant.ranks.votes import strengths, tally, units
from tests.commands import good, run

FloatArray = npt.NDArray[np.float64]


def battles(true: FloatArray, count: int, seed: int, questions: int = 0) -> cc.votes.Votes:
    """Between random pairs; with questions, battles on one question share how much its first system gains."""
    rng = np.random.default_rng(seed)
    m = len(true)
    a = rng.integers(0, m, count)
    b = (a + rng.integers(1, m, count)) % m
    asked = rng.integers(0, max(questions, 1), count)
    effect = rng.normal(0, 2.0 if questions else 0.0, (max(questions, 1), m))
    gap = true[a] - true[b] + effect[asked, a] - effect[asked, b]
    won = rng.random(count) < 1 / (1 + np.exp(-gap))
    winner = np.where(rng.random(count) < 0.1, "tie", np.where(won, "model_a", "model_b"))
    return cc.votes.Votes([f"s{k}" for k in a], [f"s{k}" for k in b], winner, asked if questions else None)


def test_win_rates_against_loops() -> None:
    votes = battles(np.array([1.0, 0, 0, -1]), 200, 1)
    found = strengths(tally(votes, np.ones(200)), "win-rate")
    for k in range(4):
        shares = []
        for j in range(4):
            results = [w for x, y, w in zip(votes.a, votes.b, votes.wins, strict=True) if (x, y) == (k, j)]
            results += [1 - w for x, y, w in zip(votes.a, votes.b, votes.wins, strict=True) if (x, y) == (j, k)]
            if j != k:
                shares.append(np.mean(results))
        assert found[k] == pytest.approx(np.mean(shares))


def test_strengths_solve_the_likelihood_equations() -> None:
    votes = battles(np.array([1.0, 0.5, 0, -1]), 400, 2)
    wins = tally(votes, np.ones(400))
    found = strengths(wins, "bradley-terry")
    chance = 1 / (1 + np.exp(found[None, :] - found[:, None]))
    expected = ((wins + wins.T) * chance).sum(axis=1)  # as many wins as the model expects
    np.testing.assert_allclose(wins.sum(axis=1), expected, atol=1e-4)
    assert found.mean() == pytest.approx(0, abs=1e-12)
    ranks = cc.votes.rank_votes(votes, method="bradley-terry", n_resamples=100, rng=1)
    order = sorted(range(4), key=lambda k: -found[k])
    assert list(ranks.systems) == [votes.systems[k] for k in order]


def test_questions_are_what_is_resampled() -> None:
    """Battles on one question err together: taken one by one, the same battles seem to say much more."""
    votes = battles(np.linspace(1, 0, 5), 1500, 3, questions=25)
    alone = cc.votes.Votes([votes.systems[k] for k in votes.a], [votes.systems[k] for k in votes.b],
                     ["a" if w == 1 else "b" if w == 0 else "tie" for w in votes.wins])  # fmt: skip
    by_question, by_battle = (cc.votes.rank_votes(v, n_resamples=200, rng=1) for v in (votes, alone))
    assert (by_question.high - by_question.low).sum() > (by_battle.high - by_battle.low).sum()
    assert (by_question.settings["resampled"], by_battle.settings["resampled"]) == ("question", "battle")
    assert np.array_equal(by_question.means, by_battle.means)
    assert len(set(units(votes))) == 25


def test_intervals_hold_the_true_ranks() -> None:
    """Systems 1 and 2 are tied in truth; an interval that misses any true rank is an error of at most 5%."""
    true, held = np.array([1.5, 0.3, 0.3, -1.0]), 0
    for seed in range(40):
        found = cc.votes.rank_votes(battles(true, 300, 100 + seed), n_resamples=100, rng=seed)
        wanted = {"s0": (1, 1), "s1": (2, 3), "s2": (2, 3), "s3": (4, 4)}
        held += all(found[s][0] <= low and found[s][1] >= high for s, (low, high) in wanted.items())
    assert held >= 35  # 38 expected; fewer than 35 has a probability of 1% at 95%


def test_estimates_can_be_compared() -> None:
    found = cc.votes.rank_votes(battles(np.linspace(1, 0, 5), 500, 4), n_resamples=100, rng=1)
    truth = {f"s{k}": 5.0 - k for k in range(5)}
    assert cc.compare(truth, found.estimates())["tau_b"] == cc.tau_b(
        [truth[s] for s in found.systems], found.means.tolist()
    )


def test_command(tmp_path: Path) -> None:
    votes = battles(np.array([1.0, 0, -1]), 200, 6)
    names = votes.systems
    said = {1.0: "a", 0.5: "tie", 0.0: "b"}
    lines = [f"{names[a]},{names[b]},{said[w]}" for a, b, w in zip(votes.a, votes.b, votes.wins.tolist(), strict=True)]
    (tmp_path / "v.csv").write_text("\n".join(["model_a,model_b,winner", *lines]))
    made = json.loads(good("votes", tmp_path / "v.csv", "--resamples", "100", "--seed", "3", "-f", "json"))
    found = cc.votes.rank_votes(votes, n_resamples=100, rng=3)
    assert [(row["system"], row["rank"], row["high"]) for row in made["rows"]] == [
        (row["system"], row["rank"], row["high"]) for row in found.rows()
    ]
    page = tmp_path / "votes.html"
    run("votes", tmp_path / "v.csv", "--resamples", "100", "--html", page)
    assert "200 battles; ranked by win-rate" in page.read_text(encoding="utf-8")


def test_files_and_frames(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [("x", "y", "model_a", "q1"), ("y", "z", "tie (bothbad)", "q1"), ("z", "x", "x", "q2")]
    names = ("model_a", "model_b", "winner", "question_id")
    votes = cc.votes.read_votes(pandas.DataFrame(rows, columns=names))
    assert votes.wins.tolist() == [1.0, 0.5, 0.0]
    assert votes.questions == ("q1", "q1", "q2")
    assert repr(votes) == "<Votes: 3 battles of 3 systems on 2 questions>"
    forms = {
        "v.csv": "\n".join([",".join(names), *(",".join(row) for row in rows)]),
        "v.tsv": "\n".join(["\t".join(names), *("\t".join(row) for row in rows)]),
        "v.jsonl": "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows),
        "v.json": json.dumps([dict(zip(names, row, strict=True)) for row in rows]),
    }
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        read = cc.votes.read_votes(tmp_path / name)
        assert (read.systems, read.wins.tolist(), read.questions) == (votes.systems, [1.0, 0.5, 0.0], votes.questions)
    assert cc.votes.read_votes(votes) is votes
    assert cc.votes.read_votes(tmp_path / "v.csv", question="winner").questions == ("model_a", "tie (bothbad)", "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model_a,winner\nx,a\n", "has no column model_b or system_b; available: model_a, winner"),
        ("", "has no column model_a"),
        ("a,b,winner\nx,y\n", "has 2 cells, but the first line has 3"),
        ("a,b,winner\nx,y,z\n", "the winner of battle 1 is 'z': give a, b or tie"),
        ("a,b,winner\nx,x,a\n", "battle 1 pits 'x' against itself"),
        ("a,b,winner\nx,y,x\nx,a,a\n", "the winner of battle 2 is 'a', which names a system but also means"),
        ('{"a": "x"', "v.csv:1: is not JSON"),
        ("[1, 2]", "holds no battles"),
    ],
)
def test_bad_files_are_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(text)
    with pytest.raises((ReadError, InputError), match=message):
        cc.votes.read_votes(tmp_path / "v.csv")


def test_bad_arguments_are_named(tmp_path: Path) -> None:
    votes, apart = battles(np.zeros(3), 60, 5), cc.votes.Votes(["x", "p"], ["y", "q"], ["a", "b"])
    calls: list[tuple[Any, str]] = [
        (lambda: cc.votes.rank_votes(votes, method=cast("Any", "elo")), "method is 'elo'"),
        (lambda: cc.votes.rank_votes(votes, n_resamples=50), "n_resamples is 50: a covariance needs at least 100"),
        (lambda: cc.votes.Votes(["x"], ["y"], []), "1 first systems, 1 second ones and 0 winners"),
        (lambda: cc.votes.Votes(["x"], ["y"], ["a"], ["q", "r"]), "2 questions and 1 battles"),
        (
            lambda: cc.votes.rank_votes(apart),
            "no chain of battles connects p, q with x",
        ),
        (
            lambda: cc.votes.rank_votes(cc.votes.Votes(["x"], ["y"], ["a"]), method="bradley-terry"),
            "strengths would be infinite",
        ),
    ]
    for call, message in calls:
        with pytest.raises(InputError, match=message):
            call()
    with pytest.raises(InputTypeError, match="votes is a int"):
        cc.votes.read_votes(3)
    (tmp_path / "v.csv").write_text("a,b,winner\nx,y,a\n")
    with pytest.raises(ReadError, match="has no column 'prompt'"):
        cc.votes.read_votes(tmp_path / "v.csv", question="prompt")


def test_what_is_printed(tmp_path: Path) -> None:
    votes = battles(np.array([1.0, 0.5, 0, -1]), 400, 2)
    found = cc.votes.rank_votes(votes, n_resamples=100, rng=1)
    text = str(found)
    assert text.startswith(found.verdict)
    assert f"95% confidence for all intervals together; 100 resamples of {found.settings['resampled']}s" in text
    file = tmp_path / "battles.csv"
    lines = [f"{a},{b},model_a" for a, b in ("ab", "bc", "ca", "ab", "ac", "cb") for _ in range(20)]
    file.write_text("\n".join(["model_a,model_b,winner", *lines]) + "\n")
    assert "rank  system" in good("votes", file)


def test_few_questions_separate_nothing() -> None:
    """Three of three questions for one system are no evidence at 95%: a sign test has p = 0.25."""
    votes = cc.votes.Votes(
        ["x", "y", "x", "x", "z"], ["y", "z", "z", "y", "y"], ["a", "tie", "b", "a", "a"], [1, 1, 2, 3, 3]
    )
    found = cc.votes.rank_votes(votes, rng=1)
    assert found.best(1).possible == found.systems
    with pytest.raises(InputError, match="the votes are on 1 question"):
        cc.votes.rank_votes(cc.votes.Votes(["x", "y"], ["y", "x"], ["a", "a"], [1, 1]), rng=1)
