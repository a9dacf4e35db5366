"""The example of carterette2009, of which only the results are left."""

from __future__ import annotations

import numpy as np
import pytest

import concordant as cc

# Three systems on four topics, with what the paper says of its lost matrix: A is much worse than B and C, and
# significantly so; B and C are alike; C > B > A. That of examples/papers has the printed means as well.
AP = np.array([[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]])


def test_the_papers_three_systems() -> None:
    rankings = [[-order.index(system) for system in "ABC"] for order in ("ABC", "ACB", "BAC", "CAB", "BCA", "CBA")]
    assert cc.rank_distance(AP, rankings) == pytest.approx([4.88, 4.88, 4.88, 4.88, 0.65, 0], abs=0.02)
    assert cc.tau(AP.mean(axis=0), rankings) == pytest.approx([-1, -1 / 3, -1 / 3, 1 / 3, 1 / 3, 1])
    assert [cc.ranks.discriminative_power(AP, r).value for r in rankings] == [0, 0, 0.5, 0.5, 1, 1]
