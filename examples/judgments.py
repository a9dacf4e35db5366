"""The experiments of three papers that change the judgments; docs/measured/judgment-experiments.md shows the output.

Run with `.venv/bin/python examples/judgments.py [FOLDER]`; figures go to the folder. It needs the runs and judgments of
TREC-COVID round 1 and of TREC Deep Learning 2021, found where CONCORDANT_DATA points, or in data/ of the
project.
"""

from __future__ import annotations

import csv
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import concordant as cc
from concordant.judgments import Change

FOUR = ["AP", "Rprec", "P@10", "Bpref"]
NAMES = ["tau_b", "tau_ap_b", "pearson_rank"]


def data() -> Path:
    folder = Path(os.environ.get("CONCORDANT_DATA") or Path(__file__).resolve().parents[1] / "data")
    for name in ("covid1", "dl21"):
        if not (folder / name).is_dir():
            sys.exit(f"no {name} in {folder}: see python tools/fetch_data.py --list, or set CONCORDANT_DATA")
    return folder


def leaderboard(folder: Path) -> list[dict[str, str]]:
    with (folder / "covid1" / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def among(study: cc.study.JudgmentStudy, change: str, level: str, measure: str, part: slice) -> float:
    """tau_b among some systems only: the places of `part` by the full judgments."""
    full = study.full[study.measures.index(measure)]
    order = np.argsort(-full, kind="stable")[part]
    return float(cc.tau_b(full[order], study.scores(change, level, measure).mean(axis=0)[order]))


def pools(runs: cc.Runs, qrels: cc.Qrels, pooled: list[str], figures: Path | None) -> None:
    print("1. Pools of depth k, over the contributing runs (yilmaz2008, figures 1 and 2)")
    changes = [Change("depth_pool", k, contributing=pooled) for k in (1, 2, 3, 5, 7)]
    study = cc.judgment_study(runs, qrels, changes, ["nDCG@10", "AP"], NAMES)
    print("  depth judgments measure   tau_b  tau_ap_b  rho_r    d_rank   tau_b of the 10 best, of the 10 worst")
    for kind, level in study.changes:
        for measure in study.measures:
            values = [study.value(kind, level, measure, name) for name in (*NAMES, "d_rank")]
            ends = [among(study, kind, level, measure, part) for part in (slice(10), slice(-10, None))]
            print(
                f"  {level:>5} {study.judgments(kind, level):9.0f} {measure:<8}"
                + "".join(f"{value:8.3f}" for value in values)
                + f"{ends[0]:12.3f}{ends[1]:12.3f}"
            )
    if figures:
        made, panels = _figure(3)
        for ax, top, bottom in zip(panels, (None, 10, None), (None, None, 10), strict=True):
            study.plot_scores("depth_pool", "1", "AP", ax, top=top, bottom=bottom)
        made.savefig(figures / "pools.png", dpi=150)


def shares(runs: cc.Runs, qrels: cc.Qrels, figures: Path | None) -> None:
    print("\n2. A random share of the judgments, 20 draws (carterette2009, figure 4)")
    levels = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75)
    changes = [Change("sample", share) for share in levels]
    study = cc.judgment_study(runs, qrels, changes, FOUR, NAMES, rng=4, n_draws=20)
    for name in ("tau_b", "tau_ap_b", "d_rank"):
        print(f"  {name:<9}" + "".join(f"{share:>9}" for share in levels))
        for measure in FOUR:
            row = "".join(f"{study.value('sample', str(share), measure, name):9.3f}" for share in levels)
            print(f"  {measure:<9}{row}")
    if figures:
        made, panels = _figure(2)
        for ax, name in zip(panels, ("tau_b", "d_rank"), strict=True):
            study.plot(ax, change="sample", statistic=name)
        made.savefig(figures / "shares.png", dpi=150)


def pseudo(runs: cc.Runs, qrels: cc.Qrels) -> None:
    print("\n3. Random pseudo-judgments, 20 draws, AP (Soboroff et al. 2001)")
    for duplicates in (False, True):
        changes = [Change("pseudo", k, share=0.1, duplicates=duplicates) for k in (10, 30, 100)]
        study = cc.judgment_study(runs, qrels, changes, ["AP"], NAMES, rng=5, n_draws=20)
        for kind, level in study.changes:
            values = "".join(f"  {name} {study.value(kind, level, 'AP', name):6.3f}" for name in NAMES)
            best = among(study, kind, level, "AP", slice(10))
            print(
                f"  depth {level:>3}, duplicates {'likelier' if duplicates else 'not'}:{values}"
                f"  tau_b of the 10 best {best:6.3f}"
            )


