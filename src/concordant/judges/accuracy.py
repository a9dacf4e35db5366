"""Two variants of pairwise accuracy: `soft_pairwise_accuracy` compares p-values, `tie_calibration` allows for ties."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..data.results import Estimate, Findings
from ..errors import counted, require
from ..inference.resampling import Resampling, Seed
from ..inference.sign_flips import BATCHES, Reached, Signs, draw_signs, reached
from ..options import checked
from ..pairing import Matched, matched_topics
from ..read.reader import Collection

_DECIMALS = 12  # decimals kept of differences divided by the largest score, so that 0.3 - 0.1 and 0.2 are equal


@checked
def soft_pairwise_accuracy(
    truth: Collection, candidate: Collection = None, *, n_resamples: int = 10_000, rng: Seed = None
) -> Estimate:
    """Compute soft pairwise accuracy (SPA), the agreement of p-values for pairs of systems.

    SPA = 1 - mean of abs(p_truth - p_candidate) over pairs. Here p is the p-value of a one-sided paired permutation
    test over topics, whose alternative is that the first system of the pair is better. `pairwise_accuracy` counts a
    pair as right or wrong, however close its systems are. In SPA, agreement on an unclear pair counts as much as
    agreement on a clear one. SPA ranges from 0 to 1, and is 1 if all p-values are the same.

    Parameters
    ----------
    truth, candidate : Collection
        Scores on each topic, in any form that `as_scores` takes, or topics x systems arrays, matched by label. Systems
        and topics that only one side has are left out, and an `AlignmentWarning` names them.
    n_resamples : int
        Number of permutations. If n topics have at most this many permutations (2^n), all are used and the value is
        exact.
    rng : int, Generator or None
        Seed of the permutations. The same seed gives exactly the same result. If None, a seed is drawn, and the
        settings record it.

    Returns
    -------
    Estimate
        `standard_error` is the Monte Carlo error from random permutations; 0 if all permutations were used.

    See Also
    --------
    pairwise_accuracy : Compute the share of pairs in the same order.
    significance_agreement : Count the significant differences that both sides find.
    judge_card : Report all statistics about judges.

    Notes
    -----
    p is the share of permutations whose difference is at least the observed one, as in WMT's software. Both sides use
    the same permutations. A pair has two p-values, one for each system. They sum to 1 unless permuted differences equal
    the observed one, as happens with few topics or coarse scores. WMT's software uses the p-value of the system that it
    lists first, so its value depends on the order of systems; we average abs(p_truth - p_candidate) over both systems.
    On WMT25's 384 segments, read with ``groups="none"``, the values agree with WMT's software within 0.0003.

    References
    ----------
    B. Thompson, N. Mathur, D. Deutsch and H. Khayrallah (2024). Improving Statistical Significance in Human Evaluation
    of Automatic Metrics via Soft Pairwise Accuracy. WMT.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful = cc.load_collection("people"), cc.load_collection("careful")
    >>> found = cc.soft_pairwise_accuracy(people, careful, rng=7)
    >>> round(found.value, 2), round(cc.pairwise_accuracy(people.means(), careful.means()), 2)
    (0.95, 0.95)

    """
    drawn = Resampling.of(n_resamples, rng)
    sides = matched_topics(truth, candidate)
    n, m = sides.scores[0].values.shape
    require_room_for_pairs(m, "soft pairwise accuracy", 6 * BATCHES)
    signs = draw_signs(n, drawn.n_resamples, drawn.generator())
    counts = [reached(side.values, signs) for side in sides.scores]
    return accuracy_from(sides, counts[0], counts[1], signs, drawn)


def accuracy_from(
    sides: Matched, of_truth: Reached, of_candidate: Reached, signs: Signs, drawn: Resampling
) -> Estimate:
    """Compute SPA, given how many permutations reach each side's differences."""
    truth = sides.scores[0]
    # Differences p_truth - p_candidate, multiplied by the number of permutations: batches x directions x pairs.
    apart = np.stack(of_truth, axis=1) - np.stack(of_candidate, axis=1)
    sizes = np.array([len(batch) for batch in signs.batches])
    difference = apart.sum(axis=0) / signs.total
    error = 0.0 if signs.exact else _monte_carlo(difference, apart / sizes[:, None, None])
    drew = "all permutations" if signs.exact else f"{signs.total} random permutations, Monte Carlo error {error:.4f}"
    return Estimate(
        "soft pairwise accuracy",
        float(1 - np.abs(difference).mean()),
        f"{counted(len(truth.systems), 'system')}, {counted(len(truth.topics), 'topic')}, {drew}",
        standard_error=error,
        **sides.about(seed=drawn.seed, n_resamples=drawn.n_resamples),
    )


def _monte_carlo(difference: FloatArray, by_batch: FloatArray) -> float:
    """Estimate the Monte Carlo error from the spread over batches.

    SPA is linear in the p-values as long as no difference of p-values changes sign.
    """
    if len(by_batch) < 2:
        return float("nan")
    values = (np.sign(difference) * by_batch).mean(axis=(1, 2))
    return float(values.std(ddof=1) / np.sqrt(len(values)))


