"""Odd tables at random are read as they are meant, or refused with the option that reads them so."""

from __future__ import annotations

import io
import re
import warnings
from typing import Any

import pandas as pd
import pytest

from concordant import as_scores
from concordant.data.scores import Means
from concordant.errors import ConcordantError
from concordant.read import read_scores

from .odd_kinds import KINDS, Odd, Table, odd


def outcome(content: Any, options: dict[str, Any]) -> tuple[Any, str]:
    """What reading gives, or the error; and the warnings. Any other exception is a crash."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if isinstance(content, pd.DataFrame):
                found: Any = as_scores(content, **options).complete()
            else:
                found = read_scores(io.BytesIO(content), **options).complete()
        except ConcordantError as error:
            found = error
    return found, "\n".join(str(warning.message) for warning in caught)


def is_meant(found: Any, meant: Table | dict[str, float]) -> bool:
    if isinstance(meant, dict):
        return isinstance(found, Means) and dict(zip(found.systems, found.values.tolist(), strict=True)) == meant
    labels = getattr(found, "topics", None), getattr(found, "systems", None)
    return labels == (tuple(meant.topics), tuple(meant.systems)) and found.values.tolist() == meant.values


def names(message: str, option: str, value: Any) -> bool:
    """Whether an error names an option, with what to leave out where that is its value."""
    if isinstance(value, list) and value[0].startswith("!"):
        return f"{option}={value!r}" in message
    return f"{option}=" in message


def check(given: Odd) -> str:
    found, said = outcome(given.content, {})
    if not isinstance(found, ConcordantError):
        if given.ambiguous:
            return "ambiguous"
        assert is_meant(found, given.meant), f"read as something else, saying {said!r}"
        assert given.left_out in said, f"without a word on {given.left_out!r}, saying {said!r}"
        return "read"
    if given.edit is not None and not (
        given.options and all(names(str(found), *item) for item in given.options.items())
    ):
        assert re.search(given.says, str(found), re.DOTALL), found
        again, _ = outcome(given.edit, given.options)
    else:
        assert given.options, found
        for option, value in given.options.items():
            assert names(str(found), option, value), found
        again, _ = outcome(given.content, given.options)
    assert not isinstance(again, ConcordantError), f"{again} after {found}"
    assert is_meant(again, given.meant), f"read as {again.topics} x {again.systems} after {found}"
    return "refused"


def test_there_are_many_kinds() -> None:
    assert len({kind.__name__ for kind in KINDS}) == len(KINDS) >= 70


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=lambda kind: KINDS[kind].__name__)
def test_kinds(kind: int) -> None:
    for turn in range(3):
        name, given = odd(kind + turn * len(KINDS))
        assert name == KINDS[kind].__name__
        check(given)


@pytest.mark.long
def test_two_thousand() -> None:
    wrong = []
    for seed in range(1000, 3000):
        name, given = odd(seed)
        try:
            check(given)
        except AssertionError as error:
            wrong.append(f"{seed} {name}: {error}")
    assert not wrong, "\n".join(wrong)
