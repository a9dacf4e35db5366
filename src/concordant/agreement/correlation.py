"""One coefficient between two sides: `correlate` gives an interval, `permutation_test` a test against chance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice, permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray, Workers, shared_out
from ..coefficients.registry import Coefficient, get_coefficient
from ..coefficients.sums import vectors, warn_undefined
from ..data.means import doubts_about_sizes
from ..data.results import Estimate, Findings, settings_of
from ..data.scores import Scores
from ..errors import InputError, UndefinedCorrelationWarning, counted, nearly_reversed, p_cell, p_equals, warn
from ..inference.intervals import Found, Method, check_bootstrap, limits
from ..inference.nulls import null_distribution
from ..inference.resampling import Progress, Resampling, Seed
from ..options import checked
from ..pairing import Pairing, paired
from ..read.reader import Collection, has_labels

NO_INTERVAL = "the coefficient is undefined on nearly all resamples of the topics: there is no interval"
FEWEST = 3  # smallest number of topics, or groups of topics, for an interval
TOO_FEW = f"no interval: 2 topics or groups are too few to resample, at least {FEWEST} are needed"
_SLACK = 1e-12  # values closer than this count as equal: they may be one sum, added in different orders
_ROWS = 2**16  # number of scores in a batch of permutations
_ENUMERATED = 8  # with at most this many systems, always try all orders
_MOST_ENUMERATED = 10


@checked
def correlate(  # noqa: PLR0913
    truth: Collection,
    candidate: Collection = None,
    *,
    coefficient: str = "tau_b",
    method: Method | None = "auto",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Estimate:
    """Compute a coefficient between two conditions, with an interval for the population of topics.

    Parameters
    ----------
    truth, candidate : what `as_scores` takes
        `Scores`, files, frames or results of an evaluation tool, or topics x systems matrices. Systems and topics are
        matched by label. Those that only one side has are left out, and an `AlignmentWarning` names them. Without an
        interval, one score per system is enough.
    coefficient : str
        A name from `list_coefficients`.
    method : {"auto", "shrinkage", "iterated"} or None
        Method of the interval. None: no interval. The interval is for the coefficient between the two *population*
        mean vectors.

        - "auto": the shrinkage interval. Its lower part starts at its own centre or at the centre of the iterated
          bootstrap, whichever is nearer to 0. If a check finds that the model of the shrinkage interval does not fit,
          the interval is extended to contain the iterated one, and a note says so.
        - "shrinkage": draws population means given the observed means, from a model in which systems are exchangeable
          and the two conditions are linearly related. The interval is narrower than the iterated one, but wrong if
          the model is wrong, for instance if a third of the systems are nearly tied.
        - "iterated": needs no model. Resamples of resamples show how far added noise lowers the coefficient, and the
          interval is built around the value corrected for this bias.
    confidence_level : float
        Confidence level of the interval.
    n_resamples : int
        Number of resamples for the interval, including resamples of resamples; at least 500. "auto" draws this many for
        each of its two parts, and eight times as many if it uses the iterated interval. Its limits then vary with the
        seed by less than a tenth of a standard error. The limits of "iterated" vary by a quarter of a standard error,
        so use 49,999 resamples with that method.
    rng : int, Generator or None
        The same seed gives the same bits with any number of workers. If this is None, a seed is drawn, and the settings
        record the seed.
    workers : int or concurrent.futures.Executor
        Number of threads, or an executor.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    Estimate
        The bias-corrected value and the limits are clipped to the range of the coefficient.

    Warns
    -----
    AlignmentWarning
        If one side has systems or topics that the other lacks.
    UndefinedCorrelationWarning
        If the coefficient is undefined for the means, or on some of the resamples.

    See Also
    --------
    compare : Compute all coefficients at once, with their caveats.
    judge_worth : Estimate how many topics of the truth a candidate's topics are worth.

    Notes
    -----
    The systems are fixed, and the topics are a sample. The value is f(truth means, candidate means) over the given
    topics. The interval is for f(mu, nu), the same coefficient between the two *population* mean vectors over unlimited
    topics of this kind. Noise in the means lowers agreement, so the value lies below f(mu, nu) on average, and
    resampled values lie lower still. `bias_corrected` corrects this bias, and the default interval is built around the
    corrected value. docs/guide/intervals.md has the derivation.

    The coverage of 95% intervals by "auto" was 93 to 100% in 203 of 210 cells of real and simulated collections with at
    least 10 topics and 6 systems (docs/measured/default-interval.md). For tau_b and 50 topics, these intervals were a
    fifth narrower than those by "iterated". Coverage was lower in three cases. It was 85 and 89% for tau_ap_b if a
    judge gives most systems the same score. It was 61 to 96% if a third of the systems are truly tied, in another order
    on each side. It was 89% for tau_b and 81% for tau_ap_b if half of the systems are related and half are not.

    Resampled means can be tied even if the observed means are not, so the coefficient must admit ties on both sides.
    Without ties, tau_b equals tau, and tau_ap_ties equals tau_ap.

    References
    ----------
    C. N. Morris (1983). Parametric Empirical Bayes Inference: Theory and Applications. Journal of the American
    Statistical Association 78.
    P. Hall (1992). The Bootstrap and Edgeworth Expansion. Springer, section 1.4 (iterated bootstrap).
    J. R. Cook and L. A. Stefanski (1994). Simulation-Extrapolation Estimation in Parametric Measurement Error Models.
    Journal of the American Statistical Association 89.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful = cc.load_collection("people"), cc.load_collection("careful")
    >>> print(cc.correlate(people, careful, rng=7))
    tau_b = 0.9053 (observed), 95% interval [0.86, 1.00] (auto topic bootstrap), bias-corrected 0.96

    """
    known, level = get_coefficient(coefficient), confidence_level
    drawn = Resampling.of(n_resamples, rng, workers, progress)
    if method is not None:
        check_bootstrap(drawn.n_resamples)
        if why := known.not_resampled:
            raise InputError(f"{why}, or method=None, for no interval")
    found = paired(truth, candidate, otherwise=None if method is None else ", or method=None, for no interval")
    check_pairing(found, interval=method is not None)
    a, b = found.sides
    x, y = a.means(), b.means()
    value = float(known.formula(x, y))
    warn_undefined(value, known.undefined)
    about: dict[str, Any] = {"n_systems": len(a.systems)}
    about["n_topics"] = len(a.topics) if a.topics and b.topics else None
    made = None
    notes = (*found.notes, *nearly_reversed(value, known.name))
    if method is not None and not math.isnan(value):
        rows = found.observations()
        if len(rows[0].values) < FEWEST:
            return estimate_of(known, value, None, level, seed=None, notes=(*notes, TOO_FEW), data=found, **about)
        (made,) = limits((rows[0].values, rows[1].values), [known], method, level, drawn)
        if made is None:
            raise InputError(NO_INTERVAL)
        notes += doubts_about_sizes(a.groups)
        if made.note:
            notes += (made.note,)
        if made.undefined:
            notes += (undefined_on(made),)
            warn(notes[-1], UndefinedCorrelationWarning)
    about |= found.settings if method is not None else {}
    return estimate_of(known, value, made, level, seed=drawn.seed, notes=notes, data=found, **about)


def check_pairing(found: Pairing, *, interval: bool, per_topic: bool = False) -> None:
    """Refuse requests that cannot be computed, before the work starts."""
    if len(found.systems) < 2:
        raise InputError(f"both sides have {counted(len(found.systems), 'system')} in common: at least 2 are needed")
    if interval and not found.by_topic:
        raise InputError("interval resamples topics: give both sides scores on the same topics")
    if interval and len(found.topics) < 2:
        raise InputError("both sides have only 1 topic in common: an interval needs at least 2, preferably 25")
    if per_topic and not all(isinstance(side, Scores) for side in found.sides):
        raise InputError("per_topic needs scores on each topic from both sides: give Scores or files of them")


def estimate_of(
    known: Coefficient,
    value: float,
    found: Found | None,
    level: float,
    *,
    seed: int | None,
    notes: tuple[str, ...] = (),
    data: Pairing | None = None,
    **settings: Any,
) -> Estimate:
    """Make an `Estimate` from the value and the limits of its interval."""
    how: dict[str, Any] = {
        "seed": seed,
        "ties": "as tied" if len(known.ties) == 2 else f"admitted in {' and '.join(known.ties) or 'neither side'}",
        **settings,
    }
    made: dict[str, Any] = {}
    if found is not None:
        how |= {
            "n_resamples": found.n_resamples,
            "confidence_level": level,
            "estimand": "the coefficient between the population means",
            "interval": found.method,
            "undefined": found.undefined,
        }
        made = {"bias_corrected": found.bias_corrected, "standard_error": found.standard_error}
        made["interval"] = found.interval(level)
    made |= {"notes": notes, "data": data, "settings": settings_of(**how)}
    return Estimate(known.name, value, "observed", **made)


def undefined_on(found: Found) -> str:
    """Say on how many resamples a coefficient is undefined."""
    return (
        f"the coefficient is undefined on {found.undefined} of about {found.n_resamples:,} resamples of topics, "
        "for instance because all systems are tied; the interval uses the others"
    )


@checked
def permutation_test(
    truth: Collection | npt.ArrayLike,
    candidate: Collection | npt.ArrayLike = None,
    *,
    coefficient: str = "tau_b",
    n_resamples: int = 9_999,
    rng: Seed = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Findings:
    """Test whether the agreement of `candidate` with `truth` could be chance, by permuting the candidate scores.

    Under the null hypothesis the candidate scores are unrelated to the truth: all assignments of these scores to the
    systems are equally probable. The test works for any coefficient and any ties.

    Parameters
    ----------
    truth, candidate : array_like, or what `as_scores` takes
        One score for each system, higher is better: two vectors in the same order, or two collections with systems
        matched by name. Scores by topic are averaged over the common topics.
    coefficient : str
        A name from `list_coefficients`.
    n_resamples : int
        Number of random permutations. All permutations are tried for up to 8 systems, and for 9 or 10 systems if
        these have at most n_resamples + 1 permutations.
    rng : int, Generator or None
        The same seed gives the same bits with any number of workers. If this is None, a seed is drawn, and the settings
        record the seed.
    workers : int or concurrent.futures.Executor
        Number of threads, for the coefficients that use them, or an executor.
    progress : callable, optional
        Called with the number of permutations done and the total.

    Returns
    -------
    Findings
        `value`; `pvalue`, nan if the value is undefined, and its Monte Carlo `standard_error`; `null`: the coefficient
        of each permutation; `exact`: whether all permutations were tried; `n_undefined`: number of permutations for
        which the coefficient is undefined.

    Warns
    -----
    UndefinedCorrelationWarning
        If the value is undefined; the p-value is then nan.

    See Also
    --------
    null_distribution : Tau and AP correlation between random rankings.
    compare : Compute all coefficients between a truth and its candidates.

    Notes
    -----
    If c of B random permutations are at least as extreme as the given order, p = (1 + c) / (1 + B). This test keeps its
    level at any B. If all m! permutations are tried, p is the share of permutations that are at least as extreme. The
    two-sided p-value is twice the smaller one-sided p-value, at most 1, because null distributions such as that
    of `rbo` are not symmetric. Values that differ by less than 1e-12 count as equal. Permutations with an undefined
    coefficient count as at least as extreme in both directions.

    The test does not say whether the agreement is good, and ignores the sampling of topics. Without ties,
    `null_distribution` gives the same test exactly and faster.

    References
    ----------
    B. Phipson and G. K. Smyth (2010). Permutation P-values Should Never Be Zero. Statistical Applications in Genetics
    and Molecular Biology 9.

    Examples
    --------
    >>> import concordant as cc
    >>> truth, candidate = [9, 8, 7, 6, 5, 4, 3, 2, 1], [8, 8, 9, 6, 4, 4, 4, 1, 2]
    >>> print(cc.permutation_test(truth, candidate, coefficient="tau_ap_b", rng=1))
    tau_ap_b = 0.4021, p = 0.093 (two-sided)
    <BLANKLINE>
      p-value            0.093   standard error 0.0029
      permutations       9,999   random
      under chance       -0.06   standard deviation 0.27

    """
    entry = get_coefficient(coefficient)
    drawn = Resampling.of(n_resamples, rng, workers, progress)
    found: Pairing | None = None
    notes: tuple[str, ...] = ()
    if isinstance(truth, Pairing) or has_labels(truth) or has_labels(candidate):
        found = paired(truth, candidate)
        notes = found.notes
        truth, candidate = (side.means() for side in found)
    t, c = vectors(truth, candidate)
    if t.ndim != 1 or c.ndim != 1:
        raise InputError(f"truth and candidate have shapes {t.shape} and {c.shape}: a test takes one score per system")
    tested = _tested(entry, t, c, drawn)
    warn_undefined(tested.value, entry.undefined)
    return replace(tested, notes=(*notes, *tested.notes), data=found)


def chance_pvalue(entry: Coefficient, truth: FloatArray, candidate: FloatArray, drawn: Resampling) -> float:
    """Compute the two-sided p-value of the hypothesis that the candidate scores are unrelated to the truth.

    Use the exact null distribution if it is known, otherwise permutations.

    >>> coefficient, never = get_coefficient("tau_ap"), Resampling.of(1)
    >>> chance_pvalue(coefficient, np.arange(8.0), np.array([0.0, 1, 3, 2, 4, 5, 7, 6]), never)
    0.018948412698412697
    """
    untied = all(len(np.unique(side)) == len(side) for side in (truth, candidate))
    if untied and entry.null:
        null = null_distribution(entry.null, len(truth))
        return float(null.pvalue(float(entry.formula(truth, candidate))))
    return float(_tested(entry, truth, candidate, drawn).pvalue)


def _tested(entry: Coefficient, truth: FloatArray, candidate: FloatArray, drawn: Resampling) -> Findings:
    m = len(candidate)
    exact = m <= _ENUMERATED or (m <= _MOST_ENUMERATED and math.factorial(m) <= drawn.n_resamples + 1)
    value = float(entry.formula(truth, candidate))
    total = math.factorial(m) if exact else drawn.n_resamples
    null = np.empty(total)
    done = 0
    orders = _all_orders(m) if exact else _random_orders(m, total, drawn.generator())
    compute = partial(_permuted, entry.name, truth, drawn.threads)
    for values in shared_out(compute, (candidate[some] for some in orders), drawn.workers):
        null[done : done + len(values)] = values
        done += len(values)
        drawn.progress(done, total)
    p = math.nan
    if not math.isnan(value):  # the observed order counts as one of the random permutations
        undefined, own = np.isnan(null), not exact
        sides = null >= value - _SLACK, null <= value + _SLACK
        p = float(min(1.0, 2 * min((own + np.sum(undefined | side)) / (own + total) for side in sides)))
    lost = int(np.isnan(null).sum())
    error = 0.0 if exact else math.sqrt(p * (1 - p) / total)
    chance = "undefined"
    if np.isfinite(null).any():
        digits = 4 if exact else 2
        chance = f"{np.nanmean(null):z10.{digits}f}   standard deviation {np.nanstd(null):.{digits}f}"
    told = {"coefficient": entry.name, "value": value, "pvalue": p, "standard_error": error, "exact": exact}
    return Findings(
        kind="PermutationTest",
        answer=f"{entry.name} = {value:.4f}, {p_equals(p)} (two-sided)",
        numbers={**told, "n_undefined": lost, "n_permutations": total},
        beside={"null": null},
        lines=[told],
        shown=f"  p-value       {p_cell(p):>10}   {'exact' if exact else f'standard error {error:.2g}'}\n"
        f"  permutations  {total:10,}   {'all' if exact else 'random'}\n"
        f"  under chance  {chance:>10}",
        notes=(f"{counted(lost, 'permutation')} without a value, counted as at least as extreme",) * bool(lost),
        settings=settings_of(
            seed=None if exact else drawn.seed,
            n_resamples=None if exact else total,
            coefficient=entry.name,
            method="exact" if exact else "random",
        ),
    )


def _permuted(name: str, truth: FloatArray, threads: int, candidates: FloatArray) -> FloatArray:
    return np.asarray(get_coefficient(name).on_threads(threads)(truth, candidates))


def _all_orders(m: int) -> Iterator[IntArray]:
    orders = permutations(range(m))
    while some := list(islice(orders, _ROWS // m)):
        yield np.array(some)


def _random_orders(m: int, count: int, rng: np.random.Generator) -> Iterator[IntArray]:
    step = max(1, _ROWS // m)
    for lo in range(0, count, step):
        yield rng.permuted(np.tile(np.arange(m), (min(step, count - lo), 1)), axis=1)
