"""What the cases stand on: the package, wherever its names are; the collections; a folder to work in.

The cases know nothing of where a function lives (`find` looks for it) nor of what the second side is called (both sides
are positional). They run in a folder of their own, in which `data` has the real collections that are there. A case that
reads one of the others is left out.
"""

from __future__ import annotations

import contextlib
import csv
import importlib
import itertools
import os
import platform
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from fetch_data import missing, place

# Where a public name may be, if it is not at the top: submodules of the package, the likeliest first.
SUBMODULES = (
    "judgments", "study", "study.simulation", "agreement.audit", "render.report.page", "planning", "ranks", "agreement",
    "inference", "coefficients", "data.scores", "pairing", "read", "data.collection", "data.results",
    "inference.resampling", "errors", "judgments.read_runs", "render.report.document",
)  # fmt: skip

CARRIED = ("people", "careful", "hasty")
COLLECTIONS = ("people", "covid1/map", "dl21/scores/ndcg_cut_10__human", "trec/robust2004_ap", "trec/adhoc8")
PAIRS = {
    "careful": ("people", "careful"),
    "hasty": ("people", "hasty"),
    "covid1": ("covid1/map", "covid1/P_5"),
    "covid1-ndcg": ("covid1/ndcg_cut_10", "covid1/bpref"),
    "dl21-umbrela": ("dl21/scores/ndcg_cut_10__human", "dl21/scores/ndcg_cut_10__umbrela_gpt4"),
    "dl21-llama": ("dl21/scores/ndcg_cut_10__human", "dl21/scores/ndcg_cut_10__binary_llama3.2"),
    "robust2004": ("trec/robust2004_ap", "trec/robust2004_p10"),
    "adhoc8": ("trec/adhoc8", "adhoc8, one decimal"),
}
"""The truth and the other side. There is one file of adhoc8, so it is held against itself with many ties."""
REAL = ("covid1", "dl21", "formats", "mteb", "trec", "wmt25")
COVID1 = "covid1/qrels.txt"
HUMAN, UMBRELA, LLAMA = (f"dl21/qrels/{judge}.txt.gz" for judge in ("human", "umbrela_gpt4", "binary_llama3.2"))


# The list of cases ---------------------------------------------------------------------------------

_CASES: list[tuple[str, tuple[Any, ...], Callable[..., Any]]] = []


def case(title: str, *over: Iterable[Any] | Callable[[], Iterable[Any]]) -> Callable[[Any], Any]:
    """Make a function a case, or one for each combination of its arguments; `{}` in the title stand for them."""

    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        _CASES.append((title, over, function))
        return function

    return kept


def all_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """All of them, by name."""
    for title, over, function in _CASES:
        for values in itertools.product(*(choices() if callable(choices) else choices for choices in over)):
            yield title.format(*(str(value).replace("/", ":") for value in values)), partial(function, *values)


# The package ---------------------------------------------------------------------------------------


def find(name: str) -> Any:
    """A public name of the package, wherever it is."""
    found = getattr(importlib.import_module("concordant"), name, None)
    if isinstance(found, ModuleType) and hasattr(found, name):  # concordant.agreement.audit.audit
        return getattr(found, name)
    if found is not None:
        return found
    for module_name in SUBMODULES:
        with contextlib.suppress(ModuleNotFoundError):
            module = importlib.import_module(f"concordant.{module_name}")
            if hasattr(module, name):
                return getattr(module, name)
    with contextlib.suppress(ValueError):
        return find("get_coefficient")(name).function
    raise AttributeError(f"concordant has no {name!r}, at the top or in {', '.join(SUBMODULES)}")


def call(name: str, *arguments: Any, **options: Any) -> Any:
    """What a public function gives."""
    demand(arguments)
    return find(name)(*arguments, **options)


def said(name: str, *arguments: Any, **options: Any) -> dict[str, Any]:
    """All that the result of a public function can say."""
    return everything(call(name, *arguments, **options))


def everything(result: Any) -> dict[str, Any]:
    """A result with its attributes, `to_dict`, `to_frame` and what is printed."""
    found: dict[str, Any] = {"result": result, "str": str(result)}
    for name in ("to_dict", "to_frame"):
        if hasattr(result, name):
            found[name] = getattr(result, name)()
    return found


