"""Make the pictures of the docs again, by the commands and the Python that stand beside them: `make figures`.

Every page is run as the tests run it; a .svg file that it writes, and that docs/images has, takes its place. The tests
compare the words and numbers in both.
"""

from __future__ import annotations

import base64
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import pytest  # noqa: E402
from tests.pages import PAGES, blocks  # noqa: E402
from tests.test_docs import run, run_console, run_python  # noqa: E402

from concordant.data.collection import NAMES, path  # noqa: E402


def _picture(folder: Path) -> None:
    """The top of a report, as Chromium shows it."""
    from PIL import Image
    from tests.render.report.conftest import chromium
    from tests.render.report.pictures import opened

    with chromium(folder / "profile") as browser:
        opened(browser, (folder / "report.html").read_text(encoding="utf-8"), folder, "light")
        clip = {"x": 0, "y": 0, "width": 1300, "height": 900, "scale": 1}
        taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
    Image.open(io.BytesIO(base64.b64decode(taken["data"]))).convert("P", palette=Image.Palette.ADAPTIVE).save(
        ROOT / "docs" / "images" / "report-verdict.png", optimize=True
    )


def _screen() -> None:
    """The first screen, as a terminal shows it."""
    from matplotlib import pyplot

    command = "concordant compare people.csv hasty.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        answer = run(command)[1].rstrip()
    verdict, _, rest = answer.partition("\n")
    height = 0.17 * (answer.count("\n") + 3)
    figure = pyplot.figure(figsize=(7.2, height), facecolor="#1e1e1e")
    shown: dict[str, Any] = {
        "family": "DejaVu Sans Mono",
        "fontsize": 9,
        "va": "top",
        "color": "#e6e6e6",
        "linespacing": 1.25,
    }
    top = 1 - 0.08 / height
    figure.text(0.02, top, f"$ {command}", **shown | {"color": "#8fd18f"})
    figure.text(0.02, top - 0.17 / height, verdict, **shown, weight="bold")
    figure.text(0.02, top - 0.34 / height, rest, **shown)
    figure.savefig(ROOT / "docs" / "images" / "first-screen.png", dpi=150, facecolor=figure.get_facecolor())
    pyplot.close(figure)


def main() -> None:
    """Say which pictures were made."""
    for page in PAGES:
        source = (ROOT / page).read_text(encoding="utf-8")
        if not any(name in source for name in (".svg", "first-screen.png")):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for name in NAMES:
                (Path(folder) / f"{name}.csv").write_bytes(path(name).read_bytes())
            os.chdir(folder)
            names: dict[str, object] = {"__name__": "__main__"}
            for block in blocks(page):
                if block.language == "python" and block.run:
                    run_python(block, page, names)
                elif block.language == "console" and block.run:
                    run_console(block, page)
            if "first-screen.png" in source:
                _screen()
                run("concordant compare people.csv hasty.csv -q --html report.html")
                _picture(Path(folder))
            os.chdir(ROOT)
            for made in sorted(Path(folder).glob("*.svg")):
                (ROOT / "docs" / "images" / made.name).write_bytes(made.read_bytes())
                print(f"docs/images/{made.name}: {page}")


if __name__ == "__main__":
    main()
