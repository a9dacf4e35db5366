"""Report on a comparison: the answer, one bar, three tiles and the ranks; the rest is collapsed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import counted, escaped, listing
from ...judges.worth import SCORED, question, told
from ...judges.worth import shown as of_topics
from ..figures.labels import distinct, most_telling, shortened
from . import elements
from .elements import Part, Parts, Records, Topics, details, figure, name, table

MOST_EACH = 10  # candidates that get their own section
MOST_MOVES = 8
MOST_CAUSES = 10  # rows of the tables of pairs and of topics


def comparison_parts(document: Mapping[str, Any]) -> Parts:
    """Make the parts of a report on one candidate or several."""
    found = document["comparisons"]
    first = found[0]
    parts = Parts(question(_noun(first), [first["truth"], *(c["candidate"] for c in found)]), document["about"])
    if len(found) == 1:
        rows = systems_of(first)
        parts.front = bar_of(first) + _tiles(first, rows) + _ranks(first, rows)
        parts.statistics = _statistics(first, rows)
    else:
        best_first = [found[k] for k in document["order"]]
        parts.front = _candidates(best_first, document["ranking"]) + _each(best_first[:MOST_EACH])
        if len(found) > MOST_EACH:
            parts.front += (
                f'<p class="about">Only the best {MOST_EACH} of {len(found)} are shown here; the JSON has all.</p>'
            )
    parts.notes = document["notes"]
    parts.cited = [n for n, value in first["coefficients"].items() if value is not None]
    for key, method in (("rank_test",) * 2, ("ceiling", "expected_correlation"), ("rank_intervals",) * 2):
        parts.cited += [method] * bool(first[key])
    return parts


def _noun(c: Part) -> Any:
    return c["worth"]["settings"]["noun"] if c["worth"] else "judge"


def judged_by(coefficients: Mapping[str, float | None]) -> str | None:
    """Choose the headline coefficient: tau_b if it has a value, or else the first with a value."""
    known = [name for name, value in coefficients.items() if value is not None]
    return "tau_b" if "tau_b" in known else next(iter(known), None)


def _worth(worth: Part) -> tuple[float, float, float]:
    """Return the worth and the ends of its interval. In JSON, null stands for infinity."""
    value, low, high = worth["worth"], worth["interval"]["low"], worth["interval"]["high"]
    return tuple(math.inf if end is None else end for end in (value, low, high))  # type: ignore[return-value]


def _candidates(found: Sequence[Part], ranking: Part | None) -> str:
    """List the candidates, the best first, and draw the worth of each."""
    coefficient = judged_by(found[0]["coefficients"])
    known = next((c["worth"] for c in found if c["worth"]), None)
    rows: Records = []
    drawn: Records = []
    for c in found:
        row: dict[str, Any] = {"candidate": c["candidate"]}
        if known:
            most, level = known["n_topics"], f"{100 * known['interval']['confidence_level']:g}% interval"
            row |= {f"worth of {most:g}": None, level: ""}
            if c["worth"]:
                value, low, high = _worth(c["worth"])
                row |= {f"worth of {most:g}": Topics(value), level: told(low, high, most)}
                value, low, high = (min(end, 2 * most) for end in (value, low, high))
                drawn.append({"label": c["candidate"], "value": value, "low": low, "high": high})
        if coefficient:
            row[coefficient] = c["coefficients"].get(coefficient)
        if ranking:
            verdict = "could be the best" if c["candidate"] in ranking["best"] else "weaker than the best"
            row["verdict"] = "the same data" if c["same"] else verdict
        rows.append(row)
    listed = table(f"Best first, by {'agreement across topics' if ranking else coefficient}", rows)
    if not drawn:
        return listed
    by = SCORED[_noun(found[0])]
    caption = f"Line: {level}, drawn up to {2 * most:g} topics." + elements.first_of(drawn)
    drawing = elements.spans(drawn, f"topics {by} {found[0]['truth']}")
    return listed + figure(f"What {most:g} topics {by} each are worth", drawing, caption)


def systems_of(c: Part) -> Records:
    """Make one row per system, sorted by the truth's ranks, with means, ranks, and the truth's rank interval."""
    ranks, spans = c["ranks"], {r["system"]: r for r in (c["rank_intervals"] or {}).get("rows", ())}
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
    if not c["worth"]:
        return ""
    most, level = c["worth"]["n_topics"], 100 * c["worth"]["interval"]["confidence_level"]
    drawn = elements.worth_bar(*_worth(c["worth"]), most, (c["truth"], c["candidate"]))
    by = SCORED[_noun(c)]
    title = f"{most:g} topics {by} {c['candidate']} do as well as how many {by} {c['truth']}?"
    return figure(title, drawn, f"Dot: the estimate. Line: {level:g}% interval.")


def _tiles(c: Part, rows: Records) -> str:
    """Make three tiles: the swapped pairs, the systems that moved beyond doubt, and the worth."""
    tiles = []
    counts = (c["explanation"] or {}).get("counts") or {}
    if counts.get("swapped") is not None:
        tied, coefficient = c["tied_pairs"]["candidate"], judged_by(c["coefficients"])
        more = [f"{coefficient} {c['coefficients'][coefficient]:.2f}"] * (coefficient is not None)
        more += [f"{tied} tied by {c['candidate']}"] * bool(tied)
        tiles.append((f"{counts['swapped']:,} of {counts['pairs']:,}", "pairs of systems swapped", "; ".join(more)))
    if c["rank_intervals"]:
        level = f"{100 * c['rank_intervals']['confidence_level']:g}%"
        outside = [row["system"] for row in rows if row["outside"]]
        who = f"{listing([shortened(system) for system in outside], 3)}: outside" if outside else "all within"
        why = f"{who} {c['truth']}'s {level} rank interval{'s' * (len(outside) != 1)}"
        tiles.append((f"{len(outside)} of {len(rows)}", "systems moved beyond doubt", why))
    if worth := c["worth"]:
        value, low, high = _worth(worth)
        by, most = SCORED[_noun(c)], worth["n_topics"]
        what = f"topics {by} {c['truth']} do as well as {most:g} {by} {c['candidate']}"
        level = f"{100 * worth['interval']['confidence_level']:g}%"
        tiles.append((of_topics(value), what, f"{level} interval {told(low, high, most)}"))
    made = "".join(
        f'<div class="tile"><strong>{escaped(big)}</strong> <span>{escaped(what)}</span>'
        f"<small>{escaped(more)}</small></div>"
        for big, what, more in tiles
    )
    return f'<div class="tiles">{made}</div>'


def _ranks(c: Part, rows: Records) -> str:
    """Draw the ranks side by side, and list the systems that moved most."""
    kept, note = most_telling([row["shift"] for row in rows], elements.MOST)
    shown = [rows[k] for k in kept]
    drawn = elements.ranks(shown, (c["truth"], c["candidate"]), moved)
    caption = f"{note}. " if note else ""
    caption += f"Orange: {c['candidate']}'s rank lies outside {c['truth']}'s rank interval." * any(
        row["outside"] for row in shown
    )
    movers = sorted((row for row in rows if row["shift"]), key=lambda row: (not row["outside"], -abs(row["shift"])))
    title = f"Largest moves; allowed are the ranks that {shortened(c['truth'], 16)}'s topics leave open"
    listed = table(title, [{"system": row["system"], **_moves(c, row)} for row in movers[:MOST_MOVES]])
    listed = listed or "<p>No system changes its rank.</p>"
    return f'<div class="grid">{figure("Ranks side by side", drawn, caption)}<div>{listed}</div></div>'


def _each(found: Sequence[Part]) -> str:
    """Make a collapsed section for each candidate."""
    made = ""
    for c in found:
        rows = systems_of(c)
        content = f"<p>{escaped(c['verdict']['headline'])}</p>" + bar_of(c) + _tiles(c, rows) + _ranks(c, rows)
        content += "".join(f"<h3>{escaped(title)}</h3>{html}" for title, html in _statistics(c, rows))
        made += details(name(c["candidate"]), content)
    return f"<h2>One by one</h2>{made}"


def _statistics(c: Part, rows: Records) -> list[tuple[str, str]]:
    """Make the headings and contents of the section "Statistics"."""
    made = [("Coefficients", _coefficients(c)), ("Ties and topics", _ties(c)), ("Systems", _systems(c, rows))]
    made += [("What the rankings disagree on", _causes(c))]
    return [(title, html) for title, html in made if html]


def _moves(c: Part, row: Part) -> dict[str, Any]:
    """Make the columns that hold a system's move and its allowed ranks."""
    return {"move": row["move"]} | ({"allowed ranks": row["possible"]} if c["rank_intervals"] else {})


