"""What README and docs say is so: every code block runs, and every link leads somewhere.

A page is run from top to bottom in a folder of its own that holds people.csv, careful.csv and hasty.csv:

- `python`: with prompts a doctest, whose output counts; without, it has to run.
- `console`: the lines after `$` are run; the lines that follow are the whole answer, where `...` on a line of its own
  stands for any number of lines. An answer that begins with "concordant: " is an error, and the command has to fail.
- `text` and other languages that nothing can run: left alone.
"""

from __future__ import annotations

import contextlib
import csv
import doctest
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from concordant import cli
from concordant.data.collection import NAMES, path

from .pages import PAGES, ROOT, Block, anchors, blocks, indented, links

RUN = {"python", "console"}
LEFT_ALONE = {
    "text",
    "json",
    "yaml",
    "bibtex",
    "csv",
    "latex",
    "markdown",
    "{toctree}",
    "{names}",
    "{math}",
    "{note}",
    "{tip}",
}
NOT_RUN: dict[str, int] = {}
"""How many blocks of a page are marked as not to be run; each mark has its reason."""

TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
LONG = tuple(f"docs/{part}" for part in ("guide", "how-to", "measured", "papers", "reference", "theory", "tutorial"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        (tmp_path / f"{name}.csv").write_bytes(path(name).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.long] * page.startswith(LONG)) for page in PAGES]
)
def test_every_block_runs(page: str, folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        for block in blocks(page):
            if block.language == "python" and block.run:
                run_python(block, page, names)
            elif block.language == "console" and block.run:
                run_console(block, page)
        for made in folder.glob("*.svg"):
            shown = ROOT / "docs" / "images" / made.name
            if shown.exists():
                assert words_in(made) == words_in(shown), f"{made.name} is not what {page} makes: run make figures"
    finally:
        import_module("matplotlib.pyplot").close("all")


def words_in(picture: Path) -> list[str]:
    """The words and numbers that a picture shows."""
    return re.findall(r"<text[^>]*>([^<]+)</text>", picture.read_text(encoding="utf-8"))


def test_every_picture_of_the_docs_is_made_beside_it() -> None:
    pictures = {path.stem for path in (ROOT / "docs" / "images").glob("*.svg")}
    made = {
        name
        for page in PAGES
        for block in blocks(page)
        for name in re.findall(r"([\w-]+)\.svg", block.code if block.language in RUN else "")
    }
    assert pictures - made == set()


def test_the_summary_and_figures_of_measurements_are_of_their_cells(tmp_path: Path) -> None:
    made = runpy.run_path(str(ROOT / "tools" / "measured.py"))
    folder = ROOT / "docs" / "measured"
    with (folder / "coverage.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == made["summary"](), (
            "coverage.csv is older than its cells: run tools/measured.py"
        )
    made["draw_study"](tmp_path)
    for name, claims in made["FIGURES"].items():
        made["draw"](name, claims, tmp_path)
    for name in (*made["FIGURES"], "sigir2016-study"):
        assert words_in(tmp_path / f"{name}.svg") == words_in(folder / f"{name}.svg"), f"run tools/measured.py: {name}"


def run_python(block: Block, page: str, names: dict[str, Any]) -> None:
    if not block.code.lstrip().startswith(">>>"):
        exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.code, names, page, page, block.line - 1)
    told: list[str] = []
    found = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=told.append, clear_globs=False)
    names.update(test.globs)
    assert found.attempted > 0
    assert found.failed == 0, "".join(told)


def run_console(block: Block, page: str) -> None:
    for line, command, expected in commands(block):
        place = f"{page}:{line}: {command}"
        if of_the_repository(command):
            continue
        status, answer = run(command)
        if expected:
            fails = expected[0].startswith("concordant: ")
            assert matches(answer.rstrip().split("\n"), expected), f"{place} answers\n{answer}"
            assert (status != 0) is fails, f"{place} has the exit status {status}"
        else:
            assert status == 0, f"{place} has the exit status {status}\n{answer}"


def commands(block: Block) -> list[tuple[int, str, list[str]]]:
    """Number of the line, command and expected answer of each `$` line."""
    found: list[tuple[int, str, list[str]]] = []
    for line, text in enumerate(block.code.rstrip("\n").split("\n"), block.line):
        if text.startswith("$ "):
            found.append((line, text[2:], []))
        elif found and found[-1][1].endswith("\\") and not found[-1][2]:
            found[-1] = (found[-1][0], found[-1][1][:-1] + text.strip(), [])
        else:
            assert found, f"a console block begins with {text!r}, not with '$ '"
            found[-1][2].append(text.rstrip())
    return [(line, re.sub(r"\s+# .*", "", command), trimmed(answer)) for line, command, answer in found]


def trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def of_the_repository(command: str) -> bool:
    """What takes too long to run here, or would install something; the target or file that it names must exist."""
    words = shlex.split(command)
    while words and "=" in words[0]:
        words = words[1:]
    if words[0] == "make":
        unknown = {word for word in words[1:] if "=" not in word} - TARGETS
        assert not unknown, f"the Makefile has no target {', '.join(unknown)}"
        return True
    if words[0] in (".venv/bin/python", "python") and words[1].endswith(".py"):
        assert (ROOT / words[1]).is_file(), f"{words[1]} does not exist"
        return True
    return words[:2] in (["pip", "install"], ["git", "clone"])


def run(command: str) -> tuple[int, str]:
    """Exit status and answer. Without pipes and redirection in this process, which spares the start."""
    words = shlex.split(command, comments=True)
    if words[0] != "concordant" or re.search(r"[|<>&;*]", command):
        found = Path(sys.executable).parent
        environment = {**os.environ, "PATH": f"{found}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, env=environment)
        return done.returncode, done.stdout + done.stderr
    answer = io.StringIO()
    status: Any = 0
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(answer), contextlib.redirect_stderr(answer):
        patch.setattr(sys, "argv", words)
        try:
            cli.main()
        except SystemExit as end:
            status = end.code or 0
    return int(status), answer.getvalue()


def matches(answer: list[str], expected: list[str]) -> bool:
    pattern = "\n".join(r"(?s:.*)" if line.strip() == "..." else re.escape(line) for line in expected)
    pattern = pattern.replace("\n(?s:.*)", r"(?:\n(?s:.*))?").replace("(?s:.*)\n", r"(?:(?s:.*)\n)?")
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in answer)) is not None


@pytest.mark.parametrize("page", PAGES)
def test_no_code_escapes_the_tests(page: str) -> None:
    for block in blocks(page):
        place = f"{page}:{block.line}"
        assert block.language in RUN | LEFT_ALONE, f"{place}: a block called {block.language!r} would not be tested"
        if block.language.startswith("{"):
            assert "```" not in block.code, f"{place}: code inside {block.language} would not be tested"
        if block.language in LEFT_ALONE:
            assert not re.search(r"^(\$|>>>|import concordant)", block.code, re.MULTILINE), (
                f"{place} looks as if it could run"
            )
    assert not indented(page), f"{page}: a paragraph that is indented by four blanks: code needs a fence"
    assert sum(not block.run for block in blocks(page)) == NOT_RUN.get(page, 0)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in links(page):
        if re.match(r"https?://", link):
            continue
        target, _, anchor = link.partition("#")
        file = (ROOT / page).parent / target if target else ROOT / page
        assert file.exists(), f"{page} links to {link}, which does not exist"
        if anchor:
            assert anchor in anchors(str(file.resolve().relative_to(ROOT))), f"{page}: {link} has no such heading"


def test_pages_that_code_names_exist() -> None:
    sources = [file for part in ("src", "tests", "benchmarks", "examples") for file in (ROOT / part).rglob("*.py")]
    for file in (*sources, ROOT / "Makefile"):
        for named in re.findall(r"\bdocs/[\w/-]+\.md\b", file.read_text(encoding="utf-8")):
            assert (ROOT / named).is_file(), f"{file.relative_to(ROOT)} names {named}, which does not exist"


@pytest.mark.parametrize("page", PAGES)
def test_modules_that_pages_name_exist(page: str) -> None:
    for named in re.findall(r"`([\w-]+/[\w/-]+\.py)`", (ROOT / page).read_text(encoding="utf-8")):
        assert any((ROOT / part / named).is_file() for part in ("", "src/concordant")), f"{page} names {named}"


@pytest.mark.parametrize(
    ("answer", "expected", "same"),
    [
        ("a\nb", "a\nb", True),
        ("a \nb", "a\nb", True),
        ("a\nb", "a", False),
        ("a\nb\nc", "a\n...\nc", True),
        ("a\nc", "a\n...\nc", True),
        ("a\nb\nc", "a\n...", True),
        ("a\nb\nc", "...\nc", True),
        ("a\nb\nc", "a\n...\nb", False),
        ("0x5", "0.5", False),
    ],
)
def test_answers_are_compared_line_by_line(answer: str, expected: str, same: bool) -> None:
    assert matches(answer.split("\n"), expected.split("\n")) is same


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", ">>> 1 + 1\n3\n"),
        ("python", "import warnings\nwarnings.warn('mind')\n"),
        ("console", "$ concordant cite tau\n@book{another}\n"),
        ("console", "$ concordant cite nothing\n"),
        ("console", "$ ls people.csv\nhasty.csv\n"),
        ("console", "$ make a-target-that-is-not-there\n"),
        ("console", "$ concordant cite tau\nconcordant: an error\n"),
    ],
)
def test_wrong_blocks_fail(language: str, code: str, folder: Path) -> None:
    block = Block(language, code, 1, run=True)
    with pytest.raises((AssertionError, UserWarning)):
        run_python(block, "page", {}) if language == "python" else run_console(block, "page")
