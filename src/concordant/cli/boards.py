"""`concordant board` and `votes`: which ranks of a leaderboard are real."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Literal

import typer

from .answer import Answer, Found, Output, answering
from .differences import PairOption, PairsOption, RunsOption, TheseTopicsOption, between
from .options import LevelOption, MissingOption, Random, ResamplesOption, SeedOption
from .reading import Reader, refuse_single_systems

MarginalOption = Annotated[
    bool, typer.Option("--marginal", help="The level holds for each system by itself, not for all together.")
]


@answering(plot=True, html=True)
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
    marginal: MarginalOption = False,
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
    marginal: MarginalOption = False,
    best: Annotated[int | None, typer.Option("--best", "-k", min=1, help="Who could be among the k best?")] = None,
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

    Each system gets the ranks that it could have. A border is drawn where all systems above are significantly better
    than all below. Systems may lack topics. The page of --html can be searched.

    Example: concordant board people.csv --total borda
    """
    from ..planning.board import board as run
    from ..words import listing

    given = replace(read, missing=missing).together(files, out.quiet)
    if missing == "error":  # which the library cannot tell from nothing said
        given.settled(open_to_holes=True)
    if best is not None and best > len(given.systems):
        raise typer.BadParameter(f"--best is {best}, and there are {len(given.systems)} systems")
    if pair is not None or pairs:
        return between(given, pair, level, these_topics, random, out)
    if runs or these_topics:
        from ..ranks.run_noise import on_these_topics_only, run_noise

        if runs:
            return run_noise(given, these_topics=these_topics, confidence_level=level)
        given = on_these_topics_only(given)
    refuse_single_systems([given])
    with out.bar("resampling") as bar:
        found = run(
            given,
            confidence_level=level,
            simultaneous=not marginal,
            more_topics=more_topics,
            n_resamples=resamples,
            rng=random.seed,
            workers=random.workers,
            progress=bar.update,
        )
    if best is None:
        return found
    top = found.best(best)
    found = replace(found, settings={**found.settings, "best": asdict(top)})
    who = f"{top}.\n  could be:   {listing(top.possible, 30)}\n  certainly:  {listing(top.certain, 30) or 'none'}"

    def text(every: bool) -> str:
        return found.text(every=every, more="--all").replace("\n\n", f"\n\n{who}\n\n", 1)

    return replace(Answer.of(found), text=text)
