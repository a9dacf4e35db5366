"""What a trial of `judgment_study` does: changed judgments, the scores under them, and how far the ranking moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import get_coefficient
from ..data.means import mean_over_topics
from ..data.scores import Scores
from ..judges.worth import Yardstick
from ..judgments.change import Change
from ..judgments.evaluation import score
from ..judgments.measures import Measure
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs
from ..ranks.distance import Problem
from ..ranks.testing import share_as_far


@dataclass(frozen=True, eq=False)
class JudgmentTrials:
    """A trial makes the judgments of one change, scores all runs under them, and compares with the full ones."""

    runs: Runs
    qrels: Qrels
    cells: tuple[tuple[Change, int], ...]
    """The change of each trial, and which draw it is."""
    measures: tuple[Measure, ...]
    coefficients: tuple[str, ...]
    full: tuple[Scores, ...]
    """Under the full judgments, by each measure; and what rank distances and their p-values need of them."""
    problems: tuple[Problem, ...]
    resampled: tuple[FloatArray, ...]
    """The distances of resampled topics, by each measure: the paper's test."""
    yardsticks: tuple[Yardstick | None, ...]
    """By each measure; None with too few topics or systems."""
    depth: int

    @property
    def width(self) -> int:
        """Numbers of a measure: coefficients, d_rank and its p-value, worth, and the mean of each system."""
        return len(self.coefficients) + 3 + len(self.full[0].systems)

    def describe(self, trial: int) -> str:
        """What a trial is called in messages."""
        change, draw = self.cells[trial]
        return f"{change.kind} {change.label}, draw {draw}"

    def __call__(self, trial: int, rng: np.random.Generator) -> FloatArray:
        """One row per measure; and one of the number of judgments and each system's share of unjudged documents."""
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
            # With as many systems as topics or more no test of the distance keeps its level.
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
    """For each system the share of its documents on these topics that have no judgment."""
    judged = np.zeros(len(runs.pairs), dtype=np.bool_)
    places = runs.pairs.locate(qrels.pairs)[qrels.places[qrels.grades >= 0]]
    judged[places[places >= 0]] = True
    row = np.repeat(np.arange(len(runs.starts) - 1), np.diff(runs.starts))
    unjudged = np.bincount(row[~judged[runs.items]], minlength=len(runs.starts) - 1).reshape(runs.shape)[:, topics]
    count = runs.depths[:, topics].sum(axis=1)
    return np.asarray(unjudged.sum(axis=1) / np.maximum(count, 1))
