"""Changes of judgments, beside the same written with sets of names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant import Qrels, Runs
from concordant.errors import DataWarning, InputError, InputTypeError
from concordant.judgments import depth_pool, from_runs, leave_out, mix, pseudo, sample

from ..examples import share

_documents = [f"d{k}" for k in range(8)]
_lists = st.fixed_dictionaries(
    {topic: st.permutations(_documents).map(lambda p: p[:5]) for topic in ("1", "2")},
    optional={"3": st.permutations(_documents).map(lambda p: p[:3])},
)
_runs = st.fixed_dictionaries({name: _lists for name in ("a", "b", "c")})
_qrels = st.fixed_dictionaries(
    {
        topic: st.dictionaries(st.sampled_from([*_documents, "x"]), st.integers(-1, 3), min_size=1)
        for topic in ("2", "1")
    },
    optional={"9": st.dictionaries(st.sampled_from(_documents), st.integers(0, 1), min_size=1)},
)
Nested = dict[str, dict[str, Any]]


def kept(qrels: Nested, keep: Callable[[str, str], bool]) -> Nested:
    return {t: {d: grade for d, grade in judged.items() if keep(t, d)} for t, judged in qrels.items()}


def top(runs: Nested, names: Any, topic: str, k: int | None) -> set[str]:
    return {document for name in names for document in runs[name].get(topic, [])[:k]}


@pytest.mark.filterwarnings("ignore:.* in the pool of depth")
@given(_runs, _qrels, st.integers(1, 6), st.sampled_from([None, ["a"], ["c", "b"]]))
def test_depth_pool(runs: Nested, qrels: Nested, k: int, names: Any) -> None:
    found = depth_pool(Runs.from_dict(runs), Qrels.from_dict(qrels), k, names)
    assert found == kept(qrels, lambda t, d: d in top(runs, names or runs, t, k))


def test_unjudged_documents_of_a_pool_are_counted() -> None:
    runs = Runs.from_dict({"a": {"1": ["x", "y"], "7": ["z"]}, "b": {"1": ["y", "w"]}})
    qrels = Qrels.from_dict({"1": {"x": 1, "q": 1}})
    with pytest.warns(DataWarning, match="2 of 3 documents in the pool of depth 2 stay unjudged"):
        assert depth_pool(runs, qrels, 2)["1"] == {"x": 1}


@given(_runs, _qrels, st.one_of(st.none(), st.integers(1, 6)), st.sampled_from([["a"], ["c", "b"]]))
def test_from_runs(runs: Nested, qrels: Nested, k: int | None, names: list[str]) -> None:
    found = from_runs(Qrels.from_dict(qrels), Runs.from_dict(runs), names, k)
    assert found == kept(qrels, lambda t, d: d in top(runs, names, t, k))


@given(_runs, _qrels, st.one_of(st.none(), st.integers(1, 6)))
def test_leave_out(runs: Nested, qrels: Nested, k: int | None) -> None:
    found = leave_out(Runs.from_dict(runs), Qrels.from_dict(qrels), "A", {"A": ["a", "b"], "B": ["c"]}, k)
    assert found == kept(qrels, lambda t, d: d not in top(runs, "ab", t, k) - top(runs, "c", t, k))


@given(_qrels, st.floats(0.01, 1), st.floats(0.01, 1), st.integers(0, 99), st.integers(1, 2))
def test_sample(qrels: Nested, share: float, other: float, seed: int, rel: int) -> None:
    full = Qrels.from_dict(qrels)
    small, large = (sample(full, s, seed, rel=rel, least=(1, 2)) for s in sorted((share, other)))
    for topic, judged in qrels.items():
        assert small[topic].items() <= large[topic].items() <= judged.items()
        for good, least in ((True, 1), (False, 2)):
            size, wanted = (sum((grade >= rel) is good for grade in of.values()) for of in (judged, small[topic]))
            nearest = int(np.floor(min(share, other) * size + 0.5))
            assert wanted == min(max(nearest, least), size)
    assert sample(full, 1.0, seed) == full


def test_every_judgment_is_as_likely_to_be_sampled() -> None:
    qrels = Qrels.from_dict({"1": {f"d{k}": int(k < 8) for k in range(40)}, "2": {f"d{k}": 1 for k in range(10)}})
    rng = np.random.default_rng(5)
    counts = np.zeros(qrels.size)
    for _ in range(2_000):
        counts[sample(qrels, 0.3, rng, least=(0, 0)).places] += 1
    shares = counts / 2_000
    expected = np.concatenate([np.full(8, 2 / 8), np.full(32, 10 / 32), np.full(10, 3 / 10)])
    assert np.abs(shares - expected).max() < 4.5 * np.sqrt(0.25 / 2_000)


@given(_runs, st.integers(1, 6), st.integers(0, 99), st.booleans(), st.sampled_from([0.0, 0.2]))
def test_pseudo(runs: Nested, k: int, seed: int, duplicates: bool, spread: float) -> None:
    found = pseudo(Runs.from_dict(runs), k, seed, share=0.3, spread=spread, duplicates=duplicates)
    for topic in found:
        assert set(found[topic]) == top(runs, runs, topic, k)
        if spread == 0:
            assert sum(found[topic].values()) == max(1, int(np.floor(0.3 * len(found[topic]) + 0.5)))
        assert set(found[topic].values()) <= {0, 1}
    assert found == pseudo(Runs.from_dict(runs), k, seed, share=0.3, spread=spread, duplicates=duplicates)


def test_duplicates_are_more_likely_to_be_relevant() -> None:
    runs = Runs.from_dict({"a": {"1": ["x", "y"]}, "b": {"1": ["x", "z"]}, "c": {"1": ["x", "w"]}})
    rng = np.random.default_rng(1)
    drawn = [pseudo(runs, 2, rng, share=0.25, duplicates=True)["1"]["x"] for _ in range(2_000)]
    assert abs(np.mean(drawn) - 3 / 6) < 4 * np.sqrt(0.25 / 2_000)
    drawn = [pseudo(runs, 2, rng, share=0.25)["1"]["x"] for _ in range(2_000)]
    assert abs(np.mean(drawn) - 1 / 4) < 4 * np.sqrt(0.19 / 2_000)


def test_the_share_of_relevant_documents_varies_with_the_spread() -> None:
    runs = Runs.from_dict({"a": {str(t): [f"d{k}" for k in range(200)] for t in range(400)}})
    found = pseudo(runs, 200, 1, share=0.3, spread=0.05)
    shares = np.array([sum(found[topic].values()) / 200 for topic in found])
    assert abs(shares.mean() - 0.3) < 4 * 0.05 / 20
    assert abs(shares.std() - 0.05) < 4 * 0.05 / np.sqrt(800)


@pytest.mark.filterwarnings("ignore:.*stay human", "ignore:the grades of the machine")
@share(0.7)
@given(_qrels, _qrels, st.floats(0, 1), st.integers(0, 99))
def test_mix(first: Nested, second: Nested, share: float, seed: int) -> None:
    human, machine = Qrels.from_dict(first), Qrels.from_dict(second)
    if not any(first[t].keys() & second.get(t, {}).keys() for t in first):
        with pytest.raises(InputError, match="no judged document in common"):
            mix(human, machine, share, seed)
        return
    # The machine's grades are moved out of the way, to tell whose is whose.
    apart = machine.with_grades(machine.grades + 100)
    mixed, more = mix(human, apart, share, seed), mix(human, apart, 1.0, seed)
    for topic, judged in first.items():
        shared = judged.keys() & second.get(topic, {}).keys()
        assert mixed[topic].keys() == judged.keys()
        replaced = {d for d, grade in mixed[topic].items() if grade >= 90}
        assert replaced <= {d for d, grade in more[topic].items() if grade >= 90} == shared
        assert len(replaced) == int(np.floor(share * len(shared) + 0.5))
        assert all(mixed[topic][d] == second[topic][d] + 100 for d in replaced)
        assert all(mixed[topic][d] == judged[d] for d in judged.keys() - replaced)


def test_mix_says_what_it_keeps_and_what_is_odd() -> None:
    human = Qrels.from_dict({"1": {"x": 1, "y": 0, "z": 1}})
    with pytest.warns(DataWarning, match="1 of 3 judgments stay human, because the machine lacks"):
        mix(human, Qrels.from_dict({"1": {"x": 0, "y": 1}}), 0.5, 1)
    with pytest.warns(DataWarning, match=r"machine \(0 to 34\) go beyond those of the human \(0 to 1\)"):
        mix(human, Qrels.from_dict({"1": {"x": 34, "y": 0, "z": 3}}), 0.5, 1)


RUNS = Runs.from_dict({"a": {"1": ["x"]}, "b": {"1": ["y"]}})
QRELS = Qrels.from_dict({"1": {"x": 1, "y": 0}})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: depth_pool(RUNS, QRELS, 0), "k is 0"),
        (lambda: depth_pool(RUNS, QRELS, 1, ["c"]), "has no 'c'"),
        (lambda: depth_pool(RUNS, QRELS, 1, "a"), "contributing is 'a': give a list"),
        (lambda: depth_pool(RUNS, QRELS, 1, []), r"contributing is \[\]: give a list"),
        (lambda: depth_pool({}, QRELS, 1), r"runs is \{\}: give Runs"),  # type: ignore[arg-type]
        (lambda: sample(QRELS, 0), "share is 0: give a number above 0"),
        (lambda: sample(QRELS, 1.5), "share is 1.5"),
        (lambda: sample(QRELS, True), "share is True"),
        (lambda: sample({}, 0.5), r"qrels is \{\}: give Qrels"),  # type: ignore[arg-type]
        (lambda: sample(QRELS, 0.5, rel=0), "rel is 0"),
        (lambda: sample(Qrels.from_dict({"1": {"x": 0.5}}), 0.5), "with rel="),
        (lambda: pseudo(RUNS, 1, share=0), "share is 0"),
        (lambda: pseudo(RUNS, 1, spread=-1), "spread is -1"),
        (lambda: from_runs(QRELS, RUNS, ["z"]), "has no 'z'"),
        (lambda: leave_out(RUNS, QRELS, "X", {"A": ["a"], "B": ["b"]}), "teams has no 'X'; available: A, B"),
        (lambda: leave_out(RUNS, QRELS, "A", {"A": ["a", "b"]}), "has all the runs"),
        (lambda: leave_out(RUNS, QRELS, "A", {"A": ["a"], "B": ["c"]}), "has no 'c'"),
        (lambda: leave_out(RUNS, QRELS, "A", ["a"]), "teams is .*: give a dictionary"),  # type: ignore[arg-type]
        (lambda: mix(QRELS, QRELS, -0.1), "share is -0.1: give a number from 0"),
    ],
)
def test_bad_arguments(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
    assert issubclass(InputTypeError, InputError)
