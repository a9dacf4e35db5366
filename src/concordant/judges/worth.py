"""`judge_worth`: how many topics judged by the truth a candidate's topics are worth; `rank_judges`: the best judge.

This module also has the words and sentences that describe a worth in the terminal, in reports and in figures.

The text calls a candidate a judge, measure, pool or benchmark. If the interval of the worth of a topics is [L, H], the
word is:

    H < a/2               much weaker
    H < a                 weaker
    L > a                 steadier
    L >= a/2, H <= 2a     within a factor of two
    otherwise             cannot tell
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..coefficients.registry import Coefficient, headlines
from ..data.results import Interval, Result, columns, settings_of
from ..errors import InputError, counted, listing, nearly_reversed, one_line
from ..inference.resampling import Seed
from ..options import checked
from ..pairing import Matched, Noun, On, Pairing, match, matched_rows, pairings, rejoined
from ..read.reader import Collection
from .curves import TOPICS, Both, Curve, Design, How, Sample, WorthEstimate, agreement, curves_of, estimate, too_few


@dataclass(frozen=True, eq=False, repr=False)
class JudgeWorth(Result):
    """Result of `judge_worth`. `print` shows it, `plot` draws it, and `to_dict` returns all its contents."""

    _figure = "intervals.worths"

    coefficient: str
    names: tuple[str, str]
    """Names of the truth and of the candidate."""
    n_topics: float
    """Number of the candidate's topics whose worth is estimated: by default 25, whatever the sample size."""
    worth: float
    """Number of topics of the truth that rank the systems as well as `n_topics` topics of the candidate do.

    0: fewer than one; inf: no number is enough; nan: unknown."""
    interval: Interval
    word: str
    """"much weaker", "weaker", "within a factor of two", "steadier", "cannot tell" or "not known"."""
    reason: str
    """Why the worth is unknown; empty if it is known."""
    agreement: float
    """Expected coefficient between n_topics topics of the candidate and a disjoint quarter of the truth's topics."""

    @property
    def noun(self) -> Noun:
        """Noun for the candidate: judge, measure, pool or benchmark."""
        noun: Noun = self.settings.get("noun", "judge")
        return noun

    @property
    def units(self) -> str:
        """Unit of the counts: topics, or groups of topics."""
        return "groups" if "groups" in self.settings else "topics"

    @property
    def cell(self) -> str:
        """Worth as shown in tables."""
        return shown(self.worth)

    @property
    def ends(self) -> str:
        """Ends of the interval as shown in tables."""
        return told(self.interval.low, self.interval.high, self.n_topics)

    @property
    def verdict(self) -> str:
        """Quality of the judge, and how many topics of the truth its topics are worth."""
        return ". ".join(self._sentences())

    def _answers(self) -> Sequence[str]:
        return [f"{part[:1].upper()}{part[1:]}." if k else f"{part}." for k, part in enumerate(self._sentences())]

    def _sentences(self) -> list[str]:
        sample = (
            f"{counted(self.settings['n_topics'], self.units[:-1])} and {counted(self.settings['n_systems'], 'system')}"
        )
        first = judgment(self.word, self.names, sample, self.noun, self.reason)
        return [first] if self.word == NOT_KNOWN else [first, self.sentence]

    @property
    def sentence(self) -> str:
        """Sentence that states how many of the truth's topics rank the systems equally well, with the interval."""
        of = "the systems" if self.settings["new_systems"] else f"these {self.settings['n_systems']} systems"
        worth = self.worth, self.interval.low, self.interval.high
        level = self.interval.confidence_level
        return sentence(self.names, self.n_topics, worth, level, noun=self.noun, unit=self.units, systems=of)

    def table(self) -> str:
        """Show the sizes of the sample and the worth."""
        n, m = self.settings["n_topics"], self.settings["n_systems"]
        size = f"  {self.coefficient}, {counted(m, 'system')}, {counted(n, self.units[:-1])}"
        if self.settings.get("judge_topics"):
            size += f" and {self.settings['judge_topics']} others of {self.names[1]}"
        if self.word == NOT_KNOWN:
            return size
        rows = [[f"worth of {self.n_topics:g} {self.units}", self.cell, self.ends]]
        return "\n".join([size, columns(rows)])

    def rows(self) -> list[dict[str, Any]]:
        """Return one row with the worth."""
        return [
            {
                "candidate": self.names[1],
                "coefficient": self.coefficient,
                "topics": self.n_topics,
                "worth": self.worth,
                "low": self.interval.low,
                "high": self.interval.high,
                "word": self.word,
                "agreement": self.agreement,
            }
        ]


