"""`compare_judges`: does one judge rank the systems more like the truth than another?"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..calibration import FEWEST, WIDENING
from ..chance.nulls import Alternative
from ..coefficients.registry import Coefficient, get_coefficient
from ..coefficients.sums import check_workers
from ..errors import AlignmentWarning, InputError, InputTypeError, UndefinedCorrelationWarning, import_extra
from ..notebook import Displayed
from ..resampling import Progress, Seed, check_count, check_level, generator, seed_of, seeded
from ..results import Interval
from ..scores import Scores
from ..sides import Labelled, aligned_by_name, side_of
from ..words import counted
from .bootstrap import normal_quantile
from .correlation import require_ties
from .nested import nested_values
from .summary import summarise

JudgeMethod: TypeAlias = Literal["iterated", "plain"]


@dataclass(frozen=True)
class JudgeComparison(Displayed):
    """What `compare_judges` found. `print` shows it, `to_dict` has everything."""

    coefficient: str
    value_a: float
    """Agreement of judge a with the truth, on these topics."""
    value_b: float
    difference: float
    """value_a - value_b."""
    bias_corrected: float
    """The difference without the bias of sampling, which is not the same for both judges."""
    standard_error: float
    """Of `bias_corrected`; with method "plain", of `difference`."""
    interval: Interval
    """For the difference over the population; with method "plain", for that expected on as many topics."""
    pvalue: float
    alternative: Alternative
    names: tuple[str, str]
    settings: Mapping[str, Any]

    def __str__(self) -> str:
        a, b = self.names
        verdict = f"{a} and {b} are not distinguishable"
        if self.pvalue <= 1 - self.interval.confidence_level:
            a_is_better = {"greater": True, "less": False, "two-sided": self.interval.low > 0}[self.alternative]
            better, worse = (a, b) if a_is_better else (b, a)
            verdict = f"{better} agrees with the truth better than {worse}"
        width = max(len(a), len(b), 10)
        level = f"{100 * self.interval.confidence_level:g}%"
        return "\n".join(
            [
                f"{verdict} (p = {self.pvalue:.4f}, {self.alternative})",
                "",
                f"  {self.coefficient}",
                f"  {a:<{width}}  {self.value_a:8.4f}",
                f"  {b:<{width}}  {self.value_b:8.4f}",
                f"  {'difference':<{width}}  {self.difference:8.4f}   bias-corrected {self.bias_corrected:.4f}, "
                f"{level} interval {self.interval}",
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        found = {name: getattr(self, name) for name in _NUMBERS}
        return {
            "coefficient": self.coefficient,
            **found,
            "interval": self.interval.to_dict(),
            "alternative": self.alternative,
            "names": list(self.names),
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame of one row."""
        row = {"coefficient": self.coefficient, **{name: getattr(self, name) for name in _NUMBERS}}
        return import_extra("pandas").DataFrame([{**row, "low": self.interval.low, "high": self.interval.high}])

    def plot(self, ax: Any = None) -> Any:
        """The difference with its interval, and no difference as a dashed line."""
        from ..plots import intervals

        return intervals.judges(self, ax)


_NUMBERS = ("value_a", "value_b", "difference", "bias_corrected", "standard_error", "pvalue")


