"""MTEB: MODEL/REVISION/Task.json, one task a file. The tasks are the topics, the models the systems.

The results repository keeps several revisions of a model, what its authors reported (`external`) and results without a
revision side by side, with different tasks in each: they are one model. Of a task that is there more than once, the
newest result counts.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from ..errors import ReadError, warn
from ..tables.contents import Contents
from ..tables.pivot import Grid
from ..words import counted, listing
from .source import Item, Source, load, load_json

# Scores of the first of these splits count; MSMARCO, for instance, is scored on dev. Others are topics of their own.
_SPLITS = ("test", "dev", "validation", "all")
# The main score of tasks in files of old versions, which do not name it, by a measure that only such tasks have.
_MAIN = ("ndcg_at_10", "cos_sim_spearman", "v_measure")
_OLD_KEYS = frozenset({"dataset_revision", "mteb_dataset_name", "mteb_version"})
_NO_REVISION = ("external", "no_revision_available")


def is_mteb(content: Any) -> bool:
    """The result of one task, in the form of any version."""
    if not isinstance(content, dict):
        return False
    return ("task_name" in content and isinstance(content.get("scores"), dict)) or "mteb_dataset_name" in content


def is_model_meta(content: Any) -> bool:
    """What MTEB writes beside the results about the model: no scores."""
    return (
        isinstance(content, dict) and {"name", "revision", "n_parameters"} <= content.keys() and "scores" not in content
    )


class Task(Contents):
    """The scores of one model on one task, by measure and topic."""

    format = "MTEB results"
    partial = True
    default = "main_score"

    def __init__(self, source: Source, scores: dict[str, dict[str, float]], version: str) -> None:
        super().__init__(source)
        self.scores = scores
        self.model, self.revision = _model(source)
        self.version = tuple(map(int, re.findall(r"\d+", version)))
        self.names, self.part_of = (self.model,), f"{self.model} of MTEB"

    def measures(self) -> Collection[str]:
        """The measures of the task."""
        return self.scores

    def grid(self, measure: str) -> Grid:
        """The scores of one measure."""
        if measure not in self.scores:
            raise self.no_measure(measure)
        return Grid.of_run(self.scores[measure])

    @property
    def topics(self) -> set[str]:
        """All topics of the file."""
        return {topic for found in self.scores.values() for topic in found}

    def keep(self, topics: set[str]) -> None:
        """Leave out all other topics."""
        self.scores = {name: {t: v for t, v in found.items() if t in topics} for name, found in self.scores.items()}


def read_mteb(source: Source, content: Any) -> Task:
    """The scores of one model on one task: main_score, and the other measures by their names.

    A task of several subsets (languages) gives a topic for each: `Task/subset`. Scores of another split than test are
    other topics: `Task[dev]`.
    """
    old = "mteb_dataset_name" in content
    task = str(content["mteb_dataset_name" if old else "task_name"])
    splits: dict[str, Any] = (
        {name: _old_subsets(part) for name, part in content.items() if name not in _OLD_KEYS and isinstance(part, dict)}
        if old
        else content["scores"]
    )
    if not splits:
        raise source.error(f"has none of the splits {', '.join(_SPLITS)}", 1)
    known = next((name for name in _SPLITS if name in splits), None)
    scores: dict[str, dict[str, float]] = {}
    for split in splits if known is None else (known,):
        subsets, topic = splits[split], task + ("" if split == "test" else f"[{split}]")
        if not isinstance(subsets, list) or not subsets or not all(isinstance(part, dict) for part in subsets):
            raise source.error(f"scores.{split} is not a list of subsets with their scores", 1)
        for part in subsets:
            name = topic if len(subsets) == 1 else f"{topic}/{part.get('hf_subset', 'default')}"
            for measure, value in part.items():
                if not isinstance(value, int | float) or isinstance(value, bool):
                    continue
                found = scores.setdefault(measure, {})
                if name in found:
                    raise source.error(f"scores.{split} has the subset {name!r} twice", 1)
                found[name] = float(value) if math.isfinite(value) else math.nan
    if not scores:
        raise source.error(f"scores.{known or next(iter(splits))} holds no numbers", 1)
    return Task(source, scores, str(content.get("mteb_version") or ""))


def _old_subsets(part: dict[str, Any]) -> list[dict[str, Any]]:
    """The subsets of a split in a file of an old version: measures at once, or below languages."""
    languages = {
        name: found
        for name, found in part.items()
        if isinstance(found, dict) and re.fullmatch(r"[a-z]{2,3}(?:[-_][A-Za-z]+)*", name) and name not in _KINDS
    }
    if languages and not any(isinstance(v, float) for k, v in part.items() if k != "evaluation_time"):
        return [{"hf_subset": name, **_flat(found)} for name, found in languages.items()]
    return [_flat(part)]


_KINDS = frozenset({"max", "dot", "map", "mrr", "ap", "cos_sim"})


def _flat(part: dict[str, Any]) -> dict[str, Any]:
    """Measures by one name, {"cos_sim": {"spearman": 0.8}} is cos_sim_spearman; and the main score if it is known."""
    found: dict[str, Any] = {}
    for name, value in part.items():
        if isinstance(value, dict):
            found |= {f"{name}_{inner}": number for inner, number in value.items()}
        elif name != "evaluation_time":
            found[name] = value
    main = next((found[name] for name in _MAIN if name in found), None)
    return found if "main_score" in found or main is None else {**found, "main_score": main}


def newest(tasks: Sequence[Task]) -> list[Task]:
    """Of tasks that a model has in several revisions, the newest; what was left out is warned of, by model."""
    best: dict[tuple[str, str], Task] = {}
    for task in tasks:
        for topic in task.topics:
            other = best.get((task.model, topic))
            if other is None or _age(task) > _age(other):
                best[task.model, topic] = task
    kept = {id(task) for task in best.values()}
    lost: dict[str, list[Task]] = {}
    for task in tasks:
        if any(best[task.model, topic] is not task for topic in task.topics):
            lost.setdefault(task.model, []).append(task)
    for model, older in lost.items():
        used = sorted({best[model, topic].revision for task in older for topic in task.topics})
        warn(
            f"{model}: {counted(len(older), 'result')} of older revisions left out "
            f"({listing(sorted({task.revision for task in older}), 3)}), because {listing(used, 3)} has the same tasks"
        )
    for task in tasks:
        task.keep({topic for topic in task.topics if best[task.model, topic] is task})
    return [task for task in tasks if id(task) in kept]


def _age(task: Task) -> tuple[bool, tuple[int, ...], str]:
    return task.revision not in _NO_REVISION, task.version, task.revision


def _model(source: Source) -> tuple[str, str]:
    """The model and its revision: by model_meta.json beside the file, else by the folders' names."""
    if source.name or not source.path:
        return source.name or source.run_name(), ""
    meta = sibling(source.path, "model_meta.json")
    if is_model_meta(meta):
        return str(meta["name"]), str(meta["revision"])
    folder = source.path.absolute().parent
    return folder.parent.name.replace("__", "/", 1), folder.name


def sibling(path: Path, name: str) -> Any:
    """The JSON of another file in the same folder; None if it is not there or not readable."""
    other = path.parent / name
    try:
        return _loaded(other, other.stat().st_mtime_ns)
    except OSError:
        return None


@functools.lru_cache(maxsize=256)
def _loaded(path: Path, modified: int) -> Any:
    """The JSON of a file, read once for all files beside it."""
    try:
        return load_json(load(Item(path)))
    except (ReadError, OSError):
        return None
