"""`Runs` and `Qrels`: what they hold, how they are made, what they refuse."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant import Qrels, Runs, read_qrels
from concordant.errors import DataWarning, InputError, InputTypeError

_names = st.text("abcdé", min_size=1, max_size=3)
_lists = st.dictionaries(_names, st.lists(_names, unique=True, min_size=1, max_size=6), min_size=1, max_size=4)


@given(st.dictionaries(_names, _lists, min_size=1, max_size=4), st.integers(1, 4))
def test_runs_hold_what_they_were_given(nested: dict[str, dict[str, list[str]]], k: int) -> None:
    runs = Runs.from_dict(nested)
    assert runs.systems == tuple(nested)
    assert set(runs.topics) == {topic for lists in nested.values() for topic in lists}
    cut, again = runs.cut(k), pickle.loads(pickle.dumps(runs))
    assert (again.systems, again.topics) == (runs.systems, runs.topics)
    assert all(again.documents(s, t) == runs.documents(s, t) for s in runs.systems for t in runs.topics)
    some = runs.select(tuple(nested)[::-1])
    for i, system in enumerate(runs.systems):
        for j, topic in enumerate(runs.topics):
            ranked = tuple(nested[system].get(topic, ()))
            assert runs.documents(system, topic) == some.documents(system, topic) == ranked
            assert again.documents(system, topic) == ranked
            assert cut.documents(system, topic) == ranked[:k]
            assert runs.depths[i, j] == len(ranked)
    first = runs.systems[0]
    found = {
        (topic, runs.pairs.documents[runs.pairs.document_of[pair]])
        for pair in np.flatnonzero(runs.retrieved(k, [first]))
        for topic in [runs.topics[runs.pairs.topic_of[pair]]]
    }
    assert found == {(topic, document) for topic, ranked in nested[first].items() for document in ranked[:k]}


def test_runs_are_small(capsys: pytest.CaptureFixture[str]) -> None:
    runs = Runs.from_dict({str(s): {str(t): [f"d{d}" for d in range(9)] for t in range(5)} for s in range(7)})
    assert runs.items.dtype == np.int32
    assert len(runs.items) == 7 * 5 * 9
    assert len(runs.pairs) == 5 * 9
    assert len(runs.pairs.documents) == 9


def test_scores_are_ordered_as_trec_eval_orders_them() -> None:
    runs = Runs.from_dict({"a": {"1": {"x": 1.0, "y": 1.0 + 1e-9, "z": 2}}})
    assert runs.documents("a", "1") == ("z", "y", "x")
    with pytest.raises(InputError, match="not a number"):
        Runs.from_dict({"a": {"1": {"x": float("nan")}}})


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({"a": {"1": ["x", "y", "x"]}}, "system 'a' on topic '1' ranks document 'x' twice"),
        ({"a": {"1": "xyz"}}, "give a list of documents"),
        ({"a": {"1": []}}, "rank no documents"),
        ([1], "runs are a list"),
        ({"s": 1}, "system 's' has a int: give {topic: documents"),
        ({"s": {"1": {"d1", "d2"}}}, "system 's' on topic '1' has a set, which has no order"),
        ({"s": {"1": frozenset("d")}}, "has a frozenset, which has no order"),
        ({"s": {"1": {"d1": "high"}}}, "has 'high' as the score of document 'd1', which is not a number"),
        ({"s": {"1": {"d1": float("nan")}}}, "has nan as the score of document 'd1'"),
        ({"s": {"1": ["x"], 1: ["y"]}}, "the topics of system 's' hold '1' twice"),
        ({"s": {"1": {"1": 0.5, 1: 0.7}}}, "ranks document '1' twice"),
    ],
)
def test_bad_runs(nested: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Runs.from_dict(nested)


def test_unknown_labels() -> None:
    runs = Runs.from_dict({"bm25": {"1": ["x"]}})
    with pytest.raises(InputError, match="systems has no 'bm26'; did you mean 'bm25'"):
        runs.documents("bm26", "1")
    with pytest.raises(InputError, match="k is 0"):
        runs.cut(0)
    with pytest.raises(ValueError, match="read-only"):
        runs.items[0] = 1


_grades = st.one_of(st.integers(-2, 999), st.floats(-2, 9, allow_subnormal=False))
_judged = st.dictionaries(_names, st.dictionaries(_names, _grades, min_size=1, max_size=5), min_size=1, max_size=4)


@given(_judged)
def test_qrels_are_the_mapping_they_were_made_from(nested: dict[str, dict[str, float]]) -> None:
    qrels = Qrels.from_dict(nested)
    assert qrels == nested
    assert nested == qrels.to_dict()
    assert list(qrels) == list(nested)
    assert qrels.size == sum(map(len, nested.values()))
    assert set(qrels.levels) == {grade for judged in nested.values() for grade in judged.values()}
    assert pickle.loads(pickle.dumps(qrels)) == nested
    first = next(iter(nested))
    assert qrels.select([first]) == {first: nested[first]}
    none = qrels.take(np.zeros(qrels.size, dtype=np.bool_))
    assert none == {topic: {} for topic in nested}
    assert (none.size, len(none)) == (0, len(nested))


def test_writing(tmp_path: Path) -> None:
    qrels = Qrels.from_dict({"1": {"d1": 0.1, "d2": 1}, "2": {"d1": -1}})
    qrels.write(tmp_path / "q")
    assert (tmp_path / "q").read_text().startswith("1 0 d1 0.1\n")
    assert read_qrels(tmp_path / "q") == qrels
    part = qrels.take(np.array([True, False, False]))
    with pytest.warns(DataWarning, match="1 topic without a judgment not written to .*: 2"):
        part.write(tmp_path / "q")


def test_recoding() -> None:
    qrels = Qrels.from_dict({"1": {"d1": 999, "d2": 2, "d3": 0}})
    assert qrels.recode({999: None})["1"] == {"d2": 2, "d3": 0}
    assert qrels.recode({2: 1, 0: 0.5})["1"] == {"d1": 999, "d2": 1, "d3": 0.5}
    with pytest.raises(InputError, match="no judgment has the grade 3; available: 0, 2, 999"):
        qrels.recode({3: None})


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({"1": {"d": True}}, "is True: give a number"),
        ({"1": {"d": "2"}}, "'2': give a number"),
        ({"1": {"d": float("nan")}}, "at most 1e"),
        ({"1": {"d": 1e12}}, "at most 1e"),
        ({"1": {}}, "hold no judgments"),
        ({"1": 2}, "topic: {document: grade"),
        ({"1": {"d": 1}, 1: {"d": 2}}, "topics hold '1' twice"),
        ({"1": {"7": 1, 7: 2}}, "topic '1' judges a document twice"),
    ],
)
def test_bad_qrels(nested: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Qrels.from_dict(nested)
    assert issubclass(InputTypeError, InputError)
