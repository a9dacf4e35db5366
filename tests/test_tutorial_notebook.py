"""The notebook of the docs runs from top to bottom and says what it shows; `make figures` writes it anew."""

from __future__ import annotations

import base64
import json
import sys
from importlib import import_module

import pytest

from .pages import ROOT

sys.path.insert(0, str(ROOT / "tools"))
notebook_tool = import_module("notebook")

NOTEBOOK = json.loads(notebook_tool.NOTEBOOK.read_text(encoding="utf-8"))


def text_of(output: dict[str, object]) -> str:
    data = output.get("data")
    lines = data["text/plain"] if isinstance(data, dict) else output["text"]
    assert isinstance(lines, list)
    return "".join(lines)


@pytest.mark.long
def test_every_cell_runs_and_shows_what_the_notebook_holds() -> None:
    pytest.importorskip("matplotlib").use("agg")
    cells = notebook_tool.code_cells(NOTEBOOK)
    made = notebook_tool.outputs_of(["".join(cell["source"]) for cell in cells])
    assert len(cells) >= 8
    for count, (cell, outputs) in enumerate(zip(cells, made, strict=True), start=1):
        assert cell["execution_count"] == count
        assert [text_of(output) for output in outputs] == [text_of(output) for output in cell["outputs"]]
        assert [sorted(output.get("data", {})) for output in outputs] == [
            sorted(output.get("data", {})) for output in cell["outputs"]
        ]


def test_it_is_small_and_its_figures_are_pictures() -> None:
    assert notebook_tool.NOTEBOOK.stat().st_size < 300_000
    figures = [
        output["data"]["image/png"]
        for cell in notebook_tool.code_cells(NOTEBOOK)
        for output in cell["outputs"]
        if "image/png" in output.get("data", {})
    ]
    assert len(figures) >= 3
    assert all(base64.b64decode(figure).startswith(b"\x89PNG") for figure in figures)


def test_the_page_has_every_cell_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("myst_parser")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    page = import_module("notebooks").as_markdown(NOTEBOOK, "notebook.ipynb")
    places = [page.index("".join(cell["source"])) for cell in NOTEBOOK["cells"]]
    assert places == sorted(places)
    assert "Download this page as a notebook" in page
