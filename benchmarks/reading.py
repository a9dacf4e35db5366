"""Speed of the readers, as ratios to pandas on the same bytes in the same run. Run by `make bench`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from coefficients import Table, fastest

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


def main() -> None:
    table = Table()
    trec_eval_files(table)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    main()
