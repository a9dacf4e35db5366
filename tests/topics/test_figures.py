"""The example that draws the figures of yilmaz2008."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

from concordant.errors import import_extra

ROOT = Path(__file__).parents[2]


def test_the_figures_of_yilmaz2008(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("yilmaz_figures", ROOT / "examples" / "yilmaz_figures.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.main(tmp_path)
    assert (tmp_path / "figure3.png").stat().st_size > 10_000
    pyplot = import_extra("matplotlib.pyplot")
    figure, axes = pyplot.subplots(1, 2)
    example.figure_6(axes)
    # What the paper sees in it: rankings with tau_ap = 0.9 have few errors at the top.
    errors = []
    for ax in axes:
        truth, candidate = ax.lines[0].get_data()
        assert len(truth) == 5_000
        errors.append(np.mean(np.abs(truth - candidate)[truth <= 10]))
    assert errors[1] < 0.7 * errors[0]
    pyplot.close(figure)
