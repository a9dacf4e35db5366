"""Speed and memory of the rank distance and its tests, as ratios to peers on the same data in the same run.

Run by `make bench`, on the real collections of tools/fetch_data.py. The peers are the
solvers scipy.optimize.nnls and piqp on the same problems; forming S and its Cholesky factor is part of what a peer
needs, and is shown with and without.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import numpy.typing as npt
from coefficients import Table, fastest
from data import matrix
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

import concordant as cc
from concordant._kernels.reference.distance import differences_of, order_of
from concordant.inference.resampling import resampled_means, resampled_weights
from concordant.ranks.distance import Problem

FloatArray = npt.NDArray[np.float64]
ORDERS = 1_000
OF_PEERS = 50  # orders that a slow peer solves in a call
EPS = 1e-5


def collection(name: str) -> FloatArray:
    return matrix(f"trec/{name}.csv")


def rankings(values: FloatArray, count: int) -> FloatArray:
    rng = np.random.default_rng(1)
    return np.concatenate([resampled_means(values, w) for _, w in resampled_weights(len(values), count, rng)])


def solver(problem: Problem, candidate: FloatArray, solve: Callable[..., object]) -> Callable[[], object]:
    """Form S for some of the orders in turn, and solve each."""
    orders = cycle(order_of(candidate, problem.means))

    def call() -> None:
        for _ in range(OF_PEERS):
            order = next(orders)
            solve(differences_of(problem.covariance, order, EPS), -np.diff(problem.means[order]))

    return call


def by_nnls(s: FloatArray, d: FloatArray) -> Any:
    lower = np.linalg.cholesky(s)
    return nnls(lower.T, -solve_triangular(lower, d, lower=True))


def nnls_alone(problem: Problem, candidate: FloatArray) -> Callable[[], object]:
    """Nothing but the calls of nnls, on problems made before."""
    made = []
    for order in order_of(candidate[: 4 * OF_PEERS], problem.means):
        lower = np.linalg.cholesky(differences_of(problem.covariance, order, EPS))
        made.append((lower.T.copy(), -solve_triangular(lower, -np.diff(problem.means[order]), lower=True)))
    turn = cycle(made)

    def call() -> None:
        for _ in range(OF_PEERS):
            nnls(*next(turn))

    return call


def by_piqp() -> Callable[[FloatArray, FloatArray], float] | None:
    if importlib.util.find_spec("piqp") is None:
        return None
    import piqp

    def solve(s: FloatArray, d: FloatArray) -> float:
        qp = piqp.DenseSolver()
        qp.settings.eps_abs = 1e-10
        qp.setup(s, d, None, None, None, None, None, np.zeros(len(d)), None)
        qp.solve()
        return float(-2 * qp.result.info.primal_obj)

    return solve


def one_solve(table: Table, name: str) -> None:
    problem = Problem.of(collection(name), EPS, "it")
    tied = rankings(problem.scores.values, ORDERS)  # where systems are twins
    candidate = np.argsort(np.argsort(tied, axis=1, kind="stable"), axis=1).astype(np.float64)  # as the peers solve
    ours = problem.distances(candidate[:5])
    peers: dict[str, Callable[[], object]] = {
        "nnls": solver(problem, candidate, by_nnls),
        "nnls alone": nnls_alone(problem, candidate),
    }
    piqp = by_piqp()
    if piqp is not None:
        for y, d in zip(candidate[:5], ours, strict=True):
            order = order_of(y, problem.means)
            s = differences_of(problem.covariance, order, EPS)
            np.testing.assert_allclose(np.sqrt(problem.n * piqp(s, -np.diff(problem.means[order]))), d, rtol=1e-3)
        peers["piqp"] = solver(problem, candidate, piqp)
    times = fastest({"ours": lambda: problem.distances(candidate), **peers}, seconds=6)
    if (np.diff(np.sort(tied, axis=1)) == 0).any():
        of_ties = fastest({"tied": lambda: problem.distances(tied), "untied": lambda: problem.distances(candidate)})
        table.row(f"{name}: a solve with ties / without", of_ties["tied"] / of_ties["untied"])
    mine = times["ours"] / ORDERS
    shape = f"{name}, {problem.n} x {problem.m}"
    for peer in peers:
        table.row(f"{shape}: {peer} / a solve", times[peer] / OF_PEERS / mine, least=10)
    print(f"{shape}: {1e6 * mine:.0f} microseconds a solve", flush=True)


def tests(table: Table) -> None:
    values = collection("robust2004_ap")
    problem = Problem.of(values, EPS, "it")
    candidate = rankings(values, 200)
    y = candidate[0]
    weights = next(resampled_weights(problem.n, 100, np.random.default_rng(1)))[1].astype(np.float64)

    def products() -> None:
        for w in weights:
            values.T @ (w[:, None] * values)

    times = fastest(
        {
            "paper": lambda: cc.rank_test(values, y, method="paper", n_resamples=10_000, rng=1, workers=2),
            "recentred": lambda: cc.rank_test(values, y, n_resamples=1_000, rng=1),
            "recentred 2": lambda: cc.rank_test(values, y, n_resamples=1_000, rng=1, workers=2),
            "nnls": solver(problem, candidate, by_nnls),
            "products": products,
        },
        seconds=10,
    )
    loop = times["nnls"] / OF_PEERS * 10_000
    table.row("robust2004: 10,000 x nnls / the paper's test, workers=2", loop / times["paper"], least=20)
    table.row(
        "robust2004: recentred test / its covariance products", times["recentred"] / times["products"] / 10, most=3
    )
    table.row("robust2004: recentred test / the same with workers=2", times["recentred"] / times["recentred 2"])


def memory(table: Table) -> None:
    if not sys.platform.startswith("linux"):
        print("memory: measured on Linux only")
        return

    def peak(method: str, n_resamples: int) -> float:
        code = (
            "import numpy as np, concordant as cc\n"
            "x = np.random.default_rng(0).random((100, 20))\n"
            f"cc.rank_test(x, x[0], method={method!r}, n_resamples={n_resamples}, rng=1, workers=2)\n"
            "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
        )
        found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        return 1024 * float(found)

    for method in ("recentred", "paper"):
        extra = peak(method, 300_000) - peak(method, 1_000)
        table.row(f"{method}: bytes a resample, of which 8 are the distribution", extra / 299_000, most=40)


def main() -> None:
    warnings.simplefilter("ignore", cc.errors.RegularisationWarning)
    table = Table()
    for name in ("adhoc6", "adhoc7", "adhoc8", "robust2004_ap"):
        one_solve(table, name)
    tests(table)
    memory(table)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    main()
