"""All coefficients and what is true of them: the command line's choices, the docs' table and the tests' properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import InputError, TiesError
from .ap import tau_ap, tau_ap_a, tau_ap_b, tau_ap_strict, tau_ap_symmetric, tau_ap_ties
from .classic import pearson, spearman, weighted_tau
from .gap import tau_gap, tau_gap_a
from .kendall import tau, tau_a, tau_b, tau_strict
from .overlap import rbo
from .pearson_rank import pearson_rank, pearson_rank_symmetric


@dataclass(frozen=True)
class Coefficient:
    """A coefficient and its properties."""

    name: str
    function: Callable[..., Any]
    summary: str
    symmetric: bool
    """Whether truth and candidate can be exchanged."""
    ties: tuple[Literal["truth", "candidate"], ...]
    """The sides that may have ties."""
    reads: tuple[Literal["order", "scores"], Literal["order", "scores"]]
    """What counts of truth and of candidate: only the order, or the scores themselves."""
    reference: str
    """Citation key of the paper that defines it."""
    top_weighted: bool = False
    """Whether errors among the best systems cost more."""
    tolerance: bool = False
    """Whether scores closer than a tolerance can be treated as tied."""
    range: tuple[float, float] = (-1.0, 1.0)

    def on_threads(self, workers: int) -> Callable[..., Any]:
        """The function on so many threads, where it knows how."""
        return (
            partial(self.function, workers=workers)
            if "workers" in signature(self.function).parameters
            else self.function
        )

    def statistic(self, truth: npt.ArrayLike, candidate: npt.ArrayLike, axis: int = -1) -> FloatArray:
        """The coefficient with the systems on `axis`, as `scipy.stats.permutation_test` and `bootstrap` call it.

        scipy sees `axis` and passes whole batches of resamples; given the plain function it calls that for each.
        `permutation_type="pairings"` is the test that `permutation_test` does; give scipy the candidate scores alone to
        permute, or it goes through the orders of both sides. `bootstrap(paired=True)` draws systems with replacement,
        so that many are tied: take a coefficient that admits ties on both sides. For intervals over topics see
        `correlate`.

        >>> from functools import partial
        >>> from scipy import stats
        >>> tau_ap = partial(get_coefficient("tau_ap").statistic, [0.9, 0.7, 0.5, 0.3, 0.1])
        >>> candidate = [0.8, 0.9, 0.4, 0.2, 0.1]
        >>> found = stats.permutation_test((candidate,), tau_ap, permutation_type="pairings", alternative="greater")
        >>> round(float(found.pvalue), 6)  # 17 of 120 orders
        0.141667
        """
        t, o = (np.moveaxis(np.asarray(side), axis, -1) for side in (truth, candidate))
        value: FloatArray = np.asarray(self.function(t, o))[()]  # scipy asks even a single value for its dtype
        return value

    def matrix(self, frame: Any) -> Any:
        """All columns of a pandas frame against each other; the row is the truth, the column candidate.

        The frame has a row a system and a column a ranking, as for ``frame.corr(method=concordant.tau_b)``, which is
        right for symmetric coefficients. Others pandas computes in one direction and writes down for both; it writes 1
        in the diagonal and drops missing scores pair by pair, and says nothing of it. This does none of these.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"people": [4, 3, 2, 1], "model": [4, 1, 3, 2]}, index=["a", "b", "c", "d"])
        >>> get_coefficient("tau_ap").matrix(frame).round(3).to_numpy().tolist()
        [[1.0, 0.556], [0.444, 1.0]]
        """
        rankings = np.ascontiguousarray(np.asarray(frame).T)
        values = all_pairs(self.function, rankings, [str(name) for name in frame.columns])
        return type(frame)(values, index=frame.columns, columns=frame.columns)


def all_pairs(function: Callable[..., Any], rankings: npt.NDArray[Any], labels: Sequence[str]) -> FloatArray:
    """A coefficient of each row with each row, the truth first; ties are refused with the name of the ranking."""
    try:
        return np.asarray(function(rankings[:, None], rankings[None]))
    except TiesError as error:
        tied = next(label for label, row in zip(labels, rankings, strict=True) if len(set(row)) < len(row))
        raise TiesError(f"{tied} has ties, and{str(error).rpartition(', and')[2]}") from None


_NONE: tuple[Literal["truth", "candidate"], ...] = ()
_CANDIDATE: tuple[Literal["truth", "candidate"], ...] = ("candidate",)
_TRUTH: tuple[Literal["truth", "candidate"], ...] = ("truth",)
_BOTH: tuple[Literal["truth", "candidate"], ...] = ("truth", "candidate")
_ORDER: tuple[Literal["order", "scores"], Literal["order", "scores"]] = ("order", "order")
_GAPS: tuple[Literal["order", "scores"], Literal["order", "scores"]] = ("scores", "order")
_SCORES: tuple[Literal["order", "scores"], Literal["order", "scores"]] = ("scores", "scores")

_COEFFICIENTS = (
    Coefficient("tau", tau, "Kendall's tau", True, _NONE, _ORDER, "kendall1938"),
    Coefficient(
        "tau_a",
        tau_a,
        "tau, mean over the orders of ties in candidate",
        False,
        _CANDIDATE,
        _ORDER,
        "woodbury1940",
    ),
    Coefficient(
        "tau_b",
        tau_b,
        "tau, agreement with ties on both sides",
        True,
        _BOTH,
        _ORDER,
        "kendall1945",
        tolerance=True,
    ),
    Coefficient(
        "tau_strict",
        tau_strict,
        "tau, a tie must be a tie",
        True,
        _BOTH,
        _ORDER,
        "urbano2017",
        tolerance=True,
    ),
    Coefficient("tau_ap", tau_ap, "AP correlation", False, _NONE, _ORDER, "yilmaz2008", top_weighted=True),
    Coefficient(
        "tau_ap_symmetric",
        tau_ap_symmetric,
        "AP correlation, mean of both directions",
        True,
        _NONE,
        _ORDER,
        "yilmaz2008",
        top_weighted=True,
    ),
    Coefficient(
        "tau_ap_a",
        tau_ap_a,
        "AP correlation, mean over the orders of ties in candidate",
        False,
        _CANDIDATE,
        _ORDER,
        "urbano2017",
        top_weighted=True,
    ),
    Coefficient(
        "tau_ap_ties",
        tau_ap_ties,
        "AP correlation with ties on both sides, candidate is walked",
        False,
        _BOTH,
        _ORDER,
        "urbano2017",
        top_weighted=True,
        tolerance=True,
    ),
    Coefficient(
        "tau_ap_b",
        tau_ap_b,
        "AP correlation, agreement with ties on both sides",
        True,
        _BOTH,
        _ORDER,
        "urbano2017",
        top_weighted=True,
        tolerance=True,
    ),
    Coefficient(
        "tau_ap_strict",
        tau_ap_strict,
        "AP correlation, a tie must be a tie",
        False,
        _BOTH,
        _ORDER,
        "urbano2017",
        top_weighted=True,
        tolerance=True,
    ),
    Coefficient(
        "tau_gap",
        tau_gap,
        "AP correlation by gaps in truth",
        False,
        _TRUTH,
        _GAPS,
        "gao2015",
        top_weighted=True,
    ),
    Coefficient(
        "tau_gap_a",
        tau_gap_a,
        "tau_gap, mean over the orders of ties in candidate",
        False,
        _BOTH,
        _GAPS,
        "gao2015",
        top_weighted=True,
    ),
    Coefficient(
        "pearson_rank",
        pearson_rank,
        "Pearson rank, rho_r",
        False,
        _BOTH,
        _SCORES,
        "gao2016",
        top_weighted=True,
    ),
    Coefficient(
        "pearson_rank_symmetric",
        pearson_rank_symmetric,
        "Pearson rank, mean of both directions",
        True,
        _BOTH,
        _SCORES,
        "gao2016",
        top_weighted=True,
    ),
    Coefficient("spearman", spearman, "Spearman's rho", True, _BOTH, _ORDER, "spearman1904"),
    Coefficient("pearson", pearson, "Pearson's r", True, _BOTH, _SCORES, "pearson1895"),
    Coefficient(
        "weighted_tau",
        weighted_tau,
        "Vigna's weighted tau",
        True,
        _BOTH,
        _ORDER,
        "vigna2015",
        top_weighted=True,
    ),
    Coefficient(
        "rbo",
        rbo,
        "rank-biased overlap",
        True,
        _BOTH,
        _ORDER,
        "webber2010",
        top_weighted=True,
        range=(0.0, 1.0),
    ),
)

_BY_NAME = {c.name: c for c in _COEFFICIENTS}


def list_coefficients() -> tuple[Coefficient, ...]:
    """All coefficients with their properties, in the order of the docs' table.

    Examples
    --------
    >>> import concordant as cc
    >>> [c.name for c in cc.list_coefficients() if c.symmetric and c.top_weighted and len(c.ties) == 2]
    ['tau_ap_b', 'pearson_rank_symmetric', 'weighted_tau', 'rbo']
    """
    return _COEFFICIENTS


def get_coefficient(name: str) -> Coefficient:
    """The coefficient of that name; an unknown name is an error that lists the known ones."""
    try:
        return _BY_NAME[name]
    except (KeyError, TypeError):
        raise InputError(f"there is no coefficient {name!r}: choose from {', '.join(_BY_NAME)}") from None
