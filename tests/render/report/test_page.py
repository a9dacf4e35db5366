"""The page as text: escaping, size, policy, and that its numbers are those of the JSON."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import warnings
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import concordant as cc
from concordant.data.results import Result
from concordant.errors import escaped, printable
from concordant.judges.worth import shown as shown_topics
from concordant.render.report.document import document_of
from concordant.render.report.elements import shown
from concordant.render.report.page import page_of, report_html

from ...packaging.every_function import calls
from .conftest import HOSTILE, documented, made


class Page(HTMLParser):
    """Elements, attributes, text, scripts and cells of a page."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.cells: list[tuple[str, str]] = []
        self.pvalues: list[tuple[str, str]] = []
        self.topics: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        if tag not in ("meta", "input", "option"):
            self.open.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "option":
            return
        assert self.open, tag
        assert self.open[-1][0] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
        elif tag not in ("style", "title"):  # a title is what hovering shows
            self.words.append(data)
            if tag == "td" and attributes.get("data-v") is not None:
                kept = {"n p": self.pvalues, "n t": self.topics}.get(str(attributes.get("class")), self.cells)
                kept.append((str(attributes["data-v"]), data))

    def script(self, key: str) -> Any:
        kind, content = next((a.get("type"), text) for a, text in self.scripts if a.get("id") == key)
        return json.loads(gzip.decompress(base64.b64decode(content)) if kind == "application/gzip" else content)


def numbers_in(content: Any) -> set[float]:
    if isinstance(content, bool) or content is None or isinstance(content, str):
        return set()
    if isinstance(content, (int, float)):
        return {float(content)}
    parts = content.values() if isinstance(content, dict) else content
    return set().union(*map(numbers_in, parts))


@pytest.fixture(scope="module")
def everything(document: Any, two: Any, hostile: Any) -> dict[str, Any]:
    people = cc.load_collection("people")
    truth, candidate = made([f"s{k}" for k in range(8)], 12)
    return {
        "one": document,
        "two": two,
        "hostile": hostile,
        "plan": document_of(cc.plan_topics(people, n_resamples=99, rng=1)),
        "reliability": document_of(cc.reliability(people, rng=1)),
        "card": document_of(cc.judge_card(people, {"hasty": cc.load_collection("hasty")}, n_resamples=99, rng=1)),
        "means": document_of(
            cc.compare(
                dict(zip(truth.systems, truth.means().tolist(), strict=True)),
                dict(zip(truth.systems, candidate.means().tolist(), strict=True)),
                rng=1,
            )
        ),
    }


@pytest.fixture(scope="module")
def source_of(everything: dict[str, Any]) -> Callable[[str], str]:
    """The text of a report, made once."""
    return cache(lambda kind: page_of(everything[kind]))


