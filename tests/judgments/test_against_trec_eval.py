"""`evaluate` beside pytrec_eval, which is trec_eval, and beside the definitions."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from concordant import Qrels, Runs, Scores, evaluate

from ..examples import share
from . import literal

# trec_eval's names and ours.
MEASURES = {
    "map": "AP",
    "map_cut_5": "AP@5",
    "map_cut_50": "AP@50",
    "ndcg": "nDCG",
    "ndcg_cut_3": "nDCG@3",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut_20": "nDCG@20",
    "P_1": "P@1",
    "P_5": "P@5",
    "P_20": "P@20",
    "recall_3": "R@3",
    "recall_20": "R@20",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "success_1": "Success@1",
    "success_3": "Success@3",
}
ASKED = {"ndcg", "Rprec", "recip_rank", "bpref", "map"} | {
    f"{name.rpartition('_')[0]}.{name.rpartition('_')[2]}" for name in MEASURES if name[-1].isdigit()
}


def with_level(name: str, rel: int) -> str:
    if rel == 1 or name.startswith("nDCG"):
        return name
    kind, at, cutoff = name.partition("@")
    return f"{kind}(rel={rel}){at}{cutoff}"


def trec_eval(runs: Mapping[str, Any], qrels: Mapping[str, Any], rel: int) -> dict[str, Any]:
    evaluator = pytrec_eval.RelevanceEvaluator(dict(qrels), ASKED, relevance_level=rel)
    return {system: evaluator.evaluate(run) for system, run in runs.items()}


def assert_equal(ours: Mapping[str, Scores], theirs: Mapping[str, Any], rel: int) -> None:
    for name, own in MEASURES.items():
        scores = ours[with_level(own, rel)]
        assert scores.measure == with_level(own, rel)
        wanted = [[theirs[system][topic][name] for system in scores.systems] for topic in scores.topics]
        np.testing.assert_allclose(scores.values, wanted, rtol=0, atol=1e-12, err_msg=own)


@pytest.mark.long
@pytest.mark.parametrize("collection", ["covid1", "dl21"])
def test_all_runs_of_real_collections(data: Path, collection: str, request: pytest.FixtureRequest) -> None:
    runs, judged = request.getfixturevalue(collection)
    scored: dict[str, dict[str, dict[str, float]]] = {}
    for system in runs.systems:
        with gzip.open(data / collection / "runs" / f"{system}.gz", "rt", encoding="utf-8") as file:
            for topic, _, document, _, score, *_ in map(str.split, file):
                scored.setdefault(system, {}).setdefault(topic, {})[document] = float(np.float32(score))
    for rel in (1, 2):
        ours = evaluate(runs, judged, [with_level(own, rel) for own in MEASURES.values()])
        assert_equal(ours, trec_eval(scored, judged.to_dict(), rel), rel)


_documents = st.sampled_from([f"d{k}" for k in range(9)] + ["D1", "é"])
_topics = st.sampled_from(["1", "2", "10"])
# Few scores, so that many are tied, some of them in float32 only.
_scores = st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 2.5, -3.0])
_runs = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.fixed_dictionaries({topic: st.dictionaries(_documents, _scores, min_size=1) for topic in ("1", "2", "10")}),
    min_size=1,
)


def _qrels(grades: st.SearchStrategy[Any], least: float) -> st.SearchStrategy[Any]:
    judged = st.dictionaries(_documents, grades, min_size=1).filter(lambda judged: max(judged.values()) >= least)
    return st.fixed_dictionaries({topic: judged for topic in ("1", "2", "10")})


# pytrec_eval 0.5.11 crashes where all grades of a topic are below 0; the definitions below have such topics.
@pytest.mark.long
@share(0.8)
@given(runs=_runs, qrels=_qrels(st.integers(-2, 3), least=0), rel=st.integers(1, 3))
def test_small_runs_with_ties_and_negative_grades(runs: Any, qrels: Any, rel: int) -> None:
    names = [with_level(own, rel) for own in MEASURES.values()]
    ours = evaluate(Runs.from_dict(runs), Qrels.from_dict(qrels), names)
    assert_equal(ours, trec_eval(runs, qrels, rel), rel)


DEFINITIONS: dict[str, Callable[[Any, Any, float], float]] = {
    "AP(rel={})": literal.average_precision,
    "AP(rel={})@4": lambda ranked, judged, rel: literal.average_precision(ranked, judged, rel, 4),
    "P(rel={})@3": lambda ranked, judged, rel: literal.precision(ranked, judged, rel, 3),
    "R(rel={})@3": lambda ranked, judged, rel: literal.recall(ranked, judged, rel, 3),
    "Success(rel={})@2": lambda ranked, judged, rel: literal.success(ranked, judged, rel, 2),
    "RR(rel={})": literal.reciprocal_rank,
    "RR(rel={})@2": lambda ranked, judged, rel: literal.reciprocal_rank(ranked, judged, rel, 2),
    "Rprec(rel={})": literal.r_precision,
    "Bpref(rel={})": literal.bpref,
    "nDCG": lambda ranked, judged, rel: literal.ndcg(ranked, judged),
    "nDCG@3": lambda ranked, judged, rel: literal.ndcg(ranked, judged, 3),
    "DCG": lambda ranked, judged, rel: literal.dcg(ranked, judged),
    "DCG@3": lambda ranked, judged, rel: literal.dcg(ranked, judged, 3),
}


@share(0.5)
@given(
    runs=_runs,
    qrels=_qrels(st.sampled_from([-1.0, -0.25, 0.0, 0.1, 0.5, 0.7, 1.0, 1.7, 4.0]), least=-1),
    rel=st.sampled_from([0.1, 0.5, 0.6, 1.0, 2.0]),
)
def test_definitions_on_grades_with_fractions(runs: Any, qrels: Any, rel: float) -> None:
    ranked = Runs.from_dict(runs)
    for name, definition in DEFINITIONS.items():
        (found,) = evaluate(ranked, Qrels.from_dict(qrels), [name.format(rel)]).values()
        wanted = [
            [definition(ranked.documents(system, topic), qrels[topic], rel) for system in found.systems]
            for topic in found.topics
        ]
        np.testing.assert_allclose(found.values, wanted, rtol=0, atol=1e-12, err_msg=name)
