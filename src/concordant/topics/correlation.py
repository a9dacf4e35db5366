"""`correlate`: a coefficient between two conditions of the same systems and topics, with what the topics leave open."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from .. import __version__
from ..chance.pvalues import Test, chance_pvalue
from ..coefficients.registry import Coefficient, get_coefficient
from ..coefficients.sums import check_workers
from ..errors import InputError, InputTypeError, TiesError, UndefinedCorrelationWarning
from ..resampling import Progress, Seed, generator, seed_of, seeded
from ..results import Estimate
from ..sides import Labelled, Side, aligned, side_of
from ..words import counted
from .bootstrap import Found, Problem, TopicBootstrap

_DEFAULT = TopicBootstrap()


@dataclass(frozen=True)
class CorrelationEstimate(Estimate):
    """A coefficient on a sample of topics. `float(e)` is the value; `e.interval` is for the population of topics."""

    bias_corrected: float | None = None
    """The value without the bias of sampling: an estimate of the coefficient between the population means."""
    standard_error: float | None = None
    """Of `bias_corrected`; for the methods "percentile" and "basic", the standard deviation of the resampled values."""

    def __str__(self) -> str:
        text = super().__str__()
        return text if self.bias_corrected is None else f"{text}, bias-corrected {self.bias_corrected:.4f}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        more = {"bias_corrected": self.bias_corrected, "standard_error": self.standard_error}
        return {**super().to_dict(), **more}

    def to_frame(self) -> Any:
        """A pandas frame of one row."""
        return super().to_frame().assign(bias_corrected=self.bias_corrected, standard_error=self.standard_error)


def correlate(
    truth: Labelled,
    candidate: Labelled,
    coefficient: str = "tau_b",
    *,
    interval: TopicBootstrap | None = _DEFAULT,
    test: Test | None = None,
    rng: Seed = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> CorrelationEstimate:
    """A coefficient between two conditions, with an interval for its value over the population of topics.

    Systems are fixed, topics are a sample. The value is f(truth means, candidate means) over the topics at hand; what
    the interval is for is f(mu, nu), the same coefficient between the two *population* mean vectors, which one would
    see with endless topics of this kind. The two differ by more than chance: noise in the means lowers agreement, so
    that the value lies below f(mu, nu) on average, and resampled values lie lower still. `bias_corrected` takes this
    back, and the default interval is built around it. The derivation is
    in docs/guide/intervals.md, and the coverage in docs/measured/interval-coverage.md.

    Ties: as the coefficient treats them. Resampled means can be tied even where the means are not, so that the
    coefficient must admit ties on both sides; tau_b is tau, and tau_ap_ties is tau_ap, where there are none.

    Parameters
    ----------
    truth, candidate
        `Scores`, or files that `read_scores` reads. Systems and topics are matched by their labels. What only one side
        has is left out, and an `AlignmentWarning` says what. Without an interval also one score for each system.
    coefficient : str
        A name from `list_coefficients`.
    interval : TopicBootstrap or None
        How to make the interval. None: no interval.
    test : {"chance"} or None
        "chance": a p-value of the hypothesis that the candidate scores have nothing to do with the truth, from the
        exact null distribution where there is one (`tau_null`, `tau_ap_null`), else by permutations.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers. Where none is given, one is drawn, and the settings
        say which.
    workers : int
        Threads.
    progress : callable, optional
        Called with the number of resamples done and of all.

    Returns
    -------
    CorrelationEstimate
        The bias-corrected value and then the limits are cut to the coefficient's range.

    References
    ----------
    P. Hall (1992). The Bootstrap and Edgeworth Expansion. Springer, section 1.4 (iterated bootstrap).
    J. R. Cook and L. A. Stefanski (1994). Simulation-Extrapolation Estimation in Parametric Measurement Error Models.
    Journal of the American Statistical Association 89.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful = cc.load_collection("people"), cc.load_collection("careful")
    >>> print(cc.correlate(people, careful, "tau_b", rng=7))
    tau_b = 0.9053 (observed), 95% interval [0.8231, 1.0000] (iterated topic bootstrap), bias-corrected 0.9455
    """
    known = get_coefficient(coefficient)
    if interval is not None and not isinstance(interval, TopicBootstrap):
        raise InputTypeError(f"interval is {interval!r}: give a TopicBootstrap, such as TopicBootstrap(9999), or None")
    if test not in (None, *get_args(Test)):
        raise InputError(f"test is {test!r}: use 'chance' or None")
    workers = check_workers(workers)
    rng = seeded(rng)
    stream = generator(rng)
    (a, b), notes = aligned(side_of(truth, "truth"), side_of(candidate, "candidate"), "both", ("truth", "candidate"))
    if len(a.systems) < 2:
        raise InputError(f"{counted(len(a.systems), 'system')} to compare: at least 2 are needed that both sides have")
    problem = None if interval is None else problem_of((a, b), known, workers)
    value = float(known.function(a.means, b.means))
    settings = {**_settings(known, (a, b), notes, seed_of(rng)), "test": test}
    if np.isnan(value):
        return CorrelationEstimate(known.name, value, "observed", settings=settings)
    p = None if test is None else chance_pvalue(known, a.means, b.means, rng=rng, workers=workers)
    if interval is None or problem is None:
        return CorrelationEstimate(known.name, value, "observed", pvalue=p, settings=settings)
    found = interval.run(problem, stream, workers=workers, progress=progress)
    _report_undefined(found, interval)
    return CorrelationEstimate(
        known.name,
        value,
        "observed",
        interval.interval(found),
        p,
        settings={**settings, **_how(interval, found)},
        bias_corrected=found.bias_corrected,
        standard_error=found.standard_error,
    )


def problem_of(sides: tuple[Side, Side], coefficient: Coefficient, workers: int) -> Problem:
    """The scores by topic and the coefficient, fit for resampling."""
    for side, name in zip(sides, ("truth", "candidate"), strict=True):
        if side.scores is None:
            raise InputError(
                f"{name} came as one score for each system, and an interval resamples topics: give Scores by topic on "
                "both sides, or interval=None"
            )
    require_ties(coefficient, ", or interval=None")
    truth, candidate = (side.scores.values for side in sides if side.scores is not None)
    if len(truth) < 2:
        raise InputError("there is only 1 topic that both sides have: an interval needs at least 2, better 25")
    return Problem(truth, candidate, coefficient.on_workers(workers), coefficient.range)


def require_ties(coefficient: Coefficient, or_else: str) -> None:
    """Refuse a coefficient that resampled means may be too much for."""
    if set(coefficient.ties) != {"truth", "candidate"}:
        raise TiesError(
            f"resampled means can be tied, and {coefficient.name} is not defined for ties on both sides: use "
            f"{coefficient.with_ties!r}, which is the same without ties{or_else}"
        )


def _settings(known: Coefficient, sides: tuple[Side, Side], notes: list[str], seed: int | None) -> dict[str, Any]:
    scores = sides[0].scores
    return {
        "ties": "as tied" if len(known.ties) == 2 else f"admitted in {' and '.join(known.ties) or 'neither side'}",
        "n_systems": len(sides[0].systems),
        "n_topics": None if scores is None or sides[1].scores is None else len(scores.topics),
        "seed": seed,
        "notes": list(notes),
        "version": __version__,
    }


def _how(interval: TopicBootstrap, found: Found) -> dict[str, Any]:
    return {
        "estimand": "another sample of as many topics"
        if interval.method == "another-sample"
        else "the coefficient between the population means",
        "interval": interval.method,
        "n_resamples": int(interval.n_resamples),
        "confidence_level": float(interval.confidence_level),
        "undefined": found.undefined,
    }


def _report_undefined(found: Found, interval: TopicBootstrap) -> None:
    if found.undefined:
        warnings.warn(
            f"the coefficient is undefined on {found.undefined} of some {interval.n_resamples:,} resamples of topics, "
            "where a side is all tied for instance; the interval is made from the others",
            UndefinedCorrelationWarning,
            stacklevel=3,
        )
