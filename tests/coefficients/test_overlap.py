"""Rank-biased overlap against the authors' values, a literal second implementation, its own properties."""

from __future__ import annotations

import csv
import itertools
import math
import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concordant.coefficients.overlap import Ties, rbo
from concordant.errors import InputError, InputTypeError, in_digits

from ..examples import share
from ..places import places

TIES: tuple[Ties, ...] = ("w", "a", "b")
Ranking = list[list[Any]]  # tied groups, best first


# The authors' pairs of rankings of the same items


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


def scores(ranking: Ranking) -> list[float]:
    """Scores of the items in their order by name."""
    by_item = {item: float(-k) for k, group in enumerate(ranking) for item in group}
    return [by_item[item] for item in sorted(by_item)]


def items(ranking: Ranking) -> set[str]:
    return {item for group in ranking for item in group}


@pytest.mark.parametrize("ties", TIES)
def test_golden(ties: Ties) -> None:
    with golden_file().open(newline="") as file:
        lines = [(parse(line["x"]), parse(line["y"]), line) for line in csv.DictReader(file)]
    assert len(lines) == 3000
    same = [(x, y, line) for x, y, line in lines if items(x) == items(y)]
    assert len(same) == 5
    for x, y, line in same:
        assert rbo(scores(x), scores(y), p=float(line["p"]), ties=ties) == pytest.approx(
            float(line[f"{ties}.ext"]), abs=1e-12
        )


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


def literal(x: Ranking, y: Ranking, p: float, ties: Ties) -> float:
    """Every depth down to where its weight is lost; below the last rank the agreement continues."""
    n = sum(map(len, x))

    def agreement(d: int) -> float:
        a, b = contributions(x, ties, min(d, n)), contributions(y, ties, min(d, n))
        overlap = sum(a.get(item, 0.0) * b.get(item, 0.0) for item in b)
        if ties == "w":
            return 2 * overlap / (sum(a.values()) + sum(b.values()))
        if ties == "a":
            return overlap / min(d, n)
        return overlap / math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))

    deepest = math.ceil(math.log(1e-18) / math.log(p)) + 1
    return math.fsum((1 - p) * p ** (d - 1) * agreement(d) for d in range(1, deepest))


def orders(ranking: Ranking) -> Iterator[Ranking]:
    """All rankings without ties that this one may stand for."""
    for choice in itertools.product(*(itertools.permutations(group) for group in ranking)):
        yield [[item] for group in choice for item in group]


@st.composite
def rankings(draw: st.DrawFn, size: int) -> Ranking:
    """A ranking of the items 0, 1, ..., with ties."""
    first, *others = draw(st.permutations(range(size)))
    groups: Ranking = [[first]]
    for item in others:
        if draw(st.booleans()):
            groups.append([item])
        else:
            groups[-1].append(item)
    return groups


def two(most: int, least: int = 2) -> st.SearchStrategy[tuple[Ranking, Ranking]]:
    return st.integers(least, most).flatmap(lambda size: st.tuples(rankings(size), rankings(size)))


persistences = st.sampled_from([0.05, 0.3, 0.5, 0.8, 0.9])


@share(0.6)
@given(two(8), persistences)
def test_literal(both: tuple[Ranking, Ranking], p: float) -> None:
    x, y = both
    for ties in TIES:
        got = rbo(scores(x), scores(y), p=p, ties=ties)
        assert got == pytest.approx(literal(x, y, p, ties), abs=1e-13), ties


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(two(5), persistences)
def test_variant_a_is_the_mean_over_all_orders_of_the_tied_items(both: tuple[Ranking, Ranking], p: float) -> None:
    x, y = both
    untied = [rbo(scores(a), scores(b), p=p) for a in orders(x) for b in orders(y)]
    assert rbo(scores(x), scores(y), p=p, ties="a") == pytest.approx(np.mean(np.array(untied)), abs=1e-13)


@settings(deadline=None)
@given(st.permutations(range(9)), st.permutations(range(9)), persistences)
def test_closed_form_without_ties(x: list[int], y: list[int], p: float) -> None:
    overlap = [len(set(x[:d]) & set(y[:d])) for d in range(10)]
    webber_32 = (1 - p) / p * sum(overlap[d] / d * p**d for d in range(1, 10)) + overlap[9] / 9 * p**9
    for ties in TIES:
        got = rbo(scores([[i] for i in x]), scores([[i] for i in y]), p=p, ties=ties)
        assert got == pytest.approx(webber_32, abs=1e-13)


# Properties

