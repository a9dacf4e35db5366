"""Sizes and files beyond what the tests can wait for: a value, or an error of concordant's own, in bounded memory.

    python benchmarks/extremes.py [--memory GIB] [NAME ...]

Each case runs in a process of its own that may not take more memory than that (RLIMIT_AS). The table has what came of
it, the seconds and the peak; the exit status is 1 if anything ended in another way than it should.
"""

from __future__ import annotations

import argparse
import gzip
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import concordant as cc

MILLION = 1_000_000


# One million systems ------------------------------------------------------------------------------


def million(name: str, folder: Path) -> Any:
    rng = np.random.default_rng(1)
    truth = rng.permutation(MILLION).astype(float)
    candidate = truth + rng.normal(0, MILLION / 10, MILLION)
    function = cc.get_coefficient(name).function
    value = function(truth, candidate)
    assert value == function(truth * 2.0**-1000, candidate * 2.0**900) or name in ("pearson", "pearson_rank")
    return value


def wide() -> cc.Scores:
    values = np.random.default_rng(1).random((5, MILLION))
    return cc.Scores(values, topics=range(5), systems=range(MILLION))


def compare_wide() -> Any:
    both = wide()
    made = cc.compare(both, both, rng=1, coefficients=["tau_b", "tau_ap_b"])
    assert made["tau_b"] == 1
    assert any("no rank test" in note for note in made.notes)
    return made["tau_b"]


# One hundred thousand topics ----------------------------------------------------------------------


def tall(seed: int = 1) -> cc.Scores:
    values = np.random.default_rng(seed).random((100_000, 20)) * 0.5 + np.linspace(0, 0.01, 20)
    return cc.Scores(values, topics=range(100_000), systems=range(20))


# Files --------------------------------------------------------------------------------------------


def packed(folder: Path, block: bytes, times: int, head: bytes = b"") -> Path:
    """A gzip file of the same block again and again; packed once, because gzip files can be joined."""
    one = gzip.compress(block)
    path = folder / "x.csv.gz"
    with open(path, "wb") as file:
        file.write(gzip.compress(head))
        for _ in range(times):
            file.write(one)
    return path


def written(folder: Path, name: str, text: bytes) -> Path:
    (folder / name).write_bytes(text)
    return folder / name


def columns(folder: Path) -> Any:
    names = b"topic," + b",".join(b"s%d" % k for k in range(MILLION))
    return cc.read_scores(
        written(folder, "x.csv", names + b"\nt1" + b",0.5" * MILLION + b"\nt2" + b",1" * MILLION + b"\n")
    )


CASES: dict[str, tuple[Callable[[Path], Any], str]] = {
    **{f"1,000,000 systems, {c.name}": (partial(million, c.name), "value") for c in cc.list_coefficients()},
    "1,000,000 systems, compare": (lambda _: compare_wide(), "value"),
    "1,000,000 systems, rank_distance": (lambda _: cc.rank_distance(wide(), wide()), "LimitError"),
    "1,000,000 systems, explain": (lambda _: cc.explain(wide(), wide()), "LimitError"),
    "1,000,000 systems, rank_intervals": (lambda _: cc.rank_intervals(wide()), "LimitError"),
    "1,000,000 systems, discriminative_power": (lambda _: cc.ranks.discriminative_power(wide(), wide()), "LimitError"),
    "1,000,000 systems, simulate": (lambda _: cc.simulate(wide(), 5), "LimitError"),
    "100,000 topics, compare": (lambda _: cc.compare(tall(), tall(), rng=1, n_resamples=99)["tau_b"], "value"),
    "100,000 topics, reliability": (lambda _: cc.expected_correlation(tall(), coefficient="tau").value, "value"),
    "100,000 topics, rank_intervals": (lambda _: cc.rank_intervals(tall(), rng=1, n_resamples=99), "value"),
    "100,000 topics, correlate": (lambda _: cc.correlate(tall(), tall(2), rng=1), "value"),
    "100,000 topics, rank_test": (lambda _: cc.rank_test(tall(), tall(2), rng=1), "value"),
    "100,000 topics, kd": (lambda _: cc.expected_correlation(tall(), estimator="kd").value, "value"),
    "file: 10 GB from 10 MB": (lambda f: cc.read_scores(packed(f, b"0" * 2**24, 640)), "ReadError"),
    "file: a line of 0.8 GB": (lambda f: cc.read_scores(packed(f, b"1," * 2**23, 50, b"topic,a\n")), "ReadError"),
    "file: 10,000,000 lines": (lambda f: cc.read_scores(written(f, "x", b"x\n" * 10 * MILLION)), "ReadError"),
    "file: 100,000,000 blank lines": (lambda f: cc.read_scores(written(f, "x", b"\n" * 100 * MILLION)), "ReadError"),
    "file: 1,000,000 columns": (columns, "value"),
    "file: 40,000,000 quotes": (
        lambda f: cc.read_scores(written(f, "x.csv", b'topic,a\n"' * 4 * MILLION)),
        "ReadError",
    ),
    "file: /dev/zero": (lambda _: cc.read_scores("/dev/zero"), "ReadError"),
}


def run_one(name: str, memory: float) -> None:
    """In the child: print what came of it."""
    most = int(memory * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        start = time.perf_counter()
        try:
            found = CASES[name][0](Path(folder))
            came, said = "value", " ".join(repr(found).split())
        except cc.ConcordantError as error:
            came, said = type(error).__name__, str(error)
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{came}\t{seconds:.1f}\t{peak:.2f}\t{said[:90]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="cases whose name contains one of these; default: all")
    parser.add_argument("--memory", type=float, default=6.0, help="GiB of address space for each")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        run_one(asked.one, asked.memory)
        return
    missed = []
    for name, (_, expected) in CASES.items():
        if asked.names and not any(part in name for part in asked.names):
            continue
        command = [sys.executable, __file__, "--memory", str(asked.memory), "--one", name]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        )
        came, seconds, peak, said = [*done.stdout.strip().split("\t"), "", "", "", ""][:4]
        said = said or (done.stderr.strip().splitlines() or [""])[-1]
        good = came == expected
        missed += [] if good else [name]
        came = came or f"status {done.returncode}"
        print(f"{'ok' if good else 'MISSED':6} {name:42} {came:10} {seconds:>6} s {peak:>5} GiB  {said}")
        sys.stdout.flush()
    if missed:
        raise SystemExit(f"{len(missed)} ended in another way than they should")


if __name__ == "__main__":
    main()
