"""`correlate`: values, intervals, what it refuses, and the same bits at any number of threads."""

from __future__ import annotations

import json
import math
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.data.scores import Scores
from concordant.inference.intervals import Method

METHODS: tuple[Method, ...] = ("auto", "shrinkage", "iterated")
WITH_TIES = [c.name for c in cc.list_coefficients() if len(c.ties) == 2]


def scores(values: Any, prefix: str = "") -> Scores:
    n, m = np.shape(values)
    return Scores(values, [f"{prefix}t{i}" for i in range(n)], [f"{prefix}s{j}" for j in range(m)])


def two_conditions(seed: int = 0, n: int = 30, m: int = 12, noise: float = 0.2) -> tuple[Scores, Scores]:
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 1, m) + rng.normal(0, 0.5, (n, m)) + rng.normal(0, 1, (n, 1))
    y = x + rng.normal(0, noise, m) + rng.normal(0, 0.3, (n, m))
    return scores(np.round(x, 3)), scores(np.round(y, 2))


@pytest.mark.parametrize("method", METHODS)
def test_the_value_is_the_coefficient_of_the_means(method: Method) -> None:
    truth, candidate = two_conditions()
    e = cc.correlate(truth, candidate, coefficient="tau_ap_b", method=method, n_resamples=500, rng=1)
    assert float(e) == e.value == cc.tau_ap_b(truth.means(), candidate.means())
    assert e.interval is not None
    assert -1 <= e.interval.low < e.interval.high <= 1
    assert e.interval.method == f"{method} topic bootstrap"
    assert e.settings["interval"] == method
    assert e.settings["seed"] == 1
    assert e.settings["n_resamples"] == 500


@pytest.mark.parametrize("name", WITH_TIES)
def test_every_coefficient_with_ties_has_an_interval(name: str) -> None:
    truth, candidate = two_conditions(m=6)
    e = cc.correlate(truth, candidate, coefficient=name, n_resamples=500, rng=1)
    assert e.interval is not None
    low, high = cc.get_coefficient(name).range
    assert low <= e.interval.low <= e.interval.high <= high
    assert e.standard_error is not None
    assert e.standard_error > 0


