"""Write a report as one HTML file that contains its style and scripts and fetches nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ...errors import escaped
from ..outputs import REPORT_START
from ..references import bibliography
from .boards import board_parts
from .comparisons import comparison_parts
from .document import document_of
from .elements import Parts, details, items, name, packed
from .others import result_parts


def report_html(result: Any) -> str:
    """Return the HTML that `Result.report` writes."""
    return page_of(document_of(result))


def page_of(document: Mapping[str, Any]) -> str:
    """Return the HTML page that shows a document made by `document_of`."""
    kind = document["report"]
    parts = {"board": board_parts, "comparison": comparison_parts, "result": result_parts}[kind](document)
    scripts = [asset(file) for file in ("page.js", *["board.js"] * (kind == "board"))]
    style = asset("page.css") + (asset("board.css") if kind == "board" else "")
    return "\n".join(
        [
            REPORT_START,
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">',
            f"<title>{escaped(parts.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>",
            _body(document, parts),
            f'<script type="application/gzip" id="document">{packed(document)}</script>',
            *(f"<script>{script}</script>" for script in scripts),
            "</body>\n</html>\n",
        ]
    )


def _policy(scripts: Sequence[str]) -> str:
    """Return the content security policy: the page may fetch nothing, and may run only these scripts."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:"
    return f"{nothing}; style-src 'unsafe-inline'; script-src {hashes}"


@cache
def asset(file: str) -> str:
    """Read a text file from the folder of this module."""
    return files(__package__).joinpath(file).read_text(encoding="utf-8")


def _body(document: Mapping[str, Any], parts: Parts) -> str:
    statistics = "".join(f"<h3>{escaped(title)}</h3>{content}" for title, content in parts.statistics)
    notes = f"<h3>Notes</h3>{items(parts.notes)}" if parts.notes else ""
    return (
        '<a class="skip" href="#verdict">Skip to the verdict</a>'
        f'<header><div class="bar"><h1>{name(parts.title)}</h1>'
        '<button type="button" class="button" id="theme">Light or dark</button></div>'
        f'<p class="about">{escaped(parts.about)}</p></header>'
        f"<main>{_verdict(parts.verdict or document['verdict'])}{parts.front}"
        f"{details('Statistics', statistics, key='statistics') if statistics else ''}"
        f"{details('How this was computed', notes + _reproduce(document), key='how')}"
        f"{details('Cite', _methods(parts), key='cite')}</main>"
        f"<footer><p>Made by concordant {escaped(document['versions']['concordant'])}. This file loads nothing from "
        "anywhere; its data are in it as JSON.</p></footer>"
    )


def _verdict(found: Mapping[str, Any]) -> str:
    lines = "".join(f"<p>{escaped(line)}</p>" for line in found["sentences"])
    lines += "".join(f"<p>{escaped(why)}: <code>{escaped(command)}</code></p>" for why, command in found["next"])
    return (
        f'<section id="verdict" class="verdict {escaped(found["answer"])}" aria-labelledby="verdict-h">'
        f'<h2 id="verdict-h" class="headline">{escaped(found["headline"])}</h2>{lines}</section>'
    )


def _methods(parts: Parts) -> str:
    from ...coefficients.registry import list_coefficients

    known = {c.name: f"{c.name}: {c.summary} ({c.reference})" for c in list_coefficients()}
    entries = bibliography([*parts.cited, "concordant"])
    formulas = items([known[n] for n in parts.cited if n in known])
    return f'{formulas}<h3>BibTeX</h3><pre class="bibtex">{escaped(chr(10).join(entries))}</pre>'


def _reproduce(document: Mapping[str, Any]) -> str:
    made = []
    if document.get("call"):
        made.append(f"<pre>{escaped(document['call'])}</pre>")
    shown: dict[str, Any] = {f"version of {k}": v for k, v in document["versions"].items()}
    source = document.get("comparisons", [document.get("result", document)])[0]
    shown |= {k: v for k, v in source.get("settings", {}).items() if k != "version"}
    rows = "".join(f"<dt>{escaped(k)}</dt><dd>{escaped(_setting(v))}</dd>" for k, v in shown.items())
    save = '<p><button type="button" class="button" id="save-json">Save all numbers as JSON</button></p>'
    return f"{''.join(made)}<dl>{rows}</dl>{save}"


def _setting(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {_setting(v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(_setting, value))
    return "none" if value is None else str(value)
