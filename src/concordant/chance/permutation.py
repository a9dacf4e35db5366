"""`permutation_test`: could the agreement be chance? For any coefficient, with ties."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice, permutations
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..arrays import FloatArray, IntArray
from ..coefficients.inputs import vectors
from ..coefficients.registry import get_coefficient
from ..coefficients.sums import check_workers
from ..errors import InputError, UndefinedCorrelationWarning, import_extra
from ..notebook import Displayed
from ..resampling import Progress, Seed, check_count, generator, seed_of
from ..results import or_none
from .nulls import Alternative, check_alternative

PermutationMethod = Literal["auto", "exact", "random"]

_SLACK = 1e-12  # values closer than this are equal: the same sum in another order
_ROWS = 2**16  # scores of rankings in a batch
_ENUMERATED = 8  # systems up to which all orders are tried
_MOST_ENUMERATED = 10


@dataclass(frozen=True, eq=False)
class PermutationTest(Displayed):
    """What `permutation_test` found. `float(t)` is the p-value."""

    coefficient: str
    value: float
    """Of the candidate ranking."""
    pvalue: float
    """nan where the value is undefined."""
    standard_error: float
    """Of the p-value, because only so many permutations were drawn; 0 where all were tried."""
    alternative: Alternative
    exact: bool
    """Whether all permutations were tried."""
    null: FloatArray
    """The coefficient of every permutation tried."""
    n_undefined: int
    """Permutations without a value; they count as at least as extreme."""
    settings: Mapping[str, Any]

    def __float__(self) -> float:
        return self.pvalue

    def __str__(self) -> str:
        how = "all" if self.exact else "random"
        error = "exact" if self.exact else f"standard error {self.standard_error:.2g}"
        lines = [
            f"{self.coefficient} = {self.value:.4f}, p = {self.pvalue:.4g} ({self.alternative})",
            "",
            f"  p-value       {self.pvalue:10.4g}   {error}",
            f"  permutations  {len(self.null):10,}   {how}",
            f"  under chance  {np.nanmean(self.null):10.4f}   standard deviation {np.nanstd(self.null):.4f}"
            if np.isfinite(self.null).any()
            else "  under chance   undefined",
        ]
        if self.n_undefined:
            lines += ["", f"Mind: {self.n_undefined} permutations have no value, and count as at least as extreme"]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the values of the permutations, ready for JSON."""
        return {
            "coefficient": self.coefficient,
            "value": or_none(self.value),
            "pvalue": or_none(self.pvalue),
            "standard_error": or_none(self.standard_error),
            "alternative": self.alternative,
            "exact": self.exact,
            "n_permutations": len(self.null),
            "n_undefined": self.n_undefined,
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame of one row."""
        names = ("coefficient", "value", "pvalue", "standard_error", "alternative", "exact")
        return import_extra("pandas").DataFrame([{name: getattr(self, name) for name in names}])

    def plot(self, ax: Any = None) -> Any:
        """A histogram of the permutations, and the observed value."""
        from ..plots import distributions

        return distributions.permutations(self, ax)


def permutation_test(  # noqa: PLR0913
    truth: npt.ArrayLike,
    candidate: npt.ArrayLike,
    coefficient: str = "tau_b",
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9_999,
    method: PermutationMethod = "auto",
    rng: Seed = None,
    workers: int = 1,
    progress: Progress | None = None,
    **parameters: Any,
) -> PermutationTest:
    """Test whether the agreement of `candidate` with `truth` could be chance, by permuting the candidate scores.

    The hypothesis is that which system got which candidate score has nothing to do with the truth: all assignments of
    the candidate scores to the systems are equally probable. For any coefficient, whatever is tied. With ties on no
    side, `tau_null` and `tau_ap_null` give the same test exactly and at once.

    With c of B random permutations at least as extreme, p = (1 + c) / (1 + B), which keeps its level at any B; with all
    m! permutations tried, p is the share. "two-sided" is twice the smaller of the two one-sided p-values, at most 1,
    because coefficients such as `rbo` are not symmetric. Values that differ by less than 1e-12 count as equal. A
    permutation for which the coefficient is undefined counts as at least as extreme on both sides. Where the candidate
    value itself is undefined, so is the p-value: nan, with an `UndefinedCorrelationWarning`.

    It does not test whether the agreement is good, nor does it know of topics.

    Parameters
    ----------
    truth, candidate : array_like
        One score for each system, higher is better.
    coefficient : str
        A name from `list_coefficients`.
    alternative : {"two-sided", "less", "greater"}
        What counts as extreme.
    n_resamples : int
        Number of random permutations.
    method : {"auto", "exact", "random"}
        Try all permutations, or draw some. "auto" tries all for up to 8 systems, and for 9 or 10 where
        that takes no more than n_resamples + 1. "exact" can be asked for up to 10.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers.
    workers : int
        Threads, for the coefficients that use them.
    progress : callable, optional
        Called with the number of permutations done and of all.
    **parameters
        Passed on to the coefficient, for instance p of `rbo` or tolerance of `tau_b`.

    Returns
    -------
    PermutationTest

    Examples
    --------
    >>> import concordant as cc
    >>> truth, candidate = [9, 8, 7, 6, 5, 4, 3, 2, 1], [8, 8, 9, 6, 4, 4, 4, 1, 2]
    >>> print(cc.permutation_test(truth, candidate, "tau_ap_b", rng=1))
    tau_ap_b = 0.4021, p = 0.093 (two-sided)
    <BLANKLINE>
      p-value            0.093   standard error 0.0029
      permutations       9,999   random
      under chance     -0.0555   standard deviation 0.2667
    """
    entry = get_coefficient(coefficient)
    check_alternative(alternative)
    if method not in get_args(PermutationMethod):
        raise InputError(f"method is {method!r}: use 'auto', 'exact' or 'random'")
    count, drawn_by, threads = check_count(n_resamples), generator(rng), check_workers(workers)
    t, o = vectors(truth, candidate)
    if t.ndim != 1 or o.ndim != 1:
        raise InputError(f"truth and candidate have shapes {t.shape} and {o.shape}: a test takes one score a system")
    exact = _tries_all(method, len(o), count)
    function = partial(entry.on_workers(threads), **parameters)
    value = float(function(t, o))
    settings = {
        "coefficient": coefficient,
        "parameters": parameters,
        "alternative": alternative,
        "method": "exact" if exact else "random",
        "n_resamples": None if exact else count,
        "seed": None if exact else seed_of(rng),
        "version": __version__,
    }
    total = math.factorial(len(o)) if exact else count
    orders = _all_orders(len(o)) if exact else _random_orders(len(o), count, drawn_by)
    null = np.empty(total)
    done = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedCorrelationWarning)  # counted, and told by the result
        for some in orders:
            null[done : done + len(some)] = function(t, o[some])
            done += len(some)
            if progress is not None:
                progress(done, total)
    p = _pvalue(null, value, alternative, 0 if exact else 1)
    return PermutationTest(
        coefficient=coefficient,
        value=value,
        pvalue=p,
        standard_error=0.0 if exact else math.sqrt(p * (1 - p) / total),
        alternative=alternative,
        exact=exact,
        null=null,
        n_undefined=int(np.isnan(null).sum()),
        settings=settings,
    )


def _tries_all(method: PermutationMethod, m: int, count: int) -> bool:
    if method == "exact" and m > _MOST_ENUMERATED:
        raise InputError(
            f"method is 'exact', and {m} systems have too many orders: at most {_MOST_ENUMERATED}, or 'random'"
        )
    small = m <= _ENUMERATED or (m <= _MOST_ENUMERATED and math.factorial(m) <= count + 1)
    return method == "exact" or (method == "auto" and small)


def _pvalue(null: FloatArray, value: float, alternative: Alternative, own: int) -> float:
    """`own` is 1 where the observed order is counted beside those drawn, 0 where it is among them."""
    if math.isnan(value):
        return math.nan
    undefined = np.isnan(null)
    greater = (own + np.sum(undefined | (null >= value - _SLACK))) / (own + len(null))
    less = (own + np.sum(undefined | (null <= value + _SLACK))) / (own + len(null))
    if alternative == "two-sided":
        return float(min(1.0, 2 * min(less, greater)))
    return float(less if alternative == "less" else greater)


def _all_orders(m: int) -> Iterator[IntArray]:
    orders = permutations(range(m))
    while some := list(islice(orders, _ROWS // m)):
        yield np.array(some)


def _random_orders(m: int, count: int, rng: np.random.Generator) -> Iterator[IntArray]:
    step = max(1, _ROWS // m)
    for lo in range(0, count, step):
        yield rng.permuted(np.tile(np.arange(m), (min(step, count - lo), 1)), axis=1)
