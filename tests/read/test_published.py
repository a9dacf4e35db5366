"""Folders as they are published: one name for a task in every file, files of other kinds, and Borda ranks of MTEB."""

from __future__ import annotations

import gzip
import json
import math
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.errors import DataWarning, InputError, OtherKindError, ReadError
from concordant.read import look, read_scores

NAN = float("nan")
SMALL = ["BAAI/bge-small-en-v1.5", "intfloat/e5-small-v2", "thenlper/gte-small"]
ENGLISH = ["STS17/en-en", "STS22/en", "AmazonCounterfactualClassification/en", "STSBenchmark"]


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def task(name: str, subsets: dict[str, Any], split: str = "test", version: str = "1.30.0") -> dict[str, Any]:
    """A result of MTEB as of today."""
    parts = [{"hf_subset": subset, "main_score": score} for subset, score in subsets.items()]
    return {"task_name": name, "mteb_version": version, "scores": {split: parts}}


SUBSETS = pytest.mark.filterwarnings("ignore:.*each subset counts as a topic")


class TestOneName:
    def test_a_model_with_one_subset_of_a_task_has_that_subset(self, formats: Path) -> None:
        tree = formats / "as_published" / "mteb_tree"
        with pytest.warns(DataWarning, match="^Skipped 1 file without scores: run_settings.jsonl$"):
            found = cc.rank_intervals(
                read_scores(tree, missing="available", systems=SMALL, topics=ENGLISH, total="borda"),
                n_resamples=99, rng=1,
            )  # fmt: skip
        assert found.systems[0] == "thenlper/gte-small"
        assert found.means.tolist() == [6, 4, 2]

    @SUBSETS
    def test_the_sample_holds_what_its_files_say(self, formats: Path) -> None:
        tree = formats / "as_published" / "mteb_tree"
        with pytest.warns(DataWarning, match="run_settings"):
            found = read_scores(tree, missing="available")
        cells = 0
        for path in tree.rglob("*.json"):
            content = json.loads(path.read_text())
            model = path.parts[-3].replace("__", "/", 1)
            split = "test" if "test" in content["scores"] else "validation"
            for part in content["scores"][split]:
                topic = content["task_name"] + ("[validation]" if split == "validation" else "")
                topic += "" if part["hf_subset"] == "default" else f"/{part['hf_subset']}"
                cell = found.values[found.topics.index(topic), found.systems.index(model)]
                assert cell == part["main_score"] or math.isnan(part["main_score"])
                cells += 1
        assert cells == (~np.isnan(found.values)).sum()

    @SUBSETS
    def test_the_name_does_not_depend_on_what_else_is_read(self, tmp_path: Path) -> None:
        write(tmp_path / "org__a/1/STS17.json", task("STS17", {"en-en": 0.5}))
        write(tmp_path / "org__b/1/STS17.json", task("STS17", {"en-en": 0.4, "ar-ar": 0.3}))
        write(tmp_path / "org__b/1/STSB.json", task("STSB", {"default": 0.3}))
        assert read_scores(tmp_path / "org__a").topics == ("STS17/en-en",)
        assert read_scores(tmp_path / "org__b").topics == ("STS17/en-en", "STS17/ar-ar", "STSB")
        with pytest.raises(InputError, match="org/a lacks topics STS17/ar-ar, STSB "):
            read_scores(tmp_path).complete()

    def test_a_task_that_was_asked_for_by_its_name_alone(self, tmp_path: Path) -> None:
        write(tmp_path / "a/1/T.json", task("T", dict.fromkeys("abcd", 0.5)))
        write(tmp_path / "a/1/U.json", task("U", {"default": 0.5}, "dev"))
        with pytest.raises(ReadError, match=r"has no topic 'T'; did you mean 'T/a', 'T/b', 'T/c', and 1 more\?"):
            read_scores(tmp_path, topics=["T"])
        with pytest.raises(ReadError, match=r"has no topic 'U'; did you mean 'U\[dev\]'\?"):
            read_scores(tmp_path, topics=["U"])

    def test_files_with_both_names_are_read_by_their_scores(self, tmp_path: Path) -> None:
        content = task("SciFact-VN", {"default": 0.5}) | {"mteb_dataset_name": "SciFact-VN"}
        assert read_scores(write(tmp_path / "a/1/x.json", content)).topics == ("SciFact-VN",)
        del content["task_name"]
        assert read_scores(write(tmp_path / "a/1/x.json", content)).values.item() == 0.5

    def test_a_split_without_scores_gives_way_to_one_with(self, tmp_path: Path) -> None:
        content = task("AFQMC", {"default": math.nan})
        content["scores"]["validation"] = [{"hf_subset": "default", "main_score": 0.4}]
        found = read_scores(write(tmp_path / "a/1/AFQMC.json", content))
        assert (found.topics, found.values.tolist()) == (("AFQMC[validation]",), [[0.4]])
        content["scores"]["test"][0]["main_score"] = 0.3
        assert read_scores(write(tmp_path / "a/1/AFQMC.json", content)).topics == ("AFQMC",)

    def test_msmarco_is_scored_on_dev(self, tmp_path: Path) -> None:
        content = task("MSMARCO", {"default": 0.7})
        content["scores"]["dev"] = [{"hf_subset": "default", "main_score": 0.4}]
        assert read_scores(write(tmp_path / "a/1/MSMARCO.json", content)).topics == ("MSMARCO[dev]",)

    def test_an_experiment_is_a_system_of_its_own(self, tmp_path: Path) -> None:
        write(tmp_path / "org__a/1/T.json", task("T", {"default": 0.5}))
        write(tmp_path / "org__a/1/experiments/dim_64/T.json", task("T", {"default": 0.4}))
        found = read_scores(tmp_path)
        assert dict(zip(found.systems, found.values[0], strict=True)) == {"org/a": 0.5, "org/a/dim_64": 0.4}

    def test_segments_of_a_system_with_one_pair_of_languages(self, tmp_path: Path) -> None:
        def record(pair: str, score: float) -> str:
            return json.dumps({"language_pair": pair, "document_id": "ch1", "metric_scores": {"chrF": [score]}}) + "\n"

        write(tmp_path / "AMI.jsonl", record("en-is", 0.5))
        write(tmp_path / "big.jsonl", record("en-is", 0.4) + record("en-cs", 0.3))
        found = read_scores(tmp_path, missing="available")
        assert found.topics == ("en-is/ch1#0", "en-cs/ch1#0")
        np.testing.assert_array_equal(found.values, [[0.5, 0.4], [NAN, 0.3]])


