"""`rank_votes`: rank intervals of systems from battles between them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...data.results import settings_of
from ...data.scores import Means
from ...errors import InputError, counted, named
from ...inference.resampling import Progress, Resampling, Seed, resampled_weights
from ...options import checked
from ..bounds import rank_intervals
from ..intervals import RankIntervals
from .battles import Votes, read_votes
from .strengths import Strength, apart, require_comparable, strengths, tally, units

_DRAWS = 49_999  # normal draws for the rank intervals


@checked
def rank_votes(
    votes: Any,
    *,
    method: Strength = "win-rate",
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    n_resamples: int = 999,
    rng: Seed = None,
    progress: Progress | None = None,
) -> RankIntervals:
    """Find the ranks that each system may have from battles: votes on which of two systems answered better.

    Parameters
    ----------
    votes : Votes, path or frame
        Votes, or anything that `read_votes` takes.
    method : {"win-rate", "bradley-terry"}
        The share of battles won against each opponent, mean over opponents; or the strengths of Bradley and Terry's
        model, fitted by evalica (``pip install 'concordant[votes]'``).
    confidence_level : float
        Between 0 and 1.
    simultaneous : bool
        True: the level holds for all intervals together (a leaderboard). False: for each alone.
    n_resamples : int
        Resamples of questions, or of battles if questions are unknown; at least 100.
    rng : int, Generator or None
        The same seed gives the same bits.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    RankIntervals
        One interval per system; see also `borders`, `best(k)` and `pvalues`. `estimates()` can be compared with other
        rankings.

    See Also
    --------
    read_votes : Read battles: which of two systems answered better.
    board : A leaderboard with the ranks that are real.
    rank_intervals : The ranks that each system may have.

    Notes
    -----
    Battles on the same question have correlated errors, so questions are resampled if known. The estimates are assumed
    to be normal with their covariance over the resamples, and ranked by `rank_intervals`. The degrees of freedom are
    the number of questions, or battles, minus 1. A resample is drawn again if a system has no battles in it or no
    finite strength.

    References
    ----------
    R. A. Bradley and M. E. Terry (1952). Rank Analysis of Incomplete Block Designs: I. The Method of Paired
    Comparisons. Biometrika 39.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> rng = np.random.default_rng(1)
    >>> pairs = rng.permuted(np.tile(["x", "y", "z"], (600, 1)), axis=1)[:, :2]
    >>> strength = {"x": 2.0, "y": 0.0, "z": 0.0}
    >>> chance = [1 / (1 + np.exp(strength[b] - strength[a])) for a, b in pairs]
    >>> winner = np.where(rng.random(600) < chance, "a", "b")
    >>> found = cc.votes.rank_votes(cc.votes.Votes(pairs[:, 0], pairs[:, 1], winner), rng=1)
    >>> found["x"], found["y"]
    ((1, 1), (2, 3))

    """
    how = Resampling.of(n_resamples, rng, progress=progress)
    if how.n_resamples < 100:
        raise InputError(f"{named('n_resamples')} is {how.n_resamples}: a covariance needs at least 100")
    given = read_votes(votes)
    whole = tally(given, np.ones(len(given)))
    require_comparable(whole, given.systems, method)
    unit, count = "battle" if given.questions is None else "question", int(units(given).max()) + 1
    if count < 2:
        raise InputError(
            f"the votes are on {counted(count, unit)}: at least 2 are needed, because intervals come from their spread"
        )
    drawn, left_out = _resampled(given, method, how)
    # A resample varies around the sample, not the population.
    covariance = np.cov(drawn, rowvar=False) * count / (count - 1)
    known = Means(strengths(whole, method), given.systems, covariance=covariance, degrees_of_freedom=count - 1)
    found = rank_intervals(
        known, confidence_level=confidence_level, simultaneous=simultaneous, n_resamples=_DRAWS, rng=how.rng
    )
    doubt = f"{counted(left_out, 'resample')} drawn again, because a system had met nobody, or had no finite strength"
    found = replace(
        found,
        settings=settings_of(
            seed=how.seed,
            n_resamples=how.n_resamples,
            normal_draws=_DRAWS,
            confidence_level=found.confidence_level,
            method=method,
            battles=len(given),
            resampled=unit,
        ),
    )
    return replace(found, notes=((doubt,) if left_out else ()))


def _resampled(votes: Votes, method: Strength, how: Resampling) -> tuple[FloatArray, int]:
    """Compute the estimates of each resample, and count unusable resamples."""
    unit, rng = units(votes), how.generator()
    count, left_out = int(unit.max()) + 1, 0
    made: list[FloatArray] = []
    while len(made) < how.n_resamples:
        for _, weights in resampled_weights(count, how.n_resamples - len(made), rng):
            for row in weights:
                wins = tally(votes, row[unit].astype(np.float64))
                if not apart(wins, method).size:
                    made.append(strengths(wins, method))
                else:
                    left_out += 1
            if how.progress is not None:
                how.progress(len(made), how.n_resamples)
        if left_out > how.n_resamples:
            raise InputError(
                f"{left_out} of {left_out + len(made)} resamples do not compare all systems: there are too few battles "
                "of some; leave these systems out"
            )
    return np.stack(made), left_out
