"""What the program says of itself, written into the pages when they are built.

In a page, a line `<!-- generated: coefficients -->` becomes the table of the registry, and
`<!-- generated: commands -->` the reference of the command line.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import typer
from typer.testing import CliRunner

from concordant.cli.app import app as command_line

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MARK = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)


def coefficients() -> str:
    """The table of the registry, as the command line tells it, in Markdown."""
    rows = json.loads(CliRunner().invoke(command_line, ["coefficients", "--format", "json"]).output)
    lines = [list(rows[0]), ["---"] * len(rows[0]), *([f"`{row.pop('name')}`", *row.values()] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def commands() -> str:
    """Every command with its arguments and options, in Markdown."""
    root: Any = typer.main.get_command(command_line)
    return "\n\n".join(_command(root, "concordant", 1))


def _command(command: Any, path: str, level: int) -> list[str]:
    parts = [] if path == "concordant" else [f"{'#' * level} `{path}`", (command.help or "").strip()]
    inner = getattr(command, "commands", {})
    for name in inner:
        parts += _command(inner[name], f"{path} {name}", level + 1)
    if inner:
        return parts
    context = typer.Context(command, info_name=path)
    records = [p.get_help_record(context) for p in command.get_params(context) if p.name != "help"]
    rows = [f"| `{_cell(name)}` | {_cell(meaning)} |" for name, meaning in filter(None, records)]
    usage = f"```text\n{path} {' '.join(command.collect_usage_pieces(context))}\n```"
    return [*parts, usage, "\n".join(["| argument or option | meaning |", "| --- | --- |", *rows])]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the marks of a page."""
    made = {"coefficients": coefficients, "commands": commands}
    source[0] = MARK.sub(lambda mark: made[mark[1]](), source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Fill in the pages as they are read."""
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