def single_runs(runs: cc.Runs, qrels: cc.Qrels, rows: list[dict[str, str]]) -> None:
    print("\n4. The judgments of what one run retrieved, AP (yilmaz2008, figure 5)")
    study = cc.judgment_study(runs, qrels, [Change("from_runs", name) for name in runs.systems], ["AP"], NAMES)
    kinds = {row["run"]: row["runtype"] for row in rows}
    for kind in sorted(set(kinds.values())):
        names = [name for name in runs.systems if kinds[name] == kind]
        found = [[study.value("from_runs", name, "AP", c) for c in ("tau_b", "tau_ap_b")] for name in names]
        low, middle, high = np.quantile(found, [0, 0.5, 1], axis=0)
        print(
            f"  {kind:<10} {len(names):>3} runs: tau_b {low[0]:.3f} to {high[0]:.3f}, median {middle[0]:.3f}; "
            f"tau_ap_b {low[1]:.3f} to {high[1]:.3f}, median {middle[1]:.3f}"
        )


def teams(runs: cc.Runs, qrels: cc.Qrels, rows: list[dict[str, str]], figures: Path | None) -> None:
    print("\n5. Each system without what its own team alone pooled at depth 7 (gao2016, figure 1)")
    of: dict[str, list[str]] = {}
    for row in rows:
        if row["contributed judgments"] == "yes":
            of.setdefault(row["team"], []).append(row["run"])
    measures = ["P@1", "P@5", "nDCG@10", "AP"]
    full, left = cc.evaluate_all(runs, qrels, measures), cc.judgments.leave_each_out(runs, qrels, of, measures, 7)
    shown = ["pearson", "tau_b", "tau_ap_b", "tau_gap_a", "pearson_rank"]
    print("  measure " + "".join(f"{name:>14}" for name in shown))
    for measure in measures:
        pair = full[measure].means(), left[measure].means()
        print(f"  {measure:<8}" + "".join(f"{getattr(cc, name)(*pair):14.3f}" for name in shown))
    if figures:
        made, (ax,) = _figure(1)
        x, y = full["P@1"].means(), left["P@1"].means()
        ax.plot(x, y, "o", markersize=4)
        ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
        ax.set_xlabel("P@1, all judgments")
        ax.set_ylabel("P@1, without what the own team alone pooled")
        made.savefig(figures / "teams.png", dpi=150)


def judges(folder: Path, figures: Path | None) -> None:
    print("\n6. Machine judges beside people, Deep Learning 2021")
    runs = cc.read_runs(folder / "runs")
    found = {path.name.removesuffix(".txt.gz"): cc.read_qrels(path) for path in sorted(folder.glob("qrels/*.gz"))}
    human = found.pop("human")
    study = cc.judge_study(runs, human, found, ["nDCG@10", "nDCG@5", "nDCG"], rng=6)
    print("  " + str(study).replace("\n", "\n  "))
    if figures:
        made, (heat, scatter, top) = _figure(3)
        study.plot(heat)
        study.plot_scores("umbrela_gpt4", ax=scatter)
        study.plot_scores("umbrela_gpt4", ax=top, top=10)
        made.savefig(figures / "judges.png", dpi=150)


def _figure(panels: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    made = Figure(figsize=(4.5 * panels, 4), layout="constrained")
    return made, made.subplots(1, panels, squeeze=False)[0]


def main() -> None:
    figures = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if figures:
        figures.mkdir(parents=True, exist_ok=True)
    folder = data()
    rows = leaderboard(folder)
    runs, qrels = cc.read_runs(folder / "covid1" / "runs"), cc.read_qrels(folder / "covid1" / "qrels.txt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cc.errors.RegularisationWarning)  # more systems than topics
        warnings.simplefilter("ignore", cc.errors.DataWarning)  # 6 documents of the pool of depth 7 were never judged
        pools(runs, qrels, [row["run"] for row in rows if row["contributed judgments"] == "yes"], figures)
        shares(runs, qrels, figures)
        pseudo(runs, qrels)
        single_runs(runs, qrels, rows)
        teams(runs, qrels, rows, figures)
        judges(folder / "dl21", figures)


if __name__ == "__main__":
    main()
