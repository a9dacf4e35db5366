"""Signs of topics: under a tie every topic's difference could as well have had the other sign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt


def takes_all_signs(n: int, n_resamples: int, *, opposite: bool = True) -> bool:
    """Whether n topics have no more signs than are to be drawn; without `opposite`, of two opposite ones only one."""
    return n <= 62 and 1 << (n if opposite else n - 1) <= n_resamples


def signs(n: int, parts: Iterable[tuple[int, int]], rng: np.random.Generator | None) -> Iterator[npt.NDArray[np.int8]]:
    """Resamples x topics, -1 or 1: these parts of all signs of n topics, in a fixed order, or as many random ones."""
    for first, last in parts:
        if rng is None:
            drawn = ((np.arange(first, last)[:, None] >> np.arange(n)) & 1).astype(np.int8)
        else:
            drawn = rng.integers(0, 2, (last - first, n), dtype=np.int8)
        yield 2 * drawn - 1
