"""What equal quality costs: by the truth alone, by the candidate alone, and by the cheapest mix of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError
from ..words import in_digits
from .worth_core import Beyond

LEAST_COST, MOST_COST = 1e-100, 1e100
WANTED = f"give numbers above 0, from {LEAST_COST:g} to {MOST_COST:g}"


@dataclass(frozen=True)
class Costs:
    """What the quality of `target` topics of the truth costs: by the truth, by the candidate, by both together."""

    truth: float
    """Per topic."""
    candidate: float
    target: int
    truth_alone: float
    candidate_topics: float
    """The number of the candidate's topics that are worth the target; inf where its limit is below it."""
    candidate_alone: float
    mix: tuple[int, int]
    """Topics of the truth and of the candidate, which together cost least."""
    mix_cost: float


def is_cost(cost: Any) -> bool:
    """Whether a number is what something may cost, so that whatever it is multiplied with or divided by is a number."""
    return bool(LEAST_COST <= cost <= MOST_COST)


def check_costs(costs: Any) -> tuple[float, float] | None:
    """What a topic costs by the truth and by the candidate."""
    if costs is None:
        return None
    if not isinstance(costs, Sequence) or isinstance(costs, str) or len(costs) != 2:
        raise InputTypeError(f"costs is {costs!r}: give what a topic costs by the truth, and by the candidate")
    for cost in costs:
        if isinstance(cost, bool) or not isinstance(cost, (int, float, np.number)) or not is_cost(cost):
            raise InputError(f"costs has {in_digits(cost)}: {WANTED}")
    return float(costs[0]), float(costs[1])


def cheapest(law: Beyond, target: int, truth: float, candidate: float) -> Costs:
    """The cheapest (h, K) with h + W(K) >= target, W(K) = 1 / (bias + noise / K).

    Worth adds up where errors are independent and rankings are weighted by worth: precision does.
    """
    if math.isnan(law.bias):
        return Costs(truth, candidate, target, target * truth, math.nan, math.nan, (target, 0), target * truth)
    bias, noise = max(law.bias, 0.0), max(law.noise, 0.0)
    h = np.arange(target + 1)
    lacking = target - h
    with np.errstate(divide="ignore"):
        k = np.where(bias * lacking < 1, np.ceil(noise * lacking / (1 - bias * lacking) - 1e-9), np.inf)
    costs = h * truth + k * candidate
    best = int(np.argmin(costs))
    topics = float(k[0])
    mix = best, int(k[best])
    return Costs(truth, candidate, target, target * truth, topics, topics * candidate, mix, float(costs[best]))
