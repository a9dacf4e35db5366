"""`concordant report`: one HTML file of a result, made from its JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ConcordantError, ReadError
from ..outputs import REPORT
from .answer import document_for, write_report
from .options import writable


def report(
    ctx: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="What board, compare, judgments, reliability or tiers printed with --format json."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", callback=writable(REPORT), help="The HTML file to write; default: FILE with .html."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on standard error.")] = False,
) -> None:
    """Make a report, one HTML file, from saved JSON.

    Example: concordant report saved.json -o report.html
    """
    from ..files import read_text

    text = read_text(file)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"this is not JSON: {error}", str(file)) from None
    try:
        write_report(document_for(content, ctx), output or file.with_suffix(".html"), quiet)
    except ConcordantError:
        raise
    except (KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError) as error:
        raise ReadError(f"this JSON is not what concordant wrote: {error!r}", str(file)) from None
