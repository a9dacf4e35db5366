"""Make the document behind a report: the result and everything that the report shows, ready for JSON."""

from __future__ import annotations

import ast
import platform
import re
import shlex
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from ... import __version__
from ...agreement.comparison import whole as complete
from ...agreement.comparison_result import Compared, Comparison
from ...agreement.comparison_text import best_first, is_named, notes_of, ranks_of, size, without_value
from ...agreement.explanation import Explanation, explain
from ...coefficients.registry import headlines
from ...data.results import Estimate, Findings, Result, plain, seed_of, shown_fields
from ...data.scores import Means, Scores
from ...errors import InputTypeError, counted
from ...pairing import Pairing
from ...ranks.intervals import RankIntervals
from ...read.source import as_options

MOST_PAIRS = 20  # pairs listed for each candidate, the costliest first
MOST_ROWS = 500  # rows of a table
QUESTIONS = {
    "ComparisonTable": ("Do the rankings agree by every measure and collection?", "compare"),
    "AuditResult": ("How was this number computed?", "audit"),
    "CombinedMeans": ("How do people and machine together rank the systems?", "combine"),
    "Difference": ("Which of two systems is better?", "difference"),
    "Estimate": ("How far do the rankings agree?", ""),
    "Explanation": ("What makes the rankings disagree?", "explain"),
    "GamingGap": ("How far can this judge be gamed?", "gaming_gap"),
    "JudgeCard": (
        "How good are these judges?",
        "judge_card soft_pairwise_accuracy significance_agreement",
    ),
    "JudgeRanking": ("Which judge is the best?", "rank_judges"),
    "JudgeStudy": ("How alike do the judges rank and grade?", "judge_study"),
    "JudgeWorth": ("How good is this judge?", "judge_worth"),
    "JudgmentStudy": ("Does the ranking survive changed judgments?", "judgment_study"),
    "MixPlan": ("What is the cheapest mix of people and machine?", "plan_mix"),
    "Reliability": ("How close is this ranking to the true one?", "reliability"),
    "RunPlan": ("How many runs are enough?", "plan_runs"),
    "TopicPlan": ("How many topics are enough?", "plan_topics"),
    "TopicSelection": ("Which topics suffice?", "select_topics"),
    "VoteRanks": ("Which ranks do the votes support?", "rank_votes"),
}
"""The title of a result's page, and the functions whose papers the page cites."""
Verdict = dict[str, Any]
_TONES = {"much weaker": "no", "weaker": "no", "steadier": "yes"}
_DISAGREE = ("See which systems and topics they disagree on", "explain {truth} {candidate}")
_COMBINE = ("Rank the systems by both together", "combine {truth} {candidate}")
_MORE = ("See how many topics are enough", "plan {truth}")
_NEXT = {
    "much weaker": (_DISAGREE, _COMBINE),
    "weaker": (_DISAGREE, _COMBINE),
    "within a factor of two": (_COMBINE, _MORE),
    "cannot tell": (_MORE,),
    "steadier": (_DISAGREE,),
}


def document_of(given: Any) -> dict[str, Any]:
    """Make the document of a result, with everything that its report shows."""
    if not isinstance(given, Result):
        raise InputTypeError(f"a report needs a result of concordant, not a {type(given).__name__}")
    if isinstance(given, RankIntervals):
        return {"report": "board", **given.to_dict(), "read_notes": _read_notes(_sides(given)), "versions": _versions()}
    made = _of_comparison(given) if isinstance(given, Comparison) else _of_any(given)
    return {**{key: plain(value) for key, value in made.items()}, "versions": _versions()}


