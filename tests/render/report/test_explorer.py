"""The picture that a comparison opens with: its coefficients against the kernels, and that it follows its controls."""

from __future__ import annotations

import csv
import io
import re
import warnings
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest

import concordant as cc
from concordant.data.means import mean_over_topics

from .conftest import documented, made
from .test_browser import UNPACKED, by_css

pytestmark = pytest.mark.long

CASES = 3_000


@pytest.fixture(scope="module")
def truth_and_model() -> Any:
    """Sides of two decimals, so that means are tied on some topics."""
    names = [f"team{k % 3}-{'dense' if k % 2 else 'sparse'}-{k}" for k in range(14)]
    truth, model = made(names, 24)
    return [cc.Scores(np.round(side.values, 2), side.topics, side.systems, "nDCG@10") for side in (truth, model)]


@pytest.fixture(scope="module")
def small(truth_and_model: Any) -> Any:
    return documented(*truth_and_model)


def tied(rng: np.random.Generator, m: int) -> list[float]:
    """Scores of few values, of many, or of all digits."""
    values = [rng.integers(0, 4, m) / 4, np.round(rng.normal(0, 1, m), 2), rng.normal(0, 1e-3, m)][int(rng.integers(3))]
    return [float(v) for v in values]


def test_both_coefficients_are_those_of_the_kernels(page: Any, small: Any) -> None:
    rng = np.random.default_rng(20)
    cases: list[Any] = []
    for _ in range(CASES):
        m = int(rng.integers(2, 25))
        x, y = tied(rng, m), tied(rng, m)
        cases.append((x, y, float(rng.choice([0.0, 0.0, 0.05, 0.25])) * (max(x) - min(x))))
    found = page(small).execute_script(
        "return arguments[0].map(([x, y, t]) => { const c = concordantCoefficients.concordance(x, y, t);"
        " return [c.tau_b, c.tau_ap_b, c.concordant, c.discordant].map((v) => Number.isNaN(v) ? null : v); })",
        cases,
    )
    undefined = 0
    for (x, y, tolerance), values in zip(cases, found, strict=True):
        with warnings.catch_warnings(action="ignore"):  # some are undefined
            wanted = [cc.tau_b(x, y, tolerance=tolerance), cc.tau_ap_b(x, y, tolerance=tolerance)]
        for value, right in zip(values, wanted, strict=False):
            undefined += value is None
            assert (value is None) == np.isnan(right)
            assert value is None or abs(value - right) < 1e-13
    assert 0 < undefined < CASES / 3  # of twice as many values


def test_means_tie_as_those_of_the_package(page: Any, small: Any) -> None:
    rng = np.random.default_rng(21)
    cases = []
    for _ in range(600):
        n, m = int(rng.integers(1, 40)), int(rng.integers(2, 12))
        scores = np.round(rng.random((n, m)) - 0.5 * (rng.random() < 0.3), int(rng.choice([1, 2, 4, 16])))
        scores[:, 0] = rng.permutation(scores[:, -1])  # the same total, added in another order
        cases.append(scores)
    found = page(small).execute_script(
        "return arguments[0].map((s) => concordantCoefficients.means(s, s.map((_, t) => t), s[0].map((_, k) => k)))",
        [case.tolist() for case in cases],
    )
    for scores, means in zip(cases, found, strict=True):
        wanted = mean_over_topics(scores)
        assert means[0] == means[-1]
        np.testing.assert_array_equal(np.sign(np.subtract.outer(means, means)), np.sign(wanted[:, None] - wanted))
        np.testing.assert_allclose(means, wanted, rtol=0, atol=1e-15)


def put(browser: Any, **fields: Any) -> None:
    """Type into the controls."""
    for name, value in fields.items():
        browser.execute_script(
            "const it = document.getElementById('explore-' + arguments[0]); it.value = arguments[1];"
            "it.dispatchEvent(new Event('input'))",
            name,
            str(value),
        )
    browser.execute_async_script("setTimeout(arguments[arguments.length - 1], 60)")


def said(browser: Any) -> str:
    text: str = by_css(browser, ".readout")[0].text
    return text


