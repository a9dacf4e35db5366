"""What the README says is so."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import concordant as cc
from concordant.collection import path

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_table_of_coefficients_is_the_registry() -> None:
    rows = [line for line in README.splitlines() if line.startswith("| `")]
    expected = []
    for c in cc.list_coefficients():
        ties = {0: "none", 1: c.ties[0] if c.ties else "", 2: "both"}[len(c.ties)]
        reads = (
            c.reads[0] if c.reads[0] == c.reads[1] else f"scores of {'truth' if c.reads[0] == 'scores' else 'observed'}"
        )
        yes = {True: "yes", False: "no"}
        cells = (f"`{c.name}`", c.summary, ties, reads, yes[c.top_weighted], yes[c.symmetric], c.reference)
        expected.append("| " + " | ".join(cells) + " |")
    assert rows == expected


def test_the_example_runs_and_gives_the_values_in_its_comments(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    checked = 0
    for line in code.splitlines():
        expression, _, comment = line.partition("#")
        if "=" in expression.split("(")[0] or expression.startswith("import"):
            exec(line, names)
            continue
        if not expression.strip():
            continue
        value = eval(expression, names)
        told = re.match(r" (-?\d+\.\d+)(\.\.\.)?:", comment)
        if told:
            assert f"{value:.12f}".startswith(told[1]) if told[2] else value == pytest.approx(float(told[1]), abs=1e-12)
            checked += 1
        elif "to" in comment and value is None:
            assert comment.split(": ")[1] in capsys.readouterr().out
            checked += 1
        else:
            assert np.isfinite(np.asarray(value, dtype=float)).all()
    assert checked == 3


def test_the_answer_of_the_command_line_is_the_one_shown() -> None:
    shown = README.split("    $ concordant compare people.csv careful.csv hasty.csv\n")[1].split("\nA side is")[0]
    files = [str(path(name)) for name in ("people", "careful", "hasty")]
    command = [sys.executable, "-m", "concordant", "compare", *files]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert answer.startswith(textwrap.dedent(shown).rstrip("\n"))
