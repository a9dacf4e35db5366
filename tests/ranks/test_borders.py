"""Borders: drawn exactly where every system above is significantly better than every one below."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import concordant as cc
from concordant.ranks.intervals import RankIntervals

TREC = Path(__file__).parents[2] / "data" / "trec"


def literal(found: RankIntervals) -> tuple[int, ...]:
    """By the definition, pair by pair."""
    p, mean, m = found.pvalues, found.means, len(found.systems)
    return tuple(
        k
        for k in range(1, m)
        if all(mean[i] > mean[j] and max(p[i, j], p[j, i]) <= 0.05 for i in range(k) for j in range(k, m))
    )


@pytest.mark.parametrize("spread", [0.0, 0.1, 0.3, 1.0])
def test_borders_are_those_of_the_definition(spread: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        found = cc.rank_intervals(rng.normal(size=(12, 7)) * 0.3 + spread * np.arange(7), n_resamples=199, rng=1)
        assert found.borders == literal(found)
        assert [k for k, row in enumerate(found.rows(), start=1) if row["border_below"]] == list(found.borders)


@pytest.mark.parametrize(("name", "borders"), [("adhoc8", ()), ("robust2004_ap", (108,))])
def test_borders_of_real_boards(name: str, borders: tuple[int, ...]) -> None:
    assert cc.rank_intervals(TREC / f"{name}.csv", rng=1).borders == borders


def test_a_board_without_borders_says_so_and_rank_1_could_be_the_best() -> None:
    people = cc.load_collection("people")
    found = cc.rank_intervals(people, rng=1)
    assert found.borders == literal(found) == ()
    none = "No border: at no rank are all systems above significantly better than all below."
    assert str(found).splitlines()[1] == none
    assert [row["system"] for row in found.rows() if row["rank"] == 1] == list(found.best(1).possible)
    assert found.verdict.startswith(f"{len(found.best(1).possible)} of 20 systems could be the best: rerank-4, ")


def test_single_systems_have_no_borders() -> None:
    values = np.random.default_rng(1).random((20, 3)) - np.array([0, 2, 4])
    assert cc.rank_intervals(values, rng=1).borders == (1, 2)
    assert cc.rank_intervals(values, simultaneous=False, rng=1).borders == ()
