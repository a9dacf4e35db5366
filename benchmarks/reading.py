"""Speed of the readers and of the command line, as ratios to peers in the same run. Run by `make bench`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from coefficients import Call, Table, fastest

import concordant as cc


def trec_eval_files(table: Table) -> None:
    """110 files as trec_eval -q writes them: 249 topics, 30 measures."""
    rng = np.random.default_rng(2004)
    measures = [f"measure_{k}" for k in range(30)]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"run{k}.eval" for k in range(110)]
        for path in files:
            scores = rng.random((249, 30))
            path.write_text(
                "".join(
                    f"{measure:<22}\t{301 + topic}\t{scores[topic, k]:.4f}\n"
                    for topic in range(249)
                    for k, measure in enumerate(measures)
                )
            )
        times = fastest(
            {
                "one measure": lambda: cc.read_scores(files, "measure_7"),
                "pandas": lambda: [pd.read_csv(path, sep="\t", header=None) for path in files],
            },
            seconds=5,
        )
    ratio = times["one measure"] / times["pandas"]
    table.row("110 trec_eval files: read_scores / pandas.read_csv", ratio, most=1.5)


def csv_matrix(table: Table) -> None:
    """Matrices of 10 million cells with four decimals, and of 2 million with all digits."""
    rng = np.random.default_rng(2025)
    with tempfile.TemporaryDirectory() as folder:
        for name, shape, decimals in (("four decimals", (5000, 2000), 4), ("all digits", (1000, 2000), 17)):
            path = Path(folder) / f"{decimals}.csv"
            scores = {f"s{k}": rng.random(shape[0]).round(decimals) for k in range(shape[1])}
            pl.DataFrame({"topic": [f"q{k}" for k in range(shape[0])], **scores}).write_csv(path)
            times = fastest(
                {
                    "concordant": lambda path=path: cc.read_scores(path),  # type: ignore[misc]
                    "polars": lambda path=path: pl.read_csv(path).to_numpy(),  # type: ignore[misc]
                },
                seconds=10,
            )
            ratio = times["concordant"] / times["polars"]
            table.row(f"CSV matrix, {name}: read_scores / polars.read_csv().to_numpy()", ratio, most=5)


def parquet_matrix(table: Table) -> None:
    """10 million cells in Parquet."""
    rng = np.random.default_rng(2026)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.parquet"
        scores = {f"s{k}": rng.random(20_000).round(4) for k in range(500)}
        pl.DataFrame({"topic": [f"q{k}" for k in range(20_000)], **scores}).write_parquet(path)
        times = fastest(
            {"concordant": lambda: cc.read_scores(path), "polars": lambda: pl.read_parquet(path)}, seconds=5
        )
    table.row("Parquet matrix: read_scores / polars.read_parquet", times["concordant"] / times["polars"])


def command_line(table: Table) -> None:
    """Whole commands, from the shell's point of view."""

    def run(*arguments: str) -> Call:
        return lambda: subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    rng = np.random.default_rng(50)
    truth = rng.random((50, 100))
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{name}.csv") for name in ("truth", "candidate")]
        for path, noise in zip(files, (0.0, 0.2), strict=True):
            frame = pd.DataFrame(truth + noise * rng.random(truth.shape), columns=[f"s{k}" for k in range(100)])
            frame.round(4).to_csv(path, index_label="topic")
        times = fastest(
            {
                "compare": run("-m", "concordant", "compare", *files),
                "help": run("-m", "concordant", "--help"),
                "numpy": run("-c", "import numpy"),
                "scipy.stats": run("-c", "import numpy, scipy.stats"),
            },
            seconds=12,
        )
    table.row(
        "concordant compare of 50 x 100 / import numpy, scipy.stats", times["compare"] / times["scipy.stats"], most=4
    )
    table.row("concordant --help / import numpy", times["help"] / times["numpy"], most=3)


def main() -> None:
    table = Table()
    trec_eval_files(table)
    csv_matrix(table)
    parquet_matrix(table)
    command_line(table)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    main()
