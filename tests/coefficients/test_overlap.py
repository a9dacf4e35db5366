"""Rank-biased overlap against the authors' values, a literal second implementation, its own properties."""

from __future__ import annotations

import csv
import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concordant.coefficients.overlap import Kind, Ties, _harmonic_rest, rbo
from concordant.errors import InputError, InputTypeError, in_digits

from ..examples import share
from ..places import places

TIES: tuple[Ties, ...] = ("w", "a", "b")
KINDS: tuple[Kind, ...] = ("ext", "min", "max", "res")
Ranking = list[list[Any]]  # tied groups, best first


# The authors' 3,000 pairs


def golden_file() -> Path:
    for data in places():
        for folder in (data, data.parent):
            if (folder / "golden" / "rbo.csv").is_file():
                return folder / "golden" / "rbo.csv"
    assert not os.environ.get("CONCORDANT_DATA"), f"CONCORDANT_DATA is {places()[0]}, where there is no golden/rbo.csv"
    pytest.skip("RBO IS NOT CHECKED AGAINST ITS AUTHORS' 3,000 PAIRS: python tools/fetch_data.py gets golden/rbo.csv")


def parse(text: str) -> Ranking:
    """A ranking as the file writes it, "a (b c) d"."""
    groups: Ranking = []
    inside = False
    for word in text.split():
        if inside:
            groups[-1].append(word.strip("()"))
        else:
            groups.append([word.strip("()")])
        inside = (inside or word.startswith("(")) and not word.endswith(")")
    return groups


def as_mapping(ranking: Ranking) -> dict[Any, float]:
    return {item: float(-k) for k, group in enumerate(ranking) for item in group}


@pytest.mark.long
@pytest.mark.parametrize("ties", TIES)
def test_golden(ties: Ties) -> None:
    with golden_file().open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 3000
    expected = np.array([[float(line[f"{ties}.{kind}"]) for kind in KINDS] for line in lines])
    got = np.empty_like(expected)
    for row, line in enumerate(lines):
        x, y, p = as_mapping(parse(line["x"])), as_mapping(parse(line["y"])), float(line["p"])
        got[row] = [rbo(x, y, p=p, ties=ties, kind=kind) for kind in KINDS]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


# A second implementation: slow, literal, and without closed forms


def contributions(ranking: Ranking, ties: Ties, d: int) -> dict[Any, float]:
    """How much each item is in at depth d."""
    c = {}
    top = 1
    for group in ranking:
        if top <= d:
            c.update(dict.fromkeys(group, 1.0 if ties == "w" else min(1.0, (d - top + 1) / len(group))))
        top += len(group)
    return c


def literal(x: Ranking, y: Ranking, p: float, ties: Ties, kind: Kind) -> float:
    """Every depth down to where its weight is lost, with the assumption of `kind` spelled out."""
    if kind == "res":
        return literal(x, y, p, ties, "max") - literal(x, y, p, ties, "min")
    short, long = sorted((x, y), key=lambda r: sum(map(len, r)))
    s, n = sum(map(len, short)), sum(map(len, long))
    short_items = {item for group in short for item in group}
    only_long = [item for group in long for item in group if item not in short_items]
    common = n - len(only_long)

    def largest(d: int, a: dict[Any, float], b: dict[Any, float]) -> float:
        missing = max(0, d - s)  # items of the shorter side that we do not know: untied, so each is 1
        if ties == "w":
            return (sum(a.values()) + missing + sum(b.values())) / 2
        if ties == "a":
            return d
        return math.sqrt((sum(v * v for v in a.values()) + missing) * sum(v * v for v in b.values()))

    def agreement(d: int) -> float:
        if d > n:
            if kind == "min":
                return common / d
            if kind == "ext":
                return agreement(n)
            return min(1.0, (2 * d - n - s + common) / d)
        a, b = contributions(short, ties, d), contributions(long, ties, d)
        overlap = sum(a.get(item, 0.0) * b.get(item, 0.0) for item in b)
        if d > s and kind == "max":
            overlap += sum(b.get(item, 0.0) for item in only_long[: d - s])
        if d > s and kind == "ext":
            begun = [b[item] for item in only_long if item in b]
            overlap += (d - s) * agreement(s) * sum(begun) / len(begun)
        return overlap / largest(d, a, b)

    deepest = math.ceil(math.log(1e-18) / math.log(p)) + 1
    return math.fsum((1 - p) * p ** (d - 1) * agreement(d) for d in range(1, deepest))


