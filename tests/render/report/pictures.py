"""Reports of each size in each form, as pictures without text: small, and the same with other fonts and browsers.

`python -m tests.render.report.pictures` makes the pictures again that `test_pictures` compares with. Look at the
pages first.
"""

from __future__ import annotations

import base64
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

import concordant as cc
from concordant.render.report import page
from concordant.render.report.document import document_of

from .conftest import chromium, documented, made, ready

BASELINE = Path(__file__).parent / "baseline"
BLOCKS = BASELINE / "blocks.json"
SMALL = 8  # pixels of the page to one of a picture
TALLEST = 12_000  # pixels of the page that are looked at; a browser draws no more than 16,384 at once
NEAR = 2  # pixels of a picture within which its like may be: fonts differ, and so do the margins of charts
INK = 0.08  # of the way from black to white
FEW = 0.1  # of the pixels with ink that may be without their like
PRINTED = 720  # pixels: the width of a page of paper

# Charts, tables and whatever else has a place of its own, by name, where it is seen.
SEEN = """
const found = [];
for (const it of document.querySelectorAll("header, section, .tiles, .controls, .plot, .scroll")) {
  const box = it.getBoundingClientRect();
  if (!box.height || it.closest("details:not([open])")) continue;
  const plot = it.matches(".plot") && "chart " + it.firstElementChild.getAttribute("aria-label");
  const table = it.matches(".scroll") && "table " + it.querySelector("caption").firstChild.textContent;
  const name = plot || table || it.id || it.tagName + it.className;
  found.push([name, box.left + scrollX, box.top + scrollY, box.width, box.height]);
}
return found;
"""
# Text whose colour is too near to that of its ground: 4.5 is what WCAG asks for.
FAINT = """
const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
const part = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
function ground(it) {
  for (; it; it = it.parentElement) {
    const colour = numbers(getComputedStyle(it).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
}
const found = new Set();
for (const it of document.querySelectorAll("body *:not(script):not(title)")) {
  const own = [...it.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  if (!own || !it.getClientRects().length) continue;
  const style = getComputedStyle(it), inDrawing = it.closest("svg");
  const pair = [light(numbers(inDrawing ? style.fill : style.color)), light(ground(it))].sort((a, b) => b - a);
  if ((pair[0] + 0.05) / (pair[1] + 0.05) < 4.5) found.add(it.tagName + "." + it.getAttribute("class"));
}
return [...found];
"""
# Neither text nor scroll bars, which differ between machines.
NO_TEXT = """
const style = document.createElement("style");
style.textContent = "svg text { display: none; } * { scrollbar-color: transparent transparent; } " +
  "*, *::before, *::after, *::placeholder { color: transparent !important; }";
document.head.append(style);
"""


def _crowd(count: int) -> Any:
    """One candidate, and names with much in common."""
    names = [f"team{k % 11}-a-rather-long-name-of-a-run-{k:03d}" for k in range(count)]
    truth, model = made(names, 20)
    found = cc.compare(truth, model, names=("people", "model"), worth=False, rng=1)
    return document_of(found)


def _many(count: int, n_systems: int) -> Any:
    names = [f"system-{k}" for k in range(n_systems)]
    truth, _ = made(names, 12)
    sides = [made(names, 12, noise=0.02 + 0.4 * k / count)[1] for k in range(count)]
    return document_of(cc.compare(truth, {f"judge-{k}": side for k, side in enumerate(sides)}, rng=1))


def _judges(*judges: str) -> Any:
    return documented(*map(cc.load_collection, ("people", *judges)), names=("people", *judges))


DOCUMENTS: dict[str, Callable[[], Any]] = {
    "one": lambda: _judges("hasty"),
    "two": lambda: _judges("careful", "hasty"),
    "six": lambda: _many(6, 20),
    "hundred": lambda: _many(100, 10),
    "systems-110": lambda: _crowd(110),
    "systems-240": lambda: _crowd(240),
}
FORMS = {"light": (1300, "light"), "dark": (1300, "dark"), "narrow": (400, "light"), "print": (PRINTED, "print")}
SHOTS = [
    *(("one", form) for form in FORMS),
    ("two", "print"),
    ("six", "dark"),
    ("six", "narrow"),
    ("hundred", "light"),
    ("hundred", "print"),
    ("systems-110", "narrow"),
    ("systems-110", "print"),
    ("systems-240", "light"),
]


@cache
def page_of(name: str) -> str:
    """The report as HTML, made once."""
    return page.page_of(DOCUMENTS[name]())


@dataclass(frozen=True)
class Shot:
    """What a page looks like: a small grey picture, the places of its blocks in it, and what is wrong in any case."""

    picture: npt.NDArray[np.float64]
    blocks: dict[str, list[float]]
    width: int
    widest: int
    faint: list[str]

    def cut(self, key: str) -> npt.NDArray[np.float64]:
        """The picture of a block; nothing where it lies below what was looked at."""
        x, y, width, height = self.blocks[key]
        left, top = (max(0, round(v / SMALL)) for v in (x, y))
        return self.picture[top : top + max(1, round(height / SMALL)), left : left + max(1, round(width / SMALL))]


def form_of(browser: Any, form: str, height: int = 900) -> None:
    """Set the width, and light, dark or paper."""
    width, kind = FORMS[form]
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if kind == "dark" else "light"}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"media": "print" if kind == "print" else "", "features": scheme}
    )


