"""Report on a comparison: the answer, one bar, three tiles and the ranks; the rest is collapsed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import counted, listing
from ...judges.worth import SCORED, question, told
from ...judges.worth import shown as of_topics
from ..figures.labels import distinct, shortened
from ..markup import text
from . import drawings
from .candidates import candidates_table, in_order
from .elements import Part, Parts, Records, details, figure, name, table
from .verdicts import judged_by

MOST_EACH = 10  # candidates with their own section
MOST_MOVES = 8
MOST_BARS = 10


def comparison_parts(document: Mapping[str, Any]) -> Parts:
    """Make the parts of a report on one candidate or several."""
    found = document["comparisons"]
    first = found[0]
    noun = (first.get("worth") or {}).get("settings", {}).get("noun", "judge")
    parts = Parts(question(noun, [first["truth"], *(c["candidate"] for c in found)]), _about(first))
    if len(found) == 1:
        rows = systems_of(first)
        parts.front = bar_of(first) + _tiles(first, rows) + _ranks(first, rows)
        parts.statistics = _statistics(first, rows)
    else:
        order = in_order(document)
        parts.front = candidates_table(document, order)
        parts.front += _each([found[k] for k in order[:MOST_EACH]])
        if len(order) > MOST_EACH:
            parts.front += (
                f'<p class="about">Only the best {MOST_EACH} of {len(order)} are shown here; the JSON has all.</p>'
            )
        parts.statistics = [("Every coefficient", _coefficients_of_all(found, order))]
    parts.notes = _notes_of_all(document)
    parts.cited = [n for n, value in first["coefficients"].items() if value is not None]
    for key, method in (("rank_test",) * 2, ("ceiling", "expected_correlation"), ("rank_intervals",) * 2):
        parts.cited += [method] * bool(first.get(key))
    return parts


def _about(c: Part) -> str:
    unit = "topic" if "groups" not in c["settings"] else "group"
    topics = f", {counted(len(c['topics']), unit)}{' of topics' * (unit == 'group')}" if c["topics"] else ""
    measure = f", {c['measure']}" if c["measure"] else ""
    return f"{counted(len(c['systems']), 'system')}{topics}{measure}"


def systems_of(c: Part) -> Records:
    """Make one row per system, best first by the truth: means, ranks, and the truth's rank interval."""
    ranks, spans = c["ranks"], {r["system"]: r for r in (c.get("rank_intervals") or {}).get("rows", ())}
    rows: Records = []
    for k, system in enumerate(c["systems"]):
        span = spans.get(system, {})
        low, high = span.get("rank"), span.get("high")
        rank, other = ranks["truth"][k], ranks["candidate"][k]
        rows.append(
            {
                "system": system,
                "truth": c["truth_means"][k],
                "candidate": c["candidate_means"][k],
                "truth_rank": rank,
                "candidate_rank": other,
                "shift": other - rank,
                "possible": "" if low is None else f"{low} to {high}",
                "outside": low is not None and not low <= other <= high,
            }
        )
    for row in rows:
        row["move"] = moved(row)
    return sorted(rows, key=lambda row: (row["truth_rank"], row["candidate_rank"]))


def moved(row: Part) -> str:
    """Describe the move of a system: "rank 3 to 13, 10 places lost"."""
    shift = row["shift"]
    if not shift:
        return f"rank {row['truth_rank']} on both sides"
    went = f"rank {row['truth_rank']} to {row['candidate_rank']}"
    return f"{went}, {counted(abs(shift), 'place')} {'lost' if shift > 0 else 'gained'}"


def bar_of(c: Part) -> str:
    """Draw the worth of the candidate's topics with its interval, on a scale from 0."""
    worth = c.get("worth")
    if not worth or worth["interval"]["low"] is None:
        return ""
    span, most = worth["interval"], worth["n_topics"]
    drawn = drawings.worth_bar(worth["worth"], span["low"], span["high"], most, (c["truth"], c["candidate"]))
    level = f"{100 * span['confidence_level']:g}% interval"
    by = SCORED[worth["settings"].get("noun", "judge")]
    title = f"{most:g} topics {by} {c['candidate']} do as well as how many {by} {c['truth']}?"
    return figure(title, drawn, f"Dot: the estimate. Line: {level}.")


