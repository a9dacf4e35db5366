"""What an audit gives to its rules: each preparation against pandas, scipy or a line of arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import concordant as cc
from concordant.agreement.audit.ways import Sides, Vectors, preparations

WAYS = {way.name or "means": way for way in preparations([2, 3])}


def made(way: str, truth: Any, candidate: Any) -> Vectors | None:
    return WAYS[way].make(Sides.of((cc.as_scores(truth), cc.as_scores(candidate))))


def pair(way: str, truth: Any, candidate: Any) -> Vectors:
    found = made(way, truth, candidate)
    assert found is not None
    return found


def scores(seed: int, *, n: int = 6, m: int = 5, first: int = 0) -> cc.Scores:
    values = np.random.default_rng(seed).random((n, m))
    return cc.Scores(values, [f"q{first + k}" for k in range(n)], [f"s{k}" for k in range(m)], "map")


def same(found: Vectors, truth: Any, candidate: Any) -> bool:
    return np.array_equal(found.truth, truth) and np.array_equal(found.candidate, candidate)


def test_names_in_rank_order_are_what_kendalltau_makes_of_lists_of_names() -> None:
    truth = {"bm25": 0.3, "ql": 0.5, "dense": 0.9, "rm3": 0.4}
    candidate = {"bm25": 0.3, "ql": 0.6, "dense": 0.5, "rm3": 0.7}
    lists = [sorted(side, key=lambda name: -side[name]) for side in (truth, candidate)]
    union = sorted(set(lists[0]))
    numbers = [[union.index(name) for name in names] for names in lists]
    for ties in ("file", "name"):
        found = pair(f"names in rank order, ties by {ties}", truth, candidate)
        assert same(found, *numbers)
        assert cc.tau_b(found.truth, found.candidate) == pytest.approx(stats.kendalltau(*numbers).statistic)
        assert cc.tau_b(found.truth, found.candidate) == pytest.approx(
            stats.kendalltau(*(pd.Categorical(names).codes for names in lists)).statistic
        )


def test_argsort_is_no_rank() -> None:
    a, b = scores(1), scores(2)
    found = pair("argsort taken for ranks", a, b)
    assert same(found, np.argsort(-a.means()), np.argsort(-b.means()))
    ascending = stats.kendalltau(np.argsort(a.means()), np.argsort(b.means())).statistic
    assert cc.tau_b(found.truth, found.candidate) == pytest.approx(ascending)


def test_means_and_what_people_take_for_them() -> None:
    a, b = scores(1), scores(2)
    x, y = a.to_frame(), b.to_frame()
    assert same(pair("means", a, b), a.means(), b.means())
    assert same(pair("means, not rounded", a, b), a.values.mean(axis=0), b.values.mean(axis=0))
    for digits in (2, 3, 4):
        assert same(pair(f"means to {digits} digits", a, b), x.mean().round(digits), y.mean().round(digits))
    long = pd.DataFrame({"x": x.stack(), "y": y.stack()})
    pooled = pair("all topics at once", a, b)
    assert cc.tau_b(pooled.truth, pooled.candidate) == pytest.approx(long.corr(method="kendall").loc["x", "y"])
    topics = pair("on each topic, mean", a, b)
    each = x.T.corrwith(y.T, method="spearman")
    assert cc.spearman(topics.truth, topics.candidate) == pytest.approx(each.to_numpy())


def test_ranks_in_place_of_scores() -> None:
    a, b = {"a": 0.9, "b": 0.5, "c": 0.5, "d": 0.1}, {"a": 0.4, "b": 0.4, "c": 0.4, "d": 0.2}
    series = pd.Series(a), pd.Series(b)
    for method in ("average", "min", "dense"):
        ranks = [-side.rank(ascending=False, method=method) for side in series]
        assert same(pair(f"ranks in place of scores (ties: {method})", a, b), *ranks)
    assert same(pair("ranks given for scores", a, b), -series[0], -series[1])
    assert same(pair("ranks given for scores in truth", a, b), -series[0], series[1])
    assert same(pair("ranks given for scores in candidate", a, b), series[0], -series[1])


def test_ranks_for_scores_are_the_mistake_with_weightedtau() -> None:
    a, b = scores(1, m=8), scores(2, m=8)
    ranks = stats.rankdata(-a.means()), stats.rankdata(-b.means())
    found = pair("ranks given for scores", a, b)
    wrong = cc.weighted_tau(found.truth, found.candidate)
    assert wrong == pytest.approx(stats.weightedtau(*ranks).statistic)
    assert wrong != pytest.approx(stats.weightedtau(a.means(), b.means()).statistic)


def test_topics_that_differ() -> None:
    a, b = scores(1, first=0), scores(2, first=2)  # q0 ... q5 and q2 ... q7
    assert same(pair("means", a, b), a.select(topics=a.topics[2:]).means(), b.select(topics=b.topics[:4]).means())
    assert same(pair("means over own topics", a, b), a.means(), b.means())
    assert made("means over own topics", a, scores(2)) is None


def test_topics_that_have_nothing_in_common() -> None:
    a, b = scores(1), scores(2, first=50)
    with pytest.raises(cc.errors.InputError, match=r"no topics are common.*on='systems'"):
        Sides.of((a, b))
    given = Sides.of((a, b), on="systems")
    assert same(given.vectors(), a.means(), b.means())
    assert WAYS["all topics at once"].make(given) is None


def test_the_best_systems_of_either_side() -> None:
    truth = {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0}
    candidate = {"a": 1.0, "b": 4.0, "c": 3.0, "d": 2.0}
    assert pair("top 3 by truth", truth, candidate).names == ("a", "b", "c")
    assert pair("top 2 by candidate", truth, candidate).names == ("b", "c")
    assert made("top 3 by truth", {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}) is None


@pytest.mark.parametrize("way", ["on each topic, mean", "all topics at once", "means, not rounded"])
def test_without_topics_there_is_nothing_to_average(way: str) -> None:
    assert made(way, {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}) is None
