"""How well people and a machine together rank systems, and how often the intervals of `combine` hold.

The topics of a collection are a population with known means. A trial draws n topics with human and machine scores, and
N more with machine scores alone, with replacement. tau_b is with the ranking by the population's human means. The true
worth is n times the mean squared error of the human deviations, over that of the combined ones. Coverage is in percent:
of means (all systems, the worst system, and the worst by Student's interval for its human mean alone), of differences,
of the worth, and of simultaneous rank intervals for all systems. Favoured systems get machine scores that are larger
by the favour, up to 1: their coverage, and the ranks that they gain over the same trial without favour.

Plans: pilots of 25 topics promise that a mix ranks as well as 60 human topics; reached is the true worth of that mix.

Every finished cell is a line of docs/measured/combine.csv, where a run that was stopped continues.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from data import matrix
from scipy.special import stdtrit

import concordant as cc
from concordant.arrays import FloatArray
from concordant.planning.combination import _mix
from concordant.planning.mixing import Combined, combined

TABLE = Path(__file__).resolve().parents[1] / "docs" / "measured" / "combine.csv"
METHODS = {"control": False, "shrunk": True}
TRIALS, TRUTH, RANKED, PILOTS = 300, 1500, 30, 60  # TRUTH: for the true worth, where there is no favour
KEY = ("machine", "n", "more", "favoured", "favour")
COLUMNS = (
    *(*KEY, "method", "tau_people", "tau_machine", "tau", "worth_true", "worth_median", "worth_covered", "means"),
    *("means_worst", "means_worst_student", "differences", "ranks", "favoured_covered", "ranks_gained"),
)
Population = tuple[FloatArray, FloatArray]


def dl21(judge: str) -> Population:
    return matrix("dl21/scores/ndcg_cut_10__human.csv"), matrix(f"dl21/scores/ndcg_cut_10__{judge}.csv")


def useless() -> Population:
    """The scores of other systems: it knows the topics and nothing of the systems."""
    human, machine = dl21("umbrela_gpt4")
    return human, machine[:, np.random.default_rng(7).permutation(machine.shape[1])]


def example(judge: str) -> Population:
    return cc.load_collection("people").values, cc.load_collection(judge).values


POPULATIONS: dict[str, Callable[[], Population]] = {
    "people by careful": lambda: example("careful"),
    "dl21 by umbrela_gpt4": lambda: dl21("umbrela_gpt4"),
    "robust2004 AP by P@10": lambda: (matrix("trec/robust2004_ap.csv"), matrix("trec/robust2004_p10.csv")),
    "covid1 map by P@5": lambda: (matrix("covid1/map.csv"), matrix("covid1/P_5.csv")),
    "people by hasty": lambda: example("hasty"),
    "dl21 by binary_llama3.2": lambda: dl21("binary_llama3.2"),
    "dl21 by prefs": lambda: dl21("prefs"),
    "dl21 by a useless judge": useless,
}


@cache
def population(name: str, share: float, favour: float) -> tuple[FloatArray, FloatArray, FloatArray, Any]:
    """Human scores, the machine's with and without favour, and the systems that it favours."""
    human, machine = POPULATIONS[name]()
    systems = machine.shape[1]
    chosen = np.random.default_rng(11).permutation(systems)[: max(1, round(share * systems)) if favour else 0]
    favouring = machine.copy()
    favouring[:, chosen] = np.minimum(machine[:, chosen] + favour, 1)
    return human, favouring, machine, chosen


def rank(means: FloatArray) -> FloatArray:
    return np.asarray(1.0 + (means[None, :] > means[:, None]).sum(axis=1))


def held(found: Combined, error: FloatArray) -> tuple[Any, float]:
    """Whether the interval of each mean holds, and the share of differences whose intervals hold."""
    variance, (i, j) = np.diag(found.covariance), np.triu_indices(len(error), 1)
    of_pairs = np.sqrt(variance[i] + variance[j] - 2 * found.covariance[i, j])
    t, of_difference = (float(stdtrit(freedom, 0.975)) for freedom in (found.mean_freedom, found.freedom))
    pairs = np.abs(error[i] - error[j]) <= of_difference * of_pairs + 1e-12
    return np.abs(error) <= t * np.sqrt(variance), float(pairs.mean())


def ranks_hold(found: Combined, truth: FloatArray, seed: int) -> bool:
    means = cc.Means(found.means, range(len(truth)), covariance=found.covariance, degrees_of_freedom=found.freedom)
    sets = cc.rank_intervals(means, n_resamples=499, rng=seed)
    order = [int(system) for system in sets.systems]
    above = truth[None, :] > truth[:, None]
    best, worst = 1 + above.sum(axis=1), len(truth) - above.T.sum(axis=1)
    return bool(((sets.low <= best[order]) & (sets.high >= worst[order])).all())


def squared(error: FloatArray) -> float:
    return float(np.var(error))