def _of_comparison(given: Comparison) -> dict[str, Any]:
    """Collect the comparisons with intervals and tests, and three further results for each comparison.

    These are the expected correlation of the truth's ranking with the true ranking (`ceiling`), the truth's rank
    intervals, and the contributions of systems, pairs and topics (`explain`). All three use the comparison's seed.
    """
    whole = given if given.settings["interval"] and given.settings["test"] else complete(given)
    parts: list[dict[str, Any]] = []
    noted: list[Compared] = []
    of_truth: dict[Any, tuple[RankIntervals | None, dict[str, Any]]] = {}
    for c in whole.comparisons:
        own, side = c.pairing.observations()
        key = (c.systems, c.topics)
        if key not in of_truth:
            of_truth[key] = _of_truth(c, own)
        intervals, known = of_truth[key]
        explained = _explained(c, own, intervals, side)
        ranks = {"truth": ranks_of(c.truth_means), "candidate": ranks_of(c.candidate_means)}
        more = {"explanation": explained, "read_notes": _read_notes(c.pairing.sides), "ranks": ranks}
        parts.append({**c.to_dict(), **known, **more, "verdict": of_one(c)})
        noted.append(replace(c, notes=_page_notes(c, parts[-1])))
    ranking = None if whole.ranking is None else whole.ranking.to_dict()
    common = [note for note in noted[0].notes if all(note in c.notes for c in noted)]
    notes = notes_of(replace(whole, comparisons=tuple(noted), notes=tuple(dict.fromkeys([*whole.notes, *common]))))
    if len(parts) > 1 and ranking is None:
        notes.append("candidates not tested against each other: the test needs the same systems and topics for each")
    order = [given.comparisons.index(c) for c in best_first(given)]
    made = {"report": "comparison", "about": size(given.comparisons[0]), "verdict": verdict_of(given), "order": order}
    return {**made, "comparisons": parts, "ranking": ranking, "notes": notes, "call": _call(whole)}


def _page_notes(c: Compared, part: Mapping[str, Any]) -> tuple[str, ...]:
    """Collect a page's notes about one candidate."""
    ties = zip((c.tied_truth, c.tied_candidate), (c.truth, c.candidate), strict=True)
    own = [f"{counted(count, 'tied pair')} in {side}" for count, side in ties if count]
    beside = [*part["read_notes"], *part["truth_notes"], *(part["explanation"] or {}).get("notes", ())]
    return tuple(dict.fromkeys([*without_value(c, [v.coefficient for v in c.values]), *own, *c.notes, *beside]))


def _of_any(found: Result) -> dict[str, Any]:
    """Collect a result's verdict, its tables, the tables of nested results, and its notes."""
    kind = found._kind or type(found).__name__
    title, function = QUESTIONS.get(kind, (re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).capitalize(), ""))
    sides = _sides(found)
    about = []
    if sides:
        topics = {len(side.topics): 0 for side in sides if isinstance(side, Scores)}
        about = [counted(len(sides[0].systems), "system"), *(counted(n, "topic") for n in topics)]
    tables = [{**table, "rows": table["rows"][:MOST_ROWS]} for table in _tables(found, "")]
    different = [table for k, table in enumerate(tables) if table["rows"] not in [one["rows"] for one in tables[:k]]]
    made: dict[str, Any] = {"report": "result", "kind": kind, "title": title, "about": ", ".join(about)}
    made["cited"] = [found.coefficient.replace(" ", "_")] if isinstance(found, Estimate) else function.split()
    made |= {"verdict": verdict_of(found), "tables": different, "notes": list(found.notes)}
    return {**made, "read_notes": _read_notes(sides), "result": found.to_dict()}


def _tables(found: Any, title: str) -> Iterator[dict[str, Any]]:
    """Yield the table of a result, then the tables of nested results that have more than one row."""
    if isinstance(found, Explanation):
        for kind in ("systems", "topics", "pairs"):
            if rows := found.rows(kind):
                yield {"title": kind, "verdict": "", "rows": rows}
        return
    if isinstance(found, Result) and len(rows := found.rows()) > bool(title):
        names = list(found.data.names[:2]) if isinstance(found.data, Pairing) else []
        yield {"title": title, "verdict": found.verdict if title else "", "rows": plain(rows), "names": names}
    for field, value in {**shown_fields(found), **getattr(found, "parts", {})}.items():
        told = field.replace("_", " ")
        name = f"{title}, {told}" if title else told
        if isinstance(value, tuple):
            inside = [(getattr(part, "name", ""), part) for part in value if not isinstance(part, Result)]
        else:
            inside = list(value.items()) if isinstance(value, Mapping) else [("", value)]
        for key, inner in inside:
            if is_dataclass(inner) and not isinstance(inner, type):
                yield from _tables(inner, f"{name}: {key}" if key else name)


