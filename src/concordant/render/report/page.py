"""The page: one file with its style and its script, which may not fetch anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..markup import text
from ..references import bibliography, reference
from .boards import board_html
from .comparisons import comparison_parts
from .document import document_of
from .elements import Parts, details, items, name, packed
from .others import result_parts
from .shell import asset, head


def report_html(result: Any) -> str:
    """The text of the page that `Result.report` writes."""
    return page_of(document_of(result))


def page_of(document: Mapping[str, Any]) -> str:
    """The page of a document."""
    if document["report"] == "board":
        return board_html(document)
    parts = comparison_parts(document) if document["report"] == "comparison" else result_parts(document)
    script = asset("page.js")
    return "\n".join(
        [
            head(text(parts.title), asset("page.css"), [script]),
            _body(document, parts),
            f'<script type="application/gzip" id="document">{packed(document)}</script>',
            f"<script>{script}</script>",
            "</body>\n</html>\n",
        ]
    )


def _body(document: Mapping[str, Any], parts: Parts) -> str:
    statistics = "".join(f"<h3>{text(title)}</h3>{content}" for title, content in parts.statistics)
    notes = f"<h3>Notes</h3>{items(parts.notes)}" if parts.notes else ""
    return (
        '<a class="skip" href="#verdict">Skip to the verdict</a>'
        f'<header><div class="bar"><h1>{name(parts.title)}</h1>'
        '<button type="button" class="button" id="theme">Light or dark</button></div>'
        f'<p class="about">{text(parts.about)}</p></header>'
        f"<main>{_verdict(document)}{parts.front}"
        f"{details('Statistics', statistics, key='statistics') if statistics else ''}"
        f"{details('How this was computed', notes + _reproduce(document), key='how')}"
        f"{details('Cite', _methods(parts), key='cite')}</main>"
        f"<footer><p>Made by concordant {text(document['versions']['concordant'])}. This file loads nothing from "
        "anywhere; its data are in it as JSON.</p></footer>"
    )


def _verdict(document: Mapping[str, Any]) -> str:
    found = document["verdict"]
    lines = "".join(f"<p>{text(line)}</p>" for line in found["sentences"])
    lines += "".join(f"<p>{text(why)}: <code>{text(command)}</code></p>" for why, command in found["next"])
    return (
        f'<section id="verdict" class="verdict {text(found["answer"])}" aria-labelledby="verdict-h">'
        f'<h2 id="verdict-h" class="headline">{text(found["headline"])}</h2>{lines}</section>'
    )


def _methods(parts: Parts) -> str:
    from ...coefficients.registry import list_coefficients

    known = {c.name: f"{c.name}: {c.summary} ({c.reference})" for c in list_coefficients()}
    entries = bibliography([*parts.cited, "concordant"])
    formulas = items([known[n] for n in parts.cited if n in known])
    return f"{formulas}<h3>References</h3>{items(list(map(reference, entries)))}" + details(
        "BibTeX", f'<pre class="bibtex">{text(chr(10).join(entries))}</pre>'
    )


def _reproduce(document: Mapping[str, Any]) -> str:
    made = []
    if document.get("call"):
        made.append(f"<pre>{text(document['call'])}</pre>")
    shown: dict[str, Any] = {f"version of {k}": v for k, v in document["versions"].items()}
    source = document["comparisons"][0] if "comparisons" in document else document["result"]
    shown |= {k: v for k, v in source.get("settings", {}).items() if k != "version"}
    rows = "".join(f"<dt>{text(k)}</dt><dd>{text(_setting(v))}</dd>" for k, v in shown.items())
    save = '<p><button type="button" class="button" id="save-json">Save all numbers as JSON</button></p>'
    return f"{''.join(made)}<dl>{rows}</dl>{save}"


def _setting(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {_setting(v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(_setting, value))
    return "none" if value is None else str(value)
