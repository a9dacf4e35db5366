"""Make the pictures of the docs again, by the commands and the Python that stand beside them: `make figures`.

Every page is run as the tests run it; a .svg file that it writes, and that docs/images has, takes its place. The tests
compare the words and numbers in both.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.pages import PAGES, blocks  # noqa: E402
from tests.test_docs import run_console, run_python  # noqa: E402

from concordant.data.collection import NAMES, path  # noqa: E402


def main() -> None:
    """Say which pictures were made."""
    for page in PAGES:
        if ".svg" not in (ROOT / page).read_text(encoding="utf-8"):
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
            os.chdir(ROOT)
            for made in sorted(Path(folder).glob("*.svg")):
                (ROOT / "docs" / "images" / made.name).write_bytes(made.read_bytes())
                print(f"docs/images/{made.name}: {page}")


if __name__ == "__main__":
    main()
