"""Measures what docs/papers/carterette2009.md says about speed, into docs/measured/carterette2009-timing.csv.

By hand, on a quiet machine: `make figures` shows what is in the file, so that a page does not change with the machine.
"""

from __future__ import annotations

from itertools import cycle
from timeit import repeat

import numpy as np
from making import MEASURED, data

import concordant as cc

path = data("trec/robust2004_ap.csv")
assert path is not None
truth = cc.read_scores(path)
means = truth.means()
rankings = cycle(means + np.random.default_rng(1).normal(0, 0.01, (200, len(means))))
calls = {
    "rank_distance": lambda: cc.rank_distance(truth, next(rankings)),
    "tau": lambda: cc.tau_b(means, next(rankings)),
}
lines = [f"{what},{min(repeat(call, number=1, repeat=2_000)):.3g}" for what, call in calls.items()]
(MEASURED / "carterette2009-timing.csv").write_text("\n".join(["what,seconds", *lines]) + "\n", encoding="utf-8")
print("\n".join(lines))
