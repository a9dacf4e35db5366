"""The same answer for the same collection in whatever form it comes, and on whatever it is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import concordant as cc
from concordant import resampling
from concordant.expected import differences
from concordant.ranks import distance, pair_tests

RNG = np.random.default_rng(8)
SCORES = cc.Scores(RNG.random((9, 4)).round(3) * [0.7, 0.8, 0.9, 1], topics=range(701, 710), systems=list("abcd"))
CANDIDATE = {"d": 0.1, "a": 0.4, "b": 0.3, "c": 0.2}

ABOUT_TOPICS: dict[str, Callable[..., Any]] = {
    "rank_distance": lambda s: cc.rank_distance(s, CANDIDATE),
    "rank_test": lambda s: cc.rank_test(s, CANDIDATE, n_resamples=49, rng=1).to_dict(),
    "discriminative_power": lambda s: cc.discriminative_power(s, CANDIDATE, 0.5).to_dict(),
    "rank_probabilities": lambda s: cc.rank_probabilities(s, n_resamples=49, rng=1).to_dict(),
    "rank_intervals": lambda s: cc.rank_intervals(s, n_resamples=49, rng=1).to_dict(),
    "DistanceDistribution": lambda s: cc.DistanceDistribution.bootstrap(s, n_resamples=49, rng=1).to_dict(),
    "discordance": lambda s: cc.discordance(s).to_dict(),
    "expected_correlation": lambda s: cc.expected_correlation(s, "tau_b", n_resamples=49, rng=1).to_dict(),
    "split_half": lambda s: cc.split_half(s, n_splits=5, rng=1).to_dict(),
    "reliability": lambda s: cc.reliability(s, rng=1).to_dict(),
    "plan_topics": lambda s: cc.plan_topics(s, target=0.5, n_resamples=20, most=50, rng=1).to_dict(),
    "simulate": lambda s: cc.simulate(s, 5, rng=1).values.tolist(),
}


def forms(folder: Path) -> dict[str, Any]:
    wide = SCORES.to_frame().reset_index()
    wide["topic"] = wide["topic"].astype(int)  # a number, and far above all scores
    long = SCORES.to_frame(long=True).drop(columns="measure")
    wide.to_csv(folder / "scores.csv", index=False)
    return {
        "path": folder / "scores.csv",
        "frame with a numeric topic column": wide,
        "frame with topics in the index": SCORES.to_frame(),
        "long frame": long,
        "polars": pl.from_pandas(wide),
        "nested": {s: dict(zip(SCORES.topics, column, strict=True)) for s, column in wide[list("abcd")].items()},
    }


@pytest.mark.parametrize("function", ABOUT_TOPICS)
def test_every_form_of_a_collection_is_the_same_collection(function: str, tmp_path: Path) -> None:
    call = ABOUT_TOPICS[function]
    expected = call(SCORES)
    for form, given in forms(tmp_path).items():
        assert call(given) == expected, form


def test_one_score_per_system_is_not_enough() -> None:
    for call in ABOUT_TOPICS.values():
        with pytest.raises(cc.errors.InputError, match="one score per system and no topics"):
            call(CANDIDATE)


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
    "paper": lambda w: cc.DistanceDistribution.bootstrap(SCORES, n_resamples=49, rng=1, workers=w).distances.tolist(),
    "rank_probabilities": lambda w: cc.rank_probabilities(SCORES, n_resamples=49, rng=1, workers=w).to_dict(),
    "rank_intervals": lambda w: cc.rank_intervals(SCORES, n_resamples=49, rng=1, workers=w).pvalues.tolist(),
    "single systems": lambda w: cc.rank_intervals(
        SCORES, n_resamples=49, rng=1, simultaneous=False, workers=w
    ).pvalues.tolist(),
    "discordance": lambda w: cc.discordance(SCORES, "kd", workers=w).to_dict(),
    "resampled": lambda w: cc.discordance(SCORES, "kd", n_resamples=49, rng=1, workers=w).to_dict(),
    "reliability": lambda w: cc.reliability(SCORES, identical="concordant", rng=1, workers=w).to_dict(),
    "split_half": lambda w: cc.split_half(SCORES, n_splits=5, rng=1, workers=w).to_dict(),
    "posterior": lambda w: cc.expected_correlation(SCORES, "tau_ap", "posterior", rng=1, workers=w).to_dict(),
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
