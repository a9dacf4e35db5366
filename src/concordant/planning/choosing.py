"""Ways to choose topics so that their mean ranks systems as the mean of all does.

All of them add one topic at a time. They differ in what they make large, over the systems that they see:

- "greedy": tau_b of the two rankings. It is a sum of signs, so many topics are equally good in the end, and the
  accidents of these systems decide.
- "variance": minus the mean squared distance between the two means, both centred over systems: every system counts, by
  how far it is off, whether two of them swap or not.

With costs, the topic with the largest gain per cost is added while the budget lasts.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ..arrays import FloatArray, IntArray
from ..coefficients.kendall import tau_b

Method = Literal["variance", "greedy"]
METHODS = get_args(Method)
SLACK = 1e-9  # of a budget: what sums of costs may be beyond it by rounding


def choose(values: FloatArray, target: FloatArray, method: Method, costs: FloatArray, budget: float) -> list[int]:
    """Places of topics (rows), in the order in which they were added; at least one."""
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
    """Topics in random order, as far as the budget goes; those that it does not reach are passed over."""
    order, spent, taken = rng.permutation(len(costs)), 0.0, []
    for k in order:
        if spent + costs[k] <= budget * (1 + SLACK):
            taken.append(int(k))
            spent += float(costs[k])
    return np.array(taken)
