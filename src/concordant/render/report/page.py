"""The page: one file with its style, its script and the charting library, which may not fetch anything."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from ...errors import LimitError, require_extras
from ...options import checked
from ...render.outputs import REPORT, written_whole
from ..markup import text, visible
from ..references import bibliography, reference
from .boards import board_html
from .comparisons import comparison_parts
from .document import document_of
from .elements import details, in_script, items, name, option, packed, section
from .others import card_parts, judgment_parts, reliability_parts, shown_systems
from .parts import Parts
from .shell import asset, head
from .verdicts import SUBJECTS

_PARTS = {
    "comparison": comparison_parts,
    "reliability": reliability_parts,
    "judgments": judgment_parts,
    "card": card_parts,
}
_SOURCES = {"reliability": "reliability", "judgments": "study", "card": "judge_card"}


@checked
def write_report(result: Any, path: str | os.PathLike[str]) -> None:
    """Write a report of a result to one HTML file that needs no network and no other file.

    Parameters
    ----------
    result : Result
        What `compare`, `reliability`, `rank_intervals`, `board`, `judge_card` or a study of judgments returned.
    path
        The file, which is written whole or not at all. It replaces an earlier report, and no other file.

    See Also
    --------
    compare : All coefficients between a truth and its candidates; `found.report(path)` writes the same page.

    Examples
    --------
    >>> import concordant as cc, pathlib, tempfile
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "board.html"
    >>> cc.write_report(cc.rank_intervals(cc.load_collection("people"), rng=1), target)
    >>> target.read_text()[:15]
    '<!DOCTYPE html>'

    """
    content = report_html(result).encode("utf-8")
    with written_whole(path, REPORT) as file:
        file.write(content)


def report_html(result: Any) -> str:
    """The text of the report that `write_report` writes."""
    document = document_of(result)
    if document["report"] == "board":
        return board_html(document)
    parts = _PARTS[document["report"]](document)
    parts.add("methods", "Methods and references", _methods(parts))
    parts.add("reproduce", "Reproduce this report", _reproduce(document))
    shown = {"charts": parts.charts, "specs": parts.specs, "data": parts.data, "about": _about_systems(parts)}
    scripts = [library(), asset("page.js"), asset("save.js")]
    scripts += [asset("coefficients.js"), asset("brush.js"), asset("picture.js")] * (parts.explored is not None)
    held = [
        f'<script type="application/gzip" id="{key}">{packed(content)}</script>'
        for key, content in {"document": _embedded(document), **parts.packed}.items()
    ]
    if parts.explored is not None:
        held.append(f'<script type="application/json" id="explore">{in_script(parts.explored)}</script>')
    return "\n".join(
        [
            head(text(parts.title), asset("page.css"), scripts),
            _body(document, parts),
            f'<script type="application/json" id="charts">{in_script(shown)}</script>',
            *held,
            *(f"<script>{script}</script>" for script in scripts),
            "</body>\n</html>\n",
        ]
    )


def _embedded(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document as the page holds it; of a study of many levels only what is shown, because of its size."""
    if document["report"] != "judgments":
        return document
    return {**document, "study": {**document["study"], "systems": shown_systems(document["study"])}}


def _body(document: Mapping[str, Any], parts: Parts) -> str:
    links = "".join(f'<li><a href="#{text(key)}">{text(title)}</a></li>' for key, title, _ in parts.sections)
    return (
        '<a class="skip" href="#verdict">Skip to the verdict</a>'
        f'<header><div class="bar"><h1>{name(parts.title)}</h1>'
        '<button type="button" class="button" id="theme">Light or dark</button></div>'
        f'<p class="about">{text(parts.about)}</p><nav aria-label="Sections"><ul>{links}</ul></nav></header>'
        f"<main>{_verdict(document)}{_chooser(parts)}"
        "<noscript><p>Charts and sorting need JavaScript, and so do the parts of each candidate where there are many; "
        "all other numbers are in the tables.</p></noscript>"
        f"{''.join(section(key, text(title), content) for key, title, content in parts.sections)}</main>"
        f"<footer><p>Made by concordant {text(document['versions']['concordant'])}. This file loads nothing from "
        "anywhere; its data are in it as JSON.</p></footer>"
    )


