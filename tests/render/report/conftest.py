"""Documents to report on, and a real browser to open the reports in."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.render.report.document import document_of
from concordant.render.report.page import page_of

LONG = "x" * 200
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"quoted\" & 'quoted'",
    "emoji 🙂 \u202e right to left",
    "شبكة عصبية",
    LONG + "a",
    LONG + "b",
    "__proto__",
    "javascript:alert(1)",
    "datum.system ? 1 : {{7*7}}",
    "line\nbreak\ttab \x00 \x1b[31m",
    "plain",
]
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1366,900"
)


def made(names: list[str], n_topics: int, seed: int = 1, noise: float = 0.1) -> tuple[cc.Scores, cc.Scores]:
    """Two sides that agree in part."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.7, 0.3, len(names))
    truth = np.clip(quality + rng.normal(0, 0.15, (n_topics, len(names))), 0, 1)
    candidate = np.clip(truth + rng.normal(0, noise, truth.shape) + rng.normal(0, 0.03, len(names)), 0, 1)
    topics = [f"t{k}" for k in range(n_topics)]
    return cc.Scores(truth, topics, names, "nDCG@10"), cc.Scores(candidate, topics, names, "nDCG@10")


def documented(truth: cc.Scores, *candidate: cc.Scores, names: tuple[str, ...] = ("people.csv", "model.csv")) -> Any:
    """A document with few resamples."""
    return document_of(cc.compare(truth, list(candidate), names=names, n_resamples=500, rng=1))


@pytest.fixture(scope="session")
def document() -> Any:
    """The demonstration's hasty judge, who ties some systems."""
    return documented(cc.load_collection("people"), cc.load_collection("hasty"), names=("people.csv", "hasty.csv"))


@pytest.fixture(scope="session")
def two() -> Any:
    """Both judges of the demonstration."""
    sides = [cc.load_collection(name) for name in ("people", "careful", "hasty")]
    return documented(*sides, names=("people.csv", "careful.csv", "hasty.csv"))


@pytest.fixture(scope="session")
def hostile() -> Any:
    """Names that try to be markup, script or trouble, also for the sides and the topics."""
    truth, candidate = made(HOSTILE, 30)
    topics = [f"<b>{k}</b>" for k in range(30)]
    truth, candidate = (cc.Scores(s.values, topics, s.systems, "<i>map</i>") for s in (truth, candidate))
    return documented(truth, candidate, names=("<script>alert('truth')</script>.csv", "a&b\"c'.csv"))


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """Headless Chromium without a network."""
    where = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if not all(where):
        sys.stderr.write("\nNO BROWSER: the report is not tested in one; `make browser` installs chromium as root\n")
        pytest.skip("NO BROWSER: chromium or chromedriver is missing; `make browser` installs them as root")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(where[0])
    for flag in [*FLAGS.split(), f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(where[1])))
    driver.set_script_timeout(60)
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The browser that all tests share."""
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


def ready(browser: Any) -> None:
    """Wait until the script of the page has run."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 90).until(
        lambda b: b.execute_script("return document.documentElement.dataset.ready") == "yes"
    )


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Any:
    """Open the page of a document; any complaint of the browser, and any request but for the file, is a failure."""

    def opened(document: Any) -> Any:
        target = tmp_path / "report.html"
        target.write_text(page_of(document), encoding="utf-8")
        browser.get_log("browser"), browser.get_log("performance")
        browser.get(target.as_uri())
        ready(browser)
        return browser

    yield opened
    complaints = [entry["message"] for entry in browser.get_log("browser")]
    assert complaints == []
    assert requests_of(browser) <= {"file", "data"}
    browser.get("about:blank")


def requests_of(browser: Any) -> set[str]:
    """The schemes of everything that the browser asked for."""
    import json

    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    return {url.partition(":")[0] for url in urls}
