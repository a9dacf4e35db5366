"""Show all candidates in one table, the best first, and which of them could be the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...coefficients.registry import headlines
from ...judges.worth import told
from .elements import Part, Records, Span, Topics, table

MANY = 10  # with more candidates, reports show less about each
BEST, WEAKER = "could be the best", "weaker than the best"


def in_order(document: Mapping[str, Any]) -> list[int]:
    """Order the comparisons, the best first: by agreement across topics, or else by the first coefficient."""
    found = document["comparisons"]
    places = list(range(len(found)))
    ranking = document.get("ranking")
    if ranking:
        order = {judge["names"][1]: k for k, judge in enumerate(ranking["judges"])}
        return sorted(places, key=lambda k: order[found[k]["candidate"]])
    name = shown_coefficients(found)[0]

    def value(k: int) -> float:
        found_value = found[k]["coefficients"].get(name)
        return float("inf") if found_value is None else -found_value

    return sorted(places, key=value)


def shown_coefficients(found: Sequence[Part]) -> list[str]:
    """Choose the coefficients with intervals that have a value for some candidate, or else the first three."""
    shown = [n for n in headlines("inferred") if any(c["coefficients"].get(n) is not None for c in found)]
    return shown or list(found[0]["coefficients"])[:3]


def candidates_table(document: Mapping[str, Any], order: Sequence[int]) -> str:
    """Make a table of candidates, best first: those that could be the best, then the weaker ones."""
    found = document["comparisons"]
    name_of, ranking = shown_coefficients(found)[0], document.get("ranking")
    known = [c["worth"] for c in found if c.get("worth")]
    most = max((worth["n_topics"] for worth in known), default=25)
    ends = [worth["interval"]["high"] for worth in known if worth["interval"]["high"] is not None]
    domain = (0.0, max([float(most), *(min(end, 2.0 * most) for end in ends)]))
    rows: Records = []
    for k in order:
        c, worth = found[k], found[k].get("worth")
        row: dict[str, Any] = {"candidate": c["candidate"]}
        if known:
            row |= _worth(worth, most, domain)
        row[name_of] = c["coefficients"].get(name_of)
        if ranking:
            row["verdict"] = BEST if c["candidate"] in ranking["best"] else WEAKER
        rows.append(row)
    return table(f"Best first, by {'agreement across topics' if ranking else name_of}", rows)


def _worth(worth: Part | None, most: float, domain: tuple[float, float]) -> dict[str, Any]:
    """Make the columns of a candidate's worth, in words and drawn; empty if it is unknown."""
    value, ends, span = None, "", Span(None, None, None, domain)
    if worth and (low := worth["interval"]["low"]) is not None:
        high = worth["interval"]["high"]
        value = Topics(math.inf if worth["worth"] is None else worth["worth"])
        ends = told(low, math.inf if high is None else high, worth["n_topics"])
        span = Span(value, low, high, domain)
    return {f"worth of {most:g}": value, "95% interval": ends, f"0 to {domain[1]:.0f}": span}