def cell(name: str, n: int, more: int, share: float, favour: float, ranked: int) -> Iterator[dict[str, Any]]:
    human, machine, fair, chosen = population(name, share, favour)
    truth = human.mean(axis=0)
    got: dict[str, dict[str, list[Any]]] = {method: {} for method in METHODS}
    of_people: dict[str, list[Any]] = {"tau": [], "error": [], "machine": [], "student": []}

    def note(to: dict[str, list[Any]], **values: Any) -> None:
        for key, value in values.items():
            to.setdefault(key, []).append(value)

    for trial in range(TRIALS if favour else TRUTH):
        rng = np.random.default_rng([17, trial, n])
        topics, others = rng.integers(0, len(human), n), rng.integers(0, len(human), more)
        y, x, u = human[topics], machine[topics], machine[others]
        alone = y.mean(axis=0)
        student = float(stdtrit(n - 1, 0.975)) * y.std(axis=0, ddof=1) / n**0.5
        note(
            of_people,
            tau=cc.tau_b(truth, alone.round(12)),
            error=squared(alone - truth),
            machine=cc.tau_b(truth, np.vstack([x, u]).mean(axis=0).round(12)),
            student=np.abs(alone - truth) <= student,
        )
        for method, shrink in METHODS.items():
            found = combined(y, x, u, shrink=shrink)
            if trial >= TRIALS:
                note(got[method], error=squared(found.means - truth))
                continue
            means, pairs = held(found, found.means - truth)
            note(
                got[method],
                tau=cc.tau_b(truth, found.means.round(12)),
                error=squared(found.means - truth),
                worth=(found.worth, *found.worth_limits(0.95, n)),
                means=means,
                pairs=pairs,
            )
            if trial < ranked and not shrink:
                note(got[method], ranks=ranks_hold(found, truth, trial))
            if favour:
                without = combined(y, fair[topics], fair[others], shrink=shrink)
                note(got[method], gained=(rank(without.means) - rank(found.means))[chosen].mean())
    for method, of in got.items():
        worth, covered = np.array(of["worth"]), np.mean(of["means"], axis=0)
        true = n * np.mean(of_people["error"]) / np.mean(of["error"])
        yield dict(
            zip(
                COLUMNS,
                (
                    name, n, more, share, favour, method,
                    *(f"{np.mean(v):.3f}" for v in (of_people["tau"], of_people["machine"], of["tau"])),
                    f"{true:.1f}", f"{np.median(worth[:, 0]):.1f}",
                    *(
                        f"{100 * v:.1f}"
                        for v in (
                            np.mean((worth[:, 1] <= true) & (true <= worth[:, 2])), covered.mean(), covered.min(),
                            np.mean(of_people["student"], axis=0).min(), np.mean(of["pairs"]),
                        )
                    ),
                    f"{100 * np.mean(of['ranks']):.1f}" if "ranks" in of else "",
                    f"{100 * covered[chosen].mean():.1f}" if favour else "",
                    f"{np.mean(of['gained']):.2f}" if favour else "",
                ),
                strict=True,
            )
        )  # fmt: skip


def plans() -> None:
    """What pilots promise, 60 topics, and the worth that their mixes reach."""
    for name in list(POPULATIONS)[:4]:
        human, machine, _, _ = population(name, 0, 0)
        truth = human.mean(axis=0)
        for method, shrink in METHODS.items():
            reached = []
            for pilot in range(PILOTS):
                rng = np.random.default_rng([5, pilot])
                topics, others = rng.integers(0, len(human), 25), rng.integers(0, len(human), 500)
                of = combined(human[topics], machine[topics], machine[others], shrink=shrink)
                mixes = [mix for n in range(15, 60) if (mix := _mix(of.moments, of.bias, n, 60, (20, 0.05)))]
                if not mixes:
                    continue
                best = min(mixes, key=lambda mix: mix.cost)
                errors = np.zeros(2)
                for _ in range(12):
                    a, b = (rng.integers(0, len(human), size) for size in (best.human, min(best.machine, 5000)))
                    mixed = combined(human[a], machine[a], machine[b], shrink=shrink)
                    errors += squared(human[a].mean(axis=0) - truth), squared(mixed.means - truth)
                reached.append((best.human * errors[0], errors[1]))
            of_people, of_mix = np.sum(reached, axis=0)
            print(f"{name}, {method}: 60 promised, {of_people / of_mix:.0f} reached", flush=True)


def cells() -> Iterator[tuple[str, int, int, float, float, int]]:
    for name in POPULATIONS:
        for n, more in ((15, 1000), (25, 1000), (50, 1000), (25, 100)):
            yield name, n, more, 0, 0, RANKED if (n, more) == (25, 1000) else 0
    for name in list(POPULATIONS)[:4]:
        for share in (0.01, 0.03, 0.1):
            for favour in (0.05, 0.1, 0.15):
                yield name, 15, 1000, share, favour, 0


def main() -> None:
    if sys.argv[1:] == ["--plans"]:
        return plans()
    known = set()
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            known = {tuple(row[name] for name in KEY) for row in csv.DictReader(file)}
    for key in cells():
        if tuple(map(str, key[:5])) in known:
            continue
        rows = list(cell(*key))
        with TABLE.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if not known:
                writer.writeheader()
            writer.writerows(rows)
        known.add(tuple(map(str, key[:5])))
        print(*(",".join(map(str, row.values())) for row in rows), sep="\n", flush=True)
    return None


if __name__ == "__main__":
    main()
