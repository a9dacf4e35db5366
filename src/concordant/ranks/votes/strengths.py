"""One number per system from battles: win rates, or the strengths of Bradley and Terry's model.

Win rate: the share of battles won against each opponent, with ties one half, averaged over opponents. So it does not
matter how often a system met which opponent.

Bradley and Terry: P(i beats j) = 1 / (1 + exp(s_j - s_i)), ties one half; the strengths s are centred. The package
evalica, an extra, fits them.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray, IntArray
from ...errors import InputError, import_extra, listing
from .battles import Votes

Strength = Literal["win-rate", "bradley-terry"]


def tally(votes: Votes, weights: FloatArray) -> FloatArray:
    """Count wins `[i, j]` of system i over j, ties one half, with a weight for each battle."""
    m = len(votes.systems)
    won = np.bincount(votes.a * m + votes.b, weights * votes.wins, m * m)
    lost = np.bincount(votes.b * m + votes.a, weights * (1 - votes.wins), m * m)
    return np.asarray((won + lost).reshape(m, m))


def strengths(wins: FloatArray, method: Strength) -> FloatArray:
    """Compute one number per system; nan for a system without battles."""
    met = wins + wins.T
    if method == "win-rate":
        share = np.divide(wins, met, out=np.zeros_like(wins), where=met > 0)
        opponents = (met > 0).sum(axis=1)
        return np.where(opponents > 0, share.sum(axis=1) / np.maximum(opponents, 1), np.nan)
    evalica = import_extra("evalica")
    i, j = np.nonzero(wins)
    index = import_extra("pandas").Index(range(len(wins)))
    fit: Any = evalica.bradley_terry(
        i.tolist(), j.tolist(), [evalica.Winner.X] * len(i), index=index, weights=wins[i, j].tolist(),
        tolerance=1e-10, limit=10_000,
    )  # fmt: skip
    found = np.log(np.asarray(fit.scores.reindex(index), dtype=np.float64))
    return np.asarray(found - found.mean())


def apart(wins: FloatArray, method: Strength) -> IntArray:
    """Find systems without a chain of battles (for strengths, of wins in both directions) to the first system."""
    met = wins + wins.T > 0
    graphs = (wins > 0, wins.T > 0) if method == "bradley-terry" else (met,)
    return np.flatnonzero(~np.logical_and.reduce([_reached(graph) for graph in graphs]))


def require_comparable(wins: FloatArray, systems: tuple[str, ...], method: Strength) -> None:
    """Raise if battles do not compare all systems."""
    if (lost := apart(wins, method)).size:
        names = listing(systems[k] for k in lost)
        raise InputError(
            f"no chain of battles compares {names} with {systems[0]}: leave them out"
            if method == "win-rate"
            else f"{names} and {systems[0]} have no chain of wins in both directions, so strengths would be "
            "infinite: leave some out, or use win rates"
        )


def _reached(graph: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    reached = np.zeros(len(graph), dtype=bool)
    reached[0] = True
    for _ in graph:
        found = reached | graph[:, reached].any(axis=1)
        if np.array_equal(found, reached):
            break
        reached = found
    return reached


def units(votes: Votes) -> IntArray:
    """Return the unit of resampling of each battle: the index of its question, or of the battle itself."""
    if votes.questions is None:
        return np.arange(len(votes))
    place = {name: k for k, name in enumerate(dict.fromkeys(votes.questions))}
    return np.array([place[q] for q in votes.questions])
