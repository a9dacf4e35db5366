"""`significance_agreement`: which differences between systems both sides find significant, and in which direction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray, require_room_for_pairs
from ..data.results import Findings, columns
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..pairing import Matched, matched_topics
from ..read.door import Collection
from ..words import listing
from .significance import BoolArray, Correction, Test, significant_pairs

_TESTS = {"t": "paired t-test", "permutation": "paired permutation test", "wilcoxon": "Wilcoxon's signed-rank test"}
_CORRECTIONS = {None: "no correction", "holm": "Holm", "tukey": "Tukey HSD"}


class HowTested(NamedTuple):
    """How pairs are tested."""

    test: Test
    correction: Correction | None
    alpha: float


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f}%)" if whole else "0 of 0"


@checked
def significance_agreement(
    truth: Collection,
    candidate: Collection = None,
    *,
    test: Test = "t",
    correction: Correction | None = None,
    alpha: float = 0.05,
    n_resamples: int = 10_000,
    rng: Seed = None,
) -> Findings:
    """Count the differences between systems that both sides find significant, and in the same direction.

    Each side tests all pairs of systems over its topics. A pair is an active agreement if both find it significant in
    the same direction, and an active disagreement if in opposite ones; mixed if one side finds it significant; passive
    if none does.

    Parameters
    ----------
    truth, candidate : Collection
        Scores on each topic, in any form that `as_scores` takes, or topics x systems arrays, matched by label. What
        only one side has is left out, with an `AlignmentWarning` that names it.
    test : {"t", "permutation", "wilcoxon"}
        Paired t-test, paired permutation test of the means (random signs; all of them where there are no more than
        `n_resamples`), or Wilcoxon's signed-rank test (exact up to 50 topics without ties, by the normal approximation
        otherwise); two-sided.
    correction : {None, "holm", "tukey"}
        None: every pair at level alpha. "holm": the level holds for all pairs of a side together. "tukey": the same by
        Tukey's honestly significant differences, from an analysis of variance of topics and systems; for test="t".
    alpha : float
        Level of the tests: a pair is significant if p <= alpha.
    n_resamples : int
        Permutations; for test="permutation" only.
    rng : int, Generator or None
        Draws the permutations. Without one, a seed is drawn, and the settings record it.

    Returns
    -------
    Findings
        Six counts, which sum to `n_pairs`: `active_agreements`, `active_disagreements`, and the same of mixed and
        passive pairs. `truth_only` and `candidate_only` split the mixed pairs by who finds them significant: in the
        same direction, and not. `best`: the candidate's best system (several where they are tied); `best_wins`: systems
        that the candidate finds significantly worse than it, and `best_confirmed` those of them that the truth does,
        too; `better_than_best`: systems that the truth finds significantly better. `false_positives` and
        `false_negatives` are pairs that only the candidate or only the truth finds significant; `false_positive_rate`
        is a share of the
        pairs that are not significant in the truth, `false_negative_rate` of those that are, `false_discovery_rate` of
        those that the candidate finds significant, `false_best_rate` of the wins of its best system.

    See Also
    --------
    soft_pairwise_accuracy : Agreement of p-values for pairs of systems.
    discriminative_power : The share of significant differences that another ranking confirms.
    judge_card : All that papers report about judges.

    Notes
    -----
    The direction is that of the means, for Wilcoxon's test, too. A pair whose means are tied on both sides has the same
    direction, one that is tied on one side only has not. The rates take the truth's significance for the fact: it is
    found from as few topics, and a false positive may be a true difference that the truth has no power to show.

    The false discovery rate is over what the candidate finds significant, active disagreements included: what a paper
    that trusts the candidate would print wrongly. The false positive rate is over the pairs that the truth leaves open.

    References
    ----------
    A. Moffat, F. Scholer and P. Thomas (2012). Models and Metrics: IR Evaluation as a User Process. ADCS.
    B. Carterette (2012). Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments.
    ACM Transactions on Information Systems 30(1): Tukey's HSD.

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
    how = Resampling.of(n_resamples, rng)
    sides = matched_topics(truth, candidate)
    require_room_for_pairs(len(sides.scores[0].systems), "agreement on significance", 5)
    # The same draws for both sides, also where a generator was given.
    how = Resampling.of(how.n_resamples, how.seed if how.seed is not None else int(how.generator().integers(2**63)))
    tested = HowTested(test, correction, alpha)
    found = [significant_pairs(side.values, *tested, how) for side in sides.scores]
    return agreement_from(sides, found[0], found[1], tested, how)


