"""The reports of reliability and of studies of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...coefficients.registry import headlines
from ...study.judgments import OTHERS
from ...words import counted
from ..markup import text
from . import charts
from .candidates import worth_columns, worth_row
from .elements import chart, details, items, name, names, number, table, topics, words
from .parts import Parts, Records, domain_of, known_fields

MOST_SHOWN = 12  # levels of a study whose systems are shown


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
        key = f"estimates-{coefficient}"
        parts.chart(key, charts.forest(coefficient, about, len(rows), known_fields(rows)), rows)
        columns = [words("estimator", "label"), number(coefficient, "value"), number("low"), number("high")]
        its_table = table(f"Expected {coefficient}", columns, rows)
        parts.add(f"expected-{coefficient}", f"Expected {coefficient}", chart(key, coefficient, about, its_table))
    notes = ["sh(w) and sh(w/o) are baselines, known to be too high"]
    notes += [*found.get("notes", ()), *found.get("read_notes", ())]
    parts.add("caveats", "Caveats", items(notes))
    parts.cite(["reliability"])
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
    parts.add("card", "The judges", table("One row per judge", columns, found["card"]))
    families: Records = [
        {"judge": judge["name"], **row}
        for judge in found["judges"]
        if judge["bias"]
        for row in judge["bias"]["families"]
    ]
    if families:
        columns = [names("judge"), names("family"), number("shift"), number("p (Holm)", "adjusted")]
        columns += [number("tau_b without it", "tau_without"), number("least move", "least_move")]
        parts.add("families", "Bias for families", table("Shifts in standard deviations", columns, families))
    parts.add("caveats", "Caveats", items([*found["notes"], *found.get("read_notes", ())]))
    parts.cite(["tau_b", "tau_ap_b", "soft_pairwise_accuracy", "significance_agreement"])
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
    parts.add("ranking", "What happens to the ranking", _levels(rows, kinds, statistic, parts))
    if document.get("judges"):
        parts.add(
            "judges", "Which judge ranks the systems more like the truth?", _judge_tests(document["judges"], parts)
        )
    if study.get("labels"):
        parts.add("labels", "Do the judges give the same labels?", _labels(study["labels"]))
    parts.add("systems", "Systems", _study_systems(systems, study, parts))
    parts.add("caveats", "Caveats", items(_caveats(document)))
    coefficients = list(dict.fromkeys(row["statistic"] for row in rows if row["statistic"] not in OTHERS))
    parts.cite([*coefficients, "rank_test"])
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


def _levels(rows: Records, kinds: Sequence[str], statistic: str, parts: Parts) -> str:
    content = ""
    columns = [names("level"), words("measure"), words("statistic"), *map(number, ("mean", "low", "high", "sd"))]
    columns += [number("draws"), number("judgments")]
    for k, kind in enumerate(kinds):
        of_kind = [row for row in rows if row["change"] == kind]
        drawn = [row for row in of_kind if row["statistic"] == statistic and row["mean"] is not None]
        order = list(dict.fromkeys(row["level"] for row in of_kind))
        key, about = (
            f"levels-{k}",
            f"{statistic} between the ranking by the full judgments and that by the changed ones.",
        )
        parts.chart(key, charts.levels(statistic, kind, drawn, order), drawn)
        content += chart(key, f"{statistic} by {kind}", about, table(f"{kind}: all statistics", columns, of_kind))
    return content


def _study_systems(rows: Records, study: Mapping[str, Any], parts: Parts) -> str:
    columns = [names("system"), number("score, full", "full_score"), number("score"), number("rank, full", "full_rank")]
    columns += [number("rank"), number("places lost", "rank_shift"), number("unjudged")]
    levels = list(dict.fromkeys((row["change"], row["level"]) for row in rows))
    content = ""
    for k, (kind, level) in enumerate(levels):
        of_level = [row for row in rows if (row["change"], row["level"]) == (kind, level)]
        drawn = [
            {
                "system": row["system"],
                "truth": row["full_score"],
                "candidate": row["score"],
                "truth_rank": row["full_rank"],
                "candidate_rank": row["rank"],
                "outside": False,
            }
            for row in of_level
        ]
        for row in drawn:
            said = parts.systems.setdefault(
                row["system"], [f"full judgments: {row['truth']:.4f}, rank {row['truth_rank']:g}"]
            )
            said.append(f"{kind} {level}: {row['candidate']:.4f}, rank {row['candidate_rank']:g}")
        limits = domain_of([row[side] for row in drawn for side in ("truth", "candidate")])
        key, measure = f"scatter-{k}", of_level[0]["measure"]
        spec = charts.scatter(f"{measure}, full judgments", f"{measure}, {kind} {level}", limits, intervals=False)
        parts.chart(key, spec, drawn)
        about = f"{measure} by the full judgments against {measure} by {kind} {level}."
        made = chart(key, f"{kind} {level}", about, table(f"Systems, {kind} {level}", columns, of_level))
        content += details(text(f"{kind} {level}"), f'<div class="grid">{made}</div>', opened=k == 0)
    in_all = len(dict.fromkeys((row["change"], row["level"], row["measure"]) for row in study["systems"]))
    if in_all > len(levels):
        content += (
            f"<p>Shown are {len(levels)} of {in_all} combinations of level and measure; the JSON has all of them.</p>"
        )
    return content


def _judge_tests(judges: Mapping[str, Any], parts: Parts) -> str:
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
