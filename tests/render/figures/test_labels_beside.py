"""Names on figures lie on no point and on no other name, coefficients have their subscripts, ranks begin at 1."""

from __future__ import annotations

import numpy as np
import pytest

import concordant as cc
from concordant.agreement.comparison_result import Comparison

pyplot = pytest.importorskip("matplotlib.pyplot")

from concordant.render.figures.labels import SYMBOLS, number_ranks, symbol  # noqa: E402


def compared(m: int, seed: int = 1) -> Comparison:
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.4, 0.1, m)
    candidate = truth + rng.normal(0, 0.06, m)
    names = [f"org{k % 7}-run-{k:03d}" for k in range(m)]
    found: Comparison = cc.compare(
        dict(zip(names, truth, strict=True)), dict(zip(names, candidate, strict=True)), names=("people", "machine")
    )
    return found


@pytest.mark.parametrize("m", [20, 110, 240])
def test_no_name_lies_on_a_point_or_on_another_name(m: int) -> None:
    found = compared(m)
    axes = found.plot("scatter")
    named = 0
    for ax in axes if isinstance(axes, list) else [axes]:
        figure = ax.get_figure()
        figure.canvas.draw()
        points = np.vstack([ax.transData.transform(line.get_xydata()) for line in ax.lines if line.get_marker() == "o"])
        boxes = [pyplot.Text.get_window_extent(text) for text in ax.texts]  # without lines to the points
        named += len(boxes)
        for k, box in enumerate(boxes):
            assert not ((points > box.min) & (points < box.max)).all(axis=1).any()
            assert not any(box.overlaps(other) for other in boxes[:k])
            assert ax.get_window_extent().padded(2).contains(*box.min)
            assert ax.get_window_extent().padded(2).contains(*box.max)
    assert named >= 2
    pyplot.close("all")


def test_coefficients_have_symbols_with_subscripts() -> None:
    assert set(SYMBOLS) <= {c.name for c in cc.list_coefficients()}
    assert symbol("tau_b") == r"$\tau_b$"
    assert symbol("rbo") == "rbo"
    ax = compared(20).plot("scatter")
    assert any(r"$\tau_b$" in ax.get_title(loc=place) for place in ("left", "center"))
    pyplot.close("all")


@pytest.mark.parametrize("m", [3, 20, 110, 240])
def test_ranks_begin_at_1(m: int) -> None:
    ax = pyplot.subplots()[1]
    number_ranks(ax, m)
    first, *others = ax.get_xticks()
    assert first == 1
    assert others
    assert all(1 < tick <= m for tick in others)
    pyplot.close("all")
