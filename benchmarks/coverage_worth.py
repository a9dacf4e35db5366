"""Coverage of the worth of 25 topics for new topics and new systems, wrong words, and the best of 12 judges.

Run by `make coverage`. A real collection is a population: a sample draws topics with replacement and systems without,
so that what systems add to the errors is shrunk by 1 - m/M. A simulated design draws new topics and new systems. The
true worth is the k at which k topics of the truth agree with its expected scores as well as 25 topics of the judge do.

Every finished cell is a row of docs/measured/worth.csv; a run that was stopped continues there. `--summary` prints what
docs/measured/worth.md says.
"""

from __future__ import annotations

import argparse
import csv
import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from data import matrix, need
from scipy.stats import kendalltau

from concordant.arrays import FloatArray, IntArray
from concordant.judges import curves as es
from concordant.judges.curves import Design, Sample, agreement, judge_curve, truth_curve
from concordant.judges.worth import could_be_best, word_of

A = 25
RESULTS = Path(__file__).resolve().parents[1] / "docs" / "measured" / "worth.csv"
SIZES = np.unique(np.rint(np.geomspace(1, 400, 24)).astype(int))


@dataclass(frozen=True)
class Drawn:
    """A sample, and by how much the variance over systems is smaller because the population is finite."""

    truth: FloatArray
    judge: FloatArray
    teams: IntArray
    shared: bool = True
    finite: float = 1.0


def documents(metric: str) -> FloatArray:
    """Means over the segments of each document of WMT 25, English to Czech, to 4 decimals."""
    segments = matrix(f"wmt25/en-cs_CZ__{metric}.csv")
    with need("wmt25/en-cs_CZ__groups.csv").open(encoding="utf-8", newline="") as file:
        names = [row["document"] for row in csv.DictReader(file)]
    index = {name: i for i, name in enumerate(dict.fromkeys(names))}
    place = np.array([index[name] for name in names])
    return np.array([segments[place == i].mean(axis=0).round(4) for i in range(len(index))])


# Real collections -----------------------------------------------------------------------------------------------------


@functools.cache
def real(name: str) -> tuple[FloatArray, FloatArray]:
    collection, judge = name.split("/")
    if collection == "dl21":
        return matrix("dl21/scores/ndcg_cut_10__human.csv"), matrix(f"dl21/scores/ndcg_cut_10__{judge}.csv")
    if collection == "wmt25":
        return documents("GEMBA-ESA-GPT4.1"), documents(judge)
    if collection == "robust":
        both = matrix("trec/robust2004_ap.csv"), matrix("trec/robust2004_p10.csv")
        return both if judge == "p10" else both[::-1]
    first, second = judge.split("-")
    return matrix(f"covid1/{first}.csv"), matrix(f"covid1/{second}.csv")


def draw_real(name: str, rng: np.random.Generator, n: int, m: int) -> Drawn:
    x, y = real(name.removesuffix(", other topics"))
    systems, topics = rng.permutation(x.shape[1])[:m], rng.integers(len(x), size=n)
    apart = name.endswith("other topics")
    others = rng.integers(len(x), size=2 * n) if apart else topics
    return Drawn(x[topics][:, systems], y[others][:, systems], np.arange(m), not apart, 1 - m / x.shape[1])


def true_real(name: str, rng: np.random.Generator) -> float:
    x, y = real(name.removesuffix(", other topics"))
    agreed = np.zeros(len(SIZES))
    judge, reps, means = 0.0, 600, x.mean(axis=0)
    for _ in range(reps):
        sums = np.cumsum(x[rng.integers(len(x), size=SIZES[-1])], axis=0)[SIZES - 1]
        agreed += [kendalltau(means, np.round(row, 9)).statistic for row in sums]
        judge += kendalltau(means, np.round(y[rng.integers(len(x), size=A)].sum(axis=0), 9)).statistic
    return crossing(agreed / reps, judge / reps)


def crossing(curve: FloatArray, value: float, sizes: IntArray = SIZES) -> float:
    """The size at which the truth's curve has the judge's value, on the link; 0 below it, inf above."""
    line = np.maximum.accumulate(es.link(curve)[::-1])
    height = float(es.link(value))
    if height > line[-1] or height < line[0]:
        return 0.0 if height > line[-1] else math.inf
    return float(1 / np.interp(height, line, 1 / sizes[::-1]))


