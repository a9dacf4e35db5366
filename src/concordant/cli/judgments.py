"""`concordant evaluate`, and `concordant judgments`: the same runs under changed judgments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..errors import InputError
from ..render.outputs import SCORES
from ..words import one_line
from .answer import Answer, Found, Output, answering
from .options import (
    CoefficientsOption,
    Commands,
    MissingOption,
    ProcessesOption,
    Random,
    SeedOption,
    numbers,
    writable,
    writable_folder,
)
from .reading import known_coefficients, labels_of, names_of, pairs_of
from .render import Table, to_text
from .single import write_scores
from .terminal import width

if TYPE_CHECKING:
    from ..judgments import Change
    from ..judgments.qrels import Qrels
    from ..judgments.runs import Runs
    from ..study.judgments import JudgmentStudy
    from ..study.saving import StudyResult

DEFAULT = ("nDCG@10", "AP")
app = Commands(
    help="See what changed judgments do to the ranking.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _root() -> None:
    """See what changed judgments do to the ranking."""


@dataclass(frozen=True)
class JudgedFiles:
    """Runs and their judgments."""

    runs: Annotated[str, typer.Argument(metavar="RUNS", help="The runs: a folder or a glob.")]
    qrels: Annotated[Path, typer.Argument(metavar="TRUTH", help="The judgments of the truth, in TREC's format.")]

    def read(self) -> tuple[Runs, Qrels]:
        from ..judgments.read_runs import read_qrels, read_runs

        return read_runs(self.runs), read_qrels(self.qrels)


@dataclass(frozen=True)
class Measured:
    """Which scores are computed."""

    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", help="A measure, such as nDCG@10 or AP(rel=2); may be given several times."),
    ] = None
    missing: MissingOption = "error"


@dataclass(frozen=True)
class Studied(Measured):
    """How a study of judgments is run."""

    coefficient: CoefficientsOption = None
    resamples: Annotated[int, typer.Option(min=1, help="Resamples of topics, for p-values.")] = 1_000
    seed: SeedOption = 0
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            callback=writable_folder,
            help="A folder for what is done, to continue there, and for tables and the figure.",
        ),
    ] = None

    draws = 1
    workers = 1

    def study(self, of: tuple[Runs, Qrels], changes: Sequence[Change], out: Output) -> JudgmentStudy:
        """Run it."""
        from ..study.judgments import judgment_study

        with out.bar("draws") as bar:
            return judgment_study(
                *of,
                changes,
                self.measure or DEFAULT,
                known_coefficients(self.coefficient) if self.coefficient else None,
                self.seed,
                n_draws=self.draws,
                n_resamples=self.resamples,
                missing=self.missing,
                folder=self.output,
                workers=self.workers,
                progress=bar.update,
            )

    def answer(self, study: JudgmentStudy, more: Callable[[], str] | None = None) -> Answer:
        """The study, what its numbers are, and what else is to be said."""

        def text(every: bool) -> str:
            about = f"p: test of the rank distance in the paper's way, {self.resamples:,} resamples."
            if not study.tested:
                about = "No p-values of the rank distance: with as many systems as topics or more they say nothing."
            about += " Means over draws; --format csv has their spread." if self.draws > 1 else ""
            return "\n\n".join([str(study), about, *([more()] if more else [])])

        shown = study.statistics if self.coefficient else None
        made = replace(Answer.of(study), text=text, printed=lambda: study.summary(shown))
        return made if self.output is None else replace(made, write=partial(saved, study, self.output))


def saved(study: StudyResult, folder: Path) -> str:
    """Write the tables and the figure of a study, and say where they are."""
    study.save(folder)
    return f"Every number, and each system's: {folder}"


@dataclass(frozen=True)
class Drawn(Studied):
    """Like `Studied`, with random draws."""

    draws: Annotated[int, typer.Option(min=1, help="Random draws of each level.")] = 20
    workers: ProcessesOption = 1


DepthsOption = Annotated[str, typer.Option(help="Depths of the pool, separated by commas.")]
SharesOption = Annotated[str, typer.Option(help="Shares of the judgments, separated by commas.")]
ContributingOption = Annotated[
    str | None, typer.Option(help="The runs that form the pool: names separated by commas, or @FILE; default: all.")
]


@answering()
def evaluate(
    judged: JudgedFiles,
    *,
    measured: Measured,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="One row per topic, system and measure.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            callback=writable(SCORES),
            help="Also write topics x systems to this CSV file, full precision.",
        ),
    ] = None,
    out: Output,
) -> Found:
    """Score runs under judgments, as trec_eval does.

    The best system by the first measure comes first.

    Example: concordant evaluate runs/ qrels.txt -m nDCG@10
    """
    from ..judgments.evaluation import evaluate
    from ..words import counted

    measures = measured.measure or DEFAULT
    if output is not None and len(measures) != 1:
        raise typer.BadParameter("--output writes one measure: give one with -m")
    with out.bar("scoring"):
        found = evaluate(*judged.read(), measures, missing=measured.missing)
    first = next(iter(found.values()))

    def rows() -> list[dict[str, Any]]:
        if per_topic:
            return [
                {"topic": topic, "system": system, "measure": name, "value": float(scores.values[i, j])}
                for name, scores in found.items()
                for i, topic in enumerate(scores.topics)
                for j, system in enumerate(scores.systems)
            ]
        means = {name: scores.means() for name, scores in found.items()}
        order = sorted(range(len(first.systems)), key=lambda j: -means[first.measure][j])
        return [
            {"system": first.systems[j], **{name: float(values[j]) for name, values in means.items()}} for j in order
        ]

    def text(every: bool) -> str:
        size = f"{counted(len(first.systems), 'system')}, {counted(len(first.topics), 'topic')}"
        head = size if per_topic else f"{size}; means, best by {first.measure} first"
        return f"{head}\n\n{to_text(Table.of(rows()), width())}"

    def content() -> dict[str, Any]:
        return {
            name: {
                "topics": list(scores.topics),
                "systems": list(scores.systems),
                "means": scores.means().tolist(),
                "values": scores.values.tolist(),
            }
            for name, scores in found.items()
        }

    return Answer(text, rows, content, write=None if output is None else partial(write_scores, first, output))


@app.command()
@answering(html=True)
def pool(
    judged: JudgedFiles,
    *,
    depths: DepthsOption = "1,2,3,5,10",
    contributing: ContributingOption = None,
    how: Studied,
    out: Output,
) -> Found:
    """Judge only the first k documents of each run.

    Yilmaz et al. 2008, figures 1 and 2.

    Example: concordant judgments pool runs/ qrels.txt --depths 1,5,10
    """
    from ..judgments import Change

    options = {} if contributing is None else {"contributing": names_of(contributing, "--contributing")}
    changes = [Change("depth_pool", k, **options) for k in numbers(depths, "--depths", int)]
    return how.answer(how.study(judged.read(), changes, out))


@app.command()
@answering(html=True)
def sample(
    judged: JudgedFiles,
    *,
    shares: SharesOption = "0.01,0.05,0.1,0.25,0.5",
    rel: Annotated[float | None, typer.Option(help="The lowest relevant grade; default 1.")] = None,
    how: Drawn,
    out: Output,
) -> Found:
    """Keep a random share of the judgments.

    Buckley and Voorhees 2004; Carterette 2009, figure 4.

    Example: concordant judgments sample runs/ qrels.txt
    """
    from ..judgments import Change

    changes = [Change("sample", share, rel=rel) for share in numbers(shares, "--shares", float)]
    return how.answer(how.study(judged.read(), changes, out))


@app.command()
@answering(html=True)
def pseudo(
    judged: JudgedFiles,
    *,
    depths: DepthsOption = "10,50,100",
    share: Annotated[float, typer.Option(help="Mean share of the pool that is relevant.")] = 0.1,
    spread: Annotated[float, typer.Option(help="Its standard deviation over topics.")] = 0.0,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Documents that more runs have are likelier to be relevant.")
    ] = False,
    how: Drawn,
    out: Output,
) -> Found:
    """Call random documents of the pool relevant.

    Soboroff et al. 2001.

    Example: concordant judgments pseudo runs/ qrels.txt
    """
    from ..judgments import Change

    changes = [
        Change("pseudo", k, share=share, spread=spread, duplicates=duplicates) for k in numbers(depths, "--depths", int)
    ]
    return how.answer(how.study(judged.read(), changes, out))


@app.command("single-run")
@answering(html=True)
def single_run(
    judged: JudgedFiles,
    *,
    names: Annotated[
        str | None, typer.Option(help="Runs to take the judged documents from, one by one, or @FILE; default: each.")
    ] = None,
    how: Studied,
    out: Output,
) -> Found:
    """Keep the judgments of what one run retrieved.

    Sanderson and Joho 2004; Yilmaz et al. 2008, figure 5.

    Example: concordant judgments single-run runs/ qrels.txt
    """
    from ..judgments import Change

    runs, qrels = judged.read()
    wanted = names_of(names, "--names") or runs.systems
    return how.answer(how.study((runs, qrels), [Change("from_runs", name) for name in wanted], out))


@app.command("leave-out")
@answering(html=True)
def leave_out(
    judged: JudgedFiles,
    *,
    teams: Annotated[Path, typer.Option(help="A CSV file with columns run and team.")],
    depth: Annotated[
        int | None, typer.Option(min=1, help="Depth of the pool; default: all that was retrieved.")
    ] = None,
    contributing: ContributingOption = None,
    how: Studied,
    out: Output,
) -> Found:
    """Leave out what one team alone pooled, team by team.

    And score each system without its own team's share.

    Example: concordant judgments leave-out runs/ qrels.txt --teams teams.csv
    """
    from ..coefficients.registry import get_coefficient, headlines
    from ..judgments import Change, leave_each_out
    from ..judgments.teams import teams_of

    runs, qrels = judged.read()
    owners = pairs_of(teams, "run", "team")
    if contributing is not None:
        pooled = names_of(contributing, "--contributing") or []
        lost = [name for name in pooled if name not in owners]
        if lost:
            raise InputError(f"{teams} has no team for {lost[0]!r}")
        owners = {name: owners[name] for name in pooled}
    of = teams_of(owners, runs)
    study = how.study((runs, qrels), [Change("leave_out", team, teams=of, k=depth) for team in of], out)

    def each_out() -> str:
        with warnings.catch_warnings(action="ignore"):  # said of the study
            each = leave_each_out(runs, qrels, of, study.measures, depth, missing=how.missing)
        names = [n for n in study.coefficients if n in headlines("table")] or study.coefficients
        rows = [
            {"measure": measure}
            | {n: get_coefficient(n).attempt(study.full[k], each[measure].means())[0] for n in names}
            for k, measure in enumerate(study.measures)
        ]
        table = to_text(Table.of(rows), width())
        return f"Each system without what its own team alone pooled, against all judgments:\n\n{table}"

    return how.answer(study, each_out)


@app.command()
@answering(html=True)
def mix(
    judged: JudgedFiles,
    machine: Annotated[Path, typer.Argument(metavar="CANDIDATE", help="The other judge's judgments.")],
    *,
    shares: SharesOption = "0.1,0.25,0.5,0.75,1",
    how: Drawn,
    out: Output,
) -> Found:
    """Replace a random share of the grades by another judge's.

    Example: concordant judgments mix runs/ human.txt gpt4o.txt
    """
    from ..judgments import Change
    from ..judgments.read_runs import read_qrels

    of, other = judged.read(), read_qrels(machine)
    changes = [Change("mix", share, machine=other) for share in numbers(shares, "--shares", float)]
    return how.answer(how.study(of, changes, out))


@app.command()
@answering(html=True)
def judges(
    judged: JudgedFiles,
    others: Annotated[
        list[Path], typer.Argument(metavar="CANDIDATE", help="The judgments of other judges, one file each.")
    ],
    *,
    rel: Annotated[
        float | None, typer.Option(help="Compare labels only by whether grades are at least this, on all sides.")
    ] = None,
    topics: Annotated[
        Literal["truth", "common"],
        typer.Option(help="Compare on all topics of the truth, or on those that all judges have."),
    ] = "truth",
    drop_grades: Annotated[
        str | None, typer.Option(help="Grades to ignore, such as those of broken answers, separated by commas.")
    ] = None,
    families: Annotated[
        Path | None, typer.Option(help="A CSV file with columns system and family, to test for bias.")
    ] = None,
    measured: Measured,
    coefficient: CoefficientsOption = None,
    resamples: Annotated[int, typer.Option(min=500, help="Resamples of topics, for intervals and tests.")] = 4_999,
    random: Random,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", callback=writable_folder, help="A folder for tables and the figure."),
    ] = None,
    out: Output,
) -> Found:
    """Compare judges: do they rank and grade alike?

    Example: concordant judgments judges runs/ human.txt gpt4o.txt llama.txt --html judges.html
    """
    from ..coefficients.registry import headlines
    from ..judgments.evaluation import parse_all
    from ..judgments.read_runs import read_qrels
    from ..study.judges import judge_study

    runs, truth = judged.read()
    wanted = known_coefficients(coefficient or headlines("main"))
    measures = [str(found) for found in parse_all(measured.measure or ["nDCG@10"])]
    labels = labels_of([str(path) for path in others])
    with out.bar("judges") as bar:
        study = judge_study(
            runs,
            truth,
            {label: read_qrels(path) for label, path in zip(labels, others, strict=True)},
            measures,
            wanted,
            random.seed,
            rel=rel,
            topics=topics,
            drop_grades=numbers(drop_grades, "--drop-grades", float) if drop_grades else (),
            families=None if families is None else pairs_of(families, "system", "family"),
            n_resamples=resamples,
            missing=measured.missing,
            workers=random.workers,
            progress=bar.update,
        )

    def text(every: bool) -> str:
        return "\n\n".join([str(study), *(f"{one_line(judge)}: {found}" for judge, found in study.labels.items())])

    return replace(Answer.of(study), text=text, write=None if output is None else partial(saved, study, output))
