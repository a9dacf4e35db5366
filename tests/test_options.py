"""Bad calls: every option of every public callable is checked, and only errors of ours are raised."""

from __future__ import annotations

import inspect
import random
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import concordant as cc

from .read.test_reader import FAMILIES, FUNCTIONS, SIDES, TOPICS

TRUTH, CANDIDATE, OTHER = SIDES.values()
FEW = TRUTH.select(topics=TOPICS[:12])
RANKS, MIXED = [3.0, 2.0, 1.0], [3.0, 1.0, 2.0]
NESTED = {f"s{k}": {t: {f"d{j}": float(j * (k + 1) % 5) + j / 9 for j in range(5)} for t in "12345"} for k in range(4)}
GRADES = {topic: {f"d{j}": j % 3 for j in range(5)} for topic in "12345"}
RUNS, QRELS = cc.Runs.from_dict(NESTED), cc.Qrels.from_dict(GRADES)
JUDGE = cc.Qrels.from_dict({topic: {f"d{j}": (j + int(topic)) % 3 for j in range(5)} for topic in "12345"})
TEAMS = {"A": ["s0", "s1"], "B": ["s2", "s3"]}
REPEATED = cc.Scores(np.random.default_rng(1).random((6, 3, 4)), range(6), ["a", "b", "c"])
DRAWS: dict[str, Any] = {"n_resamples": 100, "rng": 1}


class Call(NamedTuple):
    """A callable, and arguments with which it works; those that it could do without are tried as well."""

    function: Callable[..., Any]
    given: dict[str, Any]


class Taking:
    """A class that is called with anything."""

    def __init__(self, *given: object) -> None: ...


@cache
def made(name: str) -> Any:
    """The results of which methods are called."""
    changes = [cc.judgments.Change("sample", 0.5)]
    makers: dict[str, Callable[[], Any]] = {
        "comparison": lambda: cc.compare(TRUTH, CANDIDATE, worth=False, **DRAWS),
        "explanation": lambda: cc.explain(TRUTH, CANDIDATE),
        "simulator": lambda: cc.study.Simulator(TRUTH),
        "judgments": lambda: cc.study.judgment_study(
            RUNS, QRELS, changes, ["map"], ["tau_b"], n_draws=2, n_resamples=20
        ),
        "judges": lambda: cc.study.judge_study(RUNS, QRELS, {"a": JUDGE}, ["map"], ["tau_b"], n_resamples=600),
        "reliability": lambda: cc.study.reliability_study({"a": TRUTH}, n_trials=1, sizes=[10]),
        "combined": lambda: cc.combine(FEW, CANDIDATE),
        "labels": lambda: cc.judgments.label(RUNS, measures=["map"], budget=4, seed=1),
        "labels_of_two": lambda: cc.judgments.label(RUNS.select(RUNS.systems[:2]), measures=["map"], budget=3, seed=1),
        "label_ranking": lambda: cc.judgments.rank_from_labels(made("labels").with_grades(QRELS), RUNS, "map"),
        "null": lambda: cc.null_distribution("tau_ap", 5),
        "intervals": lambda: cc.rank_intervals(TRUTH, **DRAWS),
    }
    with warnings.catch_warnings(action="ignore"):
        return makers[name]()


