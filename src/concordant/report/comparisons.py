"""The report of comparisons: candidates, then for each of them systems, pairs and topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..tables import counted
from . import charts
from .elements import Column, chart, details, items, name, table, text
from .parts import Parts, Rows, cut, distinct, domain_of

MOST_BARS = 20
TOLD = 8  # systems named in a crowded chart

Part = Mapping[str, Any]


def comparison_parts(document: Mapping[str, Any]) -> Parts:
    """The page of one candidate or of several."""
    found = document["comparisons"]
    first = found[0]
    several = len(found) > 1
    title = f"{counted(len(found), 'ranking')} against {first['truth']}" if several else ""
    parts = Parts(title or f"{first['observed']} against {first['truth']}", _about(first))
    if several:
        parts.add("candidates", "Candidates", _candidates(document, parts))
    parts.add("coefficients", "Coefficients", "".join(_coefficients(c, k, parts, several) for k, c in enumerate(found)))
    rows_of = [_systems(c) for c in found]
    for c, rows in zip(found, rows_of, strict=True):
        _tell(parts, c, rows)
    parts.add("matters", "Disagreements that matter", _wrap(found, [_matters(c, r) for c, r in zip(found, rows_of, strict=True)]))
    charted = [_system_charts(c, k, rows, parts) for k, (c, rows) in enumerate(zip(found, rows_of, strict=True))]
    parts.add("systems", "Systems", _wrap(found, charted))
    causes = [_causes(c, k, parts) for k, c in enumerate(found)]
    if any(causes):
        parts.add("causes", "What the rankings disagree on", _wrap(found, causes))
    parts.add("mind", "What to mind", _wrap(found, [_notes(c) for c in found]))
    parts.cite([n for n, value in first["coefficients"].items() if value is not None])
    parts.cite(["rank_test"] * bool(first["rank_test"]))
    parts.cite(["expected_correlation"] * bool(first.get("ceiling")))
    parts.cite(["rank_intervals"] * bool(first.get("rank_intervals")))
    return parts


def _about(c: Part) -> str:
    topics = f", {counted(len(c['topics']), 'topic')}" if c["topics"] else ""
    return f"{counted(len(c['systems']), 'system')}{topics}{', ' + c['measure'] if c['measure'] else ''}; truth: {c['truth']}"


def _wrap(found: Sequence[Part], contents: Sequence[str]) -> str:
    """One candidate as it is; several each in their own part, of which the first is open."""
    if len(found) == 1:
        return contents[0]
    return "".join(
        details(name(c["observed"]), content, opened=k == 0).replace("<details", '<details class="candidate"', 1)
        for k, (c, content) in enumerate(zip(found, contents, strict=True))
    )


# Candidates and coefficients -----------------------------------------------------------------------


def _candidates(document: Mapping[str, Any], parts: Parts) -> str:
    """All candidates in one table, and their intervals side by side."""
    found = document["comparisons"]
    names = [n for n in ("tau_b", "tau_ap_b", "pearson_rank") if any(c["coefficients"].get(n) is not None for c in found)]
    names = names or list(found[0]["coefficients"])[:3]
    columns = [Column("candidate", "candidate", "name"), Column("systems", "systems", "count"), Column("topics", "topics", "count")]
    columns += [Column(n, n) for n in names]
    columns += [Column("rank distance", "distance"), Column("p, rank test", "pvalue"), Column("good enough", "answer", "text")]
    words = {"yes": "yes", "no": "no", "open": "not certain", "unknown": "not known"}
    rows = [
        {"candidate": c["observed"], "systems": len(c["systems"]), "topics": len(c["topics"]), **c["coefficients"]}
        | {"distance": (c["rank_test"] or {}).get("distance"), "pvalue": _valid_p(c["rank_test"])}
        | {"answer": words[c["verdict"]["answer"]]}
        for c in found
    ]
    content = table("Every candidate against the truth", columns, rows)
    for n in names[:2]:
        shown = [_interval_row(c, n, label=cut(c["observed"], 40), place=k) for k, c in enumerate(found)]
        for row, label in zip(shown, distinct([r["label"] for r in shown]), strict=True):
            row["label"] = label
        key = f"forest-{n}"
        about = f"{n} of each candidate with its interval over all topics there could be; the bar is the ceiling."
        limits = domain_of([row[k] for row in shown for k in ("value", "low", "high", "ceiling")])
        parts.chart(key, charts.forest(n, about, len(shown), ceiling=True, domain=limits), shown)
        content += chart(key, n, about, _interval_table(f"{n} by candidate", "candidate", shown))
    return content + _judges(document.get("judges") or [])


def _judges(found: Sequence[Part]) -> str:
    if not found:
        return ""
    columns = [Column("candidate", "a", "name"), Column("against", "b", "name"), Column("coefficient", "coefficient", "text")]
    columns += [Column(label, key) for label, key in (("difference", "difference"), ("bias-corrected", "bias_corrected"))]
    columns += [Column("low", "low"), Column("high", "high"), Column("p", "pvalue")]
    rows = [
        {**j, "a": j["names"][0], "b": j["names"][1], "low": j["interval"]["low"], "high": j["interval"]["high"]}
        for j in found
    ]
    return table("The best candidate against the others, over all topics there could be", columns, rows)


def _valid_p(test: Part | None) -> float | None:
    """The p-value where the test keeps its level: more topics than systems."""
    if test is None or test["settings"]["n_systems"] >= test["settings"]["n_topics"]:
        return None
    p: float = test["pvalue"]
    return p


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


def _interval_table(caption: str, what: str, rows: Rows) -> str:
    columns = [Column(what, "label", "name"), Column("value", "value"), Column("low", "low"), Column("high", "high")]
    columns += [Column("bias-corrected", "corrected"), Column("p, chance", "pvalue"), Column("ceiling", "ceiling")]
    columns += [Column("why there is no value", "why", "text")] if any(row["why"] for row in rows) else []
    return table(caption, columns, rows)


def _coefficients(c: Part, k: int, parts: Parts, several: bool) -> str:
    """Every coefficient with its interval, what ties leave open, and the values on each topic."""
    rows = [_interval_row(c, n, label=n, place=at) for at, n in enumerate(c["coefficients"])]
    drawn = [row for row in rows if row["value"] is not None]
    key = f"coefficients-{k}"
    about = "The value on these topics as a dot, the interval over all topics there could be as a line"
    about += ", and the ceiling given the number of topics as a bar." if c.get("ceiling") else "."
    limits = domain_of([row[of] for row in drawn for of in ("value", "low", "high", "ceiling")])
    parts.chart(key, charts.forest("coefficient", about, len(drawn), ceiling=bool(c.get("ceiling")), domain=limits), drawn)
    content = chart(key, "Coefficients and their intervals", about, _interval_table("Coefficients", "coefficient", rows))
    content += _tie_bounds(c) + _per_topic(c) + _reliability(c)
    if not several:
        return content
    return details(name(c["observed"]), content, opened=k == 0).replace("<details", '<details class="candidate"', 1)


def _tie_bounds(c: Part) -> str:
    if not c["tie_bounds"]:
        return ""
    columns = [Column("coefficient", "coefficient", "text")]
    columns += [Column(key, key) for key in ("minimum", "expected", "maximum")]
    rows = [{"coefficient": n, **bounds} for n, bounds in c["tie_bounds"].items()]
    return table("Over all orders of the systems that are tied in observed", columns, rows)


def _per_topic(c: Part) -> str:
    if not c["per_topic"]:
        return ""
    columns = [Column("coefficient", "coefficient", "text"), Column("mean over topics", "mean")]
    columns += [Column("standard deviation", "sd")]
    return table("On each topic", columns, [{"coefficient": n, **found} for n, found in c["per_topic"].items()])


def _reliability(c: Part) -> str:
    found = c.get("reliability")
    if not found:
        return ""
    columns = [Column("estimator", "estimator", "text"), Column("tau", "tau"), Column("tau_ap", "tau_ap")]
    rows = [{"estimator": n, **values} for n, values in found["estimates"].items()]
    caption = f"Expected correlation of the truth's ranking with the true one, given {counted(found['n_topics'], 'topic')}"
    return details("How close the truth is to the true ranking, by all estimators", table(caption, columns, rows))


# Systems -------------------------------------------------------------------------------------------


def _systems(c: Part) -> Rows:
    """A row a system: means, ranks, the ranks that the topics leave open, and places for the charts."""
    ranks, spans = c["ranks"], {r["system"]: r for r in (c.get("rank_intervals") or {}).get("systems", ())}
    rows: Rows = []
    for k, system in enumerate(c["systems"]):
        span = spans.get(system, {})
        row = {
            "system": system,
            "truth": c["truth_means"][k],
            "observed": c["observed_means"][k],
            "truth_rank": ranks["truth"][k],
            "observed_rank": ranks["observed"][k],
            "shift": ranks["observed"][k] - ranks["truth"][k],
            **{key: span.get(key) for key in ("low", "high", "tier")},
        }
        row["outside"] = bool(span) and not row["low"] <= row["observed_rank"] <= row["high"]
        rows.append(row)
    for side in ("truth", "observed"):
        for place, row in enumerate(sorted(rows, key=lambda row: (row[f"{side}_rank"], row["truth_rank"]))):
            row[f"{side}_place"] = place
            row[f"{side}_label"] = f"{row[f'{side}_rank']}  {row['system']}" if side == "observed" else f"{row['system']}  {row[f'{side}_rank']}"
    for at, row in enumerate(sorted(rows, key=lambda row: -abs(row["shift"]))):
        row["told"] = at < TOLD
    rows.sort(key=lambda row: row["truth_place"])
    return rows


def _tell(parts: Parts, c: Part, rows: Rows) -> None:
    """What is said of a system once it is chosen."""
    for row in rows:
        said = parts.systems.setdefault(row["system"], [])
        if not said:
            open_ = f", ranks {row['low']} to {row['high']} possible" if row["low"] is not None else ""
            said.append(f"{c['truth']}: mean {row['truth']:.4f}, rank {row['truth_rank']} of {len(rows)}{open_}")
        said.append(f"{c['observed']}: mean {row['observed']:.4f}, rank {row['observed_rank']}")


def _system_columns(c: Part) -> list[Column]:
    columns = [Column("system", "system", "name"), Column(f"mean, {cut(c['truth'])}", "truth")]
    columns += [Column(f"mean, {cut(c['observed'])}", "observed"), Column(f"rank, {cut(c['truth'])}", "truth_rank", "count")]
    columns += [Column(f"rank, {cut(c['observed'])}", "observed_rank", "count"), Column("places lost", "shift", "count")]
    if c.get("rank_intervals"):
        columns += [Column("best rank", "low", "count"), Column("worst rank", "high", "count"), Column("tier", "tier", "count")]
    return columns


def _system_charts(c: Part, k: int, rows: Rows, parts: Parts) -> str:
    spans = c.get("rank_intervals")
    columns = _system_columns(c)
    truth, observed, shared = c["truth"], c["observed"], f"systems-{k}"
    limits = domain_of([row[side] for row in rows for side in ("truth", "observed")])
    parts.chart(f"scatter-{k}", charts.scatter(truth, observed, limits, intervals=bool(spans)), rows, shared)
    parts.chart(f"bump-{k}", charts.bump(truth, observed, len(rows), intervals=bool(spans)), rows, shared)
    key = "Orange: the rank by the candidate lies outside of those that the truth's topics leave open." if spans else ""
    made = chart(
        f"scatter-{k}",
        "Means against means",
        f"On the diagonal both sides give the same mean. {key}",
        table("Means of the systems", columns[:3], rows),
    )
    made += chart(
        f"bump-{k}",
        "Ranks against ranks",
        f"Each line joins a system's two places. {key}",
        table("Ranks of the systems", [columns[0], *columns[3:6]], rows),
    )
    if spans:
        level = spans["confidence_level"]
        parts.chart(f"ranks-{k}", charts.rank_intervals(len(rows), observed, level), rows, shared)
        made += chart(
            f"ranks-{k}",
            "Ranks that the truth's topics leave open",
            f"Line: ranks with {100 * level:g}% confidence for all systems together; dot: rank by the truth; diamond: "
            f"rank by the candidate. {spans['verdict'][:1].upper()}{spans['verdict'][1:]}.",
            table("Ranks with their intervals", [columns[0], *columns[3:5], *columns[6:]], rows),
        ).replace('class="chart"', 'class="chart wide"', 1)
    whole = details("All systems in one table", table("All systems", columns, rows), opened=len(rows) <= 30)
    return f'<div class="grid">{made}</div>{whole}'


# What disagrees ------------------------------------------------------------------------------------


def _matters(c: Part, rows: Rows) -> str:
    """Systems outside of their intervals, and swapped pairs that the truth's topics tell apart."""
    if not c.get("rank_intervals"):
        return "<p>Not known: that needs the scores of the truth on each topic.</p>"
    outside = sorted((row for row in rows if row["outside"]), key=lambda row: -abs(row["shift"]))
    content = (
        f"<p>{text(counted(len(outside), 'system'))} of {len(rows)} "
        f"{'has' if len(outside) == 1 else 'have'} a rank by {name(c['observed'])} outside of the ranks that the truth's "
        "topics leave open.</p>"
    )
    if outside:
        content += table("Systems outside of their rank intervals, the largest shift first", _system_columns(c), outside)
    counts, pairs = c["explanation"]["counts"], c["explanation"]["matters"]
    if counts["matters"] is None:
        return content
    content += (
        f"<p>{text(counted(counts['swapped'], 'pair'))} of {counts['pairs']} swapped; {counts['matters']} of them although "
        "the truth's topics tell the two systems apart. The others may be luck of the topics on either side.</p>"
    )
    if pairs:
        first = f", the first {len(pairs)}" if len(pairs) < counts["matters"] else ""
        content += table(f"Swapped pairs that the truth tells apart, the costliest first{first}", _PAIR_COLUMNS, pairs)
    return content