SELECTIONS: list[dict[str, Any]] = [
    {},
    {"coefficient": "tau_ap_b"},
    {"top": 5},
    {"systems": "dense"},
    {"systems": "-team1, -team2", "coefficient": "tau_ap_b"},
    {"topics": "t1"},
    {"topics": "-t2 -t3", "systems": "team0 team1", "top": 6, "tolerance": 0.01, "coefficient": "tau_ap_b"},
]


@pytest.mark.parametrize("fields", SELECTIONS, ids=str)
def test_the_value_is_that_of_the_same_selection_in_python(
    page: Any, small: Any, truth_and_model: Any, fields: dict[str, Any]
) -> None:
    browser = page(small)
    put(browser, **fields)

    def kept(names: Any, words: str) -> list[str]:
        terms = words.replace(",", " ").split()
        out = [term[1:] for term in terms if term.startswith("-")]
        wanted = [term for term in terms if not term.startswith("-")]
        return [
            name
            for name in names
            if (not wanted or any(term in name for term in wanted)) and not any(term in name for term in out)
        ]

    truth, model = truth_and_model
    which = {
        "systems": kept(truth.systems, fields.get("systems", "")),
        "topics": kept(truth.topics, fields.get("topics", "")),
    }
    x, y = (side.select(**which) for side in (truth, model))
    top = sorted(x.systems, key=lambda s: -x.means()[x.systems.index(s)])[: fields.get("top", len(x.systems))]
    names = [s for s in x.systems if s in top]
    x, y = x.select(names), y.select(names)
    name = fields.get("coefficient", "tau_b")
    value = cc.get_coefficient(name).function(x.means(), y.means(), tolerance=fields.get("tolerance", 0.0))
    assert f"{name} {value:.3f}" in said(browser)
    assert f"{len(names)} of 14 systems, {len(x.topics)} of 24 topics" in said(browser)
    assert ("Intervals and tests in this report are for all" in said(browser)) == bool(set(fields) - {"coefficient"})
    assert len(by_css(browser, "#scatter-plot circle")) == len(by_css(browser, "#ranks-plot line")) == len(names)


@pytest.mark.parametrize("lower", [(True, True), (True, False), (False, True)], ids=str)
def test_errors_are_ranked_upside_down_and_shown_as_they_were_given(
    page: Any, truth_and_model: Any, lower: tuple[bool, bool]
) -> None:
    """A side of errors: 1 minus the scores, which ranks the systems in the same order."""
    turned = [
        cc.Scores(np.round(1 - side.values, 2), side.topics, side.systems, "wer", lower_is_better=True) if low else side
        for side, low in zip(truth_and_model, lower, strict=True)
    ]
    browser = page(documented(*turned))
    for fields in ({"topics": ""}, {"topics": "t1", "top": 5}):
        put(browser, **fields)
        which = [t for t in turned[0].topics if str(fields["topics"]) in t]
        x, y = (side.select(topics=which) for side in turned)
        best = np.argsort(-x.means(), kind="stable")[: fields.get("top", 14)]
        assert f"tau_b {cc.tau_b(x.means()[best], y.means()[best]):.3f}" in said(browser)
    ticks = [it.text for it in by_css(browser, "#scatter-plot .tick")]
    assert ticks
    assert not [text for text in ticks if text.startswith("-")]
    assert len(by_css(browser, "#scatter-plot .diagonal")) == (lower[0] == lower[1])
    axes = [it.text for it in by_css(browser, "#scatter-plot .axis")]
    assert ["lower is better" in text for text in axes] == list(lower)
    system = turned[0].systems[int(best[0])]
    (about,) = [
        t
        for it in by_css(browser, "#scatter-plot circle title")
        if (t := it.get_attribute("textContent")).startswith(system)
    ]
    assert f"{x.shown(x.means())[best[0]]:.4f} and {y.shown(y.means())[best[0]]:.4f}" in about


def test_nothing_left_to_compare_is_said(page: Any, small: Any) -> None:
    browser = page(small)
    put(browser, systems="no such system")
    assert "tau_b is not defined here 0 of 14 systems" in said(browser)
    put(browser, systems="", topics="no such topic")
    assert "tau_b is not defined here 0 of 14 systems, 0 of 24 topics" in said(browser)
    by_css(browser, "#explore-reset")[0].click()
    assert "14 of 14 systems, 24 of 24 topics" in said(browser)


