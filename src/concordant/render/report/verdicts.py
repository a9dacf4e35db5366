"""Write the top of a report: the answer that the terminal prints, and what to do next."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from ...agreement.comparison_result import Compared, Comparison
from ...data.results import Result

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


def verdict_of(found: Result) -> Verdict:
    """Write the verdict; its answer is "yes" if the best candidate does at least as well as the truth, "no" if not."""
    best: Verdict = {"answer": "none", "next": []}
    if isinstance(found, Comparison):
        if len(found.comparisons) == 1:
            return of_one(found.comparisons[0])
        if found.ranking is not None:
            best, found = of_one(found[found.ranking.judges[0].names[1]]), found.ranking
    first, *others = map(_ended, found._answers())
    return {**best, "headline": first, "sentences": others}


def of_one(c: Compared) -> Verdict:
    """Write the verdict on one candidate."""
    known = c.worth if c.worth is not None and not c.same else None
    first, *others = map(_ended, [c.verdict] if known is None else known._answers())
    word, noun = ("", "") if known is None else (known.word, known.noun)
    more = noun == "judge" and c.pairing.by_topic and c.pairing.left_out[1:] > (1,)  # combine needs 2 more topics
    commands = [
        (why, f"concordant {command.format(truth=_file(c, 0), candidate=_file(c, 1))}")
        for why, command in _NEXT.get(word, () if c.same else (_DISAGREE,))
        if more or command != _COMBINE[1]
    ]
    answer = _TONES.get(word, "open" if word in _NEXT else "unknown")
    return {"answer": answer, "headline": first, "sentences": others, "next": commands}


def _ended(line: str) -> str:
    return f"{line.removesuffix('.')}."


def _file(c: Compared, side: int) -> str:
    """Return a side as commands take it: the file that it was read from, or else its name."""
    scores = c.pairing.sides[side]
    found = re.match(r"cc\.read_scores\((['\"])(.+?)\1", scores.call)
    return shlex.quote(found[2] if found else (c.truth, c.candidate)[side])


def judged_by(coefficients: Mapping[str, float | None]) -> str | None:
    """Choose the headline coefficient: tau_b if it has a value, or else the first with a value."""
    known = [name for name, value in coefficients.items() if value is not None]
    return "tau_b" if "tau_b" in known else next(iter(known), None)
