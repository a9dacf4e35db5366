"""The systems of a comparison: their means and ranks on both sides, in tables and linked charts."""

from __future__ import annotations

from . import charts
from .elements import Column, chart, details, names, number, table
from .parts import Part, Parts, Records, cut, domain_of

_TOLD = 8  # systems named in a crowded chart while none is chosen


def systems_of(c: Part) -> Records:
    """A row a system: means, ranks, the ranks that the topics leave open, and places for the charts."""
    ranks, spans = c["ranks"], {r["system"]: r for r in (c.get("rank_intervals") or {}).get("systems", ())}
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
            **{key: span.get(key) for key in ("low", "high", "tier")},
        }
        row["outside"] = bool(span) and not row["low"] <= row["candidate_rank"] <= row["high"]
        rows.append(row)
    for side in ("truth", "candidate"):  # tied systems have the same rank, and yet places of their own
        for place, row in enumerate(sorted(rows, key=lambda row: (row[f"{side}_rank"], row["truth_rank"]))):
            row[f"{side}_place"] = place
    for at, row in enumerate(sorted(rows, key=lambda row: -abs(row["shift"]))):
        row["told"] = at < _TOLD
    return sorted(rows, key=lambda row: row["truth_place"])


def tell(parts: Parts, c: Part, rows: Records) -> None:
    """What is said of a system once it is chosen."""
    for row in rows:
        said = parts.systems.setdefault(row["system"], [])
        if not said:
            spans = f", ranks {row['low']} to {row['high']} possible" if row["low"] is not None else ""
            said.append(f"{c['truth']}: mean {row['truth']:.4f}, rank {row['truth_rank']} of {len(rows)}{spans}")
        said.append(f"{c['candidate']}: mean {row['candidate']:.4f}, rank {row['candidate_rank']}")


def system_columns(c: Part) -> list[Column]:
    """System, means of both sides, ranks of both, places lost; with intervals: best rank, worst rank, tier."""
    truth, candidate = cut(c["truth"]), cut(c["candidate"])
    columns = [names("system"), number(f"mean, {truth}", "truth"), number(f"mean, {candidate}", "candidate")]
    columns += [number(f"rank, {truth}", "truth_rank"), number(f"rank, {candidate}", "candidate_rank")]
    columns += [number("places lost", "shift")]
    if c.get("rank_intervals"):
        columns += [number("best rank", "low"), number("worst rank", "high"), number("tier")]
    return columns


def system_charts(c: Part, k: int, rows: Records, parts: Parts) -> str:
    """Means against means, ranks against ranks, ranks that the topics leave open."""
    spans = c.get("rank_intervals")
    columns = system_columns(c)
    truth, candidate, shared = c["truth"], c["candidate"], f"systems-{k}"
    limits = domain_of([row[side] for row in rows for side in ("truth", "candidate")])
    parts.chart(f"scatter-{k}", charts.scatter(truth, candidate, limits, intervals=bool(spans)), rows, shared)
    parts.chart(f"bump-{k}", charts.bump(truth, candidate, len(rows), intervals=bool(spans)), rows, shared)
    key = " Orange: the candidate's rank lies outside of those that the truth's topics leave open." if spans else ""
    made = chart(
        f"scatter-{k}",
        "Means against means",
        f"On the diagonal both sides give the same mean.{key}",
        table("Means of the systems", columns[:3], rows),
    )
    made += chart(
        f"bump-{k}",
        "Ranks against ranks",
        f"Each line joins a system's two places.{key}",
        table("Ranks of the systems", [columns[0], *columns[3:6]], rows),
    )
    if spans:
        level = spans["confidence_level"]
        parts.chart(f"ranks-{k}", charts.rank_intervals(len(rows), candidate, level), rows, shared)
        made += chart(
            f"ranks-{k}",
            "Ranks that the truth's topics leave open",
            f"Line: ranks with {100 * level:g}% confidence for all systems together; dot: rank by the truth; diamond: "
            f"rank by the candidate. {spans['verdict'][:1].upper()}{spans['verdict'][1:]}.",
            table("Ranks with their intervals", [columns[0], *columns[3:5], *columns[6:]], rows),
            wide=True,
        )
    whole = details("All systems in one table", table("All systems", columns, rows), opened=len(rows) <= 30)
    return f'<div class="grid">{made}</div>{whole}'