@checked
def judge_worth(  # noqa: PLR0913
    truth: Collection,
    candidate: Collection = None,
    *,
    coefficient: str = "tau_b",
    n_topics: float = TOPICS,
    new_systems: bool = True,
    confidence_level: float = 0.95,
    names: Sequence[str] | None = None,
    on: On = "both",
    rng: Seed = None,
) -> JudgeWorth:
    """Estimate how many topics judged by the truth a candidate's topics are worth.

    A judge is worth 12 topics if 25 topics scored by that judge rank the systems as well as 12 topics scored by the
    truth. The comparison is always made on topics that neither ranking has seen, so errors that judge and truth share
    do not count in the judge's favour.

    Parameters
    ----------
    truth, candidate : what `as_topics` takes
        `Scores`, files, frames or results of an evaluation tool, or topics x systems matrices, matched by label.
        Systems and topics that only one side has are left out, and an `AlignmentWarning` names them. With fewer than 10
        topics or 8 systems the worth is "not known".
    coefficient : str
        A name from `list_coefficients` that admits ties on both sides. "tau_b" has a formula and needs no random draws;
        other coefficients are computed on random splits of the topics.
    n_topics : float
        Number of topics of the candidate whose worth is estimated.
    new_systems : bool
        Whether the interval is for new systems and new topics, or for new topics and these systems.
    confidence_level : float
        Confidence level of the interval.
    names : sequence of str, optional
        Names of the sides, as in `pair`.
    on : {"both", "systems"}
        "both": match topics and systems. "systems": match systems only, so the candidate may have judged other topics.
    rng : int, Generator or None
        Seed of the random splits for coefficients other than "tau_b". If None, a seed is drawn, and the settings record
        it.

    Returns
    -------
    JudgeWorth
        The worth, its confidence interval, and a word that summarizes it ("weaker", "within a factor of two", ...).

    See Also
    --------
    rank_judges : Compare several judges.
    combine : Rank systems by human and machine scores together.

    Notes
    -----
    The formulas are in docs/theory/worth.md, the coverage of the intervals in docs/measured/worth.md.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful = cc.load_collection("people"), cc.load_collection("careful")
    >>> found = cc.judge_worth(people, careful, names=("people", "careful"))
    >>> found.word, round(found.worth), round(found.interval.low, 1)
    ('weaker', 14, 8.9)

    """
    how = How.of(coefficient, n_topics, confidence_level, rng, new_systems=new_systems)
    found = pairings(truth, candidate, names=names, on=on, topics=True, many=False)
    if len(found) > 1:
        raise InputError(f"there are {len(found)} candidates: compare them with rank_judges")
    return worth_of(matched_judge(found[0]), how)


def matched_judge(found: Pairing) -> Matched:
    """Match the sides of a pairing, with one row per topic or group of topics. The sides may have different topics."""
    return matched_rows(found, own_topics=True)


def for_worth(coefficients: Sequence[Coefficient]) -> Coefficient | None:
    """Choose the coefficient for the worth: the first main one that can be resampled, or else the first other one."""
    known = [c for c in coefficients if not c.not_resampled]
    return next(iter([c for c in known if c.name in headlines("main")] + known), None)


