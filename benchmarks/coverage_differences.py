"""How often 95% intervals of `run_noise` and `difference` hold, and how often equal systems are called different.

A score is a function of a topic, a system and a run, and what is expected of it over topics is known. `logit` is the
design on which the constants of the intervals were chosen: the log odds of success are a normal effect of the topic,
sd 1.6, and of topic by system, sd 1, around a level of each system; runs are Bernoulli or beta around the chance of
success. The other designs tuned nothing:

heavy     effects of Student's t with 3 degrees of freedom
mixture   half of the topics are nearly always solved, half are hard
unequal   1 to R runs of each topic and system
ceiling   systems solve 88 to 99%
skewed    unbounded scores with lognormal errors
groups    topics in groups of 2 to 8, which share an effect of their own and one for each system
seeds     run r is one trained system on all topics, sd 0.6 of the log odds
pass^2    pass^2 of four runs, a score like any other

Two systems in the middle are equal: the size is how often `difference` calls them different, p <= 0.05. `worst` is the
lowest coverage of a system, or of a pair. Each row of the file is a question: the mean of a system or the difference of
two, for topics like these, or for these topics.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from cells import keep
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit

from concordant.data.runs import passing, run_means, scale_of
from concordant.ranks.differences import _by_topic, _with_runs
from concordant.ranks.noise import _of_system, _on_these, seed_noise
from concordant.ranks.paired import paired

FloatArray = npt.NDArray[np.float64]
KEY = ("design", "scores", "topics", "runs", "systems", "question")
TAIL = 1e-12


class Cell(NamedTuple):
    """A design and its size."""

    design: str
    scores: str
    topics: int
    runs: int
    systems: int

    @property
    def levels(self) -> FloatArray:
        """Of the systems; the two in the middle are equal."""
        low, high = (2.0, 4.5) if self.design == "ceiling" else (-2.2, 2.2)
        levels = np.linspace(low, high, self.systems)
        middle = self.systems // 2
        levels[middle - 1 : middle + 1] = levels[middle - 1 : middle + 1].mean()
        return levels


def cells() -> Iterator[Cell]:
    """All that is measured."""
    for scores in ("binary", "graded"):
        for topics in (5, 10, 25, 50):
            for runs in (1, 2, 5, 10):
                yield Cell("logit", scores, topics, runs, 6)
        for systems in (2, 30):
            yield Cell("logit", scores, 25, 5, systems)
        for design in ("heavy", "mixture", "unequal", "ceiling"):
            for topics in (10, 25, 50):
                yield Cell(design, scores, topics, 4, 6)
        for topics in (30, 50):
            for runs in (1, 4):
                yield Cell("groups", scores, topics, runs, 6)
            yield Cell("seeds", scores, topics, 4, 6)
        for runs, systems in ((2, 6), (10, 6), (4, 2), (4, 30)):
            yield Cell("seeds", scores, 50, runs, systems)
    for topics in (10, 25, 50):
        yield Cell("skewed", "unbounded", topics, 4, 6)
        yield Cell("pass^2", "binary", topics, 4, 6)


class Sample(NamedTuple):
    """What is observed, and the truth: of each system, and of each on these topics."""

    runs: FloatArray
    true: FloatArray
    here: FloatArray
    groups: npt.NDArray[np.int64] | None


class Population:
    """Draws samples of a cell."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.rng = np.random.default_rng(zlib.crc32(repr(cell).encode()))
        points, weights = hermegauss(80)
        self.points, self.weights = points, weights / weights.sum()
        self.true = self._truth()

    def _truth(self) -> FloatArray:
        """What is expected of each system over topics and runs."""
        levels, design = self.cell.levels, self.cell.design
        if design == "skewed":
            return levels
        if design in ("heavy", "mixture", "groups", "pass^2"):  # by simulation, the two equal systems together
            chance = expit(self.effects(400_000)[0] + levels)
            middle = len(levels) // 2
            true = (chance**2 if design == "pass^2" else chance).mean(axis=0)
            true[middle - 1 : middle + 1] = true[middle - 1 : middle + 1].mean()
            return np.asarray(true)
        sd = np.sqrt(1.6**2 + 1 + (0.6**2 if design == "seeds" else 0))
        return np.asarray((expit(levels[:, None] + sd * self.points) * self.weights).sum(axis=1))

    def effects(self, n: int) -> tuple[FloatArray, npt.NDArray[np.int64] | None]:
        """Of topics and of topics by systems, n x systems."""
        rng, m, design = self.rng, self.cell.systems, self.cell.design
        if design == "heavy":
            return 0.9 * rng.standard_t(3, (n, 1)) + 0.6 * rng.standard_t(3, (n, m)), None
        if design == "mixture":
            return np.where(rng.random((n, 1)) < 0.5, 4.0, -1.0) + rng.normal(0, 0.7, (n, m)), None
        topics, both = rng.normal(0, 1.6, (n, 1)), rng.normal(0, 1, (n, m))
        if design != "groups":
            return topics + both, None
        groups = np.repeat(np.arange(n), rng.integers(2, 9, n))[:n]
        while groups[-1] < 4:  # fewer than 5 groups are refused
            groups = np.repeat(np.arange(n), rng.integers(2, 9, n))[:n]
        shared = rng.normal(0, 1, (n, 1))[groups] + rng.normal(0, 0.6, (n, m))[groups]
        return 0.7 * topics + 0.7 * both + shared, groups

    def draw(self) -> Sample:
        """One sample."""
        rng, (_, scores, n, r, m), levels = self.rng, self.cell, self.cell.levels
        effects, groups = self.effects(n)
        if self.cell.design == "skewed":
            here = levels + rng.lognormal(0, 0.8, (n, m)) - np.exp(0.32) + effects[:, :1]
            runs = here[:, :, None] + rng.lognormal(0, 0.7, (n, m, r)) - np.exp(0.245)
            return Sample(runs, self.true, here.mean(axis=0), None)
        odds = (effects + levels)[:, :, None] + (rng.normal(0, 0.6, (1, m, r)) if self.cell.design == "seeds" else 0)
        chance = np.broadcast_to(expit(odds), (n, m, r))
        if scores == "binary":
            runs = (rng.random((n, m, r)) < chance).astype(np.float64)
        else:
            runs = rng.beta(np.clip(3 * chance, 1e-6, None), np.clip(3 * (1 - chance), 1e-6, None))
        if self.cell.design == "unequal":
            runs = np.where(np.arange(r) < rng.integers(1, r + 1, (n, m))[:, :, None], runs, np.nan)
        if self.cell.design == "pass^2":
            runs = passing(runs, 2, every=True)[:, :, None]
        return Sample(runs, self.true, chance.mean(axis=(0, 2)), groups)


