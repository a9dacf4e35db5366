"""`judge_worth`: how many topics judged by the truth a candidate's topics are worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import FloatArray, require_room_for_pairs
from ..coefficients.registry import Coefficient, get_coefficient, headlines
from ..data.results import Interval, Result, columns, settings_of
from ..data.scores import Scores
from ..errors import InputError
from ..inference.bootstrap import not_resampled
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..pairing import Matched, Noun, On, Pairing, matched_rows, pairings
from ..read.reader import Collection
from ..words import counted, nearly_reversed
from .analytic import Curve, Sample, judge_curve, truth_curve
from .estimate import Both, WorthEstimate, estimate, worth_from
from .splits import split_curves
from .verdicts import NOT_KNOWN, judgment, sentence, shown, told, too_few, word_of

TOPICS = 25.0  # number of topics whose worth is reported, for any sample size


@dataclass(frozen=True)
class How:
    """Settings for the worth of each judge."""

    coefficient: Coefficient
    level: float
    drawn: Resampling
    """Random splits for coefficients without a formula."""
    n_topics: float = TOPICS
    new_systems: bool = True

    @classmethod
    def of(cls, coefficient: str, n_topics: float, confidence_level: float, rng: Seed, *, new_systems: bool) -> How:
        known = get_coefficient(coefficient)
        if why := not_resampled(known):
            raise InputError(why)
        return cls(known, confidence_level, Resampling.of(1, rng), n_topics, new_systems)


@dataclass(frozen=True, eq=False, repr=False)
class JudgeWorth(Result):
    """Result of `judge_worth`. `print` shows it, `plot` draws it, `to_dict` has everything."""

    coefficient: str
    names: tuple[str, str]
    """Names of the truth and of the candidate."""
    n_topics: float
    """Number of the candidate's topics whose worth is estimated, by default 25 for any sample size."""
    worth: float
    """Number of topics of the truth that rank the systems as well. 0: fewer than one; inf: no number is enough; nan:
    unknown."""
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
        """Sentence with the number of the truth's topics that rank the systems as well, and its interval."""
        of = "the systems" if self.settings["new_systems"] else f"these {self.settings['n_systems']} systems"
        worth = self.worth, self.interval.low, self.interval.high
        level = self.interval.confidence_level
        return sentence(self.names, self.n_topics, worth, level, noun=self.noun, unit=self.units, systems=of)

    def table(self) -> str:
        """Show the sample and the worth."""
        n, m = self.settings["n_topics"], self.settings["n_systems"]
        size = f"  {self.coefficient}, {counted(m, 'system')}, {counted(n, self.units[:-1])}"
        if self.settings.get("judge_topics"):
            size += f" and {self.settings['judge_topics']} others of {self.names[1]}"
        if self.word == NOT_KNOWN:
            return size
        rows = [[f"worth of {self.n_topics:g} {self.units}", self.cell, self.ends]]
        return "\n".join([size, columns(rows)])

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
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

    def plot(self, ax: Any = None) -> Any:
        """Draw the worth with its interval, beside the topics of the truth."""
        from ..render.figures import intervals

        return intervals.worths([self], ax)


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
        Draws the splits of coefficients other than "tau_b". Without one, a seed is drawn, and the settings record it.

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
    ('weaker', 14, 7.7)

    """
    how = How.of(coefficient, n_topics, confidence_level, rng, new_systems=new_systems)
    found = pairings(truth, candidate, names=names, on=on, topics=True, many=False)
    if len(found) > 1:
        raise InputError(f"there are {len(found)} candidates: value them with rank_judges")
    return worth_of(matched_judge(found[0]), how)


def matched_judge(found: Pairing) -> Matched:
    """Sides of a pairing, one row per topic or group of topics. The sides may have different topics."""
    return matched_rows(found, own_topics=True)


def for_worth(coefficients: Sequence[Coefficient]) -> Coefficient | None:
    """Choose the coefficient for the worth: the first main one, or else the first that admits ties."""
    known = [c for c in coefficients if not not_resampled(c)]
    return next(iter([c for c in known if c.name in headlines("main")] + known), None)


def worth_of(sides: Matched, how: How, curves: dict[bytes, Curve] | None = None) -> JudgeWorth:
    """Estimate the worth of one judge. `curves` caches the truth's curve for the same topics and systems."""
    topics, others, systems = len(sides.truth.topics), len(sides.judge.topics), len(sides.truth.systems)
    reason = too_few(min(topics, others), systems, "topic" if sides.groups is None else "group")
    found = WorthEstimate(math.nan, math.nan, math.nan, rises=True)
    agreement = math.nan
    means = sides.truth.means(), sides.judge.means()
    value, undefined = how.coefficient.attempt(*means)
    shared = sides.pairing.on == "both"
    if not reason and undefined and shared:
        reason = f"{how.coefficient.name} is undefined: {undefined}"
    if not reason:
        judge, truth = curves_of(sides, how, curves)
        found = estimate(judge, truth, how.n_topics, level=how.level, new_systems=how.new_systems)
        agreement = Both(judge, truth, how.n_topics).agreement
        if not found.rises:
            reason = f"more topics judged by {sides.names[0]} do not rank the systems better"
            found = WorthEstimate(math.nan, math.nan, math.nan, rises=False)
    own: dict[str, Any] = {} if sides.groups is None else {"groups": sides.groups}
    own |= {} if shared else {"judge_topics": others}
    return JudgeWorth(
        coefficient=how.coefficient.name,
        names=(sides.names[0], sides.names[1]),
        n_topics=how.n_topics,
        worth=found.worth,
        interval=Interval(float(found.low), float(found.high), how.level, "jackknife over topics and systems"),
        word=word_of(found.low, found.high, how.n_topics),
        reason=reason,
        agreement=agreement,
        notes=(*sides.notes, *nearly_reversed(value, how.coefficient.name)),
        data=sides.pairing,
        settings=settings_of(
            seed=None if is_analytic(how) else how.drawn.seed,
            confidence_level=how.level,
            n_systems=systems,
            n_topics=topics,
            new_systems=how.new_systems,
            noun=sides.pairing.noun,
            **own,
        ),
    )


