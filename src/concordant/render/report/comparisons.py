"""The report of comparisons: candidates and coefficients. `systems` and `causes` have the rest of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...agreement.comparison_result import POPULATION
from ...words import counted, listing
from ..markup import text
from . import charts
from .candidates import candidates_table, in_order, valid_p
from .causes import causes, matters
from .elements import chart, details, items, name, names, number, pvalue, table, words
from .parts import Part, Parts, Records, known_fields
from .picture import explored, picture
from .systems import system_charts, systems_of, tell

MOST_INLINE = 6  # candidates whose parts stand in the page as they are


def comparison_parts(document: Mapping[str, Any]) -> Parts:
    """The page of one candidate or of several."""
    found = document["comparisons"]
    first = found[0]
    title = f"{first['candidate']} against {first['truth']}"
    if len(found) > 1:
        title = f"{counted(len(found), 'ranking')} against {first['truth']}"
    parts = Parts(title, _about(first))
    order = in_order(document)
    parts.explored = explored(document, order)
    parts.add("picture", "Means and ranks", picture(document, parts.explored))
    rows_of = [systems_of(c) for c in found]
    for c, rows in zip(found, rows_of, strict=True):
        tell(parts, c, rows, brief=len(found) > MOST_INLINE)
    if len(found) == 1:
        for key, heading, content in _sections(first, 0, rows_of[0], parts):
            parts.add(key, heading, content)
    else:
        table_of_all = candidates_table(document, order)
        parts.add("candidates", "Candidates", table_of_all)
        parts.add("each", "Candidate by candidate", _each(document, order, rows_of, parts))
    parts.add("caveats", "Caveats", _caveats(document))
    parts.cite([n for n, value in first["coefficients"].items() if value is not None])
    parts.cite(["rank_test"] * bool(first["rank_test"]))
    parts.cite(["expected_correlation"] * bool(first.get("ceiling")))
    parts.cite(["rank_intervals"] * bool(first.get("rank_intervals")))
    return parts


def _about(c: Part) -> str:
    unit = "topic" if "groups" not in c["settings"] else "group"
    topics = f", {counted(len(c['topics']), unit)}{' of topics' * (unit == 'group')}" if c["topics"] else ""
    measure = f", {c['measure']}" if c["measure"] else ""
    return f"{counted(len(c['systems']), 'system')}{topics}{measure}; truth: {c['truth']}"


def _sections(c: Part, k: int, rows: Records, parts: Parts, *, brief: bool = False) -> list[tuple[str, str, str]]:
    """Key, heading and content of what is shown of a candidate."""
    made = (
        ("coefficients", "Coefficients", _coefficients(c, k, parts)),
        ("matters", "Disagreements that matter", matters(c, rows)),
        ("systems", "Systems", system_charts(c, k, rows, parts)),
        ("causes", "What the rankings disagree on", causes(c, k, parts, brief=brief)),
    )
    return [(key, heading, content) for key, heading, content in made if content]


def _each(document: Mapping[str, Any], order: Sequence[int], rows_of: Sequence[Records], parts: Parts) -> str:
    """One part per candidate, the first one open. Of many candidates, the others are packed until they are opened."""
    found = document["comparisons"]
    content = ""
    for place, k in enumerate(order):
        packed = place > 0 and len(order) > MOST_INLINE
        own = Parts("", "", specs=parts.specs) if packed else parts
        sections = _sections(found[k], k, rows_of[k], own, brief=packed)
        html = f"<p>{text(found[k]['verdict']['headline'])}</p>"
        html += "".join(f"<h3>{text(heading)}</h3>{inner}" for _, heading, inner in sections)
        if packed:
            parts.packed[f"part-{k}"] = {"html": html, "charts": own.charts, "data": own.data}
            html = ""
        part = f"part-{k}" if packed else ""
        content += details(name(found[k]["candidate"]), html, opened=place == 0, kind="candidate", part=part)
    return f'<p class="about on-paper">Printed are the candidates that are open.</p><div class="each">{content}</div>'


def _interval_row(c: Part, n: str, place: int) -> dict[str, Any]:
    span = c["intervals"].get(n) or {}
    itself = (c.get("ceiling") or {}).get(n) or {}
    return {
        "label": n,
        "place": place,
        "value": c["coefficients"].get(n),
        "low": span.get("low"),
        "high": span.get("high"),
        "pvalue": c["pvalues"].get(n),
        "itself": itself.get("value"),
        "why": c["not_defined"].get(n, ""),
    }


def _coefficients(c: Part, k: int, parts: Parts) -> str:
    """Every coefficient with its interval, what ties leave open, and the values on each topic."""
    rows = [_interval_row(c, n, at) for at, n in enumerate(c["coefficients"])]
    drawn = [row for row in rows if row["value"] is not None]
    about = "Dot: the value on these topics."
    if any(row["low"] is not None for row in rows):
        about += f" Line: its interval. {POPULATION}."
    itself = any(row["itself"] is not None for row in rows)
    about += " Bar: what the truth's own ranking is expected to reach with the true one." * itself
    key, title = f"coefficients-{k}", "Coefficients and their intervals"
    parts.chart(key, charts.forest("coefficient", about, len(drawn), known_fields(drawn), coefficients=True), drawn)
    columns = [names("coefficient", "label"), number("value")]
    columns += [number("low"), number("high"), pvalue("p, chance", "pvalue"), number("the truth itself", "itself")]
    columns += [words("why there is no value", "why")] if any(row["why"] for row in rows) else []
    content = chart(key, title, about, table(title, columns, rows))
    return content + _rank_test(c) + _tie_bounds(c) + _per_topic(c) + _reliability(c)


def _rank_test(c: Part) -> str:
    found = c["rank_test"]
    if not found:
        return ""
    columns = [
        number("rank distance", "distance"),
        pvalue("p", "pvalue"),
        number("standard error of p", "standard_error"),
    ]
    columns += [number("critical value", "critical_value"), number("alpha")]
    caption = "Rank test" if valid_p(found) is not None else "Rank test, which says nothing with so few topics"
    return table(caption, columns, [found])


def _tie_bounds(c: Part) -> str:
    if not c["tie_bounds"]:
        return ""
    columns = [words("coefficient"), number("minimum"), number("expected"), number("maximum")]
    rows = [{"coefficient": n, **bounds} for n, bounds in c["tie_bounds"].items()]
    return table("Over all orders of the systems that are tied in the candidate", columns, rows)


def _per_topic(c: Part) -> str:
    if not c["per_topic"]:
        return ""
    columns = [words("coefficient"), number("mean over topics", "mean"), number("standard deviation", "sd")]
    return table("On each topic", columns, [{"coefficient": n, **found} for n, found in c["per_topic"].items()])


def _reliability(c: Part) -> str:
    found = c.get("reliability")
    if not found:
        return ""
    rows = [{"estimator": n, **values} for n, values in found["estimates"].items()]
    size = counted(found["n_topics"], "topic")
    caption = f"Expected correlation of the truth's ranking with the true one, given {size}"
    its_table = table(caption, [words("estimator"), number("tau"), number("tau_ap")], rows)
    return details("How close the truth is to the true ranking, by all estimators", its_table)


def _caveats(document: Mapping[str, Any]) -> str:
    """What to note, each once: with the candidates that it holds for, unless it holds for all."""
    found = document["comparisons"]
    whose: dict[str, list[str]] = {}
    for c in found:
        for note in dict.fromkeys(_notes(c)):
            whose.setdefault(note, []).append(c["candidate"])
    notes = list(document.get("notes", ()))
    notes += [note for note, who in whose.items() if len(who) == len(found)]
    notes += [f"{listing(who)}: {note}" for note, who in whose.items() if len(who) < len(found)]
    if not notes:
        return "<p>Nothing: no ties, nothing left out, no identical systems.</p>"
    return items(list(dict.fromkeys(notes)))


def _notes(c: Part) -> list[str]:
    tied = c["tied_pairs"]
    notes = [f"{n} has no value: {why}" for n, why in c["not_defined"].items()]
    notes += [f"{counted(tied[side], 'tied pair')} in {c[side]}" for side in ("truth", "candidate") if tied[side]]
    notes += [*c["notes"], *c.get("read_notes", ()), *c.get("truth_notes", ())]
    return [*notes, *((c.get("explanation") or {}).get("notes") or ())]
