"""`concordant select`: which topics or tasks would do."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from .answer import Answer, Found, Output, answering
from .options import CoefficientOption, LevelOption, ScoresArgument, SeedOption, writable
from .reading import Reader, known_coefficients


@answering(plot=True)
def select(
    scores: ScoresArgument,
    *,
    k: Annotated[int | None, typer.Option("-k", min=1, help="How many topics to choose; or --budget.")] = None,
    coefficient: CoefficientOption = "tau_b",
    method: Annotated[
        Literal["auto", "variance", "greedy"],
        typer.Option(help="How to choose; auto takes what is better on other systems and topics."),
    ] = "auto",
    costs: Annotated[
        str | None, typer.Option(metavar="FILE", help="A CSV file with the cost of each topic, FILE or FILE:COLUMN.")
    ] = None,
    budget: Annotated[float | None, typer.Option(help="What the topics may cost together.")] = None,
    splits: Annotated[int, typer.Option(min=2, help="How often systems and topics are split.")] = 40,
    level: LevelOption = 0.95,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", callback=writable(), help="Also write the topics, one per line.")
    ] = None,
    read: Reader,
    seed: SeedOption = 0,
    out: Output,
) -> Found:
    """Choose topics that rank the systems as all topics do.

    It also says how well topics chosen in this way rank other systems on other topics, compared with random ones.

    Example: concordant select people.csv -k 10
    """
    from ..planning.selection import select_topics
    from ..render.outputs import Kind, check_output, written_whole

    given = read(scores, out.quiet)
    known = {topic.encode() for topic in given.topics}
    kind = Kind("a list of topics of these scores", lambda start: start.split(b"\n")[0] in known)
    if output is not None:
        check_output(output, kind)
    with out.bar("splitting") as bar:
        found = select_topics(
            given,
            k,
            coefficient=known_coefficients([coefficient])[0],
            method=method,
            costs=costs,
            budget=budget,
            n_splits=splits,
            confidence_level=level,
            rng=seed,
            progress=bar.update,
        )

    def write(path: Path) -> str:
        with written_whole(path, kind) as file:
            file.write("".join(f"{topic}\n" for topic in found.topics).encode())
        return f"Topics: {path}"

    return found if output is None else replace(Answer.of(found), write=partial(write, output))
