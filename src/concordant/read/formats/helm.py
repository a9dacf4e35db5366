"""HELM: per_instance_stats.json, one scenario of one model a file. The instances are the topics.

The key of a score includes the trial and the perturbation, so these become part of the topic's name. HELM summarises
each split apart: where a file holds several, `exact_match` has the instances of the test split, and
`exact_match[valid]` those of another.
"""

from __future__ import annotations

import re
from typing import Any

from ..source import Source
from ..tables.contents import Contents
from .mteb import sibling
from .records import Gathered, has_keys

# Statistics that describe the run, not how well it did. They are read where there is nothing else.
_NO_SCORE = re.compile(
    r"(?:num_|training_|inference_|finish_reason_|prompt_|batch_size\b|max_prob\b|logprob|perplexity|bits_per_byte)"
)


def is_per_instance(content: Any) -> bool:
    """per_instance_stats.json."""
    return isinstance(content, list) and has_keys(content, "instance_id", "stats")


def is_companion(content: Any) -> bool:
    """run_spec.json and the like, written beside the scores, or stats.json, to which the scores are summarised."""
    if isinstance(content, list):
        return has_keys(content, "name", "count") and isinstance(content[0]["name"], dict)
    return isinstance(content, dict) and ("adapter_spec" in content or "scenario_spec" in content)


def refuse_companion(source: Source, content: Any) -> Contents:
    """They would be read as tables."""
    raise source.other_kind("holds no scores of topics, which HELM writes to per_instance_stats.json")


def read_helm(source: Source, content: Any) -> Contents:
    """The scores of one model on one scenario, a topic for each instance."""
    model, scenario = _spec(source)
    rows: list[tuple[str, Any, str, Any]] = []
    for place, record in enumerate(content):
        stats = record.get("stats") if isinstance(record, dict) else None
        if not isinstance(stats, list) or "instance_id" not in record:
            raise source.error(f"instance {place} has no instance_id or no list of stats", 1)
        topic = f"{scenario}{_topic(record)}"
        for stat in stats:
            measure: Any = stat.get("name") if isinstance(stat, dict) else None
            if not isinstance(measure, dict) or not isinstance(measure.get("name"), str):
                raise source.error(f"a statistic of instance {topic!r} has no name", 1)
            if stat.get("count"):  # else nothing was measured
                rows.append((measure["name"], measure.get("split"), topic, _mean(source, stat)))
    splits = {split for _, split, *_ in rows}
    main = next(iter(splits)) if len(splits) == 1 else "test"
    found = Gathered(source)
    for name, split, topic, value in rows:
        found.add(name if split == main else f"{name}[{split}]", topic, value)
    table = found.contents("HELM")
    table.grids = {name: grid for name, grid in table.grids.items() if not _NO_SCORE.match(name)} or table.grids
    if model:
        table.names = (model, source.run_name())
        table.part_of = f"{model} in {source.path.absolute().parent.parent}" if source.path else model
    return table


def _mean(source: Source, stat: dict[str, Any]) -> Any:
    try:
        return stat["mean"] if "mean" in stat else stat["sum"] / stat["count"]
    except (KeyError, TypeError, OverflowError):
        raise source.error(f"a statistic has no mean: {str(stat)[:100]}", 1) from None


def _topic(record: dict[str, Any]) -> str:
    topic = str(record["instance_id"])
    perturbation, trial = record.get("perturbation"), record.get("train_trial_index", 0)
    if isinstance(perturbation, dict):
        kinds = [str(perturbation[key]) for key in ("name", "computed_on") if key in perturbation]
        topic += f"[{' '.join(kinds)}]"
    return topic if trial in (0, None) else f"{topic}[trial {trial}]"


def _spec(source: Source) -> tuple[str | None, str]:
    """The model and the scenario: from run_spec.json beside the file, else from the folder's name."""
    if not source.path:
        return None, ""
    spec = sibling(source.path, "run_spec.json")
    adapter = spec.get("adapter_spec") if is_companion(spec) else None
    model = adapter.get("model") if isinstance(adapter, dict) else None
    name = spec.get("name") if is_companion(spec) else source.path.absolute().parent.name
    if not isinstance(name, str) or "model=" not in name:
        return (model, "") if isinstance(model, str) else (None, "")
    head, _, tail = name.partition("model=")
    named, _, rest = tail.partition(",")
    scenario = (head + rest).rstrip(",:")
    return model if isinstance(model, str) else named.replace("_", "/", 1), f"{scenario}/" if scenario else ""
