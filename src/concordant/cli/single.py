"""`look` and `plan`: what one collection says by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..render.outputs import SCORES, SCORES_START
from .answer import Answer, Found, Output, answering
from .options import (
    CoefficientOption,
    Random,
    ResamplesOption,
    ScoresArgument,
)
from .reading import Reader, known_coefficients
from .render import Table, to_csv

if TYPE_CHECKING:
    from ..data.scores import Scores


@answering(without=("missing", "lower_is_better", "groups", "types", "total"))
def look(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Files, folders or quoted patterns, as PATH[:MEASURE][:lower].")
    ],
    *,
    read: Reader,
    out: Output,
) -> Found:
    """Show how files would be read.

    Their format, orientation, systems, topics, measures, missing scores and ties, and what to try next. The exit status
    is 1 if a file cannot be read as it is.

    Example: concordant look people.csv
    """
    from ..judgments.read_labels import is_label_list, read_labels
    from ..read import look as run
    from ..read import parse_side

    sides = [parse_side(file) for file in files]
    columns: Any = {name: getattr(read, name) for name in ("topic_column", "system_column", "score_column")}
    how: Any = {**columns, **read.wanted()}
    found: list[Any] = []
    for side in sides:
        if is_label_list(side.path):
            found.append(read_labels(side.path))
            continue
        with out.bar("reading"):
            found.append(run(side.path, side.measure or read.measure, side.lower_is_better, **how))
    return replace(Answer.of(found), status=int(any(getattr(one, "problem", None) for one in found)))


@answering(plot=True, html=True)
def plan(
    scores: ScoresArgument,
    *,
    target: Annotated[float, typer.Option(help="The correlation to reach.")] = 0.9,
    coefficient: CoefficientOption = "tau",
    probability: Annotated[
        float | None, typer.Option(help="How probable it must be to reach the target; by default on average.")
    ] = None,
    resamples: ResamplesOption = 16_000,
    most: Annotated[int, typer.Option(min=1, help="The largest number of topics to try.")] = 10_000,
    budget: Annotated[
        float | None, typer.Option(help="Instead: more topics or more runs of each? What may be spent.")
    ] = None,
    topic_cost: Annotated[float | None, typer.Option(help="What one more topic costs; 1 if not given.")] = None,
    run_cost: Annotated[float | None, typer.Option(help="What one run of one system on one topic costs.")] = None,
    read: Reader,
    random: Random,
    out: Output,
) -> Found:
    """Find out how many topics are enough.

    How close this ranking is to the true one, by the means over all such topics, and how close it would be with more.
    --all shows every estimator of the correlation with the true ranking.

    Example: concordant plan people.csv -c tau_ap --target 0.9
    """
    from ..planning.estimation import expected_correlation, reliability
    from ..planning.more_topics import plan_topics
    from ..planning.run_plan import plan_runs

    if (budget, topic_cost, run_cost) != (None, None, None):
        costs = {"topic_cost": topic_cost, "run_cost": run_cost, "budget": budget}
        return plan_runs(read(scores, out.quiet), **{name: cost for name, cost in costs.items() if cost is not None})
    name = known_coefficients([coefficient])[0]
    given = read(scores, out.quiet)
    drawn: dict[str, Any] = {"rng": random.seed, "workers": random.workers}
    with out.bar("planning") as bar:
        found = plan_topics(
            given,
            coefficient=name,
            target=target,
            probability=probability,
            n_resamples=resamples,
            most=most,
            progress=bar.update,
            **drawn,
        )
    if not out.every:
        return found
    with out.bar("estimating"):
        now = reliability(given, **drawn)
        spans = [expected_correlation(given, coefficient=c, estimator="posterior", **drawn) for c in ("tau", "tau_ap")]

    def text(every: bool) -> str:
        known = [f"{e.coefficient} {e.interval.low:.2f} to {e.interval.high:.2f}" for e in spans if e.interval]
        about = f"95% intervals: {', '.join(known)} (posterior). sh(w) and sh(w/o) are baselines, known to be too high."
        return f"{found.text(every=every)}\n\n{now.table()}\n\n{about}\n\nCite: concordant cite urbano2016"

    known = {**now.to_dict(), "posterior": [e.to_dict() for e in spans]}
    return replace(Answer.of(found), text=text, content=lambda: {**found.to_dict(), "reliability": known})


def write_scores(scores: Scores, path: Path) -> str:
    """Write a table with a column for the topics and one for each system, in full precision, and say where it is."""
    from ..render.outputs import written_whole

    rows = [[topic, *row] for topic, row in zip(scores.topics, scores.shown().tolist(), strict=True)]
    with written_whole(path, SCORES) as file:
        table = to_csv(Table(["topic", *scores.systems], rows)).removeprefix("topic,")
        file.write(f"{SCORES_START}{table}\n".encode())
    return f"Scores: {path}"
