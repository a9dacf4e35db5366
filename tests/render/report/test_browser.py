"""The page in headless Chromium, opened from disk without a network. `page` fails on any complaint or request."""

from __future__ import annotations

import json
from typing import Any

import pytest

import concordant as cc

from ...judgments.test_study import MACHINE, QRELS, RUNS
from .conftest import HOSTILE, LONG, documented, made

pytestmark = pytest.mark.long

CHOSEN = "var(--chosen)"
MARKED = f"""
const marked = {{}};
for (const plot of document.querySelectorAll(".plot")) {{
  const hits = [...plot.querySelectorAll("svg *")].filter((it) => it.childElementCount === 0 &&
    [it.getAttribute("fill"), it.getAttribute("stroke"), it.style.fill, it.style.stroke].includes("{CHOSEN}"));
  const own = plot.querySelectorAll("circle.chosen, line.chosen").length;
  marked[plot.dataset.chart || plot.id] = hits.length + own;
}}
return marked;
"""
SETTLED = """
const done = arguments[arguments.length - 1];
Promise.all(Object.values(window.concordantReport.views).map((view) => view.runAsync())).then(() => done(true));
"""
UNPACKED = "window.concordantReport.unpacked('document').then(arguments[arguments.length - 1])"
DRAWN = "return [...document.querySelectorAll('[data-chart]')].map((p) => [p.dataset.chart, p.dataset.drawn || ''])"


def marked(browser: Any) -> dict[str, int]:
    """How many marks of each chart have the colour of what is chosen."""
    browser.execute_async_script(SETTLED)
    found: dict[str, int] = browser.execute_script(MARKED)
    return found


def by_css(browser: Any, selector: str) -> list[Any]:
    found: list[Any] = browser.find_elements("css selector", selector)
    return found


def type_in(browser: Any, text: str) -> None:
    from selenium.webdriver.common.keys import Keys

    (box,) = by_css(browser, "#find")
    box.clear()
    box.send_keys(text + Keys.ENTER)


def test_the_page_draws_every_chart_and_says_the_verdict(page: Any, document: Any) -> None:
    browser = page(document)
    drawn = dict(browser.execute_script(DRAWN))
    assert set(drawn) == {"coefficients-0", "ranks-0", "pairs-0", "topics-0"}
    assert set(drawn.values()) == {"yes"}
    counts = browser.execute_script(
        "return [...document.querySelectorAll('.plot')].map((p) => "
        "p.querySelectorAll('svg path, svg line, svg circle').length)"
    )
    assert min(counts) >= 10
    told = browser.execute_script(
        "return [...document.querySelectorAll('.plot')].map((p) => (p.matches('[aria-label]') ? p : "
        "p.querySelector('[aria-label]')).getAttribute('aria-label'))"
    )
    assert all(len(it) > 60 for it in told)
    said = [it.text for it in by_css(browser, "#verdict h2, #verdict p")]
    assert said == [document["verdict"]["headline"], *document["verdict"]["sentences"]]
    in_page = browser.execute_async_script(UNPACKED)
    assert in_page == json.loads(json.dumps(document))
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_a_system_typed_or_clicked_is_marked_everywhere(page: Any, document: Any) -> None:
    browser = page(document)
    pair = document["comparisons"][0]["explanation"]["pairs"][0]
    linked = ("scatter-plot", "ranks-plot", "ranks-0", "pairs-0")
    assert not any(marked(browser).values())
    type_in(browser, pair["better"])
    found = marked(browser)
    assert all(found[key] for key in linked)
    assert found["topics-0"] == found["coefficients-0"] == 0
    assert found["scatter-plot"] == 1
    rows = by_css(browser, "tr.chosen")
    assert rows
    assert {row.get_attribute("data-system") for row in rows} == {pair["better"]}
    assert "rank" in by_css(browser, "#found")[0].text

    by_css(browser, "#clear")[0].click()
    assert not any(marked(browser).values())

    # A click on a mark: the first point of the scatter plot.
    script = "return document.querySelector('#scatter-plot circle')"
    point = browser.execute_script(script)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", point)
    from selenium.webdriver import ActionChains

    ActionChains(browser).move_to_element(point).click().perform()
    found = marked(browser)
    assert found["scatter-plot"] >= 1
    assert found["ranks-plot"] >= 1
    assert found["ranks-0"] >= 1
    tip = browser.execute_script("return document.querySelector('#scatter-plot circle.chosen title').textContent")
    assert "rank" in tip
    assert by_css(browser, "#found .chip")[0].text.removesuffix(" ×") in tip

    # The button of a row in a table, by keyboard.
    by_css(browser, "#clear")[0].click()
    button = by_css(browser, "#systems > details.more [data-pick]")[2]
    from selenium.webdriver.common.keys import Keys

    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-pressed") == "true"
    assert marked(browser)["scatter-plot"] == 1


