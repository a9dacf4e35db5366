"""The report of comparisons: candidates and coefficients. `systems` and `causes` have the rest of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..coefficients.registry import headlines
from ..words import counted
from . import charts
from .causes import causes, matters
from .elements import chart, details, items, name, names, number, table, words
from .parts import Part, Parts, Records, cut, distinct, domain_of
from .systems import system_charts, systems_of, tell


def comparison_parts(document: Mapping[str, Any]) -> Parts:
    """The page of one candidate or of several."""
    found = document["comparisons"]
    first = found[0]
    title = f"{first['candidate']} against {first['truth']}"
    if len(found) > 1:
        title = f"{counted(len(found), 'ranking')} against {first['truth']}"
    parts = Parts(title, _about(first))
    if len(found) > 1:
        parts.add("candidates", "Candidates", _candidates(document, parts))
    rows_of = [systems_of(c) for c in found]
    pairs = list(zip(found, rows_of, strict=True))
    for c, rows in pairs:
        tell(parts, c, rows)
    curves = [worth_chart(c.get("worth"), f"worth-{k}", parts) for k, c in enumerate(found)]
    for key, heading, contents in (
        ("worth", "Worth in topics", curves),
        ("coefficients", "Coefficients", [_coefficients(c, k, parts) for k, c in enumerate(found)]),
        ("matters", "Disagreements that matter", [matters(c, rows) for c, rows in pairs]),
        ("systems", "Systems", [system_charts(c, k, rows, parts) for k, (c, rows) in enumerate(pairs)]),
        ("causes", "What the rankings disagree on", [causes(c, k, parts) for k, c in enumerate(found)]),
        ("caveats", "Caveats", [_notes(c, document) for c in found]),
    ):
        if any(contents):
            parts.add(key, heading, _each(found, contents))
    parts.cite([n for n, value in first["coefficients"].items() if value is not None])
    parts.cite(["rank_test"] * bool(first["rank_test"]))
    parts.cite(["expected_correlation"] * bool(first.get("ceiling")))
    parts.cite(["rank_intervals"] * bool(first.get("rank_intervals")))
    return parts


def _about(c: Part) -> str:
    topics = f", {counted(len(c['topics']), 'topic')}" if c["topics"] else ""
    measure = f", {c['measure']}" if c["measure"] else ""
    return f"{counted(len(c['systems']), 'system')}{topics}{measure}; truth: {c['truth']}"


def _each(found: Sequence[Part], contents: Sequence[str]) -> str:
    """One candidate as it is; several each in their own part, of which the first is open."""
    if len(found) == 1:
        return contents[0]
    return "".join(
        details(name(c["candidate"]), content, opened=k == 0, kind="candidate")
        for k, (c, content) in enumerate(zip(found, contents, strict=True))
    )


def _candidates(document: Mapping[str, Any], parts: Parts) -> str:
    """All candidates in one table, and their intervals side by side."""
    found = document["comparisons"]
    shown = [n for n in headlines("inferred") if any(c["coefficients"].get(n) is not None for c in found)]
    shown = shown or list(found[0]["coefficients"])[:3]
    columns = [names("candidate"), number("systems"), number("topics"), *map(number, shown)]
    columns += [number("rank distance", "distance"), number("p, rank test", "pvalue")]
    columns += [number("worth in topics", "worth"), number("low"), number("high")] * any(c.get("worth") for c in found)
    rows = [
        {"candidate": c["candidate"], "systems": len(c["systems"]), "topics": len(c["topics"]), **c["coefficients"]}
        | {"distance": (c["rank_test"] or {}).get("distance"), "pvalue": _valid_p(c["rank_test"])}
        | _worth_cells(c)
        for c in found
    ]
    content = table("Every candidate against the truth", columns, rows)
    for n in shown[:2]:
        drawn = [_interval_row(c, n, label=cut(c["candidate"], 40), place=k) for k, c in enumerate(found)]
        for row, label in zip(drawn, distinct([row["label"] for row in drawn]), strict=True):
            row["label"] = label
        about = f"{n} of each candidate with its interval across the population of topics; the bar is the ceiling."
        content += _forest(f"forest-{n}", n, n, about, drawn, parts, what="candidate")
    return content + pairs_table(document.get("ranking"))


def _forest(key: str, title: str, axis: str, about: str, rows: Records, parts: Parts, *, what: str) -> str:
    drawn = [row for row in rows if row["value"] is not None]
    low, high = domain_of([row[of] for row in drawn for of in ("value", "low", "high", "ceiling")])
    limits = max(low, -1.0), min(high, 1.0)
    ceiling = any(row["ceiling"] is not None for row in rows)
    parts.chart(key, charts.forest(axis, about, len(drawn), ceiling=ceiling, domain=limits), drawn)
    columns = [names(what, "label"), number("value"), number("low"), number("high")]
    columns += [number("bias-corrected", "corrected"), number("p, chance", "pvalue"), number("ceiling")]
    columns += [words("why there is no value", "why")] if any(row["why"] for row in rows) else []
    return chart(key, title, about, table(title, columns, rows))


def _interval_row(c: Part, n: str, label: str, place: int) -> dict[str, Any]:
    span = c["intervals"].get(n) or {}
    ceiling = (c.get("ceiling") or {}).get(n) or {}
    return {
        "label": label,
        "place": place,
        "value": c["coefficients"].get(n),
        "low": span.get("low"),
        "high": span.get("high"),
        "corrected": span.get("bias_corrected"),
        "pvalue": c["pvalues"].get(n),
        "ceiling": ceiling.get("value"),
        "why": c["not_defined"].get(n, ""),
    }


def _worth_cells(c: Part) -> dict[str, Any]:
    worth = c.get("worth")
    return {"worth": worth["worth"], **{end: worth["interval"][end] for end in ("low", "high")}} if worth else {}


def pairs_table(ranking: Part | None) -> str:
    """Each candidate against each other, over the same splits of the topics."""
    if not ranking or not ranking["pairs"]:
        return ""
    columns = [names("candidate", "a"), names("against", "b"), number("difference"), number("low"), number("high")]
    columns += [number("ratio of worths", "ratio"), number("p", "pvalue"), number("p, Holm", "adjusted")]
    rows = [
        {**p, "a": p["names"][0], "b": p["names"][1], "low": p["interval"]["low"], "high": p["interval"]["high"]}
        for p in ranking["pairs"]
    ]
    return table(f"Differences in agreement across topics, {rows[0]['coefficient']}", columns, rows)


def worth_chart(worth: Part | None, key: str, parts: Parts) -> str:
    """Agreement on other topics by number of topics, of the truth and of the candidate."""
    if not worth:
        return ""
    truth, candidate = (cut(name, 40) for name in worth["names"])
    drawn = worth["curves"]
    rows = [
        {"side": name, "topics": size, "agreement": value, "low": low, "high": high}
        for name, side in ((truth, "truth"), (candidate, "candidate"))
        for size, value, low, high in zip(
            drawn["sizes"], drawn[side], drawn[f"{side}_low"], drawn[f"{side}_high"], strict=True
        )
    ]
    parts.chart(key, charts.worth(worth, (truth, candidate)), rows)
    columns = [names("side"), number("topics"), number("agreement"), number("low"), number("high")]
    about = (
        f"{worth['coefficient']} with the ranking by {truth} on other topics, by number of topics, with bands of "
        f"{100 * worth['interval']['confidence_level']:g}%. The line leads from {worth['half']} topics of one side to "
        "as many of the other as rank the systems as well."
    )
    return chart(key, f"What topics of {candidate} are worth", about, table("Both curves", columns, rows))


def _valid_p(test: Part | None) -> float | None:
    """The p-value where the test keeps its level: more topics than systems."""
    if test is None or test["settings"]["n_systems"] >= test["settings"]["n_topics"]:
        return None
    p: float = test["pvalue"]
    return p


def _coefficients(c: Part, k: int, parts: Parts) -> str:
    """Every coefficient with its interval, what ties leave open, and the values on each topic."""
    rows = [_interval_row(c, n, label=n, place=at) for at, n in enumerate(c["coefficients"])]
    about = "The value on these topics as a dot, the interval across the population of topics as a line"
    about += ", and the ceiling given the number of topics as a bar." if c.get("ceiling") else "."
    title = "Coefficients and their intervals"
    content = _forest(f"coefficients-{k}", title, "coefficient", about, rows, parts, what="coefficient")
    return content + _rank_test(c) + _tie_bounds(c) + _per_topic(c) + _reliability(c)


def _rank_test(c: Part) -> str:
    found = c["rank_test"]
    if not found:
        return ""
    columns = [
        number("rank distance", "distance"),
        number("p", "pvalue"),
        number("standard error of p", "standard_error"),
    ]
    columns += [number("critical value", "critical_value"), number("alpha")]
    caption = "Rank test" if _valid_p(found) is not None else "Rank test, which says nothing with so few topics"
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


def _notes(c: Part, document: Mapping[str, Any]) -> str:
    tied = c["tied_pairs"]
    notes = [f"{n} has no value: {why}" for n, why in c["not_defined"].items()]
    notes += [f"{counted(tied[side], 'tied pair')} in {c[side]}" for side in ("truth", "candidate") if tied[side]]
    notes += [*c["notes"], *c.get("read_notes", ()), *c.get("truth_notes", ()), *document.get("notes", ())]
    notes += (c.get("explanation") or {}).get("notes", [])
    if not notes:
        return "<p>Nothing: no ties, nothing left out, no identical systems.</p>"
    return items(list(dict.fromkeys(notes)))
