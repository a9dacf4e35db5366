"""Methods to choose topics whose mean ranks systems like the mean of all topics, and their cross-validation.

All methods add one topic at a time. They differ in what they maximize over the systems that they see:

- "greedy": tau_b of the two rankings. It is a sum of signs, so in the end many topics are equally good, and chance
  decides.
- "variance": minus the mean squared distance between the two means, both centred over systems. Every system counts by
  its distance, whether systems swap or not.

With costs, the topic with the largest gain per cost is added while the budget lasts.

Splits measure how well chosen topics rank other systems, compared with other topics. In each split, half of the systems
choose among some topics A. The other systems are then ranked by the chosen topics and by the remaining topics B, and
the two rankings are compared. Neither the systems nor the topics of the test had a part in the choice. Random topics of
A, as many or as costly, and all of A are compared with B as well.

The method itself is chosen by splits of the same kind within the half that chooses: nested cross-validation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..coefficients.registry import Coefficient
from ..coefficients.tau import tau_b

Method = Literal["variance", "greedy"]
METHODS = get_args(Method)
SLACK = 1e-9  # share of a budget that rounding may add to sums of costs


def choose(values: FloatArray, target: FloatArray, method: Method, costs: FloatArray, budget: float) -> list[int]:
    """Choose topics (rows) and return their indices in the order added; at least one."""
    enough = budget * (1 + SLACK)
    centred = np.ascontiguousarray(values - values.mean(axis=1, keepdims=True))
    goal = target - target.mean()
    total, spent = np.zeros(values.shape[1]), 0.0
    chosen: list[int] = []
    now = -float((goal**2).mean()) if method == "variance" else 0.0
    while True:
        left = np.setdiff1d(np.flatnonzero(spent + costs <= enough), chosen)
        if not left.size:
            return chosen
        means = (total + centred[left]) / (len(chosen) + 1)
        worth = _worth(means, goal, method)
        gain = worth - now
        best = int(np.argmax(np.where(gain > 0, gain / costs[left], gain * costs[left])))
        chosen.append(int(left[best]))
        now, spent = float(worth[best]), spent + float(costs[left[best]])
        total = total + centred[left[best]]


def _worth(means: FloatArray, goal: FloatArray, method: Method) -> FloatArray:
    if method == "variance":
        return np.asarray(-((means - goal) ** 2).mean(axis=1))
    varied = np.ptp(means, axis=1) > 0
    found = np.full(len(means), -1.0)
    if varied.any():
        found[varied] = tau_b(goal, means[varied])
    return found


def at_random(costs: FloatArray, budget: float, rng: np.random.Generator) -> IntArray:
    """Choose topics in random order within the budget; skip topics that cost more than is left."""
    order, spent, taken = rng.permutation(len(costs)), 0.0, []
    for k in order:
        if spent + costs[k] <= budget * (1 + SLACK):
            taken.append(int(k))
            spent += float(costs[k])
    return np.array(taken)


# How well that does -----------------------------------------------------------------------------

INNER = 5  # splits that choose the way to choose
DRAWS = 10  # random choices in each split


@dataclass(frozen=True)
class SplitTask:
    """What is to be chosen from: scores, costs, the budget, and which topics stay together."""

    values: FloatArray
    costs: FloatArray
    budget: float
    groups: IntArray
    known: Coefficient
    methods: Sequence[Method]

    def part(self, topics: IntArray, systems: IntArray) -> SplitTask:
        """Restrict the task to some topics and systems."""
        values = self.values[np.ix_(topics, systems)]
        return SplitTask(values, self.costs[topics], self.budget, self.groups[topics], self.known, self.methods)

    def chosen(self, method: Method) -> list[int]:
        """Indices of the topics that a method chooses."""
        return choose(self.values, self.values.mean(axis=0), method, self.costs, self.budget)

    def agreement(self, ours: Sequence[int] | IntArray, theirs: FloatArray) -> float:
        """Agreement between the ranking by some topics and given means; 0 if undefined because all are tied."""
        if len(ours) == 0:
            return 0.0
        value, why = self.known.attempt(theirs, self.values[np.asarray(ours)].mean(axis=0))
        return 0.0 if why else value


class Split(NamedTuple):
    """Results of one split."""

    both: float
    """Agreement of the chosen topics with other topics, on other systems."""
    both_random: float
    both_all: float
    """Agreement of all candidate topics with other topics, on other systems."""
    systems: float
    """Agreement of topics that some systems chose with all topics, on other systems."""
    systems_random: float
    kept: float
    """Share of the separated pairs of other systems that chosen topics order alike; nan if there are none."""
    kept_random: float


def halves(task: SplitTask, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Draw topics to choose from and topics to test on; systems to choose by and systems to test on.

    The topics to choose from are those needed plus half of the rest. Groups stay whole.
    """
    n, m = task.values.shape
    systems = rng.permutation(m)
    aim = (n + min(n, _needed(task.costs, task.budget))) / 2
    inside = np.zeros(n, dtype=bool)
    for group in rng.permutation(np.unique(task.groups)):
        inside |= task.groups == group
        if inside.sum() >= aim:
            break
    return np.flatnonzero(inside), np.flatnonzero(~inside), systems[: m // 2], systems[m // 2 :]


def split(task: SplitTask, separated: npt.NDArray[np.bool_], rng: np.random.Generator) -> Split:
    """Run one split; `separated[i, j]`: the whole collection finds system j better than i."""
    a, b, train, test = halves(task, rng)
    method = best_method(task.part(a, train), rng)
    inner, outer = task.part(a, test), task.values[np.ix_(b, test)].mean(axis=0)
    everywhere = task.part(np.arange(len(task.values)), test)
    overall = everywhere.values.mean(axis=0)
    by_systems = task.part(np.arange(len(task.values)), train).chosen(method)
    random_inner = [at_random(inner.costs, task.budget, rng) for _ in range(DRAWS)]
    random_all = [at_random(task.costs, task.budget, rng) for _ in range(DRAWS)]
    better = separated[np.ix_(test, test)]
    return Split(
        both=inner.agreement(task.part(a, train).chosen(method), outer),
        both_random=float(np.mean([inner.agreement(r, outer) for r in random_inner])),
        both_all=inner.agreement(np.arange(len(a)), outer),
        systems=everywhere.agreement(by_systems, overall),
        systems_random=float(np.mean([everywhere.agreement(r, overall) for r in random_all])),
        kept=_kept(everywhere.values[by_systems], better),
        kept_random=float(np.mean([_kept(everywhere.values[r], better) for r in random_all])),
    )


def best_method(task: SplitTask, rng: np.random.Generator) -> Method:
    """Find the best method on other systems and topics of a task; the first if too few are left to compare."""
    if len(task.methods) == 1 or task.values.shape[1] < 8 or len(np.unique(task.groups)) < 4:
        return task.methods[0]
    found = np.zeros(len(task.methods))
    for _ in range(INNER):
        a, b, train, test = halves(task, rng)
        if not b.size:
            return task.methods[0]
        outer, inner = task.values[np.ix_(b, test)].mean(axis=0), task.part(a, test)
        found += [inner.agreement(task.part(a, train).chosen(method), outer) for method in task.methods]
    return task.methods[int(np.argmax(found))]


def methods_of(method: str) -> tuple[Method, ...]:
    """Methods that a name stands for."""
    return METHODS if method == "auto" else tuple(name for name in METHODS if name == method)


def _needed(costs: FloatArray, budget: float) -> int:
    """The largest number of topics within a budget."""
    return int((np.cumsum(np.sort(costs)) <= budget * (1 + SLACK)).sum())


def _kept(values: FloatArray, better: npt.NDArray[np.bool_]) -> float:
    """Share of the separated pairs that some topics order alike."""
    if not len(values) or not better.any():
        return float("nan")
    means = values.mean(axis=0)
    return float((means[None, :] > means[:, None])[better].mean())
