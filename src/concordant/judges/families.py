"""`family_bias`: test whether a judge favours a family of systems more than the truth does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from ..arrays import FloatArray
from ..coefficients.registry import get_coefficient
from ..data.results import Findings, Interval, columns
from ..errors import AlignmentWarning, InputError, counted, listing, p_cell, p_equals, warn
from ..inference.adjustment import holm
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..pairing import Matched, matched_topics
from ..read.reader import Collection

Members = dict[str, FloatArray]
_SLACK = 1e-9  # tolerance for rounding when permuted shifts are compared with the observed one


@dataclass(frozen=True)
class FamilyShift:
    """Bias of a judge for or against one family of systems."""

    family: str
    systems: tuple[str, ...]
    shift: float
    """Bias in standard deviations of the candidate's means over systems; negative if the family is harmed."""
    interval: Interval
    p_systems: float
    """p-value from permuted families: the chance that as many random systems have so large a shift."""
    p_errors: float
    """p-value that allows for errors shared over topics and for the systems' own biases."""
    pvalue: float
    """The larger of `p_systems` and `p_errors`: a bias must be significant in both tests."""
    adjusted: float
    """The p-value adjusted for all families together, by Holm's method."""
    tau_without: float
    """tau_b of all systems outside the family; nan if fewer than 2 systems are outside."""


@checked
def family_bias(
    truth: Collection,
    candidate: Collection = None,
    *,
    families: Mapping[str, str] | None = None,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = None,
) -> Findings:
    """Test whether the candidate favours a family of systems more than the truth does.

    Parameters
    ----------
    truth, candidate : what `as_topics` takes
        Scores on each topic, matched by label. Systems and topics that only one side has are left out, and an
        `AlignmentWarning` names them.
    families : mapping of str to str, optional
        Family of each system; needed only if the scores do not have families. In the test of each family, a system
        without a family counts among the other systems.
    alpha : float
        Significance level for all families together.
    confidence_level : float
        Confidence level of the interval of each shift by itself.
    n_resamples : int
        Number of permutations of the families.
    rng : int, Generator or None
        Seed of the permutations. If None, a seed is drawn, and the settings record it.

    Returns
    -------
    Findings
        `families`: one `FamilyShift` for each family, the most favoured first; `tau_b` of all systems; `slope` of the
        candidate's means on the truth's means, over systems.

    See Also
    --------
    judge_card : Report all statistics about judges.
    rank_changes : Find the systems that a judge moves most.

    Notes
    -----
    The residual of a system is its mean by the candidate minus slope * its mean by the truth, both as deviations from
    the topics' means. The slope allows for errors in both variables: the noise estimated from topics is subtracted from
    the truth's variance and from the covariance. With ordinary regression or standard scores, a noisy truth makes every
    strong family look favoured. The shift of a family is the mean residual of its systems minus the mean residual of
    all other systems.

    A judge that treats each system a little differently favours some family by chance, so `p_systems` compares the
    family with random sets of as many systems. This test alone rejects too often, because the errors of systems of one
    family are correlated. `p_errors` therefore uses a jackknife over topics, plus the variance of the systems' own
    biases estimated within families. A bias must be significant in both tests: `pvalue` is the larger p-value.

    Because the slope is estimated from few families, the jackknife's variance is multiplied by (n - 1) / (n - 4) and
    given (n - 1) / 2 degrees of freedom. This calibration is our own. Size and power are in docs/measured/families.csv.

    Examples
    --------
    >>> import concordant as cc
    >>> people, hasty = cc.load_collection("people"), cc.load_collection("hasty")
    >>> families = {system: system.split("-")[0] for system in people.systems}
    >>> found = cc.judges.family_bias(people, hasty, families=families, rng=1)
    >>> [(f.family, round(f.shift, 2)) for f in found.families][:2]
    [('splade', 0.35), ('dense', 0.12)]

    """
    level, how = confidence_level, Resampling.of(n_resamples, rng)
    sides = matched_topics(truth, candidate)
    own = sides.scores[0]
    if families is None and own.families is None:
        raise InputError("families is missing: give {system: family}, or read the scores with their families")
    of = families or dict(zip(own.systems, own.families or (), strict=True))
    return bias_from(sides, members_of(of, own.systems), alpha, level, how)


