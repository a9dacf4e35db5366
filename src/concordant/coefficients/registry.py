"""All coefficients, their properties (for the command line, the docs and the tests), and their bounds over ties."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import signature, unwrap
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..data.results import Findings
from ..errors import InputError, LimitError, TiesError, closest, listing
from ..options import checked
from . import pair_losses as losses
from . import tau as taus
from .correlations import pearson, pearson_rank, pearson_rank_symmetric, spearman, weighted_tau
from .gap import tau_gap, tau_gap_a
from .overlap import rbo
from .sums import concordance, refuse_ties, require_finite, vectors, warn_undefined

Side: TypeAlias = Literal["truth", "candidate"]
Reading: TypeAlias = Literal["order", "scores"]
Headline: TypeAlias = Literal["main", "inferred", "table"]
Losses: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """A coefficient and its properties. Its name, `workers` and `tolerance` come from its function."""

    function: Callable[..., Any] = field(kw_only=False)
    summary: str = field(kw_only=False)
    reference: str = field(kw_only=False)
    """Citation key of the paper that defines the coefficient."""
    symmetric: bool = False
    """Whether truth and candidate can be exchanged."""
    ties: tuple[Side, ...] = ()
    """The sides that may have ties."""
    reads: tuple[Reading, Reading] = ("order", "order")
    """What the coefficient uses of truth, and of candidate: only the order, or the scores."""
    top_weighted: bool = False
    """Whether errors among the best systems cost more."""
    range: tuple[float, float] = (-1.0, 1.0)
    with_ties: str = ""
    """Coefficient that equals this one without ties, and admits ties on both sides; empty if this one admits them."""
    mean_over_ties: str = ""
    """Coefficient that is the mean of this one over all orders of the systems tied in candidate, for `tie_bounds`;
    empty if there is no such coefficient."""
    bounds: str = ""
    """Coefficient whose `tie_bounds` also bound this one if candidate has ties; empty if there are no such bounds."""
    null: Literal["", "tau", "tau_ap"] = ""
    """Name of its `null_distribution` for rankings without ties; empty if unknown."""
    losses: Losses | None = None
    """Function that gives each pair's part of 1 - value (see `pair_losses`); None if it is not a sum over pairs."""
    headline: Headline | None = None
    """The most prominent place where tables and reports show the coefficient; see `headlines`."""

    def __call__(self, truth: Any, candidate: Any, **options: Any) -> Any:
        """Compute the value with `function`."""
        return self.function(truth, candidate, **options)

    @property
    def name(self) -> str:
        """The name of the function, also used by the command line and the docs."""
        return self.function.__name__

    @property
    def workers(self) -> bool:
        """Whether the coefficient can use several threads on a batch."""
        return "workers" in signature(self.function).parameters

    @property
    def not_resampled(self) -> str:
        """The reason why the coefficient never has an interval; empty if it may have an interval."""
        if len(self.ties) == 2:
            return ""
        way_out = f"use {self.with_ties!r}, which is the same without ties"
        return f"resampled means can be tied, and {self.name} is not defined for ties on both sides: {way_out}"

    @property
    def undefined(self) -> str:
        """When the coefficient is undefined; empty if it is always defined."""
        return getattr(self.function, "undefined", "")

    @property
    def formula(self) -> Callable[..., Any]:
        """The function without its warning. It returns nan silently if the coefficient is undefined."""
        silent: Callable[..., Any] = unwrap(self.function)
        return silent

    def attempt(self, truth: npt.ArrayLike, candidate: npt.ArrayLike) -> tuple[float, str]:
        """Return the value for two vectors with an empty reason, or nan with the reason. Never warn.

        >>> get_coefficient("tau").attempt([3, 2, 1], [1, 1, 0])
        (nan, 'ties in candidate')
        """
        try:
            value = float(self.formula(truth, candidate))
        except TiesError as error:
            return math.nan, f"ties in {error.side}"
        except LimitError as error:
            return math.nan, str(error)
        return value, self.undefined if math.isnan(value) else ""

    def on_threads(self, threads: int) -> Callable[..., Any]:
        """Return the formula for batches, on several threads if it supports them."""
        return partial(self.formula, workers=threads) if self.workers else self.formula

    def statistic(self, truth: npt.ArrayLike, candidate: npt.ArrayLike, axis: int = -1) -> FloatArray:
        """Compute the coefficient with the systems on `axis`, for `scipy.stats.permutation_test` and `bootstrap`.

        SciPy passes whole batches of resamples to a function that has `axis`. SciPy would call the plain function once
        for each resample. With `permutation_type="pairings"` it runs the same test as `permutation_test`. Let SciPy
        permute only the candidate's scores, because it would otherwise try the orders of both sides.
        `bootstrap(paired=True)` draws systems with replacement, so many systems are tied: choose a coefficient that
        admits ties on both sides. For intervals over topics, see `correlate`.

        >>> from functools import partial
        >>> from scipy import stats
        >>> tau_ap = partial(get_coefficient("tau_ap").statistic, [0.9, 0.7, 0.5, 0.3, 0.1])
        >>> candidate = [0.8, 0.9, 0.4, 0.2, 0.1]
        >>> found = stats.permutation_test((candidate,), tau_ap, permutation_type="pairings", alternative="greater")
        >>> round(float(found.pvalue), 6)  # 17 of 120 orders
        0.141667
        """
        t, o = (np.moveaxis(np.asarray(side), axis, -1) for side in (truth, candidate))
        value: FloatArray = np.asarray(self.function(t, o))[()]  # SciPy needs a dtype even for a single value
        return value

    def matrix(self, frame: Any) -> Any:
        """Compare all columns of a pandas frame with each other. Rows are the truth, and columns the candidate.

        The frame has one row per system and one column per ranking, as for ``frame.corr(method=concordant.tau_b)``.
        That call is right for symmetric coefficients. For others, pandas computes one direction and reports it for
        both. It also writes 1 on the diagonal, and silently drops missing scores pair by pair. This method does
        none of these things.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"people": [4, 3, 2, 1], "model": [4, 1, 3, 2]}, index=["a", "b", "c", "d"])
        >>> get_coefficient("tau_ap").matrix(frame).round(3).to_numpy().tolist()
        [[1.0, 0.556], [0.444, 1.0]]
        """
        rankings = np.ascontiguousarray(np.asarray(frame).T)
        values = all_pairs(self.function, rankings, [str(name) for name in frame.columns])
        return type(frame)(values, index=frame.columns, columns=frame.columns)