def _tiles(c: Part, rows: Records) -> str:
    """Make the tiles: pairs swapped, systems that moved beyond doubt, and worth."""
    tiles = []
    counts = (c.get("explanation") or {}).get("counts") or {}
    if counts.get("swapped") is not None:
        tied, coefficient = c["tied_pairs"]["candidate"], judged_by(c["coefficients"])
        more = [f"{coefficient} {c['coefficients'][coefficient]:.2f}"] * (coefficient is not None)
        more += [f"{tied} tied by {c['candidate']}"] * bool(tied)
        tiles.append((f"{counts['swapped']:,} of {counts['pairs']:,}", "pairs of systems swapped", "; ".join(more)))
    if c.get("rank_intervals"):
        level = f"{100 * c['rank_intervals']['confidence_level']:g}%"
        outside = [row["system"] for row in rows if row["outside"]]
        who = f"{listing([shortened(system) for system in outside], 3)}: outside" if outside else "all within"
        why = f"{who} {c['truth']}'s {level} rank interval{'s' * (len(outside) != 1)}"
        tiles.append((f"{len(outside)} of {len(rows)}", "systems moved beyond doubt", why))
    if worth := c.get("worth"):
        span = worth["interval"]
        known = span["low"] is not None
        ends = (
            told(span["low"], float("inf") if span["high"] is None else span["high"], worth["n_topics"])
            if known
            else ""
        )
        value = of_topics(float("inf") if worth["worth"] is None else worth["worth"]) if known else "not known"
        level = f"{100 * span['confidence_level']:g}% interval {ends}" if known else worth["reason"]
        by = SCORED[worth["settings"].get("noun", "judge")]
        what = f"topics {by} {c['truth']} do as well as {worth['n_topics']:g} {by} {c['candidate']}"
        tiles.append((value, what, level))
    made = "".join(
        f'<div class="tile"><strong>{text(big)}</strong> <span>{text(what)}</span><small>{text(more)}</small></div>'
        for big, what, more in tiles
    )
    return f'<div class="tiles">{made}</div>'


def _ranks(c: Part, rows: Records) -> str:
    """Draw the ranks side by side, and list the systems that moved most."""
    shown, note = drawings.chosen(rows)
    drawn = drawings.ranks(shown, (c["truth"], c["candidate"]), moved)
    caption = f"{note}. " if note else ""
    caption += f"Orange: {c['candidate']}'s rank lies outside {c['truth']}'s rank interval." * any(
        row["outside"] for row in shown
    )
    movers = sorted((row for row in rows if row["shift"]), key=lambda row: (not row["outside"], -abs(row["shift"])))
    title = f"Largest moves; allowed are the ranks that {shortened(c['truth'], 16)}'s topics leave open"
    listed = table(title, [{"system": row["system"], **_moves(c, row)} for row in movers[:MOST_MOVES]])
    listed = listed or "<p>No system changes its rank.</p>"
    return f'<div class="grid">{figure("Ranks side by side", drawn, caption)}<div>{listed}</div></div>'


def _each(found: list[Part]) -> str:
    """Make a collapsed section for each candidate."""
    made = ""
    for c in found:
        rows = systems_of(c)
        content = f"<p>{text(c['verdict']['headline'])}</p>" + bar_of(c) + _tiles(c, rows) + _ranks(c, rows)
        content += "".join(f"<h3>{text(title)}</h3>{html}" for title, html in _statistics(c, rows))
        made += details(name(c["candidate"]), content)
    return f"<h2>One by one</h2>{made}"


def _statistics(c: Part, rows: Records) -> list[tuple[str, str]]:
    """Make the headings and contents of the section "Statistics"."""
    made = [("Coefficients", _coefficients(c)), ("Ties and topics", _ties(c)), ("Systems", _systems(c, rows))]
    made += [("What the rankings disagree on", _causes(c))]
    return [(title, html) for title, html in made if html]


def _moves(c: Part, row: Part) -> dict[str, Any]:
    """Make the columns of a system's move and its allowed ranks."""
    return {"move": row["move"]} | ({"allowed ranks": row["possible"]} if c.get("rank_intervals") else {})