def _sides(found: Result) -> list[Scores | Means]:
    if found.data is None:
        return []
    return list(found.data.sides) if isinstance(found.data, Pairing) else [found.data]


def _read_notes(sides: Iterable[Scores | Means]) -> list[str]:
    """Collect the notes from reading the data, each once."""
    return list(dict.fromkeys(note for side in sides for note in side.notes))


def _call(found: Comparison) -> str:
    """Write the Python code that makes this comparison."""
    first, settings = found.comparisons[0], found.settings
    own: dict[str, Any] = {"top": None, "per_topic": False, "on": "both", "worth": True, "rank_test": "recentred"}
    own |= {"confidence_level": 0.95, "n_resamples": 9_999}
    given = [f"{name}={settings[name]!r}" for name, usual in own.items() if settings[name] != usual]
    if is_named(found):
        given.append(f"coefficients={[v.coefficient for v in first.values]!r}")

    def read(side: Scores | Means, name: str) -> str:
        return side.call or f"...  # {name}"

    sides = [(c.candidate, c.pairing.candidates[0]) for c in found.comparisons]
    return "\n".join(
        [
            "import concordant as cc",
            f"truth = {read(first.pairing.truth, first.truth)}",
            "candidates = {",
            *(f"    {name!r}: {read(side, name)}," for name, side in sides),
            "}",
            f"found = cc.compare(truth, candidates, names={found.names!r}, rng={settings['seed']!r}"
            f"{''.join(f', {one}' for one in given)})",
            'found.report("report.html")',
        ]
    )


def _versions() -> dict[str, str]:
    import scipy

    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    return {"concordant": __version__, **versions}


# Results shown beside a comparison -----------------------------------------------------------------


def _of_truth(c: Compared, truth: Scores | Means) -> tuple[RankIntervals | None, dict[str, Any]]:
    """Estimate how precise the truth is on a comparison's systems and topics.

    Return its rank intervals, if it has enough topics, and the entries of the document that show its precision.
    """
    from ...planning.estimation import expected_correlation
    from ...ranks.intervals import rank_intervals

    if isinstance(truth, Means) or len(truth.topics) < 2:
        why = f"{c.truth} has only one topic, so its precision is unknown"
        if isinstance(truth, Means):
            why = f"{c.truth} has no scores by topic, so its precision is unknown"
        return None, {"ceiling": {}, "rank_intervals": None, "truth_notes": [why]}
    wanted = headlines("inferred")
    how: dict[str, Any] = {"rng": seed_of(c.settings)}
    chosen = [v.coefficient for v in c.values if v.coefficient in wanted or v.interval is not None]
    with warnings.catch_warnings(action="ignore"):  # the notes repeat the warnings
        ceiling = [expected_correlation(truth, coefficient=name, estimator="posterior", **how) for name in chosen]
        intervals = rank_intervals(truth, **how)
    notes = list(dict.fromkeys(note for made in (*ceiling, intervals) for note in made.notes))
    known = {"ceiling": {e.coefficient: e.to_dict() for e in ceiling}, "rank_intervals": intervals.to_dict()}
    return intervals, {**known, "truth_notes": notes}


def _explained_by(c: Compared) -> str | None:
    """Choose the coefficient whose losses the page shows, or return None if every coefficient is undefined."""
    defined = [v.coefficient for v in c.values if not v.why]
    return next((name for name in (*reversed(headlines("main")), *defined) if name in defined), None)


