"""`concordant board`: which ranks of a leaderboard are real."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from .answer import Found, Output, answering
from .options import LevelOption, MissingOption, Random, ResamplesOption, Totals
from .reading import Reader


@answering(plot=True, html=True, without=("missing",))
def board(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Scores of the systems on topics or tasks: files, folders or globs."),
    ],
    *,
    level: LevelOption = 0.95,
    more_topics: Annotated[int, typer.Option(min=0, help="How many more topics to look ahead.")] = 10,
    missing: MissingOption = "available",
    resamples: ResamplesOption = 9_999,
    totals: Totals,
    read: Reader,
    random: Random,
    out: Output,
) -> Found:
    """Show which ranks of a leaderboard are real.

    Tiers, rank intervals, who could be the best, how reliable the ranking is, and what more topics would change.
    Systems may lack topics. The page of --html can be searched; --format json has the schema concordant-board.

    Example: concordant board people.csv --aggregate borda
    """
    from ..boards.board import board as run

    given = replace(read, missing=missing).together(files, out.quiet)
    with out.bar("resampling") as bar:
        return run(
            given,
            level,
            missing=missing,
            more_topics=more_topics,
            n_resamples=resamples,
            rng=random.seed,
            workers=random.workers,
            progress=bar.update,
            **totals.given,
        )
