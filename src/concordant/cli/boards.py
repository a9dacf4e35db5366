"""`concordant board` and `votes`: which ranks of a leaderboard are real."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any, Literal

import concordant as cc

from .answer import Answer, Found, Output, answering
from .options import Missing, Random, Reader, refuse, refuse_single_systems


@answering(plot=True, html=True)
def votes(
    file: str,
    *,
    method: Literal["win-rate", "bradley-terry"] = "win-rate",
    question: str | None = None,
    marginal: bool = False,
    random: Annotated[Random, {"level": 0.95, "resamples": 999}],
    out: Output,
) -> Found:
    """Rank systems by battles, with rank intervals.

    A battle says which of two systems answered better, as in LMArena's files (CSV or JSON lines).

    Example: concordant votes battles.csv

    Parameters
    ----------
    file
        One row per battle: model_a, model_b, winner and question_id.
    method
        How to rank; bradley-terry needs the package evalica.
    question
        The column that holds the question of each battle.

    """
    battles = cc.votes.read_votes(file, question=question)
    how = {"method": method, "simultaneous": not marginal}
    return out.run("resampling", cc.votes.rank_votes, battles, **how, **random.how)


@answering(plot=True, html=True, without=("missing",))
def board(
    file: list[str],
    *,
    marginal: bool = False,
    best: int | None = None,
    more_topics: Annotated[int, {"min": 0}] = 10,
    pair: Annotated[tuple[str, str] | None, {"metavar": "A B"}] = None,
    pairs: bool = False,
    runs: bool = False,
    runs_as: Literal["auto", "trials", "seeds"] = "auto",
    these_topics: bool = False,
    missing: Missing = "available",
    read: Reader,
    random: Annotated[Random, {"level": 0.95, "resamples": 49_999, "workers": 1}],
    out: Output,
) -> Found:
    """Show which ranks of a leaderboard are real.

    Each system gets the range of ranks that it could have. A border marks where all systems above are significantly
    better than all systems below. Systems may lack topics. The report of --html can be searched.

    Example: concordant board people.csv --total borda

    Parameters
    ----------
    file
        Scores of the systems on topics or tasks: files, folders or globs.
    best
        Show which systems could be among the k best.
    more_topics
        Predict the ranks with this many more topics.
    pair
        Only test whether system A is better than B, and by how much.
    pairs
        Only test whether each system is better than the next, corrected for multiple tests.
    runs
        Only show how much of each mean's error comes from repeated runs.
    runs_as
        What repeated runs are: independent trials of each topic, or seeds (run r is one trained system on all topics).
    these_topics
        Treat the topics as fixed, so that only repeated runs are random.

    """
    from ..errors import listing
    from ..ranks.noise import on_these_topics_only

    asked = [name for name, one in {"pair": pair, "pairs": pairs, "runs": runs, "best": best}.items() if one]
    refuse(len(asked) > 1, f"--{' and --'.join(asked)} are different questions: give one at a time")
    given = replace(read, missing=missing).together(file, out)
    if missing == "error":  # the library cannot tell this request from its default
        given.settled(open_to_holes=True)
    refuse((best or 0) > len(given.systems), f"--best is {best}, and there are {len(given.systems)} systems")
    if pair is not None or pairs:
        refuse(out.html, "--html writes the report of a board: leave out --pair and --pairs, or use --plot")
        how: dict[str, Any] = {"these_topics": these_topics, "runs": runs_as}
        how |= {"confidence_level": random.level, "rng": random.seed}
        return cc.ranks.neighbours(given, **how) if pair is None else cc.difference(given, *pair, **how)
    if runs:
        return cc.ranks.run_noise(given, these_topics=these_topics, runs=runs_as, confidence_level=random.level)
    if these_topics:
        given = on_these_topics_only(given)
    refuse_single_systems([given])
    how = {"simultaneous": not marginal, "more_topics": more_topics, "runs": runs_as}
    found = out.run("resampling", cc.board, given, **how, **random.how)
    if best is None:
        return found
    top = found.best(best)
    found = replace(found, settings={**found.settings, "best": asdict(top)})
    who = f"{top}.\n  could be:   {listing(top.possible, 30)}\n  certainly:  {listing(top.certain, 30) or 'none'}"

    def text(every: bool) -> str:
        return found.text(every=every, more="--all").replace("\n\n", f"\n\n{who}\n\n", 1)

    return replace(Answer.of(found), text=text)
