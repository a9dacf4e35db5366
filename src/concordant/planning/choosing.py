"""Choose topics whose mean ranks systems like the mean of all topics, and cross-validate the choice.

Topics are added one at a time, always the one that gives the largest tau_b with the ranking by all topics. With costs,
the topic with the largest gain per unit of cost is added, until the budget is spent.

Splits measure how well chosen topics agree with other topics on the ranking of other systems. In each split, topics are
chosen from some topics A, using the scores of half of the systems. The other systems are then ranked by the chosen
topics and by the remaining topics B, and the two rankings are compared. The systems and the topics of the test play no
part in the choice. Random topics of A (as many, or as costly, as the chosen ones) and all topics of A are compared with
B as well.

Many splits are computed at once: arrays have axes (splits, topics, systems). Rankings come from sums over topics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..coefficients.registry import Coefficient, get_coefficient

SLACK = 1e-9  # sums of costs may exceed the budget by this share, because of rounding
DRAWS = 10  # number of random choices in each split


def choose(values: FloatArray, allowed: BoolArray, costs: FloatArray, budget: float) -> IntArray:
    """Choose topics in each split; return their indices in the order added, and -1 once the budget is spent."""
    tau_b, every = get_coefficient("tau_b").formula, np.arange(len(values))
    goal, left = _sums(values, allowed), allowed.copy()
    order: list[IntArray] = []
    totals, spent, now = np.zeros(goal.shape), np.zeros(len(goal)), np.zeros(len(goal))
    while True:
        left &= spent[:, None] + costs <= budget * (1 + SLACK)
        if not left.any():
            return np.array(order, dtype=np.int64).T
        split, topic = np.nonzero(left)
        worth = np.full(left.shape, -np.inf)
        found = tau_b(goal[split], totals[split] + values[split, topic])
        worth[split, topic] = np.nan_to_num(found, nan=-1.0)  # nan: all systems are tied
        gain = worth - now[:, None]
        best = np.where(gain > 0, gain / costs, gain * costs).argmax(axis=1)
        adds = np.asarray(left.any(axis=1))
        order.append(np.where(adds, best, -1))
        now, spent = np.where(adds, worth[every, best], now), spent + costs[best] * adds
        totals += values[every, best] * adds[:, None]
        left[every, best] = False


def at_random(allowed: BoolArray, costs: FloatArray, budget: float, rng: np.random.Generator) -> BoolArray:
    """Choose topics in random order within the budget; skip topics that cost more than is left."""
    every, taken = np.arange(len(allowed)), np.zeros_like(allowed)
    spent = np.zeros(len(allowed))
    for topic in np.where(allowed, rng.random(allowed.shape), 2.0).argsort(axis=1).T:
        takes = allowed[every, topic] & (spent + costs[topic] <= budget * (1 + SLACK))
        taken[every, topic] = takes
        spent += costs[topic] * takes
        if (spent + costs.min() > budget * (1 + SLACK)).all():
            break
    return taken


def _sums(values: FloatArray, topics: BoolArray) -> FloatArray:
    """Sum the scores of each system over the marked topics."""
    return np.asarray((values * topics[:, :, None]).sum(axis=1))


@dataclass(frozen=True)
class SplitTask:
    """The scores and costs of the topics to choose from, and the coefficient that compares rankings."""

    values: FloatArray
    """Topics x systems."""
    costs: FloatArray
    budget: float
    groups: IntArray
    """The group of each topic, numbered from 0; groups are never split."""
    known: Coefficient

    def agreement(self, truth: FloatArray, candidate: FloatArray) -> FloatArray:
        """Compute the agreement of rankings by total scores; 0 if it is undefined because all systems are tied."""
        return np.asarray(np.nan_to_num(self.known.formula(truth, candidate), nan=0.0))

    def halves(self, n_splits: int, rng: np.random.Generator) -> tuple[BoolArray, IntArray, IntArray]:
        """Draw the topics to choose from, the systems whose scores guide the choice, and the systems that test it.

        There are as many topics to choose from as the budget can buy, plus half of the rest.
        """
        (n, m), sizes = self.values.shape, np.bincount(self.groups)
        needed = int((np.cumsum(np.sort(self.costs)) <= self.budget * (1 + SLACK)).sum())
        order = rng.permuted(np.tile(np.arange(len(sizes)), (n_splits, 1)), axis=1)
        inside = np.cumsum(sizes[order], axis=1) - sizes[order] < (n + needed) / 2
        groups = np.zeros_like(inside)
        np.put_along_axis(groups, order, inside, axis=1)
        systems = rng.permuted(np.tile(np.arange(m), (n_splits, 1)), axis=1)
        return groups[:, self.groups], systems[:, : m // 2], systems[:, m // 2 :]


class Splits(NamedTuple):
    """Agreement between rankings, with one value for each split."""

    both: FloatArray
    """Agreement of the chosen topics with other topics on the ranking of other systems."""
    both_random: FloatArray
    both_all: FloatArray
    """Agreement of all candidate topics with other topics on the ranking of other systems."""
    systems: FloatArray
    """Agreement of topics, chosen using half of the systems, with all topics on the ranking of the other systems."""
    systems_random: FloatArray


def run_splits(task: SplitTask, n_splits: int, rng: np.random.Generator) -> Splits:
    """Draw `n_splits` splits, and test chosen, random and all topics in each."""
    inside, train, test = task.halves(n_splits, rng)
    every = np.ones_like(inside)
    by, values = (np.moveaxis(task.values[:, systems], 0, 1) for systems in (train, test))
    outer, overall = _sums(values, ~inside), _sums(values, every)

    def tested(allowed: BoolArray, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the agreement of chosen and of random topics with the truth."""
        chosen = np.zeros_like(allowed)
        for topic in choose(by, allowed, task.costs, task.budget).T:
            chosen[topic >= 0, topic[topic >= 0]] = True
        drawn = (at_random(allowed, task.costs, task.budget, rng) for _ in range(DRAWS))
        random = [task.agreement(truth, _sums(values, some)) for some in drawn]
        return task.agreement(truth, _sums(values, chosen)), np.mean(random, axis=0)

    all_topics = task.agreement(outer, _sums(values, inside))
    return Splits(*tested(inside, outer), all_topics, *tested(every, overall))