@cache
def calls() -> dict[str, Call]:
    two, one = {"truth": TRUTH, "candidate": CANDIDATE}, {"scores": TRUTH}
    judged = {"runs": RUNS, "qrels": QRELS}
    mixed = {"human": FEW, "machine": CANDIDATE}
    both = {"truth": TRUTH, "candidates": {"a": CANDIDATE, "b": OTHER}}
    read = {
        "measure",
        "missing",
        "lower_is_better",
        "groups",
        "types",
        "total",
        "teams",
        "families",
        "systems",
        "topics",
    }
    how: dict[str, Any] = dict.fromkeys(read - {"missing", "total"}) | {"missing": "error", "total": "mean"}
    how |= dict.fromkeys(["topic_column", "system_column", "score_column"])
    found: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
        "as_scores": (cc.as_scores, {"given": TRUTH, **how}),
        "read_scores": (cc.read_scores, {"given": "people.csv", **how}),
        "read_runs": (cc.read_runs, {"what": {"a": "run.txt", "b": "run.txt"}}),
        "read_qrels": (cc.read_qrels, {"what": "qrels.txt"}),
        "votes.read_votes": (cc.votes.read_votes, {"what": "votes.csv"}),
        "pair": (cc.pair, both),
        "load_collection": (cc.load_collection, {"name": "people"}),
        "get_coefficient": (cc.get_coefficient, {"name": "tau"}),
        "audit": (cc.audit, {**two, "reported": "0.52"}),
        "compare": (cc.compare, {"truth": TRUTH, "candidates": CANDIDATE, "worth": False, **DRAWS}),
        "correlate": (cc.correlate, {**two, "n_resamples": 600, "rng": 1}),
        "explain": (cc.explain, two),
        "permutation_test": (cc.permutation_test, {**two, **DRAWS}),
        "rank_distance": (cc.rank_distance, two),
        "rank_test": (cc.rank_test, {**two, **DRAWS}),
        "judges.rank_changes": (cc.judges.rank_changes, {**two, **DRAWS}),
        "rank_intervals": (cc.rank_intervals, {**one, **DRAWS}),
        "votes.rank_votes": (
            cc.votes.rank_votes,
            {"votes": cc.votes.Votes(["x", "x", "y"], ["y", "y", "x"], ["x", "y", "y"]), **DRAWS},
        ),
        "board": (cc.board, {**one, **DRAWS}),
        "planning.try_labels": (
            cc.planning.try_labels,
            {"runs": RUNS, "qrels": QRELS, "measure": "map", "n_lists": 1, "shares": [0.5], "rng": 1},
        ),
        "ranks.discriminative_power": (cc.ranks.discriminative_power, two),
        "difference": (cc.difference, {**one, "a": TRUTH.systems[0], "b": TRUTH.systems[1], "rng": 1}),
        "ranks.neighbours": (cc.ranks.neighbours, {**one, "rng": 1}),
        "ranks.run_noise": (cc.ranks.run_noise, {"scores": REPEATED}),
        "planning.plan_runs": (cc.planning.plan_runs, {"scores": REPEATED}),
        "expected_correlation": (cc.expected_correlation, {**one, "rng": 1}),
        "reliability": (cc.reliability, {**one, "rng": 1}),
        "plan_topics": (cc.plan_topics, {**one, "n_resamples": 200, "rng": 1}),
        "select_topics": (cc.select_topics, {**one, "k": 5, "n_splits": 2, "rng": 1}),
        "combine": (cc.combine, mixed),
        "plan_mix": (cc.plan_mix, {**mixed, "as_good_as": 40, "costs": (20, 0.1)}),
        "simulate": (cc.simulate, {**one, "n_topics": 30, "rng": 1}),
        "judges.family_bias": (cc.judges.family_bias, {**two, "families": FAMILIES, **DRAWS}),
        "judge_card": (cc.judge_card, {**both, **DRAWS}),
        "judge_worth": (cc.judge_worth, {**two, "rng": 1}),
        "rank_judges": (cc.rank_judges, {**both, "rng": 1}),
        "judges.significance_agreement": (cc.judges.significance_agreement, two),
        "soft_pairwise_accuracy": (cc.soft_pairwise_accuracy, {**two, **DRAWS}),
        "judges.tie_calibration": (cc.judges.tie_calibration, {**two, "rng": 1}),
        "tie_bounds": (cc.tie_bounds, {"truth": RANKS, "candidate": MIXED}),
        "null_distribution": (cc.null_distribution, {"coefficient": "tau", "m": 5}),
        "evaluate": (cc.evaluate, {**judged, "measures": ["map"]}),
        "study.judge_study": (
            cc.study.judge_study,
            {"runs": RUNS, "truth": QRELS, "judges": {"a": JUDGE}, "measures": ["map"], "coefficients": ["tau_b"]}
            | {"n_resamples": 600},
        ),
        "study.judgment_study": (
            cc.study.judgment_study,
            {**judged, "changes": [cc.judgments.Change("depth_pool", 2)], "measures": ["map"], "n_resamples": 20},
        ),
        "judgments.Change": (cc.judgments.Change, {"kind": "sample", "level": 0.1}),
        "judgments.depth_pool": (cc.judgments.depth_pool, {**judged, "k": 2}),
        "judgments.from_runs": (cc.judgments.from_runs, {**judged, "names": ["s0"]}),
        "judges.gaming_gap": (
            cc.judges.gaming_gap,
            {"runs": RUNS, "people": QRELS, "judge": JUDGE, "measure": "nDCG@5", "n_resamples": 99, "rng": 1},
        ),
        "judgments.label_agreement": (
            cc.judgments.label_agreement,
            {"truth": QRELS, "candidate": JUDGE, **DRAWS},
        ),
        "judgments.label": (cc.judgments.label, {"runs": RUNS, "measures": ["map"], "budget": 3, "seed": 1}),
        "judgments.rank_from_labels": (
            cc.judgments.rank_from_labels,
            {"labels": made("labels").with_grades(QRELS), "runs": RUNS, "measure": "map"},
        ),
        "judgments.LabelRanking.favoured": (made("label_ranking").favoured, {}),
        "judgments.LabelList.add": (made("labels_of_two").add, {"runs": RUNS}),
        "judgments.read_labels": (cc.judgments.read_labels, {"path": "list.csv"}),
        "judgments.LabelList.write": (made("labels").write, {"path": "new.csv"}),
        "judgments.LabelList.with_grades": (made("labels").with_grades, {"qrels": QRELS}),
        "judgments.leave_out": (cc.judgments.leave_out, {**judged, "team": "A", "teams": TEAMS}),
        "judgments.mix": (cc.judgments.mix, {"human": QRELS, "machine": JUDGE, "share": 0.5}),
        "judgments.pseudo": (cc.judgments.pseudo, {"runs": RUNS, "k": 2}),
        "judgments.sample": (cc.judgments.sample, {"qrels": QRELS, "share": 0.5}),
        "study.reliability_study": (
            cc.study.reliability_study,
            {"collections": {"a": TRUTH}, "n_trials": 1, "sizes": [10]},
        ),
        "Scores": (cc.Scores, {"values": [[0.1, 0.2]], "topics": ["t"], "systems": ["a", "b"]}),
        "Means": (cc.Means, {"values": [0.1, 0.2], "systems": ["a", "b"]}),
        "votes.Votes": (cc.votes.Votes, {"a": ["x", "y"], "b": ["y", "x"], "winner": ["x", "tie"]}),
        "study.Simulator": (cc.study.Simulator, one),
        # Methods
        "Scores.select": (TRUTH.select, {}),
        "Scores.drop_bottom": (TRUTH.drop_bottom, {}),
        "Scores.to_frame": (TRUTH.to_frame, {}),
        "Means.select": (cc.as_scores({"a": 1.0, "b": 2.0}).select, {}),
        "Qrels.from_dict": (cc.Qrels.from_dict, {"nested": GRADES}),
        "Qrels.recode": (QRELS.recode, {"changed": {2: 1}}),
        "Qrels.select": (QRELS.select, {"topics": ["1"]}),
        "Qrels.write": (QRELS.write, {"path": "out.qrels"}),
        "Runs.from_dict": (cc.Runs.from_dict, {"nested": NESTED}),
        "Runs.cut": (RUNS.cut, {"k": 2}),
        "Runs.documents": (RUNS.documents, {"system": "s0", "topic": "1"}),
        "Runs.retrieved": (RUNS.retrieved, {}),
        "Runs.select": (RUNS.select, {"systems": ["s0"]}),
        "study.Simulator.draw": (made("simulator").draw, {"n_topics": 5}),
        "study.Simulator.simulate": (made("simulator").simulate, {"n_topics": 5}),
        "Comparison.plot": (made("comparison").plot, {}),
        "Comparison.text": (made("comparison").text, {"every": True}),
        "Comparison.table": (made("comparison").table, {}),
        "Explanation.rows": (made("explanation").rows, {}),
        "Explanation.to_frame": (made("explanation").to_frame, {}),
        "Explanation.plot": (made("explanation").plot, {}),
        "RankIntervals.best": (made("intervals").best, {}),
        "NullDistribution.sf": (made("null").sf, {"value": 0.5}),
        "NullDistribution.cdf": (made("null").cdf, {"value": 0.5}),
        "NullDistribution.pvalue": (made("null").pvalue, {"value": 0.5}),
        "study.StudyResult.cell": (made("judgments").cell, {}),
        "study.StudyResult.plot": (made("judgments").plot, {}),
        "study.StudyResult.save": (made("judgments").save, {"folder": "saved"}),
    }
    vectors = [c.name for c in cc.list_coefficients() if c.name in cc.__all__]
    found |= {name: (getattr(cc, name), {"truth": RANKS, "candidate": MIXED}) for name in vectors}
    return {name: Call(*call) for name, call in found.items()}


