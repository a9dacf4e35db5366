"""`concordant worth`, `judge-card` and `tie-calibration`: what judges are worth, and which is better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from .answer import Answer, Found, Output, answering
from .options import (
    CandidatesArgument,
    CoefficientOption,
    LevelOption,
    ResamplesOption,
    SeedOption,
    TruthArgument,
)
from .reading import Reader, known_coefficients, pairs_of


@answering(plot=True)
def worth(
    truth: TruthArgument,
    candidate: CandidatesArgument,
    *,
    coefficient: CoefficientOption = "tau_b",
    n_topics: Annotated[float, typer.Option(min=2, help="How many topics of a judge to value.")] = 25,
    these_systems: Annotated[
        bool, typer.Option("--these-systems", help="Ask about these systems only, not about new ones.")
    ] = False,
    on: Annotated[
        Literal["both", "systems"],
        typer.Option(help="Match topics and systems, or systems only: judges on other topics."),
    ] = "both",
    level: LevelOption = 0.95,
    read: Reader,
    seed: SeedOption = 0,
    out: Output,
) -> Found:
    """Count what a judge's topics are worth.

    The number of topics judged by the truth that rank the systems as well as 25 topics judged by a candidate.

    Example: concordant worth people.csv careful.csv
    """
    from ..judges.ranking import rank_judges
    from ..judges.worth import judge_worth

    name = known_coefficients([coefficient])[0]
    labels = read.labels([truth, *candidate])
    first, *others = read.sides([truth, *candidate], out.quiet)
    how: dict[str, Any] = {
        "n_topics": n_topics,
        "new_systems": not these_systems,
        "confidence_level": level,
        "on": on,
        "rng": seed,
    }
    if len(others) == 1:
        return judge_worth(first, others[0], coefficient=name, names=(labels[0], labels[1]), **how)
    return rank_judges(first, others, coefficient=name, names=labels, **how)


FamiliesOption = Annotated[
    Path | None, typer.Option(help="A CSV file with columns system and family, to test for bias.")
]


@answering(plot=True, html=True)
def judge_card(
    truth: TruthArgument,
    candidate: CandidatesArgument,
    *,
    families: FamiliesOption = None,
    test: Annotated[
        Literal["t", "permutation", "wilcoxon"], typer.Option(help="How pairs of systems are tested.")
    ] = "t",
    correction: Annotated[
        Literal["none", "holm", "tukey"], typer.Option(help="The correction for the number of pairs.")
    ] = "none",
    alpha: Annotated[float, typer.Option(help="The level of the tests.")] = 0.05,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 1_999,
    read: Reader,
    seed: SeedOption = 0,
    out: Output,
) -> Found:
    """Report everything that papers report about judges.

    One row per judge: worth, coefficients, soft pairwise accuracy, significance, rank changes, bias for families.

    Example: concordant judge-card people.csv careful.csv hasty.csv
    """
    from ..judges.card import judge_card as run

    of = None if families is None else pairs_of(families, "system", "family")
    labels = read.labels([truth, *candidate])
    first, *others = read.sides([truth, *candidate], out.quiet)
    found = run(
        first,
        others,
        names=labels,
        families=of,
        test=test,
        correction=None if correction == "none" else correction,
        alpha=alpha,
        confidence_level=level,
        n_resamples=resamples,
        rng=seed,
    )
    return replace(Answer.of(found), printed=found.printed)


@answering(plot=True)
def tie_calibration(
    truth: TruthArgument,
    candidate: Annotated[str, typer.Argument(metavar="CANDIDATE", help="Scores by a judge, given in the same way.")],
    *,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the topics; each is tried with the others' choice.")] = 5,
    read: Reader,
    seed: SeedOption = 0,
    out: Output,
) -> Found:
    """Find which differences of a judge are ties.

    Pairwise accuracy on each topic, with the tolerance for ties chosen on other topics (Deutsch et al. 2023).

    Example: concordant tie-calibration people.csv careful.csv
    """
    from ..judges.tie_tolerance import tie_calibration as run

    sides = read.sides([truth, candidate], out.quiet)
    return run(*sides, n_folds=folds, rng=seed)