def all_pairs(function: Callable[..., Any], rankings: npt.NDArray[Any], labels: Sequence[str]) -> FloatArray:
    """Compute a coefficient between every two rows, the first as the truth. Errors about ties name the ranking."""
    try:
        return np.asarray(function(rankings[:, None], rankings[None]))
    except TiesError as error:
        label = labels[max(error.positions[0][:2])]  # one of the two axes of rankings has length 1
        raise TiesError(error.coefficient, error.side, error.positions, error.score, error.admits, name=label) from None


_BOTH: tuple[Side, ...] = ("truth", "candidate")

# fmt: off
_COEFFICIENTS = (
    Coefficient(taus.tau, "Kendall's tau", "kendall1938", symmetric=True, with_ties="tau_b", mean_over_ties="tau_a",
                bounds="tau", null="tau", losses=losses.tau_a),
    Coefficient(taus.tau_a, "tau, mean over the orders of ties in candidate", "woodbury1940", ties=("candidate",),
                with_ties="tau_b", bounds="tau", null="tau", losses=losses.tau_a),
    Coefficient(taus.tau_b, "tau, agreement with ties on both sides", "kendall1945", symmetric=True, ties=_BOTH,
                bounds="tau", null="tau", losses=losses.tau_b, headline="main"),
    Coefficient(taus.tau_strict, "tau, ties must agree", "urbano2017", symmetric=True, ties=_BOTH,
                null="tau", losses=losses.tau_strict),
    Coefficient(taus.pairwise_accuracy, "share of pairs ordered alike, ties must agree", "deutsch2023", symmetric=True,
                ties=_BOTH, range=(0.0, 1.0), losses=losses.pairwise_accuracy),
    Coefficient(taus.tau_ap, "AP correlation", "yilmaz2008", top_weighted=True, with_ties="tau_ap_ties",
                mean_over_ties="tau_ap_a", bounds="tau_ap", null="tau_ap", losses=losses.tau_ap_ties),
    Coefficient(taus.tau_ap_symmetric, "AP correlation, mean of both directions", "yilmaz2008", symmetric=True,
                top_weighted=True, with_ties="tau_ap_b", losses=losses.tau_ap_b),
    Coefficient(taus.tau_ap_a, "AP correlation, mean over the orders of ties in candidate", "urbano2017",
                ties=("candidate",), top_weighted=True, with_ties="tau_ap_ties", bounds="tau_ap", null="tau_ap",
                losses=losses.tau_ap_a),
    Coefficient(taus.tau_ap_ties, "AP correlation with ties on both sides, candidate is walked", "urbano2017",
                ties=_BOTH, top_weighted=True, null="tau_ap", losses=losses.tau_ap_ties),
    Coefficient(taus.tau_ap_b, "AP correlation, agreement with ties on both sides", "urbano2017", symmetric=True,
                ties=_BOTH, top_weighted=True, bounds="tau_ap", losses=losses.tau_ap_b, headline="main"),
    Coefficient(taus.tau_ap_strict, "AP correlation, ties must agree", "urbano2017", ties=_BOTH, top_weighted=True,
                null="tau_ap", losses=losses.tau_ap_strict),
    Coefficient(tau_gap, "AP correlation by gaps in truth", "gao2015", ties=("truth",), reads=("scores", "order"),
                top_weighted=True, with_ties="tau_gap_a", mean_over_ties="tau_gap_a", bounds="tau_gap",
                losses=losses.tau_gap),
    Coefficient(tau_gap_a, "tau_gap, mean over the orders of ties in candidate", "gao2015", ties=_BOTH,
                reads=("scores", "order"), top_weighted=True, bounds="tau_gap", headline="table"),
    Coefficient(pearson_rank, "Pearson rank, rho_r", "gao2016", ties=_BOTH, reads=("scores", "scores"),
                top_weighted=True, headline="inferred"),
    Coefficient(pearson_rank_symmetric, "Pearson rank, mean of both directions", "gao2016", symmetric=True, ties=_BOTH,
                reads=("scores", "scores"), top_weighted=True),
    Coefficient(spearman, "Spearman's rho", "spearman1904", symmetric=True, ties=_BOTH, headline="table"),
    Coefficient(pearson, "Pearson's r", "pearson1895", symmetric=True, ties=_BOTH, reads=("scores", "scores")),
    Coefficient(weighted_tau, "Vigna's weighted tau", "vigna2015", symmetric=True, ties=_BOTH, top_weighted=True),
    Coefficient(rbo, "rank-biased overlap", "webber2010", symmetric=True, ties=_BOTH, top_weighted=True,
                range=(0.0, 1.0), headline="table"),
)
# fmt: on

