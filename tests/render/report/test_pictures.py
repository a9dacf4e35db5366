"""Reports beside pictures of them that were looked at: what vanishes or breaks is seen, another font is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .pictures import BASELINE, BLOCKS, SHOTS, Shot, complaints, form_of, opened, page_of, shot, stored

pytestmark = pytest.mark.long

FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif'


@pytest.fixture
def look(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens a report in a form, breaks it by a script, and says what differs from the picture."""

    def found(name: str, form: str, broken: str = "", source: str = "") -> list[str]:
        opened(browser, source or page_of(name), tmp_path, form)
        browser.execute_script(broken)
        now: Shot = shot(browser, form)
        return list(complaints(now, stored(name, form)))

    yield found
    form_of(browser, "light")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get("about:blank")


@pytest.mark.parametrize(("name", "form"), SHOTS, ids=map("-".join, SHOTS))
def test_looks_as_it_did(look: Any, name: str, form: str) -> None:
    told = look(name, form)
    assert told == [], "look at the page, then at tests/render/report/pictures.py"


@pytest.mark.parametrize("font", ["Liberation Serif", "DejaVu Sans Mono"])
def test_another_font_is_no_difference(look: Any, font: str) -> None:
    source = page_of("one")
    assert source.count(FONT) == 2  # of text and of drawings
    assert look("one", "light", source=source.replace(FONT, f"'{font}'")) == []


def test_what_vanishes_is_seen(look: Any) -> None:
    told = look("one", "light", "document.querySelector('.tiles').remove(); document.querySelector('.grid').remove()")
    assert "gone: DIVtiles" in told
    assert [it for it in told if it.startswith("gone: table Largest moves")]
    assert [it for it in told if it.startswith("gone: chart Ranks by people")]


def test_every_chart_that_is_empty_is_seen(look: Any) -> None:
    marks = ".plot line, .plot circle"
    told = look("one", "light", f"document.querySelectorAll('{marks}').forEach((it) => it.remove())")
    charts = [key for key in stored("one", "light").blocks if key.startswith("chart")]
    assert len(charts) == 2
    for key in charts:
        assert any(it.startswith(f"{key} looks different") for it in told), key


def test_a_table_without_rows_is_seen(look: Any) -> None:
    told = look("one", "light", "document.querySelectorAll('tbody tr').forEach((it) => it.remove())")
    assert any(it.startswith("table Largest moves") for it in told)


def test_a_dark_page_that_is_white_is_seen(look: Any) -> None:
    assert "the paper has another colour" in look("one", "dark", "document.documentElement.dataset.theme = 'light'")
    told = look("one", "dark", "document.documentElement.style.setProperty('--ink', '#303840')")
    assert "too faint to be read: text." in told


@pytest.mark.parametrize("form", ["light", "narrow", "print"])
def test_a_page_that_is_too_wide_is_seen(look: Any, form: str) -> None:
    wide = "const it = document.createElement('div'); it.style.width = '1400px'; it.textContent = 'x';"
    told = look("one", form, wide + "document.querySelector('main').append(it)")
    assert any("pixels wide" in it for it in told)


def test_pictures_are_small_and_none_is_left_over() -> None:
    files = [file for file in BASELINE.iterdir() if file != BLOCKS]
    assert {file.stem for file in files} == set(map("-".join, SHOTS))
    assert sum(file.stat().st_size for file in BASELINE.iterdir()) < 400_000
