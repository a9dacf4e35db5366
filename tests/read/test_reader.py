"""One door: every function that takes a collection gives the same answer for the same data in every form."""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

M, N = 8, 24
RNG = np.random.default_rng(5)
SYSTEMS = [f"sys-{name}" for name in "abcdefgh"]
FAMILIES = {system: "odd" if k % 2 else "even" for k, system in enumerate(SYSTEMS)}
TOPICS = [str(301 + k) for k in range(N)]
SCORES = np.round(RNG.random((N, M)) * 0.6 + np.linspace(0, 0.3, M), 4)
SIDES = {
    name: cc.Scores(np.round(np.clip(SCORES + RNG.normal(0, noise, SCORES.shape), 0, 1), 4), TOPICS, SYSTEMS)
    for name, noise in (("truth", 0.0), ("candidate", 0.2), ("other", 0.4))
}


def as_file(scores: cc.Scores, folder: Path) -> str:
    path = folder / f"{abs(hash(scores))}.csv"
    scores.to_frame().to_csv(path)
    return str(path)


def wide(scores: cc.Scores) -> Any:
    """With a numeric column of topics, which must not become a system."""
    frame = scores.to_frame().reset_index()
    return frame.astype({"topic": int})


class ArrowStream:
    """A table with Arrow's interface and no other, as a library has that this package does not know."""

    def __init__(self, frame: Any) -> None:
        self.__arrow_c_stream__ = frame.__arrow_c_stream__


def arrow(scores: cc.Scores) -> Any:
    return ArrowStream(polars.from_pandas(wide(scores)).to_arrow())  # polars has it from 1.3 on


FORMS: dict[str, Callable[[cc.Scores, Path], Any]] = {
    "file": as_file,
    "path": lambda scores, folder: Path(as_file(scores, folder)),
    "list of one path": lambda scores, folder: [as_file(scores, folder)],
    "wide frame, numeric topics": lambda scores, _: wide(scores),
    "wide frame, topics as index": lambda scores, _: scores.to_frame(),
    "long frame": lambda scores, _: scores.to_frame().reset_index().melt("topic").astype({"topic": int}),
    "polars": lambda scores, _: polars.from_pandas(wide(scores)),
    "arrow": lambda scores, _: arrow(scores),
    "nested": lambda scores, _: {
        s: {t: float(v) for t, v in zip(scores.topics, column, strict=True)}
        for s, column in zip(scores.systems, scores.values.T, strict=True)
    },
}


def halves(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """For people and machines: each side in its form once, beside the other with fewer topics or with more."""
    few = SIDES["truth"].select(topics=TOPICS[:12])
    more = cc.Scores(np.tile(SCORES, (2, 1)), [*TOPICS, *(f"n{topic}" for topic in TOPICS)], SYSTEMS)
    return lambda human, machine: {"machine": run(few, machine).to_dict(), "human": run(human, more).to_dict()}


# Every public function that takes a collection. The first sides are given to it in the order of SIDES.
FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "as_scores": (1, cc.as_scores),
    "audit": (2, lambda t, c: cc.audit(t, c, names=("t", "c"), reported="0.52")),
    "combine": (2, halves(lambda h, m: cc.combine(h, m, names=("human", "machine")))),
    "board": (1, lambda s: cc.board(s, n_resamples=99, rng=1)),
    "compare": (2, lambda t, c: cc.compare(t, c, names=("t", "c"), n_resamples=99, rng=1, worth=False)),
    "correlate": (2, lambda t, c: cc.correlate(t, c, n_resamples=600, rng=1)),
    "judges.family_bias": (2, lambda t, c: cc.judges.family_bias(t, c, families=FAMILIES, n_resamples=99, rng=1)),
    "difference": (1, lambda s: cc.difference(s, *SYSTEMS[:2], rng=1)),
    "ranks.neighbours": (1, lambda s: cc.ranks.neighbours(s, rng=1)),
    "judge_card": (3, lambda t, a, b: cc.judge_card(t, {"a": a, "b": b}, names=("t", "a", "b"), n_resamples=99, rng=1)),
    "judge_worth": (2, lambda t, c: cc.judge_worth(t, c, names=("t", "c"), rng=1)),
    "rank_judges": (3, lambda t, a, b: cc.rank_judges(t, {"a": a, "b": b}, names=("t", "a", "b"), rng=1)),
    "ranks.discriminative_power": (2, cc.ranks.discriminative_power),
    "expected_correlation": (1, lambda x: cc.expected_correlation(x, rng=0)),
    "explain": (2, cc.explain),
    "permutation_test": (2, lambda t, c: cc.permutation_test(t, c, n_resamples=99, rng=1)),
    "plan_mix": (2, halves(lambda h, m: cc.plan_mix(h, m, as_good_as=40, costs=(20, 0.1), names=("human", "machine")))),
    "plan_topics": (1, lambda s: cc.plan_topics(s, n_resamples=200, rng=1)),
    "judges.rank_changes": (2, lambda t, c: cc.judges.rank_changes(t, c, n_resamples=199, rng=1)),
    "rank_distance": (2, cc.rank_distance),
    "rank_intervals": (1, lambda s: cc.rank_intervals(s, n_resamples=199, rng=1)),
    "rank_test": (2, lambda t, c: cc.rank_test(t, c, n_resamples=99, rng=1)),
    "reliability": (1, lambda s: cc.reliability(s, rng=1)),
    "select_topics": (1, lambda s: cc.select_topics(s, 5, n_splits=2, rng=1)),
    "simulate": (1, lambda s: cc.simulate(s, 30, rng=1)),
    "judges.significance_agreement": (2, cc.judges.significance_agreement),
    "soft_pairwise_accuracy": (2, lambda t, c: cc.soft_pairwise_accuracy(t, c, n_resamples=99, rng=1)),
    "judges.tie_calibration": (2, lambda t, c: cc.judges.tie_calibration(t, c, rng=1)),
    "study.reliability_study": (1, lambda s: cc.study.reliability_study({"a": s}, n_trials=1, rng=1)),
}


