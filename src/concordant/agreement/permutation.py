"""`permutation_test`: a test against chance for any coefficient, with or without ties."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice, permutations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray, Workers, shared_out
from ..coefficients.registry import Coefficient, get_coefficient
from ..coefficients.sums import vectors, warn_undefined
from ..data.results import Findings, settings_of
from ..errors import InputError, counted, p_cell, p_equals
from ..inference.nulls import null_distribution
from ..inference.resampling import Progress, Resampling, Seed
from ..options import checked
from ..pairing import Pairing, paired
from ..read.reader import Collection, has_labels

_SLACK = 1e-12  # closer values count as equal: they are the same sum in another order
_ROWS = 2**16  # scores in a batch of permutations
_ENUMERATED = 8  # up to this many systems, try all orders
_MOST_ENUMERATED = 10


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
        Number of random permutations. All permutations are tried for up to 8 systems, and for 9 or 10 if there are at
        most n_resamples + 1 of them.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers. Without one, a seed is drawn, and the settings
        record it.
    workers : int or concurrent.futures.Executor
        Number of threads, for the coefficients that use them, or an executor.
    progress : callable, optional
        Called with the number of permutations done and the total.

    Returns
    -------
    Findings
        `value`; `pvalue`, nan if the value is undefined, and its Monte Carlo `standard_error`; `null`: the coefficient
        of each permutation; `exact`: whether all were tried; `n_undefined`: number of permutations without a value.

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
    If c of B random permutations are at least as extreme, p = (1 + c) / (1 + B), which keeps its level at any B. If all
    m! permutations are tried, p is the share of them that are at least as extreme. It is twice the smaller
    one-sided p-value, at most 1, because coefficients such as `rbo` are not symmetric. Values that differ by less than
    1e-12 count as equal. Permutations with an undefined coefficient count as at least as extreme in both directions.

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
    """Two-sided p-value of the hypothesis that the candidate scores are unrelated to the truth.

    It comes from the exact null distribution if there is one, else from permutations.

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
        if drawn.progress is not None:
            drawn.progress(done, total)
    p = math.nan
    if not math.isnan(value):  # random orders count the observed one as well
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
        figure="distributions.permutations",
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
