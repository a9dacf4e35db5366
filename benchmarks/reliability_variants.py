"""Other posteriors of the true means than that of `expected_correlation` and `plan_topics`: are they less biased?

On MTEB with few tasks reliability and plan say too little. Samples of topics are drawn from populations whose means are
known: MTEB(eng, v2), normal with the means and the covariance of its complete models; and real topics, drawn with
replacement, of 50 systems of robust2004, adhoc8 and TREC-COVID. Beside the actual tau_b with the true ranking stands
the bias of the reliability and of the plan for as many topics, by each posterior:

- today: as in `concordant.inference.posterior`, K (means) + sqrt(K) error, the errors times one scale with n - 1
  degrees of freedom;
- flat: K = 1;
- without the common direction: noise along the means themselves, which moves no rank, is left out of K;
- by direction: a normal prior of each system, and the whole covariance of the errors, instead of one K for all;
- more freedom: as today, the scale with (n - 1) r degrees of freedom, r the effective rank tr(S)^2 / tr(S^2) of the
  covariance of the errors, because the level of noise is seen in all of its directions.

A minute or two. The table is that of docs/measured/boards.md.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from cells import keep
from data import need
from plan_mteb import models

import concordant as cc
from concordant.coefficients.registry import get_coefficient
from concordant.inference.posterior import noise_shares

FloatArray = npt.NDArray[np.float64]
Sampler = Callable[[int, np.random.Generator], tuple[FloatArray, FloatArray]]
DRAWS = 150
VARIANTS = ("today", "flat", "without the common direction", "by direction", "more freedom")


def populations() -> dict[str, Sampler]:
    """By collection, what draws topics x systems, and the true means."""

    def normal(whole: FloatArray) -> Sampler:
        means, off = whole.mean(axis=0), (whole - whole.mean(axis=0)) / math.sqrt(len(whole) - 1)
        return lambda n, rng: (means + rng.standard_normal((n, len(whole))) @ off, means)

    def real(path: str) -> Sampler:
        whole = cc.read_scores(need(path)).values

        def draw(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
            some = whole[:, rng.choice(whole.shape[1], 50, replace=False)]
            return some[rng.integers(0, len(some), n)], some.mean(axis=0)

        return draw

    names = {"robust2004 AP": "trec/robust2004_ap.csv", "adhoc8 AP": "trec/adhoc8.csv"}
    names["TREC-COVID nDCG@10"] = "covid1/ndcg_cut_10.csv"
    return {"MTEB, normal": normal(models())} | {name: real(path) for name, path in names.items()}


class Sample:
    """Observed means and errors, from which true means are drawn."""

    def __init__(self, values: FloatArray) -> None:
        self.n, self.m = values.shape
        means = values.mean(axis=0)
        self.observed = means - means.mean()
        errors = values - means
        errors -= errors.mean(axis=1, keepdims=True)
        self.errors = errors / math.sqrt(self.n * (self.n - 1))  # their squares are the covariance of the means

    def k(self, errors: FloatArray) -> float:
        """1 - E[noise / variance]."""
        noise = float((errors**2).sum()) / self.m
        return 1 - noise_shares(self.m - 1, float(self.observed.var(ddof=1)) / noise)[0]

    def rank(self) -> float:
        """tr(S)^2 / tr(S^2) of the population, from n topics."""
        gram, f = self.errors @ self.errors.T, self.n - 1
        first, second = float(np.trace(gram)), float((gram**2).sum())
        corrected = f * f / ((f - 1) * (f + 2)) * (second - first**2 / f)
        return float(np.clip(first**2 / max(corrected, 1e-300), 1, self.m - 1))

    def draw(self, variant: str, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """True means, and means over as many new topics, one row per draw."""
        freedom = (self.n - 1) * (self.rank() if variant == "more freedom" else 1)

        def noise(directions: FloatArray) -> FloatArray:
            scale = np.sqrt(freedom / rng.chisquare(freedom, DRAWS))[:, None]
            return np.asarray(rng.standard_normal((DRAWS, len(directions))) @ directions * scale)

        unit = self.observed / np.linalg.norm(self.observed)
        across = self.errors - np.outer(self.errors @ unit, unit)
        if variant == "by direction":
            _, sizes, directions = np.linalg.svd(self.errors, full_matrices=False)
            prior = self.k(self.errors) * float(self.observed.var(ddof=1))
            kept = prior / (prior + sizes**2)
            centre = self.observed - (directions @ self.observed * (1 - kept)) @ directions
            truth = centre + noise((sizes * np.sqrt(kept))[:, None] * directions)
        else:
            k = {"flat": 1.0, "without the common direction": self.k(across)}.get(variant, self.k(self.errors))
            truth = k * self.observed + math.sqrt(k) * noise(self.errors)
        return truth, truth + noise(self.errors)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tau = get_coefficient("tau_b").on_threads(1)
    for name, sampler in populations().items():
        for n in (10, 25):
            actual, found = [], np.empty((given.samples, len(VARIANTS), 2))
            for s in range(given.samples):
                rng = np.random.default_rng([s, n])
                values, true = sampler(n, rng)
                actual.append(float(tau(true, values.mean(axis=0))))
                sample = Sample(values)
                for v, variant in enumerate(VARIANTS):
                    truth, new = sample.draw(variant, rng)
                    found[s, v] = np.mean(tau(truth, sample.observed[None])), np.mean(tau(truth, new))
            off = found - np.array(actual)[:, None, None]
            cells = [f"{rel:+.3f} / {plan:+.3f}" for rel, plan in off.mean(axis=0)]
            error = off[:, 0, 0].std() / math.sqrt(given.samples)
            row = {"collection": name, "topics": n, "actual": f"{np.mean(actual):.3f}"}
            row |= dict(zip((v.replace(" ", "_") for v in VARIANTS), cells, strict=True))
            keep("reliability-variants", [row | {"standard_error": f"{error:.3f}"}], ("collection", "topics"))
            print(row, flush=True)


if __name__ == "__main__":
    main()
