"""The systems of a comparison: their means and ranks on both sides, in tables and linked charts."""

from __future__ import annotations

from . import charts
from .elements import Column, chart, details, names, number, table
from .parts import Part, Parts, Records, cut

MOST_ON_PAGE = 60  # systems that a chart can name on a printed page; the table is printed in any case
_DRAWN = ("system", "truth_rank", "candidate_rank", "low", "high", "outside", "truth_place")


def systems_of(c: Part) -> Records:
    """One row per system: means, ranks, the ranks that the topics leave open, and places for the charts."""
    ranks, spans = c["ranks"], {r["system"]: r for r in (c.get("rank_intervals") or {}).get("rows", ())}
    rows: Records = []
    for k, system in enumerate(c["systems"]):
        span = spans.get(system, {})
        row = {
            "system": system,
            "truth": c["truth_means"][k],
            "candidate": c["candidate_means"][k],
            "truth_rank": ranks["truth"][k],
            "candidate_rank": ranks["candidate"][k],
            "shift": ranks["candidate"][k] - ranks["truth"][k],
            "low": span.get("rank"),
            "high": span.get("high"),
        }
        row["outside"] = bool(span) and not row["low"] <= row["candidate_rank"] <= row["high"]
        rows.append(row)
    rows.sort(key=lambda row: (row["truth_rank"], row["candidate_rank"]))
    for place, row in enumerate(rows):  # tied systems have the same rank, and yet places of their own
        row["truth_place"] = place
    return rows


def tell(parts: Parts, c: Part, rows: Records, *, brief: bool = False) -> None:
    """What is said of a system once it is chosen; briefly, the truth alone says it."""
    for row in rows:
        said = parts.systems.setdefault(row["system"], [])
        if not said:
            spans = f", ranks {row['low']} to {row['high']} possible" if row["low"] is not None else ""
            said.append(f"{c['truth']}: mean {row['truth']:.4f}, rank {row['truth_rank']} of {len(rows)}{spans}")
        if not brief:
            said.append(f"{c['candidate']}: mean {row['candidate']:.4f}, rank {row['candidate_rank']}")


def system_columns(c: Part) -> list[Column]:
    """System, means of both sides, ranks of both, places lost; with intervals: best rank, worst rank."""
    truth, candidate = cut(c["truth"]), cut(c["candidate"])
    columns = [names("system"), number(f"mean, {truth}", "truth"), number(f"mean, {candidate}", "candidate")]
    columns += [number(f"rank, {truth}", "truth_rank"), number(f"rank, {candidate}", "candidate_rank")]
    columns += [number("places lost", "shift")]
    if c.get("rank_intervals"):
        columns += [number("best rank", "low"), number("worst rank", "high")]
    return columns


def system_charts(c: Part, k: int, rows: Records, parts: Parts) -> str:
    """The ranks that the topics leave open, and all systems in one table."""
    spans, columns = c.get("rank_intervals"), system_columns(c)
    made = ""
    if spans:
        level = spans["confidence_level"]
        drawn = [{key: row[key] for key in _DRAWN} for row in rows]
        parts.chart(f"ranks-{k}", charts.rank_intervals(len(rows), level, candidate=True), drawn)
        made += chart(
            f"ranks-{k}",
            "Ranks that the truth's topics leave open",
            f"Line: ranks with {100 * level:g}% confidence for all systems together; dot: rank by the truth; diamond: "
            f"rank by the candidate. {spans['verdict']} {spans['border_sentence']}",
            "",
            tall=len(rows) > 30,
            crowded=len(rows) > MOST_ON_PAGE,
        )
    its_table = table("All systems", columns, rows)
    return made + details("All systems in one table", its_table, opened=len(rows) <= 30, kind="more printed")