def members_of(families: Mapping[str, str], systems: tuple[str, ...]) -> Members:
    """Check the families, and return a vector for each family: 1 for its systems and 0 for all others."""
    of = {str(system): str(family) for system, family in families.items()}
    if not (known := [system for system in systems if system in of]):
        raise InputError(
            f"families names none of the systems: it names {listing(of, 5)}, but the systems are {listing(systems, 5)}"
        )
    if lost := [system for system in of if system not in systems]:
        warn(f"families has {counted(len(lost), 'system')} that are not compared: {listing(lost)}", AlignmentWarning)
    found = {
        family: np.array([float(of.get(system) == family) for system in systems])
        for family in dict.fromkeys(of[system] for system in known)
    }
    for family, member in found.items():
        if member.all():
            raise InputError(f"families puts all systems in {family!r}: there are no others to compare it with")
    return found


@dataclass(frozen=True)
class _Left:
    """Residuals of the candidate's means after subtracting slope * the truth's means, in standard deviations."""

    values: FloatArray
    slope: float
    unit: float
    """Standard deviation of the candidate's means."""


def _left(truth: FloatArray, candidate: FloatArray) -> _Left:
    """Compute residuals from deviations (topics x systems) that sum to 0 on each topic."""
    n, m = truth.shape
    t, c = truth.mean(axis=0), candidate.mean(axis=0)
    errors, others = truth - t, candidate - c
    # Moments of the true means: observed moment minus the noise estimated from topics, sum e^2 / (n (n - 1) (m - 1)).
    share = (n - 1) * (m - 1) * n
    signal = float(t @ t) / (m - 1) - float((errors * errors).sum()) / share
    common = float(t @ c) / (m - 1) - float((errors * others).sum()) / share
    spread = [float(np.sqrt(of @ of / (m - 1))) for of in (t, c)]
    # slope = covariance / variance of the truth, or the ratio of standard deviations if noise exceeds the signal.
    slope = common / signal if signal > 0 and common > 0 else (spread[1] / spread[0] if spread[0] > 0 else 1.0)
    unit = spread[1] if spread[1] > 0 else 1.0
    return _Left((c - slope * t) / unit, slope, unit)


