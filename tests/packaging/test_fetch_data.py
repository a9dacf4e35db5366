"""The way to the real collections, without a network."""

from __future__ import annotations

import gzip
import http.client
import io
import os
import re
import runpy
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests import places

from .all_tests import surroundings
from .building import ROOT

pytestmark = pytest.mark.long

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
    got = tmp_path / "a" / "b.csv"
    assert got.read_bytes() == b"abc\n"

    def fails(error: Exception) -> None:
        def answer(address: str, timeout: float) -> Any:
            raise error

        monkeypatch.setattr(urllib.request, "urlopen", answer)

    fails(urllib.error.URLError("no network"))
    TOOL["fetch"](tmp_path)  # is there
    got.write_bytes(b"abc\n1,2\n")
    with pytest.raises(ValueError, match=rf"^{re.escape(str(got))} is not the file that it was: .* delete it"):
        TOOL["fetch"](tmp_path)
    got.unlink()
    for error in (urllib.error.URLError("no network"), http.client.IncompleteRead(b"ab", 2)):
        fails(error)
        with pytest.raises(ValueError, match=r"run this on a machine with a network, copy .*, and set CONCORDANT_DATA"):
            TOOL["fetch"](tmp_path)


def told(*options: str, data: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *options]
    environment = {**os.environ, "CONCORDANT_DATA": str(data)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_what_comes_with_the_project_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urllib.request, "urlopen", lambda address, timeout: pytest.fail(f"asks for {address}"))
    carried = tuple(file for file in TOOL["FILES"] if file.name.startswith("trec/"))
    monkeypatch.setitem(TOOL["fetch"].__globals__, "FILES", carried)
    TOOL["fetch"](tmp_path / "new")
    for file in carried:
        assert (tmp_path / "new" / file.name).read_bytes() == (ROOT / "data" / file.name).read_bytes()


def test_what_is_missing_is_said_in_one_line(tmp_path: Path) -> None:
    for name in ("trec", "covid1", "dl21", "mteb"):
        (tmp_path / name).mkdir()  # a folder is not enough
    (tmp_path / "mteb" / "eng_v2.csv").touch()
    done = told("--need", "trec", "dl21", "mteb", "covid1", data=tmp_path)
    assert done.returncode == 1
    part = "mteb (without 1 of its 2 files, such as mteb/eng_v2__borda.csv)"
    assert done.stderr.startswith(f"no dl21, {part}, covid1 in {tmp_path}: python tools/fetch_data.py")
    assert done.stderr.count("\n") == 1
    assert told("--need", "trec", "mteb/eng_v2.csv", data=tmp_path).returncode == 0
    wrong = told("--need", "covid2", data=tmp_path)
    assert wrong.returncode == 1
    assert "no collection 'covid2': trec, golden, covid1, dl21, wmt25, mteb, formats" in wrong.stderr


def test_made_collections_say_where_they_come_from_and_have_checksums() -> None:
    sums = TOOL["sums"]()
    assert {name.partition("/")[0] for name in sums} == {"trec", "golden", *TOOL["MADE"]}
    assert all(re.fullmatch("[0-9a-f]{64}", found) for found in sums.values())
    for made in TOOL["MADE"].values():
        assert all(made)


def test_checking(tmp_path: Path, data: Path) -> None:
    assert told("--check", data=data).returncode == 0
    unpacked = gzip.decompress((data / "dl21" / "qrels" / "human.txt.gz").read_bytes())
    (tmp_path / "dl21" / "qrels").mkdir(parents=True)
    for name, content in (("human", unpacked), ("prefs", unpacked)):
        packed = gzip.compress(content, 1)  # other bytes, the same content
        (tmp_path / "dl21" / "qrels" / f"{name}.txt.gz").write_bytes(packed)
    (tmp_path / "dl21" / "qrels" / "binary_gpt4.txt.gz").write_bytes(packed[:-9])
    done = told("--check", data=tmp_path)
    assert done.returncode == 1
    assert "8 of 303 files are there" in done.stdout  # and the five of trec
    assert [line.partition(" is not the file")[0] for line in done.stderr.splitlines()] == [
        str(tmp_path / "dl21" / "qrels" / f"{name}.txt.gz") for name in ("binary_gpt4", "prefs")
    ]


def test_where_the_tests_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCORDANT_DATA", str(tmp_path))
    assert places.collections() == tmp_path.resolve()
    assert places.trec() == ROOT / "data" / "trec"
    (tmp_path / "trec").mkdir()
    assert places.trec() == tmp_path.resolve() / "trec"


def test_packages_are_tested_on_what_the_tree_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONCORDANT_DATA", "here")
    assert surroundings(tmp_path, pure=True)["CONCORDANT_DATA"] == str(tmp_path.resolve() / "here")
    monkeypatch.delenv("CONCORDANT_DATA")
    monkeypatch.setattr(places, "PROJECT", tmp_path / "project")
    assert "CONCORDANT_DATA" not in surroundings(tmp_path, pure=True)  # so that their tests are skipped
    beside = places.places()[-1]
    (beside / "formats").mkdir(parents=True)
    assert surroundings(tmp_path, pure=True)["CONCORDANT_DATA"] == str(beside)


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
