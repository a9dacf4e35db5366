"""`expected_correlation` and `reliability`: how close the observed ranking is expected to be to the true one."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ..arrays import FloatArray, Workers
from ..coefficients.registry import get_coefficient
from ..data.means import mean_over_topics
from ..data.results import Estimate, Findings, Interval, columns, settings_of
from ..errors import InputError, counted, warn
from ..inference.posterior import correlations, draw
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..read.reader import Collection, as_topics
from .differences import PairDifferences
from .estimators import Identical, probabilities
from .halves import SPLITS, extrapolated

Estimator = Literal["ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)", "posterior"]
ESTIMATORS = get_args(Estimator)[:6]  # the estimators of urbano2016
HEADLINE = "posterior"  # the least biased estimator over all collections, even those with few distinct scores
DRAWS = 2_000  # number of draws from the posterior


@checked
def expected_correlation(
    scores: Collection,
    *,
    coefficient: str = "tau",
    estimator: Estimator | None = None,
    identical: Identical = "half",
    n_resamples: int = DRAWS,
    confidence_level: float = 0.95,
    rng: Seed = None,
    workers: Workers = 1,
) -> Estimate:
    """Estimate the expected correlation of the observed ranking with the true one, over the population of topics.

    Expected tau and tau_ap follow from p_ij, the probability that systems i and j are discordant (sorted by mean):

        E[tau] = 1 - 4 sum_{i<j} p_ij / (m (m - 1)),    E[tau_ap] = 1 - 2 / (m - 1) sum_{i<j} p_ij / (j - 1).

    Four estimators compute p for a pair, i above j, from its score differences D on the n topics:

    - "ml": p = T_{n-1}(-sqrt(n) mean(D) / (c sd(D))), Student's distribution; c makes the standard deviation unbiased.
    - "msqd": like "ml" without c, with sd = sum(D z) / sum(z^2) and z = Phi^-1(rank(D) / (n + 1)), where ties have
      average ranks. This is the standard deviation of a sample spread evenly over the quantiles. Of these estimators,
      "msqd" is the least biased with few topics.
    - "res": the share of resampled means below 0, with infinitely many resamples of n topics: the characteristic
      function of the mean is inverted. A mean of exactly 0 counts one half.
    - "kd": like "res", with draws from a Gaussian kernel density of D, with the bandwidth of Sheather and Jones.

    Split halves, "sh(w)" and "sh(w/o)", extrapolate the correlation between rankings by two sets of topics to n topics.

    The estimator "posterior" works for any coefficient. It draws true means from their joint posterior distribution
    and correlates each draw with the observed means. The value is the mean of these correlations, and the interval
    holds the middle `confidence_level` of them. Observed means are spread more widely than true means; a normal prior
    over systems, estimated from the data, corrects for this. docs/guide/reliability.md reports bias and coverage.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, or a topics x systems array, at least 2 x 2; higher is better.
    coefficient : str
        Any of `list_coefficients()`.
    estimator : {"ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)", "posterior"}, optional
        By default "posterior", the only estimator for coefficients other than tau and tau_ap.
    identical : {"half", "concordant"}
        How two systems with the same score on every topic count: p = 1/2, or p = 0 as in the code of urbano2016.
    n_resamples : int
        Number of draws for "posterior".
    confidence_level : float
        Confidence level of the interval that "posterior" gives.
    rng : int, Generator or None
        The same seed gives the same bits with any number of workers.
    workers : int or Executor
        Number of threads, or an executor of concurrent.futures.

    Returns
    -------
    Estimate
        `float(e)` is the value; with "posterior", `e.interval` is its interval.

    See Also
    --------
    reliability : How close a ranking is to the true one, by all estimators.
    plan_topics : How many topics are enough.

    Notes
    -----
    Pairs with tied observed means count one half in tau, tau_ap and tau_gap, as in `tau_a`, `tau_ap_a` and `tau_gap_a`.
    Identical systems count one half with "posterior". Two systems that differ
    by the same amount on every topic have p = 0, unless they are identical.

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.
    S. J. Sheather and M. C. Jones (1991). A Reliable Data-Based Bandwidth Selection Method for Kernel Density
    Estimation. Journal of the Royal Statistical Society B 53.
    J. Gil-Pelaez (1951). Note on the inversion theorem. Biometrika 38(3/4).

    Examples
    --------
    >>> import concordant as cc
    >>> people = cc.load_collection("people")
    >>> print(cc.expected_correlation(people, coefficient="tau_ap", estimator="msqd"))
    tau_ap = 0.8320 (msqd)
    >>> print(cc.expected_correlation(people, coefficient="spearman", rng=1))
    spearman = 0.967 (posterior), 95% interval [0.93, 0.99] (posterior, normal prior)

    """
    get_coefficient(coefficient)
    chosen: str = HEADLINE if estimator is None else estimator
    values = as_topics(scores, "scores", holes=True).observations().values
    how = Resampling.of(n_resamples, rng, workers)
    if chosen == HEADLINE:
        return _by_posterior(values, coefficient, confidence_level, how)
    if coefficient not in ("tau", "tau_ap"):
        raise InputError(f"estimator is {chosen!r}, which is for tau and tau_ap; for {coefficient} use 'posterior'")
    pairs = _pairs_of(values)
    value = _estimates(values, pairs, identical, how, (chosen,))[chosen][coefficient == "tau_ap"]
    halves = chosen.startswith("sh")
    settings = settings_of(seed=how.seed, n_splits=SPLITS) if halves else settings_of(identical=identical)
    return Estimate(coefficient, value, chosen, notes=pairs.doubts, settings=settings)


def _by_posterior(values: FloatArray, name: str, level: float, how: Resampling) -> Estimate:
    # A tie in the observed means counts one half, as with the other estimators.
    known = get_coefficient(get_coefficient(name).mean_over_ties or name)
    drawn = draw(values, how.n_resamples, how.generator())
    found = correlations(known, drawn.truth, mean_over_topics(values), how.threads)
    value = float(found.mean())
    low, high = map(float, np.quantile(found, [(1 - level) / 2, (1 + level) / 2]))
    # With few systems nearly all draws may have the same value. Extend the interval to include their mean.
    interval = Interval(min(low, value), max(high, value), level, "posterior, normal prior")
    settings = settings_of(seed=how.seed, n_resamples=how.n_resamples, confidence_level=level)
    return Estimate(name, value, "posterior", interval, settings=settings)


@checked
def reliability(
    scores: Collection, *, identical: Identical = "half", rng: Seed = None, workers: Workers = 1
) -> Findings:
    """Estimate how close the observed ranking is to the true one, by the posterior and all estimators of urbano2016.

    The true ranking is by the means across the population of topics. The posterior comes first: it is the least
    biased over collections of all kinds. The paper's estimators tend to be optimistic with few topics. The MSQD
    estimate is far too low for scores with few distinct values, such as reciprocal ranks. docs/guide/reliability.md has
    the numbers.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, as `as_scores` takes them, or a topics x systems array, at least 2 x 2; higher is better.
    identical : {"half", "concordant"}
        How two systems with the same score on every topic count, as in `discordance`.
    rng : int, Generator or None
        Seed of the posterior and of the split halves; the other estimators are exact.
    workers : int or Executor
        Number of threads, or an executor of concurrent.futures.

    Returns
    -------
    Findings
        `estimates` has tau and tau_ap by estimator; `tau` and `tau_ap` are the values of the posterior.

    See Also
    --------
    expected_correlation : Expected correlation with the true ranking, by one estimator.
    plan_topics : How many topics are enough.

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.reliability(cc.load_collection("people"), rng=1))
    Expected correlation with the true ranking: tau 0.880, tau_ap 0.841 (posterior; 20 systems, 40 topics)
    <BLANKLINE>
      estimator    tau  tau_ap
      posterior  0.880   0.841
      ml         0.879   0.840
      msqd       0.873   0.832
      res        0.884   0.846
      kd         0.872   0.831
      sh(w)       0.93    0.88
      sh(w/o)     0.91    0.88

    """
    how = Resampling.of(DRAWS, rng, workers)
    given = as_topics(scores, "scores", holes=True)
    values = given.observations().values
    pairs = _pairs_of(values)
    n, m = values.shape
    others = _estimates(values, pairs, identical, how)
    tau, tau_ap = (_by_posterior(values, name, 0.95, how).value for name in ("tau", "tau_ap"))
    estimates = {HEADLINE: (tau, tau_ap), **others}
    rows = [{"estimator": name, "tau": of_tau, "tau_ap": of_ap} for name, (of_tau, of_ap) in estimates.items()]
    digits = {name: 2 if name.startswith("sh") else 3 for name in estimates}  # split halves vary with the seed
    lines = [[name, *(f"{value:.{digits[name]}f}" for value in both)] for name, both in estimates.items()]
    size = f"{counted(m, 'system')}, {counted(n, 'topic')}"
    return Findings(
        kind="Reliability",
        answer=f"Expected correlation with the true ranking: tau {tau:.3f}, tau_ap {tau_ap:.3f} ({HEADLINE}; {size})",
        numbers={
            "estimates": {row["estimator"]: {"tau": row["tau"], "tau_ap": row["tau_ap"]} for row in rows},
            "n_systems": m,
            "n_topics": n,
        },
        beside={"estimates": estimates, "tau": tau, "tau_ap": tau_ap},
        lines=rows,
        shown=columns([["estimator", "tau", "tau_ap"], *lines]),
        index="estimator",
        notes=pairs.doubts,
        data=given,
        settings=settings_of(
            seed=how.seed, n_resamples=DRAWS, identical=identical, bandwidth="plug-in", n_splits=SPLITS
        ),
    )


def estimates_of(
    values: FloatArray, rng: np.random.Generator, *, identical: Identical = "half"
) -> dict[str, tuple[float, float]]:
    """Estimate tau and tau_ap by each of `ESTIMATORS`, from an unchecked topics x systems matrix of finite scores."""
    return _estimates(values, PairDifferences(values), identical, Resampling(SPLITS, rng))


def _pairs_of(values: FloatArray) -> PairDifferences:
    pairs = PairDifferences(values)
    for doubt in pairs.doubts:
        warn(doubt)
    return pairs


def _estimates(
    values: FloatArray,
    pairs: PairDifferences,
    identical: Identical,
    how: Resampling,
    wanted: tuple[str, ...] = ESTIMATORS,
) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    if of_pairs := [name for name in wanted if not name.startswith("sh")]:
        p = probabilities(pairs, of_pairs, how, identical)
        found = {name: pairs.expected(of) for name, of in p.items()}
    rng = how.generator()  # both kinds of split halves draw from one stream
    for name in wanted[len(found) :]:
        found[name] = extrapolated(values, name == "sh(w)", SPLITS, rng, how.threads)
    return found
