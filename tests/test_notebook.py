"""What a notebook shows: the words and numbers of `print`, as text that can do nothing."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import concordant as cc
from concordant.data.results import Interval, as_html

from .render.figures import catalogue

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</pre></p></div><iframe src='//evil.example'>",
    "&lt;b&gt;",
    "a\x1b[31mb\x00c",
    "\u202egnp.exe",
    "x" * 300,
    "one\n\n  two",
)


class Shown(HTMLParser):
    """The tags, attributes and text of a piece of HTML, which has to close what it opens."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "br":
            self.text += "\n"
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.text += "\n"

    def handle_data(self, data: str) -> None:
        self.text += data


def harmless(html: str) -> Shown:
    shown = Shown(html)
    assert set(shown.tags) <= {"div", "p", "br", "pre", "table", "thead", "tbody", "tr", "th", "td", "bdi"}
    assert shown.attributes <= {"style"}
    assert "url(" not in html
    assert not any(c in html for c in "\x00\x1b\u202e")
    return shown


def hostile_scores(seed: int) -> cc.Scores:
    values = np.random.default_rng(seed).random((12, len(HOSTILE)))
    return cc.Scores(values, [f"q{k}" for k in range(12)], HOSTILE, "<map>")


@pytest.mark.parametrize(
    "result",
    [
        catalogue.comparison(),
        catalogue.rank_test(),
        cc.rank_intervals(cc.load_collection("hasty"), n_resamples=99, rng=1),
        catalogue.plan(),
        catalogue.reliability_study(),
        catalogue.judgment_study(),
        catalogue.worth(),
        Interval(0.1, 0.2, 0.95, "by hand"),
        cc.audit({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 3, "c": 2}, reported="0.33", departures=1),
    ],
    ids=lambda result: type(result).__name__,
)
def test_the_text_is_that_of_print(result: object) -> None:
    shown = harmless(result._repr_html_())  # type: ignore[attr-defined]
    assert shown.text.split() == str(result).split()


def test_words_are_paragraphs_and_tables_keep_their_columns() -> None:
    html = as_html("A verdict\n\n  tau_b   0.5\n  tau     0.6\n\nNote: one\nNote: two")
    shown = Shown(html)
    assert shown.tags == ["div", "p", "pre", "p", "br"]
    assert "  tau_b   0.5\n  tau     0.6" in html
    assert "color: inherit" in html  # readable on dark and on light


@pytest.mark.filterwarnings("ignore::concordant.errors.RegularisationWarning")
def test_hostile_names_stay_text() -> None:
    a, b = hostile_scores(1), hostile_scores(2)
    results = [
        cc.compare(a, b, n_resamples=9, rng=1, names=(HOSTILE[0], HOSTILE[1])),
        cc.explain(a, b),
        cc.rank_intervals(a, n_resamples=99, rng=1),
        cc.audit(a, b, reported="0.5", names=(HOSTILE[0], HOSTILE[1]), departures=1),
        cc.pair(a, b.select(systems=b.systems[1:])),
        a,
    ]
    for result in results:
        harmless(result._repr_html_())
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in results[0]._repr_html_()


def test_scores_show_their_ranking() -> None:
    scores = cc.Scores([[3, 1, 3, 2]], topics=["t"], systems=["a", "b", "c", "d"], measure="map")
    shown = harmless(scores._repr_html_())
    table = "system rank mean a 1 3.0000 c 1 3.0000 d 3 2.0000 b 4 1.0000"
    assert shown.text.split() == f"Scores: 1 topic x 4 systems, map {table}".split()
    many = cc.Scores(np.arange(50.0)[None], ["t"], [f"s{k}" for k in range(50)])
    text = harmless(many._repr_html_()).text.split()
    assert text[-3:] == ["and", "30", "more"]
    assert "s49" in text
    assert "s29" not in text
    tied = cc.Scores(np.ones((1, 50)), ["t"], [f"s{k}" for k in range(50)])
    assert harmless(tied._repr_html_()).text.split()[-3:] == ["and", "30", "more"]
