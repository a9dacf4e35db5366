"""Soft pairwise accuracy: all permutations counted literally, WMT's software, and what must not change it."""

from __future__ import annotations

import json
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

import concordant as cc

from . import literal

GOLDEN = Path(__file__).parents[1] / "golden" / "wmt25_en-cs_spa.json"
SIZES = st.tuples(st.integers(2, 5), st.integers(2, 4))
MATRICES = SIZES.flatmap(
    lambda size: st.tuples(
        *[
            st.lists(
                st.lists(st.integers(0, 10).map(lambda v: v / 10), min_size=size[1], max_size=size[1]),
                min_size=size[0],
                max_size=size[0],
            )
        ]
        * 2
    )
)


@given(MATRICES)
@hypothesis_settings(max_examples=40)
def test_all_permutations_are_counted_as_by_hand(case: tuple[list[list[float]], list[list[float]]]) -> None:
    found = cc.soft_pairwise_accuracy(*case)
    assert "all permutations" in found.method
    assert found.standard_error == 0
    assert found.value == pytest.approx(literal.soft_pairwise_accuracy(*case), abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("pair", json.loads(GOLDEN.read_text()))
def test_the_values_of_wmt(pair: str, data: Path) -> None:
    """From mt-metrics-eval with 5,000 random permutations."""
    expected = json.loads(GOLDEN.read_text())[pair]
    files = (data / "wmt25" / f"en-cs_CZ__{name}.csv" for name in pair.split(" | "))
    truth, candidate = (cc.read_scores(file, groups="none") for file in files)  # which permutes segments
    found = cc.soft_pairwise_accuracy(truth, candidate, n_resamples=5000, rng=1)
    assert found.value == pytest.approx(expected["spa"], abs=0.001)
    assert cc.pairwise_accuracy(truth.means(), candidate.means()) == pytest.approx(expected["acc_23"], abs=1e-15)
    assert cc.get_coefficient("tau_strict")(truth.means(), candidate.means()) == pytest.approx(
        expected["tau_23"], abs=1e-15
    )


def sides(n: int = 30, m: int = 8) -> tuple[cc.Scores, cc.Scores]:
    rng = np.random.default_rng(3)
    truth = rng.random((n, m)) + np.linspace(0, 0.4, m)
    topics, systems = [f"t{k}" for k in range(n)], [f"s{k}" for k in range(m)]
    return cc.Scores(truth, topics, systems), cc.Scores(truth + rng.normal(0, 0.3, (n, m)), topics, systems)


def test_the_same_side_twice_is_1_and_the_sides_can_be_exchanged() -> None:
    truth, candidate = sides()
    assert cc.soft_pairwise_accuracy(truth, truth, rng=1).value == 1
    one, other = cc.soft_pairwise_accuracy(truth, candidate, rng=1), cc.soft_pairwise_accuracy(candidate, truth, rng=1)
    assert one.value == other.value
    assert one == cc.soft_pairwise_accuracy(truth, candidate, rng=1)


def test_the_order_of_systems_and_other_units_change_nothing() -> None:
    truth, candidate = sides()
    expected = cc.soft_pairwise_accuracy(truth, candidate, rng=1).value
    turned = [side.select(side.systems[::-1]) for side in (truth, candidate)]
    assert cc.soft_pairwise_accuracy(*turned, rng=1).value == pytest.approx(expected, abs=1e-12)
    large = cc.Scores(candidate.values * 2.0**900, candidate.topics, candidate.systems)
    assert cc.soft_pairwise_accuracy(truth, large, rng=1).value == expected


def test_opposite_certainty_is_next_to_0() -> None:
    """Each system beats the next on all 10 topics, and on the other side loses: p is 1 / 1024 against 1."""
    truth = np.tile([3.0, 2.0, 1.0], (10, 1))
    assert cc.soft_pairwise_accuracy(truth, -truth).value == pytest.approx(1 / 1024, abs=1e-15)


def test_random_permutations_agree_with_all_of_them_within_their_error() -> None:
    truth, candidate = sides(n=12)
    exact = cc.soft_pairwise_accuracy(truth, candidate, n_resamples=4096)
    assert exact.standard_error == 0
    z = []
    for seed in range(40):
        drawn = cc.soft_pairwise_accuracy(truth, candidate, n_resamples=2000, rng=seed)
        assert drawn.standard_error is not None
        z.append((drawn.value - exact.value) / drawn.standard_error)
    assert abs(np.mean(z)) < 0.8  # five standard errors of the mean of 40, but for the bias of absolute values
    assert 0.6 < np.std(z) < 1.5


def test_what_only_one_side_has_is_said() -> None:
    truth, candidate = sides()
    with pytest.warns(cc.errors.AlignmentWarning, match="1 system of truth left out"):
        found = cc.soft_pairwise_accuracy(truth, candidate.select(candidate.systems[1:]), rng=1)
    assert found.method.startswith("7 systems, 30 topics")
    assert "s0" in found.notes[0]
    with (
        pytest.raises(cc.errors.InputError, match="1 system and 30 topics in common"),
        pytest.warns(cc.errors.AlignmentWarning),
    ):
        cc.soft_pairwise_accuracy(truth, cc.Scores(candidate.values[:, :2], candidate.topics, ("s0", "other")))


def test_it_prints_its_verdict() -> None:
    truth, candidate = sides()
    found = cc.soft_pairwise_accuracy(truth, candidate, rng=1)
    assert str(found).startswith(f"soft pairwise accuracy = {found.value:.3f} (8 systems, 30 topics, 10000 random perm")
    assert found.rows()[0]["value"] == float(found)
    assert found.settings["seed"] == 1
