"""Properties that the registry claims, checked for every coefficient that it lists."""

from __future__ import annotations

import inspect
import math
import re
import types
import warnings
from typing import Any, get_args

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

import concordant as cc
from concordant.coefficients import correlations, gap, overlap, tau
from concordant.coefficients.registry import Coefficient, Headline, headlines

from ..examples import share

COEFFICIENTS = {c.name: c for c in cc.list_coefficients()}
every = pytest.mark.parametrize("c", COEFFICIENTS.values(), ids=COEFFICIENTS)

pytestmark = pytest.mark.usefixtures("kernels")


def test_every_public_coefficient_has_an_entry() -> None:
    public = {
        name
        for module in (correlations, gap, overlap, tau)
        for name, function in vars(module).items()
        if isinstance(function, types.FunctionType)
        and function.__module__ == module.__name__
        and not name.startswith("_")
    }
    assert public == set(COEFFICIENTS)


@every
def test_entries_tell_the_truth_about_the_function(c: Coefficient) -> None:
    assert getattr(cc, c.name, c.function) is c.function
    parameters = list(inspect.signature(c.function).parameters.values())
    assert [p.name for p in parameters[:2]] == ["truth", "candidate"]
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters[2:])
    assert cc.get_coefficient(c.name) is c


@every
def test_docstrings_are_complete(c: Coefficient) -> None:
    """Most have the sections that all share from `coefficients/public.py`."""
    doc = inspect.getdoc(c.function) or ""
    headings = re.findall(r"^(\w+)\n-{4,}$", doc, re.MULTILINE)
    assert [h for h in headings if h != "Raises"] == ["Parameters", "Returns", "References", "Examples"]
    parameters = doc.partition("Parameters\n")[2].partition("\n\nReturns\n")[0]
    described = [name for names in re.findall(r"^(\w.*?) : ", parameters, re.MULTILINE) for name in names.split(", ")]
    assert described == list(inspect.signature(c.function).parameters)
    assert ("nan, with an `UndefinedCorrelationWarning`" in " ".join(doc.split())) == bool(c.undefined)
    assert ">>> " in doc
    assert max(map(len, doc.splitlines())) <= 120


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(cc.errors.InputError, match=r"'tau_x'.*tau_ap"):
        cc.get_coefficient("tau_x")
    with pytest.raises(cc.errors.InputError, match=r"'agreement': choose from tau, .*tau_ap"):
        cc.get_coefficient("agreement")


def scores(c: Coefficient, side: str, m: int) -> Any:
    """Vectors of m scores, with ties where the coefficient admits them."""
    fine = st.lists(st.integers(-1000, 1000), min_size=m, max_size=m, unique=side not in c.ties)
    coarse = st.lists(st.integers(0, 3), min_size=m, max_size=m)
    return (fine | coarse if side in c.ties else fine).map(lambda v: np.array(v) / 8)


def cases(c: Coefficient, least: int = 2) -> Any:
    sizes = st.integers(least, 9 if c.name == "tau_gap_a" else 24)
    return sizes.flatmap(lambda m: st.tuples(scores(c, "truth", m), scores(c, "candidate", m)))


def value(c: Coefficient, truth: Any, candidate: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cc.errors.UndefinedCorrelationWarning)
        return float(c.function(truth, candidate))


def same(a: float, b: float, tolerance: float = 1e-12) -> bool:
    return abs(a - b) <= tolerance or (math.isnan(a) and math.isnan(b))


@every
def test_range(c: Coefficient) -> None:
    @given(cases(c))
    @share(0.3)
    def check(case: Any) -> None:
        v = value(c, *case)
        assert math.isnan(v) or c.range[0] - 1e-12 <= v <= c.range[1] + 1e-12

    check()


@every
def test_relabelling_changes_nothing(c: Coefficient) -> None:
    @given(cases(c), st.randoms(use_true_random=False))
    @share(0.3)
    def check(case: Any, random: Any) -> None:
        order = list(range(len(case[0])))
        random.shuffle(order)
        assert same(value(c, *case), value(c, case[0][order], case[1][order]))

    check()


