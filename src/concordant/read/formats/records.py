"""Results that tools write as JSON, one record per score, and the formats that need no more than their keys.

These are AlpacaEval's annotations, tau-bench's trials, Every Eval Ever and WMT's metric scores.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..source import Source
from ..tables.cells import Grid, cell_number, pivot, scores_of, warn_of
from ..tables.contents import Contents
from ..tables.vocabulary import names_systems

Lines = list[tuple[int, Any]]


class Gathered:
    """The scores of one system by measure, topic and run, gathered one by one."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.scores: dict[str, dict[tuple[str, Any], float]] = {}

    def add(self, measure: str, topic: str, value: Any, run: Any = 0, line: int = 1) -> None:
        """Add a score; null, NaN and "N/A" say that there is none."""
        found = self.scores.setdefault(measure, {})
        if (topic, run) in found:
            raise self.source.error(f"topic {topic!r} has {measure!r} twice: give each run a file of its own", line)
        score = cell_number(value) if not isinstance(value, str) or value == "N/A" else None
        if score is None:
            raise self.source.error(f"{measure!r} of {topic!r} is {str(value)[:40]!r}, not a finite number", line)
        found[topic, run] = score

    def contents(self, form: str, name: Any = None, part_of: str | None = None, topics: Iterable[str] = ()) -> Contents:
        """All of it; `name` is what the file calls the system, and `topics` has those without scores as well."""
        grids = {
            measure: Grid.of_runs(found, topics)
            for measure, found in self.scores.items()
            if not all(map(math.isnan, found.values()))
        }
        if not grids:
            raise self.source.error("holds no scores of topics: write it with its samples", 1)
        made = Contents(self.source, grids)
        made.format = form
        if isinstance(name, str) and name:
            made.names = (name, self.source.run_name())
        made.part_of = part_of or made.part_of
        return made


def has_keys(content: Any, *keys: str) -> bool:
    """Whether it is an object with these keys, or a list of such."""
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, dict) and first.keys() >= set(keys)


def _checked(source: Source, record: Any, keys: Iterable[str], line: int = 1) -> dict[str, Any]:
    if not isinstance(record, dict) or not record.keys() >= set(keys):
        raise source.error(f"has a record without the keys of the first: {', '.join(sorted(keys))}", line)
    return record


_ANNOTATION = ("instruction", "generator_1", "generator_2", "preference")


def is_annotations(content: Any) -> bool:
    """annotations.json of AlpacaEval: a judge's preference for the second of two systems, one per instruction."""
    return isinstance(content, list) and has_keys(content, *_ANNOTATION)


def read_annotations(source: Source, content: Any) -> Contents:
    """The preferences (1 to 2) by system, `generator_2`; the instructions are the topics.

    An instruction that occurs again is a topic of its own: `instruction [2]`.
    """
    times: Counter[tuple[str, str]] = Counter()
    topics, systems = [], []
    for record in content:
        system, topic = str(_checked(source, record, _ANNOTATION)["generator_2"]), str(record["instruction"])
        times[system, topic] += 1
        systems.append(system)
        topics.append(topic if times[system, topic] == 1 else f"{topic} [{times[system, topic]}]")
    preferences = [record["preference"] for record in content]
    values, _ = scores_of(preferences, lambda k, said: source.error(f"the preference of record {k}: {said}", 1))
    twice = source.error("holds an instruction twice", 1)
    found = Contents(source, {"preference": pivot(source, topics, systems, values, lambda first, again: twice)})
    found.format = "AlpacaEval annotations"
    return found


_TRIAL = ("task_id", "trial")


def is_trials(content: Any) -> bool:
    """Results of tau-bench, a list of trials, or of tau2-bench, which has them as `simulations`."""
    found = _trials(content)
    return has_keys(found, *_TRIAL) and _reward(found[0]) is not None and not any(map(names_systems, found[0]))


def _trials(content: Any) -> Any:
    found = content.get("simulations") if isinstance(content, dict) else content
    return found if isinstance(found, list) else []


def _reward(record: dict[str, Any]) -> Any:
    info = record.get("reward_info")
    return info.get("reward") if isinstance(info, dict) else record.get("reward")


