"""Pseudo-judgments and machine judges on real runs; docs/measured/judgment-experiments.md shows the output.

Run with `.venv/bin/python examples/judgments.py`. It needs the runs and judgments of TREC-COVID round 1 and of TREC
Deep Learning 2021, found where CONCORDANT_DATA points, or in data/ of the project. What the five papers do with
judgments is in examples/papers.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np

import concordant as cc
from concordant.judgments import Change

NAMES = ["tau_b", "tau_ap_b", "pearson_rank"]


def data() -> Path:
    folder = Path(os.environ.get("CONCORDANT_DATA") or Path(__file__).resolve().parents[1] / "data")
    for name in ("covid1", "dl21"):
        if not (folder / name).is_dir():
            sys.exit(f"no {name} in {folder}: see python tools/fetch_data.py --list, or set CONCORDANT_DATA")
    return folder


def among_the_best(study: cc.study.StudyResult, change: str, level: str) -> float:
    """tau_b among the ten best systems by the full judgments."""
    full = study.full[0]
    order = np.argsort(-full, kind="stable")[:10]
    return float(cc.tau_b(full[order], study.scores[change, level, "AP"].mean(axis=0)[order]))


def pseudo(runs: cc.Runs, qrels: cc.Qrels) -> None:
    print("1. Random pseudo-judgments, 20 draws, AP (Soboroff et al. 2001)")
    for duplicates in (False, True):
        changes = [Change("pseudo", k, share=0.1, duplicates=duplicates) for k in (10, 30, 100)]
        study = cc.study.judgment_study(runs, qrels, changes, ["AP"], NAMES, rng=5, n_draws=20)
        for kind, level in study.changes:
            values = "".join(f"  {name} {study.cell(kind, level, 'AP', name)['mean']:6.3f}" for name in NAMES)
            best = among_the_best(study, kind, level)
            print(
                f"  depth {level:>3}, duplicates {'likelier' if duplicates else 'not'}:{values}"
                f"  tau_b of the 10 best {best:6.3f}"
            )


def judges(folder: Path) -> None:
    print("\n2. Machine judges beside people, Deep Learning 2021")
    runs = cc.read_runs(folder / "runs")
    found = {path.name.removesuffix(".txt.gz"): cc.read_qrels(path) for path in sorted(folder.glob("qrels/*.gz"))}
    human = found.pop("human")
    study = cc.study.judge_study(runs, human, found, ["nDCG@10", "nDCG@5", "nDCG"], rng=6)
    print("  " + str(study).replace("\n", "\n  "))


def main() -> None:
    folder = data()
    runs, qrels = cc.read_runs(folder / "covid1" / "runs"), cc.read_qrels(folder / "covid1" / "qrels.txt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cc.errors.RegularisationWarning)  # more systems than topics
        pseudo(runs, qrels)
        judges(folder / "dl21")


if __name__ == "__main__":
    main()
