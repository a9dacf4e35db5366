"""Size and power of `compare_judges`, on real and simulated judges. Run by `make coverage`.

Size: how often two judges are told apart that agree with the truth equally well over the population of topics. On real
data, each topic occurs twice, the second time with the roles of the judges exchanged, so that both have the same
population means. Simulated judges get system effects until both coefficients are equal, with scores that vary alike or
not alike. Power: real judges that differ. A trial takes a random subset of systems (all of them for simulated judges)
and draws topics with replacement.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from coverage_intervals import FloatArray
from data import matrix

import concordant as cc
from concordant.calibration import WIDENING
from concordant.means import mean_over_topics
from concordant.resampling import Resampling
from concordant.topics.judge_difference import Tested
from concordant.topics.nested import nested_values, summarise

COEFFICIENTS = ("tau_b", "tau_ap_b", "pearson_rank")
Three = tuple[FloatArray, FloatArray, FloatArray]


def exchanged(truth: FloatArray, a: FloatArray, b: FloatArray) -> Three:
    return np.vstack([truth, truth]), np.vstack([a, b]), np.vstack([b, a])


def equal(noise_a: float, noise_b: float) -> Three:
    """robust2004's AP, and two judges off by system effects (sd 0.02) and residuals, with equal tau_b."""
    truth = matrix("trec/robust2004_ap.csv")
    rng = np.random.default_rng(3)
    while True:
        a, b = (truth + rng.normal(0, 0.02, 110) + rng.normal(0, sd, truth.shape) for sd in (noise_a, noise_b))
        values = [cc.tau_b(mean_over_topics(truth), mean_over_topics(side)) for side in (a, b)]
        if values[0] == values[1]:
            return truth, a, b


def dl21(a: str, b: str) -> Three:
    human, first, second = (matrix(f"dl21/scores/ndcg_cut_10__{judge}.csv") for judge in ("human", a, b))
    return human, first, second


def covid(truth: str, a: str, b: str) -> Three:
    x, y, z = (matrix(f"covid1/{name}.csv") for name in (truth, a, b))
    return x, y, z


SIZE: dict[str, tuple[Callable[[], Three], tuple[str, ...]]] = {
    "dl21 umbrela, prefs, exchanged": (lambda: exchanged(*dl21("umbrela_gpt4", "prefs")), COEFFICIENTS),
    "dl21 umbrela, llama, exchanged": (lambda: exchanged(*dl21("umbrela_gpt4", "binary_llama3.2")), COEFFICIENTS),
    "covid1 bpref, P@5, exchanged": (lambda: exchanged(*covid("ndcg_cut_10", "bpref", "P_5")), COEFFICIENTS),
    "simulated, residuals 0.10 and 0.10": (lambda: equal(0.10, 0.10), ("tau_b",)),
    "simulated, residuals 0.15 and 0.10": (lambda: equal(0.15, 0.10), ("tau_b",)),
    "simulated, residuals 0.25 and 0.05": (lambda: equal(0.25, 0.05), ("tau_b",)),
}
POWER: dict[str, tuple[Callable[[], Three], tuple[str, ...]]] = {
    "dl21 umbrela, llama": (lambda: dl21("umbrela_gpt4", "binary_llama3.2"), COEFFICIENTS),
    "dl21 umbrela, prefs": (lambda: dl21("umbrela_gpt4", "prefs"), COEFFICIENTS),
    "covid1 bpref, P@5": (lambda: covid("ndcg_cut_10", "bpref", "P_5"), COEFFICIENTS),
}
BEYOND = (
    "simulated, residuals 0.25 and 0.05"  # shown for what it is: no size is claimed where one judge is mostly noise
)
METHODS = ("iterated", "plain")
_sides: Three


def _start(name: str) -> None:
    global _sides  # noqa: PLW0603 - one design a process, made once
    _sides = {**SIZE, **POWER}[name][0]()


def trial(task: tuple[int, int, int, bool]) -> FloatArray:
    """For each coefficient: the true difference, and the p-value of each method."""
    seed, n, n_resamples, subset = task
    rng = np.random.default_rng([21, seed, n])
    count = _sides[0].shape[1]
    systems = rng.choice(count, int(rng.integers(15, min(110, count) + 1)), replace=False) if subset else slice(None)
    topics = rng.integers(0, len(_sides[0]), n)
    functions = [cc.get_coefficient(name).formula for name in COEFFICIENTS]

    def differences(means: Sequence[FloatArray]) -> FloatArray:
        return np.array([f(means[0], means[1]) - f(means[0], means[2]) for f in functions])

    sample = [np.ascontiguousarray(side[:, systems][topics]) for side in _sides]
    found = summarise(nested_values(sample, differences, Resampling.of(n_resamples, rng)), n)
    true = differences([mean_over_topics(side[:, systems]) for side in _sides])
    return np.array(
        [
            [t, *(Tested(*own, 0, 0, WIDENING).pvalue() for own in ((s.centre, s.standard_error), (s.value, s.spread)))]
            for t, s in zip(true, found, strict=True)
            if s is not None
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=9_999)
    parser.add_argument("--topics", type=int, nargs="+", default=[25, 50, 100])
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    start, failed = time.perf_counter(), 0
    print(f"{options.trials} trials, {options.resamples} resamples: share in % that is told apart at level 5%\n")
    print("| judges | coefficient | mean true difference | topics | " + " | ".join(METHODS) + " |")
    print("|" + " --- |" * (4 + len(METHODS)), flush=True)
    for name, (_, coefficients) in {**SIZE, **POWER}.items():
        with ProcessPoolExecutor(options.processes, initializer=_start, initargs=(name,)) as pool:
            for n in options.topics:
                tasks = [(s, n, options.resamples, "simulated" not in name) for s in range(options.trials)]
                found = np.array(list(pool.map(trial, tasks, chunksize=8)))
                for k, coefficient in enumerate(COEFFICIENTS):
                    if coefficient not in coefficients:
                        continue
                    share = (found[:, k, 1:] <= 0.05).mean(axis=0)
                    failed += name in SIZE and name != BEYOND and share[0] > 0.07
                    shown = " | ".join(f"{100 * s:.1f}" for s in share)
                    print(f"| {name} | {coefficient} | {found[:, k, 0].mean():.3f} | {n} | {shown} |", flush=True)
    print(f"\n{time.perf_counter() - start:.0f} s")
    if failed:
        sys.exit(f"the iterated test tells equal judges apart in more than 7% in {failed} cells")


if __name__ == "__main__":
    main()