@pytest.mark.parametrize("name", [c.name for c in cc.list_coefficients() if len(c.ties) < 2])
def test_coefficients_without_ties_name_their_twin(name: str) -> None:
    truth, candidate = two_conditions(m=6)
    twin = cc.get_coefficient(name).with_ties
    with pytest.raises(cc.errors.InputError, match=f"resampled means can be tied, .* use '{twin}'"):
        cc.correlate(truth, candidate, coefficient=name, rng=1)
    assert twin in WITH_TIES
    alone = cc.correlate(truth, candidate, coefficient=name, method=None)
    assert alone.interval is None
    assert alone.value == pytest.approx(cc.correlate(truth, candidate, coefficient=twin, method=None).value, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_bits_at_any_number_of_threads(method: Method) -> None:
    truth, candidate = two_conditions(n=50)
    how: dict[str, Any] = {"method": method, "n_resamples": 600}
    one = cc.correlate(truth, candidate, coefficient="pearson_rank", **how, rng=3)
    two = cc.correlate(truth, candidate, coefficient="pearson_rank", **how, rng=3, workers=2)
    other = cc.correlate(truth, candidate, coefficient="pearson_rank", **how, rng=4)
    assert one == two
    assert one.interval != other.interval
    with ThreadPoolExecutor(2) as pool:
        assert one == cc.correlate(truth, candidate, coefficient="pearson_rank", **how, rng=3, workers=pool)


def test_the_same_bits_on_processes() -> None:
    sides = two_conditions(n=20)
    with ProcessPoolExecutor(1) as pool:
        for call in (
            partial(cc.correlate, *sides, coefficient="tau_ap_b", n_resamples=500, rng=3),
            partial(cc.permutation_test, *sides, coefficient="tau_ap_b", n_resamples=300, rng=3),
            partial(cc.compare, *sides, coefficients=["tau_b"], interval=True, n_resamples=500, rng=3),
        ):
            assert call() == call(workers=pool)


def test_a_drawn_seed_is_kept_and_gives_the_same_again() -> None:
    truth, candidate = two_conditions()
    how: dict[str, Any] = {"n_resamples": 500}
    drawn = cc.correlate(truth, candidate, **how)
    assert cc.correlate(truth, candidate, **how, rng=drawn.settings["seed"]) == drawn
    assert cc.correlate(truth, candidate, **how, rng=np.random.default_rng(1)).settings["seed"] is None


@pytest.mark.parametrize("name", ["tau_b", "pearson_rank"])
def test_no_noise_no_width(name: str) -> None:
    """Every topic is the same, so that every resample has the means of the sample."""
    row = np.array([[0.9, 0.5, 0.4, 0.1, 0.2]])
    truth, candidate = scores(np.repeat(row, 8, axis=0)), scores(np.repeat(row[:, ::-1], 8, axis=0))
    e = cc.correlate(truth, candidate, coefficient=name, rng=1)
    assert e.interval is not None
    assert e.interval.low == pytest.approx(e.value, abs=1e-9)
    assert e.interval.high == pytest.approx(e.value, abs=1e-9)
    assert e.bias_corrected == pytest.approx(e.value, abs=1e-9)


def test_limits_widen_with_the_level_and_stay_in_the_range() -> None:
    truth, candidate = two_conditions(noise=0.0)
    found = [
        cc.correlate(truth, candidate, rng=1, confidence_level=level, n_resamples=999).interval
        for level in (0.5, 0.9, 0.999)
    ]
    low = [i.low for i in found if i is not None]
    high = [i.high for i in found if i is not None]
    assert sorted(low, reverse=True) == low
    assert sorted(high) == high
    assert high[-1] == 1.0


def test_sides_are_matched_by_label_and_losses_reported() -> None:
    truth, candidate = two_conditions()
    turned = candidate.select(systems=candidate.systems[::-1], topics=candidate.topics[::-1])
    how: dict[str, Any] = {"n_resamples": 500}
    assert cc.correlate(truth, turned, **how, rng=1).interval == cc.correlate(truth, candidate, **how, rng=1).interval
    with pytest.warns(cc.errors.AlignmentWarning, match="1 system of truth left out"):
        e = cc.correlate(truth, candidate.select(systems=candidate.systems[1:]), **how, rng=1)
    assert e.settings["n_systems"] == 11
    assert len(e.notes) == 1


def test_the_result_prints_and_travels() -> None:
    truth, candidate = two_conditions()
    e = cc.correlate(truth, candidate, rng=1, n_resamples=500)
    assert "95% interval [" in str(e)
    assert "bias-corrected" in str(e)
    stored = json.loads(json.dumps(e.to_dict(), allow_nan=False))
    assert stored["bias_corrected"] == e.bias_corrected
    assert stored["interval"]["method"] == "auto topic bootstrap"
    assert e.to_frame().loc[0, "standard_error"] == e.standard_error
    assert e.plot() is not None


def test_progress_counts_to_the_end() -> None:
    truth, candidate = two_conditions()
    for method in METHODS:
        seen: list[tuple[int, int]] = []
        how: dict[str, Any] = {"method": method, "n_resamples": 2500}
        cc.correlate(truth, candidate, **how, rng=1, progress=lambda *at, seen=seen: seen.append(at))
        assert len(seen) > 1
        assert seen[-1][0] == seen[-1][1]
        assert sorted(seen) == seen


def test_an_undefined_value_is_nan_with_a_warning() -> None:
    truth, _ = two_conditions()
    with pytest.warns(cc.errors.UndefinedCorrelationWarning):
        e = cc.correlate(truth, scores(np.ones((30, 12))), rng=1)
    assert math.isnan(e.value)
    assert e.interval is None
    assert e.to_dict()["value"] is None


def test_undefined_resamples_are_counted_and_reported() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((10, 4))
    y = np.zeros((10, 4))
    y[:4] = x[:4]  # a resample that draws none of these has a side all tied
    with pytest.warns(cc.errors.UndefinedCorrelationWarning, match="left out|uses the others"):
        e = cc.correlate(scores(x), scores(y), rng=1, method="iterated", n_resamples=999)
    assert e.settings["undefined"] > 0
    assert e.interval is not None


def test_bad_input_is_one_clear_error() -> None:
    truth, candidate = two_conditions()
    means = dict(zip(candidate.systems, candidate.means().tolist(), strict=True))
    with pytest.raises(cc.errors.InputError, match=r"candidate has one score per system.*, or method=None"):
        cc.correlate(truth, means)
    assert cc.correlate(truth, means, method=None).value == cc.correlate(truth, candidate, method=None).value
    with pytest.raises(cc.errors.InputError, match="there is no coefficient 'tau_c'"):
        cc.correlate(truth, candidate, coefficient="tau_c")
    with pytest.raises(cc.errors.InputError, match="only 1 topic"):
        cc.correlate(truth.select(topics=["t0"]), candidate.select(topics=["t0"]))
    with pytest.raises(cc.errors.InputError, match="no systems are common"):
        cc.correlate(truth, scores(candidate.values, "x"))
    with pytest.raises(cc.errors.InputError, match="both sides have 1 system in common: at least 2 are needed"):
        cc.correlate(truth.select(systems=["s0"]), candidate.select(systems=["s0"]))
    with pytest.raises(cc.errors.InputError, match="workers is 0"):
        cc.correlate(truth, candidate, workers=0)
    with pytest.raises(cc.errors.InputTypeError, match="rng is 'a'"):
        cc.correlate(truth, candidate, rng="a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"n_resamples": 499}, "at least 500"),
        ({"n_resamples": 2.5}, "n_resamples is 2.5"),
        ({"method": "bca"}, "method is 'bca'"),
        ({"confidence_level": 95}, "confidence_level is 95"),
        ({"confidence_level": True}, "confidence_level is True"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        cc.correlate(*two_conditions(), **settings)