def published(folder: Path, n_models: int = 20, seed: int = 1) -> None:
    """A results repository in miniature: files of three versions, holes, and results of older revisions."""
    rand = random.Random(seed)
    for k in range(n_models):
        model = folder / f"org{k % 3}__model{k}"
        for name, subsets in (
            ("STS17", ["en-en", "ar-ar", "es-es"]),
            ("Massive", ["en", "de"]),
            ("Amazon", ["en", "ja"]),
        ):
            chosen = subsets if rand.random() < 0.7 else subsets[:1]
            scores = {subset: round(rand.random(), 2) for subset in chosen}
            if k % 4 == 0 and name != "Massive":  # an old file
                content: Any = {
                    "mteb_dataset_name": name,
                    "test": {s: {"cos_sim": {"spearman": x}} for s, x in scores.items()},
                }
            else:
                content = task(name, scores) | ({"mteb_dataset_name": name} if k % 4 == 1 else {})
            write(model / "r1" / f"{name}.json", content)
        for name in ("SciFact", "ArguAna", "STSB"):
            if rand.random() < 0.8:
                write(model / "external" / f"{name}.json", task(name, {"default": round(rand.random(), 2)}, version=""))
        if k % 5 == 0:
            write(model / "r1" / "SciFact.json", task("SciFact", {"default": round(rand.random(), 2)}))
        write(
            model / "r1" / "model_meta.json",
            {"name": model.name.replace("__", "/", 1), "revision": "r1", "n_parameters": 1},
        )
    write(folder / "README.md", "# Results\n\nOne folder for each model, 20 in all.\n")


