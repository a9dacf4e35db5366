"""`concordant board` and `votes`: which ranks of a leaderboard are real."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import typer

from .answer import Found, Output, answering
from .differences import PairOption, PairsOption, RunsOption, TheseTopicsOption, between
from .options import LevelOption, MissingOption, Random, ResamplesOption, SeedOption
from .reading import Reader


@answering(plot=True)
def votes(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="One row per battle: model_a, model_b, winner and question_id.")
    ],
    *,
    method: Annotated[
        Literal["win-rate", "bradley-terry"], typer.Option(help="What to rank by; bradley-terry needs evalica.")
    ] = "win-rate",
    question: Annotated[
        str | None, typer.Option(help="The column that says which battles are about the same question.")
    ] = None,
    level: LevelOption = 0.95,
    marginal: Annotated[
        bool, typer.Option("--marginal", help="The level holds for each system by itself, not for all together.")
    ] = False,
    resamples: ResamplesOption = 999,
    seed: SeedOption = 0,
    out: Output,
) -> Found:
    """Rank systems by battles, with rank intervals.

    Which of two systems answered better, as in LMArena's files: CSV, or JSON lines.

    Example: concordant votes battles.csv
    """
    from ..ranks.votes.battles import read_votes
    from ..ranks.votes.ranking import rank_votes

    with out.bar("resampling") as bar:
        return rank_votes(
            read_votes(file, question=question),
            method=method,
            confidence_level=level,
            simultaneous=not marginal,
            n_resamples=resamples,
            rng=seed,
            progress=bar.update,
        )


@answering(plot=True, html=True, without=("missing",))
def board(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Scores of the systems on topics or tasks: files, folders or globs."),
    ],
    *,
    level: LevelOption = 0.95,
    more_topics: Annotated[int, typer.Option(min=0, help="How many more topics to look ahead.")] = 10,
    pair: PairOption = None,
    pairs: PairsOption = False,
    runs: RunsOption = False,
    these_topics: TheseTopicsOption = False,
    missing: MissingOption = "available",
    resamples: ResamplesOption = 49_999,
    read: Reader,
    random: Random,
    out: Output,
) -> Found:
    """Show which ranks of a leaderboard are real.

    Tiers, rank intervals, who could be the best, how reliable the ranking is, and what more topics would change.
    Systems may lack topics. The page of --html can be searched; --format json has the schema concordant-board.

    Example: concordant board people.csv --total borda
    """
    from ..planning.board import board as run

    given = replace(read, missing=missing).together(files, out.quiet)
    if missing == "error":  # which the library cannot tell from nothing said
        given.settled(open_to_holes=True)
    if pair is not None or pairs:
        return between(given, pair, level, these_topics, random, out)
    if runs or these_topics:
        from ..ranks.run_noise import on_these_topics_only, run_noise

        if runs:
            return run_noise(given, these_topics=these_topics, confidence_level=level)
        given = on_these_topics_only(given)
    with out.bar("resampling") as bar:
        return run(
            given,
            confidence_level=level,
            more_topics=more_topics,
            n_resamples=resamples,
            rng=random.seed,
            workers=random.workers,
            progress=bar.update,
        )