def compare_judges(  # noqa: PLR0913
    truth: Labelled,
    candidate_a: Labelled,
    candidate_b: Labelled,
    coefficient: str = "tau_b",
    *,
    method: JudgeMethod = "iterated",
    n_resamples: int = 9_999,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
    rng: Seed = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> JudgeComparison:
    """Test whether judge a ranks the systems more like the truth than judge b, over topics that all three share.

    Topics are resampled for all three at once, so that what they share cancels. p comes from a difference over its
    standard error. Which difference is what the methods differ in:

    - "iterated": that over the population of topics. The hypothesis is f(mu, nu_a) = f(mu, nu_b), with mu, nu_a and
      nu_b the population means of the systems. As in `correlate`, resamples of resamples take back the bias of
      sampling, which favours the judge whose scores vary less.
    - "plain": that expected on as many topics as there are here, bias included. It sees smaller differences, but calls
      a judge worse whose scores only vary more and would rank the systems as well if there were more topics.

    docs/guide/intervals.md has the size and the power of both.

    Ties: as in `correlate`; the coefficient must admit them on both sides.

    Parameters
    ----------
    truth, candidate_a, candidate_b
        `Scores`, or files that `read_scores` reads, matched by label. What not all three have is left out, and an
        `AlignmentWarning` says what.
    coefficient : str
        A name from `list_coefficients`.
    method : {"iterated", "plain"}
        What is compared: see above.
    n_resamples : int
        Resamples in all, those of resamples included.
    alternative : {"two-sided", "greater", "less"}
        "greater": a agrees better than b.
    confidence_level : float
        Of the interval for the difference; the verdict is at level 1 - confidence_level.
    names : tuple of str
        What to call the judges.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers. Where none is given, one is drawn, and the settings
        say which.
    workers : int
        Threads.
    progress : callable, optional
        Called with the number of resamples done and of all.

    Returns
    -------
    JudgeComparison

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful, hasty = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
    >>> print(cc.compare_judges(people, careful, hasty, method="plain", names=("careful", "hasty"), rng=7))
    careful agrees with the truth better than hasty (p = 0.0024, two-sided)
    <BLANKLINE>
      tau_b
      careful       0.9053
      hasty         0.7234
      difference    0.1818   bias-corrected 0.1825, 95% interval [0.0643, 0.2993]
    """
    known = get_coefficient(coefficient)
    if method not in get_args(JudgeMethod):
        raise InputError(f"method is {method!r}: use 'iterated' or 'plain'")
    if alternative not in get_args(Alternative):
        raise InputError(f"alternative is {alternative!r}: use 'two-sided', 'greater' or 'less'")
    check_level(confidence_level)
    require_ties(known, "")
    workers, count = check_workers(workers), check_count(n_resamples)
    if count < FEWEST:
        raise InputError(f"n_resamples is {count}: a test needs at least {FEWEST} resamples")
    rng = seeded(rng)
    stream = generator(rng)
    sides, notes = _three(truth, candidate_a, candidate_b, _check_names(names))
    agreement = known.on_workers(workers)
    values = [float(agreement(sides[0].means(), side.means())) for side in sides[1:]]
    if np.isnan(values).any():
        raise InputError(f"{coefficient} is undefined for these means: a side is all tied")

    def difference(means: Sequence[FloatArray]) -> FloatArray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedCorrelationWarning)  # counted, and reported once
            return np.asarray(agreement(means[0], means[1]) - agreement(means[0], means[2]))

    found = nested_values(
        [side.values for side in sides], difference, count, stream, workers=workers, progress=progress
    )
    (summary,) = summarise(found, len(sides[0].topics))
    if summary.undefined:
        warnings.warn(
            f"{coefficient} is undefined on {summary.undefined} of some {count:,} resamples; the others are used",
            UndefinedCorrelationWarning,
            stacklevel=2,
        )
    tested = (summary.centre, summary.standard_error) if method == "iterated" else (summary.value, summary.spread)
    return JudgeComparison(
        coefficient,
        value_a=values[0],
        value_b=values[1],
        difference=values[0] - values[1],
        bias_corrected=summary.centre,
        standard_error=tested[1],
        interval=_interval(*tested, known, float(confidence_level), method),
        pvalue=pvalue_of(*tested, alternative),
        alternative=alternative,
        names=names,
        settings={
            "n_systems": len(sides[0].systems),
            "n_topics": len(sides[0].topics),
            "n_resamples": count,
            "method": method,
            "seed": seed_of(rng),
            "undefined": summary.undefined,
            "notes": notes,
            "version": __version__,
        },
    )


def _interval(centre: float, error: float, known: Coefficient, level: float, method: JudgeMethod) -> Interval:
    reach = known.range[1] - known.range[0]
    half = WIDENING * normal_quantile(level) * error
    low, high = np.clip([centre - half, centre + half], -reach, reach)
    return Interval(float(low), float(high), level, f"{method} topic bootstrap")


def pvalue_of(centre: float, error: float, alternative: Alternative = "two-sided") -> float:
    """How likely a difference as far from 0 is by chance, given its standard error; never 0."""
    z = 0.0 if abs(centre) < 1e-12 else centre / (WIDENING * error) if error > 0 else math.copysign(math.inf, centre)
    below = NormalDist().cdf
    p = {"greater": below(-z), "less": below(z), "two-sided": 2 * below(-abs(z))}[alternative]
    return max(p, sys.float_info.min)


def _three(
    truth: Labelled, candidate_a: Labelled, candidate_b: Labelled, names: tuple[str, str]
) -> tuple[tuple[Scores, ...], list[str]]:
    """The three sides with the same systems and topics, and what was left out."""
    called = ("truth", *names)
    sides = []
    for given, argument in ((truth, "truth"), (candidate_a, "candidate_a"), (candidate_b, "candidate_b")):
        side = side_of(given, argument)
        if side.scores is None:
            raise InputError(
                f"{argument} came as one score for each system, and the test resamples topics: give Scores"
            )
        sides.append(side.scores)
    found = aligned_by_name(sides, called, "both")
    notes = list(found.notes)
    for note in notes:
        warnings.warn(note, AlignmentWarning, stacklevel=3)
    if len(found.scores[0].systems) < 2 or len(found.scores[0].topics) < 2:
        raise InputError(
            f"all three sides have {counted(len(found.scores[0].systems), 'system')} and "
            f"{counted(len(found.scores[0].topics), 'topic')} in common: at least 2 of each are needed"
        )
    return found.scores, notes


def _check_names(names: Any) -> tuple[str, str]:
    if isinstance(names, str) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise InputTypeError(f"names is {names!r}: give two strings, what to call judge a and what judge b")
    return names[0], names[1]