_BY_NAME = {c.name: c for c in _COEFFICIENTS}


def list_coefficients() -> tuple[Coefficient, ...]:
    """List all coefficients with their properties, in the order of the docs' table.

    See Also
    --------
    get_coefficient : Look up a coefficient by its name.

    Examples
    --------
    >>> import concordant as cc
    >>> [c.name for c in cc.list_coefficients() if c.symmetric and c.top_weighted and len(c.ties) == 2]
    ['tau_ap_b', 'pearson_rank_symmetric', 'weighted_tau', 'rbo']

    """
    return _COEFFICIENTS


def headlines(kind: Headline = "main") -> tuple[str, ...]:
    """List the names of the coefficients that tables and reports show, in the order of the registry.

    "main": the coefficients in verdicts, titles and explanations. "inferred": also the coefficients with intervals,
    tests and ceilings, whose coverage was measured. "table": also the other columns of the command line's table.

    >>> headlines("main"), headlines("inferred")
    (('tau_b', 'tau_ap_b'), ('tau_b', 'tau_ap_b', 'pearson_rank'))
    >>> headlines("table")
    ('tau_b', 'tau_ap_b', 'tau_gap_a', 'pearson_rank', 'spearman', 'rbo')
    """
    kinds = get_args(Headline)
    return tuple(c.name for c in _COEFFICIENTS if c.headline in kinds[: kinds.index(kind) + 1])