def opened(browser: Any, source: str, folder: Path, form: str) -> None:
    """Open a page in a form of its own, in a window that shows all of it. What is printed was on a screen before."""
    target = folder / "report.html"
    target.write_text(source, encoding="utf-8")
    form_of(browser, "light" if form == "print" else form)
    browser.get(target.as_uri())
    ready(browser)
    for height in (900, None):  # charts follow the width, and the height follows the charts
        tall = browser.execute_script("return document.documentElement.scrollHeight")
        form_of(browser, form, height or min(tall, TALLEST))
        browser.execute_async_script("setTimeout(arguments[arguments.length - 1], 400)")


def shot(browser: Any, form: str) -> Shot:
    """Look at the page that is open."""
    faint = browser.execute_script(FAINT)
    seen = {key: box for key, *box in browser.execute_script(SEEN)}
    widest, tall = browser.execute_script(
        "const root = document.documentElement; return [root.scrollWidth, root.scrollHeight]"
    )
    browser.execute_script(NO_TEXT)
    width = FORMS[form][0]
    clip = {"x": 0, "y": 0, "width": width, "height": min(tall, TALLEST), "scale": 1}
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})  # all is in the window
    png = base64.b64decode(taken["data"])
    grey = Image.open(io.BytesIO(png)).convert("L").reduce(SMALL)
    return Shot(np.asarray(grey, dtype=float) / 255, seen, width, widest, faint)


def stored(name: str, form: str) -> Shot:
    """The same when it was looked at."""
    kept = json.loads(BLOCKS.read_text())[f"{name}-{form}"]
    grey = np.asarray(Image.open(BASELINE / f"{name}-{form}.png").convert("L"), dtype=float) / 255
    return Shot(grey, kept, FORMS[form][0], FORMS[form][0], [])


def complaints(now: Shot, before: Shot) -> Iterator[str]:
    """What differs, in the words of whoever has to mend it."""
    if now.widest > now.width:
        yield f"the page is {now.widest} pixels wide, of {now.width}"
    yield from (f"too faint to be read: {it}" for it in now.faint)
    if abs(now.picture[0, 0] - before.picture[0, 0]) > INK:
        yield "the paper has another colour"
    yield from (f"gone: {key}" for key in before.blocks if key not in now.blocks)
    yield from (f"new: {key}" for key in now.blocks if key not in before.blocks)
    for key in [key for key in before.blocks if key in now.blocks]:
        height, was = now.blocks[key][3], before.blocks[key][3]
        if abs(height - was) > 24 + 0.2 * was:
            yield f"{key} is {height:.0f} pixels high, and was {was:.0f}"
        elif key.startswith(("chart", "table")):
            share = unlike(now.cut(key), before.cut(key))
            if share > FEW:
                yield f"{key} looks different: {share:.0%} of it has no like"


def unlike(now: npt.NDArray[np.float64], before: npt.NDArray[np.float64]) -> float:
    """The share of pixels with ink, in either picture, that have no ink near their place in the other.

    A line that lies elsewhere within its pixels, or in another one beside them, is the same line.
    """
    if not now.size or not before.size:
        return float(now.size != before.size)
    paper = float(np.median(before))
    before, now = (_inside(side, paper) for side in (before, now))
    size = before.shape[1], before.shape[0]
    grey = Image.fromarray((255 * now).astype(np.uint8)).resize(size, Image.Resampling.BOX)
    scaled = np.asarray(grey, dtype=float) / 255
    inked = missing = 0
    for one, other in ((scaled, before), (before, scaled)):
        wide = np.pad(other, NEAR, mode="edge")
        around = np.lib.stride_tricks.sliding_window_view(wide, (2 * NEAR + 1, 2 * NEAR + 1))
        ink = np.abs(one - paper) > INK
        most = np.abs(around - paper).max(axis=(2, 3))
        inked += int(ink.sum())
        missing += int((ink & (most < 0.5 * np.abs(one - paper))).sum())
    return missing / max(inked, 1)


def _inside(picture: npt.NDArray[np.float64], paper: float) -> npt.NDArray[np.float64]:
    """Without the margins, which are as wide as the text that stood there."""
    ink = np.abs(picture - paper) > INK
    if not ink.any():
        return picture
    (top, bottom), (left, right) = ((at.min(), at.max() + 1) for at in (np.flatnonzero(ink.any(k)) for k in (1, 0)))
    return picture[top:bottom, left:right]


if __name__ == "__main__":
    BASELINE.mkdir(exist_ok=True)
    kept = {}
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder) / "profile") as browser:
        for name, form in SHOTS:
            opened(browser, page_of(name), Path(folder), form)
            seen = shot(browser, form)
            Image.fromarray((255 * seen.picture).astype(np.uint8)).save(BASELINE / f"{name}-{form}.png", optimize=True)
            kept[f"{name}-{form}"] = {key: [round(v) for v in box] for key, box in seen.blocks.items()}
            print(f"{name}-{form}", seen.faint or "", "" if seen.widest <= seen.width else f"{seen.widest} wide")
    BLOCKS.write_text(json.dumps(kept, separators=(",", ":"), ensure_ascii=False) + "\n")