def orders(ranking: Ranking) -> Iterator[Ranking]:
    """All rankings without ties that this one may stand for."""
    for choice in itertools.product(*(itertools.permutations(group) for group in ranking)):
        yield [[item] for group in choice for item in group]


@st.composite
def rankings(draw: st.DrawFn, items: int = 8, size: int | None = None) -> Ranking:
    """A ranking of up to `items` of the items 0, 1, ..., with ties."""
    most = items if size is None else size
    chosen = draw(st.lists(st.integers(0, items - 1), min_size=size or 1, max_size=most, unique=True))
    groups: Ranking = [[chosen[0]]]
    for item in chosen[1:]:
        if draw(st.booleans()):
            groups.append([item])
        else:
            groups[-1].append(item)
    return groups


persistences = st.sampled_from([0.05, 0.3, 0.5, 0.8, 0.9])


@share(0.6)
@given(rankings(), rankings(), persistences)
def test_literal(x: Ranking, y: Ranking, p: float) -> None:
    for ties, kind in itertools.product(TIES, KINDS):
        got = rbo(as_mapping(x), as_mapping(y), p=p, ties=ties, kind=kind)
        assert got == pytest.approx(literal(x, y, p, ties, kind), abs=1e-13), (ties, kind)


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(rankings(5), rankings(5), rankings(5, 4), rankings(5, 4), persistences)
def test_variant_a_is_the_mean_over_all_orders_of_the_tied_items(
    x: Ranking, y: Ranking, x4: Ranking, y4: Ranking, p: float
) -> None:
    # min is linear in the overlaps; ext and max are when both sides are equally long
    for first, second, kinds in ((x, y, ("min",)), (x4, y4, KINDS)):
        kind: Kind
        for kind in kinds:
            untied = [rbo(as_mapping(a), as_mapping(b), p=p, kind=kind) for a in orders(first) for b in orders(second)]
            got = rbo(as_mapping(first), as_mapping(second), p=p, ties="a", kind=kind)
            assert got == pytest.approx(np.mean(np.array(untied)), abs=1e-13), kind


