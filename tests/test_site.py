"""The documentation site builds without a warning, has all that is public, and loads nothing from elsewhere."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

import concordant as cc
from concordant.cli.app import app

from .pages import ROOT

pytestmark = pytest.mark.long


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 600


def test_the_table_of_coefficients_is_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    table = import_module("generated").coefficients()
    assert re.findall(r"^\| `(\w+)` ", table, re.MULTILINE) == [c.name for c in cc.list_coefficients()]


# One test, because the build is what takes time.
def test_the_site_builds_without_a_warning_and_has_everything(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(ROOT / "docs"), str(tmp_path)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    modules = [name for name in cc.__all__ if inspect.ismodule(getattr(cc, name))]
    inside = {f"{module}.{name}" for module in modules for name in getattr(getattr(cc, module), "__all__", ())}
    again = {
        *modules,
        *(f"{module}.{name}" for module in modules for name in cc.__all__),
    }  # those have one place, above
    assert {*cc.__all__, *inside} - again - documented(tmp_path) == set()
    reference = (tmp_path / "reference" / "command-line.html").read_text(encoding="utf-8")
    headings = {re.sub(r"<[^>]*>", "", found) for found in re.findall(r"<h[23]>(.*?)<a ", reference)}
    assert headings == {f"concordant {name}" for name in every_command()}
    for page in tmp_path.rglob("*.html"):
        assert remote(page.read_text(encoding="utf-8")) == [], page.name
    for sheet in tmp_path.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text(encoding="utf-8")), sheet.name


def documented(site: Path) -> set[str]:
    """The public names that the built site has a place for."""
    *_, objects = (site / "objects.inv").read_bytes().split(b"\n", 4)  # after four lines of header
    lines = [line.split() for line in zlib.decompress(objects).decode().splitlines()]
    return {line[0].removeprefix("concordant.") for line in lines if line[1].startswith("py:")}


def every_command() -> list[str]:
    root: Any = typer.main.get_command(app)
    inner = {name: getattr(command, "commands", {}) for name, command in root.commands.items()}
    return [*inner, *(f"{name} {part}" for name, parts in inner.items() for part in parts)]


def remote(html: str) -> list[str]:
    """Whatever the page would fetch from elsewhere; links that a reader follows are none."""
    elsewhere = r"[\"'](?:https?:)?//[^>]*>"
    parts = r"<(?:img|script|iframe|source|video|audio|embed|object)\b[^>]*?\b(?:src|data|srcset)="
    return re.findall(parts + elsewhere + r"|<link\b[^>]*href=" + elsewhere, html)


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example/a.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/a.css">',
        '<img alt="" src="http://a.example/b.png">',
    ],
)
def test_what_comes_from_elsewhere_is_seen(html: str) -> None:
    assert remote(html)
    assert not remote('<a href="https://a.example">a</a><link rel="index" href="genindex.html"><img src="a.png">')
