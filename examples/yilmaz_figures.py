"""Figures 3 and 6 of Yilmaz, Aslam and Robertson (2008), which introduced AP correlation.

Run with `.venv/bin/python examples/yilmaz_figures.py FOLDER`; it writes figure3.png and figure6.png there.
"""

from __future__ import annotations

import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

import concordant as cc
from concordant.errors import import_extra


def figure_3(axes: Any, m: int = 8) -> None:
    """Plot tau against AP correlation, one direction and the mean of both, for all rankings of m systems."""
    truth = np.arange(m, 0, -1)
    rankings = np.array(list(permutations(range(m))))
    tau = cc.tau(truth, rankings)
    for ax, name in zip(axes, ("tau_ap", "tau_ap_symmetric"), strict=True):
        ax.plot(tau, cc.get_coefficient(name).function(truth, rankings), ".", markersize=2, rasterized=True)
        ax.plot([-1, 1], [-1, 1], color="0.6", linewidth=0.8)
        ax.set_xlabel("tau")
        ax.set_ylabel(name)
        ax.set_aspect("equal")


def figure_6(axes: Any, m: int = 50, size: int = 100, rng: int = 2008) -> None:
    """Where the errors are in random rankings with tau = 0.9, and in those with tau_ap = 0.9.

    No ranking of 50 systems has a tau of just 0.9: the nearest value is taken.
    """
    pairs = m * (m - 1) // 2
    tau = 1 - 2 * round(pairs * 0.05) / pairs
    drawn = {
        f"tau = {tau:.4f}": cc.random_rankings(m, size, tau=tau, rng=rng),
        "tau_ap = 0.9": cc.random_rankings(m, size, tau_ap=0.9, tolerance=0.001, rng=rng),
    }
    for ax, (title, rankings) in zip(axes, drawn.items(), strict=True):
        ranks = m + 1 - rankings
        ax.plot(np.tile(np.arange(1, m + 1), size), ranks.ravel(), ".", markersize=3, alpha=0.4)
        ax.set_title(title)
        ax.set_xlabel("rank in the truth")
        ax.set_ylabel("rank in the random ranking")
        ax.set_aspect("equal")


def main(folder: Path) -> None:
    """Write both figures."""
    pyplot = import_extra("matplotlib.pyplot")
    for name, draw in (("figure3", figure_3), ("figure6", figure_6)):
        figure, axes = pyplot.subplots(1, 2, figsize=(10, 5.6), layout="constrained")
        draw(axes)
        figure.savefig(folder / f"{name}.png", dpi=100)
        pyplot.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
