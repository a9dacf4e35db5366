"""Numbers at the ends of floating point: the right value, a warning that says why not, or an error with a way out."""

from __future__ import annotations

import math
import tracemalloc
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant import arrays
from concordant._kernels import reference
from concordant.coefficients import gap
from concordant.ranks.distance import LEAST_EPS
from concordant.read import source
from concordant.read.formats import delimited

pytestmark = pytest.mark.long

NAMES = [c.name for c in cc.list_coefficients()]
RNG = np.random.default_rng(11)
BASE = np.clip(RNG.beta(2, 3, (30, 8)) * 0.5 + np.linspace(0.1, 0.4, 8), 0.01, 1)
OTHER = np.clip(BASE + RNG.normal(0, 0.15, BASE.shape), 0.01, 1)


def scores(values: Any) -> cc.Scores:
    n, m = np.shape(values)
    return cc.Scores(values, topics=range(n), systems=range(m))


# Coefficients -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("power", [-1060, -600, 600, 1023])
def test_coefficients_do_not_depend_on_the_scale(kernels: Any, name: str, power: int) -> None:
    function = cc.get_coefficient(name).function
    truth = np.arange(1, 9) / 16
    candidate = np.array([3, 1, 2, 4, 8, 6, 5, 7]) / 16
    assert function(np.ldexp(truth, power), np.ldexp(candidate, power)) == pytest.approx(
        function(truth, candidate), rel=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_gaps_of_the_smallest_number_count(kernels: Any, name: str) -> None:
    function = cc.get_coefficient(name).function
    truth, candidate = np.array([4, 3, 2, 1, 0]), np.array([3, 4, 1, 2, 0])
    least = 5e-324
    assert function(truth * least, candidate * least) == pytest.approx(function(truth, candidate), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_largest_numbers_of_both_signs(kernels: Any, name: str) -> None:
    """Differences of 2e308 are no floats; those of half the scores are."""
    function = cc.get_coefficient(name).function
    truth, candidate = np.array([1.0, 0.5, -0.25, -1.0]), np.array([0.5, 1.0, -1.0, -0.5])
    assert function(truth * 1.5e308, candidate * 1.5e308) == pytest.approx(function(truth, candidate), rel=1e-12)


def test_tau_gap_of_mixed_sizes_is_what_fractions_give(kernels: Any) -> None:
    truth, candidate = np.array([1e300, 1.0, 1e-300, 0.0, 2.0]), np.array([5.0, 2.0, 3.0, 1.0, 4.0])
    shares: list[Fraction] = []
    order = np.argsort(-candidate)
    for place in range(1, 5):
        i = order[place]
        gaps = [Fraction(truth[j]) - Fraction(truth[i]) for j in order[:place]]
        shares.append(sum((g for g in gaps if g > 0), Fraction(0)) / sum(map(abs, gaps), Fraction(0)))
    assert cc.tau_gap(truth, candidate) == pytest.approx(float(2 * sum(shares) / 4 - 1), rel=1e-12)


# Means --------------------------------------------------------------------------------------------


def test_scores_of_which_sums_are_no_numbers_are_refused() -> None:
    with pytest.raises(cc.errors.InputError, match="at most 1e\\+300"):
        scores(np.full((2, 2), 1e308))
    with pytest.raises(cc.errors.LimitError, match="divide all scores"):
        cc.reliability(np.array([[1e308, 1.0], [1.0, 1e308]]))
    with pytest.raises(cc.errors.LimitError, match="divide all scores"):
        cc.rank_distance(np.array([[1e308, 1.0], [1.0, 1e308], [0.0, 0.0]]), [1, 2])


def test_means_that_rounding_would_tie_are_told() -> None:
    with pytest.warns(cc.errors.DataWarning, match="subtract the same number"):
        scores(1e12 + BASE).means()
    # What is tied but for rounding is a tie, and close means that stay apart are no matter.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores([[0.1, 0.3], [0.2, 0.0]]).means()
        scores([[0.5, 0.5 + 1e-11], [0.5, 0.5]]).means()


# The rank distance --------------------------------------------------------------------------------


def test_variances_that_overflow_are_refused_with_a_way_out() -> None:
    with pytest.raises(cc.errors.LimitError, match="divide all scores by 1e299"):
        cc.rank_distance(scores(BASE * 9e299), OTHER.mean(axis=0))
    assert cc.rank_distance(scores(BASE * 9), OTHER.mean(axis=0)) > 0


def test_a_comparison_goes_on_without_the_rank_test() -> None:
    made = cc.compare(scores(BASE * 1e299), scores(OTHER * 1e299), rng=1, n_resamples=99)
    plain = cc.compare(scores(BASE), scores(OTHER), rng=1, n_resamples=99)
    assert made.rank_test is None
    assert any("no rank test" in note and "divide all scores" in note for note in made.notes)
    assert made["tau_b"] == pytest.approx(plain["tau_b"])


@pytest.mark.parametrize("scale", [1e-5, 1e-30, 1e-200, 5e-324])
def test_eps_that_decides_instead_of_the_topics_is_told(scale: float) -> None:
    with pytest.warns(cc.errors.RegularisationWarning, match=r"eps, not the topics, decides .*multiply all scores"):
        cc.rank_distance(np.maximum(BASE * 64 * scale, 0) if scale == 5e-324 else BASE * scale, OTHER.mean(axis=0))


@pytest.mark.parametrize("scale", [2.0**20, 2.0**40, 2.0**400])
def test_many_systems_with_large_scores(scale: float) -> None:
    """More systems than topics: eps = 1e-5 is nothing beside such variances, and rounding decided, silently."""
    rng = np.random.default_rng(3)
    truth, candidate = rng.random((10, 40)), rng.random(40)
    largest = float(np.var(truth, axis=0, ddof=1).max())
    with pytest.warns(cc.errors.RegularisationWarning):
        expected = cc.rank_distance(truth, candidate, eps=LEAST_EPS * largest)
    with pytest.warns(cc.errors.RegularisationWarning, match="lost in float64"):
        found = cc.rank_distance(truth * scale, candidate)
    assert found == pytest.approx(expected, rel=1e-3)


def test_the_rank_test_of_scores_around_1e12() -> None:
    """Resamples of 50 topics have hardly more topics than the 30 systems, and some fewer."""
    rng = np.random.default_rng(1)
    truth = rng.random((50, 30))
    candidate = (truth + 0.3 * rng.random((50, 30))).mean(axis=0)
    found = cc.rank_test(truth * 1e12, candidate, n_resamples=299, rng=1)
    plain = cc.rank_test(truth, candidate, n_resamples=299, rng=1)
    assert found.distance == pytest.approx(plain.distance, rel=1e-2)
    assert found.pvalue == pytest.approx(plain.pvalue, abs=0.05)


def test_the_twin_says_where_it_found_no_solution() -> None:
    rng = np.random.default_rng(1)
    out, none = np.empty((12, 2)), np.empty((0, 59))
    for _ in range(6):
        values = rng.random((5, 60))
        centred = values - values.mean(axis=0)
        covariance = centred.T @ centred / 4
        candidate = values.mean(axis=0) + rng.normal(0, 0.1, (12, 60))
        reference.rank_distances(covariance, values.mean(axis=0), candidate, 1e-17, out, none, 1)
        assert (out[:, 1] < 0).any()
        assert not (out[out[:, 1] >= 0, 0] == 0).any()  # these rankings are not that of the truth


# Other functions of a collection ------------------------------------------------------------------


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-300, 2.0**300, 2.0**996])
def test_what_does_not_depend_on_the_scale(scale: float) -> None:
    plain, large = scores(BASE), scores(BASE * scale)
    candidate = OTHER.mean(axis=0)
    assert (
        cc.ranks.discriminative_power(large, candidate).to_dict()
        == cc.ranks.discriminative_power(plain, candidate).to_dict()
    )
    for estimator in ("ml", "msqd", "res", "kd"):
        assert cc.expected_correlation(large, coefficient="tau_ap", estimator=estimator).value == pytest.approx(
            cc.expected_correlation(plain, coefficient="tau_ap", estimator=estimator).value, rel=1e-9
        )
    assert cc.rank_intervals(large, rng=1, n_resamples=199).to_dict()["rows"] == [
        row | {"total": pytest.approx(row["total"] * scale)}
        for row in cc.rank_intervals(plain, rng=1, n_resamples=199).to_dict()["rows"]
    ]
    explained, same = cc.explain(large, scores(OTHER * scale)), cc.explain(plain, scores(OTHER))
    assert [(s.system, s.swapped) for s in explained.systems] == [(s.system, s.swapped) for s in same.systems]