def measured(cell: Cell, samples: int) -> Iterator[dict[str, Any]]:
    """One row per question."""
    population, m = Population(cell), cell.systems
    middle = m // 2
    pairs = list(dict.fromkeys([(middle - 1, middle), (0, m - 1), (0, middle), (middle, m - 1)]))
    held: dict[str, list[list[bool]]] = {}
    rejected: dict[str, list[bool]] = {}
    for _ in range(samples):
        sample = population.draw()
        runs, passes = sample.runs, cell.design == "pass^2"
        several = runs.shape[2] > 1
        if several or passes:
            _means(held, sample, "binary" if passes else scale_of(runs), several and cell.design != "seeds")
        for question in ("difference", "difference, these topics") if several else ("difference",):
            these = question != "difference"
            if these and cell.design == "seeds":
                continue
            found = [_pair(sample, a, b, these=these) for a, b in pairs]
            truth = sample.here if these else sample.true
            held.setdefault(question, []).append(
                [
                    low - TAIL <= truth[a] - truth[b] <= high + TAIL
                    for (a, b), (low, high, _) in zip(pairs, found, strict=True)
                ]
            )
            if not these:
                rejected.setdefault(question, []).append(found[0][2] <= 0.05)
    for question, all_held in held.items():
        shares = 100 * np.array(all_held).mean(axis=0)
        yield {
            **cell._asdict(),
            "question": question,
            "coverage": f"{shares.mean():.1f}",
            "worst": f"{shares.min():.1f}",
            "size": f"{100 * np.mean(rejected[question]):.1f}" if question in rejected else "",
            "samples": samples,
        }


def _means(held: dict[str, list[list[bool]]], sample: Sample, scale: Any, these_too: bool) -> None:
    """As `run_noise` does it, without the checks of what a caller passed."""
    runs, m = sample.runs, sample.runs.shape[1]
    seeds, _ = seed_noise(runs, "auto")
    added: list[Any] = [None] * m if seeds is None else list(zip(seeds.variance, seeds.parts, strict=True))
    intervals = [_of_system(runs[:, k], scale, 0.95, sample.groups, added[k]).interval for k in range(m)]
    asked = [("mean", intervals, sample.true)]
    if these_too:
        here = [_on_these(runs[:, k], scale, 0.95).interval for k in range(m)]
        asked.append(("mean, these topics", here, sample.here))
    for question, found, truth in asked:
        held.setdefault(question, []).append(
            [i.low - TAIL <= t <= i.high + TAIL for i, t in zip(found, truth, strict=True)]
        )


def _pair(sample: Sample, a: int, b: int, *, these: bool) -> tuple[float, float, float]:
    """Limits and p-value, as `difference` computes them. Where all topics differ alike, there is no interval."""
    means = run_means(sample.runs)[:, [a, b]]
    x, y = np.ascontiguousarray(means[:, 0]), np.ascontiguousarray(means[:, 1])
    d, mean = _by_topic(x, y)
    several = sample.runs.shape[2] > 1
    found = paired(d, mean, 0.95, sample.groups, binary=not several and scale_of(np.append(x, y)) == "binary")
    if several:
        scale = scale_of(sample.runs) if these else None
        found, _, _ = _with_runs(found, sample.runs, [a, b], 0.95, scale, "auto")
    if np.isnan(found.low):
        return -np.inf, np.inf, found.pvalue
    return found.low, found.high, found.pvalue


def main() -> None:
    """Measure, and keep each cell as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--design", help="only this one")
    given = parser.parse_args()
    for cell in cells():
        if given.design in (None, cell.design):
            rows = list(measured(cell, given.samples))
            keep("differences", rows, KEY)
            for row in rows:
                print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