def main_scores(folder: Path) -> dict[tuple[str, str], dict[str, float]]:
    """{(task, subset): {model: main score}}, straight from the files; results with a revision before those without."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for path in sorted(folder.glob("*/external/*.json")) + sorted(folder.glob("*/r1/*.json")):
        if path.name == "model_meta.json":
            continue
        content = json.loads(path.read_text())
        model = path.parts[-3].replace("__", "/", 1)
        if "scores" in content:
            for part in content["scores"]["test"]:
                found[path.stem, part["hf_subset"]][model] = part["main_score"]
        else:
            for subset, measures in content["test"].items():
                found[path.stem, subset][model] = measures["cos_sim"]["spearman"]
    return found


def borda(columns: Sequence[dict[str, float]], models: Sequence[str]) -> dict[str, float]:
    """MTEB's points, literally: on each task one for each model that is worse or lacks it, a half for ties."""
    points = dict.fromkeys(models, 0.0)
    for column in columns:
        for model, score in column.items():
            for other in models:
                if other != model:
                    points[model] += (
                        1.0 if other not in column else (score > column[other]) + 0.5 * (score == column[other])
                    )
    return points


@SUBSETS
@pytest.mark.parametrize("seed", range(5))
def test_borda_ranks_are_those_of_the_files(tmp_path: Path, seed: int) -> None:
    published(tmp_path, seed=seed)
    scores = main_scores(tmp_path)
    models = sorted({model for column in scores.values() for model in column})
    assert len(models) == 20
    by_task: dict[str, dict[str, float]] = {}
    for name in {name for name, _ in scores}:  # the mean over all subsets of a task, for models that have all
        subsets = [column for (other, _), column in scores.items() if other == name]
        whole = [model for model in models if all(model in column for column in subsets)]
        by_task[name] = {model: sum(column[model] for column in subsets) / len(subsets) for model in whole}
    for types, columns in ((None, list(scores.values())), ("task", list(by_task.values()))):
        with (
            pytest.warns(DataWarning, match=r"^Skipped 21 files without scores: model_meta.json \(20\), README.md$"),
            pytest.warns(DataWarning, match=r"results? of older revisions left out"),
        ):
            given = read_scores(tmp_path, missing="available", total="borda", types=types)
        found = cc.rank_intervals(given, n_resamples=99, rng=1)
        points = borda(columns, models)
        assert {row["system"]: row["total"] for row in found.rows()} == pytest.approx(points, abs=1e-9)
        ranks = {model: 1 + sum(other > points[model] + 1e-9 for other in points.values()) for model in models}
        assert {row["system"]: row["observed"] for row in found.rows()} == ranks


def open_scores(values: Any, topics: list[str], **about: Any) -> cc.Scores:
    return cc.Scores(values, topics, [*"123"], missing="available", **about)


