"""Whatever stands anywhere in a document is text in the page, and never markup."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import concordant as cc
from concordant.render.report import page
from concordant.render.report.document import document_of

from ...judgments.test_study import MACHINE, QRELS, RUNS
from .conftest import made

EVIL = '"><x-evil>'
REFUSED = (cc.ConcordantError, KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError)
"""What a document that was changed may raise."""
TRUTH, CANDIDATE = made(list("abcdefgh"), 12)
DOCUMENTS: dict[str, Callable[[], Any]] = {
    "board": lambda: cc.board(TRUTH, n_resamples=99, rng=1),
    "card": lambda: cc.judge_card(TRUTH, {"a judge": CANDIDATE}, rng=1, n_resamples=99),
    "comparison": lambda: cc.compare(TRUTH, CANDIDATE, n_resamples=500, rng=1),
    "comparisons": lambda: cc.compare(TRUTH, [CANDIDATE, TRUTH], n_resamples=500, rng=1),
    "judges": lambda: cc.study.judge_study(
        RUNS, QRELS, {"machine": MACHINE}, ["AP"], coefficients=["tau_b"], n_resamples=500, rng=1
    ),
    "reliability": lambda: cc.reliability(TRUTH, rng=1),
    "ranks": lambda: cc.rank_intervals(TRUTH, n_resamples=99, rng=1),
}

Place = tuple[str | None, ...]
"""Keys, from the outside; None is for all entries of a list at once, because one of them alone may not sort."""


def places(content: Any, at: Place = ()) -> Iterator[Place]:
    """Every place of a document, by the first entry of each list."""
    inside = {None: content[0]} if isinstance(content, list) and content else content
    if isinstance(inside, dict):
        for key, value in inside.items():
            yield (*at, key)
            yield from places(value, (*at, key))


def changed(content: Any, place: Place, *, key: bool) -> Any:
    """With something else at a place, or under another key there."""
    first, *rest = place
    if first is None:
        return [changed(entry, tuple(rest), key=key) if rest else EVIL for entry in content]
    if not isinstance(content, dict) or first not in content:
        return content
    if key and not rest:
        return {EVIL if k == first else k: v for k, v in content.items()}
    return {**content, first: changed(content[first], tuple(rest), key=key) if rest else EVIL}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=[pytest.mark.long] * k.startswith(("card", "comparison", "judges"))) for k in DOCUMENTS],
)
def test_nothing_in_a_document_is_markup(kind: str) -> None:
    document = json.loads(json.dumps(document_of(DOCUMENTS[kind]())))
    found, written = set(), 0
    for place in places(document):
        for key in (False, True):
            try:
                source = page.page_of(changed(document, place, key=key))
            except REFUSED:
                continue
            written += 1
            if "<x-evil" in source:
                found.add(place)
    assert not found
    assert written > 20
