"""`tie_calibration`: which differences of the candidate are ties, chosen on other topics than it is tried on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray, require_room_for_pairs
from ..data.results import Findings
from ..errors import require
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..pairing import matched_topics
from ..read.door import Collection

_DECIMALS = 12  # of differences in units of the largest score: 0.3 - 0.1 and 0.2 are one


@checked
def tie_calibration(truth: Collection, candidate: Collection = None, *, n_folds: int = 5, rng: Seed = None) -> Findings:
    """Pairwise accuracy on each topic, with ties of the candidate's close scores calibrated on other topics.

    A truth of few grades ties many systems on a topic, and a candidate with many digits ties none, so it is wrong
    on all of these pairs. A tolerance makes ties of small differences; the one with the best accuracy is chosen.

    Parameters
    ----------
    truth, candidate : what `as_topics` takes
        Scores on each topic, matched by label. What only one side has is left out, with an `AlignmentWarning` that
        names it.
    n_folds : int
        The topics are split at random into so many parts; each is scored with the tolerance that is best on the others.
    rng : int, Generator or None
        Draws the parts. Without one, a seed is drawn, and the settings record it.

    Returns
    -------
    Findings
        `accuracy`: pairwise accuracy on each topic, averaged, with the tolerances chosen on other topics;
        `uncalibrated`: where only equal scores are tied; `tolerance`: the best on all topics, for use on other data;
        `optimistic`: the accuracy on the topics that it was chosen on, which is too high; `tolerances`: for each fold,
        the best on the other topics; `tied_truth`: the share of the pairs that the truth ties; `tau_strict`: 2 accuracy
        - 1, WMT's tau_23 with ties calibrated.

    See Also
    --------
    pairwise_accuracy : The share of pairs in the same order.
    judge_card : All that papers report about judges.

    Notes
    -----
    A pair with a difference of at most the tolerance is tied for the candidate; for the truth only equal scores are. A
    pair is right if both say the same: one above the other, or tied (acc_eq). WMT's software chooses the tolerance on
    the data that it reports on; `optimistic` is that number. Of several tolerances that are equally good the smallest
    is taken.

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
        use = f"take differences up to {best * unit:.4g} for ties"
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
    """Topics x pairs: who is better by the truth, the candidate's differences, and their unit."""
    first, second = np.triu_indices(truth.shape[1], 1)
    differences = []
    for values in (truth, candidate):
        unit = float(np.abs(values).max()) or 1.0
        differences.append(np.round(values[:, first] / unit - values[:, second] / unit, _DECIMALS))
    return np.sign(differences[0]).astype(np.int64), differences[1], float(np.abs(candidate).max()) or 1.0


def _right(signs: IntArray, gaps: FloatArray, tolerance: float) -> Any:
    """Whether both sides say the same of each pair."""
    return np.where(np.abs(gaps) <= tolerance, 0, np.sign(gaps)) == signs


def _best(signs: IntArray, gaps: FloatArray) -> float:
    """The smallest tolerance with the most pairs right: 0, or one of the differences."""
    sizes, order = np.abs(gaps).ravel(), np.argsort(np.abs(gaps).ravel(), kind="stable")
    tied, ordered = (signs.ravel() == 0)[order], (np.sign(gaps) == signs).ravel()[order] & (sizes[order] > 0)
    sizes = sizes[order]
    # With the k smallest differences tied: those of them that the truth ties, and the others that are ordered alike.
    right = np.concatenate([[0], np.cumsum(tied)]) + np.concatenate([np.cumsum(ordered[::-1])[::-1], [0]])
    last = np.append(np.flatnonzero(np.diff(sizes) > 0), len(sizes) - 1)  # equal differences are tied together
    tolerances, counts = np.insert(sizes[last], 0, 0.0), right[np.insert(last + 1, 0, np.count_nonzero(sizes == 0))]
    return float(tolerances[np.argmax(counts)])