class TestTypesOfRules:
    def test_a_type_is_lacked_that_is_not_complete(self) -> None:
        values, topics = [[1.0, 3.0, 2.0], [3.0, 2.0, NAN], [5.0, 4.0, 6.0]], ["a/x", "a/y", "b"]
        for types in ("task", {"a/x": "a", "a/y": "a", "b": "b"}):
            found, _ = open_scores(values, topics, total="borda", types=types).settled(open_to_holes=True)
            assert found.topics == ("a", "b")
            assert found.points().values.tolist() == [[1, 2, 0], [1, 0, 2]]
            assert found.totals().tolist() == [2, 2, 2]

    def test_what_nobody_has_completely_is_left_out_and_said(self) -> None:
        about: Any = {"topics": ["a/x", "a/y", "b"], "total": "borda", "types": "task"}
        given = open_scores([[1.0, NAN, 1.0], [NAN, 1.0, 1.0], [2.0, 3.0, NAN]], **about)
        found, notes = given.select(["1", "2"]).settled(open_to_holes=True)
        assert found.topics == ("b",)
        assert notes[0] == "1 type left out, because no system has all its topics: a"
        alone = open_scores([[1.0, NAN, 1.0], [1.0, 1.0, 1.0], [2.0, NAN, 1.0]], **about)
        found, notes = alone.settled(open_to_holes=True)
        assert found.systems == ("1", "3")
        assert notes[0] == "1 system left out, because it lacks topics of every type: 2"
        with pytest.raises(InputError, match="no system has all topics of a type"):
            given.select(["1", "2"], ["a/x", "a/y"]).settled(open_to_holes=True)

    def test_groups_hold_whole_types(self) -> None:
        about: Any = {"topics": ["a/x", "a/y", "b"], "total": "borda", "types": "task"}
        given = open_scores([[1.0, 2.0, 1.0], [2.0, 1.0, 1.0], [2.0, 3.0, 1.0]], **about)
        assert given.described(groups=["g", "g", "h"]).settled()[0].groups == ("g", "h")
        with pytest.raises(InputError, match="groups puts topics of one type into several groups: a"):
            given.described(groups=["g", "h", "h"]).settled()

    def test_selected_are_tasks(self) -> None:
        values = np.random.default_rng(1).random((24, 8))
        about: Any = {"systems": [*"abcdefgh"], "total": "mean-rank"}
        given = cc.Scores(values, [f"t{k % 12}/{k}" for k in range(24)], types="task", **about)
        means = cc.Scores((values[:12] + values[12:]) / 2, [f"t{k}" for k in range(12)], **about)
        how: dict[str, Any] = {"k": 6, "n_splits": 5, "rng": 1}
        assert cc.select_topics(given, **how).topics == cc.select_topics(means, **how).topics

    def test_borda_needs_no_common_topic(self) -> None:
        apart = open_scores([[1.0, 2.0, NAN], [NAN, NAN, 1.0]], ["a", "b"], total="borda")
        assert apart.settled(open_to_holes=True)[0].totals().tolist() == [1, 2, 2]
        with pytest.raises(InputError, match="3 shares no topic with 1"):
            apart.described(total="mean-rank").settled(open_to_holes=True)


SCORES = "topic,a,b\n1,.5,.4\n2,.3,.6\n"
OTHERS = {
    "README.md": "# Scores\n\nThere are 2 topics, and 2 systems.\n",
    "LICENSE": "Copyright (c) 2024 Somebody\n\nPermission is hereby granted, free of charge, to any person\n",
    "links.md": "[![badge](https://example.org)](x)\n\nText, and more of it.\n",
    "run.py": "import os\n\n\ndef main(x, y):\n    return x + 1\n",
    "out.log": "INFO 12:30 started, 3 files\nINFO 12:31 done\n",
    "run_settings.jsonl": '{"task": "T", "split": "test", "version": {"mteb": "2"}}\n' * 2,
    "scenario.json": '{"name": "mmlu", "description": "questions", "tags": ["knowledge"]}',
    "config.json": '{"layers": [1, 2], "name": "x"}',
    "model_outputs.json": '[{"instruction": "Hi", "output": "Hello", "generator": "m"}]',
    "models.csv": "model,licence,link\na,MIT,https://a\nb,Apache,https://b\n",
    "run.txt": "1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 1.5 tag\n",
    "qrels.txt": "1 0 d1 1\n1 0 d2 0\n",
    "picture.png": "\x89PNG\0\0\0",
    "settings.yaml": "seed: 7\nmodel: x\n",
}


