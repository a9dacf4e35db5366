"""Results are values: equal where their numbers are, also after a pickle or a copy, and not to be written to."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc
from concordant.data.collection import path
from concordant.data.results import Result

pytestmark = pytest.mark.long

PEOPLE, HASTY, CAREFUL = (cc.load_collection(name) for name in ("people", "hasty", "careful"))
SMALL, QUICK, SLOW = (side.select(PEOPLE.systems[::3], PEOPLE.topics[:12]) for side in (PEOPLE, HASTY, CAREFUL))
FEW_TOPICS = PEOPLE.select(topics=PEOPLE.topics[:10])
PARTIAL = cc.Scores(
    np.where(np.random.default_rng(1).random(PEOPLE.values.shape) < 0.4, PEOPLE.values, np.nan),
    PEOPLE.topics,
    PEOPLE.systems,
)
HOLED = cc.Scores(np.where(np.eye(*SMALL.values.shape) > 0, np.nan, SMALL.values), SMALL.topics, SMALL.systems)
REPEATED = cc.Scores(np.random.default_rng(1).random((6, 3, 4)), range(6), ["a", "b", "c"])
BATCH = np.random.default_rng(1).integers(0, 4, (3, 6)).astype(float)
RUNS = cc.Runs.from_dict(
    {system: {str(t): list(order) for t in range(12)} for system, order in (("a", "xyz"), ("b", "zyx"), ("c", "yxz"))}
)
QRELS = cc.Qrels.from_dict({str(t): {"x": t % 3, "y": t % 2, "z": 0} for t in range(12)})
BATTLES = pd.DataFrame(
    {"model_a": list("xyzxyx") * 5, "model_b": list("yzxyzz") * 5, "winner": list("ABTBAA") * 5}
).replace({"winner": {"A": "model_a", "B": "model_b", "T": "tie"}})
FEW: dict[str, Any] = {"n_resamples": 99, "rng": 1}
PLAIN: dict[str, Any] = {**FEW, "worth": False, "interval": True, "n_resamples": 500}
# By the name of its class, one of every kind of result, and of the data that they are made from.
RESULTS: dict[str, Callable[[], Any]] = {
    "AuditResult": lambda: cc.audit(SMALL, QUICK, reported="0.905"),
    "CombinedMeans": lambda: cc.combine(FEW_TOPICS, CAREFUL),
    "Comparison": lambda: cc.compare(PEOPLE, HASTY, **PLAIN),
    "ComparisonTable": lambda: cc.compare(
        str(path("people")),
        str(path("hasty")),
        collections={"a": "/", "b": "/"},
        coefficients=["tau_b"],
        worth=False,
        rank_test=None,
        n_resamples=500,
        rng=1,
    ),
    "Difference": lambda: cc.difference(SMALL, *SMALL.systems[:2], rng=1),
    "Estimate": lambda: cc.expected_correlation(SMALL, coefficient="tau", rng=1),
    "Explanation": lambda: cc.explain(PEOPLE, HASTY),
    "FamilyBias": lambda: cc.judges.family_bias(
        SMALL, QUICK, families={s: s.split("-")[0] for s in SMALL.systems}, **FEW
    ),
    "GamingGap": lambda: cc.judges.gaming_gap(RUNS, QRELS, QRELS, "AP", **FEW),
    "JudgeCard": lambda: cc.judge_card(SMALL, {"hasty": QUICK, "careful": SLOW}, **FEW),
    "JudgeRanking": lambda: cc.rank_judges(SMALL, {"hasty": QUICK, "careful": SLOW}, rng=1),
    "JudgeStudy": lambda: cc.study.judge_study(RUNS, QRELS, {"same": QRELS}, ["AP"], n_resamples=500),
    "JudgeWorth": lambda: cc.judge_worth(SMALL, QUICK, rng=1),
    "JudgmentStudy": lambda: cc.study.judgment_study(
        RUNS, QRELS, [cc.judgments.Change("depth_pool", 1)], ["AP"], n_draws=2, n_resamples=99
    ),
    "LabelAgreement": lambda: cc.judgments.label_agreement(QRELS, QRELS, **FEW),
    "LabelList": lambda: cc.judgments.label(RUNS, measures=["AP"], budget=2, seed=1),
    "LabelTrial": lambda: cc.planning.try_labels(RUNS, QRELS, "AP", shares=[0.5], n_lists=2, rng=1),
    "LabelRanking": lambda: cc.judgments.rank_from_labels(
        cc.judgments.label(RUNS, measures=["AP"], budget=2, seed=1).with_grades(QRELS), RUNS, "AP"
    ),
    "Look": lambda: cc.read.look(path("hasty")),
    "MixPlan": lambda: cc.plan_mix(FEW_TOPICS, CAREFUL, as_good_as=30, costs=(20, 0.1)),
    "NullDistribution": lambda: cc.null_distribution("tau", 9),
    "PermutationTest": lambda: cc.permutation_test(PEOPLE.means(), HASTY.means(), coefficient="tau_ap_b", **FEW),
    "CombinedMeans of some labels": lambda: cc.combine(PARTIAL, CAREFUL),
    "RankChanges": lambda: cc.judges.rank_changes(PEOPLE, HASTY, rng=1),
    "RankIntervals": lambda: cc.rank_intervals(PEOPLE, **FEW),
    "RankTest": lambda: cc.rank_test(PEOPLE, HASTY, **FEW),
    "Reliability": lambda: cc.reliability(PEOPLE, rng=1),
    "ReliabilityStudy": lambda: cc.study.reliability_study({"people": SMALL}, n_trials=1, sizes=[5]),
    "RunNoise": lambda: cc.ranks.run_noise(REPEATED),
    "RunPlan": lambda: cc.planning.plan_runs(REPEATED),
    "SignificanceAgreement": lambda: cc.judges.significance_agreement(PEOPLE, HASTY),
    "TieBounds": lambda: cc.tie_bounds(np.arange(6.0), BATCH, coefficient="tau"),
    "TieCalibration": lambda: cc.judges.tie_calibration(SMALL, QUICK, rng=1),
    "TopicPlan": lambda: cc.plan_topics(SMALL, coefficient="tau_ap", target=0.9, **FEW),
    "TopicSelection": lambda: cc.select_topics(PEOPLE, 4, n_splits=2, rng=1),
}
DATA: dict[str, Callable[[], Any]] = {
    "Pairing": lambda: cc.pair(SMALL, {"hasty": QUICK, "careful": SLOW}),
    "Means": lambda: cc.Means(PEOPLE.means(), PEOPLE.systems),
    "Scores": lambda: PEOPLE.select(PEOPLE.systems),
    "Runs": lambda: cc.Runs.from_dict({"a": {"1": ["d1", "d2"]}, "b": {"1": ["d2"]}}),
    "Qrels": lambda: cc.Qrels.from_dict({"1": {"d1": 1, "d2": 0}}),
    "Votes": lambda: cc.votes.Votes(["x", "y"], ["y", "z"], ["a", "tie"], ["q1", "q2"]),
}
# Other shapes of the same classes: with holes, with everything that a comparison can hold.
OTHERS: dict[str, Callable[[], Any]] = {
    "RankIntervals with more topics": lambda: cc.board(SMALL, more_topics=20, **FEW),
    "RankIntervals of battles": lambda: cc.votes.rank_votes(BATTLES, n_resamples=100, rng=1),
    "Estimate of a correlation": lambda: cc.correlate(SMALL, QUICK, n_resamples=500, rng=1),
    "Difference of neighbours": lambda: cc.ranks.neighbours(SMALL, rng=1),
    "RankIntervals of holes": lambda: cc.board(HOLED, **FEW),
    "Comparison with worth": lambda: cc.compare(SMALL, QUICK, **{**PLAIN, "worth": True}),
}
MADE = RESULTS | DATA | OTHERS


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


def subclasses(of: type) -> Iterator[type]:
    """All of them, however far below."""
    below: type
    for below in of.__subclasses__():
        yield below
        yield from subclasses(below)


def test_every_class_of_results_is_among_them() -> None:
    for module in pkgutil.walk_packages(cc.__path__, "concordant."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found = {of.__name__ for of in subclasses(Result) if of.__module__.startswith("concordant.")}
    # StudyResult is the base of others; Findings are of every kind that has no class of its own.
    assert found - {"StudyResult", "Findings"} <= {*RESULTS}
    text = "".join(file.read_text(encoding="utf-8") for file in Path(cc.__file__).parent.rglob("*.py"))
    kinds, names = set(re.findall(r'kind="([A-Z]\w+)"', text)), {name.partition(" ")[0] for name in RESULTS}
    assert names - found <= kinds <= names


@pytest.mark.parametrize("name", list(MADE))
def test_a_result_is_a_value(name: str) -> None:
    made, again = MADE[name](), MADE[name]()
    assert (getattr(made, "_kind", "") or type(made).__name__) == name.partition(" ")[0]
    others = [again, pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)]
    for other in others:
        assert made == other
        assert (made != other) is False
        assert type(other) is type(made)
        assert type(made).__hash__ is None or hash(made) == hash(other)
    for one in (made, *others):
        assert not any(array.flags.writeable for array in arrays(one))
    for other in ("something else", None, 1.5, [made], np.array([1, 2]), pd.DataFrame({"a": [1, 2]})):
        assert made.__eq__(other) is NotImplemented
    assert made != "something else"
    assert made is not None


def test_a_batch_of_tie_bounds_differs_where_a_number_does() -> None:
    found = MADE["TieBounds"]()
    assert np.ndim(found.minimum) == 1
    assert found != cc.tie_bounds(np.arange(6.0), BATCH[::-1], coefficient="tau")
    assert found != cc.tie_bounds(np.arange(6.0), BATCH[0], coefficient="tau")
    with pytest.raises(ValueError, match="read-only"):
        found.minimum[0] = 1


def test_votes_differ_where_a_battle_does() -> None:
    votes = cc.votes.Votes(["x", "y"], ["y", "z"], ["a", "tie"])
    others = [
        cc.votes.Votes(["x", "y"], ["y", "z"], ["a", "a"]),
        cc.votes.Votes(["x", "y"], ["y", "w"], ["a", "tie"]),
        cc.votes.Votes(["x", "y", "x"], ["y", "z", "y"], ["a", "tie", "a"]),
        cc.votes.Votes(["x", "y"], ["y", "z"], ["a", "tie"], ["q", "q"]),
        cc.votes.Votes(["x", "z"], ["y", "y"], ["a", "tie"]),
    ]
    assert all(votes != other for other in others)
    assert votes == cc.votes.Votes(["x", "y"], ["y", "z"], ["model_a", "draw"])


@pytest.mark.parametrize("count", [10**11, 10**20])
def test_more_resamples_than_memory_are_refused(count: int) -> None:
    few = PEOPLE.means()
    for call in (
        lambda: cc.rank_test(PEOPLE, HASTY, n_resamples=count),
        lambda: cc.compare(PEOPLE, HASTY, n_resamples=count),
        lambda: cc.permutation_test(few, few, coefficient="tau_ap_b", n_resamples=count),
        lambda: cc.correlate(PEOPLE, HASTY, n_resamples=count),
        lambda: cc.rank_intervals(PEOPLE, n_resamples=count),
        lambda: cc.simulate(PEOPLE, count),
    ):
        with pytest.raises(cc.errors.LimitError, match="give at most 100,000,000"):
            call()


def test_nested_data_that_are_not_nested_are_told() -> None:
    with pytest.raises(cc.errors.InputTypeError, match="system 's' has a int"):
        cc.Runs.from_dict({"s": 1})  # type: ignore[dict-item]
    with pytest.raises(cc.errors.InputTypeError, match=r"give qrels as \{topic"):
        cc.Qrels.from_dict({"s": 1})  # type: ignore[dict-item]