@every
def test_symmetry_is_as_claimed(c: Coefficient) -> None:
    differences = []

    @given(cases(c))
    @share(0.5)
    def check(case: Any) -> None:
        assume(len(c.ties) == 2 or all(len(set(side)) == len(side) for side in case))
        one, other = value(c, *case), value(c, case[1], case[0])
        if c.symmetric:
            assert same(one, other)
        differences.append(not same(one, other))

    check()
    if c.name != "tau_a":  # symmetric wherever both directions are allowed
        assert any(differences) != c.symmetric


@every
def test_increasing_transforms_change_nothing_where_only_the_order_counts(
    c: Coefficient,
) -> None:
    @given(cases(c))
    @share(0.3)
    def check(case: Any) -> None:
        sides = []
        for side, reads in zip(case, c.reads, strict=True):
            sides.append(np.sign(side) * np.abs(side) ** 3 - 5 if reads == "order" else 2 * side + 3)
        assert same(value(c, *case), value(c, *sides), 1e-9)

    check()


@every
def test_scores_count_where_claimed(c: Coefficient) -> None:
    truth, candidate = np.array([9.0, 7, 6, 2, 1]), np.array([5.0, 3, 9, 1, 4])
    moved = np.array([0.0, 0.5, 0.2, 0.1, 0.3])
    assert (value(c, truth, candidate) == value(c, truth + moved, candidate)) == (c.reads[0] == "order")
    assert (value(c, truth, candidate) == value(c, truth, candidate + moved)) == (c.reads[1] == "order")


@every
def test_identity_gives_one(c: Coefficient) -> None:
    @given(cases(c, least=3))
    @share(0.3)
    def check(case: Any) -> None:
        truth = case[0]
        if c.name in ("tau_gap", "tau_gap_a", "rbo"):  # a tie is an average over orders here, or not allowed
            assume(len(set(truth)) == len(truth))
        v = value(c, truth, truth)
        exact = c.name not in ("spearman", "pearson", "weighted_tau")  # scipy's
        assert math.isnan(v) or (v == 1 if exact else v == pytest.approx(1, abs=1e-12))
        assert len(set(truth)) <= 2 or not math.isnan(v)

    check()


@every
def test_reversal_gives_the_lower_end(c: Coefficient) -> None:
    truth = np.array([0.9, 0.75, 0.5, 0.375, 0.125])
    if c.name != "rbo":
        assert value(c, truth, -truth) == pytest.approx(c.range[0], abs=1e-15)


@every
def test_batch_equals_loop(c: Coefficient) -> None:
    rng = np.random.default_rng(3)
    for m in (5, 40, 600):
        if c.name == "tau_gap_a" and m > 5:
            continue
        truth = np.array([rng.permutation(m) for _ in range(3)], dtype=float)
        candidate = np.array([rng.permutation(m) for _ in range(12)], dtype=float)
        if "candidate" in c.ties:
            candidate[::2] = np.floor(candidate[::2] / 2)
        if "truth" in c.ties:
            truth[1] = np.floor(truth[1] / 2)
        expected = np.array([[value(c, t, o) for o in candidate] for t in truth])
        one_truth = c.function(truth[0], candidate)
        assert one_truth.shape == (12,)
        np.testing.assert_allclose(one_truth, expected[0], atol=1e-13)
        np.testing.assert_allclose(c.function(truth[:, None], candidate[None]), expected, atol=1e-13)
        np.testing.assert_allclose(c.function(truth[None], candidate[:, None]), expected.T, atol=1e-13)
        np.testing.assert_allclose(
            c.function(truth[:, None, None], candidate.reshape(4, 3, m)), expected.reshape(3, 4, 3), atol=1e-13
        )
        assert c.function(truth[0], candidate[:1]).shape == (1,)
        assert c.function(truth[0], candidate[:0]).shape == (0,)
        assert isinstance(c.function(truth[0], candidate[0]), float)


