"""`rank_judges`: the worth of several judges, and which of them could be the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..data.results import Result, columns
from ..errors import InputError, counted, one_line
from ..inference.resampling import Seed
from ..options import checked
from ..pairing import Matched, On, Pairing, match, pairings, rejoined
from ..read.reader import Collection
from .analytic import Curve, Design, Sample, agreement
from .worth import SCORED, TOPICS, How, JudgeWorth, curves_of, is_analytic, matched_judge, too_few, undecided, worth_of


@dataclass(frozen=True, eq=False, repr=False)
class JudgeRanking(Result):
    """Result of `rank_judges`. `print` shows it, `to_dict` has everything."""

    judges: tuple[JudgeWorth, ...]
    """The judges, sorted by agreement across topics, the best first."""
    best: tuple[str, ...]
    """Judges that could be the best: no other judge is significantly better."""

    @property
    def verdict(self) -> str:
        """The best judge or those that could be, and the worth of the first judge's topics."""
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

    def plot(self, ax: Any = None) -> Any:
        """Draw the worth of each judge with its interval."""
        from ..render.figures import intervals

        return intervals.worths(self.judges, ax)


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

    The worth of each judge uses all systems and topics that it shares with the truth, so it does not depend on the
    other judges. Which judges could be best is decided on the systems and topics that all of them share.

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
    """Rank judges: worth from the pairings `single`, comparison from the common pairings `together`."""
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
    """Restrict the judges to their common systems and topics; None if these are too few."""
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
    """V of each judge on `size` topics, and the influence of each topic (the truth's, then judges' own) on it."""
    truth = Sample.of(together[0].truth.values)
    column: dict[tuple[int, str], int] = {}
    values, parts = [], []
    for sides in together:
        if is_analytic(how):
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


def could_be_best(
    values: FloatArray, influences: FloatArray, n_topics: int, *, level: float = 0.95
) -> npt.NDArray[np.bool_]:
    """For each judge, say whether no other judge is significantly better.

    `influences` (judges x topics) are sqrt((n - 1)/n) (V without the topic - mean over topics), and 0 for topics that
    a judge lacks. `n_topics` is the size of the smallest sample.
    """
    from scipy.special import stdtrit

    if len(values) < 2:
        return np.ones(len(values), dtype=bool)
    lead = values[None, :] - values[:, None]  # lead of judge j over judge i
    # Jackknife standard error of the lead: root of the sum of squared differences of influences.
    error = np.sqrt(((influences[None, :, :] - influences[:, None, :]) ** 2).sum(axis=2))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(lead == 0, 0.0, lead / error)  # for identical judges lead and error are 0
    # One-sided t quantile, divided over the judges by Bonferroni.
    critical = stdtrit(n_topics - 1, 1 - (1 - level) / len(values))
    return np.asarray(t.max(axis=1) <= critical)