def _coefficients(c: Part) -> str:
    """Make the table of coefficients with a value; the notes say why others have none."""
    rows: Records = []
    for n, value in c["coefficients"].items():
        row = {"coefficient": n, "value": value}
        if c["intervals"]:
            span = c["intervals"].get(n) or {}
            row["interval"] = f"{span['low']:.2f} to {span['high']:.2f}" if span.get("low") is not None else "–"
        if c["pvalues"]:
            row["p, chance"] = c["pvalues"].get(n)
        if c.get("ceiling"):
            row[f"{shortened(c['truth'], 16)} itself"] = (c["ceiling"].get(n) or {}).get("value")
        rows += [row] if value is not None else []
    about = []
    if c["intervals"]:
        level = next(100 * span["confidence_level"] for span in c["intervals"].values())
        about.append(f"The {level:g}% intervals are for all such topics and bias-corrected; they may miss the value.")
    if c.get("ceiling"):
        about.append(f"{c['truth']} itself: expected correlation of its ranking with the true ranking.")
    about += [f"{c['rank_test']['verdict']}."] if c["rank_test"] else []
    return table("Coefficients", rows) + "".join(f'<p class="about">{text(line)}</p>' for line in about)


def _coefficients_of_all(found: list[Part], order: list[int]) -> str:
    rows = [
        {"candidate": found[k]["candidate"], "coefficient": n, "value": value}
        for k in order[:MOST_EACH]
        for n, value in found[k]["coefficients"].items()
        if value is not None
    ]
    return table("Every coefficient of each candidate", rows)


def _ties(c: Part) -> str:
    bounds = [{"coefficient": n, **ends} for n, ends in c["tie_bounds"].items()]
    topics = [
        {"coefficient": n, "mean over topics": of["mean"], "standard deviation": of["sd"]}
        for n, of in (c["per_topic"] or {}).items()
    ]
    title = f"Range over all orders of the systems that {c['candidate']} ties"
    return table(title, bounds) + table("On each topic", topics)


def _systems(c: Part, rows: Records) -> str:
    truth, candidate = (f"mean, {name}" for name in distinct([c["truth"], c["candidate"]], 16))
    listed = [
        {"system": row["system"], truth: row["truth"], candidate: row["candidate"], **_moves(c, row)} for row in rows
    ]
    alike = c["lower_is_better"][0] == c["lower_is_better"][1]
    caption = "Dashed line: both give the same mean." if alike else ""
    drawn = drawings.scatter(rows, (c["truth"], c["candidate"]), alike=alike)
    return figure("Means against means", drawn, caption) + table("All systems", listed)


def _causes(c: Part) -> str:
    """Show the pairs and topics that cost the most agreement."""
    found = c.get("explanation")
    if not found:
        return ""
    n, truth = found["coefficient"], shortened(c["truth"], 16)
    rows: Records = []
    for pair in found["pairs"][:MOST_BARS]:
        row = {f"better by {truth}": pair["better"], "worse": pair["worse"], "loss": pair["loss"], "kind": pair["kind"]}
        rows.append(row | ({f"significant by {truth}": pair["told_apart"]} if "told_apart" in pair else {}))
    title = f"The costliest {len(rows)} of {counted(found['counts']['with_loss'], 'pair')} with a loss"
    topics = [topic for topic in found["topics"] if topic["effect"] is not None]
    worst = sorted(topics, key=lambda topic: -abs(topic["effect"]))[:MOST_BARS]
    if not worst:
        return table(title, rows)
    effects = [{"label": t["topic"], "value": t["effect"], "hot": t["effect"] > 0} for t in worst]
    caption = f"{n} without the topic minus {n} with it. Orange: the rankings agree better without it."
    drawn = drawings.bars(effects, f"change of {n}")
    return table(title, rows) + figure(f"The {len(worst)} topics with the largest effect", drawn, caption)


def _notes_of_all(document: Mapping[str, Any]) -> list[str]:
    """Collect the notes, each once, and name the candidates that a note is about unless it is about all."""
    found = document["comparisons"]
    whose: dict[str, list[str]] = {}
    for c in found:
        for note in dict.fromkeys(_notes(c)):
            whose.setdefault(note, []).append(c["candidate"])
    notes = list(document.get("notes", ()))
    notes += [note for note, who in whose.items() if len(who) == len(found)]
    notes += [f"{listing(who)}: {note}" for note, who in whose.items() if len(who) < len(found)]
    return list(dict.fromkeys(notes))


def _notes(c: Part) -> list[str]:
    tied = c["tied_pairs"]
    notes = [f"{n} has no value: {why}" for n, why in c["not_defined"].items()]
    notes += [f"{counted(tied[side], 'tied pair')} in {c[side]}" for side in ("truth", "candidate") if tied[side]]
    notes += [*c["notes"], *c.get("read_notes", ()), *c.get("truth_notes", ())]
    return [*notes, *((c.get("explanation") or {}).get("notes") or ())]