def test_tables_sort_by_mouse_and_keyboard(page: Any, document: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = page(document)
    (table,) = by_css(browser, "#systems > details.more table")
    heads = table.find_elements("css selector", "th .sort")

    def column(k: int) -> list[Any]:
        return [
            row.find_elements("css selector", "th, td")[k] for row in table.find_elements("css selector", "tbody tr")
        ]

    heads[2].click()
    values = [float(cell.get_attribute("data-v")) for cell in column(2)]
    assert values == sorted(document["comparisons"][0]["candidate_means"], reverse=True)
    assert table.find_elements("css selector", "th[aria-sort=descending]")[0].text == heads[2].text
    heads[2].send_keys(Keys.ENTER)
    assert [float(cell.get_attribute("data-v")) for cell in column(2)] == values[::-1]
    heads[0].send_keys(Keys.SPACE)
    names = [cell.text for cell in column(0)]
    assert set(names) == set(document["comparisons"][0]["systems"])
    assert names[0] == min(names, key=str.lower)
    assert len(table.find_elements("css selector", "th[aria-sort=ascending]")) == 1


def test_light_and_dark(page: Any, document: Any) -> None:
    browser = page(document)
    ground = "return getComputedStyle(document.body).backgroundColor"
    label = "return getComputedStyle(document.querySelector('[data-chart=ranks-0] .role-axis-label text')).fill"
    before = browser.execute_script(ground), browser.execute_script(label)
    by_css(browser, "#theme")[0].click()
    after = browser.execute_script(ground), browser.execute_script(label)
    assert before == ("rgb(255, 255, 255)", "rgb(26, 31, 38)")
    assert after == ("rgb(20, 24, 29)", "rgb(232, 236, 240)")
    by_css(browser, "#theme")[0].click()
    assert (browser.execute_script(ground), browser.execute_script(label)) == before


def test_hostile_names_break_nothing(page: Any, hostile: Any) -> None:
    browser = page(hostile)
    assert set(dict(browser.execute_script(DRAWN)).values()) == {"yes"}
    assert browser.execute_script("return document.scripts.length") == 9
    assert by_css(browser, "img, b, i") == []
    shown = [it.text for it in by_css(browser, "#systems > details.more [data-pick]")]
    for name in HOSTILE[:5]:
        assert name.replace("\u202e", "\\u202e") in shown  # what would turn the text is shown as its number
    for name in (HOSTILE[0], HOSTILE[2], LONG + "b", "__proto__"):
        by_css(browser, "#clear")[0].click()
        type_in(browser, name)
        found = marked(browser)
        assert found["scatter-plot"] == 1, name
        assert found["ranks-0"] >= 1, name
    by_css(browser, "#clear")[0].click()
    for button in by_css(browser, "#systems > details.more [data-pick]"):
        browser.execute_script("arguments[0].click()", button)
    assert marked(browser)["scatter-plot"] == len(HOSTILE)
    assert len(by_css(browser, "#found .chip")) == len(HOSTILE)
    names = browser.execute_script(
        "return [...document.querySelectorAll('#ranks-plot text')].map((it) => it.firstChild.textContent)"
    )
    assert "<script>alert(1)</script>" in names
    assert max(map(len, names)) < 100
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_several_candidates_open_their_charts_when_asked(page: Any, two: Any) -> None:
    browser = page(two)
    drawn = dict(browser.execute_script(DRAWN))
    assert drawn["ranks-0"] == "yes"
    assert drawn["ranks-1"] == ""
    browser.execute_script("document.querySelectorAll('#each details.candidate')[1].open = true")
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 30).until(lambda b: dict(b.execute_script(DRAWN))["ranks-1"] == "yes")
    type_in(browser, two["comparisons"][0]["systems"][3])
    found = marked(browser)
    assert found["scatter-plot"] == 1
    assert found["ranks-0"] >= 1
    assert found["ranks-1"] >= 1


def judged(kind: str) -> Any:
    """A study of judgments: numbered levels with draws, or judges with their labels."""
    from concordant.judgments import Change, label_agreement

    changes = [Change("judge", "machine", qrels=MACHINE), Change("judge", "people", qrels=QRELS)]
    if kind == "sample":
        changes = [Change("sample", share) for share in (0.2, 0.5)]
    study = cc.study.judgment_study(RUNS, QRELS, changes, ["AP", "nDCG@5"], ["tau_b"], 1, n_draws=3, n_resamples=50)
    labels = {"machine": label_agreement(QRELS, MACHINE, n_resamples=50, rng=1).to_dict()} if kind == "judges" else {}
    return {**study.to_dict(), "labels": labels}


@pytest.mark.parametrize("kind", ["reliability", "crowd", "sample", "judges"])
def test_other_pages_draw(page: Any, kind: str) -> None:
    people = cc.load_collection("people")
    if kind == "crowd":
        truth, candidate = made([f"system {k}" for k in range(150)], 20)
        result = documented(truth, candidate)
    else:
        result = cc.reliability(people, rng=1) if kind == "reliability" else judged(kind)
    browser = page(result)
    browser.execute_script("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 60).until(lambda b: set(dict(b.execute_script(DRAWN)).values()) == {"yes"})


def test_a_board_is_searched_filtered_and_asked(page: Any) -> None:
    import concordant as cc

    found = cc.board(cc.load_collection("people"), n_resamples=199, rng=1)
    browser = page(found)
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
