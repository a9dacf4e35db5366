"""Does "auto" hold on collections that chose nothing about it, so that it could be the default? And for judges?

The designs are others than those of coverage_intervals.py, on which the check of "auto" was set: other judges, measures
and metrics, reciprocal ranks and ERR, scores of few values, families of nearly tied systems, a third of the systems
tied in another order on each side, simulated collections. As there, a trial takes a random subset of 15 to 110 systems
and a sample of topics, with replacement, from a population whose means are known. For two judges, size is measured on
topics that occur twice, the second time with the judges exchanged, and power on judges that differ.

Trials are made a hundred at a time and kept in a file, from which a run that was stopped continues; `--minutes` stops
it. What it prints at the end are the tables of docs/measured/interval-coverage.md.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from coverage_intervals import Design, FloatArray, from_population, simulated
from coverage_judges import exchanged
from coverage_worth import documents
from data import folder, matrix
from scipy.stats import rankdata

import concordant as cc
from concordant.arrays import IntArray
from concordant.calibration import MISFIT
from concordant.errors import DataWarning, UndefinedCorrelationWarning
from concordant.resampling import Resampling
from concordant.topics import bootstrap
from concordant.topics.judge_difference import tested
from concordant.topics.shrinkage import fit_of, model_of

COEFFICIENTS = ("tau_b", "tau_ap_b", "pearson_rank")
METHODS = ("shrinkage", "iterated", "percentile")
CHUNK = 100
RESAMPLES, BESIDE = 1_999, 4  # half as many by shrinkage; every fourth trial shows the other methods
Matrices = tuple[FloatArray, ...]


# Populations ----------------------------------------------------------------------------------------------------------


def dl21(measure: str, judge: str) -> Design:
    return from_population(*(matrix(f"dl21/scores/{measure}__{j}.csv") for j in ("human", judge)))


def measured(collection: str, qrels: str, *measures: str) -> Design:
    """Measures from runs and judgments; a topic that a run lacks scores 0."""
    runs, judged = cc.read_runs(folder() / collection / "runs"), cc.read_qrels(folder() / collection / qrels)
    plain = [name for name in measures if name != "ERR@20"]
    found = {str(k): s.values for k, s in cc.evaluate_all(runs, judged, plain, missing="zero").items()}
    sides = iter(found.values())
    return from_population(*(reciprocal(runs, judged) if name == "ERR@20" else next(sides) for name in measures))


def reciprocal(runs: cc.Runs, judged: cc.Qrels, depth: int = 20) -> FloatArray:
    """Expected reciprocal rank (Chapelle et al. 2009), topics x systems, on the topics that are judged."""
    topics = [topic for topic in runs.topics if topic in judged]
    highest = 2.0 ** max(judged.levels)
    found = np.zeros((len(topics), len(runs.systems)))
    for i, topic in enumerate(topics):
        grades = judged[topic]
        for j, system in enumerate(runs.systems):
            going = 1.0
            for rank, document in enumerate(runs.documents(system, topic)[:depth], start=1):
                stops = (2.0 ** max(grades.get(document, 0), 0) - 1) / highest
                found[i, j] += going * stops / rank
                going *= 1 - stops
    return found


def by_task() -> Design:
    """MTEB: scores, and ranks within each task."""
    scores = cc.read_scores(folder() / "mteb/eng_v2.csv", missing="drop-systems").values
    return from_population(scores, np.asarray(rankdata(scores, axis=1), dtype=np.float64))


def above_threshold(name: str) -> Design:
    """Whether AP lies above its median over all systems and topics: 0 or 1 on a topic."""
    x = matrix(name)
    return from_population(x, (x > np.median(x)).astype(np.float64))


def adhoc7(seed: int = 11) -> tuple[FloatArray, FloatArray]:
    """Systems of adhoc7 by their means, and a second condition with system effects and noise of its own."""
    x = matrix("trec/adhoc7.csv")
    x = x[:, np.argsort(-x.mean(axis=0))][:, :90]
    rng = np.random.default_rng(seed)
    return x, x + rng.normal(0, 0.012, x.shape[1]) + rng.normal(0, 0.08, x.shape)


def drawn_together(x: FloatArray, groups: Sequence[IntArray], factor: float) -> FloatArray:
    """The means of each group of systems drawn together."""
    means, moved = x.mean(axis=0), x.copy()
    for group in groups:
        moved[:, group] += (factor - 1) * (means[group] - means[group].mean())
    return moved


def families() -> Design:
    """adhoc7: families of five neighbours, nearly tied, whose order differs between the conditions."""
    x, y = adhoc7()
    groups = [np.arange(lo, lo + 5) for lo in range(0, 90, 5)]
    return from_population(drawn_together(x, groups, 0.1), drawn_together(y, groups, 0.1))


def third_tied() -> Design:
    """adhoc7: the best third nearly tied in the truth, in another order in the candidate, with shared errors."""
    x, y = adhoc7()
    moved = drawn_together(x, [np.arange(30)], 0.05)
    return from_population(moved, moved + (y - x))


DESIGNS: dict[str, Callable[[], Design]] = {
    "dl21 human, gpt4o (map)": lambda: dl21("map", "binary_gpt4o"),
    "dl21 human, gpt4 (nDCG@10)": lambda: dl21("ndcg_cut_10", "binary_gpt4"),
    "covid1 map, bpref": lambda: from_population(matrix("covid1/map.csv"), matrix("covid1/bpref.csv")),
    "dl21 by umbrela: P@10, RR": lambda: measured("dl21", "qrels/umbrela_gpt4.txt.gz", "P(rel=2)@10", "RR(rel=2)"),
    "dl21 nDCG@10, ERR@20": lambda: measured("dl21", "qrels/human.txt.gz", "nDCG@10", "ERR@20"),
    "covid1 ERR@20, RR": lambda: measured("covid1", "qrels.txt", "ERR@20", "RR"),
    "wmt25 documents: GEMBA-CMDA, MetricX": lambda: from_population(
        documents("GEMBA-ESA-CMDA"), documents("MetricX-24-Hybrid-XL")
    ),
    "mteb scores, ranks by task": by_task,
    "simulated from adhoc6": lambda: simulated("trec/adhoc6.csv"),
    "adhoc6 AP, above a threshold or not": lambda: above_threshold("trec/adhoc6.csv"),
    "adhoc7, families of five nearly tied": families,
    "adhoc7, a third tied, other orders": third_tied,
}
CONSTRUCTED = tuple(DESIGNS)[-2:]


def judges(a: str, b: str, measure: str = "ndcg_cut_10") -> Matrices:
    return tuple(matrix(f"dl21/scores/{measure}__{judge}.csv") for judge in ("human", a, b))


def metrics(*names: str) -> Matrices:
    return tuple(documents(name) for name in names)


PAIRS: dict[str, Callable[[], Matrices]] = {
    "dl21 umbrela, llama: exchanged": lambda: exchanged(*judges("umbrela_gpt4", "binary_llama3.2")),
    "dl21 gpt4, gpt4o (map): exchanged": lambda: exchanged(*judges("binary_gpt4", "binary_gpt4o", "map")),
    "wmt25 XCOMET, MetricX: exchanged": lambda: exchanged(
        *metrics("GEMBA-ESA-GPT4.1", "XCOMET-XL", "MetricX-24-Hybrid-XL")
    ),
    "dl21 umbrela, llama": lambda: judges("umbrela_gpt4", "binary_llama3.2"),
    "dl21 gpt4, llama (map)": lambda: judges("binary_gpt4", "binary_llama3.2", "map"),
}


# Trials ---------------------------------------------------------------------------------------------------------------


def subset(count: int, rng: np.random.Generator) -> Any:
    return rng.choice(count, int(rng.integers(15, min(110, count) + 1)), replace=False)


def interval_trial(design: Design, n: int, rng: np.random.Generator, beside: bool) -> list[float]:
    """The fit, then for each coefficient the true value and the limits of each method.

    The iterated interval where the check prefers it, and with the percentile one where `beside`; nan elsewhere.
    """
    systems = subset(len(design.truth[0]), rng)
    sides = tuple(np.ascontiguousarray(side[:, systems]) for side in design.draw(n, rng))
    values, entries = bootstrap.Agreements(COEFFICIENTS, 1), [cc.get_coefficient(name) for name in COEFFICIENTS]
    model = model_of(sides)
    assert model is not None
    fit, nothing = fit_of(model), [None] * len(entries)

    def limits(method: bootstrap.BootstrapMethod, n_resamples: int) -> Sequence[bootstrap.Found | None]:
        how = cc.TopicBootstrap(n_resamples, method)
        return how.run(sides[0], sides[1], entries, Resampling.of(n_resamples, rng))

    found = [
        limits("shrinkage", RESAMPLES // 2),
        limits("iterated", RESAMPLES) if beside or fit < MISFIT else nothing,
        limits("percentile", RESAMPLES // 2) if beside else nothing,
    ]
    true = values([side[systems] for side in design.truth])
    row = [fit]
    for k in range(len(entries)):
        row.append(float(true[k]))
        for each in (methods[k] for methods in found):
            row += (math.nan, math.nan) if each is None else each[:2]
    return row


def judge_trial(sides: Matrices, n: int, rng: np.random.Generator, _: bool) -> list[float]:
    """For tau_b and tau_ap_b: the p-values by shrinkage, by the iterated bootstrap and by the plain one."""
    systems, topics = subset(sides[0].shape[1], rng), rng.integers(0, len(sides[0]), n)
    sample = [np.ascontiguousarray(side[:, systems][topics]) for side in sides]
    entries = [cc.get_coefficient(name) for name in COEFFICIENTS[:2]]
    return [
        tested(sample, known, method, Resampling.of(RESAMPLES, rng)).pvalue()
        for known in entries
        for method in ("shrinkage", "iterated", "plain")
    ]


Cell = tuple[str, str, int]


def cells(options: argparse.Namespace) -> Iterator[tuple[Cell, int]]:
    """The cells, a hundred trials at a time: half of those that decide, then the others, then the rest of all."""
    sizes = {n: [("interval", name, n) for name in DESIGNS] for n in (10, 15, 25, 50, 100)}
    decide, few = sizes[50] + sizes[25], sizes[10] + sizes[15]
    pairs = [("judges", name, n) for n in (25, 50) for name in PAIRS]
    chunks = -(-options.trials // CHUNK)
    order = [(decide, range(chunks // 2)), (pairs + few, range(1)), (decide, range(chunks // 2, chunks))]
    order += [(pairs + few, range(1, chunks // 2)), (sizes[100], range(chunks // 3))]
    yield from ((cell, chunk) for some, part in order for chunk in part for cell in some)


def read(path: Path) -> dict[tuple[str, str, int, int], FloatArray]:
    done = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        row = json.loads(line)
        done[row["kind"], row["design"], row["n"], row["chunk"]] = np.array(row["found"])
    return done


def measure(options: argparse.Namespace) -> None:
    path, start, made = Path(options.state), time.process_time(), dict[str, Any]()
    path.parent.mkdir(parents=True, exist_ok=True)
    done = read(path)
    for (kind, name, n), chunk in cells(options):
        if (kind, name, n, chunk) in done:
            continue
        if time.process_time() - start > 60 * options.minutes:
            return
        population = made.setdefault(name, None) or (DESIGNS if kind == "interval" else PAIRS)[name]()
        made[name] = population
        trial: Any = interval_trial if kind == "interval" else judge_trial
        place = [*DESIGNS, *PAIRS].index(name)
        streams = (np.random.default_rng([1611, place, n, chunk, k]) for k in range(CHUNK))
        found = [trial(population, n, rng, k % BESIDE == 0) for k, rng in enumerate(streams)]
        row = {"kind": kind, "design": name, "n": n, "chunk": chunk, "found": np.round(found, 7).tolist()}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


# Tables ---------------------------------------------------------------------------------------------------------------


def gathered(path: Path) -> dict[Cell, FloatArray]:
    found: dict[Cell, list[FloatArray]] = {}
    for (kind, name, n, _), values in sorted(read(path).items()):
        found.setdefault((kind, name, n), []).append(values)
    return {cell: np.concatenate(parts) for cell, parts in found.items()}


def coverage_of(found: FloatArray, k: int) -> dict[str, tuple[float, float]]:
    """Coverage in % and mean width for the coefficient k; of the other methods on the trials that have them."""
    some = found[:, 1 + 7 * k : 8 + 7 * k]
    true, limits = some[:, 0], {method: some[:, 1 + 2 * j : 3 + 2 * j] for j, method in enumerate(METHODS)}
    fits, beside = found[:, 0] >= MISFIT, ~np.isnan(some[:, 5])
    limits["auto"] = np.where(fits[:, None], limits["shrinkage"], limits["iterated"])
    return {
        name: (float(100 * ((low <= t + 1e-6) & (t <= high + 1e-6)).mean()), float((high - low).mean()))
        for name, t, (low, high) in (
            ("auto", true, limits["auto"].T),
            ("beside", true[beside], limits["auto"][beside].T),
            ("iterated", true[beside], limits["iterated"][beside].T),
            ("percentile", true[beside], limits["percentile"][beside].T),
        )
    }


def tables(path: Path) -> None:
    found = gathered(path)
    print("\n| conditions | coefficient | topics | trials | default | iterated | percentile | iterated instead |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    narrower: dict[tuple[str, int], list[float]] = {}
    for name in DESIGNS:
        for k, coefficient in enumerate(COEFFICIENTS):
            for n in (10, 15, 25, 50, 100):
                cell = found.get(("interval", name, n))
                if cell is None:
                    continue
                of = coverage_of(cell, k)
                shown = " | ".join(f"{of[key][0]:.1f} ({of[key][1]:.2f})" for key in ("auto", "iterated", "percentile"))
                instead = f"{100 * (cell[:, 0] < MISFIT).mean():.0f}%" if k == 0 else ""
                mark = "" if 93 <= of["auto"][0] <= 98.5 else " *"
                print(f"| {name} | {coefficient} | {n} | {len(cell)} | {shown}{mark} | {instead} |")
                if name not in CONSTRUCTED:
                    narrower.setdefault((coefficient, n), []).append(1 - of["beside"][1] / of["iterated"][1])
    print("\n| coefficient | " + " | ".join(f"{n} topics" for n in (10, 15, 25, 50, 100)) + " |")
    print("|" + " --- |" * 6)
    for coefficient in COEFFICIENTS:
        shares = (narrower.get((coefficient, n)) for n in (10, 15, 25, 50, 100))
        print(f"| {coefficient} | " + " | ".join(f"{100 * np.mean(s):.0f}%" if s else "" for s in shares) + " |")
    print("\n| judges | coefficient | topics | trials | shrinkage | iterated | plain |")
    print("|" + " --- |" * 7)
    for name in PAIRS:
        for k, coefficient in enumerate(COEFFICIENTS[:2]):
            for n in (25, 50):
                cell = found.get(("judges", name, n))
                if cell is not None:
                    shown = " | ".join(f"{100 * s:.1f}" for s in (cell[:, 3 * k : 3 * k + 3] <= 0.05).mean(axis=0))
                    print(f"| {name} | {coefficient} | {n} | {len(cell)} | {shown} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=600, help="with 25 and 50 topics; fewer in the other cells")
    parser.add_argument("--minutes", type=float, default=60, help="of processor time, in this run")
    parser.add_argument("--state", default="studies/default.jsonl", help="file of the trials that are there")
    options = parser.parse_args()
    for kind in (DataWarning, UndefinedCorrelationWarning):
        warnings.simplefilter("ignore", kind)
    measure(options)
    tables(Path(options.state))


if __name__ == "__main__":
    main()
