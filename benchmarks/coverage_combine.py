"""How well people and a machine together rank systems, and how often the intervals of `combine` hold.

The topics of a collection are a population with known means. A trial draws n topics with human and machine scores, and
N more with machine scores alone, with replacement. tau_b is with the ranking by the population's human means. Coverage
is that of the intervals for the means and for all differences between systems, averaged over systems and pairs, and
the share of trials in which the simultaneous rank intervals hold for all systems.

Every finished cell goes to a file, from which a run that was stopped continues. The tables are written into
docs/measured/combine.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from data import matrix
from scipy.special import stdtrit

import concordant as cc
from concordant.arrays import FloatArray
from concordant.data.means import mean_over_topics
from concordant.planning.mixing import combined

PAGE = Path(__file__).resolve().parents[1] / "docs" / "measured" / "combine.md"
TOPICS, MORE = (15, 25, 50), (1000, 100)
METHODS = {"control": False, "shrunk": True}
Population = tuple[FloatArray, FloatArray]


def dl21(judge: str) -> Population:
    return matrix("dl21/scores/ndcg_cut_10__human.csv"), matrix(f"dl21/scores/ndcg_cut_10__{judge}.csv")


def useless() -> Population:
    """The scores of other systems: it knows the topics and nothing of the systems."""
    human, machine = dl21("umbrela_gpt4")
    return human, machine[:, np.random.default_rng(7).permutation(machine.shape[1])]


def favouring() -> Population:
    """Every eighth system is favoured by 0.1, which is more than the standard deviation of the true means."""
    human, machine = dl21("umbrela_gpt4")
    machine = machine.copy()
    machine[:, ::8] += 0.1
    return human, machine


POPULATIONS: dict[str, Callable[[], Population]] = {
    "dl21, umbrela_gpt4": lambda: dl21("umbrela_gpt4"),
    "dl21, binary_gpt4o": lambda: dl21("binary_gpt4o"),
    "dl21, binary_llama3.2": lambda: dl21("binary_llama3.2"),
    "dl21, binary_gpt4": lambda: dl21("binary_gpt4"),
    "dl21, prefs": lambda: dl21("prefs"),
    "robust2004, AP by P@10": lambda: (matrix("trec/robust2004_ap.csv"), matrix("trec/robust2004_p10.csv")),
    "covid1, map by P@5": lambda: (matrix("covid1/map.csv"), matrix("covid1/P_5.csv")),
    "dl21, a useless judge": useless,
    "dl21, umbrela_gpt4 favouring 8 systems": favouring,
}


@cache
def population_of(name: str) -> Population:
    return POPULATIONS[name]()


@cache
def human_curve(name: str) -> tuple[FloatArray, FloatArray]:
    """Mean tau_b of so many human topics, for the human topics of equal quality."""
    human, _ = population_of(name)
    truth, rng = mean_over_topics(human), np.random.default_rng(3)
    sizes = np.unique(np.geomspace(5, 800, 40).round()).astype(int)
    values = []
    for k in sizes:
        weights = rng.multinomial(k, np.full(len(human), 1 / len(human)), 400).astype(np.float64)
        values.append(float(np.mean(cc.tau_b(truth, (weights @ human / k).round(12)))))
    return np.array(values), sizes.astype(np.float64)


def equal_topics(name: str, value: float) -> float:
    values, sizes = human_curve(name)
    return float(np.exp(np.interp(value, np.maximum.accumulate(values), np.log(sizes))))


def cell(name: str, n: int, more: int, trials: int, ranked: int) -> dict[str, Any]:
    human, machine = population_of(name)
    truth = mean_over_topics(human)
    above = truth[None, :] > truth[:, None]
    best, worst = 1 + above.sum(axis=1), len(truth) - above.T.sum(axis=1)
    first, second = np.triu_indices(len(truth), 1)
    values: dict[str, list[float]] = {side: [] for side in ("human", "machine", *METHODS)}
    held: dict[str, list[list[float]]] = {method: [] for method in METHODS}
    ranks: dict[str, list[bool]] = {method: [] for method in METHODS}
    for trial in range(trials):
        rng = np.random.default_rng([17, trial, n])
        topics, others = rng.integers(0, len(human), n), rng.integers(0, len(human), more)
        y, x, u = human[topics], machine[topics], machine[others]
        values["human"].append(float(cc.tau_b(truth, mean_over_topics(y))))
        values["machine"].append(float(cc.tau_b(truth, mean_over_topics(np.vstack([x, u])))))
        for method, shrink in METHODS.items():
            found = combined(y, x, u, shrink=shrink)
            values[method].append(float(cc.tau_b(truth, found.means.round(12))))
            error, variance = found.means - truth, np.diag(found.covariance)
            of_pairs = variance[first] + variance[second] - 2 * found.covariance[first, second]
            t = [float(stdtrit(freedom, 0.975)) for freedom in (found.mean_freedom, found.freedom)]
            held[method].append(
                [
                    float((np.abs(error) <= t[0] * np.sqrt(variance)).mean()),
                    float((np.abs(error[first] - error[second]) <= t[1] * np.sqrt(of_pairs) + 1e-12).mean()),
                    found.worth,
                ]
            )
            if trial < ranked:
                means = cc.Means(
                    found.means, range(len(found.means)), covariance=found.covariance, degrees_of_freedom=found.freedom
                )
                sets = cc.rank_intervals(means, n_resamples=499, rng=trial)
                order = [int(system) for system in sets.systems]
                ranks[method].append(bool(((sets.low <= best[order]) & (sets.high >= worst[order])).all()))
    return {
        "tau": {side: float(np.mean(of)) for side, of in values.items()},
        "means": {method: float(np.mean([h[0] for h in of])) for method, of in held.items()},
        "differences": {method: float(np.mean([h[1] for h in of])) for method, of in held.items()},
        "worth": {method: float(np.median([h[2] for h in of])) for method, of in held.items()},
        "ranks": {method: float(np.mean(of)) if of else None for method, of in ranks.items()},
    }


def cells(options: argparse.Namespace) -> Iterator[tuple[str, int, int, int, int]]:
    for more in MORE:
        for name in POPULATIONS:
            for n in TOPICS:
                yield name, n, more, options.trials, options.ranked if (n, more) == (TOPICS[1], MORE[0]) else 0


def measure(options: argparse.Namespace) -> dict[tuple[Any, ...], dict[str, Any]]:
    """All cells, from the file where they are in it."""
    state = Path(options.state)
    state.parent.mkdir(parents=True, exist_ok=True)
    known: dict[tuple[Any, ...], dict[str, Any]] = {}
    if state.exists():
        for line in state.read_text(encoding="utf-8").splitlines():
            found = json.loads(line)
            known[tuple(found["key"])] = found
    done = {}
    for key in cells(options):
        if key not in known and not options.tables:
            start = time.perf_counter()
            known[key] = {"key": key, **cell(*key), "seconds": round(time.perf_counter() - start, 1)}
            with state.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[key]) + "\n")
        if key in known:
            done[key] = known[key]
    return done


def tables(done: dict[tuple[Any, ...], dict[str, Any]]) -> str:
    """What the page shows: tau_b, worth, coverage; one row per cell."""
    lines = []
    for more in MORE:
        some = {key: found for key, found in done.items() if key[2] == more}
        if not some:
            continue
        lines += [
            f"## {more:,} machine topics",
            "",
            "| human scores, machine | n | people | machine | control | shrunk | worth: control | worth: shrunk |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        for (name, n, *_), found in some.items():
            tau, best = found["tau"], max(found["tau"].values())
            shown = [f"{tau[side]:.3f}" if tau[side] < best else f"**{tau[side]:.3f}**" for side in tau]
            worths = [f"{equal_topics(name, tau[m]):.0f}, {found['worth'][m]:.0f}" for m in METHODS]
            lines.append("| " + " | ".join([name, str(n), *shown, *worths]) + " |")
        lines += [
            "",
            "| human scores, machine | n | means | differences | all ranks |",
            "| --- | --- | --- | --- | --- |",
        ]
        for (name, n, *_), found in some.items():
            shown = [
                ", ".join("-" if found[what][m] is None else f"{100 * found[what][m]:.1f}" for m in METHODS)
                for what in ("means", "differences", "ranks")
            ]
            lines.append("| " + " | ".join([name, str(n), *shown]) + " |")
        lines.append("")
    for what in ("means", "differences"):
        shares = [100 * found[what][method] for found in done.values() for method in METHODS]
        lines += [f"Coverage of {what}: {min(shares):.1f} to {max(shares):.1f}%.", ""]
    worse = [found["tau"]["shrunk"] - found["tau"]["human"] for found in done.values()]
    most = [max(found["tau"].values()) - found["tau"]["shrunk"] for found in done.values()]
    lines.append(
        f"{len(done)} cells. The shrunk means are never worse than people alone by more than "
        f"{max(0, -min(worse)):.3f}, and never worse than the best of the four by more than {max(most):.3f}."
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--ranked", type=int, default=40, help="trials with rank intervals, for one n")
    parser.add_argument("--state", default="studies/combine.jsonl")
    parser.add_argument("--tables", action="store_true", help="only of the cells that are there")
    text = tables(measure(parser.parse_args()))
    print(text)
    if PAGE.exists():
        before, _, _ = PAGE.read_text(encoding="utf-8").partition("<!-- tables -->")
        PAGE.write_text(f"{before}<!-- tables -->\n\n{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
