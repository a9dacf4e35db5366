"""Read MTEB results: MODEL/REVISION/Task.json, one task per file. Tasks are the topics, models the systems.

For each model, the results repository keeps several revisions, its authors' reports (`external`) and results without
a revision, with different tasks in each. All of these count as one model. If a task occurs more than once,
the newest result counts.
"""

from __future__ import annotations

import functools
import math
import re
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ReadError, counted, listing, warn
from ..source import Item, Source, load, load_json
from ..tables.contents import Contents, Grid
from ..tables.layout import warn_of

# The first of these splits that has scores is read; MSMARCO, for instance, is scored on dev. If a file has only splits
# with other names, all of them are read.
_SPLITS = ("test", "dev", "validation", "all")
# Files of old versions do not say which score is the main one. It is the first of these measures that the task has.
_MAIN = ("ndcg_at_10", "cos_sim_spearman", "v_measure", "map", "p-MRR")
_OLD_KEYS = frozenset({"dataset_revision", "mteb_dataset_name", "mteb_version"})
_NO_REVISION = ("external", "no_revision_available")


def is_mteb(content: Any) -> bool:
    """Recognise the result of one task, from any version of MTEB."""
    if not isinstance(content, dict):
        return False
    return ("task_name" in content and isinstance(content.get("scores"), dict)) or "mteb_dataset_name" in content


def is_model_meta(content: Any) -> bool:
    """Recognise model_meta.json, which MTEB writes beside the results and which holds no scores."""
    return (
        isinstance(content, dict) and {"name", "revision", "n_parameters"} <= content.keys() and "scores" not in content
    )


class Task(Contents):
    """The scores of one model on one task: a row per measure, a column per topic."""

    format = "MTEB results"
    partial = True
    default = "main_score"

    def __init__(self, source: Source, topics: list[str], scores: dict[str, list[float]], version: str) -> None:
        # A results repository holds a hundred thousand files: keep only the numbers, and store each name once.
        super().__init__(replace(source, data=b""))
        self.topics = list(map(sys.intern, topics))
        self.rows, self.values = tuple(map(sys.intern, scores)), np.array(list(scores.values()))
        self.model, self.revision = _model(source)
        self.version = tuple(map(int, re.findall(r"\d+", version)))
        self.names, self.part_of = (self.model,), f"{self.model} of MTEB"

    def measures(self) -> Collection[str]:
        """The measures of the task."""
        return self.rows

    def grid(self, measure: str) -> Grid:
        """The scores of one measure."""
        if measure not in self.rows:
            raise self.no_measure(measure)
        return Grid(self.values[self.rows.index(measure), :, None], self.topics)

    def keep(self, topics: list[str]) -> None:
        """Keep only these topics."""
        if len(topics) < len(self.topics):
            self.values = self.values[:, [self.topics.index(topic) for topic in topics]]
            self.topics = topics


def read_mteb(source: Source, content: Any) -> Task:
    """Read the scores of one model on one task: `main_score` and all other measures.

    A subset (a language) is a topic, `Task/subset`. Most tasks have only the subset `default`, which is the topic
    `Task`. For splits other than test, the topic names the split: `Task[dev]/subset`. So a topic has the same name in
    every file.
    """
    old = not isinstance(content.get("scores"), dict)
    task = str(content.get("task_name") or content["mteb_dataset_name"])
    splits: dict[str, Any] = (
        {name: _old_subsets(part) for name, part in content.items() if name not in _OLD_KEYS and isinstance(part, dict)}
        if old
        else content["scores"]
    )
    if not splits:
        raise source.error(f"has none of the splits {', '.join(_SPLITS)}", 1)
    found: dict[str, dict[str, float]] = {}
    times: Counter[str] = Counter()
    for split in _scored(source, task, splits):
        for part in splits[split]:
            subset = str(part.get("hf_subset") or "default")
            topic = task + ("" if split == "test" else f"[{split}]") + ("" if subset == "default" else f"/{subset}")
            times[topic] += 1
            scores = _numbers(part)
            if times[topic] > 1:
                before = found[topic]
                scores = {
                    name: before[name] + (scores[name] - before[name]) / times[topic]
                    for name in before.keys() & scores.keys()
                }
            found[topic] = scores
    measures = dict.fromkeys(name for scores in found.values() for name in scores)
    if not measures:
        raise source.error(f"scores.{next(iter(splits))} holds no numbers", 1)
    if twice := [topic for topic, count in times.items() if count > 1]:
        warn_of(source, f"has {listing(twice, 3)} more than once: the mean was used")
    table = {name: [scores.get(name, math.nan) for scores in found.values()] for name in measures}
    return Task(source, list(found), table, str(content.get("mteb_version") or ""))


