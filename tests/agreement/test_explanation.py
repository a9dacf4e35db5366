"""What pairs and topics contribute: identities with the coefficients, and loops that leave topics out."""

from __future__ import annotations

import itertools
import json
import math
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import concordant as cc
from concordant.agreement.explanation import Kind
from concordant.coefficients import pair_losses
from concordant.coefficients.registry import Coefficient
from tests import literal

FloatArray = npt.NDArray[np.float64]
EXACT = [c for c in cc.list_coefficients() if c.losses is not None]


def test_the_tau_and_tau_ap_families_are_exact() -> None:
    families = {c.name for c in cc.list_coefficients() if c.name.startswith("tau")} | {"pairwise_accuracy"}
    assert {c.name for c in EXACT} == families - {"tau_gap_a"}


@pytest.mark.parametrize("coefficient", EXACT, ids=lambda c: c.name)
@given(st.data())
def test_losses_of_pairs_sum_to_the_loss(coefficient: Coefficient, data: st.DataObject) -> None:
    m = data.draw(st.integers(2, 12))
    sides = {}
    for side in ("truth", "candidate"):
        if side in coefficient.ties:
            sides[side] = data.draw(arrays(np.float64, m, elements=st.integers(0, 5).map(float)))
            assume(len(set(sides[side].tolist())) > 1)
        else:
            sides[side] = np.array(data.draw(st.permutations(range(m))), dtype=np.float64)
    unit = data.draw(st.sampled_from((1.0, 1 / 64)))  # the gaps of some coefficients sum to more than 1, or to less
    truth, candidate = sides["truth"] * unit, sides["candidate"] * unit
    assert coefficient.losses is not None
    losses = coefficient.losses(truth, candidate)
    assert np.array_equal(losses, losses.T)
    assert (losses >= 0).all()
    assert np.triu(losses).sum() == pytest.approx(1 - coefficient.function(truth, candidate), abs=1e-12)
    for i, j in itertools.combinations(range(m), 2):
        if (truth[i] - truth[j]) * (candidate[i] - candidate[j]) > 0:
            assert losses[i, j] == pytest.approx(0, abs=1e-15)


def test_tau_ap_a_is_the_mean_over_the_orders_of_ties() -> None:
    truth, candidate = np.array([6.0, 5, 4, 3, 2, 1]), np.array([5.0, 3, 6, 3, 1, 3])
    orders = [pair_losses.tau_ap_ties(truth, np.array(o)) for o in literal.orders_of_ties(candidate.tolist())]
    expected = np.mean(orders, axis=0)
    np.testing.assert_allclose(pair_losses.tau_ap_a(truth, candidate), expected, atol=1e-14)


def test_a_swap_at_the_top_costs_tau_ap_most() -> None:
    truth = {"a": 4, "b": 3, "c": 2, "d": 1}
    top, bottom = {"a": 3, "b": 4, "c": 2, "d": 1}, {"a": 4, "b": 3, "c": 1, "d": 2}
    at_top, at_bottom = cc.explain(truth, top, coefficient="tau_ap"), cc.explain(truth, bottom, coefficient="tau_ap")
    assert {(p.better, p.worse): p.loss for p in at_top.pairs} == pytest.approx({("a", "b"): 2 / 3})
    assert {(p.better, p.worse): p.loss for p in at_bottom.pairs} == pytest.approx({("c", "d"): 2 / 9})
    assert {s.system: s.loss for s in at_top.systems} == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 0, "d": 0})
    assert at_top.topics == ()


@pytest.mark.parametrize("name", ["tau_b", "tau_ap_b", "pearson_rank", "spearman", "rbo"])
def test_topics_are_left_out_one_at_a_time(name: str) -> None:
    truth, candidate = cc.load_collection("people"), cc.load_collection("hasty")
    found = cc.explain(truth, candidate, coefficient=name)
    function = cc.get_coefficient(name).function
    assert found.value == function(truth.means(), candidate.means())
    assert sorted(t.topic for t in found.topics) == sorted(truth.topics)
    for effect in found.topics:
        kept = [t for t in truth.topics if t != effect.topic]
        alone = function(truth.select(topics=kept).means(), candidate.select(topics=kept).means())
        assert effect.without == pytest.approx(alone, abs=1e-12)
        assert effect.effect == pytest.approx(alone - found.value, abs=1e-12)
    effects = [t.effect for t in found.topics]
    assert effects == sorted(effects, reverse=True)
    assert found.exact == bool(found.pairs)


