"""The page in headless Chromium, opened from disk without a network. `page` fails on any complaint or request."""

from __future__ import annotations

import json
from typing import Any

import pytest

import concordant as cc
from concordant.render.report.document import document_of

from ...judgments.test_study import MACHINE, QRELS, RUNS
from .conftest import HOSTILE, documented, made

pytestmark = pytest.mark.long

UNPACKED = "window.concordantReport.unpacked('document').then(arguments[arguments.length - 1])"
UNFOLD = "document.querySelectorAll('details').forEach((it) => { it.open = true; })"
FITS = "return document.documentElement.scrollWidth <= innerWidth"
DRAWN = """
return [...document.querySelectorAll(".plot svg")].map((it) =>
  [it.getAttribute("aria-label"), it.querySelectorAll("line, circle").length, it.getBoundingClientRect().height]);
"""


def by_css(browser: Any, selector: str) -> list[Any]:
    found: list[Any] = browser.find_elements("css selector", selector)
    return found


def test_the_page_says_the_verdict_and_folds_what_is_not_asked_for(page: Any, document: Any) -> None:
    browser = page(document)
    verdict = document["verdict"]
    told = [f"{why}: {command}" for why, command in verdict["next"]]
    said = [it.text for it in by_css(browser, "#verdict h2, #verdict p")]
    assert said == [verdict["headline"], *verdict["sentences"], *told]
    assert len(by_css(browser, ".tile")) == 3
    assert [it.text for it in by_css(browser, "summary") if it.is_displayed()] == [
        "Statistics", "How this was computed", "Cite",
    ]  # fmt: skip
    assert browser.execute_script("return document.documentElement.scrollHeight <= 3 * innerHeight")
    assert browser.execute_async_script(UNPACKED) == json.loads(json.dumps(document))
    browser.execute_script(UNFOLD)
    for label, marks, height in browser.execute_script(DRAWN):
        assert len(label) > 20
        assert marks >= 4, label
        assert height < 900, label
    assert browser.execute_script(FITS)


def test_tables_sort_by_mouse_and_keyboard(page: Any, document: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = page(document)
    browser.execute_script(UNFOLD)
    (table,) = by_css(browser, "[aria-label='All systems'] table")
    heads = {head.text: head for head in table.find_elements("css selector", "th .sort")}

    def column(k: int) -> list[Any]:
        rows = table.find_elements("css selector", "tbody tr")
        return [row.find_elements("css selector", "th, td")[k] for row in rows]

    by_judge = heads["mean, hasty.csv"]
    by_judge.click()
    values = [float(cell.get_attribute("data-v")) for cell in column(2)]
    assert values == sorted(document["comparisons"][0]["candidate_means"], reverse=True)
    assert table.find_elements("css selector", "th[aria-sort=descending]")[0].text == by_judge.text
    by_judge.send_keys(Keys.ENTER)
    assert [float(cell.get_attribute("data-v")) for cell in column(2)] == values[::-1]
    heads["system"].send_keys(Keys.SPACE)
    names = [cell.text for cell in column(0)]
    assert set(names) == set(document["comparisons"][0]["systems"])
    assert names[0] == min(names, key=str.lower)
    assert len(table.find_elements("css selector", "th[aria-sort=ascending]")) == 1
    assert set(heads) == {"system", "mean, people.csv", "mean, hasty.csv"}  # and not by words


def test_light_and_dark(page: Any, document: Any) -> None:
    browser = page(document)
    ground = "return getComputedStyle(document.body).backgroundColor"
    label = "return getComputedStyle(document.querySelector('.drawing text.head')).fill"
    before = browser.execute_script(ground), browser.execute_script(label)
    by_css(browser, "#theme")[0].click()
    after = browser.execute_script(ground), browser.execute_script(label)
    assert before == ("rgb(255, 255, 255)", "rgb(26, 31, 38)")
    assert after == ("rgb(20, 24, 29)", "rgb(232, 236, 240)")
    by_css(browser, "#theme")[0].click()
    assert (browser.execute_script(ground), browser.execute_script(label)) == before


def test_hostile_names_break_nothing(page: Any, hostile: Any) -> None:
    browser = page(hostile)
    browser.execute_script(UNFOLD)
    assert browser.execute_script("return document.scripts.length") == 2
    assert by_css(browser, "img, b, i") == []
    shown = [it.text for it in by_css(browser, "[aria-label='All systems'] tbody th")]
    for name in HOSTILE[:5]:
        assert name.replace("\u202e", "\\u202e") in shown  # what would turn the text is shown as its number
    labels = browser.execute_script(
        "return [...document.querySelectorAll('.ranks text[text-anchor=end]:not(.quiet):not(.head)')]"
        ".map((it) => it.firstChild.textContent)"
    )
    assert len(set(labels)) == len(labels) == len(HOSTILE)
    assert max(map(len, labels)) <= 30
    assert browser.execute_script(FITS)


def judged(kind: str) -> Any:
    """A study of judgments: numbered levels with draws, or judges with their labels."""
    from concordant.judgments import Change

    if kind == "judges":
        return cc.study.judge_study(RUNS, QRELS, {"machine": MACHINE}, ["AP"], n_resamples=500, rng=1)
    changes = [Change("sample", share) for share in (0.2, 0.5)]
    return cc.study.judgment_study(RUNS, QRELS, changes, ["AP", "nDCG@5"], ["tau_b"], 1, n_draws=3, n_resamples=50)


@pytest.mark.parametrize("kind", ["neighbours", "reliability", "crowd", "sample", "judges", "two"])
def test_other_pages_fit(page: Any, kind: str, two: Any) -> None:
    people = cc.load_collection("people")
    if kind == "crowd":
        truth, candidate = made([f"system {k}" for k in range(150)], 20)
        document = documented(truth, candidate)
    elif kind == "neighbours":
        document = document_of(cc.ranks.neighbours(people, rng=1))
    elif kind == "two":
        document = two
    else:
        document = document_of(cc.reliability(people, rng=1) if kind == "reliability" else judged(kind))
    browser = page(document)
    assert browser.execute_script(FITS)
    browser.execute_script(UNFOLD)
    assert browser.execute_script(FITS)
    assert all(height < 900 for *_, height in browser.execute_script(DRAWN))


def test_a_board_is_searched_filtered_and_asked(page: Any) -> None:
    found = cc.board(cc.load_collection("people"), n_resamples=199, rng=1)
    browser = page(document_of(found))
    (box,) = by_css(browser, "#find")
    box.send_keys("RERANK")
    shown = [row.text.split()[1] for row in by_css(browser, "#board tbody tr") if row.is_displayed()]
    assert shown == [s for s in found.systems if "rerank" in s]
    assert by_css(browser, "#count")[0].text == f"{len(shown)} of 20 systems"
    by_css(browser, "#clear")[0].click()
    by_css(browser, "#best")[0].click()
    rows = [row for row in by_css(browser, "#board tbody tr") if row.is_displayed()]
    assert [row.text.split()[1] for row in rows] == list(found.best(1).possible)
    by_css(browser, "#clear")[0].click()
    by_css(browser, "#r3")[0].click()
    better = found.better()
    apart = [k for k in range(20) if better[3, k] or better[k, 3]]
    assert [int(row.get_attribute("id")[1:]) for row in by_css(browser, "tr.differs")] == apart
    assert f"{19 - len(apart)} of 19 other systems cannot be separated" in by_css(browser, "#told")[0].text
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