def agreement_from(
    sides: Matched, in_truth: BoolArray, in_candidate: BoolArray, tested: HowTested, how: Resampling
) -> Findings:
    """From which pairs are significant on each side."""
    drawn = tested.test == "permutation"
    systems, means = sides.scores[0].systems, (sides.scores[0].means(), sides.scores[1].means())
    first, second = np.triu_indices(len(means[0]), 1)
    directions = [np.sign(mean[first] - mean[second]) for mean in means]
    same = directions[0] == directions[1]
    kinds = {
        "active": in_truth & in_candidate,
        "mixed": in_truth ^ in_candidate,
        "passive": ~(in_truth | in_candidate),
    }
    counts = {
        f"{kind}_{word}": count
        for kind, of in kinds.items()
        for word, count in zip(("agreements", "disagreements"), _split(of, same), strict=True)
    }
    best = means[1] == means[1].max()
    beaten = [_beats(*found, means[0].size) for found in zip((in_truth, in_candidate), directions, strict=True)]
    wins = beaten[1] & best[:, None]
    n_truth, n_candidate = int(in_truth.sum()), int(in_candidate.sum())
    active, only_truth, only_candidate = counts["active_agreements"], in_truth & ~in_candidate, in_candidate & ~in_truth
    splits = {"truth_only": _split(only_truth, same), "candidate_only": _split(only_candidate, same)}
    missed, invented = sum(splits["truth_only"]), sum(splits["candidate_only"])
    best_wins, confirmed = int(wins.sum()), int((wins & beaten[0]).sum())
    shares = {
        "false_positive_rate": (invented, len(same) - n_truth),
        "false_negative_rate": (missed, n_truth),
        "false_discovery_rate": (n_candidate - active, n_candidate),
        "false_best_rate": (best_wins - confirmed, best_wins),
    }
    numbers = {
        "n_pairs": len(same),
        **counts,
        "significant_truth": n_truth,
        "significant_candidate": n_candidate,
        **splits,
        "best": _named(systems, best),
        "truth_best": _named(systems, means[0] == means[0].max()),
        "best_wins": best_wins,
        "best_confirmed": confirmed,
        "better_than_best": int(beaten[0][:, best].any(axis=1).sum()),
        "false_positives": invented,
        "false_negatives": missed,
        **{name: _share(*parts) for name, parts in shares.items()},
    }
    return Findings(
        kind="SignificanceAgreement",
        answer=_verdict(numbers, tested),
        numbers=numbers,
        shown=_table(numbers, list(shares.values())),
        **sides.about(
            seed=how.seed if drawn else None, n_resamples=how.n_resamples if drawn else None, **tested._asdict()
        ),
    )


def _verdict(found: Mapping[str, Any], tested: HowTested) -> str:
    """What the truth confirms of the candidate's significant differences, and what the candidate misses."""
    said = (
        f"truth confirms {found['active_agreements']} of {found['significant_candidate']} significant differences of "
        f"candidate, and contradicts {found['active_disagreements']}"
    )
    if not found["significant_candidate"]:
        said = f"candidate finds none of {found['n_pairs']} pairs significantly different"
    missed = f"candidate misses {found['false_negatives']} of {found['significant_truth']} of truth"
    if not found["significant_truth"]:
        missed = "truth finds no pair significantly different"
    level = f"{_TESTS[tested.test]}, {_CORRECTIONS[tested.correction]}, alpha = {tested.alpha:g}"
    return f"{said}; {missed} ({level})"


def _table(found: Mapping[str, Any], shares: Sequence[tuple[int, int]]) -> str:
    """Counts by significance and direction, the rates, and the best system."""
    counts = {
        "on both sides (active)": (found["active_agreements"], found["active_disagreements"]),
        "in truth only (mixed)": found["truth_only"],
        "in candidate only (mixed)": found["candidate_only"],
        "on neither side (passive)": (found["passive_agreements"], found["passive_disagreements"]),
    }
    lines = [["", "same direction", "other direction"]]
    lines += [[f"significant {label}", *map(str, split)] for label, split in counts.items()]
    names = ("false positives", "false negatives", "false discoveries", "false wins of the best system")
    rates = [[name, _of(*parts)] for name, parts in zip(names, shares, strict=True)]
    best = f"  best of candidate: {listing(found['best'], 3)}; of truth: {listing(found['truth_best'], 3)}"
    worse = f"  significantly better than the candidate's best, by the truth: {found['better_than_best']}"
    return "\n\n".join([columns(lines), columns(rates), f"{best}\n{worse}"])


def _split(pairs: BoolArray, same: BoolArray) -> tuple[int, int]:
    return int((pairs & same).sum()), int((pairs & ~same).sum())


def _beats(significant: BoolArray, direction: FloatArray, m: int) -> BoolArray:
    """`[i, j]`: system i is significantly better than system j."""
    found = np.zeros((m, m), dtype=bool)
    upper = np.triu_indices(m, 1)
    found[upper] = significant & (direction > 0)
    found.T[upper] = significant & (direction < 0)
    return found


def _named(systems: tuple[str, ...], which: BoolArray) -> tuple[str, ...]:
    return tuple(system for system, chosen in zip(systems, which, strict=True) if chosen)
