"""`board`: which ranks of a leaderboard are real: tiers, rank intervals, who could be the best, what is to come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import IntArray
from ..data.results import Estimate, Result, settings_of
from ..data.scores import Means, Scores
from ..inference.resampling import Progress, Resampling, Seed
from ..options import checked
from ..parallel import Workers
from ..ranks.bounds import RankIntervals, rank_intervals
from ..read.door import Collection, as_scores, as_topic_side, as_topics, is_bare
from ..words import counted
from .estimation import DRAWS, expected_correlation
from .outlook import Outlook, outlook

SCHEMA, FORMAT = "concordant-board", 1
"""Of the JSON: docs/reference/board-json.md. The number grows when a field changes its meaning or goes."""
SHOWN = 20  # rows of the table that is printed


@dataclass(frozen=True, eq=False, repr=False)
class Board(Result):
    """What `board` found, systems by their observed order."""

    _index = "system"
    ranks: RankIntervals
    """Rank intervals, tiers, and who could be the best."""
    topics: IntArray | None
    """How many topics each system has, in the order of `ranks.systems`; None where only standard errors are known."""
    reliability: tuple[Estimate, ...]
    """Expected tau and tau_ap with the true ranking, with intervals; none without topics."""
    outlook: Outlook | None
    """What more topics would change; None without topics."""

    @property
    def verdict(self) -> str:
        """Which ranks are real, how reliable the ranking is, and what more topics would change."""
        if not self.reliability:
            return self.ranks.verdict
        tau = self.reliability[0]
        assert tau.interval is not None  # by the posterior
        found = f"{self.ranks.verdict}; expected tau with the true ranking {tau.value:.3f}"
        return f"{found} ({tau.interval.low:.3f} to {tau.interval.high:.3f})"

    def differs_from_next(self) -> list[bool | None]:
        """Whether each system is significantly better than the next one; None for the last."""
        k = np.arange(len(self.ranks.systems) - 1)
        return [*self.ranks.better()[k + 1, k].tolist(), None]

    def rows(self) -> list[dict[str, Any]]:
        """One row per system, best first."""
        topics = [None] * len(self.ranks.systems) if self.topics is None else self.topics.tolist()
        shared = zip(self.ranks.rows(), topics, self.differs_from_next(), strict=True)
        return [
            {
                **{key: row[key] for key in ("system", "rank", "low", "high", "tier")},
                "total": row["mean"],
                "topics": topics,
                "may_be_best": row["low"] == 1,
                "differs_from_next": differs,
            }
            for row, topics, differs in shared
        ]

    def table(self) -> str:
        """The first rows, and what is to come."""
        lines, more = self.ranks.lines(SHOWN), len(self.ranks.systems) - SHOWN
        if more > 0:
            lines.append(f"  ... {counted(more, 'more system')}")
        unit = "group" if "groups" in self.ranks.settings else "topic"
        future = self.outlook.sentence(unit) if self.outlook is not None else ""
        return "\n".join([*lines, *(("", f"{future}.") if future else ())])

    def _contents(self) -> dict[str, Any]:
        best, neighbours = self.ranks.best(1), self.differs_from_next()[:-1]
        return {
            "schema": SCHEMA,
            "format": FORMAT,
            "rows": self.rows(),
            "tiers": self.ranks.tiers,
            "may_be_best": best.possible,
            "neighbours": {"pairs": len(neighbours), "different": sum(map(bool, neighbours))},
            "reliability": [
                {"coefficient": e.coefficient, "value": e.value, "low": e.interval.low, "high": e.interval.high}
                for e in self.reliability
                if e.interval is not None
            ],
            "outlook": self.outlook,
            "differs": self._differs(),
            "total": self.ranks.total,
        }

    def _differs(self) -> list[str]:
        """For each row, which rows differ significantly from it, as bits in hexadecimal, the first row first."""
        differs = self.ranks.better()
        return [row.tobytes().hex() for row in np.packbits(differs | differs.T, axis=1)]

    def plot(self, ax: Any = None) -> Any:
        """The rank intervals."""
        return self.ranks.plot(ax)


@checked
def board(
    scores: Collection,
    *,
    confidence_level: float = 0.95,
    more_topics: int = 10,
    n_resamples: int = 49_999,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Board:
    """Which ranks of a leaderboard are real: rank intervals, tiers, its reliability, what more topics would change.

    Parameters
    ----------
    scores : Collection
        Scores on each topic or task, as `as_scores` takes them; higher is better. Systems may lack topics. `Means` with
        standard errors or a covariance give rank intervals alone.
    confidence_level : float
        Confidence level of the rank intervals, all together, and of the intervals of the reliability.
    more_topics : int
        How many more topics (or groups) to look ahead; 0 for none.
    n_resamples : int
        Number of resamples for the rank intervals.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers.
    workers : int or Executor
        Threads, or an executor of concurrent.futures.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    Board
        `rows()` is the leaderboard; `ranks` has rank intervals, tiers, p-values and who could be the best.

    See Also
    --------
    rank_intervals : The ranks that each system may have.
    plan_topics : How many topics are enough.
    rank_votes : Ranks from battles.

    Notes
    -----
    Rank intervals are those of `rank_intervals`, the reliability that of `expected_correlation`. More topics are drawn
    from the posterior of the true means and the errors that the scores show, as `plan_topics` does, and ranked together
    with those at hand. Where scores are missing, both use the residuals of the fit that `concordant.data.holes` has.

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024). Inference for Ranks with Applications to Mobility
    across Neighbourhoods and Academic Achievement across Countries. Review of Economic Studies 91.

    Examples
    --------
    >>> import concordant as cc
    >>> found = cc.board(cc.load_collection("people"), rng=1)
    >>> len(found.ranks.tiers), found.ranks["rerank-4"], round(found.outlook.leader_stays, 1)
    (3, (1, 5), 0.9)

    """
    how = Resampling.of(n_resamples, rng, workers, progress)
    side = scores if is_bare(scores) else as_scores(scores, "scores")
    by: dict[str, Any] = {"rng": how.rng, "workers": workers}
    rest: dict[str, Any] = {"topics": None, "reliability": (), "outlook": None}
    if not isinstance(side, Means):
        side = as_topic_side(side, "scores")
        side = as_topics(side.described(missing="available") if side.missing == "error" else side, holes=True)
    ranks = rank_intervals(side, confidence_level=confidence_level, n_resamples=n_resamples, progress=progress, **by)
    if isinstance(side, Scores):
        observed, counts = side.observations(), dict(zip(side.systems, side.counts().tolist(), strict=True))
        posterior: dict[str, Any] = {"confidence_level": confidence_level, **by}
        rest = {
            "topics": np.array([counts[system] for system in ranks.systems]),
            "reliability": tuple(
                expected_correlation(observed, coefficient=name, **posterior) for name in ("tau", "tau_ap")
            ),
            "outlook": outlook(observed.values, more_topics, Resampling(DRAWS, how.rng, how.workers)),
        }
    return Board(
        ranks=ranks,
        **rest,
        notes=ranks.notes,
        data=side,
        settings=settings_of(
            seed=how.seed,
            n_resamples=how.n_resamples,
            confidence_level=ranks.confidence_level,
            **{key: ranks.settings[key] for key in ("topics", "groups", "measure") if key in ranks.settings},
            missing=side.missing,
            more_topics=more_topics,
        ),
    )
