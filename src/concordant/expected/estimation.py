"""`expected_correlation` and `reliability`: how close the observed ranking is expected to be to the true one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..coefficients.registry import Coefficient, get_coefficient
from ..coefficients.sums import check_workers
from ..errors import InputError, import_extra
from ..matrices import Collection, matrix_of
from ..notebook import Displayed
from ..resampling import Progress, Seed, check_count, check_level, generator, seed_of
from ..results import Estimate, Interval
from ..scores import mean_over_topics
from ..words import counted
from .differences import Differences
from .estimators import Bandwidth, bandwidths, by_inversion, by_student, deviations
from .halves import SPLITS, extrapolated, split_half
from .posterior import Prior, correlations, draw
from .probabilities import Identical, Ties, discordance

Estimators = Literal["ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)", "posterior"]
ESTIMATORS = ("ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)")


@dataclass(frozen=True)
class Reliability(Displayed):
    """What `reliability` found. `print` shows it, `to_dict` has everything."""

    estimates: Mapping[str, tuple[float, float]]
    """By estimator, the expected tau and tau_ap with the true ranking."""
    n_systems: int
    n_topics: int
    settings: Mapping[str, Any]

    @property
    def tau(self) -> float:
        """Expected tau with the true ranking, by MSQD."""
        return self.estimates["msqd"][0]

    @property
    def tau_ap(self) -> float:
        """Expected AP correlation with the true ranking, by MSQD."""
        return self.estimates["msqd"][1]

    def __str__(self) -> str:
        size = f"{counted(self.n_systems, 'system')}, {counted(self.n_topics, 'topic')}"
        lines = [
            f"Expected correlation with the true ranking: tau {self.tau:.3f}, tau_ap {self.tau_ap:.3f} (MSQD; {size})",
            "",
            "  estimator       tau    tau_ap",
        ]
        lines += [f"  {name:<10} {tau:>8.4f}  {ap:>8.4f}" for name, (tau, ap) in self.estimates.items()]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "estimates": {name: {"tau": tau, "tau_ap": ap} for name, (tau, ap) in self.estimates.items()},
            "n_systems": self.n_systems,
            "n_topics": self.n_topics,
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame: a row an estimator."""
        pandas = import_extra("pandas")
        index = pandas.Index(list(self.estimates), name="estimator")
        return pandas.DataFrame(list(self.estimates.values()), index=index, columns=["tau", "tau_ap"])

    def plot(self, ax: Any = None) -> Any:
        """The estimates as points, the baselines hollow."""
        from ..plots import intervals

        return intervals.reliability(self, ax)


