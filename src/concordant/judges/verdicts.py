"""Words and sentences for a worth, shared by terminal, report and figures.

The noun of a candidate is judge, measure, pool or benchmark. For an interval [L, H] of the worth of a topics:

    H < a/2               much weaker
    H < a                 weaker
    L > a                 steadier
    L >= a/2, H <= 2a     within a factor of two
    otherwise             cannot tell
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..pairing import Noun
from ..words import counted, listing

FEWEST_TOPICS, FEWEST_SYSTEMS = 10, 8
NO_LIMIT = 9_999  # more topics than this are shown as "no limit"
NOT_KNOWN, CANNOT_TELL = "not known", "cannot tell"
SCORED: dict[Noun, str] = {"judge": "judged by", "measure": "measured by", "pool": "judged from", "benchmark": "of"}
"""Words between topics and a side, as in "25 topics judged by gpt"."""


def question(noun: Noun, names: Sequence[str]) -> str:
    """Write the question that a comparison answers; `names` starts with the truth."""
    truth, *others = names
    if len(others) > 1:
        return f"Which of {len(others)} {noun}s could replace {truth}?"
    return f"Can {others[0]} replace {truth} as {noun}?"


def word_of(low: float, high: float, n_topics: float) -> str:
    """Choose the word for an interval of the worth of n_topics topics."""
    if math.isnan(low):
        return NOT_KNOWN
    if high < n_topics / 2:
        return "much weaker"
    if high < n_topics:
        return "weaker"
    if low > n_topics:
        return "steadier"
    return "within a factor of two" if low >= n_topics / 2 and high <= 2 * n_topics else CANNOT_TELL


def too_few(topics: int, systems: int, unit: str = "topic") -> str:
    """Say why a worth cannot be estimated; empty if it can."""
    missing = []
    if topics < FEWEST_TOPICS:
        missing.append(f"{counted(topics, unit)} (at least {FEWEST_TOPICS} are needed)")
    if systems < FEWEST_SYSTEMS:
        missing.append(f"{counted(systems, 'system')} (at least {FEWEST_SYSTEMS} are needed)")
    return f"there are only {' and '.join(missing)}" if missing else ""


def judgment(word: str, names: Sequence[str], sample: str, noun: Noun = "judge", reason: str = "") -> str:
    """Write the first sentence, how good the candidate is. `sample` counts the topics and systems."""
    truth, candidate = names
    return {
        "much weaker": f"{candidate} is a much weaker {noun} than {truth}",
        "weaker": f"{candidate} is a weaker {noun} than {truth}",
        "steadier": f"{candidate} is a steadier {noun} than {truth}",
        "within a factor of two": f"{candidate} is within a factor of two of {truth}, as far as {sample} can tell",
        CANNOT_TELL: f"{sample} are too few to tell how good a {noun} {candidate} is",
        NOT_KNOWN: f"What {candidate} is worth is not known: {reason}",
    }[word]


def sentence(
    names: Sequence[str],
    n_topics: float,
    worth: tuple[float, float, float],
    level: float,
    *,
    noun: Noun = "judge",
    unit: str = "topics",
    systems: str = "the systems",
) -> str:
    """Write the second sentence, how many topics of the truth do as well. `worth` has value, low and high.

    `unit` names what is counted, `systems` the ranked systems.
    """
    truth, candidate = names
    value, low, high = worth
    by, within = SCORED[noun], f"({100 * level:g}% interval {told(low, high, n_topics)})"
    start = f"{n_topics:g} {unit} {by} {candidate} rank {systems}"
    if value == 0:
        return f"{start} less well than 1 {by} {truth} {within}"
    if math.isinf(value):
        return f"{start} better than any number {by} {truth} {within}"
    return f"{start} {'only ' if high < n_topics else ''}as well as {shown(value)} {by} {truth} {within}"


def undecided(best: Sequence[str], count: int, sample: str, noun: Noun = "judge") -> str:
    """Name the best of several, or those that could be. `sample` counts the topics."""
    if len(best) == 1:
        return f"{best[0]} is the best of {count} {noun}s"
    who = f"any of the {count}" if len(best) == count else f"one of these {len(best)}: {listing(best)}"
    return f"The best {noun} is {who}; {sample} cannot tell which"


def shown(topics: float) -> str:
    """Format a number of topics: "< 1", "6.9", "16", "no limit"."""
    if math.isnan(topics):
        return "-"
    if topics > NO_LIMIT:
        return "no limit"
    if topics < 1:
        return "< 1"
    return f"{topics:.0f}" if topics >= 9.95 else f"{topics:.1f}"


def told(low: float, high: float, n_topics: float = math.nan) -> str:
    """Format the ends of an interval, without rounding an end to n_topics if n_topics is outside."""
    if math.isnan(low):
        return "-"
    if shown(low) == "< 1":
        return "less than 1" if high <= 1 else f"up to {shown(high)}" if shown(high) != "no limit" else "without limits"
    first, last = (_apart(end, n_topics) for end in (low, high))
    return f"{first} or more" if last == "no limit" else f"{first} to {last}"


def _apart(end: float, n_topics: float) -> str:
    """Format an end, with one more decimal if it would round to n_topics."""
    return f"{end:.1f}" if end != n_topics and shown(end) == f"{n_topics:g}" else shown(end)