# What modules of the package call, not its users: on what was checked before.
INTERNAL = {
    *(f"{side}.{name}" for side in ("Scores", "Means") for name in ("described", "settled", "shown")),
    *("Scores.like", "Pairing.alone"),
    *("Qrels.of_columns", "Qrels.at", "Qrels.take", "Qrels.with_grades", "Qrels.get", "Runs.of"),
    *("judgments.Change.make", "judgments.Change.with_notes"),
    *("judgments.LabelList.of_plan", "judgments.LabelList.pool"),
}


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Everything public that takes arguments. Results and what is read are made by functions, not by their classes."""
    for name in cc.__all__:
        value = getattr(cc, name)
        inner = {f"{name}.{k}": getattr(value, k) for k in getattr(value, "__all__", ())}
        for called, each in (inner if inspect.ismodule(value) else {name: value}).items():
            if inspect.isclass(each) and not issubclass(each, BaseException):
                if each.__init__.__code__.co_filename != "<string>":
                    yield called, each
                for inside, method in inspect.getmembers(each, lambda m: inspect.isfunction(m) or inspect.ismethod(m)):
                    again = inside.startswith("_") or inside in ("report", "text")
                    if not again and inspect.signature(method).parameters.keys() - {"self", "ax"}:
                        yield f"{called}.{inside}", method
            elif inspect.isroutine(each) and inspect.signature(each).parameters:
                yield called, each


# ---- nonsense


def nonsense() -> dict[str, Any]:
    return {
        "None": None,
        "True": True,
        "False": False,
        "0": 0,
        "-1": -1,
        "-3.5": -3.5,
        "0.5": 0.5,
        "1.5": 1.5,
        "1e308": 1e308,
        "10**12": 10**12,
        "10**400": 10**400,
        "nan": float("nan"),
        "inf": float("inf"),
        "numpy nan": np.float64("nan"),
        "complex": 2 + 3j,
        "word": "nonsense",
        "empty word": "",
        "bytes": b"nonsense",
        "[]": [],
        "()": (),
        "{}": {},
        "set()": set(),
        "{1}": {1},
        "[None]": [None],
        "[nan]": [float("nan")],
        "[[]]": [[]],
        "mapping to None": {"a": None},
        "mapping of numbers": {1: 2, 2: "x"},
        "array": np.array([0.3, 0.5]),
        "empty array": np.empty(0),
        "array of objects": np.array([object(), None], dtype=object),
        "range": range(3),
        "generator": (k for k in "ab"),
        "object": object(),
        "...": ...,
        "function": lambda *given: None,
        "class": Taking,
        "executor": ThreadPoolExecutor(1),
        "Generator": np.random.default_rng(0),
        "Scores": FEW,
        "Runs": RUNS,
    }


LEVELS, SIGNED = {"0.5"}, {"-1", "0", "0.5"}
WORDS, BELOW_1, POSITIVE = {"word", "empty word"}, {"0", "0.5"}, {"0.5", "1.5", "1e308", "10**12"}
# What an option may accept of it, beside True and False for a switch and None where that is the default; all other
# options refuse all of it.
ACCEPTED: dict[str, set[str]] = {
    **dict.fromkeys(["alpha", "confidence_level", "p", "probability", "level"], LEVELS),
    **dict.fromkeys(["drop_bottom", "quantile", "share", "shrinkage", "spread", "target"], BELOW_1),
    **dict.fromkeys(["eps", "degrees_of_freedom", "rel"], POSITIVE),
    **dict.fromkeys(["margin", "threshold", "tolerance"], POSITIVE | {"0"}),
    **dict.fromkeys(["tau", "tau_ap"], SIGNED),
    **dict.fromkeys(["address", "call", "name", "source", "topic_column", "system_column", "score_column"], WORDS),
    "audit.top": {"10**12", "10**400", "[]", "()", "empty array"},
    "compare.rank_test": {"None"},
    "correlate.method": {"None"},
    "Means.errors": {"array"},  # 0.3 and 0.5, for two systems
    "costs": {"array"},  # 0.3 and 0.5
    "departures": {"0"},
    "folder": WORDS,
    "study.judge_study.rng": {"0", "10**12", "10**400"},
    "study.judgment_study.rng": {"0", "10**12", "10**400"},
    "judgments.label.seed": {"0"},
    "planning.try_labels.shares": {"array"},  # 0.3 and 0.5
    "planning.plan_runs.budget": {"10**12"},
    "judgments.label.topics": {"[]", "()", "empty array"},  # as if it were left out
    "labels": {"{}"},
    "lam": POSITIVE | {"0", "-1", "-3.5"},
    "measure": WORDS,
    "more": WORDS,
    "more_topics": {"0"},
    **dict.fromkeys(["planning.plan_runs.topic_cost", "planning.plan_runs.run_cost"], POSITIVE | {"0"}),
    "notes": {"[]", "()", "empty array", "generator"},
    "names": {"generator"},  # of two letters
    "path": WORDS,
    "progress": {"function", "class"},
    "rng": {"None", "0", "10**12", "10**400", "Generator"},
    "statistic": {"empty word"},
    "statistics": {"[]", "()", "empty array", "generator"},
    "study.reliability_study.rng": {"0", "10**12", "10**400"},
    "workers": {"10**12", "10**400", "executor"},
}
# What is data, or describes data: whatever can be read as such is accepted.
DATA = {
    *("candidate", "candidates", "changed", "collections", "comparisons", "covariance", "distance", "given", "human"),
    *(
        "judges",
        "machine",
        "means",
        "nested",
        "q",
        "qrels",
        "reported",
        "result",
        "runs",
        "scores",
        "standard_errors",
        "truth",
    ),
    *("value", "values", "votes", "what", "winner", "questions", "groups", "types", "teams", "families"),
    *(
        "votes.Votes.a",
        "votes.Votes.b",
        "select_topics.costs",
        "Scores.select.systems",
        "Scores.select.topics",
        "Means.select.systems",
    ),
    *(
        f"{name}.{labels}"
        for name in ("Scores", "Means", "as_scores", "read_scores")
        for labels in ("systems", "topics")
    ),
    *("Runs.select.systems", "Runs.retrieved.systems", "Qrels.select.topics", "study.judge_study.truth_name"),
}


def may_accept(name: str, argument: str, label: str) -> bool:
    if {argument, f"{name}.{argument}"} & DATA:
        return True
    function = calls()[name].function
    parameter = inspect.signature(function).parameters.get(argument)
    default = calls()[name].given[argument] if parameter is None else parameter.default
    return (
        (label == "None" and default is None)
        or (label in ("True", "False") and isinstance(default, bool))
        or (label in ("None", "True", "False") and argument == "lower_is_better")
        or label in ACCEPTED.get(f"{name}.{argument}", ACCEPTED.get(argument, set()))
    )


def outcome(call: Call, argument: str, value: Any) -> Exception | None:
    with warnings.catch_warnings(action="ignore"):
        try:
            call.function(**call.given | {argument: value})
        except Exception as error:
            return error
    return None


@cache
def bad_calls() -> list[tuple[str, str, str]]:
    found = []
    for name, call in calls().items():
        parameters = inspect.signature(call.function).parameters.values()
        named = {p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
        found += [(name, each, label) for each in sorted(named | call.given.keys()) for label in nonsense()]
    return found


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with files to read, for what is written, too."""
    monkeypatch.chdir(tmp_path)
    TRUTH.to_frame().to_csv("people.csv")
    Path("run.txt").write_text("1 Q0 d1 1 0.5 a\n")
    made("labels").write("list.csv")
    Path("qrels.txt").write_text("1 0 d1 1\n2 0 d1 0\n")
    Path("votes.csv").write_text("model_a,model_b,winner\nx,y,model_a\ny,x,tie\n")