def _scored(source: Source, task: str, splits: dict[str, Any]) -> list[str]:
    """Choose the split to read, without looking at other files; choose all splits if none has a known name.

    If a test set is not public, files hold nan for the test split and numbers for the validation split.
    """
    for split, subsets in splits.items():
        if not isinstance(subsets, list) or not subsets or not all(isinstance(part, dict) for part in subsets):
            raise source.error(f"scores.{split} is not a list of subsets with their scores", 1)
    order = ("dev", *_SPLITS) if task.startswith("MSMARCO") else _SPLITS  # its test set has only 43 queries
    known = [split for split in order if split in splits]
    return [next((split for split in known if _is_scored(splits[split])), known[0])] if known else list(splits)


def _is_scored(subsets: list[dict[str, Any]]) -> bool:
    """Tell whether a subset has a main score or, if the file has no main score, any number."""
    if any("main_score" in part for part in subsets):
        subsets = [{"main_score": part.get("main_score")} for part in subsets]
    return any(not math.isnan(score) for part in subsets for score in _numbers(part).values())


def _numbers(part: dict[str, Any]) -> dict[str, float]:
    """Return the measures of a subset; nan for values that are not finite."""
    return {
        name: float(value) if abs(value) <= sys.float_info.max else math.nan
        for name, value in part.items()
        if type(value) in (int, float) and name != "evaluation_time"
    }


def _old_subsets(part: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the subsets of a split in a file of an old version, which lists measures directly or by language."""
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
    """Flatten names ({"cos_sim": {"spearman": 0.8}} becomes cos_sim_spearman), and add the main score if known."""
    found: dict[str, Any] = {}
    for name, value in part.items():
        if isinstance(value, dict):
            found |= {f"{name}_{inner}": number for inner, number in value.items()}
        elif name != "evaluation_time":
            found[name] = value
    main = next((found[name] for name in _MAIN if name in found), None)
    return found if "main_score" in found or main is None else {**found, "main_score": main}


def newest(found: list[Contents]) -> list[Contents]:
    """Keep only the newest result if a model has a task in several revisions; one warning lists what was left out."""
    tasks = [task for task in found if isinstance(task, Task)]
    best: dict[tuple[str, str], Task] = {}
    for task in tasks:
        for topic in task.topics:
            other = best.setdefault((task.model, topic), task)
            best[task.model, topic] = max(other, task, key=_age)
    older: dict[str, dict[str, None]] = {}
    count = 0
    for task in tasks:
        kept = [topic for topic in task.topics if best[task.model, topic] is task]
        if len(kept) < len(task.topics):
            older.setdefault(task.model, {})[task.revision] = None
            count += 1
        task.keep(kept)
    if older:
        lost = listing((f"{model} ({listing(sorted(revisions), 3)})" for model, revisions in older.items()), 5)
        said = "of older revisions left out, because a newer revision of the model has the same tasks"
        warn(f"{counted(count, 'result')} {said}: {lost}")
    return [table for table in found if not isinstance(table, Task) or table.topics]


def _age(task: Task) -> tuple[bool, tuple[int, ...], str]:
    return task.revision not in _NO_REVISION, task.version, task.revision


def _model(source: Source) -> tuple[str, str]:
    """Return the model and its revision, from model_meta.json beside the file or else from the names of its folders.

    A file MODEL/REVISION/experiments/SETTING/Task.json was made with another setting, which counts as another system.
    """
    if source.name or not source.path:
        return source.name or source.run_name(), ""
    meta, folder = sibling(source.path, "model_meta.json"), source.path.absolute().parent
    setting = ""
    if folder.parent.name == "experiments":
        setting, folder = f"/{folder.name}", folder.parent.parent
    if is_model_meta(meta):
        return str(meta["name"]) + setting, str(meta["revision"])
    return folder.parent.name.replace("__", "/", 1) + setting, folder.name


def sibling(path: Path, name: str) -> Any:
    """Read the JSON of another file in the same folder; None if it is missing or cannot be read."""
    other = path.parent / name
    try:
        return _loaded(other, other.stat().st_mtime_ns)
    except OSError:
        return None


@functools.lru_cache(maxsize=256)
def _loaded(path: Path, modified: int) -> Any:
    """Read the JSON of a file, and keep it for later calls; return None if it cannot be read."""
    try:
        return load_json(load(Item(path)))
    except (ReadError, OSError):
        return None