def test_systems_that_are_nothing_beside_others() -> None:
    with pytest.warns(cc.errors.DataWarning, match=r"3 systems have scores below 1e-11 times the largest"):
        cc.expected_correlation(scores(BASE[:, :5] * [1e-30, 1e-25, 1e-20, 1.0, 2.0]), estimator="msqd")


def test_scores_that_are_flat_within_their_bounds_are_not_simulated() -> None:
    with pytest.raises(cc.errors.InputError, match=r"closer to them"):
        cc.simulate(scores(BASE * 1e-12), 10, rng=1)
    made = cc.simulate(scores(BASE * 1e-12), 10, rng=1, bounds=(0, 1e-12))
    np.testing.assert_allclose(made.values, cc.simulate(scores(BASE), 10, rng=1).values * 1e-12, rtol=1e-6)


# Sizes --------------------------------------------------------------------------------------------


def holed(given: cc.Scores) -> cc.Scores:
    values = given.values.copy()
    values[0, ::2] = np.nan
    return cc.Scores(values, given.topics, given.systems, missing="available")


ALL_PAIRS: dict[str, tuple[int, Any]] = {
    "rank distance": (5, lambda s: cc.rank_distance(s, s)),
    "its test": (5, lambda s: cc.rank_test(s, s, n_resamples=9)),
    "expected correlation": (4, lambda s: cc.expected_correlation(s, coefficient="tau", estimator="msqd")),
    "discriminative power": (3, lambda s: cc.ranks.discriminative_power(s, s)),
    "explain": (17, lambda s: cc.explain(s, s)),
    "rank intervals": (10, lambda s: cc.rank_intervals(s, n_resamples=99)),
    "rank intervals from estimates": (
        17,
        lambda s: cc.rank_intervals(cc.Means(s.means(), s.systems, errors=np.ones(len(s.systems))), n_resamples=99),
    ),
    "agreement on significance": (5, lambda s: cc.judges.significance_agreement(s, s)),
    "simulation": (7, lambda s: cc.simulate(s, 5)),
    "combined means": (7, lambda s: cc.combine(s.select(topics=s.topics[:7]), s)),
    "rank intervals, scores missing": (15, lambda s: cc.rank_intervals(holed(s), n_resamples=99)),
    "soft pairwise accuracy": (120, lambda s: cc.soft_pairwise_accuracy(s, s, n_resamples=99)),
    "judge card": (120, lambda s: cc.judge_card(s, {"judge": s}, n_resamples=99)),
    "tie calibration on 70 topics": (350, lambda s: cc.judges.tie_calibration(s, s)),
}


