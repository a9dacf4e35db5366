"""The words for a judge's worth, and the sentences around them: every surface takes them from here.

For an interval [L, H] of the worth of a topics:

    H < a/2               much weaker
    H < a                 weaker
    L > a                 steadier
    L >= a/2, H <= 2a     within a factor of two
    otherwise             cannot tell
"""

from __future__ import annotations

import math

from ..words import counted

FEWEST_TOPICS, FEWEST_SYSTEMS = 10, 8
NOT_KNOWN = "not known"


def word_of(low: float, high: float, n_topics: float) -> str:
    """The word for an interval of the worth of n_topics topics."""
    if math.isnan(low):
        return NOT_KNOWN
    if high < n_topics / 2:
        return "much weaker"
    if high < n_topics:
        return "weaker"
    if low > n_topics:
        return "steadier"
    return "within a factor of two" if low >= n_topics / 2 and high <= 2 * n_topics else "cannot tell"


def too_few(topics: int, systems: int, unit: str = "topic") -> str:
    """Why nothing can be said about a worth; nothing where it can."""
    missing = []
    if topics < FEWEST_TOPICS:
        missing.append(f"{counted(topics, unit)}, at least {FEWEST_TOPICS} are needed")
    if systems < FEWEST_SYSTEMS:
        missing.append(f"{counted(systems, 'system')}, at least {FEWEST_SYSTEMS} are needed")
    return f"there are only {' and '.join(missing)}" if missing else ""


def judgment(word: str, names: tuple[str, str], sample: str, reason: str = "") -> str:
    """The first sentence: what kind of judge this is. `sample` counts the topics and systems."""
    truth, judge = names
    return {
        "much weaker": f"{judge} is a much weaker judge than {truth}",
        "weaker": f"{judge} is a weaker judge than {truth}",
        "steadier": f"{judge} is a steadier judge than {truth}",
        "within a factor of two": f"{judge} is within a factor of two of {truth}, as far as {sample} can tell",
        "cannot tell": f"{sample} cannot tell how {judge} compares with {truth} as a judge",
        NOT_KNOWN: f"the worth of {judge} is not known: {reason}",
    }[word]


def sentence(
    names: tuple[str, str], n_topics: float, worth: tuple[float, float, float], level: float, **how: str
) -> str:
    """The second sentence: how many topics of the truth do as well. `worth` has the value, low and high.

    `unit` says what is counted ("topics"), `of` how topics belong to a judge ("judged by").
    """
    truth, judge = names
    unit, of = how.get("unit", "topics"), how.get("of", "judged by")
    value, low, high = worth
    within = f"({100 * level:g}% interval {told(low, high)})"
    start = f"{n_topics:g} {unit} {of} {judge} rank the systems"
    if value == 0:
        return f"{start} less well than 1 {of} {truth} {within}"
    if math.isinf(value):
        return f"{start} better than any number {of} {truth} {within}"
    return f"{start} {'only ' if high < n_topics else ''}as well as {shown(value)} {of} {truth} {within}"


def shown(topics: float) -> str:
    """A number of topics, as precise as it can be: "< 1", "6.9", "16", "no limit"."""
    if math.isnan(topics):
        return "-"
    if topics > 9_999:
        return "no limit"
    if topics < 1:
        return "< 1"
    return f"{topics:.0f}" if topics >= 9.95 else f"{topics:.1f}"


def told(low: float, high: float) -> str:
    """The ends of an interval."""
    if math.isnan(low):
        return "-"
    if shown(low) == "< 1":
        return "less than 1" if high <= 1 else f"up to {shown(high)}" if shown(high) != "no limit" else "without limits"
    return f"{shown(low)} or more" if shown(high) == "no limit" else f"{shown(low)} to {shown(high)}"
