"""Coverage of the worth of a candidate, and size and power of the test between two, on real populations.

The topics of a collection are a population with known means; a sample draws topics from it with replacement. The true
worth is the k with E f(mu, truth on k topics) = E f(mu, candidate on a topics), mu the truth's population means.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from data import matrix
from scipy.special import stdtr, stdtrit

import concordant as cc
from concordant.errors import UndefinedCorrelationWarning
from concordant.means import mean_over_topics, tied_sums
from concordant.topics import worth_core as wc

FloatArray = wc.FloatArray
COEFFICIENTS = ("tau_b", "tau_ap_b", "pearson_rank")
Population = tuple[FloatArray, list[FloatArray]]


def settle(means: FloatArray, size: FloatArray) -> FloatArray:
    return tied_sums(means, size, 100)


def dl21(*judges: str) -> Population:
    human, *others = (matrix(f"dl21/scores/ndcg_cut_10__{judge}.csv") for judge in ("human", *judges))
    return human, others


def exchanged(population: Population) -> Population:
    """Each topic twice, the second time with the roles of two candidates exchanged: equal agreement with the truth."""
    truth, (a, b) = population
    return np.vstack([truth, truth]), [np.vstack([a, b]), np.vstack([b, a])]


WORTH: dict[str, Callable[[], Population]] = {
    "robust2004 AP: P@10": lambda: (matrix("trec/robust2004_ap.csv"), [matrix("trec/robust2004_p10.csv")]),
    "dl21 human: gpt4o, llama3.2, umbrela": lambda: dl21("binary_gpt4o", "binary_llama3.2", "umbrela_gpt4"),
}
SIZE: dict[str, Callable[[], Population]] = {
    "umbrela, llama3.2 exchanged": lambda: exchanged(dl21("umbrela_gpt4", "binary_llama3.2")),
    "umbrela, prefs exchanged": lambda: exchanged(dl21("umbrela_gpt4", "prefs")),
}
POWER: dict[str, Callable[[], Population]] = {
    "umbrela, llama3.2": lambda: dl21("umbrela_gpt4", "binary_llama3.2"),
    "umbrela, gpt4o": lambda: dl21("umbrela_gpt4", "binary_gpt4o"),
}


def true_curve(
    mu: FloatArray, scores: FloatArray, sizes: Sequence[int], f: wc.Coefficient, rng: np.random.Generator, draws: int
) -> FloatArray:
    """E f(mu, means over k topics) for each k."""
    side, out = wc.Side.of(scores), []
    for k in sizes:
        weights = rng.multinomial(k, np.full(len(scores), 1 / len(scores)), draws).astype(np.float64)
        out.append(np.nan_to_num(f(mu, side.means(weights @ side.values, k, settle))).mean())
    return np.array(out)


def true_worths(population: Population, f: wc.Coefficient, a: int, draws: int = 8000) -> list[float]:
    """Counted as `worth_of` does: beyond a, by the candidate's own curve."""
    truth, candidates = population
    rng = np.random.default_rng(5)
    mu = mean_over_topics(truth)
    sizes = [int(k) for k in wc.grid_of(a, 25)]
    curve = wc.monotone(true_curve(mu, truth, sizes, f, rng, draws))
    found = []
    for candidate in candidates:
        other = wc.monotone(true_curve(mu, candidate, sizes, f, rng, draws))
        worth = wc.size_with(sizes, curve, other[-1])
        found.append(worth if worth < math.inf else a * a / wc.size_with(sizes, other, curve[-1]))
    return found


def sampled(population: Population, n: int, seed: int, subset: bool) -> Population:
    rng = np.random.default_rng([33, seed, n])
    truth, candidates = population
    topics = rng.integers(0, len(truth), n)
    count = truth.shape[1]
    systems = rng.choice(count, int(rng.integers(15, count + 1)), replace=False) if subset else np.arange(count)
    return truth[np.ix_(topics, systems)], [y[np.ix_(topics, systems)] for y in candidates]


def curves_of(sample: Population, f: wc.Coefficient, seed: int, options: argparse.Namespace) -> wc.Curves:
    effort = wc.Effort(
        options.splits, options.jackknife, options.most_splits, options.most_jackknife, groups=options.groups
    )
    return wc.compute_curves(*sample, f, np.random.default_rng([34, seed]), settle=settle, effort=effort)


def raw(curves: wc.Curves) -> wc.Curves:
    """Without the correction for second differences."""
    return replace(curves, has_second=np.zeros_like(curves.has_second))


