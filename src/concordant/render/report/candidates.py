"""All candidates in one table with their intervals drawn, the best first, and which are better than which."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...coefficients.registry import headlines
from ..markup import text
from .elements import Column, Span, number, pvalue, spark, table, topics, words
from .parts import Part, Records, domain_of

MANY = 10  # of more candidates than that, pages show less of each


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
    """One row per candidate, with its worth and its coefficients, each with the interval."""
    found = document["comparisons"]
    shown = shown_coefficients(found)
    rows: Records = [{"candidate": (k, found[k]["candidate"])} for k in order]
    columns = [Column("candidate", "candidate", "candidate")]
    if len({(len(c["systems"]), len(c["topics"])) for c in found}) > 1:
        columns += [number("systems"), number("topics")]
        for row, k in zip(rows, order, strict=True):
            row |= {what: len(found[k][what]) for what in ("systems", "topics")}
    columns += _worth(document, order, rows)
    for n in shown:
        of = _coefficient(n, [found[k] for k in order], rows, drawn=n == shown[0])
        columns += of if n in shown[:2] else of[:1]  # the parts of each candidate have the other intervals
    if any(c["rank_test"] for c in found):
        columns += [number("rank distance", "distance")]
        columns += [pvalue("p, rank test", "pvalue")] * any(valid_p(c["rank_test"]) is not None for c in found)
        for row, k in zip(rows, order, strict=True):
            row |= {"distance": (found[k]["rank_test"] or {}).get("distance"), "pvalue": valid_p(found[k]["rank_test"])}
    by = "agreement across topics" if document.get("ranking") else shown[0]
    worth = next((c["worth"] for c in found if c.get("worth")), None)
    notes = (
        []
        if worth is None
        else [f"Worth of {worth['n_topics']:g}: as many topics of {worth['names'][0]} rank the systems as well."]
    )
    about = "Population: estimate for all such topics, bias-corrected; the interval is for it."
    notes += [about] * any(c["intervals"] for c in found)
    told = "".join(f'<p class="about">{text(note)}</p>' for note in notes)
    return table(f"Every candidate against the truth, sorted by {by}", columns, rows) + told


def _worth(document: Mapping[str, Any], order: Sequence[int], rows: Records) -> list[Column]:
    worths = [document["comparisons"][k].get("worth") for k in order]
    known = [worth for worth in worths if worth]
    if not known:
        return []
    half = max(worth["n_topics"] for worth in known)
    ends = [worth["interval"]["high"] for worth in known if worth["interval"]["high"] is not None]
    domain = (0.0, max([float(half), *(min(end, 2.0 * half) for end in ends)]))
    best = (document.get("ranking") or {}).get("best")
    for row, worth in zip(rows, worths, strict=True):
        if not worth:
            continue
        span = worth["interval"]
        row.update(worth_row(worth))
        if span["low"] is not None:
            row["worth drawn"] = Span(worth["worth"], span["low"], span["high"], domain)
        if best is not None:
            row["best"] = "no" if row["candidate"][1] not in best else "yes" if len(best) == 1 else "maybe"
    columns = [*worth_columns(f"worth of {half:g}"), spark("interval", "worth drawn")]
    return columns + [words("best?", "best")] * (best is not None)


def worth_columns(label: str) -> list[Column]:
    """Worth and its interval."""
    return [topics(label, "worth"), topics("low", "worth low"), topics("high", "worth high")]


def worth_row(worth: Part) -> dict[str, Any]:
    """What the columns hold; an interval without an end ends at inf."""
    low, high = (worth["interval"][end] for end in ("low", "high"))
    return {
        "worth": worth["worth"],
        "worth low": low,
        "worth high": math.inf if high is None and low is not None else high,
    }


def _coefficient(n: str, found: Sequence[Part], rows: Records, *, drawn: bool) -> list[Column]:
    spans = [c["intervals"].get(n) or {} for c in found]
    values = [c["coefficients"].get(n) for c in found]
    keys = ("bias_corrected", "low", "high")
    domain = domain_of([*values, *(span.get(key) for span in spans for key in keys)])
    for row, value, span in zip(rows, values, spans, strict=True):
        row |= {n: value, **{f"{n} {key}": span.get(key) for key in keys}}
        if span:
            row[f"{n} drawn"] = Span(span.get("bias_corrected"), span.get("low"), span.get("high"), domain)
    if not any(spans):
        return [number(n)]
    columns = [number(n), number("population", f"{n} bias_corrected")]
    columns += [number("low", f"{n} low"), number("high", f"{n} high")]
    return columns + [spark("interval", f"{n} drawn")] * drawn


def valid_p(test: Part | None) -> float | None:
    """The p-value where the test keeps its level: more topics than systems."""
    if test is None or test["settings"]["n_systems"] >= test["settings"]["n_topics"]:
        return None
    p: float = test["pvalue"]
    return p
