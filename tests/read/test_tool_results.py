"""Results of evaluation tools, as the tools themselves return them, become Scores. The tools are run, not imitated."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc

TOPICS = [f"q{k}" for k in range(1, 6)]
SYSTEMS = ["bm25", "dense", "hybrid"]
RNG = np.random.default_rng(11)
DOCUMENTS = [f"d{k}" for k in range(12)]
QRELS: dict[str, dict[str, int]] = {
    topic: {document: int(grade) for document, grade in zip(DOCUMENTS, RNG.integers(0, 3, 12), strict=True)}
    for topic in TOPICS
}
RUNS: dict[str, dict[str, dict[str, float]]] = {
    system: {topic: dict(zip(DOCUMENTS[:9], RNG.random(9).tolist(), strict=True)) for topic in TOPICS}
    for system in SYSTEMS
}


@pytest.fixture(scope="module")
def expected() -> cc.Scores:
    """Average precision by concordant itself, where every grade above 0 is relevant."""
    found: cc.Scores = cc.evaluate(cc.Runs.from_dict(RUNS), cc.Qrels.from_dict(QRELS), "AP")
    return found


def same(found: Any, expected: cc.Scores) -> bool:
    ordered = found.select(systems=expected.systems, topics=expected.topics)
    return bool(np.allclose(ordered.values, expected.values, rtol=0, atol=1e-12))


# pytrec_eval --------------------------------------------------------------------------------------


def test_pytrec_eval(expected: cc.Scores) -> None:
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg_cut.10"})
    results = {system: evaluator.evaluate(run) for system, run in RUNS.items()}
    found = cc.as_scores(results, measure="map")
    assert found.measure == "map"
    assert found.systems == tuple(SYSTEMS)
    assert same(found, expected)
    one = cc.as_scores({"dense": results["dense"]}, measure="map")
    assert same(one, expected.select(systems=["dense"]))


# ir_measures --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def metrics() -> dict[str, list[Any]]:
    """What iter_calc gives for each run."""
    import ir_measures

    measures = [ir_measures.AP, ir_measures.nDCG @ 10]
    return {system: list(ir_measures.iter_calc(measures, QRELS, run)) for system, run in RUNS.items()}


def test_ir_measures(metrics: dict[str, list[Any]], expected: cc.Scores) -> None:
    import ir_measures

    found = cc.as_scores(metrics, measure="AP")
    assert found.measure == "AP"
    assert same(found, expected)
    assert cc.as_scores(metrics, measure="nDCG@10").measure == "nDCG@10"
    lazy = {s: ir_measures.iter_calc([ir_measures.AP], QRELS, run) for s, run in RUNS.items()}
    assert same(cc.as_scores(lazy), expected)
    whole = {s: ir_measures.calc([ir_measures.AP], QRELS, run) for s, run in RUNS.items()}
    assert same(cc.as_scores(whole), expected)
    assert same(cc.as_scores({"bm25": metrics["bm25"]}, measure="AP"), expected.select(systems=["bm25"]))
    frame = pd.concat(pd.DataFrame(rows).assign(system=system) for system, rows in metrics.items())
    frame["measure"] = frame["measure"].astype(str)
    assert same(cc.as_scores(frame, measure="AP"), expected)


def test_means_of_ir_measures_are_refused(metrics: dict[str, list[Any]]) -> None:
    import ir_measures

    means = {s: ir_measures.calc_aggregate([ir_measures.AP], QRELS, run) for s, run in RUNS.items()}
    with pytest.raises(cc.errors.InputError, match=r"means over topics.*iter_calc"):
        cc.as_scores(means)
    with pytest.raises(cc.errors.InputError, match="systems hold AP"):
        cc.as_scores(means["bm25"])
    with pytest.raises(cc.errors.InputError, match="of 'bm25' hold AP on topic 'q1' twice"):
        cc.as_scores({"bm25": metrics["bm25"] * 2}, measure="AP")
    with pytest.raises(cc.errors.InputError, match="2 measures; choose one"):
        cc.as_scores(metrics)
    with pytest.raises(cc.errors.InputTypeError, match="not a metric with query_id"):
        cc.as_scores({"bm25": [0.5, 0.25]})
    with pytest.raises(cc.errors.InputError, match="none of them empty"):
        cc.as_scores({"bm25": []})


def test_a_topic_that_a_run_lacks_is_not_filled_in(metrics: dict[str, list[Any]]) -> None:
    holes = {**metrics, "dense": [m for m in metrics["dense"] if m.query_id != "q3"]}
    with pytest.raises(cc.errors.InputError, match="dense lacks topic q3"):
        cc.as_scores(holes, measure="AP").complete()
    with pytest.warns(cc.errors.DataWarning, match="1 topic dropped"):
        assert "q3" not in cc.as_scores(holes, measure="AP", missing="drop").complete().topics


# ranx ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ranx() -> Any:
    """ranx without its compiler: for a few topics the compiled code would take a minute to make."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        warnings.simplefilter("ignore")  # of the import alone: libraries of ranx warn of each other
        return pytest.importorskip("ranx")


