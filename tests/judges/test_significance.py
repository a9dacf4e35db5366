"""Agreement on significance: counted pair by pair with scipy's tests, golden counts, published critical values."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from concordant.inference.resampling import Resampling
from concordant.judges.significance import _critical, significant_pairs, tukey, wilcoxon_pvalues

PEOPLE, CAREFUL, HASTY = (cc.load_collection(name) for name in ("people", "careful", "hasty"))


def pvalue(d: Any, test: str) -> float:
    """Of one pair, by scipy."""
    d = np.round(d, 12)
    if not d.any():
        return 1.0
    if test == "t":
        return float(stats.ttest_1samp(d, 0).pvalue)
    tied = len(set(np.abs(d).tolist())) < len(d) or not d.all()
    return float(stats.wilcoxon(d, method="asymptotic" if tied or len(d) > 50 else "exact").pvalue)


def literal(truth: cc.Scores, candidate: cc.Scores, test: str, corrected: bool) -> dict[str, int]:
    pairs = list(itertools.combinations(range(len(truth.systems)), 2))
    found = []
    for side in (truth, candidate):
        p = [pvalue(side.values[:, i] - side.values[:, j], test) for i, j in pairs]
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
@pytest.mark.parametrize("test", ["t", "wilcoxon"])
@pytest.mark.parametrize("correction", [None, "holm"])
def test_counted_pair_by_pair(candidate: cc.Scores, test: Any, correction: Any) -> None:
    found = cc.judges.significance_agreement(PEOPLE, candidate, test=test, correction=correction)
    kinds = [f"{kind}_{what}" for kind in ("active", "mixed", "passive") for what in ("agreements", "disagreements")]
    expected = literal(PEOPLE, candidate, test, correction == "holm")
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


@pytest.mark.parametrize(("test", "correction"), [("t", None), ("t", "holm"), ("t", "tukey"), ("permutation", None),
                                                  ("permutation", "holm"), ("wilcoxon", "holm")])  # fmt: skip
def test_the_same_side_twice_and_exchanged_sides(test: Any, correction: Any) -> None:
    how = {"test": test, "correction": correction, "n_resamples": 500, "rng": 3}
    alone = cc.judges.significance_agreement(PEOPLE, PEOPLE, **how)
    assert alone.active_agreements + alone.passive_agreements == alone.n_pairs
    assert alone.best == alone.truth_best
    assert alone.better_than_best == 0
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
    assert found.false_best_rate == 1
    worst = PEOPLE.systems[int(PEOPLE.means().argmin())]
    assert found.best == (worst,)
    below = [pvalue(PEOPLE.values[:, k] - PEOPLE.values[:, PEOPLE.systems.index(worst)], "t") for k in range(20)]
    assert found.better_than_best == found.best_wins == sum(p <= 0.05 for p in below)


@pytest.mark.parametrize(
    ("m", "freedom", "expected"), [(2, 10, 3.151), (3, 10, 3.877), (5, 20, 4.232), (10, 30, 4.824), (20, 60, 5.241)]
)
def test_critical_values_are_those_of_printed_tables(m: int, freedom: int, expected: float) -> None:
    assert _critical(0.05, m, freedom) == pytest.approx(expected, abs=6e-4)


def test_tukey_against_a_fit_of_the_two_way_layout() -> None:
    """The error is that of a least-squares fit of topic and system effects; for two systems it is the paired t-test."""
    values = PEOPLE.values[:, :6]
    n, m = values.shape
    design = np.zeros((n * m, n + m))
    for k, (i, j) in enumerate(itertools.product(range(n), range(m))):
        design[k, i] = design[k, n + j] = 1
    fitted = design @ np.linalg.lstsq(design, values.ravel(), rcond=None)[0]
    error = math.sqrt(((values.ravel() - fitted) ** 2).sum() / ((n - 1) * (m - 1)) / n)
    means = values.mean(axis=0)
    p = [
        stats.studentized_range.sf(abs(means[i] - means[j]) / error, m, (n - 1) * (m - 1))
        for i, j in itertools.combinations(range(m), 2)
    ]
    for alpha in (0.01, 0.05, 0.3):
        assert tukey(values, alpha).tolist() == [value <= alpha for value in p]
    for k in range(1, 10):
        two = PEOPLE.values[:, [0, k]]
        assert tukey(two, 0.05).tolist() == [pvalue(two[:, 0] - two[:, 1], "t") <= 0.05]


def test_holm_holds_its_level() -> None:
    """No system differs: of 200 collections at most about 5% have any significant pair."""
    rng, how = np.random.default_rng(5), Resampling.of(199, 1)
    found = 0
    for _ in range(200):
        values = rng.exponential(size=(12, 4)) + rng.normal(size=(12, 1))
        found += int(significant_pairs(values, "permutation", "holm", 0.05, how).any())
    assert found <= 21  # 10 expected, standard deviation 3.1


def test_permutation_test_by_all_signs() -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(0, 11, (7, 4)) / 10 + np.array([0, 0, 0.3, 0.6])
    found = significant_pairs(values, "permutation", None, 0.1, Resampling.of(128, 1))
    expected = []
    for i, j in itertools.combinations(range(4), 2):
        d = np.round(values[:, i] - values[:, j], 9)
        totals = [round(float(np.dot(signs, d)), 9) for signs in itertools.product((1, -1), repeat=7)]
        tails = min(
            sum(t >= round(float(d.sum()), 9) for t in totals), sum(t <= round(float(d.sum()), 9) for t in totals)
        )
        expected.append(min(1.0, 2 * tails / 128) <= 0.1)
    assert found.tolist() == expected
    assert len(set(expected)) == 2


def test_wilcoxon_of_identical_systems_and_of_many_topics() -> None:
    rng = np.random.default_rng(4)
    values = rng.random((60, 3))
    values[:, 1] = values[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = wilcoxon_pvalues(values)
    assert p[0] == 1
    assert p[1] == p[2] == pytest.approx(stats.wilcoxon(values[:, 0] - values[:, 2], method="asymptotic").pvalue)


def test_nothing_significant_has_no_rates() -> None:
    rng = np.random.default_rng(6)
    found = cc.judges.significance_agreement(rng.random((4, 3)), rng.random((4, 3)), alpha=1e-9)
    assert found.passive_agreements + found.passive_disagreements == 3
    assert math.isnan(found.false_discovery_rate)
    assert found.to_dict()["false_negative_rate"] is None
    assert found.verdict.startswith("candidate finds none of 3 pairs significantly different")


def test_choices_are_named() -> None:
    with pytest.raises(cc.errors.InputError, match="test is 'u': use 't', 'permutation' or 'wilcoxon'"):
        cc.judges.significance_agreement(PEOPLE, HASTY, test="u")
    with pytest.raises(cc.errors.InputError, match="'wilcoxon', which has no Tukey HSD: use correction='holm'"):
        cc.judges.significance_agreement(PEOPLE, HASTY, test="wilcoxon", correction="tukey")
    with pytest.raises(cc.errors.InputError, match="alpha is 2"):
        cc.judges.significance_agreement(PEOPLE, HASTY, alpha=2)


def test_it_prints_verdict_and_counts() -> None:
    found = cc.judges.significance_agreement(PEOPLE, HASTY)
    lines = str(found).splitlines()
    assert lines[0].startswith("truth confirms 85 of 92 significant differences of candidate, and contradicts 0;")
    assert any(line.split()[-2:] == ["85", "0"] for line in lines)
    assert max(map(len, lines[1:])) <= 80
    assert found.rows()[0]["false_positives"] == 7
