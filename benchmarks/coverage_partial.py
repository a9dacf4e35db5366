"""How often the intervals of `combine` hold where people labelled some of the cells, and how wide they are.

The topics of a collection are a population with known means. A trial draws n topics with replacement and m systems,
fixed for a row, and labels a share of each system's topics at random. Coverage is in percent: of means (all systems,
the worst system, and the worst that chance alone would give), of differences with the first system. Widths are half
of mean intervals: this, prediction-powered inference by system (PPI++, its own weight for each system), and the labels
alone; "ppi" is its coverage. In rows with a favour, the machine scores the first system higher by so much, up to 1:
its coverage and error, and how often it is named. "named" is how often any other system is. "random" and "topics" are
how often the tests of how cells were chosen reject. Design "topics" labels whole topics.

All rows are docs/measured/partial.csv; some five minutes. The constants were chosen on umbrela_gpt4 and
binary_llama3.2; the other judges, map and the simulated scores are held out.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
from data import matrix
from scipy.special import ndtri, stdtrit

import concordant as cc
from concordant.arrays import FloatArray

TABLE = Path(__file__).resolve().parents[1] / "docs" / "measured" / "partial.csv"
TRIALS = 500
BIG, FEW, SMALL = (50, 40), (50, 5), (25, 10)
ROWS = [
    *(("umbrela_gpt4", "ndcg_cut_10", *BIG, share, "cells", 0.0) for share in (0.1, 0.15, 0.3, 0.5)),
    *(("binary_llama3.2", "ndcg_cut_10", *BIG, share, "cells", 0.0) for share in (0.1, 0.3)),
    *(
        (judge, measure, *size, share, "cells", 0.0)
        for judge, measure in (
            ("binary_gpt4", "ndcg_cut_10"),
            ("prefs", "ndcg_cut_10"),
            ("binary_gpt4o", "map"),
            ("exam_graded_max_gpt4", "map"),
        )
        for size, share in ((BIG, 0.1), (BIG, 0.3), (BIG, 0.5), (SMALL, 0.2), (FEW, 0.3))
    ),
    *((kind, "simulated", *SMALL, share, "cells", 0.15) for kind in ("graded", "binary") for share in (0.4, 0.5)),
    *((kind, "simulated", 50, 20, share, "cells", 0.15) for kind in ("graded", "binary") for share in (0.2, 0.5)),
    *((judge, "ndcg_cut_10", *BIG, 0.3, "cells", 0.15) for judge in ("umbrela_gpt4", "binary_gpt4")),
    *(("umbrela_gpt4", "ndcg_cut_10", *BIG, share, "topics", 0.0) for share in (0.2, 0.5)),
    *(("prefs", "ndcg_cut_10", *BIG, share, "topics", 0.0) for share in (0.2, 0.5)),
]  # fmt: skip
KEY = ("machine", "measure", "n", "m", "share", "design", "favour")
COLUMNS = (
    *(*KEY, "means", "means_worst", "worst_by_chance", "differences", "width", "width_ppi", "ppi", "width_labels"),
    *("favoured_covered", "favoured_error", "favoured_named", "named", "random", "topics"),
)


def simulated(kind: str, n: int, m: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Human scores and the machine's: systems on a logistic scale, topics in common, noise by cell."""
    quality, topic = np.linspace(-1.2, 1.2, m), rng.normal(0, 1.2, (n, 1))
    p = 1 / (1 + np.exp(-(quality + topic + rng.normal(0, 0.9, (n, m)))))
    if kind == "binary":
        human = (rng.random((n, m)) < p).astype(float)
        return human, (rng.random((n, m)) < 0.12 + 0.7 * human).astype(float)
    human = rng.beta(4 * p, 4 * (1 - p))
    return human, np.clip(0.2 + 0.7 * human + 0.07 * rng.normal(size=(n, 1)) + rng.normal(0, 0.12, (n, m)), 0, 1)