@pytest.fixture
def evaluated(ranx: Any) -> list[Any]:
    """Runs with the scores that ranx.evaluate leaves in them."""
    runs = [ranx.Run(run, name=system) for system, run in RUNS.items()]
    for run in runs:
        ranx.evaluate(ranx.Qrels(QRELS), run, ["map", "ndcg@10"])
    return runs


def test_ranx(evaluated: list[Any], expected: cc.Scores) -> None:
    assert same(cc.as_scores({run.name: run for run in evaluated}, measure="map"), expected)
    found = cc.as_scores({run.name: run.scores for run in evaluated}, measure="map")
    assert found.measure == "map"
    assert same(found, expected)
    assert same(cc.as_scores({"dense": evaluated[1]}, measure="map"), expected.select(systems=["dense"]))


def test_a_report_of_ranx_has_no_topics_but_its_runs_have(ranx: Any, expected: cc.Scores) -> None:
    runs = [ranx.Run(run, name=system) for system, run in RUNS.items()]
    report = ranx.compare(ranx.Qrels(QRELS), runs, metrics=["map", "ndcg@10"])
    with pytest.raises(cc.errors.InputError, match=r"ranx Report holds no scores on.*run\.scores for run in runs"):
        cc.as_scores(report, measure="map")
    with pytest.raises(cc.errors.InputError, match=r"the results of 'metrics' hold .*which is not a metric"):
        cc.as_scores(report.to_dict(), measure="map")
    with pytest.warns(cc.errors.DataWarning, match="if they are systems, their scores are means"):
        cc.as_scores(report.results, measure="map")
    with pytest.warns(cc.errors.DataWarning, match="read as one score per system: bm25, dense, hybrid"):
        assert isinstance(cc.as_scores(report.to_dataframe(), measure="map"), cc.Means)
    assert same(cc.as_scores({run.name: run for run in runs}, measure="map"), expected)


def test_arrays_and_runs_that_were_not_evaluated_are_refused(ranx: Any) -> None:
    run = ranx.Run(RUNS["bm25"], name="bm25")
    with pytest.raises(cc.errors.InputError, match=r"'bm25' holds no scores on topics: call ranx\.evaluate"):
        cc.as_scores({"bm25": run})
    one = ranx.evaluate(ranx.Qrels(QRELS), run, "map", return_mean=False)
    two = ranx.evaluate(ranx.Qrels(QRELS), run, ["map", "ndcg@10"], return_mean=False)
    for wrong in (one, {"bm25": one}, two):
        with pytest.raises(cc.errors.InputError, match=r"must be a dictionary of|array of shape .* without"):
            cc.as_scores(wrong, measure="map")
    with pytest.warns(cc.errors.DataWarning), pytest.raises(cc.errors.InputError, match=r"array\(.* is not a number"):
        cc.as_scores({"bm25": two}, measure="map")


# PyTerrier ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def experiment() -> Any:
    """pyterrier.Experiment on the runs; without Java, which only Terrier's own index needs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the import alone
        pyterrier: Any = pytest.importorskip("pyterrier")

    def frame(run: dict[str, dict[str, float]]) -> pd.DataFrame:
        rows = [(topic, document, score) for topic, ranked in run.items() for document, score in ranked.items()]
        made = pd.DataFrame(rows, columns=["qid", "docno", "score"])
        made["rank"] = made.groupby("qid")["score"].rank(ascending=False).astype(int) - 1
        return made

    qrels = [(topic, document, grade) for topic, grades in QRELS.items() for document, grade in grades.items()]

    def call(**options: Any) -> Any:
        return pyterrier.Experiment(
            [pyterrier.Transformer.from_df(frame(run)) for run in RUNS.values()],
            pd.DataFrame({"qid": TOPICS, "query": TOPICS}),
            pd.DataFrame(qrels, columns=["qid", "docno", "label"]),
            ["map", "ndcg_cut_10"],
            names=SYSTEMS,
            **options,
        )

    return call


def test_pyterrier(experiment: Any, expected: cc.Scores) -> None:
    long = experiment(perquery=True)
    found = cc.as_scores(long, measure="map")
    assert found.systems == tuple(SYSTEMS)
    assert same(found, expected)
    assert same(cc.as_scores(experiment(perquery="both"), measure="map"), expected)
    wide = long[long["measure"] == "map"].pivot(index="qid", columns="name", values="value")
    assert same(cc.as_scores(wide), expected)
    measures = long.pivot(index=["name", "qid"], columns="measure", values="value")
    assert same(cc.as_scores(measures, measure="map"), expected)
    levels = long.pivot(index="qid", columns=["measure", "name"], values="value")
    assert same(cc.as_scores(levels["map"]), expected)
    with pytest.raises(cc.errors.InputError, match="columns have 2 levels"):
        cc.as_scores(levels, measure="map")


def test_pyterriers_dictionaries_are_named_by_number(experiment: Any, expected: cc.Scores) -> None:
    nested = experiment(perquery=True, dataframe=False)
    named = {SYSTEMS[k]: results for k, results in nested.items()}
    assert same(cc.as_scores(named, measure="map"), expected)


def test_means_of_pyterrier_are_one_score_per_system(experiment: Any) -> None:
    assert isinstance(cc.as_scores(experiment(), measure="map"), cc.Means)