def refuse_all(tried: list[tuple[str, str, str]]) -> None:
    from matplotlib import pyplot

    values, wrong = nonsense(), []
    for name, argument, label in tried:
        error = outcome(calls()[name], argument, nonsense()[label])  # anew: a generator is used up
        pyplot.close("all")
        # What the file system refuses is told by it, with the name of the file.
        told = isinstance(error, OSError) and argument in ("path", "folder") and error.filename == values[label]
        if error is None and not may_accept(name, argument, label):
            wrong.append(f"{name}({argument}={label}) is accepted")
        elif error is not None and not isinstance(error, cc.ConcordantError) and not told:
            wrong.append(f"{name}({argument}={label}) raises {error!r}")
    assert not wrong, "\n".join(wrong)


def test_no_public_callable_is_forgotten() -> None:
    assert {name for name, _ in public()} - INTERNAL <= calls().keys()


@pytest.mark.usefixtures("files")
def test_the_calls_are_right_as_they_are() -> None:
    for call in calls().values():
        with warnings.catch_warnings(action="ignore"):
            call.function(**call.given)


@pytest.mark.usefixtures("files")
def test_some_bad_calls() -> None:
    assert len(bad_calls()) >= 10_000
    refuse_all(random.Random(1).sample(bad_calls(), 1_500))


