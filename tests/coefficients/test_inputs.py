"""Bad input: one clear error each. Unusual input: the right value. Inputs are never changed."""

from __future__ import annotations

import decimal
import pickle
import subprocess
import sys
import warnings
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc
from concordant.coefficients.registry import Coefficient

COEFFICIENTS = {c.name: c for c in cc.list_coefficients()}
every = pytest.mark.parametrize("c", COEFFICIENTS.values(), ids=COEFFICIENTS)
NAMES = ["bm25", "dense", "hybrid"]
GOOD = [0.3, 0.1, 0.2]

pytestmark = pytest.mark.usefixtures("kernels")


@every
@pytest.mark.parametrize("side", ["truth", "candidate"])
@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        ([0.1, float("nan"), 0.2], cc.errors.InputError, r"\[1\] is nan.*finite"),
        ([0.1, 0.2, float("-inf")], cc.errors.InputError, r"\[2\] is -inf.*finite"),
        ([0.1, 0.2], cc.errors.InputError, r"has 3 systems.*has 2|has 2 systems.*has 3"),
        (NAMES, cc.errors.InputTypeError, "'bm25'"),
        (tuple(NAMES), cc.errors.InputTypeError, "'bm25'"),
        ("bm25", cc.errors.InputTypeError, "str"),
        (np.array(NAMES, dtype=object), cc.errors.InputTypeError, "'bm25'"),
        (np.array([1, 2, 3j]), cc.errors.InputTypeError, "complex"),
        ([decimal.Decimal(1), decimal.Decimal(2), decimal.Decimal(3)], cc.errors.InputTypeError, "Decimal"),
        ([1.0, None, 2], cc.errors.InputTypeError, r"None at \[1\]"),
        ([1, 2**2000, 3], cc.errors.InputTypeError, r"at \[1\]"),
        (bytearray(b"abc"), cc.errors.InputTypeError, "bytearray"),
        ([pd.Series(GOOD)], cc.errors.InputError, "Series.*DataFrame"),
        ([np.ma.masked_array([1.0, 2, 3], mask=[False, True, False])], cc.errors.InputError, "masked"),
        (np.array(["2024-01-01"] * 3, dtype="datetime64[D]"), cc.errors.InputTypeError, "datetime64"),
        (3.0, cc.errors.InputTypeError, "single value"),
        (iter([1.0, 2.0, 3.0]), cc.errors.InputTypeError, "iterator"),
        ({1.0, 2.0, 3.0}, cc.errors.InputTypeError, "set"),
        ([[1, 2, 3], [1, 2]], cc.errors.InputError, "unequal length"),
        (np.ma.masked_array([1.0, 2, 3], mask=[False, True, False]), cc.errors.InputError, "masked"),
        (np.array([2**60, 2**60 + 1, 5]), cc.errors.InputError, "float64 cannot hold"),
    ],
)
def test_refused(c: Coefficient, side: str, bad: Any, error: type[Exception], says: str) -> None:
    arguments = {"truth": GOOD, "candidate": GOOD, side: bad}
    with pytest.raises(error, match=says) as caught:
        c.function(**arguments)
    assert side in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, cc.ConcordantError)


@every
def test_too_few_systems(c: Coefficient) -> None:
    for few in ([], [1.0], np.empty((4, 0)), np.ones((4, 1))):
        with pytest.raises(cc.errors.InputError, match="at least 2"):
            c.function(few, few)


@every
def test_mappings(c: Coefficient) -> None:
    mapping = dict(zip(NAMES, GOOD, strict=True))
    if c.name == "rbo":
        assert c.function(mapping, mapping) == 1
    else:
        with pytest.raises(cc.errors.InputTypeError, match="sorted"):
            c.function(mapping, mapping)


@every
def test_shapes_that_do_not_broadcast(c: Coefficient) -> None:
    with pytest.raises(cc.errors.InputError, match=r"\(2, 3\).*\(4, 3\)"):
        c.function(np.ones((2, 3)), np.ones((4, 3)))


