"""Do intervals and tests of agreement hold where topics come in groups, and do they fail where groups are ignored?

Documents are drawn with replacement from WMT 25, English to Czech (113 documents, 384 segments, 41 systems), and bring
their segments along. The population is these documents: all of them, two of which have 42 and 43 segments where half
have one, so that 60 documents count as 14 of one size; or those of up to 10 segments, 40 of which count as 20. The
truth is one metric, the candidates are others, each in its own standard deviations.

correlate. How often the interval covers tau_b between the means over all documents.

rank_judges. Two candidates change places at random, document by document, so that neither agrees better with the
truth: how often the test rejects at 5%.

judge_worth. The true rate, worth per half of the documents, is counted on curves over many samples of two disjoint sets
of documents: how often the interval for worth / half covers it. Without groups, half of the segments are valued.

Every finished cell goes to a file, from which a run that was stopped continues; the last lines are a table of
docs/measured/boards.md.
"""

from __future__ import annotations

import argparse
import json
import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cells import keep
from coverage_worth import SIZES, A, crossing
from data import need

import concordant as cc
from concordant.data.means import places_of_groups

FloatArray = npt.NDArray[np.float64]
TRUTH, CANDIDATES = "GEMBA-ESA-GPT4.1", ("GEMBA-ESA-CMDA", "XCOMET-XL")
DESIGNS = {"up to 10 segments": (10, 40), "all": (99, 60)}  # by name, the longest document, and how many are drawn
WORLDS = 4_000  # samples that the true worth is counted on
Groups = dict[str, str] | None


class Documents:
    """Truth and candidates, segments x systems each, and the segments of each document."""

    def __init__(self, longest: int) -> None:
        groups = f"{need('wmt25/en-cs_CZ__groups.csv')}:document"
        read = [cc.read_scores(need(f"wmt25/en-cs_CZ__{name}.csv"), groups=groups) for name in (TRUTH, *CANDIDATES)]
        sides = cc.pair(read[0], read[1:]).sides
        self.sides = [(side.values - side.values.mean()) / side.values.std() for side in sides]
        _, place = places_of_groups(sides[0].groups or (), sides[0].topics)
        members = [np.flatnonzero(place == k) for k in range(place.max() + 1)]
        self.members = [rows for rows in members if len(rows) <= longest]
        kept = np.concatenate(self.members)
        self.means = [side[kept].mean(axis=0) for side in self.sides]
        self.worth = math.nan

    def draw(self, count: int, rng: np.random.Generator, *, exchange: bool = False) -> tuple[list[cc.Scores], Groups]:
        """A sample of documents; with `exchange` the candidates change places on half of them."""
        drawn = [self.members[k] for k in rng.integers(0, len(self.members), count)]
        parts = []
        for rows in drawn:
            part = [side[rows] for side in self.sides]
            parts.append([part[0], *part[:0:-1]] if exchange and rng.random() < 0.5 else part)
        values = [np.concatenate([part[k] for part in parts]) for k in range(len(self.sides))]
        labels = [str(k) for k, rows in enumerate(drawn) for _ in rows]
        made = [cc.Scores(side, range(len(side)), range(side.shape[1])) for side in values]
        return made, dict(zip(map(str, range(len(labels))), labels, strict=True))

    def true_worth(self, k: int) -> float:
        """Worth of 25 documents of candidate k in documents of the truth."""
        rng, sizes = np.random.default_rng(0), SIZES[len(self.members) >= SIZES]
        sums = [np.array([side[rows].sum(axis=0) for rows in self.members]) for side in self.sides]
        found = np.zeros(len(sizes) + 1)
        for _ in range(WORLDS):
            a = rng.integers(0, len(self.members), sizes[-1])
            own = [sums[0][a[:size]].sum(axis=0) for size in sizes]  # sums rank as means do
            found += np.asarray(cc.tau_b(self.means[0][None], np.stack([*own, sums[k][a[:A]].sum(axis=0)])))
        return crossing(found[:-1] / WORLDS, float(found[-1]) / WORLDS, sizes)


def correlate(data: Documents, count: int, grouped: bool, k: int) -> float:
    """Whether an interval holds."""
    true = float(cc.tau_b(data.means[0], data.means[1]))
    (a, b, _), groups = data.draw(count, np.random.default_rng([1, k]))
    found = cc.correlate(cc.as_scores(a, groups=groups if grouped else None), b, n_resamples=999, rng=k).interval
    return float(found is not None and found.low <= true <= found.high)


def rank_judges(data: Documents, count: int, grouped: bool, k: int) -> float:
    """Whether one of two equal judges is excluded as the best."""
    (truth, a, b), groups = data.draw(count, np.random.default_rng([2, k]), exchange=True)
    given = cc.as_scores(truth, groups=groups if grouped else None)
    return float(len(cc.rank_judges(given, {"a": a, "b": b}).best) < 2)


def worth(data: Documents, count: int, grouped: bool, k: int) -> float:
    """Whether an interval holds, for new documents and these systems."""
    (a, b, _), groups = data.draw(count, np.random.default_rng([3, k]))
    found = cc.judge_worth(cc.as_scores(a, groups=groups if grouped else None), b, new_systems=False)
    return float(found.interval.low <= data.worth <= found.interval.high)


CELLS: dict[str, tuple[Callable[[Documents, int, bool, int], float], str]] = {
    "correlate": (correlate, "coverage, 95%"),
    "rank_judges": (rank_judges, "size, 10%"),
    "judge_worth": (worth, "coverage, 95%"),
}


def cells() -> Iterator[tuple[str, str, bool]]:
    """Function, design, and whether documents are groups."""
    for name in CELLS:
        for design in DESIGNS:
            for grouped in (True, False):
                yield name, design, grouped


def main() -> None:
    """Measure what is not in the file yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--file", type=Path, default=Path("coverage_groups.json"))
    parser.add_argument("--table", action="store_true", help="only print the table of what is in the file")
    given = parser.parse_args()
    done: dict[str, Any] = json.loads(given.file.read_text()) if given.file.exists() else {}
    data: dict[str, Documents] = {}
    for name, design, grouped in cells():
        key, (longest, count) = f"{name} | {design} | {'documents' if grouped else 'none'}", DESIGNS[design]
        if key in done or given.table:
            continue
        if design not in data:
            data[design] = Documents(longest)
        if name == "judge_worth" and math.isnan(data[design].worth):
            data[design].worth = data[design].true_worth(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            held = [CELLS[name][0](data[design], count, grouped, k) for k in range(given.samples)]
        done[key] = {"samples": given.samples, "share": float(np.mean(held))}
        given.file.write_text(json.dumps(done, indent=1))
        print(key, done[key], flush=True)
    for name, (_, what) in CELLS.items():
        for design, (_, count) in DESIGNS.items():
            keys = [f"{name} | {design} | {groups}" for groups in ("documents", "none")]
            if all(key in done for key in keys):
                shares = {
                    column: f"{100 * done[key]['share']:.1f}"
                    for column, key in zip(("as_groups", "groups_ignored"), keys, strict=True)
                }
                row = {"function": name, "what": what, "documents": f"{count} of {design}", **shares}
                keep("groups", [row | {"samples": done[keys[0]]["samples"]}], ("function", "documents"))
                print(row)


if __name__ == "__main__":
    main()
