"""`concordant label`, and `combine --labels`: which documents people should judge, and the ranking by what they say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..words import listing
from .answer import Answer, Found, Output, answering
from .options import SeedOption, writable
from .reading import names_of

if TYPE_CHECKING:
    from ..judgments import LabelList
    from ..judgments.runs import Runs


def new_list(path: Path | None) -> Path | None:
    """Check that a list can be written, for options: it replaces no file, which may hold grades."""
    from ..judgments.label import check_new

    if path is not None:
        try:
            check_new(path)
        except InputError as error:
            raise typer.BadParameter(str(error)) from None
    return writable()(path)


RunsArgument = Annotated[list[str], typer.Argument(metavar="RUNS", help="The runs: a folder, a glob, or files.")]
MachineOption = Annotated[Path | None, typer.Option(help="A machine's judgments of the pool, in TREC's format.")]


@answering(plot=True)
def label(
    runs: RunsArgument,
    *,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", "-m", help="P@k, DCG@k, nDCG@k or AP, such as P(rel=2)@10; may be given several times."
        ),
    ] = None,
    budget: Annotated[int | None, typer.Option(min=1, help="How many pairs people will judge.")] = None,
    machine: MachineOption = None,
    seed: SeedOption = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", callback=new_list, help="The list, a new CSV file; its plan goes beside it."),
    ] = None,
    depth: Annotated[int, typer.Option(min=1, help="Depth of the pool for AP without a cutoff.")] = 100,
    topics: Annotated[
        str | None, typer.Option(help="Only these topics: names separated by commas, or @FILE; default: the machine's.")
    ] = None,
    add: Annotated[
        Path | None, typer.Option(metavar="LIST", help="Add the documents of late runs to this list; give all runs.")
    ] = None,
    simulate: Annotated[
        Path | None,
        typer.Option(
            metavar="QRELS", help="Only try it: with all judgments of an earlier year, how well would it rank?"
        ),
    ] = None,
    out: Output,
) -> Found:
    """Choose the documents that people should judge.

    Open the list in a spreadsheet and type grades; `combine --labels` then ranks the systems.

    Example: concordant label runs/ --machine gpt4o.txt -m P@10 --budget 200 -o list.csv
    """
    from ..judgments import label as run
    from ..judgments.read_labels import read_labels
    from ..judgments.read_runs import read_qrels
    from ..planning.label_trial import try_labels

    others = None if machine is None else read_qrels(machine)
    if simulate is not None:
        given: dict[str, Any] = {"--budget": budget, "--output": output, "--topics": topics, "--add": add}
        if extra := [name for name, value in given.items() if value is not None]:
            raise typer.BadParameter(
                f"--simulate tries shares of the judgments and writes no list: leave out {extra[0]}"
            )
        if measure is None or len(measure) != 1:
            raise typer.BadParameter("--simulate ranks by one measure: give it with -m")
        with out.bar("lists") as bar:
            return try_labels(
                read_all(runs), read_qrels(simulate), measure[0], machine=others, rng=seed, progress=bar.update
            )
    if out.plot is not None:
        raise typer.BadParameter("--plot draws what --simulate finds: add --simulate QRELS, or leave out --plot")
    if output is None:
        raise typer.BadParameter("--output is missing: name the list to write, such as -o list.csv")
    if add is not None:
        given = {"-m": measure, "--budget": budget, "--topics": topics}
        if extra := [name for name, value in given.items() if value is not None]:
            raise typer.BadParameter(f"--add takes {', '.join(extra)} from the list: leave out {extra[0]}")
        return _written(read_labels(add).add(read_all(runs), machine=others), output)
    if not measure or budget is None:
        raise typer.BadParameter(f"{'--budget' if measure else '-m'} is missing: say what to rank by, and how many")
    chosen = names_of(topics, "--topics")
    made = run(read_all(runs), machine=others, measures=measure, budget=budget, seed=seed, depth=depth, topics=chosen)
    return _written(made, output)


@dataclass(frozen=True)
class Labelled:
    """Options of `combine` for labels on documents."""

    labels: Annotated[
        Path | None, typer.Option(metavar="LIST", help="Rank the runs by a list of documents that people judged.")
    ] = None
    machine: MachineOption = None
    these_topics: Annotated[
        bool,
        typer.Option("--these-topics", help="With --labels: intervals for these topics, not for topics like them."),
    ] = False
    final: Annotated[
        bool, typer.Option("--final", help="With --labels: rank by the complete batches, as no more will be judged.")
    ] = False

    @property
    def given(self) -> bool:
        """Whether labels are."""
        if self.labels is None and (self.machine or self.these_topics or self.final):
            raise typer.BadParameter("--machine, --these-topics and --final go with --labels")
        return self.labels is not None

    def answer(self, runs: list[str], measure: str | None, level: float, seed: int) -> Found:
        """The ranking; or how much is judged, until all of it is: who looks at rankings stops when one looks good."""
        from ..judgments import rank_from_labels, read_labels
        from ..judgments.read_runs import read_qrels

        assert self.labels is not None
        found = read_labels(self.labels)
        if not found.answered.all() and not self.final:
            more = "no ranking before the whole list is judged; if no more will be judged, add --final"
            return replace(found, notes=(more,))
        if measure is None:
            raise typer.BadParameter(f"-m is missing: the list was made for {listing(found.measures)}")
        machine = None if self.machine is None else read_qrels(self.machine)
        how: Any = {"these_topics": self.these_topics, "final": self.final, "confidence_level": level, "rng": seed}
        return rank_from_labels(found, read_all(runs), measure, machine=machine, **how)


def read_all(given: list[str]) -> Runs:
    """Runs of a folder or a glob, or of several files."""
    from ..judgments.read_runs import read_runs

    return read_runs(given[0] if len(given) == 1 else given)


def _written(made: LabelList, output: Path) -> Answer:
    def write() -> str:
        made.write(output)
        return (
            f"{output}: type grades into the last column, or skip where nobody can tell.\n"
            f"Judge whole batches, and all {len(made.pairs):,} pairs before you look at a ranking.\n"
            f"Next: concordant combine --labels {output} RUNS -m '{made.measures[0]}'"
        )

    return replace(Answer.of(made), write=write)
