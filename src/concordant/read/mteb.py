"""MTEB: org__model/revision/Task.json, one task a file. The tasks are the topics, the models the systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import ReadError
from ..tables.contents import Contents
from ..tables.pivot import Grid
from .nested import finite
from .source import Item, Source, load, load_json

# Scores of the test split count, where a task has one; MSMARCO, for instance, is scored on dev.
_SPLITS = ("test", "dev", "validation")


def is_mteb(content: Any) -> bool:
    """The result of one task."""
    return isinstance(content, dict) and "task_name" in content and isinstance(content.get("scores"), dict)


def is_model_meta(content: Any) -> bool:
    """What MTEB writes beside the results about the model: no scores."""
    return (
        isinstance(content, dict) and {"name", "revision", "n_parameters"} <= content.keys() and "scores" not in content
    )


def read_mteb(source: Source, content: Any) -> Contents:
    """The scores of one model on one task: main_score, and the other measures by their names.

    A task of several subsets (languages) gives a topic for each: `Task/subset`. Scores of another split than test are
    other topics: `Task[dev]`.
    """
    splits: dict[str, Any] = content["scores"]
    split = next((name for name in _SPLITS if name in splits), next(iter(splits)) if len(splits) == 1 else None)
    if split is None:
        raise source.error(f"has none of the splits {', '.join(_SPLITS)}, but: {', '.join(splits) or 'none'}", 1)
    subsets, task = splits[split], str(content["task_name"]) + ("" if split == "test" else f"[{split}]")
    if not isinstance(subsets, list) or not subsets or not all(isinstance(part, dict) for part in subsets):
        raise source.error(f"scores.{split} is not a list of subsets with their scores", 1)
    columns: dict[str, dict[str, float]] = {}
    for part in subsets:
        topic = task if len(subsets) == 1 else f"{task}/{part.get('hf_subset', 'default')}"
        for measure, value in part.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                if topic in columns.setdefault(measure, {}):
                    raise source.error(f"scores.{split} has the subset {topic!r} twice", 1)
                columns[measure][topic] = finite(source, value, f"{topic!r} ({measure})")
    if not columns:
        raise source.error(f"scores.{split} holds no numbers", 1)
    table = Contents(source, {name: Grid.of_run(found) for name, found in columns.items()})
    table.default = "main_score"
    model, revision = _model(source)
    table.names = (model, f"{model}@{revision}") if revision else (model,)
    table.part_of = f"{model}@{revision}"
    return table


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
        return load_json(load(Item(other))) if other.is_file() else None
    except (ReadError, OSError):
        return None