def taking_collections() -> set[str]:
    """The public functions with a parameter that is annotated as a collection."""
    found = set()
    for name in cc.__all__:
        value = getattr(cc, name)
        if inspect.ismodule(value):
            inside = {f"{name}.{inner}": getattr(value, inner) for inner in getattr(value, "__all__", ())}
        elif inspect.isclass(value):
            inside = {f"{name}.{inner}": method for inner, method in inspect.getmembers(value, inspect.ismethod)}
        else:
            inside = {name: value}
        for called, function in inside.items():
            if inspect.isroutine(function) and "__" not in called:
                annotations = [str(p.annotation) for p in inspect.signature(function).parameters.values()]
                if any("Collection" in annotation.replace("collections", "") for annotation in annotations):
                    found.add(called)
    return found


def test_no_function_that_takes_collections_is_forgotten() -> None:
    assert taking_collections() - FUNCTIONS.keys() == {
        "pair",
        "ranks.run_noise",
        "planning.plan_runs",
    }  # tests/data/test_scores.py and test_repeated.py


def plain(result: Any) -> Any:
    """What a function found, without what names the form of the input."""
    found = result.to_dict() if hasattr(result, "to_dict") else result
    if isinstance(found, dict):
        found.pop("cost", None)  # seconds
        if getattr(result, "kind", "") in ("RankChanges", "SignificanceAgreement"):  # name the sides as their files
            found.pop("verdict")
    return (found.values.tolist(), found.systems) if isinstance(found, cc.Scores) else found


@cache
def of_scores(name: str) -> Any:
    """What the function finds in `Scores`, once for all forms."""
    count, function = FUNCTIONS[name]
    return plain(function(*list(SIDES.values())[:count]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_answer_for_the_same_data(name: str, form: str, tmp_path: Path) -> None:
    count, function = FUNCTIONS[name]
    given = [FORMS[form](side, tmp_path) for side in list(SIDES.values())[:count]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert plain(function(*given)) == of_scores(name)


def test_every_room_can_be_imported_alone() -> None:
    for room in ("errors", "judges", "judgments", "planning", "ranks", "ranks.votes", "study"):
        assert importlib.import_module(f"concordant.{room}") is getattr(cc, room.rpartition(".")[2])


@pytest.mark.parametrize("given", [{"a", "b"}, frozenset({"a"}), 3])
def test_what_is_no_collection_is_named(given: object) -> None:
    with pytest.raises(cc.errors.InputTypeError, match=rf"^truth is an? {type(given).__name__}: give Scores"):
        cc.compare(given, {"a": 1, "b": 2})
