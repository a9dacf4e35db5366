"""The rules of an audit, each against the tool that computes so, or against a slow second implementation."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import concordant as cc
from concordant.agreement.audit.ways import Sides, Vectors, preparations, rules

RULES = {rule.name: rule for rule in rules()}
WAYS = {way.name or "means": way for way in preparations([3])}
CASES = json.loads((Path(__file__).parents[2] / "golden" / "reported_tools.json").read_text())
few = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=9)


def pair_of(truth: Any, candidate: Any, names: Any = None, way: str = "means") -> Vectors:
    names = [f"s{k}" for k in range(len(truth))] if names is None else list(names)
    made = WAYS[way].make(Sides.of((cc.Means(truth, names), cc.Means(candidate, names))))
    assert made is not None
    return made


def value(rule: str, pair: Vectors) -> float:
    return float(RULES[rule].call(pair))


def test_names_are_unique_and_every_coefficient_is_a_plain_rule() -> None:
    names = [rule.name for rule in rules()]
    assert len(set(names)) == len(names)
    plain = [rule.name for rule in rules() if rule.departures == 0]
    assert plain == [f"{c.name}(truth, candidate)" for c in cc.list_coefficients()]
    exchanged = {rule.name for rule in rules() if rule.name.endswith("(candidate, truth)")}
    assert exchanged >= {f"{c.name}(candidate, truth)" for c in cc.list_coefficients() if not c.symmetric}
    assert all(rule.account for rule in rules())


def test_registered_rules_are_the_coefficients() -> None:
    x, y = np.random.default_rng(1).random((2, 12))
    pair = pair_of(x, y)
    for c in cc.list_coefficients():
        assert value(f"{c.name}(truth, candidate)", pair) == c.function(x, y)
        if not c.symmetric:
            assert value(f"{c.name}(candidate, truth)", pair) == c.function(y, x)
    assert value("rbo(truth, candidate, p=0.98, ties='a')", pair) == cc.rbo(x, y, p=0.98)


# What tools print ---------------------------------------------------------------------------------

TOOLS = {
    "trectools_kendall": ("tau(truth, candidate), ties by name", "means"),
    "trectools_spearman": ("spearman(truth, candidate), ties by name", "means"),
    "trectools_tauap": ("tau_ap(truth, candidate), ties by name", "means"),
    "tau_ap": ("tau_ap, truth's file order", "means"),
    "autojudge_tau_gap": ("tau_gap(truth, candidate), ties by file", "means"),
    "repro_eval_ktu": ("tau_b(truth, candidate)", "names in rank order, ties by name"),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_what_tools_print_is_reproduced(tool: str) -> None:
    rule, way = TOOLS[tool]
    for case in CASES:
        pair = pair_of(case["truth"], case["observed"], case["systems"], way)
        assert value(rule, pair) == pytest.approx(case[tool], abs=1e-12)


# What libraries compute ---------------------------------------------------------------------------


@given(few)
def test_counts_of_pairs(scores: list[tuple[int, int]]) -> None:
    x, y = np.array(scores).T
    pair = pair_of(x, y)
    signs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i, j in itertools.combinations(range(len(x)), 2)]
    concordant = sum(a * b > 0 for a, b in signs)
    discordant = sum(a * b < 0 for a, b in signs)
    ordered = sum(a != 0 for a, _ in signs), sum(b != 0 for _, b in signs)
    assert value("(C - D) / all pairs", pair) == pytest.approx((concordant - discordant) / len(signs))
    assert value("C / all pairs", pair) == pytest.approx(concordant / len(signs))
    if concordant + discordant:
        assert value("gamma", pair) == pytest.approx((concordant - discordant) / (concordant + discordant))
    if ordered[0]:
        assert value("C / pairs ordered by the truth", pair) == pytest.approx(concordant / ordered[0])
    if all(ordered):
        assert value("somersd(truth, candidate)", pair) == pytest.approx(stats.somersd(x, y).statistic)
        assert value("somersd(candidate, truth)", pair) == pytest.approx(stats.somersd(y, x).statistic)


@given(few.filter(lambda scores: all(len(set(side)) > 1 for side in zip(*scores, strict=True))))
def test_scipys_variants(scores: list[tuple[int, int]]) -> None:
    x, y = np.array(scores, dtype=float).T
    pair = pair_of(x, y)
    expected = {
        "kendalltau(variant='c')": stats.kendalltau(x, y, variant="c"),
        "tau_b(truth, candidate)": stats.kendalltau(x, y),
        "spearman(truth, candidate)": stats.spearmanr(x, y),
        "weighted_tau(truth, candidate)": stats.weightedtau(x, y),
        "weightedtau(truth, candidate, rank=None)": stats.weightedtau(x, y, rank=None),
        "weightedtau(candidate, truth, rank=None)": stats.weightedtau(y, x, rank=None),
        "weightedtau(additive=False)": stats.weightedtau(x, y, additive=False),
    }
    for rule, found in expected.items():
        assert value(rule, pair) == pytest.approx(found.statistic, nan_ok=True), rule
    assert value("pearson squared", pair) == pytest.approx(stats.linregress(x, y).rvalue ** 2)


def test_short_formulas_are_spearman_without_ties_and_not_with_them() -> None:
    x, y = np.random.default_rng(2).random((2, 9))
    pair = pair_of(x, y)
    assert value("1 - 6 sum d^2 / (m^3 - m)", pair) == pytest.approx(stats.spearmanr(x, y).statistic)
    tied = pair_of([4, 3, 2, 1], [2, 2, 2, 1])  # ranks 1 2 3 4 against 2 2 2 4
    assert value("1 - 6 sum d^2 / (m^3 - m)", tied) == pytest.approx(1 - 6 * 2 / 60)


def test_average_overlap() -> None:
    pair = pair_of([4, 3, 2, 1], [3, 4, 1, 2])
    assert value("average overlap", pair) == pytest.approx((0 / 1 + 2 / 2 + 2 / 3 + 4 / 4) / 4)


# Ties ---------------------------------------------------------------------------------------------


def test_ties_by_file_look_at_each_sides_own_file() -> None:
    truth = {"a": 0.5, "b": 0.5, "c": 0.1}
    candidate = {"c": 0.1, "b": 0.5, "a": 0.5}
    made = Sides.of((cc.as_scores(truth), cc.as_scores(candidate))).vectors()
    assert value("tau(truth, candidate), ties by file", made) == pytest.approx(1 / 3)  # a b c against b a c
    assert value("tau(truth, candidate), ties by name", made) == 1
    assert value("tau(truth, candidate), ties by reverse name", made) == 1


def test_ties_by_name_turn_round_with_the_names() -> None:
    truth, candidate = [3, 2, 1], [1, 1, 1]
    assert value("tau(truth, candidate), ties by name", pair_of(truth, candidate, "abc")) == 1
    assert value("tau(truth, candidate), ties by name", pair_of(truth, candidate, "cba")) == -1
    assert value("tau(truth, candidate), ties by reverse name", pair_of(truth, candidate, "abc")) == -1
