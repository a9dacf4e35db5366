"""The command line, called in this process; `process` calls it in one of its own."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from typing import Any

from typer.testing import CliRunner

from concordant.cli.app import app
from concordant.data.collection import path as collection

PEOPLE, CAREFUL, HASTY = (str(collection(name)) for name in ("people", "careful", "hasty"))


def run(*arguments: object, columns: int = 300) -> Any:
    """What it says (stdout, stderr) and its exit_code."""
    done = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": str(columns)})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def good(*arguments: object) -> str:
    """The answer to what has to work without a word on standard error."""
    done = run(*arguments)
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    text: str = done.stdout
    return text


def bad(*arguments: object, status: int) -> str:
    """What is said of a mistake: 1 for bad data, in one line, and 2 for bad usage."""
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (status, ""), done.output
    said: str = done.stderr
    if status == 1:
        assert said.startswith("concordant: ")
        assert said.count("\n") == 1
    return said


def rows(*arguments: object) -> list[dict[str, str]]:
    """The answer as CSV."""
    return list(csv.DictReader(io.StringIO(good(*arguments, "-f", "csv"))))


def process(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "concordant", *map(str, arguments)],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        encoding="utf-8",
        check=False,
        env=environment,
    )