def ppi(y: FloatArray, f: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means and their variances by PPI++ for each system, which has a share of its cells in y and all in f."""
    there = ~np.isnan(y)
    labels, rest = there.sum(axis=0), (~there).sum(axis=0)
    of_y, on, off = (
        np.where(mask, of, 0).sum(axis=0) / count
        for of, mask, count in ((y, there, labels), (f, there, labels), (f, ~there, rest))
    )
    dy, df = np.where(there, y - of_y, 0.0), np.where(there, f - on, 0.0)
    spread = f.var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        lam = np.where(spread > 0, (dy * df).sum(axis=0) / (labels - 1) / spread / (1 + labels / rest), 0.0)
    e = dy - lam * df
    return of_y + lam * (off - on), (e * e).sum(axis=0) / (labels - 1) / labels + lam**2 * spread / rest


def row(given: tuple[Any, ...]) -> dict[str, Any]:
    """All numbers of a row."""
    name, measure, n, m, share, design, favour = given
    rng = np.random.default_rng(7)
    if measure != "simulated":
        every = [matrix(f"dl21/scores/{measure}__{side}.csv") for side in ("human", name)]
        chosen = rng.permutation(every[0].shape[1])[:m]
        human, machine = (side[:, chosen] for side in every)
        truth = human.mean(axis=0)
    else:
        truth = np.mean([simulated(name, 2000, m, rng)[0].mean(axis=0) for _ in range(100)], axis=0)
    covered, own, differences = np.zeros(m), np.zeros(m), np.zeros(m - 1)
    widths, counts, favoured = np.zeros(3), np.zeros(3), np.zeros(3)

    systems = [str(k) for k in range(m)]
    for _ in range(TRIALS):
        if measure == "simulated":
            y, f = simulated(name, n, m, rng)
        else:
            drawn = rng.integers(0, len(human), n)
            y, f = human[drawn], machine[drawn]
        if favour:
            up = rng.random(n) < favour if name == "binary" else favour
            f = np.column_stack([np.minimum(f[:, 0] + up, np.maximum(f[:, 0], 1)), f[:, 1:]])
        keys = np.repeat(rng.random((n, 1)), m, axis=1) if design == "topics" else rng.random((n, m))
        y = np.where(keys.argsort(axis=0).argsort(axis=0) < round(share * n), y, np.nan)
        made = cc.Scores(y, range(n), systems), cc.Scores(f, range(n), systems)
        found = cc.combine(*made, names=("people", "machine"))
        order = [int(system) for system in found.means.systems]
        at = np.argsort(order)
        hit = ((found.low <= truth[order]) & (truth[order] <= found.high))[at]
        covered += hit
        covariance = np.asarray(found.means.covariance)[np.ix_(at, at)]
        means, freedom = found.means.values[at], found.difference_freedom[np.ix_(at, at)]
        error = np.sqrt(np.diag(covariance)[1:] + covariance[0, 0] - 2 * covariance[0, 1:])
        off = np.abs(means[1:] - means[0] - truth[1:] + truth[0])
        differences += off <= stdtrit(freedom[0, 1:], 0.975) * error
        center, variance = ppi(y, f)
        labels = (~np.isnan(y)).sum(axis=0)
        reach = stdtrit(labels - 1, 0.975) * np.sqrt(variance)
        own += np.abs(center - truth) <= reach
        widths += [(found.high - found.low).mean() / 2, reach.mean(), found.human_reach.mean()]
        named = found.favoured()
        counts += [bool(set(named) - {"0"}), found.random_p <= 0.05, found.scattered_p <= 0.05]
        favoured += [hit[0], means[0] - truth[0], "0" in named]
    by_chance = 100 * (0.95 + ndtri(0.5 ** (1 / m)) * -np.sqrt(0.95 * 0.05 / TRIALS))
    of = 100 / TRIALS
    numbers = [f"{of * covered.mean():.1f}", f"{of * covered.min():.1f}", f"{by_chance:.1f}"]
    numbers += [f"{of * differences.mean():.1f}", f"{widths[0] / TRIALS:.3f}", f"{widths[1] / TRIALS:.3f}"]
    numbers += [f"{of * own.mean():.1f}", f"{widths[2] / TRIALS:.3f}"]
    numbers += (
        [f"{of * favoured[0]:.1f}", f"{favoured[1] / TRIALS:+.3f}", f"{of * favoured[2]:.0f}"] if favour else [""] * 3
    )
    numbers += [f"{of * count:.1f}" for count in counts]
    return dict(zip(COLUMNS, (*given, *numbers), strict=True))


def main() -> None:
    """Write the table."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for given in ROWS:
            found = row(given)
            table.writerow(found)
            file.flush()
            print(*found.values(), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