def worth_of(sides: Matched, how: How, curves: dict[bytes, Curve] | None = None) -> JudgeWorth:
    """Estimate the worth of one judge. `curves` caches the truth's curve for the same topics and systems."""
    topics, others, systems = len(sides.truth.topics), len(sides.judge.topics), len(sides.truth.systems)
    reason = too_few(min(topics, others), systems, "topic" if sides.groups is None else "group")
    found = WorthEstimate(math.nan, math.nan, math.nan, rises=True)
    agrees, moves = math.nan, np.zeros(3)
    means = sides.truth.means(), sides.judge.means()
    value, undefined = how.coefficient.attempt(*means)
    shared = sides.pairing.on == "both"
    if not reason and undefined and shared:
        reason = f"{how.coefficient.name} is undefined: {undefined}"
    if not reason:
        (judge, truth), moves = curves_of(sides, how, curves)
        found = estimate(judge, truth, how.n_topics, level=how.level, new_systems=how.new_systems)
        agrees = Both(judge, truth, how.n_topics).agreement
        if not found.rises:
            reason = f"more topics judged by {sides.names[0]} do not rank the systems better"
            found = WorthEstimate(math.nan, math.nan, math.nan, rises=False)
    # Round the ends outwards, so that the interval does not get narrower.
    low = supported(found.low, moves[0], math.floor)
    worth = supported(found.worth, moves[1])
    high = supported(found.high, moves[2], math.ceil)
    own: dict[str, Any] = {} if sides.groups is None else {"groups": sides.groups}
    own |= {} if shared else {"judge_topics": others}
    return JudgeWorth(
        coefficient=how.coefficient.name,
        names=(sides.names[0], sides.names[1]),
        n_topics=how.n_topics,
        worth=worth,
        interval=Interval(low, high, how.level, "jackknife over topics and systems"),
        word=word_of(found.low, found.high, how.n_topics),
        reason=reason,
        agreement=agrees,
        notes=(*sides.notes, *nearly_reversed(value, how.coefficient.name)),
        data=sides.pairing,
        settings=settings_of(
            seed=None if how.analytic else how.drawn.seed,
            confidence_level=how.level,
            n_systems=systems,
            n_topics=topics,
            new_systems=how.new_systems,
            noun=sides.pairing.noun,
            **own,
        ),
    )


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


