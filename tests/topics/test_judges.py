"""`compare_judges`: who agrees better with the truth, by a test that keeps its level."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import numpy as np
import pytest

import concordant as cc
from concordant.scores import Scores

Three: TypeAlias = tuple[Scores, Scores, Scores]


def three(seed: int = 0, n: int = 40, m: int = 15, off: tuple[float, float] = (0.02, 0.3)) -> Three:
    """The truth and two judges whose system effects are off by so much."""
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 1, m) + rng.normal(0, 0.3, (n, m)) + rng.normal(0, 1, (n, 1))
    judges = [x + rng.normal(0, sd, m) + rng.normal(0, 0.2, (n, m)) for sd in off]
    topics, systems = [f"t{i}" for i in range(n)], [f"s{j}" for j in range(m)]
    truth, a, b = (Scores(values, topics, systems) for values in (x, *judges))
    return truth, a, b


def test_the_better_judge_is_found_and_named() -> None:
    truth, good, bad = three()
    found = cc.compare_judges(truth, good, bad, method="iterated", names=("good", "bad"), rng=1)
    assert found.value_a == cc.tau_b(truth.means(), good.means())
    assert found.value_b == cc.tau_b(truth.means(), bad.means())
    assert found.difference == found.value_a - found.value_b
    assert found.pvalue < 0.05
    assert found.interval.low > 0
    assert str(found).startswith("good agrees with the truth better than bad (p < 0.001, ")


@pytest.mark.parametrize("method", ["across", "iterated", "plain"])
def test_exchanging_the_judges_turns_the_sign(method: Any) -> None:
    truth, good, bad = three()
    one = cc.compare_judges(truth, good, bad, method=method, rng=1)
    other = cc.compare_judges(truth, bad, good, method=method, rng=1)
    assert other.difference == pytest.approx(-one.difference, abs=1e-12)
    assert other.bias_corrected == pytest.approx(-one.bias_corrected, abs=1e-12, nan_ok=True)
    assert other.ratio == pytest.approx(1 / one.ratio, rel=1e-9, nan_ok=True)
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-9)
    assert other.interval.low == pytest.approx(-one.interval.high, abs=1e-12)
    assert str(other).startswith("b agrees with the truth better than a")


def test_shrinkage_draws_all_three_population_means() -> None:
    truth, good, bad = three()
    found = cc.compare_judges(truth, good, bad, method="shrinkage", n_resamples=999, rng=1)
    assert found.value_a == cc.tau_b(truth.means(), good.means())
    assert found.interval.low > 0
    assert found.pvalue < 0.001
    assert found.interval.method == "shrinkage topic bootstrap"
    assert found.bias_corrected == pytest.approx((found.interval.low + found.interval.high) / 2)
    half = (found.interval.high - found.interval.low) / 2
    assert half == pytest.approx(1.959964 * found.standard_error, rel=1e-6)
    other = cc.compare_judges(truth, bad, good, method="shrinkage", n_resamples=999, rng=1)
    assert other.bias_corrected == pytest.approx(-found.bias_corrected, abs=0.2 * found.standard_error)
    with pytest.raises(cc.errors.InputError, match=r"needs at least 5 systems and 3 topics.*: use method='across'"):
        cc.compare_judges(truth, good, good, method="shrinkage")


def test_shrinkage_says_where_its_model_is_in_doubt() -> None:
    rng = np.random.default_rng(1)
    effects = np.concatenate([np.zeros(30), np.linspace(-3, -1, 10)])  # 30 of 40 systems tied
    shared = rng.normal(0, 1, (60, 40))
    truth, a, b = (Scores(effects + shared + rng.normal(0, 0.3, (60, 40)), range(60), range(40)) for _ in range(3))
    (note,) = cc.compare_judges(truth, a, b, method="shrinkage", n_resamples=999, rng=1).notes
    assert note.startswith("many systems seem to be nearly tied")


def test_alternatives_add_up() -> None:
    truth, good, bad = three(off=(0.1, 0.2))
    p = {
        side: cc.compare_judges(truth, good, bad, "tau_ap_b", alternative=side, rng=1).pvalue
        for side in ("two-sided", "greater", "less")
    }
    assert p["greater"] + p["less"] == pytest.approx(1)
    assert p["two-sided"] == pytest.approx(2 * min(p["greater"], p["less"]))


@pytest.mark.parametrize("method", ["across", "shrinkage", "iterated", "plain"])
def test_p_and_interval_say_the_same(method: Any) -> None:
    for seed in range(6):
        truth, a, b = three(seed, off=(0.05, 0.2))
        found = cc.compare_judges(truth, a, b, method=method, n_resamples=1000, rng=1)
        assert (found.pvalue < 0.05) == (found.interval.low > 0 or found.interval.high < 0)


def test_a_judge_against_itself_is_no_different() -> None:
    truth, judge, _ = three()
    found = cc.compare_judges(truth, judge, judge, rng=1)
    assert found.difference == 0
    assert found.pvalue == 1
    assert (found.interval.low, found.interval.high) == (0, 0)


def test_the_same_bits_at_any_number_of_threads() -> None:
    sides = three()
    one = cc.compare_judges(*sides, "pearson_rank", n_resamples=500, rng=5)
    assert one == cc.compare_judges(*sides, "pearson_rank", n_resamples=500, rng=5, workers=2)
    assert one.settings["seed"] == 5
    assert one != cc.compare_judges(*sides, "pearson_rank", n_resamples=500, rng=6)


def test_the_result_travels() -> None:
    found = cc.compare_judges(*three(), method="iterated", n_resamples=500, rng=5)
    stored = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert stored["pvalue"] == found.pvalue
    assert stored["interval"]["low"] == found.interval.low
    assert found.to_frame().loc[0, "bias_corrected"] == found.bias_corrected
    assert found.plot() is not None


def test_what_not_all_have_is_left_out_with_a_warning() -> None:
    truth, a, b = three()
    with pytest.warns(cc.errors.AlignmentWarning, match="1 topic of truth left out|1 topic of b left out"):
        found = cc.compare_judges(truth, a.select(topics=a.topics[1:]), b, n_resamples=500, rng=1)
    assert found.settings["n_topics"] == 39
    assert len(found.notes) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alternative": "better"}, "alternative is 'better'"),
        ({"method": "bca"}, "method is 'bca'"),
        ({"coefficient": "tau"}, "use 'tau_b'"),
        ({"coefficient": "tau_c"}, "there is no coefficient"),
        ({"n_resamples": 499, "method": "plain"}, "at least 500"),
        ({"confidence_level": 1.5}, r"confidence_level is 1\.5"),
        ({"names": "ab"}, "names is 'ab'"),
        ({"workers": 0}, "workers is 0"),
        ({"candidate_b": {"s0": 1.0, "s1": 2.0}}, "candidate_b has one score per system and no topics"),
        ({"candidate_b": 3}, "candidate_b is an int"),
    ],
)
def test_bad_input_is_one_clear_error(change: dict[str, Any], message: str) -> None:
    truth, a, b = three(m=4)
    with pytest.raises(cc.errors.InputError, match=message):
        cc.compare_judges(**{"truth": truth, "candidate_a": a, "candidate_b": b, **change})


@pytest.mark.parametrize("method", ["across", "iterated"])
def test_all_tied_is_refused(method: Any) -> None:
    truth, a, _ = three(m=4)
    flat = Scores(np.ones(truth.values.shape), truth.topics, truth.systems)
    with pytest.raises(cc.errors.InputError, match=r"undefined.*: all systems are tied"):
        cc.compare_judges(truth, a, flat, method=method)
