"""`concordant compare` and `concordant matrix`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from .drawing import check_figure, check_plot, draw, draw_comparisons
from .options import (
    CoefficientsOption,
    Figure,
    Format,
    FormatOption,
    HtmlOption,
    LowerOption,
    MeasureOption,
    Missing,
    MissingOption,
    PlotOption,
    QuietOption,
    RankTest,
    SeedOption,
    SystemsOption,
    TopicsOption,
    WorkersOption,
)
from .reading import Reader, known_coefficients, labels_of, on_common_data, refuse_single_systems
from .render import to_json
from .reporting import Report, comparison_document
from .terminal import Bar, Notes, print_table, say

if TYPE_CHECKING:
    from ..comparison_result import Comparison
    from ..scores import Scores
    from ..topics.bootstrap import TopicBootstrap


def compare(
    truth: Annotated[str, typer.Argument(help="Scores of the truth: a file, a folder or a glob.")],
    candidate: Annotated[list[str], typer.Argument(help="Scores to compare with it, a row each.")],
    coefficient: CoefficientsOption = None,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    top: Annotated[int | None, typer.Option(min=2, help="Compare the k best systems of the truth only.")] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Also on each topic: mean and spread.")] = False,
    own_topics: Annotated[
        bool, typer.Option("--own-topics", help="Average each side over its own topics, not over the common ones.")
    ] = False,
    common: Annotated[
        bool, typer.Option("--common", help="Compare all candidates on the systems and topics that all of them have.")
    ] = False,
    interval: Annotated[
        bool, typer.Option("--interval", help="Intervals for the coefficients over the population of topics.")
    ] = False,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    test: Annotated[bool, typer.Option("--test", help="Test the coefficients against chance.")] = False,
    rank_test: Annotated[RankTest, typer.Option(help="Test of the rank distance.")] = RankTest.recentred,
    resamples: Annotated[int, typer.Option(min=1, help="Resamples of intervals and tests.")] = 9_999,
    distribution: Annotated[
        Path | None, typer.Option(help="A distribution saved by `concordant distribution`; implies --rank-test paper.")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    plot: PlotOption = None,
    plot_kind: Annotated[
        Figure | None, typer.Option(help="What to draw; by default scatter for one candidate, heatmap for many.")
    ] = None,
    format: FormatOption = Format.table,
    html: HtmlOption = None,
    quiet: QuietOption = False,
) -> None:
    """Compare one truth with one or more rankings of the same systems."""
    from ..topics.bootstrap import TopicBootstrap

    if per_topic and own_topics:
        raise typer.BadParameter("--per-topic compares topic by topic, and --own-topics says that the topics differ")
    check_figure(plot, plot_kind, len(candidate))
    wanted = known_coefficients(coefficient) if coefficient else None
    with Notes(quiet) as notes:
        read = Reader(measure, missing, lower_is_better, systems, topics)
        labels = labels_of([truth, *candidate])
        first, *others = read.all([truth, *candidate], quiet)
        refuse_single_systems([first, *others])
        saved = None
        if distribution is not None:
            from ..ranks.distribution import DistanceDistribution

            saved, rank_test = DistanceDistribution.load(distribution), RankTest.paper
        if common:
            first, *others = on_common_data([first, *others], labels, own_topics)
        settings = {
            "coefficients": wanted,
            "top": top,
            "per_topic": per_topic,
            "on": "systems" if own_topics else "both",
            "test": test or html is not None,
            "rank_test": rank_test.method,
            "n_resamples": resamples,
            "distribution": saved,
            "rng": seed,
            "workers": workers,
        }
        bootstrap = TopicBootstrap(resamples, confidence_level=level) if interval or html is not None else None
        found = []
        for k, (other, label) in enumerate(zip(others, labels[1:], strict=True)):
            with Bar(f"testing {k + 1} of {len(others)}", quiet) as bar:
                how = {**settings, "names": (labels[0], label), "progress": bar.update}
                found.append(_compared(first, other, bootstrap, how, required=interval))
        notes.hide(note for comparison in found for note in comparison.notes)
    document = None
    if html is not None:
        document = Report(html, quiet).write(comparison_document(found, first, others, notes.seen, workers))
    from .answer import print_comparisons

    if document is not None and format is Format.json:
        say(to_json(document))
    else:
        print_comparisons(found, format, named=wanted is not None, read_notes=notes.seen)
    draw_comparisons(plot, plot_kind, found, format, named=wanted is not None)


def _compared(
    truth: Scores, candidate: Scores, interval: TopicBootstrap | None, how: dict[str, Any], *, required: bool
) -> Comparison:
    """Compare, with intervals where they are required or, for a report, can be had."""
    from ..comparison import compare as run

    if interval is None or required:
        return run(truth, candidate, interval=interval, **how)
    try:
        return run(truth, candidate, interval=interval, **how)
    except InputError as error:
        found = run(truth, candidate, **how)
        return replace(found, notes=(*found.notes, f"there are no intervals: {error}"))


def matrix(
    files: Annotated[list[str], typer.Argument(help="Scores, one ranking a file, folder or glob; at least two.")],
    coefficient: Annotated[str, typer.Option("--coefficient", "-c", help="The coefficient.")] = "tau_b",
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    own_topics: Annotated[
        bool, typer.Option("--own-topics", help="Average each side over its own topics, not over the common ones.")
    ] = False,
    plot: PlotOption = None,
    format: FormatOption = Format.table,
    quiet: QuietOption = False,
) -> None:
    """Compare all rankings with each other; the row is the truth, the column candidate."""
    import numpy as np

    from ..coefficients.registry import all_pairs, get_coefficient
    from ..plots.matrices import matrix as draw_matrix
    from .render import Cell, Table

    if len(files) < 2:
        raise typer.BadParameter("give at least two files")
    check_plot(plot)
    name = known_coefficients([coefficient])[0]
    with Notes(quiet):
        read = Reader(measure, missing, lower_is_better, systems, topics)
        labels = labels_of(files)
        sides = read.all(files, quiet)
        refuse_single_systems(sides)
        aligned = on_common_data(sides, labels, own_topics)
        means = np.stack([side.means() for side in aligned])
        values = all_pairs(get_coefficient(name).function, means, labels)
    if format is Format.json:
        from .render import to_json

        content = {
            "coefficient": name,
            "rankings": labels,
            "systems": list(aligned[0].systems),
            "topics": [] if own_topics else list(aligned[0].topics),
            "values": [[None if np.isnan(v) else v for v in row] for row in values.tolist()],
        }
        say(to_json(content))
    else:
        if format is Format.table:
            topic_count = "" if own_topics else f", {len(aligned[0].topics)} topics"
            say(f"{name}, {len(aligned[0].systems)} systems{topic_count}; row: truth, column: candidate\n")
        rows: list[list[Cell]] = [[label, *row] for label, row in zip(labels, values.tolist(), strict=True)]
        print_table(Table(["", *labels], rows), format)
    draw(plot, lambda: draw_matrix(values, labels, name), format)
