"""The way to pip where Python came without it."""

from __future__ import annotations

import runpy

import pytest

from .building import ROOT

pytestmark = pytest.mark.long

newest = runpy.run_path(str(ROOT / "tools" / "get_pip.py"))["newest"]


def link(name: str, more: str = "") -> str:
    return f'<a href="https://host/{name}#sha256=0{len(name)}" {more}>{name}</a><br/>'


def test_the_newest_release_that_this_python_can_use() -> None:
    page = (
        link("pip-9.0.1-py2.py3-none-any.whl")
        + link("pip-9.3-py3-none-any.whl")
        + link("pip-25.1-py3-none-any.whl", 'data-requires-python="&gt;=3.9"')
        + link("pip-25.2.tar.gz")
        + link("pip-25.3rc1-py3-none-any.whl")
        + link("pip-26.0-py3-none-any.whl", 'data-yanked="broken"')
        + link("pip-27.0-py3-none-any.whl", 'data-requires-python="&gt;=3.99"')
    )
    assert newest(page) == ("https://host/pip-25.1-py3-none-any.whl", "025")


def test_a_page_without_a_release_is_refused() -> None:
    with pytest.raises(LookupError, match="no pip"):
        newest("<html>sign in</html>")
