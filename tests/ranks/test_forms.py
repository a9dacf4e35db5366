"""The same answer for the same candidate in whatever form it comes, and on whatever it is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc
from concordant.inference import resampling
from concordant.planning import differences
from concordant.ranks import distance, pair_tests

RNG = np.random.default_rng(8)
SCORES = cc.Scores(RNG.random((9, 4)).round(3) * [0.7, 0.8, 0.9, 1], topics=range(701, 710), systems=list("abcd"))
CANDIDATE = {"d": 0.1, "a": 0.4, "b": 0.3, "c": 0.2}

ABOUT_TOPICS: dict[str, Callable[..., Any]] = {
    "rank_distance": lambda s: cc.rank_distance(s, CANDIDATE),
    "rank_test": lambda s: cc.rank_test(s, CANDIDATE),
    "discriminative_power": lambda s: cc.ranks.discriminative_power(s, CANDIDATE),
    "rank_intervals": cc.rank_intervals,
    "expected_correlation": cc.expected_correlation,
    "reliability": cc.reliability,
    "plan_topics": cc.plan_topics,
    "simulate": lambda s: cc.simulate(s, 5),
}


@pytest.mark.parametrize("function", ABOUT_TOPICS)
def test_one_score_per_system_is_not_enough(function: str) -> None:
    with pytest.raises(
        cc.errors.InputError, match=r"one score per system,? and (no topics|rank intervals need topics)"
    ):
        ABOUT_TOPICS[function](CANDIDATE)


def test_every_form_of_a_candidate_is_the_same_candidate(tmp_path: Path) -> None:
    expected = cc.rank_distance(SCORES, [CANDIDATE[s] for s in "abcd"])
    assert isinstance(expected, float)
    assert expected > 0
    for given in (CANDIDATE, pd.Series(CANDIDATE), cc.as_scores(CANDIDATE)):
        assert cc.rank_distance(SCORES, given) == expected
    other = cc.Scores(np.sqrt(SCORES.values[::-1, ::-1]), SCORES.topics[::-1], SCORES.systems[::-1])
    expected = cc.rank_distance(SCORES, other.select(list("abcd")).means())
    other.to_frame().to_csv(tmp_path / "other.csv")
    for scores in (other, tmp_path / "other.csv", other.to_frame()):
        assert cc.rank_distance(SCORES, scores) == expected
        assert cc.rank_test(SCORES, scores, n_resamples=9, rng=1).distance == expected


ON_WORKERS: dict[str, Callable[..., Any]] = {
    "rank_distance": lambda w: list(
        np.ravel(cc.rank_distance(SCORES, np.random.default_rng(2).random((50, 4)), workers=w))
    ),
    "recentred": lambda w: cc.rank_test(SCORES, CANDIDATE, n_resamples=49, rng=1, workers=w).to_dict(),
    "paper": lambda w: cc.rank_test(
        SCORES, CANDIDATE, method="paper", n_resamples=49, rng=1, workers=w
    ).distances.tolist(),
    "rank_intervals": lambda w: cc.rank_intervals(SCORES, n_resamples=49, rng=1, workers=w).pvalues.tolist(),
    "single systems": lambda w: cc.rank_intervals(
        SCORES, n_resamples=49, rng=1, simultaneous=False, workers=w
    ).pvalues.tolist(),
    "reliability": lambda w: cc.reliability(SCORES, identical="concordant", rng=1, workers=w).to_dict(),
    "posterior": lambda w: cc.expected_correlation(
        SCORES, coefficient="tau_ap", estimator="posterior", rng=1, workers=w
    ).to_dict(),
    "plan_topics": lambda w: cc.plan_topics(SCORES, target=0.5, n_resamples=20, most=50, rng=1, workers=w).to_dict(),
}


@pytest.fixture(scope="module", params=[ThreadPoolExecutor, ProcessPoolExecutor])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with request.param(2) as pool:
        yield pool


@pytest.mark.parametrize("function", ON_WORKERS)
def test_threads_and_executors_change_no_bit(
    function: str, executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ON_WORKERS[function]
    for module, name in ((resampling, "CHUNK"), (distance, "CHUNK"), (pair_tests, "_CHUNK")):
        monkeypatch.setattr(module, name, 20)  # several pieces
    monkeypatch.setattr(differences, "_AT_A_TIME", 18)
    expected = call(1)
    assert call(2) == expected
    assert call(executor) == expected


def test_an_executor_is_given_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting(ThreadPoolExecutor):
        pieces = 0

        def submit(self, *arguments: Any, **more: Any) -> Any:
            Counting.pieces += 1
            return super().submit(*arguments, **more)

    monkeypatch.setattr(resampling, "CHUNK", 20)
    told: list[tuple[int, int]] = []
    with Counting(2) as pool:
        cc.rank_test(SCORES, CANDIDATE, n_resamples=49, rng=1, workers=pool, progress=lambda *a: told.append(a))
    assert Counting.pieces == 3
    assert told == [(20, 49), (40, 49), (49, 49)]
