"""The reports of rank intervals, of reliability, and of studies of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..coefficients.registry import headlines
from ..markup import text
from ..plots.labels import most_telling
from ..study.judgments import OTHERS
from ..words import counted
from . import drawings
from .candidates import worth_columns, worth_row
from .elements import details, figure, name, names, number, table, topics, words
from .parts import Parts, Records

MOST_SHOWN = 12  # levels of a study whose systems are shown


def tier_parts(document: Mapping[str, Any]) -> Parts:
    """The page of rank intervals and tiers."""
    found = document["rank_intervals"]
    settings = found["settings"]
    size = f"{counted(len(found['systems']), 'system')}, {counted(settings['topics'], 'topic')}"
    parts = Parts("Rank intervals and tiers", size + (f", {settings['measure']}" if settings["measure"] else ""))
    rows: Records = found["systems"]
    kept, left_out = most_telling([0] * len(rows))
    drawn = [
        {"label": rows[k]["system"], "value": rows[k]["rank"], "low": rows[k]["low"], "high": rows[k]["high"]}
        for k in kept
    ]
    columns = [names("system"), number("tier"), number("rank")]
    columns += [number("mean" if found["total"] == "mean" else "mean rank", "mean")]
    columns += [number("best rank", "low"), number("worst rank", "high")]
    scope = "all systems together" if found["simultaneous"] else "each system by itself"
    about = f"Line: ranks with {100 * found['confidence_level']:g}% confidence for {scope}; dot: rank on these topics."
    about += f" {left_out}." if left_out else ""
    picture = drawings.spans(drawn, "rank, 1 is best", (1.0, float(max(len(rows), 2))))
    parts.front = figure("Ranks that the topics leave open", picture, about)
    parts.statistics.append(("Ranks", table("Ranks with their intervals", columns, rows)))
    tiers = [{"tier": k, "count": len(tier), "who": ", ".join(tier)} for k, tier in enumerate(found["tiers"], start=1)]
    columns = [number("tier"), number("systems", "count"), words("names", "who")]
    note = (
        "<p>A tier begins with the first system that is significantly worse than the best one of the tier above. Not "
        "every system of a tier is worse than every one above it.</p>"
    )
    parts.statistics.append(("Tiers", note + table("Tiers", columns, tiers) + _best(found.get("best"))))
    parts.notes, parts.cited = list(found.get("notes") or ()), ["rank_intervals"]
    return parts


def _best(found: Mapping[str, Any] | None) -> str:
    if not found:
        return ""
    lists = (("Could be", found["possible"]), ("Certainly are", found["certain"]))
    return "".join(
        f"<h3>{label} among the {text(found['k'])} best</h3><p>{', '.join(map(name, systems)) or 'none'}</p>"
        for label, systems in lists
    )


def reliability_parts(document: Mapping[str, Any]) -> Parts:
    """The page of reliability."""
    found = document["reliability"]
    size = f"{counted(found['n_systems'], 'system')}, {counted(found['n_topics'], 'topic')}"
    parts = Parts("Reliability of a ranking", size)
    posterior = {e["coefficient"]: e for e in found.get("posterior", ())}
    for coefficient in ("tau", "tau_ap"):
        rows: Records = [
            {"label": n, "place": k, "value": values[coefficient], "low": None, "high": None}
            for k, (n, values) in enumerate(found["estimates"].items())
        ]
        if coefficient in posterior:
            e = posterior[coefficient]
            ends = {end: (e["interval"] or {}).get(end) for end in ("low", "high")}
            rows.append({"label": "posterior", "place": len(rows), "value": e["value"], **ends})
        about = f"Expected {coefficient} with the true ranking, by each estimator; the posterior has an interval."
        parts.front += figure(f"Expected {coefficient}", drawings.spans(rows, coefficient), about)
        columns = [words("estimator", "label"), number(coefficient, "value"), number("low"), number("high")]
        parts.statistics.append((f"Expected {coefficient}", table(f"Expected {coefficient}", columns, rows)))
    notes = ["sh(w) and sh(w/o) are baselines, known to be too high"]
    notes += [*found.get("notes", ()), *found.get("read_notes", ())]
    parts.notes, parts.cited = notes, ["reliability"]
    return parts


def card_parts(document: Mapping[str, Any]) -> Parts:
    """The page of the judge card."""
    found = document["judge_card"]
    ranking = found["ranking"]
    first = ranking["judges"][0]
    settings = first["settings"]
    size = f"{counted(settings['n_systems'], 'system')}, {counted(settings['n_topics'], 'topic')}"
    parts = Parts("Judge card", size + (f", {found['settings']['measure']}" if found["settings"]["measure"] else ""))
    labels = {
        "worth": f"worth of {first['n_topics']:g} topics",
        "agreement": "agreement across topics",
        "spa": "soft pairwise accuracy",
        "false_discovery_rate": "false discoveries",
        "false_negative_rate": "missed",
        "rank_of_best": "rank of the best",
        "shift_p": "p of the shift (Holm)",
    }
    columns = [
        (names if isinstance(value, str) else topics if key in ("worth", "low", "high") else number)(
            labels.get(key, key.replace("_", " ")), key
        )
        for key, value in found["card"][0].items()
    ]
    parts.front = table("One row per judge", columns, found["card"])
    families: Records = [
        {"judge": judge["name"], **row}
        for judge in found["judges"]
        if judge["bias"]
        for row in judge["bias"]["families"]
    ]
    if families:
        columns = [names("judge"), names("family"), number("shift"), number("p (Holm)", "adjusted")]
        columns += [number("tau_b without it", "tau_without"), number("least move", "least_move")]
        parts.statistics.append(("Bias for families", table("Shifts in standard deviations", columns, families)))
    parts.notes = [*found["notes"], *found.get("read_notes", ())]
    parts.cited = ["tau_b", "tau_ap_b", "soft_pairwise_accuracy", "significance_agreement"]
    return parts


# Judgments -----------------------------------------------------------------------------------------


def judgment_parts(document: Mapping[str, Any]) -> Parts:
    """The page of a study of judgments, or of judges."""
    study = document["study"]
    rows: Records = study["rows"]
    changes = list(dict.fromkeys((row["change"], row["level"]) for row in rows))
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    kinds = list(dict.fromkeys(kind for kind, _ in changes))
    systems = shown_systems(study)
    count = len({row["system"] for row in study["systems"]})
    title = "Judges against the truth" if kinds == ["judge"] else f"Changed judgments: {', '.join(kinds)}"
    parts = Parts(title, f"{counted(count, 'system')}; {', '.join(measures)}")
    there = [row["statistic"] for row in rows if row["mean"] is not None]
    statistic = next(
        (s for s in (*reversed(headlines("main")), *headlines("inferred")) if s in there),
        there[0] if there else rows[0]["statistic"],
    )
    parts.front = _levels(rows, kinds, statistic)
    if document.get("judges"):
        title = "Which judge ranks the systems more like the truth?"
        parts.statistics.append((title, _judge_tests(document["judges"])))
    if study.get("labels"):
        parts.statistics.append(("Do the judges give the same labels?", _labels(study["labels"])))
    parts.statistics += [("Every statistic", _all_levels(rows, kinds)), ("Systems", _study_systems(systems, study))]
    parts.notes = _caveats(document)
    coefficients = list(dict.fromkeys(row["statistic"] for row in rows if row["statistic"] not in OTHERS))
    parts.cited = [*coefficients, "rank_test"]
    return parts


def _caveats(document: Mapping[str, Any]) -> list[str]:
    """All that the command line notes, each once, and what the p-values of a study are."""
    judges = document.get("judges") or {}
    ranking = judges.get("ranking") or {}
    notes = [*judges.get("notes", ()), *ranking.get("notes", ()), *document["study"].get("notes", ())]
    labels = [f"{judge}: {note}" for judge, a in (document["study"].get("labels") or {}).items() for note in a["notes"]]
    test = (
        "p is that of the rank test of carterette2009, which rejects true rankings too often; with as many systems as "
        "topics or more it says nothing"
    )
    tested = any(row["statistic"] == "p" and row["mean"] is not None for row in document["study"]["rows"])
    return list(dict.fromkeys([*notes, *labels, *document.get("read_notes", ()), *[test] * tested])) or ["nothing"]


def shown_systems(study: Mapping[str, Any]) -> Records:
    """The rows of the first measure, and of no more levels than a page can show."""
    rows = study["systems"]
    if not rows:
        return []
    levels = list(dict.fromkeys((row["change"], row["level"]) for row in rows))[:MOST_SHOWN]
    measure = rows[0]["measure"]
    return [row for row in rows if row["measure"] == measure and (row["change"], row["level"]) in levels]


def _levels(rows: Records, kinds: Sequence[str], statistic: str) -> str:
    """A statistic by level and measure, with what the middle of the draws spans."""
    content = ""
    for kind in kinds:
        drawn = [
            {"label": f"{row['level']}, {row['measure']}", "value": row["mean"], "low": row["low"], "high": row["high"]}
            for row in rows
            if row["change"] == kind and row["statistic"] == statistic and row["mean"] is not None
        ]
        about = f"{statistic} between the ranking by the full judgments and that by the changed ones."
        content += figure(f"{statistic} by {kind}", drawings.spans(drawn[: drawings.MOST], statistic), about)
    return content


def _all_levels(rows: Records, kinds: Sequence[str]) -> str:
    columns = [names("level"), words("measure"), words("statistic"), *map(number, ("mean", "low", "high", "sd"))]
    columns += [number("draws"), number("judgments")]
    return "".join(
        table(f"{kind}: all statistics", columns, [row for row in rows if row["change"] == kind]) for kind in kinds
    )


def _study_systems(rows: Records, study: Mapping[str, Any]) -> str:
    columns = [names("system"), number("score, full", "full_score"), number("score"), number("rank, full", "full_rank")]
    columns += [number("rank"), number("places lost", "rank_shift"), number("unjudged")]
    levels = list(dict.fromkeys((row["change"], row["level"]) for row in rows))
    content = ""
    for kind, level in levels:
        of_level = [row for row in rows if (row["change"], row["level"]) == (kind, level)]
        content += details(text(f"{kind} {level}"), table(f"Systems, {kind} {level}", columns, of_level))
    in_all = len(dict.fromkeys((row["change"], row["level"], row["measure"]) for row in study["systems"]))
    if in_all > len(levels):
        content += (
            f"<p>Shown are {len(levels)} of {in_all} combinations of level and measure; the JSON has all of them.</p>"
        )
    return content


def _judge_tests(judges: Mapping[str, Any]) -> str:
    """What each judge's topics are worth, its coefficients with intervals, and the judges against each other."""
    content, ranking = "", judges["ranking"]
    if ranking:
        columns = [names("judge"), number("topics"), *worth_columns("worth")]
        columns += [names("word"), names("could be the best", "best")]
        rows: Records = [
            {
                "judge": judge["names"][1],
                "topics": judge["n_topics"],
                "word": judge["word"],
                **worth_row(judge),
                "best": "yes" if judge["names"][1] in ranking["best"] else "no",
            }
            for judge in ranking["judges"]
        ]
        content = table("Worth in topics judged by the truth", columns, rows)
    columns = [names("judge"), *(names(n) for n in ("measure", "coefficient"))]
    columns += [number(n) for n in ("value", "low", "high")]
    return content + table("Correlation between means across the population of topics", columns, judges["rows"])


def _labels(labels: Mapping[str, Any]) -> str:
    """Agreement by label with intervals, and who said what."""
    first = next(iter(labels.values()))
    numbers = [key for key, value in first.items() if isinstance(value, Mapping) and "interval" in value]
    columns = [names("judge")]
    for n in numbers:
        columns += [number(n), number(f"{n}, low"), number(f"{n}, high")]
    rows: Records = []
    for judge, found in labels.items():
        rows.append({"judge": judge, **{n: found[n]["value"] for n in numbers}})
        for n in numbers:
            rows[-1] |= {f"{n}, {end}": (found[n]["interval"] or {}).get(end) for end in ("low", "high")}
    content = table("Agreement of the labels, documents that both judged", columns, rows)
    for judge, found in labels.items():
        columns = [number("truth"), *(number(f"judge: {n}", str(n)) for n in found["labels"])]
        counts = [
            {"truth": label, **{str(n): count for n, count in zip(found["labels"], row, strict=True)}}
            for label, row in zip(found["labels"], found["confusion"], strict=True)
        ]
        content += details(f"Labels of {name(judge)}", table("Counts of documents: the truth by row", columns, counts))
    return content