_PAIR_COLUMNS = [
    Column("better by the truth", "better", "name"),
    Column("worse by the truth", "worse", "name"),
    Column("loss", "loss"),
    Column("difference, truth", "truth_difference"),
    Column("difference, observed", "observed_difference"),
    Column("kind", "kind", "text"),
]


def _causes(c: Part, k: int, parts: Parts) -> str:
    found = c.get("explanation")
    if not found or not (found["pairs"] or found["topics"]):
        return ""
    n, content = found["coefficient"], ""
    if found["pairs"]:
        worst = [{**pair, "place": at} for at, pair in enumerate(found["pairs"][:MOST_BARS])]
        labels = distinct([f"{cut(p['better'], 18)} > {cut(p['worse'], 18)}" for p in worst])
        rows = [{**pair, "label": label} for pair, label in zip(worst, labels, strict=True)]
        parts.chart(f"pairs-{k}", charts.pairs(n, len(rows)), rows)
        content += chart(
            f"pairs-{k}",
            f"Pairs that cost most of {n}",
            f"The parts of all pairs sum to 1 - {n} = {found['loss']:.4f}. Orange: the truth's topics tell the two apart.",
            table(f"The worst {len(found['pairs'])} of {counted(found['counts']['with_loss'], 'pair')} with a loss", _PAIR_COLUMNS, found["pairs"]),
        )
    defined = [t for t in found["topics"] if t["effect"] is not None]
    if defined:
        half = MOST_BARS // 2
        ends = defined if len(defined) <= MOST_BARS else [*defined[:half], *defined[-half:]]
        parts.chart(f"topics-{k}", charts.topics(n, len(ends)), [{**t, "place": at} for at, t in enumerate(ends)])
        columns = [Column("topic", "topic", "name"), Column("effect", "effect"), Column(f"{n} without it", "without")]
        some = f" Shown are the {half} at each end." if len(ends) < len(defined) else ""
        content += chart(
            f"topics-{k}",
            "Topics that lower or raise the agreement",
            f"{n} without a topic, minus {found['value']:.4f} with all. Orange: the rankings agree better without it.{some}",
            table("Effect of each topic", columns, found["topics"]),
        )
    if found["systems"]:
        columns = [Column("system", "system", "name"), Column("loss", "loss"), Column("swapped pairs", "swapped", "count")]
        content = f'<div class="grid">{content}</div>'
        content += details("What each system costs", table("Half of the loss of each of its pairs", columns, found["systems"]))
    return content


def _notes(c: Part) -> str:
    tied = c["tied_pairs"]
    notes = [f"{n} has no value: {why}" for n, why in c["not_defined"].items()]
    notes += [f"{counted(tied[side], 'tied pair')} in {c[side]}" for side in ("truth", "observed") if tied[side]]
    notes += [*c["notes"], *c.get("read_notes", ()), *c.get("truth_notes", ())]
    notes += (c.get("explanation") or {}).get("notes", [])
    return items(list(dict.fromkeys(notes))) if notes else "<p>Nothing: no ties, nothing left out, no identical systems.</p>"