def test_losses_of_the_example_collection() -> None:
    truth, candidate = cc.load_collection("people"), cc.load_collection("hasty")
    found = cc.explain(truth, candidate)
    assert math.fsum(p.loss for p in found.pairs) == pytest.approx(found.loss, abs=1e-12)
    assert math.fsum(s.loss for s in found.systems) == pytest.approx(found.loss, abs=1e-12)
    x, y = (dict(zip(s.systems, s.means(), strict=True)) for s in (truth, candidate))
    swapped = [p for p in found.pairs if p.kind == "swapped"]
    assert len(swapped) == sum((x[a] - x[b]) * (y[a] - y[b]) < 0 for a, b in itertools.combinations(x, 2))
    assert {p.kind for p in found.pairs} == {"swapped", "tied in candidate"}
    for p in found.pairs:
        assert p.truth_difference == x[p.better] - x[p.worse] > 0
        assert p.candidate_difference == y[p.better] - y[p.worse] <= 0
    for s in found.systems:
        assert s.swapped == sum(s.system in (p.better, p.worse) for p in swapped)


def test_a_topic_whose_absence_makes_ties_has_no_value_for_tau() -> None:
    truth = cc.Scores([[1, 2, 3], [1, 1, 3], [4, 4, 5]], list("xyz"), list("abc"))
    found = cc.explain(truth, truth, coefficient="tau")
    assert found.topics[-1].topic == "x"
    assert math.isnan(found.topics[-1].without)
    assert "tau is undefined without 1 topic, listed last" in found.notes
    assert found.to_dict()["topics"][-1] == {"topic": "x", "without": None, "effect": None}


def test_sides_are_matched_by_name() -> None:
    truth, candidate = cc.load_collection("people"), cc.load_collection("hasty")
    mixed = candidate.select(systems=candidate.systems[::-1], topics=candidate.topics[::-1])
    assert cc.explain(truth, mixed).pairs == cc.explain(truth, candidate).pairs
    with pytest.warns(cc.errors.AlignmentWarning, match="1 system of people left out"):
        fewer = cc.explain(truth, candidate.select(systems=candidate.systems[1:]))
    assert candidate.systems[0] not in {s.system for s in fewer.systems}
    assert any("left out" in note for note in fewer.notes)


def test_without_agreement_to_explain() -> None:
    truth = cc.load_collection("people")
    found = cc.explain(truth, truth)
    assert (found.value, found.pairs) == (1.0, ())
    assert "none" in str(found)
    with pytest.warns(cc.errors.UndefinedCorrelationWarning):
        undefined = cc.explain({"a": 1, "b": 2}, {"a": 1, "b": 1})
    assert undefined.pairs == ()
    assert undefined.to_dict()["value"] is None


def test_bad_arguments() -> None:
    truth = cc.load_collection("people")
    found = cc.explain(truth, truth)
    with pytest.raises(cc.errors.InputError, match="there is no coefficient 'tau_c'"):
        cc.explain(truth, truth, coefficient="tau_c")
    with pytest.raises(cc.errors.InputError, match="kind is 'topic'"):
        found.to_frame("topic")  # type: ignore[arg-type]


def test_what_is_printed_and_exported() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = cc.explain(cc.load_collection("people"), cc.load_collection("hasty"), coefficient="tau_ap_b")
    text = str(found)
    assert text.startswith(found.verdict)
    assert found.verdict.startswith(f"tau_ap_b = {found.value:.4f}; 25 pairs of systems swapped; rerank-4 and rerank-1")
    assert f"{found.pairs[9].better} > {found.pairs[9].worse}" in text
    assert text.count(" > ") == 10
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.to_frame()["loss"].sum() == pytest.approx(found.loss, abs=1e-12)
    assert len(found.to_frame("systems")) == 20
    assert len(found.to_frame("topics")) == 40
    for kind in get_args(Kind):
        ax = found.plot(kind)
        assert 3 <= len(ax.patches) <= 10
    assert [len(ax.patches) for ax in found.plot()] == [len(found.plot(kind).patches) for kind in ("systems", "topics")]
    assert found.plot("pairs", ax, most=3) is ax
    pyplot.close("all")


def test_where_all_swaps_cost_the_same_the_system_with_most_of_them_is_named() -> None:
    truth = {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0}
    found = cc.explain(truth, {"a": 1.0, "b": 4.0, "c": 3.0, "d": 2.0}, coefficient="tau_b")
    assert found.verdict == "tau_b = 0.0000; 3 pairs of systems swapped; a has the most swaps (3)"
    found = cc.explain(truth, {"a": 4.0, "b": 5.0, "c": 2.0, "d": 3.0}, coefficient="tau_b")
    assert (
        found.verdict == "tau_b = 0.3333; 2 pairs of systems swapped; a, b, c, and 1 more have the most swaps (1 each)"
    )
    found = cc.explain(truth, {"a": 4.0, "b": 5.0, "c": 2.0, "d": 3.0}, coefficient="tau_ap_b")
    assert "; a and b cost most (" in found.verdict
