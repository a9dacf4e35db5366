"""All candidates in one table, the best first, and which could be the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...coefficients.registry import headlines
from ...judges.verdicts import told
from .elements import Part, Records, Span, names, number, spark, table, topics, words

MANY = 10  # of more candidates than that, pages show less of each
BEST, WEAKER = "could be the best", "weaker than the best"


def in_order(document: Mapping[str, Any]) -> list[int]:
    """The places of the comparisons, the best first: by agreement across topics, or else by the first coefficient."""
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
    """Those with intervals that a candidate has a value of, or else the first ones there are."""
    shown = [n for n in headlines("inferred") if any(c["coefficients"].get(n) is not None for c in found)]
    return shown or list(found[0]["coefficients"])[:3]


def candidates_table(document: Mapping[str, Any], order: Sequence[int]) -> str:
    """One row per candidate, best first: those that could be the best, then those that are weaker."""
    found = document["comparisons"]
    name_of, ranking = shown_coefficients(found)[0], document.get("ranking")
    known = [c["worth"] for c in found if c.get("worth")]
    most = max((worth["n_topics"] for worth in known), default=25)
    ends = [worth["interval"]["high"] for worth in known if worth["interval"]["high"] is not None]
    domain = (0.0, max([float(most), *(min(end, 2.0 * most) for end in ends)]))
    rows: Records = []
    for k in order:
        c, worth = found[k], found[k].get("worth")
        row = {"candidate": c["candidate"], name_of: c["coefficients"].get(name_of)}
        row["group"] = "" if not ranking else BEST if c["candidate"] in ranking["best"] else WEAKER
        if worth and worth["interval"]["low"] is not None:
            low, high = worth["interval"]["low"], worth["interval"]["high"]
            value = math.inf if worth["worth"] is None else worth["worth"]
            row |= {"worth": value, "ends": told(low, math.inf if high is None else high, worth["n_topics"])}
            row["drawn"] = Span(worth["worth"], low, high, domain)
        rows.append(row)
    columns = [names("candidate")]
    if known:
        columns += [
            topics(f"worth of {most:g}", "worth"),
            words("95% interval", "ends"),
            spark(f"0 to {domain[1]:.0f}", "drawn"),
        ]
    columns += [number(name_of)] + [words("verdict", "group")] * bool(ranking)
    by = "agreement across topics" if ranking else name_of
    return table(f"Best first, by {by}", columns, rows)