KINDS = ("one", "two", "hostile", "plan", "reliability", "card", "means")


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_well_formed_and_every_id_is_there_once(source_of: Callable[[str], str], kind: str) -> None:
    page = Page(source_of(kind))
    assert page.open == []
    ids = [value for _, key, value in page.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    for _, key, value in page.attributes:
        if key in ("aria-labelledby", "for", "list"):
            assert value in ids
        if key == "href":
            assert value.removeprefix("#") in ids
    assert [tag for tag in page.tags if tag in ("main", "h1", "nav", "header", "footer")] == [
        "header", "h1", "main", "footer",
    ]  # fmt: skip
    assert page.tags.count("table") == page.tags.count("caption")


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_is_one_of_the_json(
    everything: dict[str, Any], source_of: Callable[[str], str], kind: str
) -> None:
    page = Page(source_of(kind))
    document = page.script("document")
    known = numbers_in(document)
    if kind == "card":
        known |= {float(len(document["result"]["judges"]))}
    assert len(page.cells) > 5
    for full, text in page.cells:
        value = json.loads(full)
        assert float(value) in known
        assert text == shown(value) or text == shown(int(value))  # ranks of systems without ties have no decimals
        assert abs(float(text) - value) <= 0.5001e-3 * max(1, abs(value))
    for full, text in page.topics:  # as the terminal has them
        value = json.loads(full)
        assert value in known
        assert text == shown_topics(value)
    for full, text in page.pvalues:
        value = json.loads(full)
        assert value in known
        assert text == ("< 0.001" if value < 0.001 else f"{value:.3f}")
    assert document == json.loads(json.dumps(everything[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_the_verdict_is_that_of_the_json(source_of: Callable[[str], str], kind: str) -> None:
    page = Page(source_of(kind))
    verdict = page.script("document")["verdict"]
    said = "".join(page.words)
    for sentence in (verdict["headline"], *verdict["sentences"]):
        assert sentence in said


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_fetched(source_of: Callable[[str], str], kind: str) -> None:
    source = source_of(kind)
    page = Page(source)
    assert "http:" not in source.replace("http-equiv", "")
    assert "https:" not in source
    assert "url(" not in source
    assert "@import" not in source
    for tag, key, _ in page.attributes:
        assert key not in ("src", "srcset", "data", "action", "poster", "style"), (tag, key)
        assert not key.startswith("on"), (tag, key)
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    (policy,) = [v for tag, key, v in page.attributes if tag == "meta" and key == "content" and "default-src" in v]
    assert policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in policy
    assert re.search(r"script-src[^;]*unsafe-inline", policy) is None
    for attributes, text in page.scripts:
        if "type" not in attributes:
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy


def test_hostile_names_are_text(source_of: Callable[[str], str]) -> None:
    page = Page(source_of("hostile"))
    assert page.tags.count("script") == 2
    assert not {"b", "i", "img"} & set(page.tags)
    titles = {value for tag, key, value in page.attributes if (tag, key) == ("bdi", "title")}
    assert {printable(name) for name in HOSTILE} <= titles
    assert page.script("document")["comparisons"][0]["systems"] == HOSTILE
    assert max(len(word) for word in page.words if word.startswith("xxx")) <= 60


def test_what_is_no_character_of_a_page_is_shown_as_an_escape() -> None:
    assert printable("a\x00b\x1b\ud800\n") == "a\\x00b\\x1b\\ud800\n"
    assert escaped("<a \u202e&\"'>") == "&lt;a \\u202e&amp;&quot;&#x27;&gt;"


def test_lone_surrogates_can_be_written(tmp_path: Path) -> None:
    truth = {"a\ud800": 1.0, "b": 2.0, "c": 3.0}
    cc.compare(truth, truth, rng=1).report(tmp_path / "r.html")
    assert "a\\ud800" in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_150_systems_and_250_topics_stay_below_1_mb() -> None:
    truth, candidate = made([f"system-{k:03d}-with-a-usual-name" for k in range(150)], 250, noise=0.5)
    found = cc.compare(truth, candidate, per_topic=True, rank_test=None, n_resamples=500, rng=1)
    text = report_html(found)
    assert len(text.encode()) < 1_000_000


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (3, "3"),
        (0.0, "0.000"),
        (0.12345, "0.123"),
        (-0.5, "-0.500"),
        (3e-9, "3e-09"),
        (1234.56, "1234.6"),
        (5.46e15, "5.46e+15"),
    ],
)
def test_numbers_as_shown(value: float | None, text: str) -> None:
    assert shown(value) == text


@pytest.mark.long
def test_every_result_has_a_page_that_opens_with_its_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Result] = {}
    build = Result.__post_init__

    def seen(found: Result) -> None:
        build(found)
        made[found._kind or type(found).__name__] = found

    monkeypatch.setattr(Result, "__post_init__", seen)
    with warnings.catch_warnings(action="ignore"):
        for call in calls(tmp_path).values():
            call()
    assert len(made) > 25
    for name, found in list(made.items()):
        page = Page(report_html(found))
        assert page.open == []
        document = page.script("document")
        if document["report"] != "board":  # whose page has an order of its own
            assert document["verdict"]["headline"] in "".join(page.words), name


@pytest.mark.parametrize("given", [{"some": "thing"}, 3, []], ids=str)
def test_what_is_no_result_is_refused(given: Any) -> None:
    with pytest.raises(cc.errors.InputTypeError, match=f"concordant, not a {type(given).__name__}"):
        report_html(given)


def test_identical_sides_have_a_report() -> None:
    people = cc.load_collection("people")
    document = documented(people, people)
    assert document["verdict"]["answer"] == "unknown"
    assert "the same data" in document["verdict"]["headline"]
    assert document["comparisons"][0]["explanation"]["counts"]["swapped"] == 0
    Page(page_of(document))
