"""The way to the real collections, without a network."""

from __future__ import annotations

import io
import os
import runpy
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from .building import ROOT

SCRIPT = ROOT / "tools" / "fetch_data.py"
TOOL = runpy.run_path(str(SCRIPT))
FILE = TOOL["File"]("a/b.csv", "owner/name", "0" * 40, "x.csv", "", "free", 2)
TWO = "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb"  # of abc\n


def test_what_is_fetched_is_what_it_was() -> None:
    assert TOOL["fetched"](FILE._replace(sha256=TWO, lines=1), b"abc\nmore\n") == b"abc\n"
    with pytest.raises(ValueError, match=r"owner/name.* is not the file that it was"):
        TOOL["fetched"](FILE._replace(sha256=TWO), b"abd\n")


def test_every_file_says_where_it_comes_from() -> None:
    for file in TOOL["FILES"]:
        assert len(file.sha256) == 64
        assert len(file.commit) == 40
        assert file.licence


def test_what_comes_with_the_project_is_what_it_was() -> None:
    carried = [file for file in TOOL["FILES"] if file.name.startswith("trec/")]
    assert len(carried) == len(list((ROOT / "data" / "trec").glob("*.csv"))) == 5
    for file in carried:
        TOOL["fetched"](file, (ROOT / "data" / file.name).read_bytes())


def test_fetching_and_checking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TOOL["fetch"].__globals__, "FILES", (FILE._replace(sha256=TWO, lines=1),))
    monkeypatch.setattr(urllib.request, "urlopen", lambda address, timeout: io.BytesIO(b"abc\nmore\n"))
    TOOL["fetch"](tmp_path)
    assert (tmp_path / "a" / "b.csv").read_bytes() == b"abc\n"

    def unreachable(address: str, timeout: float) -> Any:
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(urllib.request, "urlopen", unreachable)
    TOOL["fetch"](tmp_path)  # is there
    (tmp_path / "a" / "b.csv").unlink()
    with pytest.raises(SystemExit, match=r"run this on a machine with a network, copy .*, and set CONCORDANT_DATA"):
        TOOL["fetch"](tmp_path)


def test_what_is_missing_is_said_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--need", "trec", "dl21"]
    (tmp_path / "trec").mkdir()
    environment = {**os.environ, "CONCORDANT_DATA": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1
    assert done.stderr.startswith(f"no dl21 in {tmp_path}: python tools/fetch_data.py")
    assert done.stderr.count("\n") == 1


def test_no_file_refers_to_a_folder_beside_the_project() -> None:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=False, cwd=ROOT)
    if listed.returncode:
        pytest.skip("not a clone: what belongs to the project cannot be listed")
    beside = "sha" + "red"  # not to find this line
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if name == "tests/places.py":  # the one place that looks there, after all others
            continue
        if path.suffix in (".py", ".md", ".toml", ".yml", ".txt", "") and path.is_file():
            text = path.read_text(encoding="utf-8")
            assert f"../{beside}" not in text, name
            assert f'"{beside}" / "data"' not in text, name
            assert f"{beside}/data" not in text, name
