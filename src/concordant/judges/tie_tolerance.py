"""`tie_calibration`: pairwise accuracy with a tie tolerance chosen by cross-validation over topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..data.results import Findings
from ..errors import require
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..pairing import matched_topics
from ..read.reader import Collection

_DECIMALS = 12  # of differences relative to the largest score, so that 0.3 - 0.1 and 0.2 are equal


@checked
def tie_calibration(truth: Collection, candidate: Collection = None, *, n_folds: int = 5, rng: Seed = None) -> Findings:
    """Compute pairwise accuracy on each topic, with the candidate's tie tolerance calibrated on other topics.

    A truth with few grades ties many systems on a topic. A candidate with many digits ties none and is wrong on all
    these pairs. A tolerance turns its small differences into ties; the tolerance with the best accuracy is chosen.

    Parameters
    ----------
    truth, candidate : what `as_topics` takes
        Scores on each topic, matched by label. Systems and topics that only one side has are left out, and an
        `AlignmentWarning` names them.
    n_folds : int
        Number of random parts of the topics. Each part is scored with the best tolerance of the other parts.
    rng : int, Generator or None
        Draws the parts. Without one, a seed is drawn, and the settings record it.

    Returns
    -------
    Findings
        - `accuracy`: mean pairwise accuracy over topics, with tolerances chosen on other topics.
        - `uncalibrated`: the same if only equal scores are tied.
        - `tolerance`: the best tolerance on all topics, for use on other data.
        - `optimistic`: the accuracy with `tolerance` on the same topics, which is too high.
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
    """Sign of the truth's difference and the candidate's difference (topics x pairs), and its unit."""
    first, second = np.triu_indices(truth.shape[1], 1)
    differences = []
    for values in (truth, candidate):
        unit = float(np.abs(values).max()) or 1.0
        differences.append(np.round(values[:, first] / unit - values[:, second] / unit, _DECIMALS))
    return np.sign(differences[0]).astype(np.int64), differences[1], float(np.abs(candidate).max()) or 1.0


def _right(signs: IntArray, gaps: FloatArray, tolerance: float) -> Any:
    """Whether both sides agree on each pair."""
    return np.where(np.abs(gaps) <= tolerance, 0, np.sign(gaps)) == signs


def _best(signs: IntArray, gaps: FloatArray) -> float:
    """Find the smallest tolerance with the most pairs right: 0, or one of the differences."""
    sizes, order = np.abs(gaps).ravel(), np.argsort(np.abs(gaps).ravel(), kind="stable")
    tied, ordered = (signs.ravel() == 0)[order], (np.sign(gaps) == signs).ravel()[order] & (sizes[order] > 0)
    sizes = sizes[order]
    # Right pairs with the k smallest differences tied: those the truth ties too, plus the others ordered alike.
    right = np.concatenate([[0], np.cumsum(tied)]) + np.concatenate([np.cumsum(ordered[::-1])[::-1], [0]])
    last = np.append(np.flatnonzero(np.diff(sizes) > 0), len(sizes) - 1)  # equal differences become ties together
    tolerances, counts = np.insert(sizes[last], 0, 0.0), right[np.insert(last + 1, 0, np.count_nonzero(sizes == 0))]
    return float(tolerances[np.argmax(counts)])