@pytest.mark.long
@pytest.mark.usefixtures("files")
def test_all_bad_calls() -> None:
    refuse_all(bad_calls())


class Untouched:
    """Data that nobody may look at."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError("work was begun before the options were checked")


LATE = {"10**12", "10**400", "[]", "()", "empty array", "generator"}  # too many or too few for these data only
# Data say which there are.
NAMES = {("difference", side, label) for side in "ab" for label in ("word", "empty word")}
NAMES |= {("compare", "measures", label) for label in ("word", "empty word")}
SIDES_OF = {"truth", "candidate", "scores", "human", "machine"}


def test_options_are_checked_before_any_work() -> None:
    """Each error names the option, although the data are none."""
    count, wrong = 0, []
    for name, argument, label in bad_calls():
        call = calls()[name]
        if name in FUNCTIONS and not may_accept(name, argument, label) and (name, argument, label) not in NAMES:
            given = call.given | {side: Untouched() for side in SIDES_OF & call.given.keys()}
            error = outcome(Call(call.function, given), argument, nonsense()[label])
            if not isinstance(error, AssertionError) or label not in LATE:
                count += 1
                if not isinstance(error, cc.ConcordantError) or argument.rstrip("s") not in str(error):
                    wrong.append(f"{name}({argument}={label}) raises {error!r}")
    assert not wrong, "\n".join(wrong)
    assert count > 3_000


def test_a_message_names_the_argument_the_value_and_what_to_give() -> None:
    two: dict[str, Any] = {"truth": TRUTH, "candidate": CANDIDATE}
    judged: dict[str, Any] = {"runs": RUNS, "truth": QRELS, "measures": ["AP"]}
    tried: list[tuple[Any, dict[str, Any], str]] = [
        (cc.correlate, {**two, "method": "no"}, "method is 'no': use 'auto', "),
        (cc.compare, {**two, "test": "no"}, "test is 'no': give True or False"),
        (cc.reliability, {"scores": TRUTH, "identical": -3}, "identical is -3: use 'half' or 'concordant'"),
        (cc.read_scores, {"given": "x", "missing": "no"}, "missing is 'no': use 'error', 'zero', 'drop', "),
        (
            cc.study.judge_study,
            {**judged, "judges": {"a": 1}},
            "judges is {'a': 1}: give a dictionary of Qrels by name",
        ),
        (
            cc.board,
            {"scores": TRUTH, "rng": -1},
            "rng is -1: give a seed (a whole number, at least 0) or a numpy Generator",
        ),
        (cc.rank_test, {**two, "alpha": np.arange(99)}, "alpha is array([ 0,  1,  2,"),
    ]
    for function, given, message in tried:
        with pytest.raises(cc.ConcordantError) as raised:
            function(**given)
        assert str(raised.value).startswith(message)
        assert len(str(raised.value)) < 250


def test_numbers_of_numpy_are_numbers() -> None:
    given: dict[str, Any] = {"n_resamples": np.int64(99), "rng": np.int64(1), "simultaneous": np.True_}
    found = cc.rank_intervals(TRUTH, confidence_level=np.float64(0.9), **given)
    assert found.to_dict() == cc.rank_intervals(TRUTH, confidence_level=0.9, n_resamples=99, rng=1).to_dict()


def test_whatever_takes_work_is_an_executor() -> None:
    class Submits:
        def __init__(self) -> None:
            self.pool = ThreadPoolExecutor(2)

        def submit(self, *work: Any) -> Any:
            return self.pool.submit(*work)

    of_one = cc.rank_intervals(TRUTH, n_resamples=3_000, rng=1)
    given: Any = Submits()
    assert cc.rank_intervals(TRUTH, n_resamples=3_000, rng=1, workers=given).to_dict() == of_one.to_dict()


def test_help_shows_the_signature() -> None:
    assert str(inspect.signature(cc.rank_intervals)).startswith(
        "(scores: 'Collection', *, confidence_level: 'float' = 0.95"
    )
    assert cc.rank_intervals.__module__ == "concordant.ranks.intervals"


def test_the_study_of_judges_has_the_ranking_of_its_card() -> None:
    """Twelve topics, so that there is a ranking."""
    topics = [str(k) for k in range(12)]
    runs = {
        f"s{k}": {t: {f"d{j}": (j * (k + 1) + int(t)) % 7 + j / 9 for j in range(7)} for t in topics} for k in range(4)
    }
    people = cc.Qrels.from_dict({t: {f"d{j}": j % 3 for j in range(7)} for t in topics})
    judge = cc.Qrels.from_dict({t: {f"d{j}": (j + int(t)) % 3 for j in range(7)} for t in topics})
    found = cc.study.judge_study(cc.Runs.from_dict(runs), people, {"a": judge}, ["AP"], n_resamples=600, rng=3)
    scores = [cc.evaluate(cc.Runs.from_dict(runs), qrels, "AP") for qrels in (people, judge)]
    alone = cc.rank_judges(scores[0], {"a": scores[1]}, coefficient="tau_b", names=("the truth", "a"), rng=3)
    assert found.ranking is not None
    assert found.ranking.to_dict() == alone.to_dict()
