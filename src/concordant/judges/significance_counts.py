"""`significance_agreement`: which differences between systems both sides find significant, and in which direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray, require_room_for_pairs
from ..data.results import Result, columns
from ..inference.resampling import Resampling, Seed
from ..options import checked
from ..pairing import Matched, matched_topics
from ..read.door import Collection
from ..words import listing
from .significance import BoolArray, Correction, Test, significant_pairs

_DERIVED = (
    "false_positives",
    "false_negatives",
    "false_positive_rate",
    "false_negative_rate",
    "false_discovery_rate",
    "false_best_rate",
)
_TESTS = {"t": "paired t-test", "permutation": "paired permutation test", "wilcoxon": "Wilcoxon's signed-rank test"}
_CORRECTIONS = {None: "no correction", "holm": "Holm", "tukey": "Tukey HSD"}


class HowTested(NamedTuple):
    """How pairs are tested."""

    test: Test
    correction: Correction | None
    alpha: float


@dataclass(frozen=True, eq=False, repr=False)
class SignificanceAgreement(Result):
    """What `significance_agreement` found."""

    _figure = "judged.significance"
    n_pairs: int
    active_agreements: int
    """Significant on both sides, in the same direction."""
    active_disagreements: int
    """Significant on both sides, in opposite directions."""
    mixed_agreements: int
    """Significant on one side only, in the same direction."""
    mixed_disagreements: int
    """Significant on one side only, not in the same direction."""
    passive_agreements: int
    """Significant on neither side, in the same direction."""
    passive_disagreements: int
    """Significant on neither side, not in the same direction."""
    significant_truth: int
    significant_candidate: int
    truth_only: tuple[int, int]
    """The mixed pairs that the truth finds significant: in the same direction, and not."""
    candidate_only: tuple[int, int]
    """The mixed pairs that the candidate finds significant: in the same direction, and not."""
    best: tuple[str, ...]
    """The candidate's best system; several where they are tied."""
    truth_best: tuple[str, ...]
    best_wins: int
    """Systems that the candidate finds significantly worse than its best."""
    best_confirmed: int
    """Those of them that the truth finds significantly worse, too."""
    better_than_best: int
    """Systems that the truth finds significantly better than the candidate's best (than any of them if tied)."""

    @property
    def false_positives(self) -> int:
        """Pairs that only the candidate finds significant, in any direction."""
        return sum(self.candidate_only)

    @property
    def false_negatives(self) -> int:
        """Pairs that only the truth finds significant, in any direction."""
        return sum(self.truth_only)

    @property
    def _false(self) -> tuple[tuple[int, int], ...]:
        """False positives, negatives, discoveries and wins of the best system, each of how many."""
        return (
            (self.false_positives, self.n_pairs - self.significant_truth),
            (self.false_negatives, self.significant_truth),
            (self.significant_candidate - self.active_agreements, self.significant_candidate),
            (self.best_wins - self.best_confirmed, self.best_wins),
        )

    @property
    def false_positive_rate(self) -> float:
        """Of the pairs that are not significant in the truth, the share that the candidate finds so."""
        return _share(*self._false[0])

    @property
    def false_negative_rate(self) -> float:
        """Of the pairs that are significant in the truth, the share that the candidate finds not to be so."""
        return _share(*self._false[1])

    @property
    def false_discovery_rate(self) -> float:
        """Of the pairs that the candidate finds significant, the share that the truth does not confirm."""
        return _share(*self._false[2])

    @property
    def false_best_rate(self) -> float:
        """Of the significant wins of the candidate's best system, the share that the truth does not confirm."""
        return _share(*self._false[3])

    @property
    def verdict(self) -> str:
        """What the truth confirms of the candidate's significant differences, and what the candidate misses."""
        test = f"{_TESTS[self.settings['test']]}, {_CORRECTIONS[self.settings['correction']]}"
        level = f"{test}, alpha = {self.settings['alpha']:g}"
        if not self.significant_candidate:
            found = f"candidate finds none of {self.n_pairs} pairs significantly different"
        else:
            found = (
                f"truth confirms {self.active_agreements} of {self.significant_candidate} significant differences of "
                f"candidate, and contradicts {self.active_disagreements}"
            )
        missed = f"candidate misses {self.false_negatives} of {self.significant_truth} of truth"
        if not self.significant_truth:
            missed = "truth finds no pair significantly different"
        return f"{found}; {missed} ({level})"

    def table(self) -> str:
        """Counts by significance and direction, the rates, and the best system."""
        counts = {
            "on both sides (active)": (self.active_agreements, self.active_disagreements),
            "in truth only (mixed)": self.truth_only,
            "in candidate only (mixed)": self.candidate_only,
            "on neither side (passive)": (self.passive_agreements, self.passive_disagreements),
        }
        lines = [["", "same direction", "other direction"]]
        lines += [[f"significant {label}", *map(str, found)] for label, found in counts.items()]
        names = ("false positives", "false negatives", "false discoveries", "false wins of the best system")
        rates = [[name, _of(*parts)] for name, parts in zip(names, self._false, strict=True)]
        best = f"  best of candidate: {listing(self.best, 3)}; of truth: {listing(self.truth_best, 3)}"
        worse = f"  significantly better than the candidate's best, by the truth: {self.better_than_best}"
        return "\n\n".join([columns(lines), columns(rates), f"{best}\n{worse}"])

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [{name: value for name, value in self._contents().items() if isinstance(value, int | float)}]

    def _contents(self) -> dict[str, Any]:
        return super()._contents() | {name: getattr(self, name) for name in _DERIVED}


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
) -> SignificanceAgreement:
    """Do both sides find the same differences between systems significant, and in the same direction?

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
        Tukey's honestly significant differences, with test="t" from an analysis of variance of topics and systems, with
        test="permutation" randomised; not with Wilcoxon's test.
    alpha : float
        Level of the tests: a pair is significant if p <= alpha.
    n_resamples : int
        Permutations; for test="permutation" only.
    rng : int, Generator or None
        Draws the permutations. Without one, a seed is drawn, and the settings record it.

    Returns
    -------
    SignificanceAgreement
        With the six counts, which sum to the number of pairs, and the rates of false positives, false negatives, false
        discoveries and false wins of the best system.

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
    ACM Transactions on Information Systems 30(1): the randomised Tukey HSD.

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
) -> SignificanceAgreement:
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
    counts: dict[str, Any] = {f"{kind}_agreements": int((of & same).sum()) for kind, of in kinds.items()}
    counts |= {f"{kind}_disagreements": int((of & ~same).sum()) for kind, of in kinds.items()}
    best = means[1] == means[1].max()
    beaten = [_beats(*found, means[0].size) for found in zip((in_truth, in_candidate), directions, strict=True)]
    wins = beaten[1] & best[:, None]
    return SignificanceAgreement(
        n_pairs=len(same),
        **counts,
        significant_truth=int(in_truth.sum()),
        significant_candidate=int(in_candidate.sum()),
        truth_only=_split(in_truth & ~in_candidate, same),
        candidate_only=_split(in_candidate & ~in_truth, same),
        best=_named(systems, best),
        truth_best=_named(systems, means[0] == means[0].max()),
        best_wins=int(wins.sum()),
        best_confirmed=int((wins & beaten[0]).sum()),
        better_than_best=int(beaten[0][:, best].any(axis=1).sum()),
        **sides.about(
            seed=how.seed if drawn else None, n_resamples=how.n_resamples if drawn else None, **tested._asdict()
        ),
    )


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
