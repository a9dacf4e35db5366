"""Studies of judgments as the command line runs them, and their answers: the verdict first, then the table."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .evaluating import DEFAULT
from .options import Format, Missing
from .reading import known_coefficients
from .reporting import Report
from .studies import Lines
from .terminal import Bar, Notes, print_table, say

if TYPE_CHECKING:
    from ..judgments import Change
    from ..judgments.qrels import Qrels
    from ..judgments.runs import Runs
    from ..results import Estimate
    from ..study.judges_result import JudgeStudy
    from ..study.judgments_result import JudgmentStudy


@dataclass(frozen=True)
class Asked:
    """The options that all studies of judgments share."""

    measure: list[str] | None
    coefficient: list[str] | None
    missing: Missing
    draws: int
    resamples: int
    seed: int
    workers: int
    output: Path | None
    quiet: bool
    html: Path | None = None

    def study(self, runs: Runs, qrels: Qrels, changes: Sequence[Change]) -> JudgmentStudy:
        """Run it, with a bar, and write its tables where they were asked for."""
        from ..study.judgments import judgment_study

        wanted = known_coefficients(self.coefficient) if self.coefficient else None
        lines = Lines("draws", self.quiet)
        with Notes(self.quiet), Bar("draws", self.quiet) as bar:

            def progress(done: int, total: int) -> None:
                bar.update(done, total)
                lines.update(done, total)

            study = judgment_study(
                runs,
                qrels,
                changes,
                self.measure or DEFAULT,
                wanted,
                self.seed,
                n_draws=self.draws,
                n_resamples=self.resamples,
                missing=self.missing.value,
                folder=self.output,
                workers=self.workers,
                progress=progress,
            )
        if self.output is not None:
            study.save(self.output)
        return study


def answer(study: JudgmentStudy, format: Format, asked: Asked, more: Mapping[str, Any] | None = None) -> None:
    """Print a study, and write the report that was asked for; `more` belongs to its JSON."""
    from .render import Table, to_json

    if asked.html is not None or format is Format.json:
        content = {**study.to_dict(), **(more or {})}
        if asked.html is not None:
            content = Report(asked.html, asked.quiet).write(content)
        if format is Format.json:
            say(to_json(content))
            return
    if format is Format.csv:
        rows = study.rows()
        print_table(Table.of(rows), format)
        return
    if format is Format.table:
        say(f"{len(study.systems)} systems, {len(study.topics)} topics; against the full judgments\n")
        say(f"{study.verdict()}\n")
    named = len(study.coefficients) <= 6
    columns, table = study.table((*study.coefficients, "d_rank", "p") if named else None)
    print_table(Table(columns, table), format)
    if format is Format.table:
        spread = " Means over draws; --format csv has their spread." if len(study.values) > len(study.changes) else ""
        kept = f" Every number, and each system's: {asked.output}." if asked.output is not None else ""
        resamples = f"{study.settings['n_resamples']} resamples"
        say(f"\np: test of the rank distance in the paper's way, {resamples}.{spread}{kept}")


def print_each_out(
    runs: Runs, qrels: Qrels, teams: dict[str, list[str]], depth: int | None, study: JudgmentStudy, missing: Missing
) -> None:
    from ..judgments import leave_each_out
    from ..study.judgments import correlation
    from .render import Table

    with warnings.catch_warnings(action="ignore"):  # said above
        found = leave_each_out(runs, qrels, teams, study.measures, depth, missing=missing.value)
    names = [n for n in study.coefficients if n in ("tau_b", "tau_ap_b", "tau_gap_a", "pearson_rank", "pearson")]
    names = names or list(study.coefficients)
    rows: list[list[Any]] = [
        [measure, *(correlation(name, study.full[k], found[measure].means()) for name in names)]
        for k, measure in enumerate(study.measures)
    ]
    print_table(Table(["measure", *names], rows), Format.table)


def print_judges(found: JudgeStudy, format: Format, document: dict[str, Any] | None) -> None:
    """Judges beside the truth: rankings, which is better than which, labels; as JSON, the document of a report."""
    from .render import Table, to_json

    if format is Format.json:
        say(to_json(document or found.to_dict()))
        return
    if format is Format.csv:
        rows = found.rows()
        print_table(Table.of(rows), format)
        return
    if format is Format.table:
        say(f"{len(found.study.systems)} systems, {len(found.study.topics)} topics\n\n{found.verdict()}\n")
    ranked: list[list[Any]] = []
    for judge in found.judges:
        for measure in found.study.measures:
            spans = [_with_interval(found.estimates[judge, measure, name]) for name in found.coefficients]
            tested = [found.study.value("judge", judge, measure, name) for name in ("d_rank", "p")]
            ranked.append([judge, measure, *spans, *tested])
    print_table(Table(["judge", "measure", *found.coefficients, "d_rank", "p"], ranked), format)
    say("")
    columns = ["judge", "documents", *(e.coefficient for e in found.labels[found.judges[0]].estimates)]
    labels: list[list[Any]] = [
        [judge, a.size, *(_with_interval(e) for e in a.estimates)] for judge, a in found.labels.items()
    ]
    print_table(Table(columns, labels), format)
    if format is Format.table:
        _print_judge_details(found)


def _print_judge_details(found: JudgeStudy) -> None:
    from .render import Table

    if found.tests:
        what = f"{found.study.measures[0]}, {found.coefficients[0]}"
        say(f"\nWhich judge is better than which ({what}, paired over topics, not adjusted for the number of pairs):")
        rows: list[list[Any]] = [
            [a, b, test.difference, test.bias_corrected, str(test.interval), test.pvalue]
            for (a, b), test in found.tests.items()
        ]
        print_table(Table(["judge", "other", "difference", "corrected", "95% interval", "p"], rows), Format.table)
    for judge, a in found.labels.items():
        if len(a.labels) <= 6:
            say(f"\n{judge}\n{a}")
    for note in found.notes():
        say(f"\nMind: {note}")


def _with_interval(estimate: Estimate) -> str:
    span = estimate.interval
    return f"{estimate.value:.3f}" + (f" [{span.low:.3f}, {span.high:.3f}]" if span else "")