def _explained(
    c: Compared, truth: Scores | Means, intervals: RankIntervals | None, candidate: Scores | Means
) -> dict[str, Any] | None:
    """List the systems, topics and pairs that explain a comparison, and mark the pairs that the truth separates."""
    name = _explained_by(c)
    if name is None:
        return None
    if c.topics and isinstance(truth, Scores) and isinstance(candidate, Scores):
        found = explain(truth, candidate, coefficient=name)
    else:
        found = explain(Means(c.truth_means, c.systems), Means(c.candidate_means, c.systems), coefficient=name)
    rows, apart = found.rows("pairs"), None
    if intervals is not None:
        better, place = intervals.better(), {s: k for k, s in enumerate(intervals.systems)}
        rows = [{**row, "told_apart": bool(better[place[row["worse"]], place[row["better"]]])} for row in rows]
        apart = sum(row["told_apart"] for row in rows if row["kind"] == "swapped")
    swapped = sum(row["kind"] == "swapped" for row in rows)
    counts: dict[str, int | None] = {"pairs": len(c.systems) * (len(c.systems) - 1) // 2, "with_loss": len(rows)}
    counts |= {"swapped": swapped, "matters": apart} if found.exact else {"swapped": None, "matters": None}
    return {**replace(found, pairs=()).to_dict(), "pairs": rows[:MOST_PAIRS], "counts": counts}


# The top of the page: the answer that the terminal prints, and what to do next ---------------------


def verdict_of(found: Result) -> Verdict:
    """Write the verdict on a result.

    For a comparison, `answer` tells how the best candidate compares with the truth: "yes" if steadier, "no" if weaker,
    "open" if the difference is small or unclear, and "unknown" without a worth. For other results it is "none".
    """
    best: Verdict = {"answer": "none", "next": []}
    if isinstance(found, Comparison):
        if len(found.comparisons) == 1:
            return of_one(found.comparisons[0])
        if found.ranking is not None:
            best = of_one(found[found.ranking.judges[0].names[1]])
    elif isinstance(found, Findings):
        found = found.numbers.get("ranking") or found
    first, *others = map(_ended, found._answers())
    return {**best, "headline": first, "sentences": others}


def of_one(c: Compared) -> Verdict:
    """Write the verdict on one candidate."""
    known = c.worth if c.worth is not None and not c.same else None
    first, *others = map(_ended, [c.verdict] if known is None else known._answers())
    word, noun = ("", "") if known is None else (known.word, known.noun)
    more = noun == "judge" and c.pairing.by_topic and c.pairing.left_out[1:] > (1,)  # combine needs 2 more topics
    commands = [
        (why, f"concordant {command}")
        for why, line in _NEXT.get(word, () if c.same else (_DISAGREE,))
        if (more or line != _COMBINE[1]) and (command := _command(c, line)) is not None
    ]
    answer = _TONES.get(word, "open" if word in _NEXT else "unknown")
    return {"answer": answer, "headline": first, "sentences": others, "next": commands}


def _ended(line: str) -> str:
    return f"{line.removesuffix('.')}."


def _command(c: Compared, line: str) -> str | None:
    """Write a command with the options that read its sides, or return None if no command can read them."""
    verb, *wanted = line.split()
    try:
        sides, read = zip(*(_side(c, one == "{candidate}") for one in wanted), strict=True)
    except TypeError:  # a side has several files, or an option that only Python takes
        return None
    options = [one for one in read if one is not None]
    if c.settings["top"] or any(one != options[0] for one in options):
        return None
    explained = verb == "explain"
    by = ["-c", name] if explained and (name := _explained_by(c)) not in (None, "tau_b") else []
    own = ["--own-topics"] if explained and c.settings["on"] == "systems" else []
    return shlex.join([verb, *sides, *by, *own, *(options[0] if options else ())])


def _side(c: Compared, k: int) -> tuple[str, list[str] | None]:
    """Return a side as an argument of a command (its file, or else its name), and the options that read the file."""
    call = c.pairing.sides[k].call
    if not call.startswith("cc.read_scores("):
        return (c.truth, c.candidate)[k], None
    made: Any = ast.parse(call, mode="eval").body
    path, *measure = map(ast.literal_eval, made.args)
    how = {one.arg: ast.literal_eval(one.value) for one in made.keywords}
    direction = {True: ["lower"], False: ["higher"]}.get(how.pop("lower_is_better", None), [])
    return ":".join([path, *measure, *direction]), as_options(how)
