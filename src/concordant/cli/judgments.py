"""`concordant label`, `evaluate` and `judgments`: choose, use and change relevance judgments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import concordant as cc

from ..errors import counted, listing, one_line
from ..render.outputs import SCORES, SCORES_START
from .answer import Answer, Found, Output, Table, answering, to_csv
from .options import (
    Commands,
    Missing,
    Random,
    known_coefficients,
    labels_for,
    names_of,
    numbers,
    refuse,
    writable,
    writable_folder,
)
from .terminal import next_steps

if TYPE_CHECKING:
    from ..data.scores import Scores
    from ..judgments import LabelList
    from ..judgments.runs import Runs
    from ..study.saving import StudyResult

DEFAULT = ("nDCG@10", "AP")


def new_list(path: Path) -> None:
    """Check that a list and its plan are new files, because existing files may hold grades."""
    from ..judgments.label import check_new

    check_new(path)


@answering(plot=True)
def label(
    runs: list[str],
    *,
    measure: list[str] | None = None,
    budget: int | None = None,
    machine: Path | None = None,
    seed: int = 0,
    output: Annotated[Path | None, {"callback": writable(first=new_list)}] = None,
    depth: int = 100,
    topics: str | None = None,
    add: Annotated[Path | None, {"metavar": "LIST"}] = None,
    simulate: Annotated[Path | None, {"metavar": "QRELS"}] = None,
    out: Output,
) -> Found:
    """Choose the documents that people should judge.

    Open the list in a spreadsheet and type grades; `combine --labels` then ranks the systems.

    Example: concordant label runs/ --machine gpt4o.txt -m P@10 --budget 200 -o list.csv

    Parameters
    ----------
    runs
        The runs: a folder, a glob, or files.
    measure
        P@k, DCG@k, nDCG@k or AP, such as P(rel=2)@10; may be given several times.
    budget
        How many pairs of topic and document people will judge.
    output
        Write the list to this new CSV file, and its plan beside it.
    depth
        Depth of the pool for AP without a cutoff.
    topics
        Only these topics: names separated by commas, or @FILE; default: the machine's.
    add
        Add the documents of late runs to this list; give all runs.
    simulate
        Write no list; test how well such lists rank, given all judgments of an earlier year.

    """

    def extra(**given: Any) -> list[str]:
        return [f"-{'-' * (len(name) > 1)}{name}" for name, value in given.items() if value is not None]

    others = None if machine is None else cc.read_qrels(machine)
    if simulate is not None:
        more = extra(budget=budget, output=output, topics=topics, add=add)
        refuse(more, f"--simulate tests shares of the judgments and writes no list: leave out {' '.join(more)}")
        if measure is None or len(measure) != 1:
            raise typer.BadParameter("--simulate ranks by one measure: give it with -m")
        given = read_all(runs), cc.read_qrels(simulate), measure[0]
        return out.run("lists", cc.planning.try_labels, *given, machine=others, rng=seed)
    refuse(out.plot, "--plot draws the result of --simulate: add --simulate QRELS, or leave out --plot")
    if output is None:
        raise typer.BadParameter("--output is missing: name the list to write, for example -o list.csv")
    if add is not None:
        more = extra(m=measure, budget=budget, topics=topics)
        refuse(more, f"--add takes {', '.join(more)} from the list: leave out {' '.join(more)}")
        return _written(cc.judgments.read_labels(add).add(read_all(runs), machine=others), output, runs, machine)
    if not measure or budget is None:
        raise typer.BadParameter(f"{'--budget' if measure else '-m'} is missing: give both, -m nDCG@10 --budget 200")
    chosen = names_of(topics, "--topics")
    how: Any = {"measures": measure, "budget": budget, "seed": seed, "depth": depth, "topics": chosen}
    made = cc.judgments.label(read_all(runs), machine=others, **how)
    return _written(made, output, runs, machine)


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """Options of `combine` for labels on documents.

    Parameters
    ----------
    labels
        Rank the runs by a list of documents that people judged.
    these_topics
        With --labels: compute intervals for these topics only, not for topics like them.
    final
        With --labels: judging has ended; rank by the complete batches.

    """

    labels: Annotated[Path | None, {"metavar": "LIST"}] = None
    machine: Path | None = None
    these_topics: bool = False
    final: bool = False

    @property
    def given(self) -> bool:
        """Whether --labels was given."""
        without = self.labels is None and (self.machine or self.these_topics or self.final)
        refuse(without, "--machine, --these-topics and --final go with --labels")
        return self.labels is not None

    def answer(self, runs: list[str], measure: str | None, level: float, seed: int) -> Found:
        """Return the ranking, or the progress if the list is incomplete.

        There is no early ranking, because people might stop judging when they like what it shows.
        """
        assert self.labels is not None
        found = cc.judgments.read_labels(self.labels)
        if not found.answered.all() and not self.final:
            more = "the systems are ranked once the whole list is judged; if judging has ended, add --final"
            return replace(found, notes=(more,))
        if measure is None:
            raise typer.BadParameter(f"-m is missing: the list was made for {listing(found.measures)}")
        machine = None if self.machine is None else cc.read_qrels(self.machine)
        how: Any = {"these_topics": self.these_topics, "final": self.final, "confidence_level": level, "rng": seed}
        return cc.judgments.rank_from_labels(found, read_all(runs), measure, machine=machine, **how)


def read_all(given: list[str]) -> Runs:
    """Read the runs of a folder, a glob or several files."""
    return cc.read_runs(given[0] if len(given) == 1 else given)


def _written(made: LabelList, output: Path, runs: list[str], machine: Path | None) -> Answer:
    judged = () if machine is None else ("--machine", str(machine))
    ranked = ["--labels", str(output), *(runs if len(runs) < 4 else ["RUNS"]), *judged, "-m", made.measures[0]]

    def write() -> str:
        made.write(output)
        return (
            f"{output}: type grades into the last column, or `skip` for a document that nobody can judge.\n"
            f"Judge whole batches, and all {len(made.pairs):,} pairs before you look at a ranking.\n"
            f"{next_steps([['combine', *ranked]])}"
        )

    return replace(Answer.of(made), write=write)


@answering()
def evaluate(
    runs: str,
    qrels: Path,
    *,
    measure: list[str] | None = None,
    missing: Missing = "error",
    per_topic: bool = False,
    output: Annotated[Path | None, {"callback": writable(SCORES)}] = None,
    out: Output,
) -> Found:
    """Score runs under judgments, as trec_eval does.

    The best system by the first measure comes first.

    Example: concordant evaluate runs/ qrels.txt -m nDCG@10

    Parameters
    ----------
    measure
        A measure, such as nDCG@10 or AP(rel=2); may be given several times.
    per_topic
        Print one row per topic, system and measure.
    output
        Also write a CSV file of topics x systems in full precision.

    """
    from ..data.results import plain

    measures = measure or DEFAULT
    refuse(output is not None and len(measures) != 1, "--output writes one measure: give one with -m")
    with out.bar("scoring"):
        found = cc.evaluate(cc.read_runs(runs), cc.read_qrels(qrels), measures, missing=missing)
    first = next(iter(found.values()))
    write = None if output is None else partial(_write_scores, first, output)
    means = {name: scores.means().tolist() for name, scores in found.items()}
    if per_topic:
        lines: list[dict[str, Any]] = [
            {"topic": topic, "system": system, "measure": name, "value": value}
            for name, scores in found.items()
            for topic, values in zip(scores.topics, scores.values.tolist(), strict=True)
            for system, value in zip(scores.systems, values, strict=True)
        ]
    else:
        order = sorted(range(len(first.systems)), key=lambda j: -means[first.measure][j])
        lines = [{"system": first.systems[j], **{name: of[j] for name, of in means.items()}} for j in order]
    content = {
        name: {"topics": scores.topics, "systems": scores.systems, "means": means[name], "values": scores.values}
        for name, scores in found.items()
    }
    head = f"{counted(len(first.systems), 'system')}, {counted(len(first.topics), 'topic')}"
    head += "" if per_topic else f"; means, best by {first.measure} first"
    return Answer.table(head, lines, content=lambda: plain(content), write=write)


def _write_scores(scores: Scores, path: Path) -> str:
    """Write a table of topics x systems in full precision; return a line that names the file."""
    from ..render.outputs import written_whole

    rows = [[topic, *row] for topic, row in zip(scores.topics, scores.shown().tolist(), strict=True)]
    with written_whole(path, SCORES) as file:
        table = to_csv(Table(["topic", *scores.systems], rows)).removeprefix("topic,")
        file.write(f"{SCORES_START}{table}\n".encode())
    return f"Scores: {path}"


app = Commands.group("See what changed judgments do to the ranking.")


def saved(study: StudyResult, folder: Path) -> str:
    """Write the tables and the figure of a study; return a line that names the folder."""
    study.save(folder)
    return f"All numbers, in total and for each system: {folder}"


_LEVELS: dict[str, tuple[str, type[int] | type[float]]] = {
    "depth_pool": ("1,2,3,5,10", int),
    "sample": ("0.01,0.05,0.1,0.25,0.5", float),
    "pseudo": ("10,50,100", int),
    "mix": ("0.1,0.25,0.5,0.75,1", float),
}
"""Default levels and their type, for each change whose levels are numbers."""


@app.command()
@answering(html=True)
def change(
    runs: str,
    qrels: Path,
    kind: Annotated[Literal["depth_pool", "sample", "pseudo", "from_runs", "leave_out", "mix"], {"metavar": "CHANGE"}],
    *,
    levels: str | None = None,
    machine: Path | None = None,
    teams: Annotated[str | None, {"metavar": "FILE"}] = None,
    contributing: str | None = None,
    depth: int | None = None,
    rel: float | None = None,
    relevant: Annotated[float | None, {"min": 0, "max": 1}] = None,
    spread: float | None = None,
    duplicates: bool = False,
    measure: list[str] | None = None,
    missing: Missing = "error",
    coefficient: list[str] | None = None,
    draws: int = 20,
    resamples: int = 1_000,
    seed: int = 0,
    workers: int = 1,
    output: Annotated[Path | None, {"callback": writable_folder}] = None,
    out: Output,
) -> Found:
    """See what changed judgments do to the ranking.

    CHANGE is depth_pool (only the first k documents of each run are judged; Yilmaz et al. 2008), sample (a random share
    of the judgments; Buckley and Voorhees 2004), pseudo (random documents are relevant; Soboroff et al. 2001),
    from_runs (the documents of one run; Sanderson and Joho 2004), leave_out (all documents except those that only one
    team contributed), or mix (a random share of the grades comes from another judge).

    Example: concordant judgments change runs/ qrels.txt depth_pool --levels 1,5,10

    Parameters
    ----------
    kind
        What changes.
    levels
        Depths, shares, runs or teams, separated by commas or in @FILE; default: a series of numbers, or all names.
    machine
        For mix: the other judge's judgments.
    teams
        For leave_out: a CSV file with the team of each run, FILE or FILE:COLUMN. Other runs contribute nothing.
    contributing
        For depth_pool: the runs that form the pool, as names separated by commas or @FILE; default: all.
    depth
        For from_runs and leave_out: depth of the pool; default: all retrieved documents.
    rel
        For sample: the lowest relevant grade; default: 1.
    relevant
        For pseudo: mean share of the pool that is relevant; default: 0.1.
    spread
        For pseudo: standard deviation of that share over topics.
    duplicates
        For pseudo: give documents that more runs retrieved a higher chance of being relevant.
    measure
        A measure, such as nDCG@10 or AP(rel=2); may be given several times.
    coefficient
        A coefficient to compute; may be given several times.
    draws
        Number of random draws at each level.
    resamples
        Number of resamples of the topics, for p-values.
    workers
        Number of processes.
    output
        The folder for tables and the figure; a study that was stopped continues from it.

    """
    from ..judgments.changes import teams_of
    from ..read.labels import labels_of
    from ..study.judgments import summary_of

    refuse(kind == "leave_out" and teams is None, "leave_out needs the teams of the runs: --teams FILE")
    refuse(kind == "mix" and machine is None, "mix needs the judgments of the other judge: --machine QRELS")
    found, full = cc.read_runs(runs), cc.read_qrels(qrels)
    of = None if teams is None else teams_of(labels_of(teams, "teams"), found)
    given: dict[str, Any] = {
        "machine": None if machine is None else cc.read_qrels(machine),
        "teams": of,
        "contributing": names_of(contributing, "--contributing"),
        "k": depth,
        "rel": rel,
        "share": relevant,
        "spread": spread,
        "duplicates": duplicates or None,
    }
    options = {name: value for name, value in given.items() if value is not None}
    if kind in _LEVELS:
        usual, of_levels = _LEVELS[kind]
        each: Iterable[Any] = numbers(levels or usual, "--levels", of_levels)
    else:
        each = names_of(levels, "--levels") or (of or found.systems)
    study = out.run(
        "draws",
        cc.study.judgment_study,
        found,
        full,
        [cc.judgments.Change(kind, level, **options) for level in each],
        measure or DEFAULT,
        known_coefficients(coefficient) if coefficient else None,
        seed,
        n_draws=draws,
        n_resamples=resamples,
        missing=missing,
        folder=output,
        workers=workers,
    )

    def text(every: bool) -> str:
        about = f"p: test of the rank distance as in Carterette (2009), {resamples:,} resamples."
        if not study.tested:
            about = "Rank test not run: it needs more topics than systems."
        if len(study.values) > len(study.changes):
            about += " Means over draws; --format csv prints their spread."
        return f"{study}\n\n{about}"

    shown = study.statistics if coefficient else None
    write = None if output is None else partial(saved, study, output)
    return replace(Answer.of(study), text=text, printed=lambda: summary_of(study, shown), write=write)


@app.command()
@answering(html=True)
def judges(
    runs: str,
    truth: Path,
    candidate: list[Path],
    *,
    rel: float | None = None,
    families: Annotated[str | None, {"metavar": "FILE"}] = None,
    measure: list[str] | None = None,
    missing: Missing = "error",
    coefficient: list[str] | None = None,
    random: Annotated[Random, {"resamples": 4_999, "workers": 1}],
    output: Annotated[Path | None, {"callback": writable_folder}] = None,
    out: Output,
) -> Found:
    """Compare judges: do they rank and grade alike?

    Example: concordant judgments judges runs/ human.txt gpt4o.txt llama.txt --html judges.html

    Parameters
    ----------
    truth
        The reference judgments, in TREC's format.
    candidate
        The judgments of other judges, one file each.
    rel
        Compare labels as relevant or not, where grades of at least this are relevant.
    families
        A CSV file with the family of each system, FILE or FILE:COLUMN, to test for bias.
    measure
        A measure, such as nDCG@10 or AP(rel=2); may be given several times.
    coefficient
        A coefficient to compute; may be given several times.
    resamples
        Number of resamples of the topics, for intervals and tests.
    output
        The folder for tables and the figure.

    """
    from ..coefficients.registry import headlines
    from ..judgments.evaluation import parse_all
    from ..read.labels import labels_of

    name, *labels = labels_for([str(path) for path in (truth, *candidate)])
    found, judged = cc.read_runs(runs), cc.read_qrels(truth)
    if len(found.systems) == len(candidate) == 1:  # nothing to rank: compare the labels alone
        from ..judgments.agreement import label_agreement

        how: dict[str, Any] = {"n_resamples": random.resamples, "rng": random.seed, "names": (name, labels[0])}
        return label_agreement(judged, cc.read_qrels(candidate[0]), rel=rel, **how)
    wanted = known_coefficients(coefficient or headlines("main"))
    measures = [str(parsed) for parsed in parse_all(measure or ["nDCG@10"])]
    study = out.run(
        "judges",
        cc.study.judge_study,
        found,
        judged,
        {label: cc.read_qrels(path) for label, path in zip(labels, candidate, strict=True)},
        measures,
        wanted,
        random.seed,
        truth_name=name,
        rel=rel,
        families=None if families is None else labels_of(families, "families"),
        n_resamples=random.resamples,
        missing=missing,
        workers=random.workers,
    )

    def text(every: bool) -> str:
        return "\n\n".join([str(study), *(f"{one_line(judge)}: {found}" for judge, found in study.labels.items())])

    return replace(Answer.of(study), text=text, write=None if output is None else partial(saved, study, output))
