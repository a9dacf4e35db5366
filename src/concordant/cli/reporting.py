"""`--html` and `concordant report`: one HTML file of a result, made from its JSON."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, ReadError
from .options import QuietOption, writable
from .render import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..comparison_result import Comparison
    from ..scores import Scores


@dataclass(frozen=True)
class Report:
    """A report that was asked for: where, and whether to say so."""

    path: Path
    quiet: bool

    def write(self, content: Any) -> dict[str, Any]:
        """Write it, and give back the document that it was made from, which is what --format json prints."""
        from ..report.document import document_of
        from ..report.page import write_report

        document = document_of(content)
        document.setdefault("command", shlex.join(["concordant", *sys.argv[1:]]))
        write_report(document, self.path)
        if not self.quiet:
            sys.stderr.write(printable(f"Report: {self.path}") + "\n")
        return document


def comparison_document(
    found: Sequence[Comparison], first: Scores, others: Sequence[Scores], read_notes: list[str], workers: int
) -> dict[str, Any]:
    """The document of comparisons, with what reading had to say."""
    from ..report import report_document

    document = report_document(list(found), first, list(others), workers=workers)
    for part in document["comparisons"]:
        part["read_notes"] = read_notes
    return document


def report(
    file: Annotated[
        Path, typer.Argument(help="What compare, judgments, reliability or tiers printed with --format json.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", callback=writable, help="The HTML file to write; default: FILE with .html."),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Make a report, one HTML file, from saved JSON."""
    try:
        content = json.loads(file.read_text(encoding="utf-8-sig"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReadError(f"this is not JSON: {error}", str(file)) from None
    target = output or file.with_suffix(".html")
    if target.resolve() == file.resolve():
        raise InputError(f"the report would replace {file}: name another file with -o")
    try:
        Report(target, quiet).write(content)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ReadError(f"this JSON is not what concordant wrote: {error!r}", str(file)) from None
