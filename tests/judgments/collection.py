"""A small collection: people, a machine that is often right, and runs of several qualities."""

from __future__ import annotations

import numpy as np

import concordant as cc

SYSTEMS, TOPICS, DOCUMENTS, DEPTH = 9, 8, 60, 20


def _made() -> tuple[cc.Runs, cc.Qrels, cc.Qrels]:
    rng = np.random.default_rng(5)
    people, machine = {}, {}
    runs: dict[str, dict[str, list[str]]] = {f"s{i}": {} for i in range(SYSTEMS)}
    for t in range(TOPICS):
        names = [f"d{t}x{k}" for k in range(DOCUMENTS)]
        quality = rng.normal(size=DOCUMENTS) + rng.normal(0, 0.3)
        grades = np.digitize(quality, [0.2, 0.8, 1.6])
        said = np.clip(np.round(grades + rng.normal(0, 0.8, DOCUMENTS)), 0, 3)
        people[f"t{t}"] = dict(zip(names, map(int, grades), strict=True))
        machine[f"t{t}"] = dict(zip(names, map(int, said), strict=True))
        for i in range(SYSTEMS):
            order = np.argsort(-(quality + rng.normal(0, 0.4 + 0.25 * i, DOCUMENTS)))[:DEPTH]
            runs[f"s{i}"][f"t{t}"] = [names[k] for k in order]
    return cc.Runs.from_dict(runs), cc.Qrels.from_dict(people), cc.Qrels.from_dict(machine)


RUNS, PEOPLE, MACHINE = _made()
