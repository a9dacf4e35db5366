"""Speed and memory of scoring runs, as ratios to pytrec_eval in the same run. Run by `make bench`.

Real runs (TREC-COVID round 1, 143 runs) where the collections are there, else made-up ones of that size.
pytrec_eval gets its dictionaries and its evaluator ready-made: only scoring is timed on both sides.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np
import pytrec_eval
from coefficients import Call, Table, fastest
from data import lacks, need

import concordant as cc

FOUR = {"map": "AP", "ndcg_cut.10": "nDCG@10", "P.10": "P@10", "bpref": "Bpref"}


def collection() -> tuple[str, cc.Runs, cc.Qrels]:
    """What rows say of the runs; runs; judgments."""
    told = lacks("covid1/runs", "covid1/qrels.txt")
    if not told:
        return "", cc.read_runs(need("covid1/runs")), cc.read_qrels(need("covid1/qrels.txt"))
    print(f"made-up runs, because there are no real ones: {told}")
    rng = np.random.default_rng(19)
    runs = {f"run{s}": {str(t): [f"d{d}" for d in rng.permutation(600)[:100]] for t in range(30)} for s in range(143)}
    qrels = {str(t): {f"d{d}": int(rng.integers(3)) for d in rng.permutation(600)[:290]} for t in range(30)}
    return ", made up", cc.Runs.from_dict(runs), cc.Qrels.from_dict(qrels)


def other_qrels(qrels: cc.Qrels) -> list[cc.Qrels]:
    """The same judgments with some left out, so that no call sees what another saw."""
    rng = np.random.default_rng(7)
    return [qrels.take(rng.random(qrels.size) < 0.8) for _ in range(20)]


def _evaluator(qrels: Any, measures: set[str]) -> Any:
    return pytrec_eval.RelevanceEvaluator(qrels.to_dict(), measures)


def scoring(table: Table, what: str, runs: cc.Runs, qrels: cc.Qrels) -> None:
    others = other_qrels(qrels)
    nested: dict[str, Any] = {}
    for system in runs.systems:
        lists = {topic: runs.documents(system, topic) for topic in runs.topics}
        nested[system] = {topic: {d: float(-k) for k, d in enumerate(ranked)} for topic, ranked in lists.items()}
    for name, measures in ("nDCG@10", {"ndcg_cut.10": "nDCG@10"}), ("AP", {"map": "AP"}), ("four measures", FOUR):
        evaluators = [_evaluator(other, set(measures)) for other in others]
        turn = {"ours": 0, "theirs": 0}

        def ours(measures: dict[str, str] = measures, turn: dict[str, int] = turn) -> object:
            turn["ours"] += 1
            return cc.evaluate(runs, others[turn["ours"] % 20], measures.values())

        def theirs(evaluators: list[Any] = evaluators, turn: dict[str, int] = turn) -> object:
            turn["theirs"] += 1
            return [evaluators[turn["theirs"] % 20].evaluate(run) for run in nested.values()]

        contenders: dict[str, Call] = {"ours": ours, "theirs": theirs}
        times = fastest(contenders, seconds=6)
        ratio = times["theirs"] / times["ours"]
        table.row(
            f"{len(nested)} runs{what}, {name}: pytrec_eval / evaluate",
            ratio,
            least=20 if len(measures) == 1 else None,
        )


def study(table: Table, what: str, runs: cc.Runs, qrels: cc.Qrels) -> None:
    """All coefficients, rank distances and p-values of sampled judgments under four measures: seconds in all."""
    start = time.perf_counter()
    with warnings.catch_warnings(action="ignore"):  # more systems than topics
        cc.study.judgment_study(
            runs, qrels, [cc.judgments.Change("sample", 0.1)], FOUR.values(), n_draws=200, n_resamples=1_000
        )
    table.row(f"study of 200 samples x four measures{what}: seconds", time.perf_counter() - start, most=60)


def memory(table: Table) -> None:
    """The arrays and names of 110 runs x 249 topics x 1,000 documents, as in TREC Robust 2004."""
    rng = np.random.default_rng(2004)
    names = [f"FBIS3-{d}" for d in range(400_000)]

    def each() -> Any:
        for s in range(110):
            lists = {}
            for t in range(249):
                # Pools of some 12,000 documents a topic, at other places in the collection for each.
                first = 1_550 * t
                lists[str(t)] = tuple(names[first + d] for d in rng.choice(12_000, 1_000, replace=False))
            yield cc.judgments.runs.Run(f"run{s}", f"run{s}", lists)

    runs = cc.Runs.of(each())
    size = runs.items.nbytes + runs.starts.nbytes + runs.pairs.document_of.nbytes + runs.pairs.starts.nbytes
    size += sum(sys.getsizeof(name) + 8 for name in runs.pairs.documents)
    table.row(f"{runs!r}: MB", size / 1e6, most=300)


def labelling(table: Table) -> None:
    """A list of documents from 150 runs x 50 topics x depth 100, and the ranking by its labels: seconds of each."""
    rng, topics, shape = np.random.default_rng(33), [str(t) for t in range(50)], (50, 2_000)
    grades = (rng.random(shape) < 0.15) * rng.integers(1, 4, shape)
    graded = np.where(rng.random(shape) < 0.8, grades, rng.integers(0, 4, shape))
    people, machine = (
        cc.Qrels.from_dict({t: {f"d{d}": int(g) for d, g in enumerate(row)} for t, row in zip(topics, of, strict=True)})
        for of in (grades, graded)
    )
    seen = (np.argsort(-grades / q - rng.normal(0, 1.1, shape), axis=1)[:, :100] for q in rng.uniform(0.3, 2, 150))
    lists = ({t: [f"d{d}" for d in row] for t, row in zip(topics, order, strict=True)} for order in seen)
    runs = cc.Runs.from_dict({f"run{s}": of for s, of in enumerate(lists)})
    start = time.perf_counter()
    chosen = cc.judgments.label(runs, machine=machine, measures=["AP", "P@10"], budget=8_000, seed=1)
    table.row("150 runs x 50 topics x 100, 8,000 labels, list: seconds", time.perf_counter() - start, most=10)
    done = chosen.with_grades(people)
    for measure in ("AP", "P@10"):
        start = time.perf_counter()
        with warnings.catch_warnings(action="ignore"):
            cc.judgments.rank_from_labels(done, runs, measure, machine=machine, rng=1)
        table.row(f"150 runs x 50 topics x 100, ranking by {measure}: seconds", time.perf_counter() - start, most=10)


def main() -> None:
    table = Table()
    found = collection()
    scoring(table, *found)
    study(table, *found)
    memory(table)
    labelling(table)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    main()
