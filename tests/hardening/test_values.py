"""Results are values: equal where their numbers are, also after a pickle or a copy, and not to be written to."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.read import read_run

PEOPLE, HASTY = cc.load_collection("people"), cc.load_collection("hasty")
BATCH = np.random.default_rng(1).integers(0, 4, (3, 6)).astype(float)
MADE: dict[str, Callable[[], Any]] = {
    "compare": lambda: cc.compare(PEOPLE, HASTY, n_resamples=99, rng=1, worth=False, interval=cc.TopicBootstrap(500)),
    "tie_bounds": lambda: cc.tie_bounds(np.arange(6.0), BATCH, "tau"),
    "rank_intervals": lambda: cc.rank_intervals(PEOPLE, n_resamples=99, rng=1),
    "rank_probabilities": lambda: cc.rank_probabilities(PEOPLE, n_resamples=99, rng=1),
    "rank_test": lambda: cc.rank_test(PEOPLE, HASTY, n_resamples=99, rng=1),
    "distribution": lambda: cc.DistanceDistribution.bootstrap(PEOPLE, n_resamples=99, rng=1),
    "discordance": lambda: cc.discordance(PEOPLE),
    "explain": lambda: cc.explain(PEOPLE, HASTY),
    "reliability": lambda: cc.reliability(PEOPLE, rng=1),
    "discriminative_power": lambda: cc.discriminative_power(PEOPLE, BATCH[:, [0] * len(PEOPLE.systems)]),
    "permutation_test": lambda: cc.permutation_test(PEOPLE.means(), HASTY.means(), "tau_ap_b", n_resamples=99, rng=1),
    "null": lambda: cc.tau_null(9),
    "significance_agreement": lambda: cc.significance_agreement(PEOPLE, HASTY),
    "rank_changes": lambda: cc.rank_changes(PEOPLE, HASTY, rng=1),
    "scores": lambda: PEOPLE.select(PEOPLE.systems),
    "votes": lambda: cc.Votes(["x", "y"], ["y", "z"], ["a", "tie"], ["q1", "q2"]),
    "run": lambda: read_run({"a": io.StringIO("1 Q0 d1 1 0.5 a\n1 Q0 d2 2 0.25 a\n")}),
    "runs": lambda: cc.Runs.from_dict({"a": {"1": ["d1", "d2"]}, "b": {"1": ["d2"]}}),
    "qrels": lambda: cc.Qrels.from_dict({"1": {"d1": 1, "d2": 0}}),
}


def arrays(value: Any) -> Iterator[Any]:
    """All arrays within."""
    if isinstance(value, np.ndarray):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from arrays(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from arrays(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays(item)


@pytest.mark.parametrize("name", list(MADE))
def test_a_result_is_a_value(name: str) -> None:
    made, again = MADE[name](), MADE[name]()
    others = [again, pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)]
    for other in others:
        assert made == other
        assert (made != other) is False
        assert type(other) is type(made)
    for one in (made, *others):
        assert not any(array.flags.writeable for array in arrays(one))
    assert made != "something else"


def test_a_batch_of_tie_bounds_differs_where_a_number_does() -> None:
    found = MADE["tie_bounds"]()
    assert np.ndim(found.minimum) == 1
    assert found != cc.tie_bounds(np.arange(6.0), BATCH[::-1], "tau")
    assert found != cc.tie_bounds(np.arange(6.0), BATCH[0], "tau")
    with pytest.raises(ValueError, match="read-only"):
        found.minimum[0] = 1


def test_votes_differ_where_a_battle_does() -> None:
    votes = cc.Votes(["x", "y"], ["y", "z"], ["a", "tie"])
    others = [
        cc.Votes(["x", "y"], ["y", "z"], ["a", "a"]),
        cc.Votes(["x", "y"], ["y", "w"], ["a", "tie"]),
        cc.Votes(["x", "y", "x"], ["y", "z", "y"], ["a", "tie", "a"]),
        cc.Votes(["x", "y"], ["y", "z"], ["a", "tie"], ["q", "q"]),
        cc.Votes(["x", "z"], ["y", "y"], ["a", "tie"]),
    ]
    assert all(votes != other for other in others)
    assert len({votes, cc.Votes(["x", "y"], ["y", "z"], ["a", "tie"]), *others}) == 6


@pytest.mark.parametrize("count", [10**11, 10**20])
def test_more_resamples_than_memory_are_refused(count: int) -> None:
    few = PEOPLE.means()
    for call in (
        lambda: cc.rank_test(PEOPLE, HASTY, n_resamples=count),
        lambda: cc.compare(PEOPLE, HASTY, n_resamples=count),
        lambda: cc.permutation_test(few, few, "tau_ap_b", n_resamples=count),
        lambda: cc.correlate(PEOPLE, HASTY, interval=cc.TopicBootstrap(count)),
        lambda: cc.rank_intervals(PEOPLE, n_resamples=count),
        lambda: cc.simulate(PEOPLE, count),
        lambda: cc.random_rankings(5, count),
    ):
        with pytest.raises(cc.errors.LimitError, match="give at most 100,000,000"):
            call()


def test_nested_data_that_are_not_nested_are_told() -> None:
    with pytest.raises(cc.errors.InputTypeError, match="system 's' has a int"):
        cc.Runs.from_dict({"s": 1})  # type: ignore[dict-item]
    with pytest.raises(cc.errors.InputTypeError, match=r"give qrels as \{topic"):
        cc.Qrels.from_dict({"s": 1})  # type: ignore[dict-item]