@checked
def tie_calibration(truth: Collection, candidate: Collection = None, *, n_folds: int = 5, rng: Seed = None) -> Findings:
    """Compute pairwise accuracy on each topic, with the candidate's tie tolerance calibrated on other topics.

    A truth with few grades ties many systems on a topic. A candidate whose scores have many digits ties none of them,
    and so is wrong on all these pairs. A tolerance turns the candidate's small differences into ties; the
    tolerance with the best accuracy is chosen.

    Parameters
    ----------
    truth, candidate : what `as_topics` takes
        Scores on each topic, matched by label. Systems and topics that only one side has are left out, and an
        `AlignmentWarning` names them.
    n_folds : int
        Number of random parts of the topics. Each part is scored with the best tolerance of the other parts.
    rng : int, Generator or None
        Seed of the random parts. If None, a seed is drawn, and the settings record it.

    Returns
    -------
    Findings
        - `accuracy`: mean pairwise accuracy over topics, with tolerances chosen on other topics.
        - `uncalibrated`: the accuracy if only equal scores are tied.
        - `tolerance`: the best tolerance on all topics, for use on other data.
        - `optimistic`: the accuracy with `tolerance` on the same topics; this accuracy is too high.
        - `tolerances`: for each fold, the best tolerance on the other topics.
        - `tied_truth`: the share of pairs that the truth ties.
        - `tau_strict`: 2 accuracy - 1, WMT's tau_23 with ties calibrated.

    See Also
    --------
    pairwise_accuracy : Compute the share of pairs in the same order.
    judge_card : Report all statistics about judges.

    Notes
    -----
    The candidate ties a pair if the difference is at most the tolerance; the truth ties only equal scores. A pair is
    right if both sides give the same order, or both tie it (acc_eq). WMT's software chooses the tolerance on the data
    that it reports on, which gives `optimistic`. Among equally good tolerances, the smallest is chosen.

    References
    ----------
    D. Deutsch, G. Foster and M. Freitag (2023). Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and
    Tie Calibration. EMNLP.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> people, careful = cc.load_collection("people"), cc.load_collection("careful")
    >>> graded = cc.Scores(np.round(people.values * 4), people.topics, people.systems)
    >>> found = cc.judges.tie_calibration(graded, careful, rng=1)
    >>> round(found.uncalibrated, 2), round(found.accuracy, 2), round(found.tolerance, 2)
    (0.46, 0.66, 0.15)

    """
    drawn = Resampling.of(1, rng)
    each = "ties are between the scores on one topic"
    sides = matched_topics(truth, candidate, each=each)
    n, m = sides.scores[0].values.shape
    require_room_for_pairs(m, "tie calibration", 5 * n)
    require(n_folds <= n, "n_folds", n_folds, f"give a whole number from 2 to the {n} topics")
    signs, gaps, unit = _pairs(sides.scores[0].values, sides.scores[1].values)
    part = np.empty(n, dtype=np.int64)
    for k, topics in enumerate(np.array_split(drawn.generator().permutation(n), n_folds)):
        part[topics] = k
    tolerances = np.array([_best(signs[part != k], gaps[part != k]) for k in range(n_folds)])
    best = _best(signs, gaps)
    right = [_right(signs[part == k], gaps[part == k], tolerances[k]).sum() for k in range(n_folds)]
    accuracy, uncalibrated = float(sum(right) / signs.size), float(_right(signs, gaps, 0.0).mean())
    found = f"pairwise accuracy on each topic {accuracy:.4f} with ties calibrated on other topics"
    use = "a tolerance does not help here"
    if accuracy > uncalibrated:
        use = f"treat differences up to {best * unit:.4g} as ties"
    return Findings(
        kind="TieCalibration",
        answer=f"{found}, {uncalibrated:.4f} without; {use}",
        numbers={
            "accuracy": accuracy,
            "uncalibrated": uncalibrated,
            "optimistic": float(_right(signs, gaps, best).mean()),
            "tolerance": float(best * unit),
            "tied_truth": float((signs == 0).mean()),
            "n_topics": n,
            "n_systems": m,
            "tolerances": tolerances * unit,
        },
        beside={"tau_strict": 2 * accuracy - 1},
        **sides.about(seed=drawn.seed, n_folds=n_folds),
    )


def _pairs(truth: FloatArray, candidate: FloatArray) -> tuple[IntArray, FloatArray, float]:
    """Compute the signs of the truth's differences, the candidate's differences (topics x pairs), and their unit."""
    first, second = np.triu_indices(truth.shape[1], 1)
    differences = []
    for values in (truth, candidate):
        unit = float(np.abs(values).max()) or 1.0
        differences.append(np.round(values[:, first] / unit - values[:, second] / unit, _DECIMALS))
    return np.sign(differences[0]).astype(np.int64), differences[1], float(np.abs(candidate).max()) or 1.0


def _right(signs: IntArray, gaps: FloatArray, tolerance: float) -> Any:
    """Tell whether both sides agree on each pair."""
    return np.where(np.abs(gaps) <= tolerance, 0, np.sign(gaps)) == signs


def _best(signs: IntArray, gaps: FloatArray) -> float:
    """Find the smallest tolerance that gets most pairs right. It is 0 or the size of a difference."""
    sizes, order = np.abs(gaps).ravel(), np.argsort(np.abs(gaps).ravel(), kind="stable")
    tied, ordered = (signs.ravel() == 0)[order], (np.sign(gaps) == signs).ravel()[order] & (sizes[order] > 0)
    sizes = sizes[order]
    # If the k smallest differences are tied, they are right where the truth ties the pair, too. The others are right
    # where both sides give the same order.
    right = np.concatenate([[0], np.cumsum(tied)]) + np.concatenate([np.cumsum(ordered[::-1])[::-1], [0]])
    last = np.append(np.flatnonzero(np.diff(sizes) > 0), len(sizes) - 1)  # equal differences become ties together
    tolerances, counts = np.insert(sizes[last], 0, 0.0), right[np.insert(last + 1, 0, np.count_nonzero(sizes == 0))]
    return float(tolerances[np.argmax(counts)])
