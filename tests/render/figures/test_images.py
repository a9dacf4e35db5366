"""Each figure beside a picture of it that was looked at: a change is seen, another version of matplotlib is not.

The picture has all but the text, which is compared as text. A pixel may find its like next to its place, because lines
and edges are smoothed a little differently from version to version. What counts are pixels that have none there.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pytest
from matplotlib import pyplot
from matplotlib.image import imread

from .catalogue import BASELINE, TEXTS, figures, pixels, texts

pytestmark = pytest.mark.long

mpl.use("Agg")

FIGURES = figures()
NEAR = 1  # pixels
UNLIKE = 0.06  # of the range of a colour
MOST = 12  # pixels without their like; 3.8 to 3.11 have none
MOST_OF_IMAGES = 400  # between cells of colour, whose edges 3.11 places otherwise: up to 327


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    pyplot.close("all")


def unlike(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> int:
    """How many pixels of either picture have no like near their place in the other."""
    assert a.shape == b.shape, f"{a.shape} and {b.shape}: another size"
    count = 0
    for one, other in ((a, b), (b, a)):
        wide = np.pad(other, ((NEAR, NEAR), (NEAR, NEAR), (0, 0)), mode="edge")
        best = np.full(one.shape[:2], np.inf)
        for dy in range(2 * NEAR + 1):
            for dx in range(2 * NEAR + 1):
                near = wide[dy : dy + one.shape[0], dx : dx + one.shape[1]]
                best = np.minimum(best, np.abs(one - near).max(axis=2))
        count += int((best > UNLIKE).sum())
    return count


def baseline(name: str) -> npt.NDArray[np.float64]:
    return np.asarray(imread(BASELINE / f"{name}.png")[..., :3], dtype=float)


def limit(drawn: Any) -> int:
    """How many pixels without their like may be."""
    return MOST_OF_IMAGES if any(ax.images for ax in (drawn if isinstance(drawn, list) else [drawn])) else MOST


@pytest.mark.parametrize("name", FIGURES)
def test_looks_as_it_did(name: str) -> None:
    drawn = FIGURES[name]()
    most = limit(drawn)
    found = unlike(pixels(drawn), baseline(name))
    assert found <= most, f"{name} has {found} pixels that differ; look at it, then at catalogue.py beside this"


@pytest.mark.parametrize("name", FIGURES)
def test_reads_as_it_did(name: str) -> None:
    assert texts(FIGURES[name]()) == json.loads(TEXTS.read_text())[name]


def series(drawn: Any) -> dict[tuple[str, str], list[Any]]:
    """What is drawn on the axes, without text and frames: all of a kind and colour together."""
    found = defaultdict(list)
    for ax in drawn if isinstance(drawn, list) else [drawn]:
        for artist in (*ax.lines, *ax.patches, *ax.collections, *ax.images):
            colour = getattr(artist, "get_color", getattr(artist, "get_facecolor", str))()
            seen = len(artist.get_xdata()) if hasattr(artist, "get_xdata") else 1  # none: only in the key
            if seen:
                found[type(artist).__name__, str(colour)].append(artist)
    return found


@pytest.mark.parametrize("name", FIGURES)
def test_a_missing_series_is_seen(name: str) -> None:
    whole = FIGURES[name]()
    most = limit(whole)
    for kind in series(whole):
        pyplot.close("all")
        drawn = FIGURES[name]()
        for artist in series(drawn)[kind]:
            artist.remove()
        found = unlike(pixels(drawn), baseline(name))
        assert found > most, f"{name} without its {kind} differs by {found} pixels only"


def test_pictures_are_small_and_none_is_left_over() -> None:
    files = list(BASELINE.iterdir())
    assert {file.stem for file in files} == set(FIGURES)
    assert max(file.stat().st_size for file in files) < 40_000