def _coefficients(c: Part) -> str:
    """Make the table of the coefficients that have a value. The notes say why the others have none."""
    rows: Records = []
    for n, value in c["coefficients"].items():
        row = {"coefficient": n, "value": value}
        if c["intervals"]:
            span = c["intervals"].get(n) or {}
            row["interval"] = f"{span['low']:.2f} to {span['high']:.2f}" if span.get("low") is not None else "–"
        if c["pvalues"]:
            row["p, chance"] = c["pvalues"].get(n)
        if c["ceiling"]:
            row[f"{shortened(c['truth'], 16)} itself"] = (c["ceiling"].get(n) or {}).get("value")
        rows += [row] if value is not None else []
    about = []
    if c["intervals"]:
        level = next(100 * span["confidence_level"] for span in c["intervals"].values())
        about.append(f"The {level:g}% intervals are for all such topics and bias-corrected; they may miss the value.")
    if c["ceiling"]:
        about.append(f"{c['truth']} itself: expected correlation of its ranking with the true ranking.")
    about += [f"{c['rank_test']['verdict']}."] if c["rank_test"] else []
    return table("Coefficients", rows) + "".join(f'<p class="about">{escaped(line)}</p>' for line in about)


def _ties(c: Part) -> str:
    bounds = [{"coefficient": n, **ends} for n, ends in c["tie_bounds"].items()]
    topics = [
        {"coefficient": n, "mean over topics": of["mean"], "standard deviation": of["sd"]}
        for n, of in c["per_topic"].items()
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
    drawn = elements.scatter(rows, (c["truth"], c["candidate"]), alike=alike)
    return figure("Means against means", drawn, caption) + table("All systems", listed)


def _causes(c: Part) -> str:
    """List the pairs and topics that cost the most agreement."""
    found = c["explanation"]
    if not found:
        return ""
    n, truth, candidate = found["coefficient"], shortened(c["truth"], 16), shortened(c["candidate"], 16)
    kinds = {"swapped": "swapped", "tied in truth": f"tied by {truth}", "tied in candidate": f"tied by {candidate}"}
    rows: Records = []
    for pair in found["pairs"][:MOST_CAUSES]:
        row = {f"better by {truth}": pair["better"], "worse": pair["worse"], "loss": pair["loss"]}
        row["kind"] = kinds[pair["kind"]]
        rows.append(row | ({f"significant by {truth}": pair["told_apart"]} if "told_apart" in pair else {}))
    title = f"The costliest {len(rows)} of {counted(found['counts']['with_loss'], 'pair')} with a loss in {n}"
    known = [topic for topic in found["topics"] if topic["effect"] is not None]
    worst = sorted(known, key=lambda topic: -abs(topic["effect"]))[:MOST_CAUSES]
    topics = [{"topic": t["topic"], f"{n} without it": t["without"], "change": t["effect"]} for t in worst]
    return table(title, rows) + table(f"The {len(topics)} topics with the largest effect on {n}", topics)
