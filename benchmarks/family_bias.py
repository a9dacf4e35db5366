"""Size and power of `family_bias`. Finished cells go to docs/measured/families.csv.

A judge without bias has scores around slope * the true means of the systems, with errors of its own; its systems err
together within families, over topics, as those of the truth do.

- "simulated": normal errors, half of their variance shared within a family, 6 families of 4 systems that differ in
  quality.
- "simulated, own biases": the same, and each system has a bias of its own, of half the standard deviation of systems.
- "covid1": the runs of TREC-COVID by team, the 10 teams with most runs; truth and judge are map on different random
  topics, so that both have the same expectation and real errors.

For power, one family is favoured by a shift, in standard deviations of the systems' means.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from cells import keep
from data import lacks, need

import concordant as cc

POPULATIONS, TOPICS, SHIFTS = ("simulated", "simulated, own biases", "covid1"), (25, 50), (0.0, 1.0, 2.0)


@cache
def covid() -> tuple[Any, list[str]]:
    scores = cc.read_scores(need("covid1/map.csv"))
    with need("covid1/leaderboard.csv").open(encoding="utf-8", newline="") as file:
        team = {row["run"]: row["team"] for row in csv.DictReader(file)}
    most = {name for name, _ in Counter(team[s] for s in scores.systems).most_common(10)}
    kept = [s for s in scores.systems if team[s] in most]
    return scores.select(kept).values, [team[s] for s in kept]


def sides(name: str, n: int, shift: float, rng: np.random.Generator) -> tuple[Any, Any, list[str]]:
    if name == "covid1":
        values, families = covid()
        truth, judge = (values[rng.integers(0, len(values), n)] for _ in range(2))
        favoured = rng.choice(sorted(set(families)))
        return truth, judge + shift * values.mean(axis=0).std() * (np.array(families) == favoured), families
    family = np.arange(24) // 4
    quality = np.repeat(rng.normal(0, 0.08, 6), 4) + rng.normal(0, 0.06, 24)

    def noise() -> Any:
        return rng.normal(0, 0.15, (n, 6))[:, family] + rng.normal(0, 0.15, (n, 24))

    own = rng.normal(0, 0.05, 24) if "own" in name else 0.0
    judge = 0.7 * (quality + own + shift * quality.std() * (family == 0)) + noise()
    return quality + noise(), judge, [f"f{k}" for k in family]


def cell(name: str, n: int, shift: float, trials: int) -> dict[str, Any]:
    found = []
    for trial in range(trials):
        rng = np.random.default_rng([41, trial, n])
        truth, judge, families = sides(name, n, shift, rng)
        systems = [str(k) for k in range(truth.shape[1])]
        sides_of = [cc.Scores(values, range(n), systems) for values in (truth, judge)]
        of = dict(zip(systems, families, strict=True))
        bias = cc.judges.family_bias(sides_of[0], sides_of[1], families=of, n_resamples=199, rng=trial)
        found.append(
            [min(f.adjusted for f in bias.families) <= 0.05, np.mean([f.pvalue <= 0.05 for f in bias.families])]
        )
    return {"any": float(np.mean([f[0] for f in found])), "each": float(np.mean([f[1] for f in found]))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--state", default="studies/family_bias.jsonl")
    options = parser.parse_args()
    if told := lacks("covid1/map.csv", "covid1/leaderboard.csv"):
        print(f"covid1 is left out: {told}")
    state = Path(options.state)
    state.parent.mkdir(parents=True, exist_ok=True)
    known = {tuple(c["key"]): c for c in map(json.loads, state.read_text().splitlines())} if state.exists() else {}
    for n in TOPICS:
        for name in POPULATIONS:
            for shift in SHIFTS:
                key = (name, n, shift, options.trials)
                if key not in known and not (name == "covid1" and told):
                    known[key] = {"key": key, **cell(*key)}
                    with state.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(known[key]) + "\n")
                    write(known, options.trials)
    write(known, options.trials)


def write(known: dict[tuple[Any, ...], dict[str, Any]], trials: int) -> None:
    """The cells that there are, into docs/measured/families.csv."""
    heads = ["judge", "topics", *("no_shift" if not s else f"{s:g}_sd" for s in SHIFTS), "one_family"]
    rows = []

    def shown(name: str, n: int, shift: float, what: str) -> str:
        found = known.get((name, n, shift, trials))
        return "" if found is None else f"{100 * found[what]:.1f}"

    for n in TOPICS:
        for name in POPULATIONS:
            row = [shown(name, n, shift, "any") for shift in SHIFTS] + [shown(name, n, 0.0, "each")]
            if row[0]:
                rows.append(dict(zip(heads, [name, n, *row], strict=True)))
    keep("families", rows, ("judge", "topics"))


if __name__ == "__main__":
    main()
