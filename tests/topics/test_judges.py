"""The pairs of `rank_judges`: who agrees better with the truth, by a test that keeps its level."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from concordant.data.scores import Scores
from concordant.topics.judge_ranking import JudgeComparison

Three: TypeAlias = tuple[Scores, Scores, Scores]


def three(seed: int = 0, n: int = 40, m: int = 15, off: tuple[float, float] = (0.02, 0.3)) -> Three:
    """The truth and two judges whose system effects are off by so much."""
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 1, m) + rng.normal(0, 0.3, (n, m)) + rng.normal(0, 1, (n, 1))
    judges = [x + rng.normal(0, sd, m) + rng.normal(0, 0.2, (n, m)) for sd in off]
    topics, systems = [f"t{i}" for i in range(n)], [f"s{j}" for j in range(m)]
    truth, a, b = (Scores(values, topics, systems) for values in (x, *judges))
    return truth, a, b


def pair_of(truth: Any, a: Any, b: Any, **how: Any) -> JudgeComparison:
    (pair,) = cc.rank_judges(truth, {"a": a, "b": b}, **{"rng": 1, **how}).pairs
    return pair


def test_the_better_judge_is_found_and_named() -> None:
    truth, good, bad = three()
    found = cc.rank_judges(truth, {"bad": bad, "good": good}, rng=1)
    (pair,) = found.pairs
    assert found.best == ("good",)
    assert pair.names == ("good", "bad")
    assert (pair.value_a, pair.value_b) == tuple(judge.agreement for judge in found.judges)
    assert pair.difference == pair.value_a - pair.value_b
    assert pair.interval.low > 0
    assert pair.pvalue == pytest.approx(2 * stats.t.sf(pair.difference / pair.standard_error, 39))
    assert pair.adjusted == pair.pvalue < 0.05
    half = (pair.interval.high - pair.interval.low) / 2
    assert half == pytest.approx(stats.t.ppf(0.975, 39) * pair.standard_error)


@pytest.mark.parametrize("coefficient", ["tau_b", "tau_ap_b"])
def test_the_order_of_the_judges_does_not_matter(coefficient: str) -> None:
    truth, good, bad = three(off=(0.02, 0.1))
    one = pair_of(truth, good, bad, coefficient=coefficient)
    other = pair_of(truth, bad, good, coefficient=coefficient)
    assert (one.names, other.names) == (("a", "b"), ("b", "a"))
    assert other.difference == pytest.approx(one.difference, abs=1e-12)
    assert other.ratio == pytest.approx(one.ratio, rel=1e-9)
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-6)


def test_the_ratio_is_that_of_the_worths() -> None:
    truth, a, b = three(off=(0.02, 0.1))
    found = cc.rank_judges(truth, {"a": a, "b": b}, rng=3)
    (pair,) = found.pairs
    first, second = (judge.worth for judge in found.judges)
    assert pair.ratio == pytest.approx(first / second)
    assert pair.ratio_interval is not None
    assert pair.ratio in pair.ratio_interval


def test_p_and_interval_say_the_same() -> None:
    for seed in range(6):
        found = pair_of(*three(seed, off=(0.05, 0.2)))
        assert (found.pvalue < 0.05) == (found.interval.low > 0 or found.interval.high < 0)


def test_a_judge_against_itself_is_no_different() -> None:
    truth, judge, _ = three()
    found = cc.rank_judges(truth, {"once": judge, "again": judge}, rng=1)
    (pair,) = found.pairs
    assert (pair.difference, pair.pvalue, pair.adjusted) == (0, 1, 1)
    assert (pair.interval.low, pair.interval.high) == (0, 0)
    assert found.best == ("once", "again")


def test_the_same_seed_gives_the_same_bits() -> None:
    truth, a, b = three()
    one, again, other = (cc.rank_judges(truth, {"a": a, "b": b}, "pearson_rank", rng=rng) for rng in (5, 5, 6))
    assert one == again
    assert one.settings["seed"] == 5
    assert one != other


def test_the_result_travels() -> None:
    truth, a, b = three()
    found = cc.rank_judges(truth, {"a": a, "b": b}, rng=5)
    (stored,) = json.loads(json.dumps(found.to_dict(), allow_nan=False))["pairs"]
    assert stored["pvalue"] == found.pairs[0].pvalue
    assert stored["interval"]["low"] == found.pairs[0].interval.low


def test_what_not_all_have_is_left_out_with_a_warning() -> None:
    truth, a, b = three()
    with pytest.warns(cc.errors.AlignmentWarning, match="1 topic of truth left out|1 topic of b left out"):
        found = cc.rank_judges(truth, {"a": a.select(topics=a.topics[1:]), "b": b}, rng=1)
    assert found.settings["n_topics"] == 39
    assert len(found.notes) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coefficient": "tau"}, "use 'tau_b'"),
        ({"coefficient": "tau_c"}, "there is no coefficient"),
        ({"confidence_level": 1.5}, r"confidence_level is 1\.5"),
        ({"b": {"s0": 1.0, "s1": 2.0}}, r"candidates\['b'\] has one score per system and no topics"),
        ({"b": 3}, r"candidates\['b'\] is an int"),
    ],
)
def test_bad_input_is_one_clear_error(change: dict[str, Any], message: str) -> None:
    truth, a, b = three(m=4)
    with pytest.raises(cc.errors.InputError, match=message):
        pair_of(**{"truth": truth, "a": a, "b": b, **change})


def test_all_tied_is_refused() -> None:
    truth, a, _ = three(m=4)
    flat = Scores(np.ones(truth.values.shape), truth.topics, truth.systems)
    with pytest.raises(cc.errors.InputError, match=r"undefined.*: all systems are tied"):
        pair_of(truth, a, flat)
