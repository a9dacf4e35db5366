"""The picture that a comparison opens with, and its controls. The page's own scripts draw it and compute its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...coefficients.registry import get_coefficient
from ..markup import text, visible
from .parts import Part, shortened

COEFFICIENTS = ("tau_b", "tau_ap_b")
"""Those that coefficients.js computes."""
_ENDS = {"low": "rank", "high": "high"}  # as the page's scripts call them, and the rows of a board


_BRUSH = (
    '<span class="hint">Drag a rectangle to compare the systems in it alone. '
    '<button type="button" class="button" id="explore-all" hidden>All systems again</button></span>'
)


def explored(document: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """Names, means and rank intervals; candidates in this order, by groups that share systems, topics and the truth."""
    found = document["comparisons"]
    groups: dict[Any, dict[str, Any]] = {}
    places = []
    for c in found:
        key = (tuple(c["systems"]), tuple(c["topics"]))
        groups.setdefault(key, _group(c))
        places.append(list(groups).index(key))
    candidates = [
        {
            "name": visible(found[k]["candidate"]),
            "at": k,
            "group": places[k],
            "means": found[k]["candidate_means"],
            "lower": found[k]["lower_is_better"][1],
        }
        for k in order
    ]
    what = found[0]["settings"].get("total", "mean")
    return {
        "truth": visible(found[0]["truth"]),
        "what": what,
        "groups": list(groups.values()),
        "candidates": candidates,
    }


def _group(c: Part) -> dict[str, Any]:
    spans = {row["system"]: row for row in (c.get("rank_intervals") or {}).get("rows", ())}
    known = bool(spans) and all(system in spans for system in c["systems"])
    ends = {end: [spans[system][key] for system in c["systems"]] if known else [] for end, key in _ENDS.items()}
    names = list(map(visible, c["systems"]))
    return {
        "systems": names,
        "short": shortened(names),
        "topics": list(map(visible, c["topics"])),
        "truth": c["truth_means"],
        "lower": c["lower_is_better"][0],
        **ends,
    }


def picture(document: Mapping[str, Any], drawn: Mapping[str, Any]) -> str:
    """The controls, what they give, and the places of both drawings."""
    topics = bool(document.get("scores")) and any(group["topics"] for group in drawn["groups"])
    intervals = any(group["low"] for group in drawn["groups"])
    among = f" The scores are those of {drawn['what']} among all systems, whichever are chosen."
    among = text(among) if drawn["what"] != "mean" else ""
    several = len(drawn["candidates"]) > 1
    colours = (
        text(" Orange: the candidate's rank lies outside of those that the truth's topics leave open.") * intervals
    )
    alike = any(drawn["groups"][it["group"]]["lower"] == it["lower"] for it in drawn["candidates"])
    same = "On the dashed line both sides give the same mean." * alike
    options = "".join(f'<option value="{k}">{text(it["name"])}</option>' for k, it in enumerate(drawn["candidates"]))
    chosen = _field("candidate", "Candidate", f'<select id="explore-candidate">{options}</select>', hidden=not several)
    coefficients = "".join(f'<option value="{n}">{get_coefficient(n).name}</option>' for n in COEFFICIENTS)
    some = 'autocomplete="off" placeholder="words, -without"'
    of_topics = some if topics else 'disabled placeholder="no scores by topic"'
    whole = 'type="number" min="2" step="1" placeholder="all"'
    fields = [
        chosen,
        _field("coefficient", "Coefficient", f'<select id="explore-coefficient">{coefficients}</select>'),
        _field("top", "Top k of the truth", f'<input id="explore-top" {whole}>'),
        _field("systems", "Systems", f'<input id="explore-systems" {some}>'),
        _field("topics", "Topics", f'<input id="explore-topics" {of_topics}>'),
        _field(
            "tolerance",
            "Tied if closer than",
            '<input id="explore-tolerance" type="number" min="0" step="any" placeholder="0">',
        ),
    ]
    zoom = (
        '<span class="field"><label for="explore-zoom">Show</label> <select id="explore-zoom">'
        '<option value="20">the top 20</option><option value="all">all</option></select></span>'
    )
    return (
        f'<p class="about">Choose what to compare: the value, the means and the ranks follow.{among}</p>'
        f'<div class="controls" role="group" aria-label="What to compare">{"".join(fields)}'
        '<button type="button" class="button" id="explore-reset">Reset</button></div>'
        '<p class="readout" aria-live="polite"><strong id="explore-value"></strong> <span id="explore-said"></span></p>'
        '<div class="grid">'
        + _figure("scatter", "Means against means", f"{same}{colours} {_BRUSH}")
        + _figure("ranks", "Ranks against ranks", f"Each line joins a system's two ranks; 1 is best. {zoom}", tall=True)
        + "</div>"
    )


def _field(key: str, label: str, control: str, *, hidden: bool = False) -> str:
    opened = '<span class="field" hidden>' if hidden else '<span class="field">'
    return f'{opened}<label for="explore-{key}">{text(label)}</label>{control}</span>'


def _figure(key: str, title: str, caption: str, *, tall: bool = False) -> str:
    """The place of a drawing, below a caption in HTML."""
    frame = ' tabindex="0" role="region" aria-label="Ranks against ranks"' if tall else ""
    return (
        f'<figure class="chart" id="{key}" aria-labelledby="{key}-title"><figcaption><strong id="{key}-title">'
        f'{text(title)}</strong> {caption}</figcaption><div class="frame{" tall" if tall else ""}"{frame}>'
        f'<div class="plot" id="{key}-plot"></div></div></figure>'
    )
