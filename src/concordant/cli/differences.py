"""`concordant board --pair A B` and `--pairs`: is one system better than another, and by how much?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .answer import Found, Output
from .options import Random

if TYPE_CHECKING:
    from ..data.scores import Means, Scores

PairOption = Annotated[
    tuple[str, str] | None, typer.Option(metavar="A B", help="Only: is system A better than B, and by how much?")
]
PairsOption = Annotated[
    bool, typer.Option("--pairs", help="Only: is each system better than the next? Corrected for their number.")
]


RunsOption = Annotated[
    bool, typer.Option("--runs", help="Only: how much of the error of each mean comes from repeated runs?")
]
TheseTopicsOption = Annotated[
    bool, typer.Option("--these-topics", help="Ask about these topics only, so that repeated runs alone are random.")
]


def between(
    given: Scores | Means, pair: tuple[str, str] | None, level: float, these: bool, random: Random, out: Output
) -> Found:
    """The difference of two systems, or without a pair those of all neighbours."""
    from ..ranks.differences import difference, neighbours

    if out.html is not None:
        raise typer.BadParameter("--html writes the page of a board: leave --pair and --pairs out, or use --plot")
    if pair is None:
        return neighbours(given, these_topics=these, confidence_level=level, rng=random.seed)
    return difference(given, *pair, these_topics=these, confidence_level=level, rng=random.seed)