def expected_correlation(  # noqa: PLR0913
    scores: Collection,
    coefficient: str = "tau",
    estimator: Estimators | None = None,
    *,
    identical: Identical = "half",
    ties: Ties = "half",
    n_resamples: int | None = None,
    bandwidth: Bandwidth = "plug-in",
    prior: Prior = "normal",
    confidence_level: float = 0.95,
    rng: Seed = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Estimate:
    """Expected correlation of the observed ranking with the true one, the ranking over all topics there could be.

    For tau and tau_ap, from the probabilities p_ij that a pair is discordant, with the systems sorted by their means:

        E[tau] = 1 - 4 sum_{i<j} p_ij / (m (m - 1)),    E[tau_ap] = 1 - 2 / (m - 1) sum_{i<j} p_ij / (j - 1),

    with p_ij by one of the estimators of `discordance`; or by `split_half`, "sh(w)" and "sh(w/o)".

    For any coefficient, estimator "posterior": true means are drawn from their joint posterior distribution, and the
    coefficient between each draw and the observed means is computed. The value is the mean, and the interval holds the
    middle `confidence_level` of the draws. With a flat prior the posterior is multivariate t around the observed means;
    that is optimistic, because observed means are spread wider than true ones. The default, a normal prior over systems
    that is estimated from the data, corrects for it. docs/guide/reliability.md has the bias and coverage of both.

    Observed means that are tied count one half in tau and tau_ap, so that these are those of `tau_a` and `tau_ap_a`.
    Identical systems count one half with "posterior".

    Parameters
    ----------
    scores : Scores or array_like
        Topics x systems, higher is better; at least 2 of each.
    coefficient : str
        Any of `list_coefficients()`.
    estimator : {"ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)", "posterior"}, optional
        By default "msqd" for tau and tau_ap, and "posterior" for all others, which have no other one.
    identical, ties, bandwidth
        As in `discordance`.
    n_resamples : int, optional
        As in `discordance`; for "posterior" the number of draws, by default 2,000.
    prior : {"normal", "flat"}
        For "posterior".
    confidence_level : float
        Of the interval that "posterior" gives.
    rng : int, Generator or None
        The same seed gives the same bits at any number of workers.
    workers : int
        Threads.
    progress : callable, optional
        As in `discordance`.

    Returns
    -------
    Estimate
        `float(e)` is the value; `e.interval` is there with "posterior".

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> people = cc.load_collection("people")
    >>> print(cc.expected_correlation(people, "tau_ap"))
    tau_ap = 0.8320 (msqd)
    >>> print(cc.expected_correlation(people, "spearman", rng=1))
    spearman = 0.9671 (posterior), 95% interval [0.9263, 0.9910] (posterior, normal prior)
    """
    known = get_coefficient(coefficient)
    linear = coefficient in ("tau", "tau_ap")
    if estimator is None:
        estimator = "msqd" if linear else "posterior"
    if estimator not in get_args(Estimators):
        raise InputError(f"estimator is {estimator!r}: use one of {', '.join(map(repr, get_args(Estimators)))}")
    if estimator == "posterior":
        # A tie in observed counts one half, as it does with the other estimators.
        known = get_coefficient({"tau": "tau_a", "tau_ap": "tau_ap_a"}.get(coefficient, coefficient))
        settings = (prior, 2_000 if n_resamples is None else check_count(n_resamples), confidence_level, rng, workers)
        return _by_posterior(matrix_of(scores, "scores")[0], coefficient, known, settings)
    if coefficient not in ("tau", "tau_ap"):
        raise InputError(f"estimator is {estimator!r}, which is for tau and tau_ap; for {coefficient} use 'posterior'")
    if estimator in ("sh(w)", "sh(w/o)"):
        return split_half(scores, coefficient, replace=estimator == "sh(w)", rng=rng, workers=workers)  # type: ignore[arg-type]
    found = discordance(
        scores,
        estimator,  # type: ignore[arg-type]
        identical=identical,
        ties=ties,
        n_resamples=n_resamples,
        bandwidth=bandwidth,
        rng=rng,
        workers=workers,
        progress=progress,
    )
    value = found.tau if coefficient == "tau" else found.tau_ap
    return Estimate(coefficient, value, estimator, settings=found.settings)


def _by_posterior(
    values: FloatArray, name: str, known: Coefficient, settings: tuple[Prior, int, float, Seed, int]
) -> Estimate:
    prior, count, level, rng, workers = settings
    if prior not in get_args(Prior):
        raise InputError(f"prior is {prior!r}: use 'normal' or 'flat'")
    check_level(level)
    drawn = draw(values, count, prior, generator(rng))
    found = correlations(known, drawn.truth, mean_over_topics(values), check_workers(workers))
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(
        name,
        float(found.mean()),
        "posterior",
        Interval(float(low), float(high), float(level), f"posterior, {prior} prior"),
        settings={"prior": prior, "n_resamples": count, "seed": seed_of(rng), "version": __version__},
    )


def reliability(
    scores: Collection,
    *,
    identical: Identical = "half",
    rng: Seed = None,
    workers: int = 1,
) -> Reliability:
    """Expected correlation of the observed ranking with the true one, by all estimators of urbano2016 at once.

    The true ranking is that by the means over all topics there could be. MSQD is the headline: with few topics it is
    the least biased. All of them tend to be optimistic with few topics; docs/guide/reliability.md has by how much.

    Parameters
    ----------
    scores : Scores or array_like
        Topics x systems, higher is better; at least 2 of each.
    identical : {"half", "concordant"}
        As in `discordance`.
    rng : int, Generator or None
        Seed of the split halves; the other estimators are exact.
    workers : int
        Threads.

    Returns
    -------
    Reliability

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.reliability(cc.load_collection("people"), rng=1))
    Expected correlation with the true ranking: tau 0.873, tau_ap 0.832 (MSQD; 20 systems, 40 topics)
    <BLANKLINE>
      estimator       tau    tau_ap
      ml           0.8792    0.8398
      msqd         0.8732    0.8320
      res          0.8836    0.8460
      kd           0.8721    0.8312
      sh(w)        0.9261    0.8842
      sh(w/o)      0.9108    0.8764
    """
    if identical not in ("half", "concordant"):
        raise InputError(f"identical is {identical!r}: use 'half' or 'concordant'")
    values, _ = matrix_of(scores, "scores")
    found = estimates_of(values, generator(rng), identical=identical, workers=check_workers(workers))
    n, m = values.shape
    settings = {"identical": identical, "bandwidth": "plug-in", "n_splits": SPLITS, "seed": seed_of(rng)}
    return Reliability(found, m, n, settings | {"version": __version__})


def estimates_of(
    values: FloatArray,
    rng: np.random.Generator,
    *,
    identical: Identical = "half",
    workers: int = 1,
) -> dict[str, tuple[float, float]]:
    """Tau and tau_ap by each of `ESTIMATORS`, for a topics x systems matrix of finite scores that is not checked."""
    pairs = Differences(values)
    p = {name: np.empty(len(pairs)) for name in ("ml", "msqd", "res", "kd")}
    for block in pairs.blocks():
        p["ml"][block.rows] = by_student(block, deviations(block, "ml"))
        p["msqd"][block.rows] = by_student(block, deviations(block, "msqd"))
        h = bandwidths(block, "plug-in", workers)
        p["res"][block.rows], p["kd"][block.rows] = by_inversion(block, h, workers)
        if identical == "concordant":
            for of in p.values():
                of[block.rows][block.identical] = 0.0
    found = {name: pairs.expected(of) for name, of in p.items()}
    found["sh(w)"] = extrapolated(values, True, SPLITS, rng, workers)
    found["sh(w/o)"] = extrapolated(values, False, SPLITS, rng, workers)
    return found
