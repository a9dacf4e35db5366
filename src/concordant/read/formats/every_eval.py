"""Every Eval Ever: one JSON per model and run with its results, and JSONL with one record per instance."""

from __future__ import annotations

from typing import Any

from ..source import Source
from ..tables.contents import Contents
from ..tables.pivot import Grid
from .nested import finite


def is_results(content: Any) -> bool:
    """The results of one model: evaluations are the topics."""
    return isinstance(content, dict) and isinstance(content.get("evaluation_results"), list) and "model_info" in content


def is_schema(content: Any) -> bool:
    """A JSON schema: no scores."""
    return isinstance(content, dict) and "$schema" in content and "properties" in content


def is_instance(record: Any) -> bool:
    """One line of the instances."""
    return isinstance(record, dict) and {"model_id", "sample_id", "evaluation", "evaluation_name"} <= record.keys()


def read_results(source: Source, content: Any) -> Contents:
    """The scores of one model, a topic for each evaluation; a measure for each metric, `score` where it has no name."""
    scores: dict[str, dict[str, float]] = {}
    lower: dict[str, dict[str, bool]] = {}
    for place, result in enumerate(content["evaluation_results"]):
        if not isinstance(result, dict) or not isinstance(result.get("score_details"), dict):
            raise source.error(f"evaluation result {place} has no score_details", 1)
        config = result.get("metric_config")
        metric: dict[str, Any] = config if isinstance(config, dict) else {}
        measure = str(metric.get("metric_name") or metric.get("metric_id") or "score")
        topic = str(result.get("evaluation_name", place))
        found = scores.setdefault(measure, {})
        if topic in found:
            raise source.error(f"evaluation {topic!r} has {measure!r} twice", 1)
        found[topic] = finite(source, result["score_details"].get("score"), f"{topic!r} ({measure})")
        if isinstance(said := metric.get("lower_is_better"), bool):
            lower.setdefault(measure, {})[topic] = said
    if not scores:
        raise source.error("holds no evaluation results", 1)
    table = Contents(source, {name: Grid.of_run(found) for name, found in scores.items()})
    model = content["model_info"]
    name = model.get("id") or model.get("name") if isinstance(model, dict) else None
    if name:
        table.names, table.part_of = (str(name), source.run_name()), str(name)
    table.summary, table.lower, table.format = True, lower, "Every Eval Ever, results"
    return table


def read_instances(source: Source, records: list[tuple[int, Any]]) -> Contents:
    """The scores of one model, a topic for each instance: `evaluation/sample`."""
    scores: dict[str, float] = {}
    models: dict[str, None] = {}
    for line, record in records:
        if not is_instance(record) or not isinstance(record["evaluation"], dict):
            raise source.error("is not an instance of Every Eval Ever: it needs model_id, sample_id, evaluation", line)
        topic = f"{record['evaluation_name']}/{record['sample_id']}"
        if topic in scores:
            raise source.error(f"instance {topic!r} was given already", line)
        scores[topic] = finite(source, record["evaluation"].get("score"), f"{topic!r}", line)
        models[str(record["model_id"])] = None
    if len(models) > 1:
        raise source.error(f"holds several models ({', '.join(models)}): give each a file of its own")
    table = Contents(source, {"score": Grid.of_run(scores)})
    table.names, table.format = (next(iter(models)), source.run_name()), "Every Eval Ever, instances"
    table.part_of = table.names[0]
    return table
