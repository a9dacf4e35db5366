"""JSON that somebody has changed: whatever stands in it is text in the report, or the report is refused."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import concordant as cc
from concordant.render.report import page
from concordant.render.report.document import document_of

from ...commands import PEOPLE, good
from ...judgments.test_study import MACHINE, QRELS, RUNS
from .conftest import documented, made

EVIL = '"><x-evil>'
REFUSED = (cc.ConcordantError, KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError)
"""What a document that was changed may raise."""
TRUTH, CANDIDATE = made(list("abcdefgh"), 12)
DOCUMENTS: dict[str, Callable[[], Any]] = {
    "board": lambda: cc.board(TRUTH, n_resamples=99, rng=1),
    "card": lambda: cc.judge_card(TRUTH, {"a judge": CANDIDATE}, rng=1, n_resamples=99),
    "comparison": lambda: documented(TRUTH, CANDIDATE),
    "comparisons": lambda: documented(TRUTH, CANDIDATE, TRUTH, names=("truth", "one", "other")),
    "judges": lambda: cc.study.judge_study(
        RUNS, QRELS, {"machine": MACHINE}, ["AP"], coefficients=["tau_b"], n_resamples=500, rng=1
    ),
    "reliability": lambda: cc.reliability(TRUTH, rng=1),
    "best": lambda: json.loads(good("board", PEOPLE, "-k", "3", "--resamples", "99", "-f", "json")),
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


def shown(source: str) -> str:
    """A page, and the parts of it that are unfolded later; not the numbers to be saved, which are JSON."""
    held = re.findall(r'<script type="application/gzip" id="([^"]*)">([^<]*)<', source)
    unfolded = [json.loads(gzip.decompress(base64.b64decode(content))) for name, content in held if name != "document"]
    return "\n".join([source, *(part["html"] for part in unfolded)])


@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=[pytest.mark.long] * k.startswith(("card", "comparison", "judges"))) for k in DOCUMENTS],
)
def test_nothing_in_a_document_is_markup(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "library", lambda: "")
    monkeypatch.setattr(
        "concordant.render.report.charts._made", lambda *given: {"title": str(given[1])}
    )  # which takes long
    monkeypatch.setattr("concordant.render.report.comparisons.MOST_INLINE", 1)
    document = json.loads(json.dumps(document_of(DOCUMENTS[kind]())))
    found, written = set(), 0
    for place in places(document):
        for key in (False, True):
            try:
                source = page.report_html(changed(document, place, key=key))
            except REFUSED:
                continue
            written += 1
            if "<x-evil" in shown(source):
                found.add(place)
    assert not found
    assert written > 20