def test_the_address_keeps_what_is_shown(page: Any, small: Any) -> None:
    browser = page(small)
    put(browser, coefficient="tau_ap_b", top=7, topics="t1")
    browser.execute_script("window.concordantReport.choose([arguments[0]])", small["comparisons"][0]["systems"][2])
    address, before = browser.current_url, said(browser)
    assert parse_qs(address.partition("#?")[2]) == {
        "coefficient": ["tau_ap_b"],
        "top": ["7"],
        "topics": ["t1"],
        "system": [small["comparisons"][0]["systems"][2]],
    }
    browser.get("about:blank")
    browser.get(address)
    browser.execute_async_script("setTimeout(arguments[arguments.length - 1], 300)")
    assert said(browser) == before
    assert len(by_css(browser, "#scatter-plot circle.chosen")) == 1
    by_css(browser, "#explore-reset")[0].click()
    by_css(browser, "#clear")[0].click()
    assert browser.current_url.endswith("#")


def test_an_address_that_means_harm_changes_nothing(page: Any, small: Any) -> None:
    browser = page(small)
    before = said(browser)
    browser.execute_script(
        "location.hash = '#?coefficient=alert(1)&zoom=<b>&candidate=99&system=__proto__&system=<img src=x>'"
    )
    browser.execute_async_script("setTimeout(arguments[arguments.length - 1], 100)")
    assert said(browser) == before
    assert by_css(browser, ".chip, img") == []


POINTS = """
return [...document.querySelectorAll("#scatter-plot circle")].map((it) => {
  const name = it.querySelector("title").textContent.split("\\n")[0];
  return [name, Number(it.getAttribute("cx")), Number(it.getAttribute("cy"))];
});
"""


