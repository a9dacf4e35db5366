"""`significance_agreement`: which differences between systems both sides find significant, and in which direction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, require_room_for_pairs
from ..data.results import Findings, columns
from ..errors import one_line
from ..inference.adjustment import holm
from ..options import checked
from ..pairing import Matched, matched_topics
from ..ranks.distance import Correction, paired_pvalues
from ..read.reader import Collection


@checked
def significance_agreement(
    truth: Collection, candidate: Collection = None, *, correction: Correction | None = None, alpha: float = 0.05
) -> Findings:
    """Count the differences between systems that both sides find significant, and in the same direction.

    Each side tests all pairs of systems over its topics by a paired t-test. A pair is an active agreement if both sides
    find it significant in the same direction, and an active disagreement if in opposite directions. It is mixed if only
    one side finds it significant, and passive if neither side does.

    Parameters
    ----------
    truth, candidate : Collection
        Scores on each topic, in any form that `as_scores` takes, or topics x systems arrays, matched by label. Systems
        and topics that only one side has are left out, and an `AlignmentWarning` names them.
    correction : {None, "holm"}
        None: each pair is tested at level alpha. "holm": alpha holds for all pairs of a side together.
    alpha : float
        Level of the tests. A pair is significant if p <= alpha.

    Returns
    -------
    Findings
        Six counts, which sum to `n_pairs`: agreements and disagreements of active, mixed and passive pairs
        (`active_agreements`, `active_disagreements`, ...). Also:

        - `truth_only`, `candidate_only`: the mixed pairs that only the truth, or only the candidate, finds significant,
          as a tuple of agreements and disagreements in direction.
        - `false_positives`, `false_negatives`: pairs that only the candidate, or only the truth, finds significant.
        - `false_positive_rate`: false positives divided by the pairs not significant in the truth.
        - `false_negative_rate`: false negatives divided by the pairs significant in the truth.
        - `false_discovery_rate`: the share of the candidate's significant pairs that the truth does not confirm.

    See Also
    --------
    soft_pairwise_accuracy : Measure the agreement of p-values for pairs of systems.
    discriminative_power : Compute the share of significant differences that another ranking confirms.
    judge_card : Report all statistics about judges.

    Notes
    -----
    The direction of a pair is the order of its means. A pair whose means are tied on both sides has the same direction,
    and a pair tied on only one side has different directions. The rates treat significance in the truth as fact. But
    the truth has few topics too, so a false positive may be a true difference that the truth cannot show.

    The false discovery rate counts active disagreements as false. It is the share of errors among the significant
    differences that a paper would report if it trusted the candidate.

    References
    ----------
    A. Moffat, F. Scholer and P. Thomas (2012). Models and Metrics: IR Evaluation as a User Process. ADCS.

    Examples
    --------
    >>> import concordant as cc
    >>> people, hasty = cc.load_collection("people"), cc.load_collection("hasty")
    >>> found = cc.judges.significance_agreement(people, hasty)
    >>> found.active_agreements, found.active_disagreements
    (85, 0)
    >>> found.false_negatives, found.false_positives  # mixed, by the side that finds the pair significant
    (46, 7)
    >>> found.mixed_agreements, found.mixed_disagreements  # mixed, by direction
    (44, 9)
    >>> found.passive_agreements, found.passive_disagreements
    (32, 20)

    """
    sides = matched_topics(truth, candidate)
    require_room_for_pairs(len(sides.scores[0].systems), "agreement on significance", 5)
    found = [significant_pairs(side.values, correction, alpha) for side in sides.scores]
    return agreement_from(sides, found[0], found[1], correction, alpha)


def significant_pairs(values: FloatArray, correction: Correction | None, alpha: float) -> BoolArray:
    """Tell whether each pair of columns differs significantly, in the order of np.triu_indices."""
    p = paired_pvalues(values)
    return np.asarray((holm(p) if correction else p) <= alpha)


def agreement_from(
    sides: Matched, in_truth: BoolArray, in_candidate: BoolArray, correction: Correction | None, alpha: float
) -> Findings:
    """Count agreements and disagreements of both sides about their significant pairs."""
    means = sides.scores[0].means(), sides.scores[1].means()
    first, second = np.triu_indices(len(means[0]), 1)
    directions = [np.sign(mean[first] - mean[second]) for mean in means]
    same = directions[0] == directions[1]
    kinds = {"active": in_truth & in_candidate, "mixed": in_truth ^ in_candidate, "passive": ~(in_truth | in_candidate)}
    counts = {
        f"{kind}_{word}": count
        for kind, of in kinds.items()
        for word, count in zip(("agreements", "disagreements"), _split(of, same), strict=True)
    }
    n_truth, n_candidate = int(in_truth.sum()), int(in_candidate.sum())
    active, only_truth, only_candidate = counts["active_agreements"], in_truth & ~in_candidate, in_candidate & ~in_truth
    splits = {"truth_only": _split(only_truth, same), "candidate_only": _split(only_candidate, same)}
    missed, invented = sum(splits["truth_only"]), sum(splits["candidate_only"])
    shares = {
        "false_positive_rate": (invented, len(same) - n_truth),
        "false_negative_rate": (missed, n_truth),
        "false_discovery_rate": (n_candidate - active, n_candidate),
    }
    numbers = {
        "n_pairs": len(same),
        **counts,
        "significant_truth": n_truth,
        "significant_candidate": n_candidate,
        **splits,
        "false_positives": invented,
        "false_negatives": missed,
        **{name: part / whole if whole else math.nan for name, (part, whole) in shares.items()},
    }
    return Findings(
        kind="SignificanceAgreement",
        answer=_verdict(numbers, sides.names, correction, alpha),
        numbers=numbers,
        shown=_table(numbers, sides.names, list(shares.values())),
        **sides.about(correction=correction, alpha=alpha),
    )


def _verdict(found: Mapping[str, Any], names: Sequence[str], correction: Correction | None, alpha: float) -> str:
    """Count the candidate's significant differences that the truth confirms, and the truth's that the judge misses."""
    truth, candidate = names
    said = (
        f"{truth}'s scores confirm {found['active_agreements']} of {candidate}'s "
        f"{found['significant_candidate']} significant differences, and contradict {found['active_disagreements']}"
    )
    if not found["significant_candidate"]:
        said = f"none of {found['n_pairs']} pairs differs significantly by {candidate}'s scores"
    missed = f"{candidate} misses {found['false_negatives']} of {truth}'s {found['significant_truth']}"
    if not found["significant_truth"]:
        missed = f"no pair differs significantly by {truth}'s scores"
    corrected = "Holm" if correction else "no correction"
    return f"{said}; {missed} (paired t-test, {corrected}, alpha = {alpha:g})"


def _table(found: Mapping[str, Any], names: Sequence[str], shares: Sequence[tuple[int, int]]) -> str:
    """Show counts by significance and direction, and the rates."""
    truth, candidate = map(one_line, names)
    counts = {
        "by both (active)": (found["active_agreements"], found["active_disagreements"]),
        f"by {truth} only (mixed)": found["truth_only"],
        f"by {candidate} only (mixed)": found["candidate_only"],
        "by neither (passive)": (found["passive_agreements"], found["passive_disagreements"]),
    }
    lines = [["", "same direction", "other direction"]]
    lines += [[f"significant {label}", *map(str, split)] for label, split in counts.items()]
    heads = ("false positives", "false negatives", "false discoveries")
    rates = [
        [head, f"{part} of {whole} ({100 * part / whole:.1f}%)" if whole else "0 of 0"]
        for head, (part, whole) in zip(heads, shares, strict=True)
    ]
    return f"{columns(lines)}\n\n{columns(rates)}"


def _split(pairs: BoolArray, same: BoolArray) -> tuple[int, int]:
    return int((pairs & same).sum()), int((pairs & ~same).sum())