def judgment(word: str, names: Sequence[str], sample: str, noun: Noun = "judge", reason: str = "") -> str:
    """Write the first sentence, which says how good the candidate is. `sample` counts the topics and systems."""
    truth, candidate = names
    return {
        "much weaker": f"{candidate} is a much weaker {noun} than {truth}",
        "weaker": f"{candidate} is a weaker {noun} than {truth}",
        "steadier": f"{candidate} is a steadier {noun} than {truth}",
        "within a factor of two": f"{candidate} is within a factor of two of {truth}, as far as {sample} can tell",
        CANNOT_TELL: f"{sample} are too few to tell how good a {noun} {candidate} is",
        NOT_KNOWN: f"The worth of {candidate} is not known: {reason}",
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
    """Write the second sentence: how many topics of the truth rank the systems equally well.

    `worth` is (value, low, high). `unit` is the noun for what is counted, `systems` the phrase for the ranked systems.
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
    """Name the best of several judges, or those that could be the best. `sample` counts the topics."""
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
    return f"{topics:,.0f}" if topics >= 9.95 else f"{topics:.1f}"


def supported(topics: float, moves: float, rounded: Callable[[float], float] = round) -> float:
    """Round a number of topics so that another seed rarely changes its last digit by more than one.

    Seeds move the log of the number by `moves`, a standard deviation. The last digit changes by more than one in 2% of
    pairs of seeds (2.5 standard deviations).
    """
    if moves == 0 or not 0 < topics <= NO_LIMIT:
        return float(topics)
    digit = min(math.ceil(math.log10(2.5 * moves * topics)), math.floor(math.log10(topics)))
    return round(rounded(topics / 10.0**digit) * 10.0**digit, max(0, -digit))


def told(low: float, high: float, n_topics: float = math.nan) -> str:
    """Format the ends of an interval. An end other than n_topics is never shown as n_topics."""
    if math.isnan(low):
        return "-"
    if shown(low) == "< 1":
        return "less than 1" if high <= 1 else f"up to {shown(high)}" if shown(high) != "no limit" else "without limits"
    first, last = (_apart(end, n_topics) for end in (low, high))
    return f"{first} or more" if last == "no limit" else f"{first} to {last}"


def _apart(end: float, n_topics: float) -> str:
    """Format an end, with one more decimal if it would round to n_topics."""
    return f"{end:.1f}" if end != n_topics and shown(end) == f"{n_topics:,g}" else shown(end)


@dataclass(frozen=True, eq=False, repr=False)
class JudgeRanking(Result):
    """Result of `rank_judges`. `print` shows it, and `to_dict` returns all its contents."""

    _figure = "intervals.worths"

    judges: tuple[JudgeWorth, ...]
    """The judges, sorted by agreement across topics, the best first."""
    best: tuple[str, ...]
    """Judges that could be the best: no other judge is significantly better."""

    @property
    def verdict(self) -> str:
        """The best judge, or those that could be the best, and the worth of the first judge's topics."""
        return ". ".join(self._sentences())

    def _answers(self) -> Sequence[str]:
        return [f"{part}." for part in self._sentences()]

    def _sentences(self) -> list[str]:
        first = self.judges[0]
        if len(self.judges) == 1:
            return first._sentences()
        sample = counted(first.settings["n_topics"], first.units[:-1])
        return [undecided(self.best, len(self.judges), sample, first.noun), first.verdict]

    def table(self) -> str:
        """Show one row per judge."""
        first = self.judges[0]
        level = f"{100 * first.interval.confidence_level:g}% interval"
        heads = ["", f"worth of {first.n_topics:g}", level, "", "best?"]
        rows = [
            [
                judge.names[1],
                judge.cell,
                judge.ends,
                judge.word,
                "no" if judge.names[1] not in self.best else "yes" if len(self.best) == 1 else "maybe",
            ]
            for judge in self.judges
        ]
        heading = f"  worth in {first.units} {SCORED[first.noun]} {one_line(first.names[0])}; {first.coefficient}"
        return "\n".join([heading, columns([heads, *rows] if rows[1:] else [heads[:-1], rows[0][:-1]])])

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per judge."""
        return [{**judge.rows()[0], "may_be_best": judge.names[1] in self.best} for judge in self.judges]


@checked
def rank_judges(  # noqa: PLR0913
    truth: Collection,
    candidates: Any = None,
    *,
    coefficient: str = "tau_b",
    n_topics: float = TOPICS,
    new_systems: bool = True,
    confidence_level: float = 0.95,
    names: Sequence[str] | None = None,
    on: On = "both",
    rng: Seed = None,
) -> JudgeRanking:
    """Estimate the worth of several judges, and find those that could be the best.

    The worth of each judge uses all systems and topics that it shares with the truth, so the worth does not depend on
    the other judges. Which judges could be best is decided on the systems and topics that all of them share.

    Parameters
    ----------
    truth : what `as_topics` takes
        As in `judge_worth`.
    candidates : what `as_topics` takes, a list of these, or a mapping from names to them
        The judges. In a folder, each file with a table of several systems is one judge.
    coefficient, n_topics, new_systems, confidence_level, names, on, rng
        As in `judge_worth`.

    Returns
    -------
    JudgeRanking
        The judges with their worth, the best first, and those that could be the best.

    See Also
    --------
    judge_worth : Estimate the worth of one judge.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful, hasty = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
    >>> cc.rank_judges(people, {"careful": careful, "hasty": hasty}).best
    ('careful',)

    """
    how = How.of(coefficient, n_topics, confidence_level, rng, new_systems=new_systems)
    found = pairings(truth, candidates, names=names, on=on, topics=True, many=True)
    single = [matched_judge(one) for one in found]
    if len({(judged.truth.systems, judged.truth.topics, judged.judge.topics) for judged in single}) == 1:
        return ranking_of(single, single, how)
    together = match(*rejoined(found), on)
    return ranking_of(single, [matched_judge(together.alone(k)) for k in range(len(single))], how)


def ranking_of(single: Sequence[Matched], together: Sequence[Matched], how: How) -> JudgeRanking:
    """Rank judges.

    Their worth comes from the pairings `single`, and the comparison from `together`, which have common topics and
    systems.
    """
    curves: dict[bytes, Curve] = {}
    judges = [worth_of(sides, how, curves) for sides in single]
    topics = min(min(len(sides.truth.topics), len(sides.judge.topics)) for sides in together)
    if why := too_few(topics, len(together[0].truth.systems)):
        values, best = np.zeros(len(judges)), np.ones(len(judges), dtype=bool)
        notes = [f"The best judge is not known: {why} in common"]
    else:
        values, influences = agreements(together, topics // 2, how, curves)
        best, notes = could_be_best(values, influences, topics, level=how.level), []
    order = sorted(range(len(judges)), key=lambda k: (-values[k], k))
    return JudgeRanking(
        judges=tuple(judges[k] for k in order),
        best=tuple(judges[k].names[1] for k in order if best[k]),
        notes=tuple(dict.fromkeys([*(note for judge in judges for note in judge.notes), *notes])),
        data=together[0].pairing,
        settings=judges[0].settings,
    )


def on_the_same(pairs: Sequence[Pairing], sides: list[Matched]) -> list[Matched] | None:
    """Restrict the judges to their common systems and topics; return None if there are too few of these."""
    if len({(one.truth.systems, one.truth.topics, one.judge.topics) for one in sides}) > 1:
        try:
            common = match(*rejoined(pairs), pairs[0].on, choice=True, holes=True)
            sides = [matched_judge(common.alone(k)) for k in range(len(pairs))]
        except InputError:  # no common systems or topics
            return None
    fewest = min(min(len(one.truth.topics), len(one.judge.topics)) for one in sides)
    return None if too_few(fewest, len(sides[0].truth.systems)) else sides


def agreements(
    together: Sequence[Matched], size: int, how: How, curves: dict[bytes, Curve]
) -> tuple[FloatArray, FloatArray]:
    """Compute V of each judge on `size` topics, and the influence on V of each topic of the truth and of the judge."""
    truth = Sample.of(together[0].truth.values)
    column: dict[tuple[int, str], int] = {}
    values, parts = [], []
    for sides in together:
        if how.analytic:
            design = Design(
                truth, Sample.of(sides.judge.values), sides.pairing.on == "both", len(truth) - len(truth) // 2
            )
            curve = agreement(design, np.array([float(size)]), np.arange(len(sides.truth.systems)))
        else:
            curve = curves_of(sides, how, curves)[0][0]
        values.append(curve.values[-1])
        names = [(0, topic) for topic in sides.truth.topics], [(1, topic) for topic in sides.judge.topics]
        for own, left in zip(names, curve.topics, strict=False):
            places = [column.setdefault(topic, len(column)) for topic in own]
            parts.append((len(values) - 1, places, math.sqrt(1 - 1 / len(own)) * (left[-1] - left[-1].mean())))
    influences = np.zeros((len(values), len(column)))
    for judge, places, part in parts:
        influences[judge, places] = part
    return np.array(values), influences


def could_be_best(values: FloatArray, influences: FloatArray, n_topics: int, *, level: float = 0.95) -> BoolArray:
    """Tell for each judge whether it could be the best: whether no other judge is significantly better.

    `influences` (judges x topics) are sqrt((n - 1)/n) (V with the topic left out - mean of these V over topics), and 0
    for topics that a judge lacks. `n_topics` is the size of the smallest sample.
    """
    from scipy.special import stdtrit

    if len(values) < 2:
        return np.ones(len(values), dtype=bool)
    lead = values[None, :] - values[:, None]  # lead of judge j over judge i
    # Jackknife standard error of the lead: root of the sum of squared differences of influences.
    error = np.sqrt(((influences[None, :, :] - influences[:, None, :]) ** 2).sum(axis=2))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(lead == 0, 0.0, lead / error)  # for identical judges lead and error are 0
    # One-sided t quantile, with Bonferroni's correction for the number of judges.
    critical = stdtrit(n_topics - 1, 1 - (1 - level) / len(values))
    return np.asarray(t.max(axis=1) <= critical)
