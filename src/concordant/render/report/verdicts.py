"""The verdict of a report in plain words, from the numbers of its document and nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...coefficients.registry import headlines
from ...judges.verdicts import NOT_KNOWN, undecided
from ...study.judgments import OTHERS
from ...words import counted, listing, p_equals
from .parts import cut

MOST_TOLD = 6
"""Candidates that get a sentence each; of more, they are counted."""

SUBJECTS = ("Across topics", "Agreement", "Truth itself", "Rank test", "Disagreements", "Worth", "Best")
"""What the sentences of a verdict begin with."""

Verdict = dict[str, Any]


def verdict_of_many(document: Mapping[str, Any]) -> Verdict:
    """The verdict that a report opens with."""
    kind = document["report"]
    if kind == "comparison":
        parts = document["comparisons"]
        return dict(parts[0]["verdict"]) if len(parts) == 1 else _of_candidates(document)
    return {"reliability": _of_reliability, "judgments": _of_judgments, "card": _of_card}[kind](document)


def verdict_of(c: Mapping[str, Any]) -> Verdict:
    """What the candidate's topics are worth in topics of the truth; how far the rankings agree; what the topics allow.

    The answer is "yes" where the candidate's topics are worth at least as many of the truth, "no" where they are worth
    fewer, each with confidence, "open" where neither is certain, and "unknown" where worth is not known.
    """
    c = {**c, "truth": cut(c["truth"], 60), "candidate": cut(c["candidate"], 60)}
    answer, headline = _answer(c)
    sentences = [_agreement(c), _itself(c), _tested(c), _disagreements(c)]
    return {"answer": answer, "headline": headline, "sentences": [s for s in sentences if s]}


def judged_by(c: Mapping[str, Any]) -> str | None:
    """The coefficient that decides: the first of three with a value, preferably with an interval."""
    defined = [name for name, value in c["coefficients"].items() if value is not None]
    known = [name for name in headlines("inferred") if name in defined]
    return next((n for n in known if _known(c["intervals"].get(n), "low")), next(iter([*known, *defined]), None))


def _answer(c: Mapping[str, Any]) -> tuple[str, str]:
    if c.get("same"):
        return "unknown", f"{c['verdict']}."
    worth = c.get("worth")
    if worth and worth["word"] == NOT_KNOWN:
        return "unknown", f"{worth['verdict']}."
    if worth:
        low, high = worth["interval"]["low"], worth["interval"]["high"]
        high = math.inf if high is None else high
        answer = "yes" if low >= worth["n_topics"] else "no" if high < worth["n_topics"] else "open"
        return answer, f"{worth['verdict']}."
    name = judged_by(c)
    if name is None:
        return "unknown", f"No coefficient has a value for {c['candidate']} against {c['truth']}."
    return "unknown", f"{name} of {c['candidate']} with {c['truth']} is {c['coefficients'][name]:.3f}."


def _known(found: Mapping[str, Any] | None, number: str) -> Mapping[str, Any] | None:
    """What was found, if it has this number."""
    return found if found and found[number] is not None else None


def _agreement(c: Mapping[str, Any]) -> str:
    name = judged_by(c)
    if name is None:
        return ""
    size = counted(len(c["systems"]), "system") + (f" and {counted(len(c['topics']), 'topic')}" if c["topics"] else "")
    text = f"Agreement: {name} is {c['coefficients'][name]:.3f} on {size}"
    span = _known(c["intervals"].get(name), "low")
    if span:
        centre = span.get("bias_corrected")
        level = f"{100 * span['confidence_level']:g}% interval {span['low']:.3f} to {span['high']:.3f}"
        if centre is None:
            text += f"; across the population of topics: {level}"
        else:
            text += f"; across the population of topics it is estimated as {centre:.3f} ({level})"
        if not span["low"] <= c["coefficients"][name] <= span["high"]:
            text += ", corrected for the bias of having few topics, so the interval need not hold the value"
    p = c["pvalues"].get(name)
    return text + (f". Against chance: {p_equals(p)}." if p is not None else ".")


def _itself(c: Mapping[str, Any]) -> str:
    name = judged_by(c)
    ceiling = _known((c.get("ceiling") or {}).get(name), "value")
    if not ceiling:
        return ""
    count = (c.get("reliability") or {}).get("n_topics", len(c["topics"]))
    return (
        f"Truth itself: with {counted(count, 'topic')}, the ranking of {c['truth']} is expected to agree with the true "
        f"ranking, across the population of topics, to {name} {ceiling['value']:.3f} "
        f"({ceiling['interval']['low']:.3f} to {ceiling['interval']['high']:.3f}); more topics would raise it."
    )


def _tested(c: Mapping[str, Any]) -> str:
    t = c["rank_test"]
    if t is None:
        return ""
    m, n = t["settings"]["n_systems"], t["settings"]["n_topics"]
    if m >= n:
        return (
            f"Rank test: it says nothing here, because there are {counted(m, 'system')} and only {counted(n, 'topic')}."
        )
    found = "rejects" if t["significant"] else "does not reject"
    return (
        f"Rank test: it {found} the ranking of {c['candidate']} as the true one, given the topics "
        f"(rank distance {t['distance']:.3f}, {p_equals(t['pvalue'])})."
    )


def _disagreements(c: Mapping[str, Any]) -> str:
    counts = (c.get("explanation") or {}).get("counts") or {}
    if counts.get("swapped") is None:
        return ""
    text = f"Disagreements: {counts['swapped']} of {counted(counts['pairs'], 'pair')} of systems swapped"
    if counts["matters"] is None:
        return f"{text}."
    return f"{text}; the topics of the truth tell {counts['matters']} of these apart."


def _of_candidates(document: Mapping[str, Any]) -> Verdict:
    parts = [{**c, "truth": cut(c["truth"], 60), "candidate": cut(c["candidate"], 60)} for c in document["comparisons"]]
    if len({(frozenset(c["systems"]), frozenset(c["topics"])) for c in parts}) > 1:
        headline = "The candidates were compared on different systems or topics, so they cannot be ranked."
        return {"answer": "unknown", "headline": headline, "sentences": _each(parts)}
    name = next((n for n in headlines("inferred") if all(c["coefficients"].get(n) is not None for c in parts)), None)
    if name is None:
        return {"answer": "unknown", "headline": "The candidates have no coefficient in common.", "sentences": []}
    ranking = document.get("ranking")
    itself = [*filter(None, [_itself(parts[0])])]
    if ranking:
        places = {cut(judge["names"][1], 60): k for k, judge in enumerate(ranking["judges"])}
        parts.sort(key=lambda c: places[c["candidate"]])
        told = parts[len(ranking["best"]) < 2 :]  # the headline has the worth of a single best one
        sentences = _each(told) if len(parts) <= MOST_TOLD else _counted(parts, ranking)
        headline = _leaders(ranking)
        return {"answer": parts[0]["verdict"]["answer"], "headline": headline, "sentences": [*sentences, *itself]}
    top = max(c["coefficients"][name] for c in parts)
    best = [c for c in parts if c["coefficients"][name] == top]
    who = listing([c["candidate"] for c in best])
    has = "has the highest" if len(best) == 1 else "are tied for the highest"
    headline = f"{who} {has} {name} with {parts[0]['truth']}, {top:.3f}; whether by chance is not tested here."
    sentences = _each(parts) if len(parts) <= MOST_TOLD else []
    return {"answer": best[0]["verdict"]["answer"], "headline": headline, "sentences": [*sentences, *itself]}


def _leaders(ranking: Mapping[str, Any]) -> str:
    """Who ranks the systems most like the truth; where several cannot be distinguished as the best, all of them."""
    best, first = ranking["best"], ranking["judges"][0]
    if len(best) < 2:
        return f"{ranking['verdict']}."
    names = [cut(name, 60) for name in best]
    return f"{undecided(names, len(ranking['judges']), counted(first['settings']['n_topics'], 'topic'))}."


def _counted(parts: Sequence[Mapping[str, Any]], ranking: Mapping[str, Any]) -> list[str]:
    """Of many candidates, how many are worth as many topics of the truth, and how many could be the best."""
    answers = [c["verdict"]["answer"] for c in parts]
    level = f"{100 * ranking['judges'][0]['interval']['confidence_level']:g}%"
    open_ones = counted(answers.count("open") + answers.count("unknown"), "candidate")
    worth = (
        f"Worth: by its own {level} interval, {answers.count('yes')} of {len(parts)} candidates are worth at least as "
        f"many topics of {parts[0]['truth']} as there are of their own, {answers.count('no')} are worth fewer; for "
        f"{open_ones} that is open."
    )
    worse = len(parts) - len(ranking["best"])
    told = (
        f"Best: {worse} of {len(parts)} candidates agree significantly less with {parts[0]['truth']} than another one."
    )
    return [worth, told]


def _each(parts: Any) -> list[str]:
    told = [(c["candidate"], c["verdict"]["headline"]) for c in parts]
    return [said if said.startswith(name) else f"{name}: {said}" for name, said in told]


def _of_card(document: Mapping[str, Any]) -> Verdict:
    found = document["judge_card"]
    return {"answer": "none", "headline": found["verdict"][:1].upper() + found["verdict"][1:] + ".", "sentences": []}


def _of_reliability(document: Mapping[str, Any]) -> Verdict:
    found = document["reliability"]
    size = f"{counted(found['n_topics'], 'topic')}, this ranking of {counted(found['n_systems'], 'system')}"
    best = {name: value for name, value in found["estimates"]["posterior"].items() if value is not None}
    if not best:
        headline = f"With {size} leaves open how well it agrees with the true one."
        return {"answer": "none", "headline": headline, "sentences": []}
    sentences = [
        f"{e['coefficient']}: {100 * e['interval']['confidence_level']:g}% interval {e['interval']['low']:.3f} to "
        f"{e['interval']['high']:.3f}, about {e['value']:.3f} (posterior)."
        for e in found.get("posterior", ())
        if e["value"] is not None and _known(e["interval"], "low")
    ]
    return {
        "answer": "none",
        "headline": f"With {size} is expected to agree with the true one, across the population of topics, to "
        f"{' and '.join(f'{name} {value:.3f}' for name, value in best.items())}.",
        "sentences": [*sentences, "More topics would raise it: `concordant plan` says how many are enough."],
    }


def _of_judgments(document: Mapping[str, Any]) -> Verdict:
    study = document["study"]
    sentences = [
        f"{name} and the truth give the same label with Cohen's kappa {a['kappa']['value']:.3f}."
        for name, a in (study.get("labels") or {}).items()
        if a["kappa"]["value"] is not None
    ]
    ranking = (document.get("judges") or {}).get("ranking")
    if ranking:
        told = ranking["judges"][len(ranking["best"]) < 2 :]  # the headline has the worth of a single best one
        sentences = [*(f"{judge['verdict']}." for judge in told), *sentences]
        return {"answer": "none", "headline": _leaders(ranking), "sentences": sentences}
    headline = _best_and_worst(study["rows"])
    return {"answer": "none", "headline": headline, "sentences": [f"{study['verdict']}.", *sentences]}


def _best_and_worst(rows: Sequence[Mapping[str, Any]]) -> str:
    """Which change keeps the ranking best, and which worst, by the coefficient that the study's verdict uses."""
    there = [row for row in rows if row["mean"] is not None and row["statistic"] not in OTHERS]
    names = [row["statistic"] for row in there]
    if not names:
        return "No coefficient has a value."
    name = headlines("main")[-1] if headlines("main")[-1] in names else names[0]
    of_name = sorted((row for row in there if row["statistic"] == name), key=lambda row: -row["mean"])
    best, worst = ((row, f"{name} {row['mean']:.3f} by {row['measure']}") for row in (of_name[0], of_name[-1]))
    if {row["change"] for row in of_name} == {"judge"}:
        text = f"On these topics, {best[0]['level']} ranks the systems most like the truth ({best[1]})"
        return f"{text}, {worst[0]['level']} least ({worst[1]})." if len(of_name) > 1 else f"{text}."
    text = f"{best[0]['change']} {best[0]['level']} keeps the ranking best ({best[1]})"
    return f"{text}, {worst[0]['change']} {worst[0]['level']} worst ({worst[1]})." if len(of_name) > 1 else f"{text}."