@dataclass(frozen=True)
class Yardstick:
    """The truth's curve, for the worth of many judges on the same topics, without intervals."""

    truth: Sample
    curve: Curve

    @classmethod
    def of(cls, truth: Scores) -> Yardstick | None:
        """Compute the truth's curve; None if there are too few topics or systems."""
        if too_few(len(truth.topics), len(truth.systems)):
            return None
        sample = Sample.of(truth.values)
        return cls(sample, truth_curve(sample, TOPICS, None))

    def worth(self, judge: FloatArray) -> float:
        """Worth of 25 topics, capped at 100 so that means over draws are finite."""
        both = Both(judge_curve(self.truth, Sample.of(judge), TOPICS, None, shared=True), self.curve, TOPICS)
        return min(worth_from(both.inverse_worth(both.values)), 4 * TOPICS)


def is_analytic(how: How) -> bool:
    """Whether the coefficient has a formula."""
    return how.coefficient.name == "tau_b"


def curves_of(sides: Matched, how: How, curves: dict[bytes, Curve] | None) -> tuple[Curve, Curve]:
    """Compute the curves V_Y and V_X."""
    require_room_for_pairs(len(sides.truth.systems), "worth", len(sides.truth.topics))
    of, shared = sides.pairing.truth.teams, sides.pairing.on == "both"
    teams = np.arange(len(sides.truth.systems)) if of is None else np.unique(of, return_inverse=True)[1]
    truth, judge = Sample.of(sides.truth.values), Sample.of(sides.judge.values)
    whole = not is_analytic(how)
    made = judge_curve(truth, judge, how.n_topics, teams, shared=shared, whole=whole)
    kept, key = {} if curves is None else curves, sides.truth.values.tobytes() + teams.tobytes()
    if key not in kept:
        kept[key] = truth_curve(truth, how.n_topics, teams, whole=whole)
    if not whole:
        return made, kept[key]
    if not shared:
        raise InputError(f"{how.coefficient.name} needs the same topics on both sides: only tau_b can do without")
    return split_curves(sides.truth.values, sides.judge.values, how, teams, (made, kept[key]))
