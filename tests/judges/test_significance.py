"""Agreement on significance: counted pair by pair with scipy's tests, golden counts, published critical values."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from concordant.judges.significance import significant_pairs

PEOPLE, CAREFUL, HASTY = (cc.load_collection(name) for name in ("people", "careful", "hasty"))


def pvalue(d: Any) -> float:
    """Of one pair, by scipy."""
    d = np.round(d, 12)
    return float(stats.ttest_1samp(d, 0).pvalue) if d.any() else 1.0


def literal(truth: cc.Scores, candidate: cc.Scores, corrected: bool) -> dict[str, int]:
    pairs = list(itertools.combinations(range(len(truth.systems)), 2))
    found = []
    for side in (truth, candidate):
        p = [pvalue(side.values[:, i] - side.values[:, j]) for i, j in pairs]
        if corrected:  # Holm, step by step: the k-th smallest against alpha / (N - k), until one fails
            rejected, order = set(), sorted(range(len(p)), key=p.__getitem__)
            for k, pair in enumerate(order):
                if p[pair] > 0.05 / (len(p) - k):
                    break
                rejected.add(pair)
            significant = [k in rejected for k in range(len(p))]
        else:
            significant = [value <= 0.05 for value in p]
        totals = [math.fsum(column) for column in side.values.T]
        gaps = [round(totals[i] - totals[j], 9) for i, j in pairs]
        found.append([(s, (g > 0) - (g < 0)) for s, g in zip(significant, gaps, strict=True)])
    counts: dict[str, int] = {}
    for (s, a), (t, b) in zip(*found, strict=True):
        kind = ("passive", "mixed", "active")[s + t]
        name = f"{kind}_{'agreements' if a == b else 'disagreements'}"
        counts[name] = counts.get(name, 0) + 1
    return counts


@pytest.mark.long
@pytest.mark.parametrize("candidate", [CAREFUL, HASTY], ids=["careful", "hasty"])
@pytest.mark.parametrize("correction", [None, "holm"])
def test_counted_pair_by_pair(candidate: cc.Scores, correction: Any) -> None:
    found = cc.judges.significance_agreement(PEOPLE, candidate, correction=correction)
    kinds = [f"{kind}_{what}" for kind in ("active", "mixed", "passive") for what in ("agreements", "disagreements")]
    expected = literal(PEOPLE, candidate, correction == "holm")
    assert {name: getattr(found, name) for name in kinds} == {name: expected.get(name, 0) for name in kinds}
    assert sum(getattr(found, name) for name in kinds) == found.n_pairs == 190


def test_golden_counts_of_the_carried_collection() -> None:
    found = cc.judges.significance_agreement(PEOPLE, HASTY)
    assert (found.active_agreements, found.active_disagreements) == (85, 0)
    assert (found.false_negatives, found.false_positives) == (46, 7)  # the mixed ones, by side
    assert (found.passive_agreements, found.passive_disagreements) == (32, 20)
    assert found.mixed_agreements == found.truth_only[0] + found.candidate_only[0]
    assert found.mixed_disagreements == found.truth_only[1] + found.candidate_only[1]
    assert found.significant_truth == 85 + 46
    assert found.significant_candidate == 85 + 7
    assert found.false_positive_rate == 7 / (190 - 131)
    assert found.false_negative_rate == 46 / 131
    assert found.false_discovery_rate == 7 / 92


@pytest.mark.parametrize("correction", [None, "holm"])
def test_the_same_side_twice_and_exchanged_sides(correction: Any) -> None:
    how = {"correction": correction}
    alone = cc.judges.significance_agreement(PEOPLE, PEOPLE, **how)
    assert alone.active_agreements + alone.passive_agreements == alone.n_pairs
    one, other = (
        cc.judges.significance_agreement(PEOPLE, HASTY, **how),
        cc.judges.significance_agreement(HASTY, PEOPLE, **how),
    )
    assert one.truth_only == other.candidate_only
    assert one.candidate_only == other.truth_only
    assert one.active_agreements == other.active_agreements


def test_opposite_sides_disagree_actively() -> None:
    turned = cc.Scores(-PEOPLE.values, PEOPLE.topics, PEOPLE.systems)
    found = cc.judges.significance_agreement(PEOPLE, turned)
    assert found.active_disagreements == found.significant_truth == 131
    assert found.false_discovery_rate == 1


def test_holm_holds_its_level() -> None:
    """No system differs: of 200 collections at most about 5% have any significant pair."""
    rng, found = np.random.default_rng(5), 0
    for _ in range(200):
        values = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1))
        found += int(significant_pairs(values, "holm", 0.05).any())
    assert found <= 21  # 10 expected, standard deviation 3.1


def test_nothing_significant_has_no_rates() -> None:
    rng = np.random.default_rng(6)
    found = cc.judges.significance_agreement(rng.random((4, 3)), rng.random((4, 3)), alpha=1e-9)
    assert found.passive_agreements + found.passive_disagreements == 3
    assert math.isnan(found.false_discovery_rate)
    assert found.to_dict()["false_negative_rate"] is None
    assert found.verdict.startswith("none of 3 pairs differs significantly by candidate's scores")


def test_choices_are_named() -> None:
    with pytest.raises(cc.errors.InputError, match="correction is 'u': use 'holm' or None"):
        cc.judges.significance_agreement(PEOPLE, HASTY, correction="u")
    with pytest.raises(cc.errors.InputError, match="alpha is 2"):
        cc.judges.significance_agreement(PEOPLE, HASTY, alpha=2)


def test_it_prints_verdict_and_counts() -> None:
    found = cc.judges.significance_agreement(PEOPLE, HASTY)
    lines = str(found).splitlines()
    assert lines[0].startswith("people's scores confirm 85 of hasty's 92 significant differences, and contradict 0;")
    assert any(line.split()[-2:] == ["85", "0"] for line in lines)
    assert max(map(len, lines[1:])) <= 80
    assert found.rows()[0]["false_positives"] == 7
