"""How often rank intervals cover the true ranks where scores are missing, and where topics come in groups.

Holes. Topics are drawn with replacement from a collection whose means are the truth, and holes are made: at random, a
fifth of all scores; or where weak systems were not run, half of the topics of each system of the lower third. "shifted"
has the systems shifted until all means are equal, where any wrong call makes some interval miss: the hardest case.

Groups. Documents are drawn with replacement from WMT 25, English to Czech (113 documents, 384 segments), and bring
their segments along. Intervals are made with documents as groups, and as if segments were drawn one by one. Segments of
a document share what is hard about it, and differences between systems with it. "tied in pairs": neighbours in the
ranking are swapped at random, document by document, so that their true means are equal and errors show. "all tied": as
"shifted", each system shifted until all means are equal.

True ranks run, for each system, from 1 + strictly better to m - strictly worse, and must be covered wholly, those of
all systems together. Every finished cell goes to a file, from which a run that was stopped continues; the last lines
are the tables of docs/measured/boards.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cells import keep
from data import matrix, need

import concordant as cc
from concordant.data.means import mean_over_topics, places_of_groups

FloatArray = npt.NDArray[np.float64]
KEY = ("scores", "size", "case")
Sample = tuple[FloatArray, FloatArray, dict[str, str] | None]  # topics x systems, true means, groups
Metrics = ("XCOMET-XL", "MetricX-24-Hybrid-XL", "GEMBA-ESA-GPT4.1")


def holed(name: str, m: int, n: int, holes: str, *, tied: bool) -> Callable[[np.random.Generator], Sample]:
    """Samples of a collection with holes."""
    whole = matrix(f"trec/{name}.csv")

    def draw(rng: np.random.Generator) -> Sample:
        values = whole[:, rng.choice(whole.shape[1], m, replace=False)]
        if tied:
            values = values - values.mean(axis=0) + values.mean()
        true = np.zeros(m) if tied else mean_over_topics(values)
        sample = values[rng.integers(0, len(values), n)]
        if holes == "random":
            sample = np.where(rng.random(sample.shape) < 0.2, np.nan, sample)
        elif holes == "weak":
            for k in np.argsort(values.mean(axis=0) if not tied else rng.random(m))[: m // 3]:
                sample[rng.choice(n, n // 2, replace=False), k] = np.nan
        return sample, true, None

    return draw


def documents(metric: str, count: int, *, grouped: bool, tied: str) -> Callable[[np.random.Generator], Sample]:
    """Samples of documents with their segments; tied: "", "tied in pairs" or "all tied"."""
    groups = f"{need('wmt25/en-cs_CZ__groups.csv')}:document"
    segments = cc.read_scores(need(f"wmt25/en-cs_CZ__{metric}.csv"), groups=groups)
    _, place = places_of_groups(segments.groups or (), segments.topics)
    values = segments.values
    if tied == "all tied":
        values = values - values.mean(axis=0) + values.mean()
    order = np.argsort(-values.mean(axis=0))
    pairs = order[: len(order) // 2 * 2 if tied == "tied in pairs" else 0].reshape(-1, 2)
    true = np.zeros(len(order)) if tied == "all tied" else mean_over_topics(values).copy()
    true[pairs] = true[pairs].mean(axis=1, keepdims=True)
    members = [np.flatnonzero(place == k) for k in range(place.max() + 1)]

    def draw(rng: np.random.Generator) -> Sample:
        drawn = [members[k] for k in rng.integers(0, len(members), count)]
        sample = np.concatenate([_swapped(values[rows], pairs, rng) for rows in drawn])
        labels = [str(k) for k, rows in enumerate(drawn) for _ in rows]
        groups = {f"row {k + 1}": label for k, label in enumerate(labels)}
        return sample, true, groups if grouped else None

    return draw


def _swapped(values: FloatArray, pairs: npt.NDArray[np.int64], rng: np.random.Generator) -> FloatArray:
    """With some of the pairs of systems changing places."""
    some = pairs[rng.random(len(pairs)) < 0.5]
    made = values.copy()
    made[:, some] = values[:, some[:, ::-1]]
    return made


def cells() -> Iterator[tuple[str, str, Callable[[np.random.Generator], Sample]]]:
    """Table, row, and how to draw a sample."""
    for name, m, n in (("robust2004_ap", 30, 40), ("adhoc8", 30, 40), ("robust2004_p10", 30, 40)):
        for tied in (False, True):
            for holes in ("none", "random", "weak"):
                row = f"{name}{', shifted' if tied else ''} | {m} x {n} | {holes}"
                yield "holes", row, holed(name, m, n, holes, tied=tied)
    for metric in Metrics:
        for count in (20, 60):
            for ties in ("", "tied in pairs", "all tied") if metric == Metrics[0] else ("", "tied in pairs"):
                for grouped in (True, False):
                    what = f"{metric}, {ties}" if ties else metric
                    row = f"{what} | {count} | {'documents' if grouped else 'none'}"
                    yield "groups", row, documents(metric, count, grouped=grouped, tied=ties)


def measured(draw: Callable[[np.random.Generator], Sample], samples: int, resamples: int) -> dict[str, Any]:
    """The share of samples whose intervals cover all true ranks, and their width."""
    held, widths = [], []
    for k in range(samples):
        values, true, groups = draw(np.random.default_rng(k))
        n, m = values.shape
        given = cc.Scores(values, [f"row {i + 1}" for i in range(n)], range(m), missing="available", groups=groups)
        found = cc.rank_intervals(given, n_resamples=resamples, rng=k)
        order = [int(system) for system in found.systems]
        mean = true[order]
        least, most = 1 + (mean > mean[:, None]).sum(axis=1), len(mean) - (mean < mean[:, None]).sum(axis=1)
        held.append(bool(((found.low <= least) & (found.high >= most)).all()))
        widths.append(float((found.high - found.low).mean()) / (len(mean) - 1))
    return {"samples": samples, "coverage": float(np.mean(held)), "width": float(np.mean(widths))}


def main() -> None:
    """Measure what is not in the file yet, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--resamples", type=int, default=499)
    parser.add_argument("--file", type=Path, default=Path("coverage_boards.json"))
    parser.add_argument("--tables", action="store_true", help="only print the tables of what is in the file")
    given = parser.parse_args()
    done: dict[str, Any] = json.loads(given.file.read_text()) if given.file.exists() else {}
    for table, row, draw in cells():
        key = f"{table}: {row}"
        if key not in done and not given.tables:
            done[key] = measured(draw, given.samples, given.resamples)
            given.file.write_text(json.dumps(done, indent=1))
            print(key, done[key], flush=True)
    rows = []
    for part, row, _ in cells():
        if found := done.get(f"{part}: {row}"):
            shares = {"coverage": f"{100 * found['coverage']:.1f}", "width": f"{100 * found['width']:.0f}"}
            rows.append(dict(zip(("part", *KEY), (part, *row.split(" | ")), strict=True)) | shares)
    if rows:
        keep("boards", rows, KEY)


if __name__ == "__main__":
    main()
