"""Speed and memory of the coefficients, as ratios to peers on the same data in the same run.

Run by `make bench`. Every contender of a row is timed in turn, again and again, and the fastest time of each counts:
machines are shared and noisy. Data change from call to call, so that no branch predictor learns them by heart. A row
says what must hold and whether it does; the command fails if one does not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from cells import keep
from scipy import stats

import concordant as cc

Call = Callable[[], object]


def fastest(contenders: dict[str, Call], seconds: float = 1.5) -> dict[str, float]:
    """The fastest time of a call of each, interleaved; short ones are called in a row for a millisecond."""
    best = dict.fromkeys(contenders, float("inf"))
    repeats = dict.fromkeys(contenders, 1)
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 6 or time.perf_counter() < end:
        for name, call in contenders.items():
            start = time.perf_counter()
            for _ in range(repeats[name]):
                call()
            took = (time.perf_counter() - start) / repeats[name]
            best[name] = min(best[name], took)
            repeats[name] = max(1, round(1e-3 / took))
        rounds += 1
    return best


class Table:
    def __init__(self) -> None:
        self.failed = 0

    def row(self, what: str, ratio: float, *, least: float | None = None, most: float | None = None) -> None:
        good = (least is None or ratio >= least) and (most is None or ratio <= most)
        wanted = f"at least {least:g}" if least is not None else f"at most {most:g}" if most is not None else ""
        verdict = "" if least is most is None else "ok" if good else "MISSED"
        self.failed += not good
        print(f"{what:<66} {ratio:>9.2f}   {wanted:<14} {verdict}", flush=True)
        row = {
            "part": Path(sys.argv[0]).stem,
            "what": " ".join(what.split()),
            "measured": f"{ratio:.2f}",
            "wanted": wanted,
        }
        keep("benchmarks", [row], ("part", "what"))


def pairs(n: int, *, ties: bool = False) -> Any:
    rng = np.random.default_rng(n)
    made = []
    for _ in range(max(1, min(64, 200_000 // n))):
        truth = rng.random(n)
        candidate = truth + rng.normal(size=n) * 0.3
        if ties:
            truth, candidate = np.floor(truth * n / 3), np.floor(candidate * n / 3)
        made.append((truth, candidate))
    return cycle(made)


def on(function: Callable[..., object], data: Any) -> Call:
    def call() -> object:
        return function(*next(data))

    return call


def one_pair(table: Table) -> None:
    targets = {100: 20, 1_000: 6, 10_000: None, 100_000: 3, 1_000_000: 2}
    for n, least in targets.items():
        data = pairs(n)
        times = fastest(
            {
                "tau_ap": on(cc.tau_ap, data),
                "kendalltau": on(stats.kendalltau, data),
                "argsort": on(lambda _, candidate: np.argsort(candidate), data),
                "tau_ap_b with ties": on(cc.tau_ap_b, pairs(n, ties=True)),
            },
            seconds=3 if n <= 100_000 else 10,
        )
        table.row(f"n = {n:>9,}: scipy kendalltau / tau_ap", times["kendalltau"] / times["tau_ap"], least=least)
        table.row(
            f"n = {n:>9,}: tau_ap / np.argsort", times["tau_ap"] / times["argsort"], most=5 if n >= 10_000 else None
        )
        table.row(f"n = {n:>9,}: tau_ap_b on ties / tau_ap", times["tau_ap_b with ties"] / times["tau_ap"], most=1.5)


def batch(table: Table) -> None:
    rng = np.random.default_rng(1)
    truth, candidate = rng.random(100), rng.random((10_000, 100))
    tied = np.floor(candidate * 33)
    loop = [float(stats.kendalltau(truth, row).statistic) for row in candidate[:50]]
    np.testing.assert_allclose(cc.tau(truth, candidate[:50]), loop, atol=1e-12)
    times = fastest(
        {
            "one": lambda: cc.tau_ap(truth, candidate),
            "two": lambda: cc.tau_ap(truth, candidate, workers=2),
            "tied a": lambda: cc.tau_ap_a(truth, tied),
            "tied b": lambda: cc.tau_ap_b(truth, tied),
            "argsort": lambda: np.argsort(candidate, axis=1),
            "50 kendalltau": lambda: [stats.kendalltau(truth, row) for row in candidate[:50]],
        },
        seconds=5,
    )
    table.row("10,000 x 100: loop of scipy kendalltau / tau_ap", 200 * times["50 kendalltau"] / times["one"], least=100)
    table.row("10,000 x 100: tau_ap / np.argsort(axis=1)", times["one"] / times["argsort"], most=3)
    table.row("10,000 x 100: tau_ap / the same with workers=2", times["one"] / times["two"], least=1.7)
    table.row("10,000 x 100: tau_ap_a on ties / tau_ap", times["tied a"] / times["one"], most=1.5)
    table.row("10,000 x 100: tau_ap_b on ties / tau_ap", times["tied b"] / times["one"], most=1.5)


def others(table: Table) -> None:
    for n in (100, 10_000):
        data = pairs(n)
        calls: dict[str, Call] = {
            c.name: on(c.function, data) for c in cc.list_coefficients() if n == 100 or c.name != "tau_gap_a"
        }
        times = fastest({**calls, "scipy kendalltau": on(stats.kendalltau, data)}, seconds=4)
        for name in calls:
            table.row(f"n = {n:>9,}: scipy kendalltau / {name}", times["scipy kendalltau"] / times[name])


# What scipy computes as well is compared with its own call, and what it does not with its kendalltau.
SAME: dict[str, Callable[..., object]] = {"spearman": stats.spearmanr, "weighted_tau": stats.weightedtau}


def against_scipy(table: Table) -> None:
    for n, least in {100: 20, 10_000: 5, 100_000: 3}.items():
        data = pairs(n)
        for name in ("spearman", "weighted_tau", "rbo", "tau_gap"):
            peer = SAME.get(name, stats.kendalltau)
            times = fastest({"ours": on(getattr(cc, name), data), "scipy": on(peer, data)}, seconds=2)
            wanted = least if name in SAME or (n == 100 and name == "rbo") else None
            table.row(f"n = {n:>9,}: scipy {peer.__name__} / {name}", times["scipy"] / times["ours"], least=wanted)
    rng = np.random.default_rng(1)
    truth, candidate = rng.random(100), rng.random((10_000, 100))
    for name in ("spearman", "weighted_tau", "rbo"):
        peer = SAME.get(name, stats.kendalltau)
        times = fastest(
            {
                "ours": on(getattr(cc, name), cycle([(truth, candidate)])),
                "50": lambda peer=peer: [peer(truth, row) for row in candidate[:50]],  # type: ignore[misc]
            },
            seconds=2,
        )
        what = f"10,000 x 100: loop of scipy {peer.__name__} / {name}"
        table.row(what, 200 * times["50"] / times["ours"], least=20)


def without_native(table: Table) -> None:
    """The same coefficients in a process of their own, on the NumPy kernels."""
    ratios = json.loads(
        subprocess.run(
            [sys.executable, __file__, "--numpy-kernels"],
            env={**os.environ, "CONCORDANT_KERNELS": "numpy"},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    table.row("NumPy kernels, n = 100: scipy kendalltau / tau_ap", ratios["pair"], least=4)
    table.row("NumPy kernels, 10,000 x 100: loop of scipy kendalltau / tau_ap", ratios["batch"], least=60)


def numpy_kernels() -> None:
    if cc.has_native:
        sys.exit("the NumPy kernels were asked for, and the native module is in use")
    data = pairs(100)
    one = fastest({"tau_ap": on(cc.tau_ap, data), "kendalltau": on(stats.kendalltau, data)}, seconds=3)
    rng = np.random.default_rng(1)
    truth, candidate = rng.random(100), rng.random((10_000, 100))
    many = fastest(
        {
            "tau_ap": lambda: cc.tau_ap(truth, candidate),
            "50 kendalltau": lambda: [stats.kendalltau(truth, row) for row in candidate[:50]],
        },
        seconds=3,
    )
    print(
        json.dumps({"pair": one["kendalltau"] / one["tau_ap"], "batch": 200 * many["50 kendalltau"] / many["tau_ap"]})
    )


def memory(table: Table) -> None:
    """Peak memory of a process, in MB, above that of the same process with the input alone."""
    if not sys.platform.startswith("linux"):
        print("memory: measured on Linux only")
        return

    def peak(make: str, call: str) -> float:
        code = (
            "import resource, sys, numpy as np, concordant as cc\n"
            f"rng = np.random.default_rng(0)\n{make}\n{call}\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
        )
        return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)

    ten_million = "x, y = rng.random(10_000_000), rng.random(10_000_000)"
    table.row("10,000,000 items: GB in all, input included", peak(ten_million, "cc.tau_ap(x, y)") / 1024, most=1)
    tied = "x, y = rng.integers(0, 10**6, 10_000_000) * 1.0, rng.integers(0, 10**6, 10_000_000) * 1.0"
    table.row("10,000,000 items with ties: GB in all", peak(tied, "cc.tau_ap_b(x, y)") / 1024, most=1)
    rows = "x, y = rng.random(100), rng.random((1_000_000, 100))"
    extra = peak(rows, "cc.tau_ap(x, y)") - peak(rows, "cc.tau_ap(x, y[:1])")
    table.row("1,000,000 x 100: bytes beyond the input, a row", extra * 2**20 / 1e6, most=400)


def start_up(table: Table) -> None:
    def run(code: str) -> Call:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    times = fastest({"concordant": run("import concordant"), "numpy": run("import numpy")}, seconds=4)
    table.row("import concordant / import numpy", times["concordant"] / times["numpy"], most=1.3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numpy-kernels", action="store_true", help="measure the NumPy kernels; prints JSON")
    if parser.parse_args().numpy_kernels:
        numpy_kernels()
        return
    if not cc.has_native:
        print("The native module was not built: the targets below are for it.")
    print(
        f"concordant {cc.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}, {os.cpu_count()} cores"
    )
    table = Table()
    for part in (start_up, one_pair, batch, against_scipy, without_native, memory, others):
        part(table)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    main()
