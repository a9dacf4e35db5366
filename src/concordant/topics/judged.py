"""From collections to curves: truth and candidates, checked and matched, and their agreement across topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import Coefficient, get_coefficient, headlines
from ..data.means import tied_sums
from ..data.scores import Scores
from ..errors import InputError
from ..pairing import Matched, matched_topics
from ..read.door import Collection
from ..resampling import Resampling
from ..results import settings_of
from ..words import counted, nearly_reversed
from .agreement_curves import DEFAULT, Curves, compute_curves
from .correlation import not_resampled
from .splits import FEWEST, draw_splits
from .worth_core import Yardstick


@dataclass(frozen=True)
class Judged(Matched):
    """What the splits are made of: truth and candidates, matched, and how they are compared."""

    coefficient: Coefficient
    level: float

    @property
    def critical(self) -> float:
        """Standard errors to either side of an estimate: Student's t with n - 1 degrees of freedom."""
        from scipy.special import stdtrit

        return float(stdtrit(len(self.scores[0].topics) - 1, (1 + self.level) / 2))

    def settings(self, curves: Curves, seed: int | None) -> dict[str, Any]:
        """How a result was made."""
        n, m = self.scores[0].values.shape
        return settings_of(
            seed=seed,
            n_resamples=curves.n_splits,
            confidence_level=self.level,
            n_systems=m,
            n_topics=n,
            n_jackknife=curves.n_jackknife,
            undefined=curves.undefined,
            **self.grouped,
        )


def matched_sides(
    given: Mapping[str, Collection],
    names: tuple[str, ...],
    coefficient: str,
    confidence_level: float,
) -> Judged:
    """The sides, by the arguments that they came as, checked and matched; what was left out is warned of."""
    known, level = get_coefficient(coefficient), confidence_level
    if why := not_resampled(known):
        raise InputError(why)
    if len(set(names)) < len(names):
        raise InputError(f"names is {names!r}: two sides have the same name")
    found = matched_topics(given, names)
    truth, *others = (side.means() for side in found.scores)
    turned = [
        f"{names[0]} and {name}: {note}"
        for name, means in zip(names[1:], others, strict=True)
        for note in nearly_reversed(known.attempt(truth, means)[0], known.name)
    ]
    return Judged(found.scores, names, (*found.notes, *turned), found.groups, known, level)


def for_worth(coefficients: Sequence[Coefficient]) -> Coefficient | None:
    """Which of them values a candidate: the first main one, or else the first that admits ties."""
    known = [c for c in coefficients if not not_resampled(c)]
    return next(iter([c for c in known if c.name in headlines("main")] + known), None)


@dataclass(frozen=True)
class Agreement:
    """A coefficient by its name, so that it goes to other processes."""

    coefficient: str

    def __call__(self, truth: FloatArray, candidate: FloatArray) -> FloatArray:
        return np.asarray(get_coefficient(self.coefficient).formula(truth, candidate))


def yardstick(truth: Scores, coefficient: Coefficient, rng: np.random.Generator) -> Yardstick:
    """The truth's curve, to value many candidates on the same topics without intervals."""
    n = len(truth.topics)
    splits = draw_splits(n, DEFAULT.splits, rng)
    return Yardstick.of(truth.values, Agreement(coefficient.name), partial(tied_sums, n=n), splits)


def curves_of(sides: Judged, drawn: Resampling) -> Curves:
    """Agreement across topics of all sides, over random splits."""
    values = [side.values for side in sides.scores]
    n = len(values[0])
    if n < FEWEST:
        unit = "topic" if sides.groups is None else "group"
        raise InputError(
            f"the sides have {counted(n, unit)} in common: at least {FEWEST} are needed, because candidate and "
            f"reference are ranked on halves of them that share no {unit}"
        )
    for name, side in zip(sides.names[1:], sides.scores[1:], strict=True):
        _, why = sides.coefficient.attempt(sides.scores[0].means(), side.means())
        if why:
            raise InputError(f"{sides.coefficient.name} of {sides.names[0]} and {name} is undefined: {why}")
    return compute_curves(
        values[0],
        values[1:],
        sides.coefficient.on_workers(drawn.threads),
        drawn.generator(),
        settle=partial(tied_sums, n=n),
    )