def get_coefficient(name: str) -> Coefficient:
    """Look up a coefficient by its name; the error for an unknown name lists known names.

    See Also
    --------
    list_coefficients : List all coefficients with their properties.

    """
    try:
        return _BY_NAME[name]
    except (KeyError, TypeError):
        near = closest(str(name), _BY_NAME)
        hint = ": choose from" if near is None else f"; did you mean {near!r}? There are:"
        known = f"{listing(_BY_NAME)} (`concordant coefficients` lists all)"
        raise InputError(f"there is no coefficient {name!r}{hint} {known}") from None


@checked
def tie_bounds(truth: npt.ArrayLike, candidate: npt.ArrayLike, *, coefficient: str = "tau") -> Findings:
    """Compute the minimum, expected and maximum value over all orders of the systems tied in candidate.

    Parameters
    ----------
    truth, candidate : array_like
        One score for each system, higher is better. The last axis holds the systems; the axes before it broadcast.
        For tau and tau_ap the truth must not have ties.
    coefficient : {"tau", "tau_ap", "tau_gap"}
        The coefficient to bound.

    Returns
    -------
    Findings
        Holds `minimum`, `expected` and `maximum`: floats for two vectors, arrays for a batch.

    Raises
    ------
    TiesError
        If the truth has ties and the coefficient does not admit them.

    See Also
    --------
    tau_a : Kendall's tau with ties in the candidate.
    tau_ap_a : AP correlation with ties in the candidate.

    Notes
    -----
    The minimum orders each tied group against the truth, and the maximum orders it as the truth does. Both are exact
    for any group size, because putting two neighbours into the order of the truth never lowers these coefficients. The
    expected value is the mean over all orders: `tau_a`, `tau_ap_a` or `tau_gap_a`. Without ties, all three are equal.

    References
    ----------
    J. Urbano and M. Marrero (2017). The Treatment of Ties in AP Correlation. ICTIR, section 3.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.tie_bounds([6, 5, 4, 3, 2, 1], [5, 3, 6, 3, 1, 3], coefficient="tau_ap"))
    tau_ap over all orders of the tied systems: 0.0867 to 0.3200, expected 0.2089

    """
    bounded = [c.name for c in list_coefficients() if c.mean_over_ties]
    if coefficient not in bounded:
        raise InputError(f"coefficient is {coefficient!r}: tie bounds are known for {', '.join(map(repr, bounded))}")
    entry = get_coefficient(coefficient)
    found = bounds_of(entry, *vectors(truth, candidate))
    warn_undefined(found.expected, entry.undefined)
    return found


def bounds_of(entry: Coefficient, truth: FloatArray, candidate: FloatArray) -> Findings:
    """Compute `tie_bounds`, but without a warning where the coefficient is undefined and the bounds are nan."""
    require_finite(truth, candidate)
    if "truth" not in entry.ties:
        _, counts = concordance(truth, candidate)
        refuse_ties(counts.tied_truth, "truth", truth, of=entry.name, admits={"tau_gap": ""})
    low, high = (entry.formula(truth, break_ties(candidate, by)) for by in (-truth, truth))
    expected = get_coefficient(entry.mean_over_ties).formula(truth, candidate)
    ends = {"minimum": low, "expected": expected, "maximum": high}
    orders = f"{entry.name} over all orders of the tied systems"
    batch = f"{orders}, for a batch of shape {np.shape(low)}"
    return Findings(
        kind="TieBounds",
        answer=f"{orders}: {low:.4f} to {high:.4f}, expected {expected:.4f}" if isinstance(low, float) else batch,
        numbers={"coefficient": entry.name, **ends},
        lines=[
            {"coefficient": entry.name, **dict(zip(ends, values, strict=True))}
            for values in zip(*(np.ravel(end).tolist() for end in ends.values()), strict=True)
        ],
    )


def break_ties(scores: FloatArray, by: FloatArray | IntArray) -> FloatArray:
    """Rank the systems by `scores`, and break ties by `by`."""
    scores, by = np.broadcast_arrays(scores, by)
    ranks = np.empty(scores.shape)
    places = np.broadcast_to(np.arange(float(scores.shape[-1])), scores.shape)
    np.put_along_axis(ranks, np.lexsort((by, scores), axis=-1), places, axis=-1)
    return ranks
