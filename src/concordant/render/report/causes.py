"""Where two rankings disagree: what matters of it, and which pairs, systems and topics cause it."""

from __future__ import annotations

from ...words import counted
from ..figures.labels import shortened
from ..markup import text
from . import charts
from .elements import chart, details, name, names, number, table, words
from .parts import Part, Parts, Records, distinct
from .systems import system_columns

MOST_BARS = 20
_PAIRS = [
    names("better by the truth", "better"),
    names("worse by the truth", "worse"),
    number("loss"),
    number("difference, truth", "truth_difference"),
    number("difference, candidate", "candidate_difference"),
    words("kind"),
]


def matters(c: Part, rows: Records) -> str:
    """Systems outside of their intervals, and swapped pairs that the truth's topics tell apart."""
    if not c.get("rank_intervals"):
        return "<p>Not known: that needs the scores of the truth on each topic, and those were not given.</p>"
    outside = sorted((row for row in rows if row["outside"]), key=lambda row: -abs(row["shift"]))
    has = "has" if len(outside) == 1 else "have"
    content = (
        f"<p>{text(counted(len(outside), 'system'))} of {len(rows)} {has} a rank by {name(c['candidate'])} outside of "
        "the ranks that the truth's topics leave open.</p>"
    )
    if outside:
        content += table("Systems outside of their rank intervals, the largest shift first", system_columns(c), outside)
    explanation = c.get("explanation") or {}
    counts, pairs = explanation.get("counts") or {}, explanation.get("matters") or []
    if counts.get("matters") is None:
        return content
    content += (
        f"<p>{text(counted(counts['swapped'], 'pair'))} of {text(counts['pairs'])} swapped; {text(counts['matters'])} "
        "of them although the truth's topics tell the two systems apart. The others may be luck of the topics.</p>"
    )
    if pairs:
        first = f", the first {len(pairs)}" if len(pairs) < counts["matters"] else ""
        content += table(f"Swapped pairs that the truth tells apart, the costliest first{first}", _PAIRS, pairs)
    return content


def causes(c: Part, k: int, parts: Parts, *, brief: bool = False) -> str:
    """Pairs, topics and systems by what they take from the coefficient; briefly, without the systems."""
    found = c.get("explanation")
    if not found or not (found["pairs"] or found["topics"]):
        return ""
    content = _pairs(found, k, parts) if found["pairs"] else ""
    content += _topics(found, k, parts) if any(t["effect"] is not None for t in found["topics"]) else ""
    content = f'<div class="grid">{content}</div>'
    if found["systems"] and not brief:
        columns = [names("system"), number("loss"), number("swapped pairs", "swapped")]
        its_table = table("Half of the loss of each of its pairs", columns, found["systems"])
        content += details("What each system costs", its_table)
    return content


def _pairs(found: Part, k: int, parts: Parts) -> str:
    n, worst = found["coefficient"], found["pairs"][:MOST_BARS]
    labels = distinct([_told(p) for p in worst])
    rows = [{**pair, "label": label, "place": at} for at, (pair, label) in enumerate(zip(worst, labels, strict=True))]
    parts.chart(f"pairs-{k}", charts.pairs(n, len(rows)), rows)
    about = f"The parts of all pairs sum to 1 - {n} = {found['loss']:.4f}."
    about += " Orange: the truth's topics tell the two apart." if "told_apart" in rows[0] else ""
    about += " (tied): the candidate ties the two." * any(row["kind"] == "tied in candidate" for row in rows)
    size = counted(found["counts"]["with_loss"], "pair")
    its_table = table(f"The worst {len(found['pairs'])} of {size} with a loss", _PAIRS, found["pairs"])
    return chart(f"pairs-{k}", f"Pairs that cost most of {n}", about, its_table)


def _told(pair: Part) -> str:
    """Both systems by the order of the truth, and whether the candidate ties them."""
    better, worse = (shortened(pair[key], 15) for key in ("better", "worse"))
    if pair["kind"] == "tied in truth":
        return f"{better} = {worse}"
    return f"{better} > {worse}{' (tied)' if pair['kind'] == 'tied in candidate' else ''}"


def _topics(found: Part, k: int, parts: Parts) -> str:
    n = found["coefficient"]
    defined = [t for t in found["topics"] if t["effect"] is not None]
    half = MOST_BARS // 2
    ends = defined if len(defined) <= MOST_BARS else [*defined[:half], *defined[-half:]]
    parts.chart(f"topics-{k}", charts.topics(n, len(ends)), [{**t, "place": at} for at, t in enumerate(ends)])
    about = f"{n} without a topic, minus {found['value']:.4f} with all. Orange: they agree better without it."
    about += f" Shown are the {half} at each end." if len(ends) < len(defined) else ""
    columns = [names("topic"), number("effect"), number(f"{n} without it", "without")]
    its_table = table("Effect of each topic", columns, found["topics"])
    return chart(f"topics-{k}", "Topics that lower or raise the agreement", about, its_table)
