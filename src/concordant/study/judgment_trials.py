"""The trials of `judgment_study`: change the judgments, score the runs, and measure how far the ranking moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import get_coefficient
from ..data.means import mean_over_topics
from ..data.scores import Scores
from ..judges.curves import Yardstick
from ..judgments.change import Change
from ..judgments.evaluation import score
from ..judgments.measures import Measure
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs
from ..ranks.distance import Problem
from ..ranks.testing import share_as_far


@dataclass(frozen=True, eq=False)
class JudgmentTrials:
    """Trials that change the judgments, score all runs, and compare with the scores under the full judgments."""

    runs: Runs
    qrels: Qrels
    cells: tuple[tuple[Change, int], ...]
    """The change and the number of the draw of each trial."""
    measures: tuple[Measure, ...]
    coefficients: tuple[str, ...]
    full: tuple[Scores, ...]
    """Scores under the full judgments, by each measure; `problems` prepare their rank distances and p-values."""
    problems: tuple[Problem, ...]
    resampled: tuple[FloatArray, ...]
    """Rank distances of resampled topics, by each measure, for the paper's test."""
    yardsticks: tuple[Yardstick | None, ...]
    """Yardstick of the worth by each measure; None with too few topics or systems."""
    depth: int

    @property
    def width(self) -> int:
        """Count the numbers of a measure: coefficients, d_rank, its p-value, worth, and the mean of each system."""
        return len(self.coefficients) + 3 + len(self.full[0].systems)

    def describe(self, trial: int) -> str:
        """Name a trial for messages."""
        change, draw = self.cells[trial]
        return f"{change.kind} {change.label}, draw {draw}"

    def __call__(self, trial: int, rng: np.random.Generator) -> FloatArray:
        """Run a trial: one row per measure, and one with the number of judgments and the unjudged share by system."""
        changed = self.cells[trial][0].make(self.runs, self.qrels, rng)
        found = np.full((len(self.measures) + 1, self.width), np.nan)
        topics = [self.runs.pairs.topic_places[topic] for topic in self.full[0].topics]
        systems = [self.runs.systems.index(system) for system in self.full[0].systems]
        values = score(self.runs, changed, self.measures)
        for row, (every, scores, problem, resampled) in enumerate(
            zip(values, self.full, self.problems, self.resampled, strict=True)
        ):
            own = every[np.ix_(systems, topics)].T
            means = mean_over_topics(own)
            yardstick = self.yardsticks[row]
            worth = np.nan if yardstick is None else yardstick.worth(own)
            distance = float(problem.distances(means[None])[0])
            # No test of the distance keeps its level without more topics than systems.
            p = np.nan if len(systems) >= len(topics) else share_as_far(resampled, distance)
            found[row] = np.concatenate(
                [
                    [get_coefficient(name).attempt(scores.means(), means)[0] for name in self.coefficients],
                    [distance, p, worth],
                    means,
                ]
            )
        found[-1, 0] = changed.size
        found[-1, -len(systems) :] = unjudged_shares(self.runs.cut(self.depth), changed, topics)[systems]
        return found


def unjudged_shares(runs: Runs, qrels: Qrels, topics: Sequence[int]) -> FloatArray:
    """Share of each system's documents on these topics that have no judgment."""
    judged = np.zeros(len(runs.pairs), dtype=np.bool_)
    places = runs.pairs.locate(qrels.pairs)[qrels.places[qrels.grades >= 0]]
    judged[places[places >= 0]] = True
    row = np.repeat(np.arange(len(runs.starts) - 1), np.diff(runs.starts))
    unjudged = np.bincount(row[~judged[runs.items]], minlength=len(runs.starts) - 1).reshape(runs.shape)[:, topics]
    count = runs.depths[:, topics].sum(axis=1)
    return np.asarray(unjudged.sum(axis=1) / np.maximum(count, 1))