few_scores = st.integers(0, 3).map(float)
pairs_of_vectors = st.integers(2, 12).flatmap(
    lambda m: st.tuples(*(st.lists(few_scores, min_size=m, max_size=m) for _ in range(2)))
)


def every_variant(x: Any, y: Any, p: float) -> list[Any]:
    return [rbo(x, y, p=p, ties=ties) for ties in TIES]


@share(0.5)
@given(pairs_of_vectors, persistences, st.randoms(use_true_random=False))
def test_symmetric_and_the_order_of_items_does_not_matter(
    pair: tuple[list[float], list[float]], p: float, random: Any
) -> None:
    x, y = pair
    values = every_variant(x, y, p)
    assert values == every_variant(y, x, p)
    assert all(0 <= value <= 1 for value in values)
    order = random.sample(range(len(x)), len(x))
    assert values == every_variant([x[k] for k in order], [y[k] for k in order], p)


@share(0.5)
@given(pairs_of_vectors, persistences)
def test_only_the_order_of_the_scores_matters(pair: tuple[list[float], list[float]], p: float) -> None:
    x, y = (np.array(scores) for scores in pair)
    assert every_variant(x, y, p) == every_variant(np.exp(x) - 1e6, 1e300 * y**3, p)


@share(0.5)
@given(st.integers(2, 12).flatmap(rankings), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_a_ranking_agrees_with_itself(x: Ranking, p: float) -> None:
    tied, untied = scores(x), scores([[item] for group in x for item in group])
    assert rbo(tied, tied, p=p, ties="w") == 1
    assert rbo(tied, tied, p=p, ties="b") == 1
    assert rbo(untied, untied, p=p, ties="a") == 1
    assert rbo(tied, tied, p=p, ties="a") <= 1
    assert rbo(tied, untied, p=p) <= 1


@pytest.mark.parametrize("ties", TIES)
def test_batch_equals_loop(ties: Ties) -> None:
    rng = np.random.default_rng(5)
    truth, candidate = rng.integers(0, 9, (4, 1, 20)), rng.random((3, 20)).round(1)
    got = rbo(truth, candidate, ties=ties)
    loop = [[rbo(t[0], o, ties=ties) for o in candidate] for t in truth]
    np.testing.assert_array_equal(got, loop)


def test_large_batch_is_cut_into_blocks() -> None:
    rng = np.random.default_rng(6)
    truth, candidate = rng.random(50), rng.random((1500, 50)).round(1)
    got = rbo(truth, candidate)
    np.testing.assert_array_equal(got, [rbo(truth, row) for row in candidate])


def test_shapes() -> None:
    assert type(rbo([1, 2], [2, 1])) is float
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


def test_deep_rankings() -> None:
    rng = np.random.default_rng(7)
    n = 100_000
    x = rng.random(n).round(4)
    y = (x + rng.normal(0, 0.1, n)).round(3)
    for p in (1e-300, 0.5, 0.9999, 1 - 1e-12):
        for ties in TIES:
            assert 0 <= rbo(x, y, p=p, ties=ties) <= 1 + 2e-15
        assert rbo(x, x, p=p, ties="b") == rbo(x, x, p=p, ties="w") == 1
    # At p -> 0 only the first rank counts.
    assert rbo([3, 2, 1], [3, 1, 2], p=5e-324) == 1
    assert rbo([3, 2, 1], [1, 2, 3], p=5e-324) == 0


def test_floating_point_traps_are_not_sprung() -> None:
    with np.errstate(all="raise"):
        assert np.isfinite(rbo(np.arange(5000.0), np.arange(5000.0)[::-1] // 2, p=0.3))


# What is refused, and with which words


def test_inputs_are_not_changed() -> None:
    x, y = np.array([3.0, 1.0, 2.0, 2.0]), np.array([[0.0, 1.0, 1.0, 4.0]])
    x.flags.writeable = y.flags.writeable = False
    every_variant(x, y, 0.9)
    assert x.tolist() == [3, 1, 2, 2]


names = ["bm25", "dense", "splade"]


@pytest.mark.parametrize(
    "as_names",
    [list, tuple, np.array, lambda n: np.array(n, dtype=object), lambda n: dict.fromkeys(n, 0.5)],
)
def test_names_are_refused(as_names: Callable[[list[str]], Any]) -> None:
    with pytest.raises(InputTypeError, match=r"^truth .*one score for each system in the same order"):
        rbo(as_names(names), as_names(names))
    with pytest.raises(InputTypeError, match=r"^candidate .*never as a list of names"):
        rbo([1, 2, 3], as_names(names))


@pytest.mark.parametrize(
    ("truth", "candidate", "words"),
    [
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