def read_trials(source: Source, content: Any) -> Contents:
    """The rewards of one model, a topic for each task and a run for each trial."""
    found, records = Gathered(source), _trials(content)
    for record in records:
        trial = _checked(source, record, _TRIAL)["trial"]
        if (reward := _reward(record)) is None:
            raise source.error(f"has no reward of task {record['task_id']!r}, trial {trial!r}", 1)
        found.add("reward", str(record["task_id"]), reward, trial)
    if errors := sum(isinstance(record.get("info"), dict) and "error" in record["info"] for record in records):
        warn_of(source, f"{errors} of {len(records)} trials ended with an error, and have the reward that stands there")
    agent = content.get("info", {}).get("agent_info", {}).get("llm") if isinstance(content, dict) else None
    return found.contents("tau-bench trials", agent)


def is_evaluations(content: Any) -> bool:
    """The results of one model, as Every Eval Ever has them: evaluations are the topics."""
    return isinstance(content, dict) and isinstance(content.get("evaluation_results"), list) and "model_info" in content


def read_evaluations(source: Source, content: Any) -> Contents:
    """The scores of one model, a topic for each evaluation; a measure for each metric, `score` where it has no name."""
    found = Gathered(source)
    lower: dict[str, dict[str, bool]] = {}
    for place, result in enumerate(content["evaluation_results"]):
        if not isinstance(result, dict) or not isinstance(result.get("score_details"), dict):
            raise source.error(f"evaluation result {place} has no score_details", 1)
        config = result.get("metric_config")
        metric: dict[str, Any] = config if isinstance(config, dict) else {}
        measure = str(metric.get("metric_name") or metric.get("metric_id") or "score")
        topic = str(result.get("evaluation_name", place))
        found.add(measure, topic, result["score_details"].get("score"))
        if isinstance(said := metric.get("lower_is_better"), bool):
            lower.setdefault(measure, {})[topic] = said
    model = content["model_info"]
    name = model.get("id") or model.get("name") if isinstance(model, dict) else None
    table = found.contents("Every Eval Ever, results", name, name)
    table.summary, table.lower = True, lower
    return table


_INSTANCE = ("model_id", "sample_id", "evaluation", "evaluation_name")


def is_instance(record: Any) -> bool:
    """One line of the instances of Every Eval Ever."""
    return isinstance(record, dict) and has_keys(record, *_INSTANCE)


def read_instances(source: Source, records: Lines) -> Contents:
    """The scores of one model, a topic for each instance: `evaluation/sample`."""
    found = Gathered(source)
    for line, record in records:
        details = _checked(source, record, _INSTANCE, line)["evaluation"]
        score = details.get("score") if isinstance(details, dict) else details
        found.add("score", f"{record['evaluation_name']}/{record['sample_id']}", score, line=line)
    models = list(dict.fromkeys(str(record["model_id"]) for _, record in records))
    if len(models) > 1:
        raise source.error(f"holds several models ({', '.join(models)}): give each a file of its own")
    return found.contents("Every Eval Ever, instances", models[0], models[0])


def is_document(record: Any) -> bool:
    """One line of WMT's metric scores: a document, and for each metric the scores of its segments."""
    return isinstance(record, dict) and "document_id" in record and isinstance(record.get("metric_scores"), dict)


def read_documents(source: Source, records: Lines) -> Contents:
    """The scores of one system: a topic for each segment, `en-cs/document#segment`, from 0; a measure for each metric.

    A document is translated into several languages, so the pair belongs to the name also where a system has only one.
    Segments of a document in one language are a group: a system that fails on one often fails on the next.
    """
    found = Gathered(source)
    documents: dict[str, str] = {}
    for line, record in records:
        if not is_document(record):
            raise source.error("is not a document with metric_scores, as the first line is", line)
        document = "/".join(str(record[key]) for key in ("language_pair", "document_id") if key in record)
        for metric, values in record["metric_scores"].items():
            for segment, value in enumerate(values if isinstance(values, list) else [values]):
                documents[f"{document}#{segment}"] = document
                found.add(str(metric), f"{document}#{segment}", value, line=line)
    table = found.contents("WMT metric scores", topics=documents)
    table.groups = documents
    return table