def drag(browser: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """From one place in the scatter plot to another, as it is seen."""
    from selenium.webdriver import ActionChains

    (plot,) = by_css(browser, "#scatter-plot")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    size = browser.execute_script("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", plot)
    places = [[round(v - side / 2) for v, side in zip(at, size, strict=True)] for at in (start, end)]
    moves = ActionChains(browser, duration=0).move_to_element_with_offset(plot, *places[0]).click_and_hold()
    moves.move_to_element_with_offset(plot, *places[1]).release().perform()


def test_a_rectangle_leaves_the_systems_in_it(page: Any, small: Any, truth_and_model: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = page(small)
    before, points = said(browser), browser.execute_script(POINTS)
    by_place = sorted(points, key=lambda point: point[1])
    right = (by_place[6][1] + by_place[7][1]) / 2
    wanted = {name for name, x, _ in points if x < right}
    drag(browser, (right, 1), (50, 450))
    x, y = (side.select([s for s in side.systems if s in wanted]) for side in truth_and_model)
    assert f"tau_b {cc.tau_b(x.means(), y.means()):.3f}" in said(browser)
    assert "7 of 14 systems" in said(browser)
    assert "Intervals and tests in this report are for all" in said(browser)
    assert {name for name, *_ in browser.execute_script(POINTS)} == wanted
    assert len(by_css(browser, "#ranks-plot line")) == 7
    assert by_css(browser, ".brush, .chip") == []

    address, now = browser.current_url, said(browser)
    assert set(parse_qs(address.partition("#?")[2])["only"]) == wanted
    browser.get("about:blank")
    browser.get(address)
    browser.execute_async_script("setTimeout(arguments[arguments.length - 1], 300)")
    assert said(browser) == now

    by_css(browser, "#explore-all")[0].click()
    assert said(browser) == before
    assert not by_css(browser, "#explore-all")[0].is_displayed()
    assert browser.current_url.endswith("#")

    # A drag that begins and ends on points chooses none of them, and Escape undoes it; a click on one still does.
    first, last = by_place[2], by_place[9]
    drag(browser, (first[1], first[2]), (last[1], last[2]))
    assert said(browser) != before
    assert by_css(browser, ".chip") == []
    by_css(browser, "body")[0].send_keys(Keys.ESCAPE)
    assert said(browser) == before
    drag(browser, (first[1], first[2]), (first[1] + 2, first[2]))
    assert [it.text for it in by_css(browser, ".chip")] == [f"{first[0]} ×"]


def test_a_rectangle_around_less_than_two_systems_changes_nothing(page: Any, small: Any) -> None:
    browser = page(small)
    before, (_, x, y) = said(browser), browser.execute_script(POINTS)[0]
    drag(browser, (x - 7, y - 7), (x + 5, y + 5))
    assert said(browser) == before
    assert browser.execute_script("return location.hash") in ("", "#")


SUBSCRIPTS = """
return [...document.querySelectorAll("[data-chart] text")].filter((it) => it.querySelector("tspan"))
  .map((it) => [...it.children].map((part) => part.textContent));
"""


def test_coefficients_have_their_subscripts_on_charts_and_in_what_is_saved(page: Any, small: Any) -> None:
    browser = page(small)
    found = browser.execute_script(SUBSCRIPTS)
    assert ["τ", "b", ""] in found
    assert ["τ", "AP,b", ""] in found
    assert ["part of 1 - τ", "AP,b", ""] in found
    drawn = browser.execute_script(
        "return [...document.querySelectorAll('[data-chart] text')].map((i) => i.textContent)"
    )
    assert not any("\u2060" in it or "tau_b" in it or "tau_ap_b" in it for it in drawn)
    assert "tau_strict" in drawn  # which has no symbol
    # A chart that is drawn again, wider, and one that is saved.
    browser.execute_script("document.querySelector('[data-chart=coefficients-0]').style.width = '60%'")
    browser.execute_script("window.dispatchEvent(new Event('resize'))")
    browser.execute_async_script("setTimeout(arguments[arguments.length - 1], 300)")
    assert browser.execute_script(SUBSCRIPTS) == found
    svg = browser.execute_script(
        "return window.concordantReport.asSvg(document.querySelector('[data-chart=coefficients-0] svg'))"
    )
    (low,) = re.findall(r"<tspan[^>]*>b</tspan>", svg)
    assert re.search(r'dy="[1-9]', low)
    assert float(re.findall(r'font-size="([0-9.]+)px"', low)[0]) < 10


OVERLAPS = """
const boxes = [...document.querySelectorAll(arguments[0])].map((it) => it.getBoundingClientRect());
const clash = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
const others = arguments[1] ? [...document.querySelectorAll(arguments[1])].map((it) => it.getBoundingClientRect()) : [];
return boxes.flatMap((a, i) => [...boxes.slice(i + 1), ...others].filter((b) => clash(a, b))).length;
"""


PASSED = """
const at = (it, key) => Number(it.getAttribute(key));
const points = [...document.querySelectorAll("#scatter-plot circle")].map((it) => [at(it, "cx"), at(it, "cy")]);
return [...document.querySelectorAll("#scatter-plot .leader")].filter((line) => {
  const [x, y] = [at(line, "x1"), at(line, "y1")], dx = at(line, "x2") - x, dy = at(line, "y2") - y;
  return points.some(([cx, cy]) => {
    if (cx === x && cy === y) return false;
    const parts = Array.from({ length: 51 }, (_, k) => k / 50);
    return parts.some((part) => Math.hypot(x + part * dx - cx, y + part * dy - cy) < 4.5);
  });
}).length;
"""


@pytest.mark.parametrize("width", [1300, 400])
def test_names_lie_on_nothing_and_are_all_different(page: Any, width: int) -> None:
    names = [f"input.team{k % 11}-a-rather-long-name-of-a-run-{k:03d}" for k in range(110)]
    truth, model = made(names, 20, noise=0.3)
    document = documented(truth, model)
    browser = page(document)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.execute_async_script("setTimeout(arguments[arguments.length - 1], 300)")
        assert by_css(browser, "#scatter-plot .name")
        assert browser.execute_script(OVERLAPS, "#scatter-plot .name", "#scatter-plot circle") == 0
        assert browser.execute_script(PASSED) == 0
        browser.execute_script("window.concordantReport.choose(arguments[0])", names[:4])
        assert browser.execute_script(OVERLAPS, "#scatter-plot .name", "#scatter-plot circle") == 0
        by_css(browser, "#clear")[0].click()
        assert len(by_css(browser, "#ranks-plot line")) == 20
        put(browser, zoom="all")
        assert len(by_css(browser, "#ranks-plot line")) == 110
        assert browser.execute_script(OVERLAPS, "#ranks-plot text", "") == 0
        shown = [it.text for it in by_css(browser, "#ranks-plot .name")]
        assert len(set(shown)) == 110
        assert not any("input." in it for it in shown)
        assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_charts_and_tables_can_be_saved(page: Any, small: Any) -> None:
    browser = page(small)
    buttons = [it.get_attribute("aria-label") for it in by_css(browser, ".save")]
    charts, tables = by_css(browser, "figure.chart"), by_css(browser, "table")
    assert len(buttons) == len(set(buttons)) == 2 * len(charts) + len(tables)
    for selector in ("#scatter-plot svg", "[data-chart=ranks-0] svg"):
        svg = browser.execute_script(
            "return window.concordantReport.asSvg(document.querySelector(arguments[0]))", selector
        )
        assert svg.startswith("<svg")
        assert "xmlns=" in svg
        assert "var(" not in svg
        start = browser.execute_async_script(
            "const done = arguments[1]; window.concordantReport.asPng(document.querySelector(arguments[0]))"
            ".then((b) => b.arrayBuffer()).then((b) => done([...new Uint8Array(b)].slice(0, 8).concat(b.byteLength)))",
            selector,
        )
        assert bytes(start[:8]) == b"\x89PNG\r\n\x1a\n"
        assert start[8] > 2_000
    text = browser.execute_script(
        "return window.concordantReport.asCsv(document.querySelector('#systems details.more table'))"
    )
    rows = list(csv.DictReader(io.StringIO(text)))
    (part,) = small["comparisons"]
    by_name = dict(zip(part["systems"], part["candidate_means"], strict=True))
    assert {row["system"]: float(row["mean, model.csv"]) for row in rows} == by_name
    assert browser.execute_async_script(UNPACKED)["scores"] == small["scores"]


@pytest.fixture(scope="module")
def many() -> Any:
    """Eight candidates, which is more than a page shows at once."""
    names = [f"s{k}" for k in range(12)]
    truth, *_ = made(names, 14)
    sides = [made(names, 14, noise=0.05 * (k + 1))[1] for k in range(8)]
    return documented(truth, *sides, names=("people", *(f"judge <{k}>" for k in range(8))))


def test_many_candidates_unfold_and_are_chosen_by_keyboard(page: Any, many: Any) -> None:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    browser = page(many)
    order = [judge["names"][1] for judge in many["ranking"]["judges"]]
    assert [it.text for it in by_css(browser, "#candidates [data-candidate]")][:8] == order
    closed = by_css(browser, "#each details.candidate")[3]
    assert closed.find_elements("css selector", "table") == []
    closed.find_element("css selector", "summary").send_keys(Keys.ENTER)
    WebDriverWait(browser, 30).until(lambda b: len(by_css(b, "#each details[open] [data-drawn=yes]")) >= 8)
    assert "All systems" in closed.get_attribute("textContent")
    assert closed.find_elements("css selector", ".save")
    button = by_css(browser, "#candidates [data-candidate]")[5]
    place = int(button.get_attribute("data-candidate"))
    button.send_keys(Keys.ENTER)
    assert (
        browser.execute_script("return document.getElementById('explore-candidate').selectedOptions[0].text")
        == order[5]
    )
    assert f"tau_b {many['comparisons'][place]['coefficients']['tau_b']:.3f}" in said(browser)


def test_a_picture_without_scores_by_topic_says_so(page: Any) -> None:
    found = cc.compare({"a": 1.0, "b": 2.0, "c": 3.0}, {"a": 1.0, "b": 3.0, "c": 2.0}, rng=1)
    browser = page(found)
    assert "tau_b 0.333" in said(browser)
    assert by_css(browser, "#explore-topics")[0].get_attribute("disabled") == "true"
    assert by_css(browser, "#explore-topics")[0].get_attribute("placeholder") == "no scores by topic"


def test_what_is_printed_has_no_controls_and_fits_on_paper(page: Any, many: Any) -> None:
    browser = page(many)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for selector in (".controls", ".chooser", ".save", "nav"):
            assert not by_css(browser, selector)[0].is_displayed(), selector
        assert by_css(browser, "#scatter-plot svg")[0].is_displayed()
        size = {"width": 720, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        assert browser.execute_script("return document.documentElement.scrollWidth <= 720")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