def _verdict(document: Mapping[str, Any]) -> str:
    found = document["verdict"]
    lines = "".join(f"<p>{_led(line)}</p>" for line in found["sentences"])
    return (
        f'<section id="verdict" class="verdict {text(found["answer"])}" aria-labelledby="verdict-h">'
        f'<h2 id="verdict-h" class="headline">{text(found["headline"])}</h2>{lines}</section>'
    )


def _led(sentence: str) -> str:
    """A sentence with what it is about in bold."""
    subject, colon, rest = sentence.partition(": ")
    if not colon or subject not in SUBJECTS:
        return text(sentence)
    return f"<strong>{subject}:</strong> {text(rest)}"


def _chooser(parts: Parts) -> str:
    if not parts.systems:
        return ""
    options = "".join(map(option, parts.systems))
    return (
        '<div class="chooser" role="search" aria-label="Systems"><label for="find">Find a system</label>'
        '<input id="find" list="names" autocomplete="off" placeholder="name, then Enter">'
        f'<datalist id="names">{options}</datalist><button type="button" class="button" id="clear">Clear</button>'
        '<span class="about">or click on one: it is marked in all charts and tables</span>'
        '<div id="found" class="found" aria-live="polite"></div></div>'
    )


def _about_systems(parts: Parts) -> list[list[str]]:
    return [[visible(system), visible("; ".join(said))] for system, said in parts.systems.items()]


def _methods(parts: Parts) -> str:
    from ...coefficients.registry import list_coefficients

    known = {c.name: f"{c.name}: {c.summary} ({c.reference})" for c in list_coefficients()} | _METHODS
    entries = bibliography(parts.cited)
    return (
        f"{items([known[n] for n in parts.cited])}<h3>References</h3>{items(list(map(reference, entries)))}"
        + details("BibTeX", f'<pre class="bibtex">{text(chr(10).join(entries))}</pre>')
    )


_METHODS = {
    "rank_test": "rank test: could the candidate's ranking be the true one, given how systems vary over topics? "
    "(carterette2009, with a recentred bootstrap)",
    "expected_correlation": "ceiling: correlation of the truth's ranking with that across the population of topics, "
    "expected from the topics by the posterior of the true means (urbano2016)",
    "rank_intervals": "rank intervals: all pairs of systems compared over the topics, corrected for their number "
    "(romano2005)",
    "soft_pairwise_accuracy": "soft pairwise accuracy: how alike both sides' p-values for pairs of systems are "
    "(thompson2024)",
    "significance_agreement": "false discoveries and missed differences: pairs of systems that one side finds "
    "significantly different and the other does not (moffat2012)",
    "reliability": "reliability: expected correlation with the true ranking, by a posterior and by the estimators of "
    "urbano2016",
}


def _reproduce(document: Mapping[str, Any]) -> str:
    made = []
    if document.get("call"):
        made.append(f"<pre>{text(document['call'])}</pre>")
    shown: dict[str, Any] = {f"version of {k}": v for k, v in document["versions"].items()}
    source = document["comparisons"][0] if "comparisons" in document else document[_SOURCES[document["report"]]]
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


@cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, below the licences that must go along with it."""
    require_extras("vl_convert")
    # In a process of its own: under a limit on memory its JavaScript engine aborts the process that it runs in.
    made = subprocess.run([sys.executable, "-P", "-c", _BUNDLE], capture_output=True, check=False)
    if made.returncode:
        raise LimitError(
            f"the report has no charts library: vl-convert ended with status {made.returncode}. It cannot run under a "
            "limit on virtual memory: lift that (ulimit -v unlimited)"
        )
    return f"/*!\n{asset('notices.txt')}*/\n" + made.stdout.decode().replace("</script", "<\\/script")


_BUNDLE = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"
