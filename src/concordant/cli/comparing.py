"""`concordant compare`, `matrix`, `explain` and `audit`: a truth and what is held against it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..errors import warn
from ..words import one_line
from .answer import Answer, Found, Output, answering
from .options import (
    CandidatesArgument,
    CoefficientOption,
    CoefficientsOption,
    LevelOption,
    OwnTopicsOption,
    Random,
    ResamplesOption,
    TruthArgument,
)
from .reading import Reader, known_coefficients
from .render import Table, to_text
from .terminal import width

if TYPE_CHECKING:
    from ..pairing import On, Side

Figure = Literal["scatter", "ranks", "panels", "forest", "heatmap"]


@answering(plot=True, html=True)
def compare(
    truth: TruthArgument,
    candidate: CandidatesArgument,
    *,
    coefficient: CoefficientsOption = None,
    top: Annotated[int | None, typer.Option(min=2, help="Compare the k best systems of the truth only.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show every coefficient, candidate and pair of candidates.")
    ] = False,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Also on each topic: mean and spread.")] = False,
    own_topics: OwnTopicsOption = False,
    common: Annotated[
        bool, typer.Option("--common", help="Compare all candidates on the systems and topics that all of them have.")
    ] = False,
    interval: Annotated[
        bool, typer.Option("--interval", help="Intervals for the coefficients across the population of topics.")
    ] = False,
    level: LevelOption = 0.95,
    worth: Annotated[
        bool, typer.Option("--worth/--no-worth", help="Value the candidates' topics in topics of the truth.")
    ] = True,
    test: Annotated[bool, typer.Option("--test", help="Test the coefficients against chance.")] = False,
    rank_test: Annotated[
        Literal["recentred", "paper", "none"], typer.Option(help="Test of the rank distance.")
    ] = "recentred",
    resamples: ResamplesOption = 9_999,
    plot_kind: Annotated[
        Figure | None, typer.Option(help="What to draw; by default scatter for one candidate, heatmap for many.")
    ] = None,
    read: Reader,
    random: Random,
    out: Output,
) -> Found:
    """Compare one truth with one or more candidates.

    Example: concordant compare people.csv careful.csv hasty.csv --html report.html
    """
    from ..agreement.comparison import compare as run
    from ..pairing import pair

    if per_topic and own_topics:
        raise typer.BadParameter("--per-topic compares topic by topic, and --own-topics says that the topics differ")
    if plot_kind is not None and out.plot is None:
        raise typer.BadParameter("--plot-kind says what to draw: name the file with --plot")
    wanted = known_coefficients(coefficient) if coefficient else None
    first, others, labels = read.truth_and_candidates(truth, candidate, out.quiet)
    if plot_kind not in (None, "heatmap") and len(others) > 1:
        raise typer.BadParameter(
            f"--plot-kind {plot_kind} shows one candidate, and there are {len(others)}: use heatmap"
        )
    how: dict[str, Any] = {"names": labels, "on": "systems" if own_topics else "both", "top": top}
    given: tuple[Any, ...] = (first, others)
    if common:
        given = (pair(first, others, **how),)
        how = {"on": how["on"]}
    with out.bar("comparing" if len(others) > 1 else "resampling") as bar:
        found = run(
            *given,
            **how,
            coefficients=wanted,
            per_topic=per_topic,
            interval=interval,
            test=test,
            worth=worth,
            rank_test=None if rank_test == "none" else rank_test,
            confidence_level=level,
            n_resamples=resamples,
            rng=random.seed,
            workers=random.workers,
            progress=bar.update,
        )

    def text() -> str:
        shown = found.shown_values(every=every)
        first = found.comparisons[0]
        cited = [value.coefficient for value in shown if not value.why] + ["rank_test"] * bool(first.rank_test)
        left = len(first.values) - len(shown)
        hint = f"All coefficients ({left} more): --all\n" if left and not every else ""
        return f"{found.text(every=every)}\n\n{hint}Cite: concordant cite {' '.join(cited)}"

    return replace(
        Answer.of(found),
        text=text,
        plot=lambda: found.plot(plot_kind),
        printed=found.printed,
        notes=tuple(note for c in found.comparisons for note in c.notes),
    )


@answering(plot=True)
def matrix(
    files: Annotated[
        list[str], typer.Argument(metavar="SCORES", help="Scores, one ranking per file, folder or glob; at least two.")
    ],
    *,
    coefficient: CoefficientOption = "tau_b",
    own_topics: OwnTopicsOption = False,
    read: Reader,
    out: Output,
) -> Found:
    """Compare all rankings with each other.

    The row is the truth, the column the candidate.

    Example: concordant matrix people.csv careful.csv hasty.csv -c tau_ap_b
    """
    from ..agreement.comparison import compare as run
    from ..data.results import plain
    from ..pairing import pair
    from ..words import counted

    name = known_coefficients([coefficient])[0]
    first, others, labels = read.truth_and_candidates(files[0], files[1:], out.quiet)
    if not others:
        raise typer.BadParameter("give at least two files")
    both = pair(first, others, names=labels, on="systems" if own_topics else "both")
    found = run(both, coefficients=[name], worth=False, rank_test=None, all_pairs=True, rng=0)
    values = found.matrix.tolist() if found.matrix is not None else []
    for note in both.notes:
        warn(note)

    def text() -> str:
        topics = f", {counted(len(both.topics), 'topic')}" if both.topics else ""
        rows = [[label, *row] for label, row in zip(labels, values, strict=True)]
        size = f"{counted(len(both.systems), 'system')}{topics}; row: truth, column: candidate"
        return f"{name}, {size}\n\n{to_text(Table(['', *labels], rows), width())}"

    return Answer(
        text,
        lambda: [{"": label, **dict(zip(labels, row, strict=True))} for label, row in zip(labels, values, strict=True)],
        lambda: {
            "coefficient": name,
            "rankings": labels,
            "systems": list(both.systems),
            "topics": list(both.topics),
            "values": plain(values),
        },
        lambda: found.plot("matrix"),
    )


@answering(plot=True)
def explain(
    truth: TruthArgument,
    candidate: Annotated[str, typer.Argument(metavar="CANDIDATE", help="Scores to compare with it.")],
    *,
    coefficient: CoefficientOption = "tau_b",
    own_topics: OwnTopicsOption = False,
    pair: Annotated[
        str | None, typer.Option(help="Two systems separated by a comma: which topics drive their difference?")
    ] = None,
    by: Annotated[
        Literal["pairs", "systems", "topics"], typer.Option(help="What csv, markdown, latex and --plot show.")
    ] = "pairs",
    read: Reader,
    out: Output,
) -> Found:
    """Show which systems and topics make two rankings disagree.

    Example: concordant explain people.csv hasty.csv -c tau_ap_b
    """
    from ..agreement.explanation import explain as run

    name = known_coefficients([coefficient])[0]
    by_truth, by_candidate = read.sides([truth, candidate], out.quiet)
    found = run(by_truth, by_candidate, coefficient=name, on="systems" if own_topics else "both")
    if pair is None:
        return replace(Answer.of(found), rows=lambda: found.rows(by), plot=lambda: found.plot(by))
    names = [part.strip() for part in pair.split(",")]
    if len(names) != 2:
        raise typer.BadParameter(f"--pair is {pair!r}: give two systems separated by a comma")
    first, second = names
    parts = found.topics_of(first, second)
    rows = [{"topic": p.topic, "truth": p.truth, "candidate": p.candidate, "shift": p.shift} for p in parts]

    def text() -> str:
        of_truth, of_candidate = sum(p.truth for p in parts), sum(p.candidate for p in parts)
        sides = f"{of_truth:+.4f} by the truth, {of_candidate:+.4f} by the candidate"
        shown = f"{len(rows[:10])} of {len(rows)} topics, those with the largest shift against the truth first"
        lower = found.truth.lower_is_better or found.candidate.lower_is_better
        what = f"lead of {first} over {second}" if lower else f"{first} minus {second}"
        return f"{one_line(what)}: {sides}\n\n{to_text(Table.of(rows[:10]), width())}\n\n({shown})"

    return Answer(
        text,
        lambda: rows,
        lambda: {"pair": names, "topics": rows},
        lambda: found.plot_pair(first, second),
        notes=tuple(found.notes),
    )


@answering(plot=True, without=("missing",))
def audit(
    truth: TruthArgument,
    candidate: CandidatesArgument,
    *,
    reported: Annotated[
        list[str],
        typer.Option("--reported", "-r", help="The number as printed, 0.870 or 87%; one for each candidate."),
    ],
    top: Annotated[list[int] | None, typer.Option(min=2, help="Also try the k best systems only.")] = None,
    departures: Annotated[int, typer.Option(min=0, help="Most departures from the plain way.")] = 3,
    own_topics: OwnTopicsOption = False,
    missing: Annotated[
        Literal["zero", "drop", "drop-systems", "mean", "available"] | None,
        typer.Option(help="What to do about topics that a system lacks; by default each way is tried."),
    ] = None,
    read: Reader,
    out: Output,
) -> Found:
    """Find out how a reported correlation was computed.

    It tries every coefficient, direction, rule for ties and preparation of the scores.

    Example: concordant audit --reported 0.723 people.csv hasty.csv
    """
    from ..agreement.audit.search import Read, audit_read
    from ..read import parse_side

    given = [truth, *candidate]
    labels = read.labels(given)

    names = [parse_side(side).name for side in given]

    def again(k: int, measure: str, lower: bool) -> Side:
        return read.of_side(names[k], {name for name in names if name}).again(given[k], measure, lower)

    read = replace(read, missing=missing or "error")
    found = Read(read.sides(given, out.quiet), [parse_side(side).path for side in given], again)
    on: On = "systems" if own_topics else "both"
    with out.bar("trying") as bar:
        return audit_read(found, reported, labels, top=top or (), departures=departures, on=on, progress=bar.update)