@pytest.mark.parametrize("name", list(ALL_PAIRS))
def test_what_needs_all_pairs_says_so_before_memory_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count, call = ALL_PAIRS[name]
    monkeypatch.setattr(arrays, "MAX_PAIRS_BYTES", count * 8 * 60 * 60)
    small = scores(np.random.default_rng(1).random((70, 60)))
    call(small)
    said = rf"holds up to {count} numbers for each pair of 61 systems, .* GiB.*MAX_PAIRS_BYTES"
    with pytest.raises(cc.errors.LimitError, match=said):
        call(scores(np.random.default_rng(1).random((70, 61))))


@pytest.mark.parametrize(
    "name",
    [
        "rank intervals",
        "rank intervals, scores missing",
        "discriminative power",
        "agreement on significance",
        "combined means",
    ],
)
def test_no_more_is_held_for_all_pairs_than_is_counted(name: str) -> None:
    count, call = ALL_PAIRS[name]
    values = np.random.default_rng(1).random((10, 500))
    call(scores(values[:, :20]))  # what is imported or kept for the next call is not for pairs
    tracemalloc.start()
    call(scores(values))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.5 * count < most / (8 * 500 * 500) < count


def test_ties_that_would_take_hours_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gap, "_MOST_TIED", 10)
    truth = np.random.default_rng(1).random(30)
    assert math.isfinite(cc.get_coefficient("tau_gap_a")(truth, [0] * 10 + list(range(1, 21))))
    with pytest.raises(cc.errors.LimitError, match=r"groups of up to 11 tied systems.*use tau_ap_b"):
        cc.get_coefficient("tau_gap_a")(truth, [0] * 11 + list(range(1, 20)))
    made = cc.compare({str(k): x for k, x in enumerate(truth)}, {str(k): max(0, k - 10) for k in range(30)})
    assert math.isnan(made["tau_gap_a"])
    assert made["tau_b"] == cc.tau_b(truth, [max(0, k - 10) for k in range(30)])