def attempt(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a call gives, or how it is refused: for calls of which that is the point."""
    try:
        return function(*arguments, **options)
    except Exception as error:
        if not is_refusal(error):
            raise
        return {"error": type(error).__name__}


class NotHereError(Exception):
    """A case reads a collection that is not there; its argument is the name of the collection."""


def demand(words: Iterable[Any]) -> None:
    """Raise NotHereError where a path in `data`, or among the runs, is that of a collection that is not there."""
    for word in words:
        if isinstance(word, list | tuple):
            demand(word)
        elif isinstance(word, str) and (found := re.match(r"data/(\w+)|(\w+)-runs$", word)):
            name = found[1] or found[2]
            if name in REAL and not Path("data", name).exists():
                raise NotHereError(name)


class CommandError(Exception):
    """A command ended with an exit status that is not 0."""


def is_refusal(error: Exception) -> bool:
    """Whether the package refuses what it was given, and did not break."""
    return isinstance(error, (find("ConcordantError"), CommandError))


def names() -> list[str]:
    """Of all coefficients."""
    return [c.name for c in call("list_coefficients")]


def about() -> dict[str, Any]:
    """What the numbers were made with."""
    import scipy

    return {
        "version": find("__version__"),
        "native": bool(find("has_native")),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }


# The data ------------------------------------------------------------------------------------------


@cache
def side(name: str) -> Any:
    """The scores of one side."""
    if name in CARRIED:
        return call("load_collection", name)
    if name == "adhoc8, one decimal":
        whole = side("trec/adhoc8")
        return call("Scores", whole.values.round(1), whole.topics, whole.systems, whole.measure)
    return call("read_scores", f"data/{name}.csv")


def pair(name: str) -> tuple[Any, Any]:
    """The truth and the other side of a pair, on the same systems and topics."""
    truth, other = call("pair", *map(side, PAIRS[name]))
    return truth, other


def means(name: str) -> tuple[Any, Any]:
    """The mean scores of a pair."""
    truth, other = pair(name)
    return truth.means(), other.means()


def by_system(name: str) -> dict[str, float]:
    """The mean scores of a side in a dictionary."""
    return dict(zip(side(name).systems, side(name).means().tolist(), strict=True))


def resampled(scores: Any, count: int) -> Any:
    """Means over resampled topics, drawn here so that the package has no part in it."""
    drawn = np.random.default_rng(11).integers(0, len(scores.topics), (count, len(scores.topics)))
    return scores.values[drawn].mean(axis=1).round(6)


@cache
def runs(name: str) -> Any:
    """Some runs of a collection."""
    return call("read_runs", f"{name}-runs")


@cache
def judged(name: str) -> Any:
    """The judgments in a file."""
    return call("read_qrels", f"data/{name}")


@cache
def teams() -> dict[str, list[str]]:
    """The runs of each team of covid1."""
    demand(["covid1-runs"])
    found: dict[str, list[str]] = {}
    with open("teams.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["team"], []).append(row["run"])
    return found


# The folder ----------------------------------------------------------------------------------------


@contextlib.contextmanager
def workspace() -> Iterator[Callable[[Any], Any]]:
    """A folder to work in, with all files that the commands read; gives what hides its place in a value."""
    package = Path(str(importlib.import_module("concordant").__file__)).parent
    whole = {name: place(name).resolve() for name in REAL if not missing([name])}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as made:
        os.chdir(made)
        try:
            Path("data").mkdir()
            for name, folder in whole.items():
                Path("data", name).symlink_to(folder, target_is_directory=True)
            _write_collections()
            _choose_runs()
            places = sorted({made, str(Path(made).resolve()), str(package)}, key=len, reverse=True)
            yield partial(_hidden, places)
        finally:
            os.chdir(before)


def _write_collections() -> None:
    for name in CARRIED:
        scores = side(name)
        with open(f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["topic", *scores.systems])
            writer.writerows([t, *map(repr, row)] for t, row in zip(scores.topics, scores.values.tolist(), strict=True))


def _choose_runs() -> None:
    """Every fourth or sixth run, so that reading and evaluating them takes no time; and the teams of covid1."""
    steps = {name: step for name, step in (("dl21", 4), ("covid1", 6)) if Path("data", name).exists()}
    for name, step in steps.items():
        Path(f"{name}-runs").mkdir()
        for run in sorted(Path("data", name, "runs").iterdir())[::step]:
            Path(f"{name}-runs", run.name).symlink_to(run.resolve())
    if "covid1" not in steps:
        return
    with open("data/covid1/leaderboard.csv", encoding="utf-8", newline="") as file:
        team = {row["run"]: row["team"] for row in csv.DictReader(file)}
    chosen = [path.name.removesuffix(".gz") for path in sorted(Path("covid1-runs").iterdir())]
    Path("teams.csv").write_text("\n".join(["run,team", *(f"{run},{team[run]}" for run in chosen)]), encoding="utf-8")


def _hidden(places: list[str], value: Any) -> Any:
    if isinstance(value, str):
        for place in places:
            value = value.replace(place, "...")
        value = re.sub(r"in \d+ s, \d+ ms of processor time each", "in ... s, ... ms of processor time each", value)
    return [_hidden(places, part) for part in value] if isinstance(value, list) else value
