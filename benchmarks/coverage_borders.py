"""How often a board draws a false border, on collections whose true means are known. Run by `make coverage`.

A border after k systems claims that each of them is truly better than each of the others. It is false if any of them is
not. With simultaneous intervals, at most 5% of samples may have a false border. Stairs: the means lie on four levels,
tied on each, so there are three true borders, and the share of these that is found tells the power. Pairs: systems tie
in twos, and the twos lie far apart. That is the hardest case: all other pairs are found, so the last step of the test
has the whole level left for the tied ones, and each wrong call is a false border.

The designs of `coverage_ranks`, and held-out ones, which no constant was tuned on: Student's t with 3 degrees of
freedom, binary answers on documents of five questions, grades 0 to 3 of which a tenth is missing, and the real topics
of adhoc6, each system shifted to its place. Writes docs/measured/borders.csv with --write.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from coverage_ranks import Ladder, Sample, bounded, collection, flat, ladder, normal, precision, real, skewed
from scipy.special import ndtr

import concordant as cc

Design = Callable[[np.random.Generator, int, int], Sample | tuple[cc.Scores, np.ndarray]]
WRITTEN = Path(__file__).parents[1] / "docs" / "measured" / "borders.csv"


def stairs(m: int) -> np.ndarray:
    """True values on four stairs, tied on each."""
    return -0.8 * (4 * np.arange(m) // m).astype(float)


def pairs(m: int) -> np.ndarray:
    """True values of tied pairs, five apart."""
    return -5.0 * (np.arange(m) // 2)


def at(design: Callable[..., Any], means: Ladder) -> Design:
    return lambda rng, m, n: design(rng, m, n, means)


def student(rng: np.random.Generator, m: int, n: int, means: Ladder) -> Sample:
    return means(m) + rng.normal(size=(n, 1)) + rng.uniform(0.2, 0.6, m) * rng.standard_t(3, (n, m)), means(m)


def documents(rng: np.random.Generator, m: int, n: int, means: Ladder = stairs) -> tuple[cc.Scores, np.ndarray]:
    """Right or wrong, in documents of five questions, whose difficulty differs by system as well."""
    groups = np.arange(n) // 5
    hard = rng.normal(size=(n // 5, 1))[groups] + 0.5 * rng.normal(size=(n // 5, m))[groups]
    values = (means(m) + hard + rng.normal(size=(n, m)) > 0).astype(float)
    topics = [str(k) for k in range(n)]
    return cc.Scores(values, topics, range(m), groups=groups.astype(str).tolist()), ndtr(means(m) / 1.5)


def grades(rng: np.random.Generator, m: int, n: int, means: Ladder = stairs) -> tuple[cc.Scores, np.ndarray]:
    """Grades 0 to 3 with holes."""
    limits = np.array([-1.0, 0.5, 1.5])
    spread = np.sqrt(0.25 + rng.uniform(0.3, 1.0, m) ** 2)
    values = means(m) + 0.5 * rng.normal(size=(n, 1)) + np.sqrt(spread**2 - 0.25) * rng.normal(size=(n, m))
    graded = (values[..., None] > limits).sum(axis=-1).astype(float)
    true = ndtr((means(m)[:, None] - limits) / spread[:, None]).sum(axis=1)
    graded[rng.random(graded.shape) < 0.1] = np.nan
    return cc.Scores(graded, range(n), range(m), missing="available"), true


def shifted(name: str, means: Ladder) -> Design:
    """Real topics, drawn with replacement, of systems that are shifted to places a tenth as far apart."""
    population = collection(name)
    centred = population - population.mean(axis=0)

    def sample(rng: np.random.Generator, m: int, n: int) -> Sample:
        chosen = centred[:, rng.choice(centred.shape[1], m, replace=False)] + means(m) / 10
        return chosen[rng.integers(0, len(chosen), n)], means(m) / 10

    return sample


# A design, its systems x topics, and whether nothing was tuned on it.
DESIGNS: dict[str, tuple[Design, tuple[tuple[int, int], ...], bool]] = {
    "normal, ladder": (at(normal, ladder), ((20, 10), (20, 50), (20, 200)), False),
    "normal, all tied": (flat(normal), ((20, 10), (20, 50)), False),
    "normal, stairs": (at(normal, stairs), ((20, 10), (20, 50), (20, 200)), False),
    "normal, pairs": (at(normal, pairs), ((10, 15), (10, 50), (20, 50)), False),
    "skewed, stairs": (at(skewed, stairs), ((20, 10), (20, 50), (20, 200)), False),
    "skewed, pairs": (at(skewed, pairs), ((10, 15), (10, 50), (20, 50)), False),
    "bounded, stairs": (at(bounded, stairs), ((20, 50), (20, 200)), False),
    "P@10, stairs": (at(precision, stairs), ((20, 50), (20, 200)), False),
    "robust2004 AP": (real("robust2004_ap"), ((30, 25), (30, 50), (30, 200)), False),
    "Student's t, stairs": (at(student, stairs), ((20, 10), (20, 50)), True),
    "Student's t, pairs": (at(student, pairs), ((10, 15), (10, 50)), True),
    "binary in documents, stairs": (documents, ((12, 50), (12, 200), (12, 500)), True),
    "binary in documents, pairs": (at(documents, lambda m: pairs(m) / 2 + m / 2), ((6, 100), (6, 500)), True),
    "grades with holes, stairs": (grades, ((12, 15), (12, 50), (12, 200)), True),
    "grades with holes, pairs": (at(grades, lambda m: pairs(m) / 4 + 2), ((6, 15), (6, 50)), True),
    "adhoc6, stairs": (shifted("adhoc6", stairs), ((20, 25), (20, 50), (20, 200)), True),
    "adhoc6, pairs": (shifted("adhoc6", pairs), ((10, 15), (10, 25), (10, 50)), True),
}


def measure(design: Design, m: int, n: int, samples: int, n_resamples: int) -> tuple[float, float, float]:
    """Share of samples with a false border, mean number of borders, and the share of true borders that is found."""
    false, count, found_true = [], [], []
    for stream in np.random.SeedSequence([m, n, 31]).spawn(samples):
        rng = np.random.default_rng(stream)
        given, means = design(rng, m, n)
        found = cc.rank_intervals(given, n_resamples=n_resamples, rng=rng)
        true = means[[int(system) for system in found.systems]]
        right = {k for k in found.borders if true[:k].min() > true[k:].max()}
        there = np.sort(means)[::-1]
        false.append(len(right) < len(found.borders))
        count.append(len(found.borders))
        found_true.append(len(right) / max((np.diff(there) < 0).sum(), 1))
    return float(np.mean(false)), float(np.mean(count)), float(np.mean(found_true))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=600)
    parser.add_argument("--resamples", type=int, default=1_999)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    start, rows = time.perf_counter(), []
    for name, (design, sizes, held_out) in DESIGNS.items():
        for m, n in sizes:
            false, count, power = measure(design, m, n, options.samples, options.resamples)
            rows.append(
                [
                    name,
                    m,
                    n,
                    "yes" if held_out else "no",
                    options.samples,
                    f"{false:.4f}",
                    f"{count:.2f}",
                    f"{power:.3f}",
                ]
            )
            print(*rows[-1], flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
    if options.write:
        with WRITTEN.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(
                ["design", "systems", "topics", "held_out", "samples", "false_border", "borders", "true_borders_found"]
            )
            table.writerows(rows)
    if any(float(row[5]) > 0.05 + 2 * np.sqrt(0.05 * 0.95 / options.samples) for row in rows):
        raise SystemExit("false borders in more than 5% of samples, by more than chance")


if __name__ == "__main__":
    main()