@pytest.mark.parametrize("values", [[[0.5]], [[0.5, 0.25]], [[0.5], [0.25]]])
def test_one_topic_or_one_system(values: Any) -> None:
    """A value, or an error of our own."""
    given = scores(values)
    for call in (
        lambda: cc.compare(given, given, rng=1),
        lambda: cc.correlate(given, given, coefficient="tau_b", rng=1),
        lambda: cc.reliability(given),
        lambda: cc.rank_test(given, given),
        lambda: cc.rank_intervals(given),
        lambda: cc.explain(given, given),
        lambda: cc.plan_topics(given, coefficient="tau", target=0.9),
        lambda: cc.simulate(given, 5, rng=1),
        lambda: cc.ranks.discriminative_power(given, given),
        lambda: cc.permutation_test(given.means(), given.means(), coefficient="tau_b", rng=1),
        lambda: cc.rank_judges(given, {"a": given, "b": given}, rng=1),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", cc.errors.UndefinedCorrelationWarning)
            warnings.simplefilter("ignore", cc.errors.RegularisationWarning)
            refused = ""
            try:
                call()
            except cc.ConcordantError as error:
                refused = str(error)
            assert not refused or any(word in refused for word in ("at least", "only 1", "undefined"))


def test_math_is_not_fooled_by_subnormal_means() -> None:
    assert scores([[5e-324, 0.0]]).means().tolist() == [5e-324, 0.0]
    assert math.isclose(scores([[5e-324 * 3, 0.0], [5e-324, 0.0]]).means()[0], 1e-323)


def test_the_page_of_limits_is_true() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "limits.md").read_text()
    for name, (count, _) in ALL_PAIRS.items():
        most = math.isqrt(arrays.MAX_PAIRS_BYTES // (8 * count))
        assert f"| {name} | {count} | {most:,} |" in page
    assert arrays.MAX_PAIRS_BYTES == 4 * 2**30
    assert source.MAX_BYTES == 2**30
    assert source.JSON_SHARE == 4
    assert source.most_bytes(source.LINE_SHARE) == 16 * 2**20
    assert f"{delimited.MAX_CELLS:,} cells" in page
    assert f"{source.MAX_FILES:,} |" in page
    assert "at least 1e-11 of the largest variance" in page
    assert LEAST_EPS == 1e-11