class TestOtherKinds:
    @pytest.mark.parametrize("name", OTHERS)
    def test_each_is_skipped_in_a_folder_and_refused_by_name(self, tmp_path: Path, name: str) -> None:
        expected = read_scores(write(tmp_path / "scores.csv", SCORES))
        other = write(tmp_path / name, OTHERS[name])
        for what in (tmp_path, str(tmp_path / "*")):
            with pytest.warns(DataWarning, match=f"^Skipped 1 file without scores: {name}$"):
                assert read_scores(what) == expected
        with pytest.raises(ReadError, match=name):
            read_scores(other)
        with pytest.raises(ReadError, match=name):
            read_scores([tmp_path / "scores.csv", other])

    def test_all_are_in_one_note_and_counted(self, tmp_path: Path) -> None:
        write(tmp_path / "scores.csv", SCORES)
        for name, content in OTHERS.items():
            write(tmp_path / "x" / name, content)
            write(tmp_path / "y" / name, content)
        with pytest.warns(DataWarning, match=r"^Skipped 28 files without scores: .*README.md \(2\)") as said:
            read_scores(tmp_path)
        assert len(said) == 1

    def test_a_folder_of_nothing_else_is_refused_for_its_first_file(self, tmp_path: Path) -> None:
        for name, content in OTHERS.items():
            write(tmp_path / name, content)
        with pytest.raises(OtherKindError, match="LICENSE"):
            read_scores(tmp_path)
        assert "LICENSE" in (look(tmp_path).problem or "")

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("cut.json", '{"task_name": "T", "scores": {"test": [{"main_', "is not JSON"),
            ("cut.json", "{", "is not JSON"),
            ("bad.json", json.dumps({"task_name": "T", "scores": {"test": []}}), "is not a list of subsets"),
            ("bad.eval", "map\t1\t0.5\nmap\t2\toops\n", "oops"),
            ("bad.csv", "topic,c,d\n1,.5,.4\n2,.3\n", "has 2 fields, but the header has 3"),
            ("bad.csv", "system,topic,score\nc,1,.5\nc,2,oops\n", "oops"),
            ("words.csv", "system,score\nc,oops\nd,no\n", "holds no measure with a number"),
            ("words.csv", "run,topic,map\nc,1,oops\n", "holds no measure with a number"),
            ("numbers.txt", "0.1,0.2\n0.3,0.4\n", "holds numbers without a header"),
            ("ways.csv", "x,one,two\nfoo,.5,.6\nbar,.1,.2\n", "can be read in two ways"),
            ("lines.jsonl", '{"query_id": "1", "measure": "AP", "value": 0.5}\n{"query_id": "2"}\n', "is not a record"),
        ],
    )
    def test_damaged_scores_are_never_skipped(self, tmp_path: Path, name: str, content: str, message: str) -> None:
        write(tmp_path / "scores.csv", SCORES)
        write(tmp_path / name, content)
        with pytest.raises(ReadError, match=message):
            read_scores(tmp_path)
        assert message in (look(tmp_path).problem or "")

    def test_other_damage(self, tmp_path: Path) -> None:
        write(tmp_path / "scores.csv", SCORES)
        (tmp_path / "more.csv.gz").write_bytes(gzip.compress(SCORES.encode())[:-9])
        with pytest.raises(ReadError, match="damaged gzip"):
            read_scores(tmp_path)
        (tmp_path / "more.csv.gz").unlink()
        (tmp_path / "latin.csv").write_bytes("topic,Gr\u00fcn\n1,.5\n".encode("latin-1"))
        with pytest.raises(ReadError, match="is not UTF-8"):
            read_scores(tmp_path)


def test_empty_files_matter_where_their_systems_are_asked_for(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / f"{name}.eval", "map\t1\t0.5\nmap\t2\t0.25\n")
    write(tmp_path / "c.eval", "")
    with pytest.raises(InputError, match=r"there are no scores at all for c: .*missing='drop-systems'"):
        read_scores(tmp_path).complete()
    with pytest.warns(DataWarning, match=r"^Skipped 1 empty file of systems that were not asked for: .*c\.eval$"):
        assert read_scores(tmp_path, systems=["b", "a"]).systems == ("b", "a")
    with pytest.raises(InputError, match="there are no scores at all for c"):
        read_scores(tmp_path, systems=["a", "c"]).complete()
    with pytest.warns(DataWarning, match="1 system dropped of 2, because they lack topics: c"):
        assert read_scores(tmp_path, systems=["a", "c"], missing="drop-systems").complete().systems == ("a",)


def test_topics_that_no_chosen_system_has_do_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path / "s.csv", "topic,a,b,c\n1,.5,.4,.3\n2,,,.2\n3,.1,,.2\n")
    found = read_scores(path, missing="available", systems=["a", "b"])
    assert found.topics == ("1", "3")
