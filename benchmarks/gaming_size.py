"""How often `gaming_gap` finds the lost share of a judge with independent errors to be other than 0, on dl21's runs.

The judge is dl21's, its grades dealt out again among documents of the same topic and human grade: no error depends on
what systems retrieve. Systems and topics are drawn anew each time. "gamed" and "rejected" are in percent: how often the
judge is said to be gamed, and how often the interval excludes 0. Writes docs/measured/gaming.csv; some ten minutes.
With `--values`: dl21's own judges, to gaming-dl21.csv; half a minute.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
from data import need

import concordant as cc
from concordant.judges.gaming import gaming_gap, shuffled
from concordant.judgments.changes import grades_beside

TABLE = Path(__file__).resolve().parents[1] / "docs" / "measured" / "gaming.csv"
SYSTEMS = 20


def cell(name: str, n: int, repetitions: int) -> list[str]:
    """One row of the table."""
    runs, people = cc.read_runs(need("dl21/runs")), cc.read_qrels(need("dl21/qrels/human.txt.gz"))
    beside = grades_beside(people, cc.read_qrels(need(f"dl21/qrels/{name}.txt.gz")))
    judge = people.take(there := beside >= 0).with_grades(beside[there])
    pairs = np.column_stack([judge.topic_of, people.grades[there]])
    alike = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
    rng, above, below = np.random.default_rng(7), 0, 0
    for _ in range(repetitions):
        some = runs.select(rng.permutation(runs.systems)[:SYSTEMS].tolist())
        topics = rng.permutation(people.topics)[:n].tolist()
        with warnings.catch_warnings(action="ignore"):
            false = shuffled(judge, alike, rng).select(topics)
            found = gaming_gap(some, people.select(topics), false, n_permutations=20, rng=rng)
        assert found.lost_interval is not None
        above, below = above + (found.lost_interval.low > 0), below + (found.lost_interval.high < 0)
    shares = [f"{100 * count / repetitions:.1f}" for count in (above, above + below)]
    return [name, *map(str, (n, SYSTEMS, repetitions)), *shares]


def values() -> None:
    """One row per judge of dl21, with nDCG@10 and 50 documents re-ordered."""
    runs, people = cc.read_runs(need("dl21/runs")), cc.read_qrels(need("dl21/qrels/human.txt.gz"))
    true = cc.evaluate(runs, people, "nDCG@10").means()
    with TABLE.with_name("gaming-dl21.csv").open("w", encoding="utf-8", newline="") as file:
        table, shares = csv.writer(file, lineterminator="\n"), ("transfer", "lost_share")
        ends = [f"{share}{end}" for share in shares for end in ("", "_low", "_high")]
        table.writerow(["judge", "tau_b", "favourite", "favourite_low", "favourite_high", *ends, "judged"])
        for path in sorted(need("dl21/qrels").glob("*.txt.gz")):
            if (name := path.name.removesuffix(".txt.gz")) == "human":
                continue
            judge = cc.read_qrels(path)
            tau = cc.tau_b(true, cc.evaluate(runs, judge, "nDCG@10").means())
            found = gaming_gap(runs, people, judge, rng=1)
            row: list[object] = [name, f"{tau:.2f}", found.favourite_people]
            row += [f"{end:g}" for end in (found.favourite_interval.low, found.favourite_interval.high)]
            for value, of in ((found.transfer, found.transfer_interval), (found.lost, found.lost_interval)):
                row += [f"{x:.2f}" for x in (value, *((of.low, of.high) if of else (np.nan, np.nan)))]
            table.writerow([*row, *(f"{dose.judged:.2f}" for dose in found.doses if dose.k == found.k)])


def main() -> None:
    """One row per judge and number of topics."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repetitions", type=int, default=100)
    options.add_argument("--values", action="store_true")
    if options.parse_args().values:
        values()
        return
    repetitions = options.parse_args().repetitions
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["judge", "topics", "systems", "repetitions", "gamed", "rejected"])
        for name in ("umbrela_gpt4", "binary_gpt4", "binary_llama3.2"):
            for n in (25, 53):
                table.writerow(cell(name, n, repetitions))
                file.flush()


if __name__ == "__main__":
    main()
