"""What every public function does with scores that have holes, groups or another total than the mean."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest

import concordant as cc
from concordant.data.means import RULES

from .data.test_clusters import flat
from .read.test_reader import FUNCTIONS, SIDES, TOPICS, taking_collections

GIVEN = [SIDES[name] for name in ("truth", "other", "candidate")]  # "other" ranks the systems in another order
GROUPS = {topic: f"g{k // 2}" for k, topic in enumerate(TOPICS)}


class Supports(NamedTuple):
    """What a function supports."""

    holes: bool
    """Whether scores may be missing for good; if not, the error has the choices."""
    groups: Literal["drawn", "nothing drawn", "refused"]
    """Whether groups are drawn in the place of topics; "nothing drawn": the answer is as without groups."""
    total: bool
    """Whether it is about the totals by the rule; if not, the error says so."""


DRAWN, EVERY = Supports(True, "drawn", True), Supports(False, "drawn", True)
SUPPORTS = {
    "as_scores": Supports(True, "nothing drawn", True),
    "audit": Supports(True, "nothing drawn", False),
    "board": DRAWN,
    "combine": Supports(False, "refused", False),
    "compare": DRAWN,
    "correlate": EVERY,
    "ranks.discriminative_power": EVERY,
    "difference": DRAWN,
    "expected_correlation": DRAWN,
    "explain": Supports(True, "nothing drawn", True),
    "judges.family_bias": EVERY,
    "judge_card": EVERY,
    "judge_worth": EVERY,
    "ranks.neighbours": DRAWN,
    "permutation_test": Supports(True, "nothing drawn", True),
    "plan_mix": Supports(False, "refused", False),
    "plan_topics": DRAWN,
    "judges.rank_changes": EVERY,
    "rank_distance": EVERY,
    "rank_intervals": DRAWN,
    "rank_judges": EVERY,
    "rank_test": EVERY,
    "reliability": DRAWN,
    "select_topics": EVERY,
    "judges.significance_agreement": EVERY,
    "simulate": Supports(False, "refused", True),
    "soft_pairwise_accuracy": EVERY,
    "study.reliability_study": Supports(False, "refused", False),
    "judges.tie_calibration": Supports(False, "refused", False),
}
OWN_RULE = {"as_scores", "audit", "board", "difference", "ranks.neighbours"}  # where nothing was said of holes
# Need runs; pairs.
WITHOUT = {"ranks.run_noise", "planning.plan_runs", "pair"}


def test_every_function_that_takes_collections_says_what_it_supports() -> None:
    assert set(SUPPORTS) == (taking_collections() | set(FUNCTIONS)) - WITHOUT


def answer(name: str, sides: list[cc.Scores]) -> Any:
    count, function = FUNCTIONS[name]
    with warnings.catch_warnings(action="ignore"):
        found = function(*sides[:count])
    if isinstance(found, cc.Scores):
        return found.means()
    return np.atleast_1d(found) if isinstance(found, float | list) else found


def numbers(found: Any) -> Any:
    return flat(_Dictionary(found)) if isinstance(found, dict) else flat(found)


class _Dictionary:
    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def to_dict(self) -> dict[str, Any]:
        return self.content


@cache
def plain(name: str) -> Any:
    return numbers(answer(name, GIVEN))


def same(found: Any, expected: Any) -> bool:
    return found.shape == expected.shape and bool(np.allclose(found, expected, rtol=1e-9, atol=1e-12, equal_nan=True))


@pytest.mark.parametrize("name", SUPPORTS)
def test_holes(name: str) -> None:
    sides = []
    for side in GIVEN:
        values = side.values.copy()
        values[3, 2] = values[7, 5] = np.nan
        sides.append(cc.Scores(values, side.topics, side.systems, missing="available"))
    if SUPPORTS[name].holes:
        answer(name, sides)
    else:
        with pytest.raises(
            cc.errors.InputError, match=r"leaves holes, but all scores are needed here: .*'drop-systems'"
        ):
            answer(name, sides)
    if name not in OWN_RULE:
        said = [side.described(missing="error") for side in sides]
        with pytest.raises(cc.errors.InputError, match=r"sys-c lacks topic 304.*Choose with missing=") as raised:
            answer(name, said)
        assert ("'available'" in str(raised.value)) == SUPPORTS[name].holes


@pytest.mark.parametrize("name", SUPPORTS)
def test_groups(name: str) -> None:
    few = name == "ranks.discriminative_power"  # which counts significant pairs, and few groups leave fewer of them
    groups = {topic: str(k % 3) for k, topic in enumerate(TOPICS)} if few else GROUPS
    sides = [side.described(groups=groups) for side in GIVEN]
    if SUPPORTS[name].groups == "refused":
        with pytest.raises(cc.errors.InputError, match=r"groups, and .*: read it with groups='none'"):
            answer(name, sides)
    else:
        drawn = SUPPORTS[name].groups == "drawn"
        if few:  # the same share of fewer pairs; its text counts them
            assert (str(answer(name, sides)) != str(answer(name, GIVEN))) == drawn
            return
        assert same(numbers(answer(name, sides)), plain(name)) != drawn


@pytest.mark.parametrize("name", SUPPORTS)
def test_total(name: str) -> None:
    """The answer is that on the points, whose mean is the total."""
    sides = [side.described(total="win-rate") for side in GIVEN]
    if not SUPPORTS[name].total:
        with pytest.raises(cc.errors.InputError, match=r"total, and .*: leave total out"):
            answer(name, sides)
        return
    found = numbers(answer(name, sides))
    assert not same(found, plain(name))
    if "simulate" not in name:
        points = [cc.Scores(RULES["win-rate"].points(side.values), side.topics, side.systems) for side in GIVEN]
        assert same(found, numbers(answer(name, points)))