@pytest.mark.parametrize(
    "c", [c for c in COEFFICIENTS.values() if "workers" in inspect.signature(c.function).parameters]
)
@pytest.mark.parametrize("workers", [2, 3, 64])
def test_any_number_of_workers_gives_the_same_bits(c: Coefficient, workers: int) -> None:
    rng = np.random.default_rng(9)
    truth, candidate = rng.random((4, 1, 50)), rng.random((25, 50))
    np.testing.assert_array_equal(c.function(truth, candidate), c.function(truth, candidate, workers=workers))


@every
def test_without_ties_the_variants_agree(c: Coefficient) -> None:
    rng = np.random.default_rng(4)
    truth, candidate = rng.random((2, 30))
    base = {
        "tau_a": "tau",
        "tau_b": "tau",
        "tau_strict": "tau",
        "tau_ap_a": "tau_ap",
        "tau_ap_ties": "tau_ap",
        "tau_ap_strict": "tau_ap",
        "tau_ap_b": "tau_ap_symmetric",
        "tau_gap_a": "tau_gap",
    }.get(c.name, c.name)
    assert value(c, truth, candidate) == pytest.approx(value(COEFFICIENTS[base], truth, candidate), abs=1e-15)
    if "tolerance" in inspect.signature(c.function).parameters:
        tiny = c.function(truth, candidate, tolerance=1e-12)
        assert tiny == pytest.approx(value(c, truth, candidate), abs=1e-15)


@every
def test_attempt_says_what_the_function_raises_or_warns_of(c: Coefficient) -> None:
    free, tied, flat = [4, 3, 2, 1], [3, 3, 2, 1], [1, 1, 1, 1]
    for truth, candidate in [(free, free), (tied, free), (free, tied), (flat, free), (free, flat)]:
        value, why = c.attempt(truth, candidate)
        sides = {"truth": truth, "candidate": candidate}
        refused = [side for side, given in sides.items() if side not in c.ties and len(set(given)) < 4]
        if refused:
            assert why == f"ties in {refused[0]}"
            assert math.isnan(value)
            with pytest.raises(cc.errors.TiesError) as error:
                c.function(truth, candidate)
            assert error.value.side == refused[0]
            continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            expected = c.function(truth, candidate)
        assert value == expected or (math.isnan(value) and math.isnan(expected))
        assert bool(why) == math.isnan(value) == bool(caught)
        assert all(str(warning.message) == f"undefined, so nan: {why}" for warning in caught)
        assert not why or why == c.undefined


@every
def test_what_entries_say_of_each_other(c: Coefficient) -> None:
    rng = np.random.default_rng(5)
    truth, candidate = rng.random((2, 12))
    assert bool(c.with_ties) == (len(c.ties) < 2)
    if c.with_ties:
        assert len(COEFFICIENTS[c.with_ties].ties) == 2
        assert value(c, truth, candidate) == pytest.approx(value(COEFFICIENTS[c.with_ties], truth, candidate))
    if c.null:
        assert value(c, truth, candidate) == pytest.approx(value(COEFFICIENTS[c.null], truth, candidate), abs=1e-15)
    if c.bounds:
        bounds = cc.tie_bounds(truth, candidate, coefficient=c.bounds)
        assert bounds.minimum == bounds.maximum == value(COEFFICIENTS[c.bounds], truth, candidate)
    assert c.headline is None or len(c.ties) == 2


def test_headlines_hold_each_other() -> None:
    main, inferred, table = (headlines(kind) for kind in get_args(Headline))
    assert set(main) < set(inferred) < set(table) < set(COEFFICIENTS)
    assert main == ("tau_b", "tau_ap_b")


@every
def test_on_threads_it_is_the_same_and_silent(c: Coefficient) -> None:
    rng = np.random.default_rng(5)
    truth, batch = np.arange(8.0), rng.permuted(np.tile(np.arange(8.0), (20, 1)), axis=1)
    expected = c.function(truth, batch)
    for threads in (1, 3):
        formula = c.on_threads(threads)
        np.testing.assert_array_equal(formula(truth, batch), expected)
        if c.undefined:
            assert np.isnan(formula(truth * 0, batch)).all()
