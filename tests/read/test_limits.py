"""Published boards with 95% limits: each form, by its own numbers; which score they belong to; what is refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc
from concordant.data.scores import Means
from concordant.errors import ReadError
from concordant.read import look, read_scores

from ..commands import run

FORMS = {
    "lower,upper": "model,score,lower,upper\na,10.0,8.04,11.96\nb,20.0,16.08,23.92\n",
    "named by the score": "model,acc,acc_lower,acc_upper,n\na,10.0,8.04,11.96,7\nb,20.0,16.08,23.92,8\n",
    "quantiles": "model,rating,rating_q025,rating_q975,votes\na,10.0,8.04,11.96,7\nb,20.0,16.08,23.92,8\n",
    "a level in the name": "model,elo,95% CI lower,95% CI upper\na,10.0,8.04,11.96\nb,20.0,16.08,23.92\n",
    "distances": 'model,score,CI,license\na,10.0,"(-1.96, +1.96)",MIT\nb,20.0,"(-3.92, +3.92)",MIT\n',
    "distances without a plus": 'model,score,CI\na,10.0,"(-1.96, 1.96)"\nb,20.0,"(-3.92, 3.92)"\n',
    "upper first": "model,Arena Score,95% CI,Votes\na,10.0,+1.96/-1.96,700\nb,20.0,+3.92/-3.92,800\n",
    "in brackets": 'model,score,CI (95%)\na,10.0,"[8.04, 11.96]"\nb,20.0,"[16.08, 23.92]"\n',
    "no name for the systems": ",score,lower,upper\ngpt-4,10.0,8.04,11.96\nclaude-3,20.0,16.08,23.92\n",
}
FEW: dict[str, Any] = {"n_resamples": 999, "rng": 1}


def read(text: str, measure: str | None = None, **how: Any) -> cc.Means:
    found = cc.read_scores(io.StringIO(text), measure, **how)
    assert isinstance(found, cc.Means)
    return found


def errors(text: str, measure: str | None = None, **how: Any) -> list[float]:
    found = read(text, measure, **how).errors
    assert found is not None
    return list(found)


@pytest.mark.parametrize("form", list(FORMS))
def test_every_form(form: str) -> None:
    with pytest.warns(UserWarning, match=r"standard errors were computed from the 95% limits in .* / 3\.92"):
        means = read(FORMS[form])
    assert means.values.tolist() == [10, 20]
    assert means.errors is not None
    np.testing.assert_allclose(means.errors, [1, 2], rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*standard errors were computed")
def test_a_frame_is_read_as_its_file() -> None:
    text = FORMS["quantiles"]
    assert cc.as_scores(pd.read_csv(io.StringIO(text))) == read(text)


@pytest.mark.filterwarnings("ignore:.*standard errors were computed")
def test_the_file_of_arena_hard_parsed_directly(formats: Path) -> None:
    arena = formats / "as_published" / "published_errors" / "arena_hard_leaderboard_20240731.csv"
    rows = list(csv.DictReader(arena.read_text(encoding="utf-8").splitlines()))
    means = cc.read_scores(arena)
    assert isinstance(means, cc.Means)
    assert (means.systems, means.measure) == (tuple(row["model"] for row in rows), "score")
    expected = [(float(row["rating_q975"]) - float(row["rating_q025"])) / 3.92 for row in rows]
    assert means.errors is not None
    np.testing.assert_allclose(means.errors, expected, rtol=1e-12)
    assert means.errors[means.systems.index("gpt-4-0314")] == 0  # the baseline
    found = cc.rank_intervals(means, n_resamples=9_999, rng=1)
    # A direct simulation of the first pair alone: all others only widen its interval.
    i, j = 0, 1
    draws = np.random.default_rng(1).normal(size=(100_000, 2)) * means.errors[[i, j]]
    alone = np.mean(np.abs(draws[:, 0] - draws[:, 1]) >= means.values[i] - means.values[j])
    assert found.pvalues[i, j] >= alone - 0.01
    assert found.best(1).possible[0] == "gpt-4-turbo-2024-04-09"


def test_commands_give_rank_intervals(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(FORMS["named by the score"], encoding="utf-8")
    told = run("board", str(path))
    assert "taken as independent" in told.stdout
    assert "standard errors were computed from the 95% limits in 'acc_lower', 'acc_upper'" in told.stderr
    found = json.loads(run("board", str(path), "--format", "json").stdout)
    assert [(row["system"], row["rank"], row["high"], row["topics"]) for row in found["rows"]] == [
        ("b", 1, 1, None),
        ("a", 2, 2, None),
    ]
    page = tmp_path / "board.html"
    run("board", str(path), "--html", str(page))
    assert "standard errors, no topics" in page.read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore:.*standard errors were computed")
def test_which_score_limits_belong_to() -> None:
    two = "model,acc,acc_lower,acc_upper,f1,f1_lower,f1_upper\na,5,4.02,5.98,9,7.04,10.96\nb,6,5.02,6.98,8,6.04,9.96\n"
    assert errors(two, "acc") == pytest.approx([0.5, 0.5])
    assert errors(two, "f1") == pytest.approx([1, 1])
    with pytest.raises(cc.errors.ReadError, match=r"there are 2 measures.*: acc, f1;"):
        read(two)
    loose = "model,tokens,rate,lower,upper\na,700,10,8.04,11.96\nb,600,20,16.08,23.92\n"
    assert errors(loose) == pytest.approx([1, 2])  # of the column before them
    assert read(loose, "tokens").errors is None
    apart = "model,rate,tokens,lower,upper\na,10,700,8.04,11.96\nb,20,600,16.08,23.92\n"
    assert errors(apart, score_column="rate") == pytest.approx([1, 2])
    assert read(loose, "lower").errors is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("model,score,lower,upper\na,10,8,12\nb,20,21,24\n", ":3: the limits in .*21 and 24, but the score 20 does"),
        ("model,score,lower,upper\na,10,8,12\nb,20,24,16\n", ":3: .*20 does not lie between them"),
        ("model,score,lower,upper\na,10.0,8.0,12.0\nb,20.0,19.5,29.0\n", ":3: .*lies far from their middle"),
        ("model,score,lower,upper\na,10.0,-1.0,1.0\nb,20.0,-2.0,2.0\n", ":2: .*10 does not lie between them"),
        ('model,score,CI\na,1,"(0.5, 1.5)"\nb,2,"(0.5, 1.5)"\n', ":3: .*2 does not lie between them"),
        ('model,score,CI\na,10,"(-1, +1)"\nb,20,wide\n', ":3: .*'wide', which is not a pair of numbers"),
    ],
)
def test_limits_that_are_none_are_refused_with_a_way_out(text: str, why: str) -> None:
    columns = [name for name in text.splitlines()[0].split(",") if name not in ("model", "score")]
    left_out = [f"!{name}" for name in columns]
    with pytest.raises(cc.errors.ReadError, match=why) as raised:
        read(text)
    assert f"or leave them out with topics={left_out!r}" in str(raised.value)
    means = read(text, topics=left_out)
    assert (means.errors, len(means.systems)) == (None, 2)


def test_a_system_without_limits() -> None:
    text = "model,score,lower,upper\na,10.0,8.04,11.96\nb,20.0,,\nc,30.0,28.04,31.96\n"
    with pytest.warns(UserWarning, match=r"some systems have none: leave b out with systems=\['!b'\]"):
        assert read(text).errors is None
    with pytest.warns(UserWarning, match="standard errors were computed"):
        means = read(text, systems=["!b"])
    assert means.errors is not None
    np.testing.assert_allclose(means.errors, [1, 1])


@pytest.mark.filterwarnings("ignore:.*standard errors were computed")
def test_lower_is_better_changes_no_error() -> None:
    means = read(FORMS["lower,upper"], lower_is_better=True)
    assert errors(FORMS["lower,upper"], lower_is_better=True) == pytest.approx([1, 2])
    assert cc.rank_intervals(means, **FEW)["a"] == (1, 1)


def test_smallest_and_largest_scores_are_no_limits() -> None:
    text = "model,score,score_min,score_max,n\na,10,8,12,3\nb,20,16,24,3\n"
    assert read(text, "score").errors is None
    assert read("model,score,99% CI lower,99% CI upper,n\na,10,8,12,3\nb,20,16,24,3\n", "score").errors is None


def test_levels_of_effort_are_no_limits() -> None:
    text = "model,avg,low,medium,high\na,10,8,10,12\nb,20,16,20,24\n"
    assert read(text, "avg").errors is None


@pytest.mark.filterwarnings("ignore:.*standard errors were computed")
def test_look_shows_the_score_and_not_its_limits() -> None:
    found = look(io.StringIO(FORMS["quantiles"]))
    assert (found.measure, found.measures) == ("rating", ("rating", "votes"))


def test_a_column_of_standard_errors_belongs_to_the_score_before_it() -> None:
    """As in AlpacaEval's leaderboards."""
    table = ",win_rate,standard_error,n_total,lc_rate,lc_standard_error\na,76.9,0.9,805,86.4,0.1\nb,50,0,805,40,0.5\n"
    for measure, errors in (("win_rate", (0.9, 0.0)), ("lc_rate", (0.1, 0.5))):
        found = read_scores(io.StringIO(table), measure)
        assert isinstance(found, Means)
        assert found.errors is not None
        assert tuple(found.errors) == errors
    assert getattr(read_scores(io.StringIO(table), "n_total"), "errors") is None  # noqa: B009
    with pytest.raises(ReadError, match="has the standard error -1: correct it"):
        read_scores(io.StringIO(table.replace("0.9,", "-1,")), "win_rate")


def test_a_board_of_alpaca_eval_needs_no_limits(formats: Path) -> None:
    scores = read_scores(formats / "leaderboards" / "weighted_alpaca_eval_gpt4_turbo.csv", "win_rate")
    found = cc.board(scores, rng=1)
    assert len(found.systems) == 223
    assert "gpt4_1106_preview" not in found.best(1).possible  # 28 points behind, with errors of 0.9 and less
    assert len(found.best(1).possible) < 20
