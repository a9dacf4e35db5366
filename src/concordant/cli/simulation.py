"""`concordant simulate`: a collection of new topics, as a file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import (
    HighestOption,
    LowestOption,
    MeasureOption,
    Missing,
    MissingOption,
    QuietOption,
    SystemsOption,
    TopicsOption,
    writable,
)
from .reading import Reader
from .terminal import Notes, say

if TYPE_CHECKING:
    from ..scores import Scores


def simulate(
    scores: Annotated[str, typer.Argument(help="Scores of the collection: a file, a folder or a glob.")],
    n_topics: Annotated[int, typer.Option("-n", "--n-topics", min=1, help="How many topics to draw.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", callback=writable, help="The file to write: CSV, topics x systems.")
    ],
    normal: Annotated[bool, typer.Option("--normal", help="Normal distributions of the effects.")] = False,
    homoscedastic: Annotated[
        bool, typer.Option("--homoscedastic", help="The same variance of residuals for all systems.")
    ] = False,
    uncorrelated: Annotated[bool, typer.Option("--uncorrelated", help="Independent residuals.")] = False,
    chosen_topics: Annotated[
        bool, typer.Option("--chosen-topics", help="Prefer easy topics or hard ones, as a careless choice would.")
    ] = False,
    exact_means: Annotated[
        bool, typer.Option("--exact-means", help="Make the expected means those of the original.")
    ] = False,
    drop_bottom: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out the systems below this quantile of the means.")
    ] = 0.0,
    lowest: LowestOption = 0.0,
    highest: HighestOption = 1.0,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulation.")] = 0,
    quiet: QuietOption = False,
) -> None:
    """Simulate new topics for the systems of a collection, and say how well the original is kept."""
    from ..simulation.simulator import Simulator
    from ..words import counted, listing

    with Notes(quiet):
        original = Reader(measure, missing, False, systems, topics)(scores)
        if output.exists() and Path(scores).exists() and output.samefile(scores):
            raise typer.BadParameter(f"--output is {str(output)!r}, the collection itself: give another file")
        model = Simulator(
            original,
            normal=normal,
            homoscedastic=homoscedastic,
            uncorrelated=uncorrelated,
            random_topics=not chosen_topics,
            exact_means=exact_means,
            drop_bottom=drop_bottom,
            bounds=(lowest, highest),
        )
        made = model.simulate(n_topics, seed)
        write_scores(made, output)
    say(f"{counted(n_topics, 'topic')} of {counted(len(made.systems), 'system')}, seed {seed}, written to {output}")
    if model.dropped:
        say(f"{counted(len(model.dropped), 'system')} left out by --drop-bottom: {listing(model.dropped)}")
    say(f"\n{model.fidelity()}")


def write_scores(scores: Scores, path: Path) -> None:
    """A table with a column for the topics and one for each system, in full precision."""
    from ..files import written_whole

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["topic", *scores.systems])
    for topic, row in zip(scores.topics, scores.values.tolist(), strict=True):
        writer.writerow([topic, *map(repr, row)])
    with written_whole(path) as file:
        file.write(text.getvalue().encode())
