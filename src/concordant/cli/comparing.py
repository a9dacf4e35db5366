"""`concordant compare`, `explain` and `audit`: compare one ranking with others."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import concordant as cc

from .answer import Answer, Found, Output, Rows, answering
from .options import Random, Reader, known_coefficients, refuse
from .terminal import next_steps, tell

if TYPE_CHECKING:
    from ..agreement.comparison_result import Comparison

Figure = Literal["scatter", "ranks", "forest", "heatmap", "matrix", "worth"]
Noun = Literal["judge", "measure", "pool", "benchmark"]


@answering(plot=True, html=True, without=("measure",))
def compare(
    truth: str,
    candidate: list[str],
    *,
    measure: list[str] | None = None,
    collection: Annotated[list[str] | None, {"metavar": "NAME=FOLDER"}] = None,
    card: bool = False,
    matrix: bool = False,
    coefficient: list[str] | None = None,
    top: int | None = None,
    interval: bool = False,
    test: bool = False,
    per_topic: bool = False,
    own_topics: bool = False,
    common: bool = False,
    these_systems: bool = False,
    noun: Annotated[Noun | None, {"flags": ("--as",)}] = None,
    at_least: Annotated[float | None, {"min": 0}] = None,
    resamples: int | None = None,
    families: Annotated[str | None, {"metavar": "FILE"}] = None,
    plot_kind: Figure | None = None,
    read: Reader,
    random: Annotated[Random, {"level": 0.95, "workers": 1}],
    out: Output,
) -> Found:
    """Does another judge, measure or pool rank the systems alike?

    Compares the first file with one or more others. The answer says what 25 topics of each other file are worth in
    topics of the first.

    Example: concordant compare people.csv careful.csv hasty.csv --html report.html

    Parameters
    ----------
    measure
        The measure to read, as the files name it. Give several, or 'all', for one row per measure.
    collection
        Read the files in this folder. Give several for one row per collection, and their average.
    card
        Show all numbers that papers report about judges, one row per judge.
    matrix
        Compare all rankings with each other; leave out their worth.
    coefficient
        A coefficient to compute; may be given several times.
    top
        Compare only the k best systems of the first file.
    interval
        Also compute confidence intervals of the coefficients, over topics like these.
    test
        Test the coefficients against chance.
    per_topic
        Also compute the coefficients on each topic; show mean and spread.
    common
        Compare all candidates on the systems and topics that all of them have.
    these_systems
        Draw conclusions about these systems only, not about new ones.
    noun
        What the candidates are, if the files do not say; by default judges.
    at_least
        Exit with status 3 unless the interval for the worth of 25 topics starts at this number or above.
    resamples
        Number of resamples.  [default: 9999; --card 1999]
    families
        With --card: a CSV file with the family of each system, FILE or FILE:COLUMN, to test for bias.
    plot_kind
        What to draw; by default a scatter plot for one candidate, a heatmap for several.

    """
    refuse(
        per_topic and own_topics, "--per-topic needs common topics, and --own-topics says that they differ: give one"
    )
    refuse(
        plot_kind is not None and (out.plot is None or card),
        "--plot-kind chooses the figure of a plain comparison: name its file with --plot",
    )
    refuse(card and (matrix or at_least is not None), "--card gives another answer: leave out --matrix and --at-least")
    refuse(families is not None and not card, "--families goes with --card: add --card")
    from ..read.labels import labels_of

    wanted = known_coefficients(coefficient) if coefficient else None
    how: dict[str, Any] = {"on": "systems" if own_topics else "both", "top": top, "noun": noun}
    computed: dict[str, Any] = {
        "coefficients": wanted,
        "per_topic": per_topic,
        "interval": interval,
        "test": test,
        "new_systems": not these_systems,
        "n_resamples": resamples or 9_999,
        "all_pairs": matrix,
        "worth": not matrix,
        **random.how,
    }
    if collection or len(measure or ()) > 1 or measure == ["all"]:
        refuse(
            card or matrix or common or at_least is not None or out.html or out.plot,
            "several measures or collections make a table: leave out --card, --matrix, --common, --at-least, --html "
            "and --plot",
        )
        return _table([truth, *candidate], measure or [], collection or [], {**how, **computed}, read, out)
    read = replace(read, measure=measure[0] if measure else None)
    first, others, labels = read.truth_and_candidates(truth, candidate, out)
    refuse(
        plot_kind not in (None, "heatmap", "worth", "matrix") and len(others) > 1,
        f"--plot-kind {plot_kind} shows one candidate, and there are {len(others)}: use heatmap or worth",
    )
    how["names"] = labels
    if card:
        of = None if families is None else labels_of(families, "families")
        drawn: dict[str, Any] = {"confidence_level": random.level, "n_resamples": resamples or 1_999}
        with out.bar("comparing"):
            return cc.judge_card(first, others, names=labels, families=of, rng=random.seed, **drawn)
    given: list[Any] = [first, others]
    if common:
        given = [cc.pair(first, others, **how)]
        how = {"on": how["on"], "noun": noun}
    found = out.run("comparing" if len(others) > 1 else "resampling", cc.compare, *given, **how, **computed)

    def table() -> Rows:
        lines = zip(found.names, found.matrix.tolist(), strict=True) if found.matrix is not None else ()
        return [{"": name, **dict(zip(found.names, line, strict=True))} for name, line in lines]

    def text(every: bool) -> str:
        shown = found.text(every=every, more="--all")
        if every:
            cited = [value.coefficient for value in found.comparisons[0].values if not value.why]
            return f"{shown}\n\nCite: concordant cite {' '.join([*cited, 'rank_test'])}"
        commands: list[list[str]] = []
        if not top and len(wanted or ()) < 2:  # the other commands lack --top, and take one coefficient
            commands = _next(found, [truth, *candidate], read, own_topics, ["-c", *wanted] if wanted else [])
        also = ("--html report.html | --all", "or the same with --html report.html, or --all")
        return f"{shown}\n{next_steps(commands, *also)}"

    return replace(
        Answer.of(found),
        text=text,
        rows=table if matrix else found.rows,
        plot=lambda: found.plot(plot_kind or ("matrix" if matrix else None)),
        notes=tuple(note for c in found.comparisons for note in c.notes),
        status=0 if at_least is None else _gate(found, at_least),
    )


def _table(
    given: Sequence[str],
    measures: Sequence[str],
    collections: Sequence[str],
    how: dict[str, Any],
    read: Reader,
    out: Output,
) -> Found:
    """Compare by several measures, or on several collections."""
    from ..agreement.tables import Sides, common_measures, compared_by
    from ..read import parse_side
    from ..read.reader import tables_in

    folders = dict(part.partition("=")[::2] for part in collections) or {"": ""}
    refuse(
        len(folders) < len(collections) or (collections and not all(map(all, folders.items()))),
        f"--collection is {' '.join(collections)!r}: write NAME=FOLDER, each name once",
    )
    refuse(
        len(set(measures)) < len(measures) or ("all" in measures and len(measures) > 1),
        f"-m is {' '.join(measures)!r}: give each measure once, or 'all' alone",
    )

    def inside(folder: str, side: str) -> str:
        path = parse_side(side).path
        return side if not folder else side.replace(path, os.path.join(folder, path), 1)

    if not collections:  # a folder of tables holds one candidate per file
        given = [given[0], *(file for one in given[1:] for file in tables_in(one) or [one])]
    labels = read.labels(given)
    if list(measures) == ["all"]:
        open_sides = [parse_side(inside(next(iter(folders.values())), side)) for side in given]
        measures = common_measures(side.path for side in open_sides if not side.measure)

    def sides(folder: str, measure: str | None) -> Sides:
        first, *others = replace(read, measure=measure).sides([inside(folder, side) for side in given], out)
        return first, others

    wanted: Sequence[str | None] = measures or [None]
    each = [(name, m or "", partial(sides, folder, m)) for m in wanted for name, folder in folders.items()]
    with out.bar("comparing") as bar:
        return compared_by(cc.compare, each, {**how, "names": labels, "progress": bar.update})


def _next(
    found: Comparison, sides: Sequence[str], read: Reader, own_topics: bool, coefficient: Sequence[str]
) -> list[list[str]]:
    """Suggest the next commands, with the options that decide what is read and compared."""
    from ..judges.worth import CANNOT_TELL

    by_topic = any(c.topics for c in found.comparisons)
    unknown = any(c.worth is None or c.worth.word == CANNOT_TELL for c in found.comparisons)
    files = [f"./{side}" if side.startswith("-") else side for side in sides]
    made = []
    if by_topic and unknown:
        made.append(["plan", files[0], *coefficient, *read.carried(sides[0])])
    if len(files) == 2 and len(found.comparisons) == 1:
        made.append(["explain", *files, *coefficient, *["--own-topics"] * own_topics, *read.carried()])
    return made


def _gate(found: Comparison, at_least: float) -> int:
    """Return 0, or name the candidates whose interval for the worth starts below the limit, and then return 3."""
    from ..judges.worth import shown

    status = 0
    for c in found.comparisons:
        low = math.nan if c.worth is None else c.worth.interval.low
        if not low >= at_least:
            why = "is not known" if math.isnan(low) else f"may be {f'as low as {shown(low)}' if low else 'less than 3'}"
            tell(f"{c.candidate}: the worth of 25 topics {why}; --at-least asks for {at_least:g}")
            status = 3
    return status


@answering(plot=True)
def explain(
    truth: str,
    candidate: str,
    *,
    coefficient: str = "tau_b",
    own_topics: bool = False,
    by: Literal["pairs", "systems", "topics"] | None = None,
    read: Reader,
    out: Output,
) -> Found:
    """Show which systems and topics make two rankings disagree.

    Example: concordant explain people.csv hasty.csv -c tau_ap_b

    Parameters
    ----------
    candidate
        Scores to compare with the truth.
    by
        What csv, markdown, latex and --plot show. Default: pairs; for --plot, systems and topics.

    """
    name = known_coefficients([coefficient])[0]
    by_truth, by_candidate = read.sides([truth, candidate], out)
    labels = read.labels([truth, candidate])
    by_topic = not own_topics and by_truth.topics and by_candidate.topics
    sides = cc.pair(by_truth, by_candidate, names=labels, on="both" if by_topic else "systems")
    with out.bar("explaining"):
        found = cc.explain(sides, coefficient=name)
    return replace(Answer.of(found), rows=lambda: found.rows(by or "pairs"), plot=lambda: found.plot(by))


@answering(without=("missing",))
def audit(
    truth: str,
    candidate: list[str],
    *,
    reported: list[str],
    top: list[int] | None = None,
    departures: Annotated[int, {"min": 0}] = 3,
    own_topics: bool = False,
    missing: Literal["zero", "drop", "drop-systems", "mean", "available"] | None = None,
    read: Reader,
    out: Output,
) -> Found:
    """Find out how a reported correlation was computed.

    Tries every coefficient, direction, rule for ties and preparation of the scores.

    Example: concordant audit --reported 0.723 people.csv hasty.csv

    Parameters
    ----------
    reported
        The number as printed, such as 0.870 or 87%; one for each candidate.
    top
        Also compare only the k best systems.
    departures
        Try at most this many departures from the default computation.
    missing
        How to treat topics that a system lacks; by default every way is tried.

    """
    from .. import audit as audit_of

    given = [truth, *candidate]
    sides = replace(read, missing=missing or "error").sides(given, out)
    how: dict[str, Any] = {"on": "systems" if own_topics else "both", "names": read.labels(given)}
    with out.bar("trying") as bar:
        how |= {"top": top or (), "departures": departures, "progress": bar.update}
        return audit_of(sides[0], sides[1:], reported=reported, **how)
