"""--help: commands in groups, one line each, with an example that works and no word of Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from concordant.cli.app import app
from concordant.collection import NAMES, path

from .commands import bad, good, run


def commands(group: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *names, name)
        else:
            yield (*names, name), command


COMMANDS = {" ".join(names): command for names, command in commands(typer.main.get_command(app))}


def example(command: Any) -> str:
    return str(command.help.split("Example: ")[1].replace("\n", " "))


def test_commands_are_in_groups_one_line_each() -> None:
    text = run("--help", columns=80).stdout
    groups = ["Compare:", "Judges:", "Ranks and boards:", "Topics:", "Judgments:", "Files and help:"]
    assert [line for line in text.splitlines() if line in groups] == groups
    after = text[text.index("Compare:") :].splitlines()
    lines = [line for line in after if line.startswith("  ")]
    top: Any = typer.main.get_command(app)
    assert sorted(line.split()[0] for line in lines) == sorted(top.commands)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example_and_speaks_of_no_types(name: str) -> None:
    text = run(*name.split(), "--help", columns=80).stdout
    assert max(map(len, text.splitlines())) <= 80
    for word in ("<str>", "<int", "<float", "list[", "<path>", "x>=", "<="):
        assert word not in text
    assert example(COMMANDS[name]).startswith(f"concordant {name}")


@pytest.mark.parametrize(
    "name",
    [name for name, c in COMMANDS.items() if not any(x in example(c) for x in ("runs/", ".json", "adhoc", "battles"))],
)
def test_examples_work(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if name != "demo":
        for judge in NAMES:
            (tmp_path / f"{judge}.csv").write_bytes(path(judge).read_bytes())
        few = path("people").read_text(encoding="utf-8").splitlines(keepends=True)[:16]
        (tmp_path / "few.csv").write_text("".join(few), encoding="utf-8")
    done = run(
        *shlex.split(example(COMMANDS[name]))[1:], "--quiet" if name not in ("cite", "demo", "coefficients") else "--"
    )
    assert (done.exit_code, done.stderr) == (0, ""), done.output


def test_the_files_of_the_examples_are_saved_once(tmp_path: Path) -> None:
    said = good("demo", "--save", tmp_path / "new")
    assert f"$ cd {tmp_path / 'new'}" in said
    for name in NAMES:
        assert (tmp_path / "new" / f"{name}.csv").read_bytes() == path(name).read_bytes()
    (tmp_path / "new" / "people.csv").unlink()
    assert "careful.csv already exists: choose another folder" in bad("demo", "--save", tmp_path / "new", status=1)
    assert not (tmp_path / "new" / "people.csv").exists()


def test_what_is_misspelt_is_suggested(tmp_path: Path) -> None:
    good("demo", "--save", tmp_path)
    people = tmp_path / "people.csv"
    assert f"did you mean '{people}'?" in bad("tiers", tmp_path / "peeple.csv", status=1)
    assert "did you mean 'tau_ap_b'? There are: tau," in bad("matrix", people, people, "-c", "tau_apb", status=2)
    assert "Did you mean 'compare'?" in bad("comapre", status=2)


def test_a_report_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(typer, "launch", opened.append)
    page = tmp_path / "tiers page.html"
    run("tiers", path("people"), "--resamples", "99", "--html", page, "--open")
    assert opened == [page.as_uri()]
    assert "name its file with --html" in bad("tiers", path("people"), "--open", status=2)
