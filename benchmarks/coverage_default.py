"""Does the default interval hold on other designs than chose its constants?

The designs are others than those of coverage_intervals.py, on which the constants were set: other judges, measures
and metrics, reciprocal ranks and ERR, scores of few values, families of nearly tied systems, a third of the systems
tied in another order on each side, simulated collections. As there, a trial takes a random subset of 15 to 110 systems
and a sample of topics, with replacement, from a population whose means are known.

Trials are made a hundred at a time and kept in a file, from which a run that was stopped continues; `--minutes` stops
it. The cells go to docs/measured/default-interval.csv.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from cells import keep
from coverage_intervals import DESIGNS as TUNING
from coverage_intervals import Design, FloatArray, from_population, simulated
from coverage_worth import documents
from data import matrix, need
from scipy.stats import rankdata

import concordant as cc
from concordant.arrays import IntArray
from concordant.errors import DataWarning, UndefinedCorrelationWarning
from concordant.inference import intervals
from concordant.inference.resampling import Resampling, resampled_means, resampled_weights

LOW, HIGH = 93, 98.5  # what a nominal 95% may be
COEFFICIENTS = ("tau_b", "tau_ap_b", "pearson_rank")
METHODS = ("auto", "iterated", "percentile")
CHUNK = 100
SIZES = (10, 15, 25, 50, 100)
RESAMPLES, BESIDE = 1_999, 4  # every fourth trial shows the other methods


# Populations ----------------------------------------------------------------------------------------------------------


def dl21(measure: str, judge: str) -> Design:
    return from_population(*(matrix(f"dl21/scores/{measure}__{j}.csv") for j in ("human", judge)))


def measured(collection: str, qrels: str, *measures: str) -> Design:
    """Measures from runs and judgments; a topic that a run lacks scores 0."""
    runs, judged = cc.read_runs(need(f"{collection}/runs")), cc.read_qrels(need(f"{collection}/{qrels}"))
    plain = [name for name in measures if name != "ERR@20"]
    found = {str(k): s.values for k, s in cc.evaluate(runs, judged, plain, missing="zero").items()}
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
    scores = cc.read_scores(need("mteb/eng_v2.csv"), missing="drop-systems").complete().values
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
FEW = {
    f"{name}, {count} systems": (name, count)
    for name in ("dl21 human, gpt4 (nDCG@10)", "covid1 map, bpref", "dl21 nDCG@10, ERR@20", "simulated from adhoc6")
    for count in (6, 10)
}

FRESH: dict[str, Callable[[], Design]] = {
    "dl21 human, exam graded max (nDCG@10)": lambda: dl21("ndcg_cut_10", "exam_graded_max_gpt4"),
    "dl21 human, exam graded mean (map)": lambda: dl21("map", "exam_graded_mean_gpt4"),
    "dl21 human, nuggets (nDCG@10)": lambda: dl21("ndcg_cut_10", "nuggets_vital_gpt4o"),
    "dl21 human, prefs (map)": lambda: dl21("map", "prefs"),
    "covid1 map, nDCG@20": lambda: from_population(matrix("covid1/map.csv"), matrix("covid1/ndcg_cut_20.csv")),
    "covid1 P@5, nDCG@10": lambda: from_population(matrix("covid1/P_5.csv"), matrix("covid1/ndcg_cut_10.csv")),
}
"""Designs of which nothing had been seen when the default was settled."""

WEAK = {
    name: TUNING[name]
    for name in (
        "adhoc8, a third tied, shared errors",
        "robust2004, half of the systems exchanged",
        "covid1 AP, P@1",
        "dl21 nDCG@10, P@1",
    )
}
"""Where the default was known to be weak: among the designs on which its constants were chosen."""


UNUSED = ("",) * 5  # places in the seeds of five designs that are no more, so that the others keep theirs


# Trials ---------------------------------------------------------------------------------------------------------------


def subset(count: int, rng: np.random.Generator) -> Any:
    return rng.choice(count, int(rng.integers(15, min(110, count) + 1)), replace=False)


def quantiles(name: str, sides: tuple[FloatArray, FloatArray], rng: np.random.Generator) -> FloatArray:
    """The middle 95% of a coefficient on resamples of the topics, as papers print it."""
    f = cc.get_coefficient(name).function
    drawn = resampled_weights(len(sides[0]), RESAMPLES, rng)
    values = np.concatenate([f(*(resampled_means(side, weights) for side in sides)) for _, weights in drawn])
    return np.asarray(np.nanquantile(values, [0.025, 0.975]))


def interval_trial(
    design: Design, n: int, rng: np.random.Generator, beside: bool, count: int | None = None
) -> list[float]:
    """Whether the check found a misfit, then for each coefficient the true value and the limits of each method.

    Those of the other methods where `beside`, nan elsewhere.
    """
    every = len(design.truth[0])
    systems = subset(every, rng) if count is None else rng.choice(every, count, replace=False)
    x, y = (np.ascontiguousarray(side[:, systems]) for side in design.draw(n, rng))
    entries = [cc.get_coefficient(name) for name in COEFFICIENTS]
    found: list[Sequence[Any]] = []
    for method in METHODS:
        made = method == "auto" or beside
        if not made:
            found.append([None] * len(entries))
        elif method == "percentile":
            found.append([quantiles(c.name, (x, y), rng) for c in entries])
        else:
            known: intervals.Method = "auto" if method == "auto" else "iterated"
            found.append(intervals.limits((x, y), entries, known, 0.95, Resampling.of(RESAMPLES, rng)))
    true = intervals.Agreements(COEFFICIENTS, 1)([side[systems] for side in design.truth])
    row = [float(any(each is not None and bool(each.note) for each in found[0]))]
    for k in range(len(entries)):
        row.append(float(true[k]))
        for each in (methods[k] for methods in found):
            row += (math.nan, math.nan) if each is None else each[:2]
    return row


Cell = tuple[str, str, int]


def cells(options: argparse.Namespace) -> Iterator[tuple[Cell, int]]:
    """All cells a hundred trials at a time, so that a run that is stopped has about as many of each."""
    kinds: list[Cell] = [("interval", name, n) for n in (50, 25, 10, 15, 100) for name in DESIGNS]
    kinds += [("interval", name, n) for n in (50, 25) for name in FRESH]
    kinds += [("interval", name, 50) for name in WEAK]
    kinds += [("few", name, 50) for name in FEW]
    yield from ((cell, chunk) for chunk in range(-(-options.trials // CHUNK)) for cell in kinds)


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
        base, count = FEW.get(name, (name, None))
        if base not in made:
            made[base] = (DESIGNS | FRESH | WEAK)[base]()
        place = [*DESIGNS, *UNUSED, *FEW, *FRESH, *WEAK].index(name)
        streams = (np.random.default_rng([1611, place, n, chunk, k]) for k in range(CHUNK))
        found = [interval_trial(made[base], n, rng, k % BESIDE == 0, count) for k, rng in enumerate(streams)]
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
    true = some[:, 0]
    limits: dict[str, FloatArray] = {method: some[:, 1 + 2 * j : 3 + 2 * j] for j, method in enumerate(METHODS)}
    auto, beside = (~np.isnan(limits[method][:, 0]) for method in ("auto", "iterated"))

    def held(method: str, where: Any) -> tuple[float, float]:
        (low, high), t = limits[method][where].T, true[where]
        return float(100 * ((low <= t + 1e-6) & (t <= high + 1e-6)).mean()), float((high - low).mean())

    return {
        "auto": held("auto", auto),
        "beside": held("auto", auto & beside),
        "iterated": held("iterated", auto & beside),
        "percentile": held("percentile", auto & beside & ~np.isnan(limits["percentile"][:, 0])),
        "undefined": (float(100 * (~auto).mean()), math.nan),
    }


def tables(found: dict[Cell, FloatArray]) -> str:
    """Write docs/measured/default-interval.csv; how much narrower the default is, and cells outside 93 to 98.5%."""
    lines: list[str] = []
    rows = []
    narrower: dict[tuple[str, int], list[float]] = {}
    kinds = dict.fromkeys(FRESH, "Not seen before") | dict.fromkeys(CONSTRUCTED, "Constructed")
    kinds |= dict.fromkeys(WEAK, "Known to be weak")
    shares: dict[str, list[float]] = {}
    outside: dict[str, dict[str, list[str]]] = {"below": {}, "above": {}}
    for name, (k, coefficient), n in product((*DESIGNS, *FEW, *FRESH, *WEAK), enumerate(COEFFICIENTS), SIZES):
        cell = found.get(("few" if name in FEW else "interval", name, n))
        if cell is None:
            continue
        of = coverage_of(cell, k)
        row = {"conditions": name, "coefficient": coefficient, "topics": n, "trials": len(cell)}
        for column, key in (("default", "auto"), ("iterated", "iterated"), ("percentile", "percentile")):
            row |= {column: f"{of[key][0]:.1f}", f"{column}_width": f"{of[key][1]:.2f}"}
        row["misfit"] = f"{100 * cell[:, 0].mean():.0f}" if k == 0 else ""
        rows.append(row | {"no_value": round(of["undefined"][0]) or ""})
        share = of["auto"][0]
        shares.setdefault(kinds.get(name, "Real and simulated"), []).append(share)
        if not LOW <= share <= HIGH:
            cells = outside["below" if share < LOW else "above"]
            cells.setdefault(name, []).append(f"{coefficient} {n} ({share:.0f})")
        if name in FRESH or (name in DESIGNS and name not in CONSTRUCTED):
            narrower.setdefault((coefficient, n), []).append(1 - of["beside"][1] / of["iterated"][1])
    keep("default-interval", rows, ("conditions", "coefficient", "topics"))
    lines += [
        "How much narrower than the iterated interval, on the same samples, constructed and weak designs left out:",
        "",
    ]
    lines += ["| coefficient | " + " | ".join(f"{n} topics" for n in SIZES) + " |", "|" + " --- |" * 6]
    for coefficient in COEFFICIENTS:
        gains = (narrower.get((coefficient, n)) for n in SIZES)
        lines.append(f"| {coefficient} | " + " | ".join(f"{100 * np.mean(s):.0f}%" if s else "" for s in gains) + " |")
    for what, some in shares.items():
        lines += ["", f"{what}: {min(some):.1f} to {max(some):.1f}%, mean {np.mean(some):.1f}%, {len(some)} cells."]
    for what, cells in outside.items():
        lines += ["", f"Cells {what} 93 to 98.5%, with their topics and coverage:{'' if cells else ' none.'}", ""]
        lines += [f"- {name}: {', '.join(those)}" for name, those in cells.items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=600, help="in each cell")
    parser.add_argument("--minutes", type=float, default=60, help="of processor time, in this run")
    parser.add_argument("--state", default="studies/default.jsonl", help="file of the trials that are there")
    options = parser.parse_args()
    for kind in (DataWarning, UndefinedCorrelationWarning):
        warnings.simplefilter("ignore", kind)
    measure(options)
    text = tables(gathered(Path(options.state)))
    print(text)


if __name__ == "__main__":
    main()