# Simulated designs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """Scores = signal + noise. The judge's signal has correlation r with the truth's."""

    s: float = 3.0  # variance of the truth's noise, where its signal has 1
    t: float = 3.0
    r: float = 1.0
    both: float = 0.5  # correlation of the two noises
    tails: bool = False  # Student's t with 3 degrees of freedom
    binary: bool = False  # topics are passed or failed
    uneven: bool = False  # the noise of systems and topics differs
    teams: int = 0
    shared: bool = True
    judged: float = 1.0  # topics of the judge by topic of the truth, where they are other ones

    def systems(self, rng: np.random.Generator, m: int) -> tuple[FloatArray, FloatArray, IntArray]:
        teams = np.arange(m) % self.teams if self.teams else np.arange(m)

        def effects() -> FloatArray:
            own = rng.normal(size=m)
            return math.sqrt(0.5) * (rng.normal(size=self.teams)[teams] + own) if self.teams else own

        signal, bias = effects(), effects()
        return signal, self.r * signal + math.sqrt(1 - self.r**2) * bias, teams

    def topics(
        self, rng: np.random.Generator, n: int, signal: FloatArray, psi: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        m = len(signal)

        def noise() -> FloatArray:
            drawn = rng.standard_t(3, (n, m)) / math.sqrt(3) if self.tails else rng.normal(size=(n, m))
            return drawn

        one, two = noise(), noise()
        scale = np.exp(rng.normal(0, 0.6, (n, 1))) * np.exp(0.4 * signal) if self.uneven else 1.0
        x = signal + math.sqrt(self.s) * scale * one
        y = psi + math.sqrt(self.t) * scale * (self.both * one + math.sqrt(1 - self.both**2) * two)
        if self.binary:
            hard = rng.normal(size=(n, 1))
            return (x > hard).astype(float), (y > hard).astype(float)
        return x, y

    def draw(self, rng: np.random.Generator, n: int, m: int) -> Drawn:
        signal, psi, teams = self.systems(rng, m)
        x, y = self.topics(rng, n, signal, psi)
        if not self.shared:
            y = self.topics(rng, round(n * self.judged), signal, psi)[1]
        return Drawn(x, y, teams, self.shared)

    def true(self, rng: np.random.Generator) -> float:
        if not (self.tails or self.binary or self.uneven):
            u = ((1 - self.r**2) / self.s + self.t / self.s / A) / self.r**2
            return 1 / u
        agreed, judge, reps = np.zeros(len(SIZES)), 0.0, 150
        for _ in range(reps):
            signal, psi, _ = self.systems(rng, 300)
            x, y = self.topics(rng, int(SIZES[-1]), signal, psi)
            agreed += [kendalltau(signal, row).statistic for row in np.cumsum(x, axis=0)[SIZES - 1]]
            judge += kendalltau(signal, y[:A].sum(axis=0)).statistic
        return crossing(agreed / reps, judge / reps)


MODELS = {
    "normal, as good": Model(),
    "normal, steadier": Model(t=1.5),
    "normal, half": Model(r=0.96, t=4),
    "normal, quarter": Model(r=0.9, t=6),
    "normal, tenth": Model(r=0.7, t=6),
    "heavy tails, as good": Model(tails=True, both=0.2),
    "heavy tails, weaker": Model(tails=True, r=0.92, t=5, both=0.2),
    "binary, as good": Model(binary=True, both=0.3),
    "binary, weaker": Model(binary=True, r=0.9, t=5, both=0.3),
    "uneven noise, weaker": Model(uneven=True, r=0.93, t=4),
    "10 teams, weaker": Model(teams=10, r=0.9, t=4),
    "other topics, as good": Model(shared=False),
    "other topics, weaker": Model(shared=False, r=0.9, t=6, judged=3),
    "little noise, weaker": Model(s=1.0, t=2.0, r=0.95, both=0.3),
    "much noise, as good": Model(s=8.0, t=8.0, both=0.4),
    "8 teams, uneven noise": Model(teams=8, uneven=True, r=0.95, t=4),
    "heavy tails and teams": Model(teams=10, tails=True, r=0.9, t=4, both=0.3),
    "binary, half": Model(binary=True, r=0.96, t=4, both=0.4),
}
USED = (  # in choosing the method: the first ten at first, all of them for the lower bounds of the variance
    "normal, as good", "normal, steadier", "normal, half", "normal, quarter", "normal, tenth", "dl21/umbrela_gpt4",
    "dl21/binary_gpt4", "dl21/prefs", "dl21/binary_llama3.2", "robust/p10",
    "heavy tails, as good", "heavy tails, weaker", "binary, as good", "binary, weaker", "uneven noise, weaker",
    "10 teams, weaker", "other topics, as good", "other topics, weaker", "dl21/binary_gpt4o",
    "dl21/exam_graded_mean_gpt4", "dl21/umbrela_gpt4, other topics", "robust/ap", "covid1/map-P_5",
    "covid1/P_5-ndcg_cut_20", "wmt25/MetricX-24-Hybrid-XL",
)  # fmt: skip
HELD_OUT = (
    "little noise, weaker", "much noise, as good", "8 teams, uneven noise", "heavy tails and teams", "binary, half",
    "dl21/exam_graded_max_gpt4", "covid1/bpref-map", "covid1/ndcg_cut_20-map", "wmt25/XCOMET-XL",
)  # fmt: skip
SHAPES = ((26, 20), (50, 20), (50, 40))  # topics and systems


# Cells ----------------------------------------------------------------------------------------------------------------


def interval(of: Drawn, *, new_systems: bool = True) -> es.WorthEstimate:
    x, y = Sample.of(of.truth), Sample.of(of.judge)
    curves = judge_curve(x, y, A, of.teams, shared=of.shared), truth_curve(x, A, of.teams)
    plain = es.Both.errors
    if of.finite < 1:

        def shrunk(self: es.Both, function: Callable[[FloatArray], float]) -> es.Errors:
            found = plain(self, function)
            return replace(found, systems=found.systems * of.finite, shared=found.shared * of.finite)

        es.Both.errors = shrunk  # type: ignore[method-assign]
    try:
        return es.estimate(*curves, A, new_systems=new_systems)
    finally:
        es.Both.errors = plain  # type: ignore[method-assign]


def wrong(word: str, true: float) -> bool:
    return {
        "much weaker": true >= A / 2,
        "weaker": true >= A,
        "steadier": true <= A,
        "within a factor of two": not A / 2 <= true <= 2 * A,
    }.get(word, False)


def worth_cell(name: str, n: int, m: int, samples: int) -> dict[str, Any]:
    rng = np.random.default_rng([n, m, *name.encode()])
    model = MODELS.get(name)
    true = _true(name)
    found, started = [], time.perf_counter()
    for _ in range(samples):
        found.append(interval(model.draw(rng, n, m) if model else draw_real(name, rng, n, m)))
    words = [word_of(e.low, e.high, A) if e.rises else "not known" for e in found]
    known = [e for e in found if e.rises]
    return {
        "design": name,
        "held_out": int(name in HELD_OUT),
        "topics": n,
        "systems": m,
        "samples": samples,
        "true": round(true, 2),
        "median": round(float(np.median([e.worth for e in known])), 2),
        "coverage": round(float(np.mean([e.low <= true <= e.high for e in known])), 4),
        "width": round(float(np.median([min(e.high, 1e4) / max(e.low, 0.1) for e in known])), 2),
        "wrong_words": round(float(np.mean([wrong(word, true) for word in words])), 4),
        **{word.replace(" ", "_"): round(words.count(word) / samples, 3) for word in WORDS},
        "below_one": round(float(np.mean([e.worth == 0 for e in found])), 4),
        "seconds": round(time.perf_counter() - started, 1),
    }


WORDS = ("much weaker", "weaker", "within a factor of two", "steadier", "cannot tell", "not known")


@functools.cache
def _true(name: str) -> float:
    model, rng = MODELS.get(name), np.random.default_rng([*name.encode()])
    return model.true(rng) if model else true_real(name, rng)


def best_cell(kind: str, n: int, m: int, samples: int, judges: int = 12) -> dict[str, Any]:
    """Judges without bias, half of whose bias and noise is shared; the last one may have four times the noise."""
    rng = np.random.default_rng([n, m, *kind.encode()])
    noises = [3.0] * judges
    if kind == "one with four times the noise":
        noises[-1] = 12.0
    kept = []
    for _ in range(samples):
        signal, e, common = rng.normal(size=m), rng.normal(size=(n, m)), rng.normal(size=(n, m))
        truth = Sample.of(signal + math.sqrt(3) * e)
        values, left = [], []
        for t in noises:
            own = math.sqrt(1 - 0.16 - 0.25) * rng.normal(size=(n, m))
            judge = Sample.of(signal + math.sqrt(t) * (0.4 * e + 0.5 * common + own))
            design = Design(truth, judge, shared=True, reference=n - n // 2)
            found = agreement(design, np.array([float(n // 2)]), np.arange(m))
            values.append(found.values[0])
            left.append(math.sqrt(1 - 1 / n) * (found.topics[0][0] - found.topics[0][0].mean()))
        kept.append(could_be_best(np.array(values), np.array(left), n))
    best = np.array(kept)[:, [t == min(noises) for t in noises]]
    return {
        "design": f"best of 12: {kind}",
        "held_out": 0,
        "topics": n,
        "systems": m,
        "samples": samples,
        "any_best_excluded": round(float(1 - best.all(axis=1).mean()), 4),
        "worst_excluded": round(float(1 - np.array(kept)[:, -1].mean()), 4),
    }


COLUMNS = (
    "design", "held_out", "topics", "systems", "samples", "true", "median", "coverage", "width", "wrong_words",
    *(word.replace(" ", "_") for word in WORDS), "below_one", "any_best_excluded", "worst_excluded", "seconds",
)  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--samples", type=int, default=300)
    options.add_argument("--summary", action="store_true", help="print what the finished cells say")
    options.add_argument("--results", type=Path, default=RESULTS)
    options.add_argument("--only", default="", help="designs whose name contains this")
    given = options.parse_args()
    rows = list(csv.DictReader(given.results.open(encoding="utf-8"))) if given.results.exists() else []
    if given.summary:
        return summary(rows)
    done = {(row["design"], int(row["topics"]), int(row["systems"])) for row in rows}
    wanted: list[tuple[str, int, int, Callable[..., dict[str, Any]]]] = [
        (name, n, m, worth_cell)
        for name in (*USED, *HELD_OUT)
        for n, m in SHAPES
        if not (name.startswith("wmt25") and m > 30)
    ]
    for kind in ("all alike", "one with four times the noise"):
        wanted += [(kind, n, m, best_cell) for n, m in ((50, 20), (25, 20), (50, 40))]
    with given.results.open("a", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        if not rows:
            out.writeheader()
        for name, n, m, cell in wanted:
            called = f"best of 12: {name}" if cell is best_cell else name
            if given.only not in called or (called, n, m) in done:
                continue
            row = cell(name, n, m, given.samples)
            out.writerow(row)
            file.flush()
            print(row, flush=True)


def summary(rows: list[dict[str, str]]) -> None:
    def share(row: dict[str, str], of: str) -> float:
        return 100 * float(row[of])

    def cell(row: dict[str, str]) -> str:
        return f"{row['design']}, {row['topics']} x {row['systems']}"

    worths = [row for row in rows if row["coverage"]]
    for held, called in (("0", "used"), ("1", "held out")):
        cells = sorted((row for row in worths if row["held_out"] == held), key=lambda row: share(row, "coverage"))
        values = [share(row, "coverage") for row in cells]
        print(f"{called}: {len({row['design'] for row in cells})} designs, {len(cells)} cells,")
        print(f"  coverage {min(values):.1f} to {max(values):.1f}%, mean {np.mean(values):.1f}%,")
        print(f"  outside of 92 to 99%: {sum(not 92 <= value <= 99 for value in values)}; lowest:")
        for row in cells[:3]:
            print(f"  {cell(row)}: {share(row, 'coverage'):.1f}%")
    wrong_ones = [share(row, "wrong_words") for row in worths]
    most = max(worths, key=lambda row: share(row, "wrong_words"))
    print(f"wrong words: {np.mean(wrong_ones):.2f}% of samples, at most {max(wrong_ones):.1f}% ({cell(most)})")
    for row in rows:
        if row["worst_excluded"]:
            any_best, worst = share(row, "any_best_excluded"), share(row, "worst_excluded")
            print(f"{cell(row)}: any best excluded {any_best:.1f}%, the last excluded {worst:.1f}%")


if __name__ == "__main__":
    main()
