"""--help: commands in groups, one line each, with an example that works and no word of Python."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from concordant.cli import terminal
from concordant.cli.app import app
from concordant.data.collection import NAMES, path

from ..commands import bad, good, run


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
    groups = ["Compare:", "Ranks and boards:", "Topics:", "Judgments:", "Files and help:"]
    assert [line for line in text.splitlines() if line in groups] == groups
    after = text[text.index("Compare:") :].splitlines()
    lines = [line for line in after if line.startswith("  ")]
    top: Any = typer.main.get_command(app)
    assert sorted(line.split()[0] for line in lines) == sorted(top.commands)


def test_there_are_few_commands_and_few_options() -> None:
    """Sixteen commands, 23 with those below them; besides what several share of Data and Output at most 15 options."""
    top: Any = typer.main.get_command(app)
    assert len(top.commands) <= 16
    assert len(COMMANDS) <= 23
    groups = {name: options_by_group(command) for name, command in COMMANDS.items()}
    for name, found in groups.items():
        assert set(found) <= {"Answer", "Data", "Output"}
        shared = {o for other, of in groups.items() if other != name for g in ("Data", "Output") for o in of.get(g, ())}
        own = {option for of in found.values() for option in of} - shared
        assert len(own) <= 15, (name, own)


def options_by_group(command: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for option in command.params:
        if option.param_type_name == "option":
            group = getattr(option, "rich_help_panel", None) or "Answer"
            found.setdefault(group, set()).add(option.name)
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_says_what_it_is_for(name: str) -> None:
    assert not [param.name for param in COMMANDS[name].params if param.name != "help" and not param.help]


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_in_three_groups(name: str) -> None:
    text = run(*name.split(), "--help", columns=80).stdout
    heads = [line for line in text.splitlines() if re.fullmatch(r"[A-Z]\w+:", line)]
    assert heads == [head for head in ("Arguments:", "Answer:", "Data:", "Output:") if head in heads]


def test_without_a_command_there_is_a_short_guide() -> None:
    text = good()
    assert len(text.splitlines()) < 16
    assert max(map(len, text.splitlines())) <= 80
    named = re.findall(r"^  concordant (\w+)", text, re.MULTILINE)
    assert named[0] == "compare"
    assert set(named) <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example_and_speaks_of_no_types(name: str) -> None:
    text = run(*name.split(), "--help", columns=80).stdout
    assert max(map(len, text.splitlines())) <= 80
    for word in ("<str>", "<int", "<float", "list[", "<path>", "x>=", "<="):
        assert word not in text
    assert example(COMMANDS[name]).startswith(f"concordant {name}")


QUICK = {
    "judgments judges": ["--resamples", "500"],
    "votes": ["--resamples", "100"],
}
NOUNS = "topics|systems|pairs|judges|documents|candidates|ranks"
ODD = re.compile(rf"\bnan\b|\binf\b|p = 0\.0+\b|-0\.0+\b|\b1 ({NOUNS})\b")


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, c in COMMANDS.items() if not re.search("json|adhoc", example(c))])
def test_examples_work_and_fit_80_columns(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal, "width", lambda: 80)
    if name != "demo":
        files_of_the_examples()
    words = shlex.split(example(COMMANDS[name]))[1:]
    plain = name in ("cite", "demo", "coefficients")
    done = run(*words, *QUICK.get(name, []), "--quiet" if not plain else "--")
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    assert not [line for line in done.stdout.splitlines() if ODD.search(line)]
    if name not in ("cite", "coefficients"):  # BibTeX and Markdown, whose lines stay whole
        assert max(map(len, done.stdout.splitlines())) <= 80


def files_of_the_examples() -> None:
    """Scores, runs, judgments, teams and battles, in this folder."""
    for judge in NAMES:
        Path(f"{judge}.csv").write_bytes(path(judge).read_bytes())
    few = path("people").read_text(encoding="utf-8").splitlines(keepends=True)[:16]
    Path("few.csv").write_text("".join(few), encoding="utf-8")
    rng = np.random.default_rng(1)
    grades = {str(401 + t): rng.choice([0, 1, 2], 30, p=[0.6, 0.2, 0.2]) for t in range(12)}
    Path("runs").mkdir()
    for s in range(6):
        lines = []
        for topic, worth in grades.items():
            seen = worth + rng.normal(0, 0.6 + 0.2 * s, 30)
            lines += [f"{topic} Q0 d{d} {r} {seen[d]:.4f} s{s}" for r, d in enumerate(np.argsort(-seen)[:15], 1)]
        Path("runs", f"s{s}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, noise in (("qrels", 0.0), ("human", 0.0), ("gpt4o", 0.1), ("llama", 0.5)):
        judged = {t: np.where(rng.random(30) < noise, rng.choice([0, 1, 2], 30), g) for t, g in grades.items()}
        lines = [f"{t} 0 d{d} {g}" for t, of in judged.items() for d, g in enumerate(of)]
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    teams = "".join(f"s{s},team{s // 2}\n" for s in range(6))
    Path("teams.csv").write_text(f"run,team\n{teams}", encoding="utf-8")
    battles = [rng.permutation(4)[:2] for _ in range(120)]
    votes = "".join(f"m{a},m{b},model_{'a' if rng.random() < 0.5 + 0.1 * (b - a) else 'b'}\n" for a, b in battles)
    Path("battles.csv").write_text(f"model_a,model_b,winner\n{votes}", encoding="utf-8")


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
    assert f"did you mean '{people}'?" in bad("board", tmp_path / "peeple.csv", status=1)
    assert "did you mean 'tau_ap_b'? There are: tau," in bad(
        "compare", "--matrix", people, people, "-c", "tau_apb", status=2
    )
    assert "Did you mean 'compare'?" in bad("comapre", status=2)