def coverage(options: argparse.Namespace) -> None:
    """Shares of samples whose 95% interval holds the true worth: inverted test and derivative, t and normal."""
    print(
        "| population | n | coefficient | candidate | true | median | inverted t | z | delta t | z | raw t | factor |"
    )
    print("|" + " --- |" * 12, flush=True)
    for name, make in WORTH.items():
        if options.only not in name:
            continue
        population = make()
        for n in options.topics:
            t, z = float(stdtrit(n - 1, 0.975)), 1.959964
            for coefficient in options.coefficients:
                f = getattr(cc, coefficient)
                truths = true_worths(population, f, n // 2)
                rows: list[list[tuple[float, ...]]] = [[] for _ in truths]
                for seed in range(options.samples):
                    curves = curves_of(sampled(population, n, seed, False), f, seed, options)
                    for j, true in enumerate(truths):
                        w, v, r = (wc.worth_of(c, j + 1, q) for c, q in ((curves, t), (curves, z), (raw(curves), t)))
                        off = math.log(true) - math.log(w.worth) if 0 < w.worth < math.inf else math.nan
                        rows[j].append(
                            (
                                w.worth,
                                w.fit_low <= true <= w.fit_high,
                                v.fit_low <= true <= v.fit_high,
                                abs(off) <= t * w.standard_error,
                                abs(off) <= z * w.standard_error,
                                abs(off) <= t * r.standard_error,
                                w.standard_error,
                                off,
                                w.low > true,
                                w.monte_carlo,
                                w.status == "beyond",
                                r.standard_error,
                            )
                        )
                for j, true in enumerate(truths):
                    got = np.array(rows[j])
                    some = got[np.isfinite(got[:, 7])]  # worth 0 has no logarithm
                    shares = [f"{100 * x.mean():.0f}" for x in (*got[:, 1:3].T, *some[:, 3:6].T)]
                    print(
                        f"| {name} | {n} | {coefficient} | {j + 1} | {true:.1f} | {np.median(got[:, 0]):.1f} | "
                        f"{' | '.join(shares)} | {math.exp(t * np.median(some[:, 6])):.2f} | "
                        f"no error {len(got) - len(some)}, beyond {got[:, 10].sum():.0f}, "
                        f"too high {got[:, 8].sum():.0f}, "
                        f"sd {some[:, 7].std():.3f} se {np.sqrt((some[:, 6] ** 2).mean()):.3f} "
                        f"raw {np.sqrt((some[:, 11] ** 2).mean()):.3f} "
                        f"mc/se {np.median(some[:, 9] / some[:, 6]):.3f}",
                        flush=True,
                    )


def beyond(options: argparse.Namespace) -> None:
    """Worth of all topics and of infinitely many, by the law of `beyond_half`."""
    print(
        "| population | n | coefficient | candidate | true (n) | median | covered | true (limit) | median | covered |"
    )
    print("|" + " --- |" * 10, flush=True)
    for name, make in WORTH.items():
        if options.only not in name:
            continue
        truth, candidates = population = make()
        for n in options.topics:
            critical = float(stdtrit(n - 1, 0.975))
            for coefficient in options.coefficients:
                f = getattr(cc, coefficient)
                rng, mu = np.random.default_rng(6), mean_over_topics(truth)
                sizes = [int(k) for k in wc.grid_of(3000, 45)]
                curve = wc.monotone(true_curve(mu, truth, sizes, f, rng, 3000))
                trues = []
                for y in candidates:
                    limit = float(f(mu, mean_over_topics(y)))
                    at_n = float(true_curve(mu, y, [n], f, rng, 8000)[0])
                    trues.append([wc.size_with(sizes, curve, v) for v in (at_n, limit)])
                found: list[list[wc.Beyond]] = [[] for _ in candidates]
                for seed in range(options.samples):
                    curves = curves_of(sampled(population, n, seed, False), f, seed, options)
                    for j in range(len(candidates)):
                        found[j].append(wc.beyond_half(curves, j + 1, critical))
                for j, (at_n, limit) in enumerate(trues):
                    usable = [b for b in found[j] if b.n_points >= 3]
                    if not usable:
                        continue
                    got = np.array([(b.worth, b.low, b.high, b.limit, b.limit_low, b.limit_high) for b in usable])
                    cells = [
                        f"{true:.1f} | {np.median(g[:, 0]):.1f} | "
                        f"{100 * ((g[:, 1] <= true) & (true <= g[:, 2])).mean():.0f}"
                        for true, g in ((at_n, got[:, :3]), (limit, got[:, 3:]))
                    ]
                    wide = np.median(got[:, [1, 2, 4, 5]], axis=0).round(1)
                    print(
                        f"| {name} | {n} | {coefficient} | {j + 1} | {' | '.join(cells)} | limits {wide} "
                        f"fitted {len(usable)} of {options.samples}",
                        flush=True,
                    )


def differences(options: argparse.Namespace) -> None:
    print("| judges | n | coefficient | mean | sd | mean se | raw se | rejected | raw rejected |")
    print("|" + " --- |" * 9, flush=True)
    for name, make in {**SIZE, **POWER}.items():
        if options.only not in name:
            continue
        population = make()
        for n in options.topics:
            for coefficient in options.coefficients:
                f = getattr(cc, coefficient)
                got = []
                for seed in range(options.samples):
                    curves = curves_of(sampled(population, n, seed, options.subset), f, seed, options)
                    d, r = (wc.difference_of(c, 1, 2) for c in (curves, raw(curves)))
                    p, q = (2 * stdtr(n - 1, -abs(x.statistic)) for x in (d, r))
                    got.append((d.difference, d.standard_error, r.standard_error, p <= 0.05, q <= 0.05))
                g = np.array(got)
                print(
                    f"| {name} | {n} | {coefficient} | {g[:, 0].mean():.4f} | {g[:, 0].std(ddof=1):.4f} | "
                    f"{np.sqrt((g[:, 1] ** 2).mean()):.4f} | {np.sqrt((g[:, 2] ** 2).mean()):.4f} | "
                    f"{100 * g[:, 3].mean():.1f} | {100 * g[:, 4].mean():.1f} |",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["coverage", "beyond", "differences"])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--splits", type=int, default=300)
    parser.add_argument("--jackknife", type=int, default=60)
    parser.add_argument("--most-splits", type=int, default=2000)
    parser.add_argument("--most-jackknife", type=int, default=300)
    parser.add_argument("--topics", type=int, nargs="+", default=[25, 50])
    parser.add_argument("--coefficients", nargs="+", default=list(COEFFICIENTS))
    parser.add_argument("--subset", action="store_true", help="a random subset of systems in each sample")
    parser.add_argument("--groups", type=int, default=17)
    parser.add_argument("--only", default="", help="populations whose name contains this")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UndefinedCorrelationWarning)
    start = time.perf_counter()
    {"coverage": coverage, "beyond": beyond, "differences": differences}[options.what](options)
    print(f"\n{options.samples} samples, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