@settings(deadline=None)
@given(st.permutations(range(9)), st.permutations(range(9)), st.integers(1, 9), st.integers(1, 9), persistences)
def test_closed_forms_without_ties(a: list[int], b: list[int], s: int, n: int, p: float) -> None:
    s, n = sorted((s, n))
    x, y = a[:s], b[:n]
    overlap = [len(set(x[:d]) & set(y[:d])) for d in range(n + 1)]
    every = range(1, n + 1)
    webber_32 = (1 - p) / p * (
        sum(overlap[d] / d * p**d for d in every)
        + sum(overlap[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    ) + ((overlap[n] - overlap[s]) / n + overlap[s] / s) * p**n
    webber_11 = (1 - p) / p * (sum((overlap[d] - overlap[n]) / d * p**d for d in every) - overlap[n] * math.log(1 - p))
    for ties in TIES:
        x_scores, y_scores = as_mapping([[i] for i in x]), as_mapping([[i] for i in y])
        assert rbo(x_scores, y_scores, p=p, ties=ties) == pytest.approx(webber_32, abs=1e-13)
        assert rbo(x_scores, y_scores, p=p, ties=ties, kind="min") == pytest.approx(webber_11, abs=1e-13)


# Properties

few_scores = st.integers(0, 3).map(float)
pairs_of_vectors = st.integers(2, 12).flatmap(
    lambda m: st.tuples(*(st.lists(few_scores, min_size=m, max_size=m) for _ in range(2)))
)


def every_variant(x: Any, y: Any, p: float) -> list[Any]:
    return [rbo(x, y, p=p, ties=ties, kind=kind) for ties in TIES for kind in KINDS]


@share(0.5)
@given(rankings(12), rankings(12), persistences)
def test_symmetric_and_in_order(x: Ranking, y: Ranking, p: float) -> None:
    a, b = as_mapping(x), as_mapping(y)
    values = every_variant(a, b, p)
    assert values == every_variant(b, a, p)
    assert all(0 <= value <= 1 for value in values)
    for ext, low, high, rest in zip(*[iter(values)] * 4, strict=True):
        assert low - 1e-15 <= ext <= high + 1e-15
        assert rest == max(high - low, 0)


@share(0.5)
@given(pairs_of_vectors, persistences, st.randoms(use_true_random=False))
def test_the_order_of_items_and_their_names_do_not_matter(
    pair: tuple[list[float], list[float]], p: float, random: Any
) -> None:
    x, y = pair
    values = every_variant(x, y, p)
    assert values == every_variant(dict(enumerate(x)), dict(enumerate(y)), p)
    order = random.sample(range(len(x)), len(x))
    assert values == every_variant([x[k] for k in order], [y[k] for k in order], p)
    names = [f"item {k}" for k in order]
    other = random.sample(range(len(x)), len(x))  # each mapping in an order of its own
    renamed = {names[k]: x[k] for k in order}, {names[k]: y[k] for k in other}
    assert values == every_variant(*renamed, p)


@share(0.5)
@given(pairs_of_vectors, persistences)
def test_only_the_order_of_the_scores_matters(pair: tuple[list[float], list[float]], p: float) -> None:
    x, y = (np.array(scores) for scores in pair)
    assert every_variant(x, y, p) == every_variant(np.exp(x) - 1e6, 1e300 * y**3, p)


@share(0.5)
@given(rankings(12), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_a_ranking_agrees_with_itself(x: Ranking, p: float) -> None:
    tied, untied = as_mapping(x), as_mapping([[item] for group in x for item in group])
    kind: Kind
    for kind in ("ext", "max"):
        assert rbo(tied, tied, p=p, ties="w", kind=kind) == 1
        assert rbo(tied, tied, p=p, ties="b", kind=kind) == 1
        assert rbo(untied, untied, p=p, ties="a", kind=kind) == 1
        assert rbo(tied, tied, p=p, ties="a", kind=kind) <= 1
    assert rbo(tied, untied, p=p) <= 1


@share(0.5)
@given(rankings(6), rankings(6), persistences)
def test_without_common_items(x: Ranking, y: Ranking, p: float) -> None:
    a, b = as_mapping(x), {("other", item): score for item, score in as_mapping(y).items()}
    for ties in TIES:
        assert rbo(a, b, p=p, ties=ties) == 0
        assert rbo(a, b, p=p, ties=ties, kind="min") == 0
        assert 0 < rbo(a, b, p=p, ties=ties, kind="max") < 1


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("kind", KINDS)
def test_batch_equals_loop(ties: Ties, kind: Kind) -> None:
    rng = np.random.default_rng(5)
    truth, candidate = rng.integers(0, 9, (4, 1, 20)), rng.random((3, 20)).round(1)
    got = rbo(truth, candidate, ties=ties, kind=kind)
    loop = [[rbo(t[0], o, ties=ties, kind=kind) for o in candidate] for t in truth]
    np.testing.assert_array_equal(got, loop)


def test_large_batch_is_cut_into_blocks() -> None:
    rng = np.random.default_rng(6)
    truth, candidate = rng.random(50), rng.random((1500, 50)).round(1)
    got = rbo(truth, candidate, kind="res")
    np.testing.assert_array_equal(got, [rbo(truth, row, kind="res") for row in candidate])


def test_shapes() -> None:
    assert type(rbo([1, 2], [2, 1])) is float
    assert type(rbo({"a": 1}, {"b": 1})) is float
    for lead in ((1,), (0,), (2, 3)):
        values = rbo(np.zeros((*lead, 4)), np.arange(4))
        assert isinstance(values, np.ndarray)
        assert values.shape == lead


def test_series_are_vectors() -> None:
    pandas = pytest.importorskip("pandas")
    x, y = pandas.Series([3.0, 2.0, 1.0], index=list("abc")), pandas.Series([3, 1, 2], index=list("abc"))
    assert rbo(x, y) == rbo([3, 2, 1], [3, 1, 2])
    with pytest.raises(InputError, match="labels"):
        rbo(x, y.iloc[::-1])


# Small, all tied, deep, and persistences near 0 and 1


def test_one_item() -> None:
    p = 0.6
    rest = (1 - p) / p * -math.log(1 - p)  # common at every depth, 1/d
    for ties in TIES:
        assert rbo({"a": 7}, {"a": 0}, p=p, ties=ties) == 1
        assert rbo({"a": 7}, {"a": 0}, p=p, ties=ties, kind="min") == pytest.approx(rest, rel=1e-14)
        assert rbo({"a": 7}, {"b": 0}, p=p, ties=ties, kind="max") == pytest.approx(p, rel=1e-14)


def test_all_tied_is_defined() -> None:
    n, p = 5, 0.7
    flat, ordered = np.zeros(n), np.arange(n)
    depth = np.arange(1, n + 1)
    weight = (1 - p) * p ** (depth - 1.0)
    weight[-1] += p**n
    # at depth d each of the tied items is in by d/n
    assert rbo(ordered, flat, p=p, ties="a") == pytest.approx(np.sum(weight * depth / n), rel=1e-14)
    assert rbo(ordered, flat, p=p, ties="b") == pytest.approx(np.sum(weight * np.sqrt(depth / n)), rel=1e-14)
    assert rbo(ordered, flat, p=p, ties="w") == pytest.approx(np.sum(weight * 2 * depth / (depth + n)), rel=1e-14)
    assert rbo(flat, flat, p=p, ties="a") == rbo(ordered, flat, p=p, ties="a")
    assert rbo(flat, flat, p=p, ties="b") == rbo(flat, flat, p=p, ties="w") == 1


@pytest.mark.parametrize(
    ("n", "p"),
    [
        (1, 0.5),
        (3, 0.5),
        (9, 0.9),
        (10, 0.9),
        (11, 0.9),
        (400, 0.9),
        (1, 0.999),
        (990, 0.999),
        (1010, 0.999),
        (7, 1e-3),
    ],
)
def test_the_infinite_rest(n: int, p: float) -> None:
    """Both branches, around their border at n log(1/p) = 1, against the sum term by term."""
    q = Fraction(p)  # 1 - p is exact in this way
    terms = range(n + 1, n + 2 + math.ceil(40 / -math.log(p)))
    expected = float(1 - q) * math.fsum(math.exp((d - 1 - n) * math.log(p)) / d for d in terms) * p**n
    assert _harmonic_rest(n, p) == pytest.approx(expected, rel=2e-13)


def test_deep_rankings() -> None:
    rng = np.random.default_rng(7)
    n = 100_000
    x = rng.random(n).round(4)
    y = (x + rng.normal(0, 0.1, n)).round(3)
    for p in (1e-300, 0.5, 0.9999, 1 - 1e-12):
        for ties in TIES:
            low, ext, high, rest = (rbo(x, y, p=p, ties=ties, kind=k) for k in ("min", "ext", "max", "res"))
            assert 0 <= low <= ext + 1e-15 <= high + 2e-15 <= 1 + 2e-15
            assert rest == max(high - low, 0)
        assert rbo(x, x, p=p, ties="b") == rbo(x, x, p=p, ties="w") == 1
    # At p -> 1 all is unseen, at p -> 0 only the first rank counts.
    assert rbo(x, x, p=1 - 1e-12, ties="w", kind="min") == pytest.approx(1e-12 * n * (12 * math.log(10) - 11), abs=1e-6)
    assert rbo([3, 2, 1], [3, 1, 2], p=5e-324, kind="min") == 1
    assert rbo([3, 2, 1], [1, 2, 3], p=5e-324, kind="min") == 0


def test_floating_point_traps_are_not_sprung() -> None:
    with np.errstate(all="raise"):
        for kind in KINDS:
            assert np.isfinite(rbo(np.arange(5000.0), np.arange(5000.0)[::-1] // 2, p=0.3, kind=kind))


# What is refused, and with which words


def test_inputs_are_not_changed() -> None:
    x, y = np.array([3.0, 1.0, 2.0, 2.0]), np.array([[0.0, 1.0, 1.0, 4.0]])
    x.flags.writeable = y.flags.writeable = False
    a: dict[str, float] = {"a": 1, "b": 2}
    b: Mapping[str, float] = MappingProxyType({"b": 2.5, "c": 2.5, "d": 0})
    for ties in TIES:
        for kind in KINDS:
            rbo(x, y, ties=ties, kind=kind)
            rbo(a, b, ties=ties, kind=kind)
    assert x.tolist() == [3, 1, 2, 2]
    assert list(a.items()) == [("a", 1), ("b", 2)]


@pytest.mark.parametrize(
    "number", [True, 3, 0.5, np.float32(0.1), np.int64(4), np.bool_(False), np.uint8(7), Fraction(1, 4)]
)
def test_numbers_in_mappings(number: Any) -> None:
    assert rbo({"a": number, "b": -1}, {"a": 1, "b": 0}) == 1


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("0.3", InputTypeError),
        (None, InputTypeError),
        (1j, InputTypeError),
        (np.complex128(1), InputTypeError),
        (np.timedelta64(3, "s"), InputTypeError),
        ([0.3], InputTypeError),
        (math.nan, InputError),
        (np.float64("inf"), InputError),
        (-math.inf, InputError),
        (10**400, InputError),
        (2**53 + 1, InputError),
        (np.int64(2**53 + 1), InputError),
    ],
)
def test_values_refused_in_mappings(value: Any, error: type[Exception]) -> None:
    good = {"bm25": 0.1, "dense": 0.2}
    for bad, name in (((good | {"x y": value}, good), "truth"), ((good, good | {"x y": value}), "candidate")):
        with pytest.raises(error) as caught:
            rbo(*bad)
        assert str(caught.value).startswith(f"{name}['x y'] is {value!r}")
        assert any(
            way in str(caught.value) for way in ("leave the item out", "pass ranks", "give every item a real number")
        )


names = ["bm25", "dense", "splade"]


@pytest.mark.parametrize(
    "as_names", [list, tuple, np.array, lambda n: np.array(n, dtype=object), lambda n: [n[0], {*n[1:]}]]
)
def test_names_are_refused(as_names: Callable[[list[str]], Any]) -> None:
    with pytest.raises(InputTypeError) as caught:
        rbo(as_names(names), as_names(names))
    message = str(caught.value)
    assert "truth" in message
    assert "'bm25'" in message
    assert "A ranking is passed as scores, never as a list of names" in message
    scores = {name: -i for i, name in enumerate(names)}
    assert rbo(scores, scores) == 1
    with pytest.raises(InputTypeError, match=r"^candidate holds"):
        rbo([1, 2, 3], as_names(names))


@pytest.mark.parametrize(
    ("truth", "candidate", "words"),
    [
        ({"a": 1}, [1, 2], "truth is a dict"),
        ([1, 2], {"a": 1}, "candidate is a dict"),
        (["a", "b"], {"a": 1}, "truth holds 'a'"),
        ({}, {"a": 1}, "truth is an empty mapping"),
        ({"a": 1}, {}, "candidate is an empty mapping"),
        ([1, 2, 3], [1, 2], "truth has 3 systems and candidate has 2"),
        ([1], [1], "at least 2"),
        ([1, math.nan], [1, 2], r"truth\[1\] is nan"),
        ([1, 2], [[1, 2], [math.inf, 2]], r"candidate\[1, 0\] is inf"),
        (np.zeros((2, 4)), np.zeros((3, 4)), "do not broadcast"),
        ("ab", "ab", "truth is a str"),
        ({1, 2}, {1, 2}, "truth is a set"),
    ],
)
def test_bad_input(truth: Any, candidate: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        rbo(truth, candidate)


@pytest.mark.parametrize(
    "p", [0, 1, -0.1, 1.5, math.nan, math.inf, 10**400, Fraction(1, 10**400), True, None, "0.9", 0.5j, [0.9]]
)
def test_bad_persistence(p: Any) -> None:
    with pytest.raises(InputError) as caught:
        rbo([1, 2], [1, 2], p=p)
    assert str(caught.value).startswith(f"p is {in_digits(p)}: give a number above 0 and below 1")


def test_bad_choices() -> None:
    for ties in ("c", "A", None):
        with pytest.raises(InputError, match=f"^ties is {ties!r}: use 'w', 'a' or 'b'$"):
            rbo([1, 2], [1, 2], ties=ties)  # type: ignore[arg-type]
    for kind in ("EXT", "", 3):
        with pytest.raises(InputError, match=f"^kind is {kind!r}: use 'ext', 'min', 'max' or 'res'$"):
            rbo([1, 2], [1, 2], kind=kind)  # type: ignore[arg-type]
