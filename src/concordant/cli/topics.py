"""`concordant plan`, `select`, `combine` and `study`: how many topics to judge, which ones, and by whom."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import concordant as cc

from .answer import Answer, Found, Output, Rows, answering
from .judgments import Labelled
from .options import Commands, Random, Reader, known_coefficients, refuse, writable, writable_folder
from .terminal import duration, tell


@answering(plot=True, html=True)
def plan(
    scores: str,
    *,
    target: float = 0.9,
    coefficient: str = "tau",
    probability: float | None = None,
    most: int = 10_000,
    budget: float | None = None,
    topic_cost: float | None = None,
    run_cost: float | None = None,
    read: Reader,
    random: Annotated[Random, {"resamples": 16_000, "workers": 1}],
    out: Output,
) -> Found:
    """Find out how many topics are enough.

    Estimates how well this ranking correlates with the true ranking by the means over all such topics. Also
    estimates how well rankings on more topics would correlate with it. --all shows every estimator of that correlation.

    Example: concordant plan people.csv -c tau_ap --target 0.9

    Parameters
    ----------
    target
        The correlation to reach.
    probability
        The probability of reaching the target; by default, reach it on average.
    most
        The largest number of topics to try.
    budget
        Find out instead whether to spend this budget on more topics or on more runs.
    topic_cost
        The cost of one more topic; default: 1.
    run_cost
        The cost of one run of one system on one topic.

    """
    costs = {"topic_cost": topic_cost, "run_cost": run_cost, "budget": budget}
    if given_costs := {name: cost for name, cost in costs.items() if cost is not None}:
        return cc.planning.plan_runs(read(scores, out), **given_costs)
    name = known_coefficients([coefficient])[0]
    given = read(scores, out)
    found = out.run(
        "planning",
        cc.plan_topics,
        given,
        coefficient=name,
        target=target,
        probability=probability,
        most=most,
        **random.how,
    )
    if not out.every:
        return found
    drawn: dict[str, Any] = {"rng": random.seed, "workers": random.workers}
    with out.bar("estimating"):
        more: list[Any] = [cc.reliability(given, **drawn)]
        for name in ("tau", "tau_ap"):
            more.append(cc.expected_correlation(given, coefficient=name, estimator="posterior", **drawn))
    return replace(Answer.of([found, *more]), rows=found.rows)


@answering(plot=True)
def select(
    scores: str,
    *,
    k: int | None = None,
    coefficient: str = "tau_b",
    costs: str | None = None,
    budget: float | None = None,
    splits: Annotated[int, {"min": 2}] = 5_000,
    output: Annotated[Path | None, {"callback": writable()}] = None,
    read: Reader,
    random: Annotated[Random, {"level": 0.95}],
    out: Output,
) -> Found:
    """Choose topics that rank the systems as all topics do.

    Also tests how well topics chosen in this way rank other systems on other topics, compared with random topics.

    Example: concordant select people.csv -k 10

    Parameters
    ----------
    k
        How many topics to choose; or give --budget.
    costs
        A CSV file with the cost of each topic, FILE or FILE:COLUMN.
    budget
        The total cost that the topics may have.
    splits
        Largest number of splits of systems and topics in that test. The test makes only as many as it needs for two
        stable decimals.
    output
        Also write the topics, one per line.

    """
    from ..render.outputs import Kind, check_output, written_whole

    given = read(scores, out)
    known = {topic.encode() for topic in given.topics}
    kind = Kind("a list of topics of these scores", lambda start: start.split(b"\n")[0] in known)
    if output is not None:
        check_output(output, kind)
    found = out.run(
        "splitting",
        cc.select_topics,
        given,
        k,
        coefficient=known_coefficients([coefficient])[0],
        costs=costs,
        budget=budget,
        n_splits=splits,
        **random.how,
    )
    if output is None:
        return found
    path = output

    def write() -> str:
        with written_whole(path, kind) as file:
            file.write("".join(f"{topic}\n" for topic in found.topics).encode())
        return f"Topics: {path}"

    return replace(Answer.of(found), write=write)


@answering(plot=True)
def combine(
    given: Annotated[list[str], {"metavar": "HUMAN MACHINE"}],
    *,
    judged: Labelled,
    method: Literal["control", "shrunk"] = "control",
    ranks: bool = False,
    plan: bool = False,
    cost: Annotated[tuple[str, str] | None, {"metavar": "human=COST machine=COST"}] = None,
    as_good_as: int | None = None,
    level: float = 0.95,
    read: Reader,
    seed: int = 0,
    out: Output,
) -> Found:
    """Rank systems by human and machine scores, or plan a mix.

    People have scored a few topics, and a machine has scored these and many more; or people have judged a list of
    documents. --plan finds the cheapest number of topics by people and by the machine that rank well enough.

    Example: concordant combine few.csv careful.csv --plan --as-good-as 60 --cost human=20 machine=0.05

    Parameters
    ----------
    given
        Human scores, and machine scores on the same topics and more: [NAME=]PATH[:MEASURE][:lower]. With --labels, give
        the runs.
    method
        Use control variates, which stay unbiased if the machine is wrong, or also shrink towards the machine's ranking.
    ranks
        Also show the ranks that each system could have.
    plan
        Find the cheapest mix instead; needs --cost and --as-good-as.
    cost
        The cost of a topic by people and by the machine.
    as_good_as
        Rank as well as this many human topics.

    """
    from ..ranks.intervals import rank_intervals

    refuse(
        len({plan, cost is not None, as_good_as is not None}) > 1,
        "--plan, --cost and --as-good-as belong together: give all three or none",
    )
    each = _costs(cost) if cost is not None else None
    refuse(plan and ranks, "--ranks and --plan are different answers: give one of them")
    if judged.given:
        refuse(plan or ranks, "--labels ranks by labels on documents: leave out --plan and --ranks")
        return judged.answer(given, read.measure, level, seed)
    refuse(len(given) != 2, "give human scores and machine scores, or a list of documents with --labels")
    labels = read.labels(given)
    people, others = read.sides(given, out)
    if each is not None and as_good_as is not None:
        return cc.plan_mix(people, others, costs=each, as_good_as=as_good_as, method=method, names=labels)
    with out.bar("combining"):
        found = cc.combine(people, others, method=method, confidence_level=level, names=labels)
    if not ranks:
        return found
    intervals = rank_intervals(found.means, confidence_level=level, rng=seed)

    def rows() -> Rows:
        """Put means and ranks, each with its interval, into one table."""
        of = {row["system"]: row for row in intervals.rows()}
        names = {"rank": "rank_low", "high": "rank_high", "border_below": "border_below"}
        return [row | {new: of[row["system"]][old] for old, new in names.items()} for row in found.rows()]

    return replace(Answer.of([found, intervals]), rows=rows, plot=found.plot)


def _costs(given: tuple[str, str]) -> tuple[float, float]:
    """Parse the cost of a topic by people and by the machine, in either order."""
    from ..read.labels import WANTED_COST, is_cost

    found = dict(part.partition("=")[::2] for part in given)
    with contextlib.suppress(KeyError, ValueError):
        costs = float(found["human"]), float(found["machine"])
        if all(map(is_cost, costs)):
            return costs
    raise typer.BadParameter(
        f"--cost is {' '.join(given)!r}: {WANTED_COST} per topic, such as --cost human=20 machine=0.05"
    )


study = Commands.group("Run a study that can be stopped and continued.")


@study.command("reliability")
@answering(without=("lower_is_better", "systems", "topics", "types", "total"))
def reliability_study(
    scores: list[str],
    *,
    output: Annotated[Path, {"callback": writable_folder}],
    trials: int = 1_000,
    sizes: str = "10:100:10",
    drop_bottom: Annotated[float, {"min": 0, "max": 1}] = 0.25,
    lowest: float = 0.0,
    highest: float = 1.0,
    exact_means: bool = False,
    seed: int = 0,
    workers: int = 1,
    read: Reader,
    out: Output,
) -> Found:
    """Measure the error and bias of the estimators of expected correlation.

    Follows Urbano and Marrero (2016). Stop the study at any time; the same command continues it.

    Example: concordant study reliability adhoc6.csv adhoc7.csv adhoc8.csv -o study

    Parameters
    ----------
    scores
        The scores of each collection: a file, folder or glob.
    output
        The folder for the results so far, the table and the figures.
    trials
        Number of collections to simulate for each size, from each original collection.
    sizes
        Numbers of topics, separated by commas, or FIRST:LAST:STEP.
    drop_bottom
        Leave out the systems below this quantile of the means.
    lowest
        The lowest possible score.
    highest
        The highest possible score.
    exact_means
        Simulate collections whose expected means are the means of the original collection.
    workers
        Number of processes.

    """
    wanted = _sizes(sizes)
    # When a cluster's scheduler kills this process, end the workers, too, as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    given = dict(zip(read.labels(scores), read.sides(scores, out), strict=True))
    try:
        found = out.run(
            "trials",
            cc.study.reliability_study,
            given,
            n_trials=trials,
            sizes=wanted,
            drop_bottom=drop_bottom,
            exact_means=exact_means,
            bounds=(lowest, highest),
            rng=seed,
            folder=output,
            workers=workers,
        )
    except KeyboardInterrupt:
        tell(f"stopped; the results so far are in {output}, and the same command continues the study")
        raise

    def text(every: bool) -> str:
        lines = [f"{found}\n", "Means over all sizes and collections."]
        if computed := found.cost["computed"]:
            lines.append(f"{computed:,} trials in {duration(found.cost['seconds'])}")
        return "\n".join(lines)

    def write() -> str:
        written = found.save(output)
        drawn = ", and the figures" if any(path.suffix == ".png" for path in written) else ""
        return f"Full table{drawn}: {', '.join(map(str, written))}"

    return replace(Answer.of(found), text=text, printed=lambda: found.summary, write=write)


def _sizes(text: str) -> list[int]:
    first, *more = text.split(":")
    with contextlib.suppress(ValueError):
        if len(more) == 2:
            return list(range(int(first), int(more[0]) + 1, int(more[1])))
        if not more:
            return [int(part) for part in first.split(",")]
    raise typer.BadParameter(f"--sizes is {text!r}: give numbers such as 10,20,50, or 10:100:10")