def test_nan_in_a_batch_is_named_by_its_place() -> None:
    batch = np.random.default_rng(0).random((4, 5))
    batch[2, 3] = np.nan
    with pytest.raises(cc.errors.InputError, match=r"candidate\[2, 3\] is nan"):
        cc.tau_ap(np.arange(5), batch)


@pytest.mark.parametrize("workers", [0, -1, 1.0, 1.5, "2", None, True, np.array([1, 2])])
def test_workers(workers: Any) -> None:
    for candidate in (GOOD, [GOOD, GOOD]):
        with pytest.raises(cc.errors.InputError, match="workers"):
            cc.tau(GOOD, candidate, workers=workers)


def test_more_workers_than_can_be() -> None:
    batch = np.random.default_rng(0).random((300, 5))
    expected = cc.tau(batch[0], batch)
    for workers in (1000, 2**40, int(np.int64(3))):
        np.testing.assert_array_equal(cc.tau(batch[0], batch, workers=workers), expected)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the memory as Linux does")
def test_threads_that_cannot_be_started_are_done_without() -> None:
    code = """
import resource, numpy as np, concordant as cc
batch = np.random.default_rng(0).random((200, 5))
expected = cc.tau_b(batch[0], batch, workers=2)
distances = cc.rank_distance(batch[:50], batch, workers=2)
size = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (size + 20_000_000,) * 2)
assert (cc.tau_b(batch[0], batch, workers=64) == expected).all()
assert (cc.rank_distance(batch[:50], batch, workers=64) == distances).all()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("tolerance", [-0.1, float("nan"), float("inf"), "0.1", None, True, 10**400, 1j, np.ones(2)])
def test_tolerance(tolerance: Any) -> None:
    for c in COEFFICIENTS.values():
        if "tolerance" in signature(c.function).parameters:
            with pytest.raises(cc.errors.InputError, match="tolerance"):
                c.function(GOOD, GOOD, tolerance=tolerance)


def test_tolerance_in_a_batch_and_at_its_largest() -> None:
    truth, batch = [0.1, 0.2, 0.4, 0.8], [[0.3, 0.1, 0.2, 0.9], [0.1, 0.15, 0.5, 0.45]]
    for c in COEFFICIENTS.values():
        if "tolerance" in signature(c.function).parameters:
            found = np.asarray(c.function(truth, batch, tolerance=0.15))
            assert found.tolist() == [c.function(truth, row, tolerance=0.15) for row in batch]
            assert found.tolist() != np.asarray(c.function(truth, batch)).tolist()
    with pytest.warns(cc.errors.UndefinedCorrelationWarning):
        assert np.isnan(cc.tau_b(truth, truth, tolerance=sys.float_info.max))  # everything is tied


def test_the_first_tie_is_named() -> None:
    with pytest.raises(cc.errors.TiesError, match=r"candidate\[0\] and candidate\[3\] are tied \(both 5\)"):
        cc.tau([1, 2, 3, 4], [5, 1, 1, 5])
    with pytest.raises(
        cc.errors.TiesError, match=r"candidate\[1\] and candidate\[2\] are tied \(both 0.30000000000000004\)"
    ):
        cc.tau([1, 2, 3, 4], [0.3, 0.1 + 0.2, 0.1 + 0.2, 0.5])


def test_what_is_no_number_is_shown() -> None:
    end = ": pass numbers, one score for each system in the same order on both sides, higher is better. "
    cases: tuple[tuple[Any, str], ...] = (
        (np.array([1, 2, 3j]), "truth holds values of type complex128, such as (1+0j)"),
        (np.zeros((0, 3), complex), "truth holds values of type complex128"),
        ([0.5, "b", 1], "truth holds 'b' at [1], which is not a real number that float64 can hold"),
        (np.array(["a", "b"]), "truth holds 'a' at [0], which is not a real number that float64 can hold"),
        ([[1, 2], [3, None]], "truth holds None at [1, 1], which is not a real number that float64 can hold"),
        ([[1, 2], [3, 10**400]], f"truth holds {10**400} at [1, 1], which is not a real number that float64 can hold"),
    )
    for bad, what in cases:
        with pytest.raises(cc.errors.InputTypeError) as caught:
            cc.tau(bad, GOOD)
        assert str(caught.value).startswith(what + end)
    with pytest.raises(cc.errors.InputError) as not_finite:
        cc.tau([GOOD, [1, 2, float("nan")]], GOOD)
    assert str(not_finite.value) == (
        "truth[1, 2] is nan: every score must be a finite number; leave out the system on both sides, or give its "
        "missing topics a score first"
    )


@pytest.mark.parametrize("c", [c for c in COEFFICIENTS.values() if len(c.ties) < 2], ids=lambda c: c.name)
def test_ties_where_none_are_allowed(c: Coefficient) -> None:
    tied = [0.5, 0.25, 0.5, 0.125]
    free = [0.4, 0.3, 0.2, 0.1]
    for side in {"truth", "candidate"} - set(c.ties):
        with pytest.raises(cc.errors.TiesError) as caught:
            c.function(**{"truth": free, "candidate": free, side: tied})
        message = str(caught.value)
        assert f"{side}[0] and {side}[2] are tied (both 0.5), and {c.name} is not defined" in message
        assert f" for ties in {side}: " in message
        error = caught.value
        assert (error.coefficient, error.side, error.positions, error.score) == (c.name, side, ((0,), (2,)), 0.5)
        assert str(pickle.loads(pickle.dumps(error))) == message
        assert error.admits
        for other in error.admits:
            assert other in message
            COEFFICIENTS[other].function(**{"truth": free, "candidate": free, side: tied})
        with pytest.raises(cc.errors.TiesError, match=rf"{side}\[1, 0\] and {side}\[1, 2\]"):
            c.function(**{"truth": free, "candidate": free, side: [free, tied]})


@every
def test_kinds_of_numbers(c: Coefficient) -> None:
    truth, candidate = np.array([8, 3, 5, 1, 7]), np.array([5, 3, 7, 2, 6])
    expected = c.function(truth.astype(float), candidate.astype(float))
    assert isinstance(expected, float)
    wide = np.zeros((5, 3))
    wide[:, 1] = candidate
    for t, o in (
        (truth, candidate),
        (truth.tolist(), tuple(candidate.tolist())),
        (truth.astype(np.int8), candidate.astype(np.uint64)),
        (truth.astype(np.float32), candidate.astype(np.float16)),
        (truth[::-1][::-1], wide[:, 1]),
        (pd.Series(truth, index=list("abcde")), pd.Series(candidate, index=list("abcde"))),
        (pd.Series(truth), candidate),
        (truth.astype(">f8"), candidate.astype(np.longdouble)),
        (np.ma.masked_array(truth, mask=False), candidate),
        (range(1, 6), candidate),
    ):
        if isinstance(t, range):
            assert c.function(t, o) == c.function(list(t), o)
        else:
            assert c.function(t, o) == expected


@every
def test_labels_in_another_order_are_not_compared_by_position(c: Coefficient) -> None:
    truth = pd.Series(GOOD, index=NAMES)
    with pytest.raises(cc.errors.InputError, match=r"another order.*candidate\[truth.index\]"):
        c.function(truth, truth.iloc[::-1])


@every
def test_inputs_are_never_changed(c: Coefficient) -> None:
    truth = np.random.default_rng(1).random((2, 1, 6))
    candidate = np.random.default_rng(2).random((3, 6))
    before = truth.copy(), candidate.copy()
    truth.flags.writeable = candidate.flags.writeable = False
    c.function(truth, candidate)
    c.function(truth[0, 0], candidate[0])
    np.testing.assert_array_equal(truth, before[0])
    np.testing.assert_array_equal(candidate, before[1])


@every
def test_extreme_numbers(c: Coefficient) -> None:
    truth, candidate = np.array([8.0, 3, 5, 1, 7]), np.array([5.0, 3, 7, 2, 6])
    expected = c.function(truth, candidate)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for factor in (2.0**-1060, 2.0**-500, 2.0**500, 2.0**1020):
            assert c.function(truth * factor, candidate) == pytest.approx(expected, rel=1e-12)
            assert c.function(truth, candidate * factor) == pytest.approx(expected, rel=1e-12)
    if len(c.ties) == 2:
        zeros, negative = [0.0, 0.0, 1.0, 2.0, 3.0], [0.0, -0.0, 1.0, 2.0, 3.0]
        assert c.function(negative, candidate) == c.function(zeros, candidate)
        assert c.function(candidate, negative) == c.function(candidate, zeros)


def test_labels_that_differ() -> None:
    truth = pd.Series(GOOD, index=NAMES)
    with pytest.raises(cc.errors.InputError, match=r"'hybrid' is on one side.*intersection"):
        cc.tau_b(truth, pd.Series(GOOD, index=[*NAMES[:2], "other"]))
    frame = pd.DataFrame([GOOD, GOOD], columns=NAMES[::-1])
    with pytest.raises(cc.errors.InputError, match=r"candidate\[truth.index\]"):
        cc.tau_b(truth, frame)
    assert np.shape(cc.tau_b(truth, frame[truth.index])) == (2,)
    with pytest.raises(cc.errors.InputError, match=r"candidate\[truth.columns\]"):
        cc.tau_b(frame, truth)


def test_huge_ties_raise_and_do_not_warn() -> None:
    with pytest.raises(cc.errors.TiesError):
        cc.tau([1.7e308, -1.7e308, 1.7e308], [1, 2, 3])
    with pytest.raises(cc.errors.InputError, match="float64 cannot hold"):
        cc.tau(np.array([1, 2, 3], np.longdouble) * np.longdouble("1e4000"), [1, 2, 3])


def test_tie_bounds_refuse_other_coefficients() -> None:
    for bad in ("tau_b", None, cc.tau, ["tau"]):
        with pytest.raises(cc.errors.InputError, match=r"tau_ap|give a string"):
            cc.tie_bounds(GOOD, GOOD, coefficient=bad)  # type: ignore[arg-type]
    with pytest.raises(cc.errors.InputError) as unknown:
        cc.tie_bounds(GOOD, GOOD, coefficient="tau_b")
    assert str(unknown.value) == "coefficient is 'tau_b': tie bounds are known for 'tau', 'tau_ap', 'tau_gap'"
    with pytest.raises(cc.errors.TiesError, match=r"tau is not defined.*tau_gap"):
        cc.tie_bounds([1, 1, 2], GOOD)


def test_undefined_tie_bounds_warn_the_caller() -> None:
    with pytest.warns(cc.errors.UndefinedCorrelationWarning) as caught:
        cc.tie_bounds([1, 1, 1], GOOD, coefficient="tau_gap")
    assert [w.filename for w in caught] == [__file__]


@pytest.mark.parametrize("name", ["tau", "tau_ap", "tau_gap"])
def test_tie_bounds_say_what_they_bound(name: str) -> None:
    truth, candidate = [6, 5, 4, 3, 2, 1], [5, 3, 6, 3, 1, 3]
    one = cc.tie_bounds(truth, candidate, coefficient=name)
    assert one.coefficient == name
    assert one.minimum < one.expected < one.maximum
    assert str(one) == (
        f"{name} over all orders of the tied systems: {one.minimum:.4f} to {one.maximum:.4f}, "
        f"expected {one.expected:.4f}"
    )
    assert one.rows() == [
        {"coefficient": name, "minimum": one.minimum, "expected": one.expected, "maximum": one.maximum}
    ]
    two = cc.tie_bounds(truth, [candidate, truth], coefficient=name)
    assert [row["maximum"] for row in two.rows()] == [one.maximum, 1.0]
    assert str(two) == f"{name} over all orders of the tied systems, for a batch of shape (2,)"


def test_tie_bounds_of_a_batch() -> None:
    candidate = np.array([[1, 1, 2, 3], [4, 3, 2, 1], [1, 1, 1, 1]])
    truth = [4, 3, 2, 1]
    bounds = cc.tie_bounds(truth, candidate, coefficient="tau_ap")
    for k, row in enumerate(candidate):
        one = cc.tie_bounds(truth, row, coefficient="tau_ap")
        assert (one.minimum, one.expected, one.maximum) == (
            bounds.minimum[k],
            bounds.expected[k],
            bounds.maximum[k],
        )
    assert "shape (3,)" in str(bounds)
    assert "1.0000" in str(one)