def _by_errors(
    truth: FloatArray, candidate: FloatArray, member: FloatArray, weights: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Compute p-values that allow for errors over topics and systems' own biases, and half-widths of the intervals."""
    n, m = truth.shape
    left = _left(truth, candidate)
    shifts = weights @ left.values
    deleted = np.array([weights @ _left(np.delete(truth, k, 0), np.delete(candidate, k, 0)).values for k in range(n)])
    # Variance over topics: the jackknife's (n - 1) / n sum (deleted - mean)^2, times (n - 1) / (n - 4).
    freedom = (n - 1) / 2  # calibrated; see the notes of `family_bias`
    of_topics = (n - 1) / max(n - 4, 1) * ((n - 1) / n) * ((deleted - deleted.mean(axis=0)) ** 2).sum(axis=0)
    own, of_own_freedom = _own_biases((candidate - left.slope * truth) / left.unit, member)
    # Variance due to the systems' own biases: s^2 (1 / size of the family + 1 / number of other systems).
    of_own = own * (1 / member.sum(axis=1) + 1 / (m - member.sum(axis=1)))
    errors = of_topics + of_own
    # Satterthwaite: df = (v1 + v2)^2 / (v1^2 / df1 + v2^2 / df2).
    with np.errstate(divide="ignore", invalid="ignore"):
        df = errors**2 / (of_topics**2 / freedom + of_own**2 / of_own_freedom)
        t = np.where(errors > 0, np.abs(shifts) / np.sqrt(errors), np.where(np.abs(shifts) > _SLACK, np.inf, 0.0))
    p = 2 * stdtr(np.where(np.isfinite(df), df, freedom), -t)
    return np.asarray(p), float(stdtrit(freedom, (1 + level) / 2)) * np.sqrt(of_topics)


def _own_biases(left: FloatArray, member: FloatArray) -> tuple[float, float]:
    """Estimate the variance of the systems' own biases within families, net of noise, and its degrees of freedom.

    `left` is topics x systems. Systems without a family form one family. If there would be fewer than 3 degrees of
    freedom, all systems form one family.
    """
    n, m = left.shape
    groups = np.vstack([member, 1 - member.sum(axis=0)])
    groups = groups[groups.sum(axis=1) > 0]
    if m - len(groups) < 3:
        groups = np.ones((1, m))
    within = left - (left @ groups.T / groups.sum(axis=1)) @ groups
    means = within.mean(axis=0)
    freedom = m - len(groups)
    noise = ((within - means) ** 2).sum() / ((n - 1) * n)
    return max(float(means @ means - noise) / freedom, 0.0), float(freedom)


def bias_from(sides: Matched, of: Members, alpha: float, level: float, how: Resampling) -> Findings:
    """Test all families for bias, on two matched sides."""
    truth, candidate = (side.values - side.values.mean(axis=1, keepdims=True) for side in sides.scores)
    member = np.array(list(of.values()))
    weights = member / member.sum(axis=1, keepdims=True) - (1 - member) / (1 - member).sum(axis=1, keepdims=True)
    left = _left(truth, candidate)
    shifts = weights @ left.values
    by_errors, reach = _by_errors(truth, candidate, member, weights, level)
    rng, least = how.generator(), np.abs(shifts) * (1 - _SLACK) - _SLACK
    counts = np.zeros(len(shifts))
    for start in range(0, how.n_resamples, 1000):
        drawn = np.tile(left.values, (min(1000, how.n_resamples - start), 1))
        counts += (np.abs(rng.permuted(drawn, axis=1) @ weights.T) >= least).sum(axis=0)
    by_systems = (1 + counts) / (1 + how.n_resamples)
    larger = np.maximum(by_systems, by_errors)
    adjusted = holm(larger)
    found, tau_b = [], get_coefficient("tau_b")
    means = [side.means() for side in sides.scores]
    for k, (family, is_member) in enumerate(of.items()):
        inside = is_member > 0
        alone = [side[~inside] for side in means]
        found.append(
            FamilyShift(
                family=family,
                systems=tuple(s for s, its in zip(sides.scores[0].systems, inside, strict=True) if its),
                shift=float(shifts[k]),
                interval=Interval(
                    float(shifts[k] - reach[k]), float(shifts[k] + reach[k]), level, "jackknife over topics"
                ),
                p_systems=float(by_systems[k]),
                p_errors=float(by_errors[k]),
                pvalue=float(larger[k]),
                adjusted=float(adjusted[k]),
                tau_without=tau_b.attempt(*alone)[0] if len(alone[0]) > 1 else math.nan,
            )
        )
    found.sort(key=lambda f: -f.shift)
    tau, _ = tau_b.attempt(*means)
    return Findings(
        kind="FamilyBias",
        answer=_verdict(found, sides.names[1], alpha),
        numbers={"families": tuple(found), "tau_b": tau, "slope": left.slope},
        lines=[
            {key: value for key, value in vars(f).items() if key != "interval"}
            | {"systems": len(f.systems), "low": f.interval.low, "high": f.interval.high}
            for f in found
        ],
        shown=_table(found, tau),
        index="family",
        **sides.about(seed=how.seed, n_resamples=how.n_resamples, confidence_level=level, alpha=alpha),
    )


def _verdict(families: Sequence[FamilyShift], judge: str, alpha: float) -> str:
    """Name the families that are significantly favoured or harmed."""
    found = [f for f in families if f.adjusted <= alpha]
    if not found:
        most = max(families, key=lambda f: abs(f.shift))
        return (
            f"no family is shown to be favoured or harmed; the largest shift, {most.shift:+z.2f} standard "
            f"deviations for {most.family}, may be chance ({p_equals(most.adjusted)}, Holm)"
        )
    said = [
        f"{'favours' if f.shift > 0 else 'harms'} {f.family} by {abs(f.shift):.2f} standard deviations "
        f"({p_equals(f.adjusted)})"
        for f in found
    ]
    return f"{judge} {listing(said, 3)}, Holm for all families"


def _table(families: Sequence[FamilyShift], tau: float) -> str:
    """Show one line per family."""
    level = f"{100 * families[0].interval.confidence_level:g}% interval"
    heads = ["", "systems", "shift", level, "p (Holm)", "tau_b without"]
    rows = [
        [
            f.family,
            str(len(f.systems)),
            f"{f.shift:+.2f}",
            f"{f.interval.low:.2f} to {f.interval.high:.2f}",
            p_cell(f.adjusted),
            f"{f.tau_without:.3f}",
        ]
        for f in families
    ]
    below = f"  tau_b of all systems: {tau:.3f}; the unit of shifts is the standard deviation over systems"
    return f"{columns([heads, *rows])}\n\n{below}"
