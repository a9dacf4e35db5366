"""`concordant compare-judges`: which of two judges ranks the systems more like the truth?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from .options import (
    Format,
    FormatOption,
    LowerOption,
    MeasureOption,
    Missing,
    MissingOption,
    QuietOption,
    SeedOption,
    SystemsOption,
    TopicsOption,
    WorkersOption,
)
from .reading import Reader, known_coefficients, labels_of, refuse_single_systems
from .render import Table, to_json
from .terminal import Bar, Notes, print_table, say


class Difference(StrEnum):
    """Which difference is tested."""

    iterated = "iterated"
    plain = "plain"


class Alternative(StrEnum):
    """What to look for."""

    two_sided = "two-sided"
    greater = "greater"
    less = "less"


def compare_judges(
    truth: Annotated[str, typer.Argument(help="Scores of the truth: a file, a folder or a glob.")],
    a: Annotated[str, typer.Argument(help="Scores by the first judge.")],
    b: Annotated[str, typer.Argument(help="Scores by the second judge.")],
    coefficient: Annotated[
        list[str] | None, typer.Option("--coefficient", "-c", help="A coefficient; may be given several times.")
    ] = None,
    method: Annotated[
        Difference, typer.Option(help="Test the difference over all topics there could be, or on as many as these.")
    ] = Difference.iterated,
    alternative: Annotated[
        Alternative, typer.Option(help="greater: the first judge agrees better.")
    ] = Alternative.two_sided,
    level: Annotated[float, typer.Option(help="Confidence level of the interval.")] = 0.95,
    resamples: Annotated[int, typer.Option(min=1, help="Resamples of the topics.")] = 9_999,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    format: FormatOption = Format.table,
    quiet: QuietOption = False,
) -> None:
    """Test which of two judges ranks the systems more like the truth, over the topics that all three share."""
    from ..topics.judges import compare_judges as run

    wanted = known_coefficients(coefficient or ["tau_b", "tau_ap_b"])
    with Notes(quiet) as notes:
        read = Reader(measure, missing, lower_is_better, systems, topics)
        labels = labels_of([truth, a, b])
        by_truth, by_a, by_b = read.all([truth, a, b], quiet)
        refuse_single_systems([by_truth, by_a, by_b])
        found = []
        for name in wanted:
            with Bar(f"resampling for {name}", quiet) as bar:
                found.append(
                    run(
                        by_truth,
                        by_a,
                        by_b,
                        name,
                        method=method.value,
                        n_resamples=resamples,
                        alternative=alternative.value,
                        confidence_level=level,
                        names=(labels[1], labels[2]),
                        rng=seed,
                        workers=workers,
                        progress=bar.update,
                    )
                )
    if format is Format.json:
        say(to_json([{**one.to_dict(), "truth": labels[0], "read_notes": notes.seen} for one in found]))
    elif format is Format.table:
        say("\n\n".join(str(one) for one in found))
    else:
        numbers = ("value_a", "value_b", "difference", "bias_corrected", "standard_error", "pvalue")
        columns = ["coefficient", *numbers, "low", "high"]
        rows = [
            [one.coefficient, *(getattr(one, n) for n in numbers), one.interval.low, one.interval.high] for one in found
        ]
        print_table(Table(columns, rows), format)
