"""How well expected correlations, their intervals and plans of topics hold, measured. Run by `make coverage`.

Populations of which the true means are known: real topics drawn with replacement (robust2004 by AP and by P@10,
adhoc8, dl21 by reciprocal rank and P@1), and a normal model with the means and covariance of adhoc6. A sample is a
random subset of the systems on some topics. Compared with the actual tau_b between its means and the true ones: the
estimates, the 95% intervals, and predictions for collections with more topics.

Every finished row is kept in a file, from which a run that was stopped continues; `--minutes` stops it. The rows go to
docs/measured/reliability.csv and plans.csv.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from cells import keep
from data import matrix, need

import concordant as cc
from concordant.data.means import mean_over_topics

FloatArray = npt.NDArray[np.float64]
Sampler = Callable[[int, np.random.Generator], FloatArray]
SIZES = ((15, 10), (15, 25), (50, 25), (50, 50), (100, 50))
PLANS = ((15, 10, 50), (20, 25, 100), (50, 25, 100), (50, 50, 200))
NEW = 20  # collections with the planned number of topics, a sample


def read(name: str) -> FloatArray:
    return matrix(f"trec/{name}.csv")


def populations() -> dict[str, tuple[FloatArray, Sampler]]:
    """By name: the true means, and what draws so many topics."""

    def real(values: FloatArray) -> tuple[FloatArray, Sampler]:
        return mean_over_topics(values), lambda n, rng: values[rng.integers(0, len(values), n)]

    def normal(values: FloatArray) -> tuple[FloatArray, Sampler]:
        means, off = values.mean(axis=0), (values - values.mean(axis=0)) / np.sqrt(len(values) - 1)
        return means, lambda n, rng: means + rng.standard_normal((n, len(values))) @ off

    found = {name: real(read(name)) for name in ("robust2004_ap", "robust2004_p10", "adhoc8")}
    found["adhoc6, normal"] = normal(read("adhoc6"))
    # Few distinct scores: reciprocal ranks, and 0 or 1 on a topic.
    runs, qrels = cc.read_runs(need("dl21") / "runs"), cc.read_qrels(need("dl21") / "qrels" / "human.txt.gz")
    for name, scores in cc.evaluate(runs, qrels, ["RR(rel=2)", "P(rel=2)@1"], missing="zero").items():
        found[f"dl21 {name}"] = real(scores.values)
        best = scores.values.mean(axis=0) >= np.median(scores.values.mean(axis=0))
        found[f"dl21 {name}, better half"] = real(np.ascontiguousarray(scores.values[:, best]))
    return found


def estimates(true: FloatArray, draw: Sampler, size: tuple[int, int], samples: int) -> list[str]:
    """A row: the actual tau, the bias of three estimates, and coverage and width of the intervals."""
    m, n = size
    found = []
    for stream in np.random.SeedSequence([1, m, n]).spawn(samples):
        rng = np.random.default_rng(stream)
        systems = rng.choice(len(true), m, replace=False)
        values = np.ascontiguousarray(draw(n, rng)[:, systems])
        actual = float(cc.tau_b(true[systems], mean_over_topics(values)))
        row = [actual, float(cc.expected_correlation(values, coefficient="tau", estimator="msqd")) - actual]
        e = cc.expected_correlation(values, coefficient="tau_b", estimator="posterior", n_resamples=500, rng=rng)
        assert e.interval is not None
        found.append([*row, e.value - actual, actual in e.interval, e.interval.high - e.interval.low])
    actual, msqd, bias, covered, width = np.mean(found, axis=0)
    return [f"{actual:.3f}", f"{msqd:+.3f}", f"{bias:+.3f}", f"{covered:.0%}", f"{width:.2f}"]


def plans(true: FloatArray, draw: Sampler, size: tuple[int, int, int], samples: int) -> list[str]:
    """A row: the actual mean tau at the planned size, the predictions' bias and error, and how often their 5% quantile
    was reached by actual collections (95% is right)."""
    m, n, more = size
    found = []
    for stream in np.random.SeedSequence([2, m, n, more]).spawn(samples):
        rng = np.random.default_rng(stream)
        systems = rng.choice(len(true), m, replace=False)
        values = np.ascontiguousarray(draw(n, rng)[:, systems])
        new = np.stack([mean_over_topics(draw(more, rng)[:, systems]) for _ in range(NEW)])
        actual = np.asarray(cc.tau_b(true[systems], new))
        plan = cc.plan_topics(values, coefficient="tau_b", target=0.99, n_resamples=500, most=more, rng=rng)
        error = float(plan.expected[-1]) - float(actual.mean())
        found.append([float(actual.mean()), error, abs(error), float((actual >= plan.low[-1]).mean())])
    actual_mean, bias, error, above = np.mean(found, axis=0)
    return [f"{actual_mean:.3f}", f"{bias:+.3f}", f"{error:.3f}", f"{above:.0%}"]


def measure(path: Path, samples: int, minutes: float) -> dict[str, list[str]]:
    """The rows of both tables, by what they are of: those that the file has, and new ones until the time is over."""
    rows: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        row = json.loads(line)
        rows[row["key"]] = row["cells"]
    path.parent.mkdir(parents=True, exist_ok=True)
    start, ordered = time.process_time(), dict[str, list[str]]()
    for name, (true, draw) in populations().items():
        made: list[tuple[str, Callable[[], list[str]]]] = []
        for m, n in sorted({(min(m, len(true)), n) for m, n in SIZES}):
            made.append((f"| {name} | {m} x {n} |", partial(estimates, true, draw, (m, n), samples)))
        for m, n, more in sorted({(min(m, len(true)), n, more) for m, n, more in PLANS}):
            made.append((f"| {name} | {m} x {n} to {more} |", partial(plans, true, draw, (m, n, more), samples)))
        for label, make in made:
            key = f"{samples} {label}"
            if key not in rows and time.process_time() - start < 60 * minutes:
                rows[key] = make()
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, "cells": rows[key]}) + "\n")
            if key in rows:
                ordered[label] = rows[key]
    return ordered


def store(rows: dict[str, list[str]]) -> None:
    """The files of both tables."""
    heads = {
        "reliability": ("systems_x_topics", ("bias_msqd", "bias", "covers", "width")),
        "plans": ("systems_x_topics_to_topics", ("bias", "error", "above_the_5%_quantile")),
    }
    for name, (sizes, what) in heads.items():
        head = ["population", sizes, "actual_tau", *what]
        found = [
            dict(zip(head, [*label.strip("| ").split(" | "), *(c.rstrip("%") for c in cells)], strict=True))
            for label, cells in rows.items()
            if (" to " in label) == (name == "plans")
        ]
        if found:
            keep(name, found, ("population", sizes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=600)
    parser.add_argument("--minutes", type=float, default=600, help="of processor time, in this run")
    parser.add_argument("--state", default="studies/reliability.jsonl", help="file of the rows that are there")
    options = parser.parse_args()
    store(measure(Path(options.state), options.samples, options.minutes))


if __name__ == "__main__":
    main()
