"""Leaderboards, annotations, repositories, archives and tables of other libraries: the samples, and what is special."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc
from concordant.errors import DataWarning, InputError, InputTypeError, ReadError
from concordant.judgments.read_runs import read_qrels, read_runs
from concordant.read import SideName, look, parse_side, read_scores, short_names


class TestLeaderboards:
    def test_two_boards_of_alpaca_eval(self, formats: Path) -> None:
        one, two = (
            cc.as_scores(formats / "leaderboards" / f"{name}.csv", measure="win_rate")
            for name in ("weighted_alpaca_eval_gpt4_turbo", "claude_3_opus_ranking")
        )
        common = [system for system in one.systems if system in two.systems]
        assert len(common) == 6
        tau = cc.tau_b(one.select(common).means(), two.select(common).means())
        assert tau == pytest.approx(0.8667, abs=5e-5)

    def test_two_columns_of_one(self, formats: Path) -> None:
        path = formats / "leaderboards" / "weighted_alpaca_eval_gpt4_turbo.csv"
        plain, controlled = (read_scores(path, m).means() for m in ("win_rate", "length_controlled_winrate"))
        assert cc.tau_b(plain, controlled) == pytest.approx(0.843, abs=5e-4)
        assert cc.tau_ap(plain, controlled) == pytest.approx(0.788, abs=5e-4)
        with pytest.raises(ReadError, match="10 measures; choose one with measure=: win_rate, standard_error, n_wins"):
            read_scores(path)

    def test_frames(self, formats: Path) -> None:
        frame = pd.read_csv(formats / "leaderboards" / "claude_3_opus_ranking.csv", index_col=0)
        found = cc.as_scores(frame, measure="win_rate")
        assert isinstance(found, cc.Means)
        assert found.ranking()[0] == ("gpt4_1106_preview",)
        assert found.errors is not None
        found = cc.Means(found.values, found.systems)
        with pytest.raises(InputError, match="one score per system, and rank intervals need topics or standard errors"):
            cc.rank_intervals(found)


def test_annotations_of_alpaca_eval(formats: Path) -> None:
    found = read_scores(formats / "alpaca_eval")
    assert (len(found.topics), len(found.systems), found.measure) == (12, 3, "preference")
    assert found.topics[1] == "How did US states get their names?"
    assert found.values[1, found.systems.index("FuseChat-Gemma-2-9B-Instruct")] == 1.1438742347
    record = {"instruction": "Hi", "generator_1": "a", "generator_2": "b", "preference": 1.5}
    assert read_scores(io.StringIO(json.dumps([record, record]))).topics == ("Hi", "Hi [2]")
    with pytest.raises(ReadError, match="the preference of record 0: 'x'"):
        read_scores(io.StringIO(json.dumps([{**record, "preference": "x"}])))


class TestMteb:
    def test_the_repository(self, formats: Path) -> None:
        model = formats / "mteb_repo" / "Alibaba-NLP__gte-Qwen2-7B-instruct"
        with pytest.warns(DataWarning, match="^Skipped 1 file without scores: model_meta.json$"):
            found = read_scores(model)
        assert found.systems == ("Alibaba-NLP/gte-Qwen2-7B-instruct",)
        assert {"ArguAna", "CUREv1[all]/en", "AFQMC[validation]"} <= set(found.topics)
        assert found.values[found.topics.index("CUREv1[all]/en"), 0] == 0.54457
        with pytest.warns(DataWarning), pytest.raises(InputError, match=r"gte-Qwen1.5-7B-instruct lacks topics"):
            read_scores(formats / "mteb_repo").complete()

    def test_subsets_of_a_task_are_topics_and_a_note_says_so(self, formats: Path) -> None:
        with pytest.warns(DataWarning) as caught:
            read_scores(formats / "mteb_repo", missing="available")
        assert any("each subset counts as a topic, 3 of them for CUREv1[all]." in str(w.message) for w in caught)
        model = formats / "mteb_repo" / "Alibaba-NLP__gte-Qwen2-7B-instruct"
        with pytest.warns(DataWarning, match="^Skipped"):
            plain = read_scores(model)
        with pytest.warns(DataWarning) as caught:
            by_task = read_scores(formats / "mteb_repo", types="task", total="type-mean", systems=plain.systems)
        assert not any("subset" in str(w.message) for w in caught)
        tasks: dict[str, list[float]] = {}
        for topic, value in zip(plain.topics, plain.values[:, 0].tolist(), strict=True):
            tasks.setdefault(topic.partition("/")[0], []).append(value)
        assert by_task.means().item() == pytest.approx(np.mean([np.mean(found) for found in tasks.values()]))

    def test_files_of_old_versions(self, formats: Path) -> None:
        found = read_scores(formats / "mteb_repo" / "Alibaba-NLP__gte-Qwen1.5-7B-instruct")
        assert dict(zip(found.topics, found.values[:, 0].tolist(), strict=True)) == {
            "ArguAna": 0.62645,
            "STS12": 0.7652287451692155,
        }
        with pytest.warns(DataWarning, match=r"1 file without 'ndcg_at_10' left out: .*STS12"):
            found = read_scores(formats / "mteb_repo" / "Alibaba-NLP__gte-Qwen1.5-7B-instruct", "ndcg_at_10")
        assert found.topics == ("ArguAna",)

    def test_nan_in_a_measure_that_is_not_read(self, tmp_path: Path) -> None:
        for model in ("a", "b"):
            (tmp_path / f"org__{model}" / "r").mkdir(parents=True)
            part = {"hf_subset": "en", "main_score": 0.5, "other": float("nan")}
            content = {"task_name": "T", "mteb_version": "1.0", "scores": {"test": [part]}}
            (tmp_path / f"org__{model}" / "r" / "T.json").write_text(json.dumps(content))
        assert read_scores(tmp_path).values.tolist() == [[0.5, 0.5]]
        with pytest.raises(InputError, match="no scores at all for org/a, org/b on T/en"):
            read_scores(tmp_path, "other").complete()


def test_wrapped_json(formats: Path) -> None:
    found = read_scores(formats / "nested" / "wrapped.json", "AP")
    assert found.systems == ("runid2", "runid3", "runid4", "runid5")
    assert found.values[0].tolist() == [0.4, 0.5, 0.6, 0.7]
    nested = json.loads((formats / "nested" / "wrapped.json").read_text())
    assert cc.as_scores(nested, measure="AP") == found
    assert read_scores(formats / "nested" / "runid_matrix.csv").systems == found.systems


def test_every_eval_ever(formats: Path) -> None:
    folder = formats / "every_eval_ever"
    found = read_scores(folder / "98ea850e-7019-4728-a558-8b1819ec47c2.json")
    assert (found.systems, found.topics[:2]) == (("TencentARC/LLaMA-Pro-8B-Instruct",), ("IFEval", "BBH"))
    assert found.values[:2, 0].tolist() == [0.4486, 0.4224]
    (samples,) = folder.glob("*_samples.jsonl")
    assert read_scores(samples).topics == ("demo-source.demo_bench/demo_0001",)
    summary = "summarises 'TencentARC/LLaMA-Pro-8B-Instruct', whose samples are missing"
    with pytest.warns(DataWarning, match="eval.schema.json"), pytest.raises(ReadError, match=summary):
        read_scores(folder)


def test_wmt(tmp_path: Path) -> None:
    for system, shift in (("A", 0), ("B", 1)):
        lines = [
            {"language_pair": "en-cs", "document_id": f"d{k}", "metric_scores": {"chrf": [k + shift, 0.5], "b": [1, 2]}}
            for k in range(2)
        ]
        (tmp_path / f"{system}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_scores(tmp_path, "chrf")
    assert (found.topics, found.systems) == (("en-cs/d0#0", "en-cs/d0#1", "en-cs/d1#0", "en-cs/d1#1"), ("A", "B"))
    assert found.values.tolist() == [[0, 1], [0.5, 0.5], [1, 2], [0.5, 0.5]]
    assert found.groups == ("en-cs/d0", "en-cs/d0", "en-cs/d1", "en-cs/d1")


class TestArrow:
    EXPECTED = cc.Scores([[0.1, 0.3], [0.2, 0.4]], ["1", "2"], ["bm25", "ql"])

    def test_files(self, tmp_path: Path) -> None:
        pytest.importorskip("pyarrow")
        polars: Any = pytest.importorskip("polars")
        frame = self.EXPECTED.to_frame().reset_index()
        frame.to_parquet(tmp_path / "a.parquet")
        frame.set_index("topic").to_parquet(tmp_path / "b.parquet")
        for name in ("a.parquet", "b.parquet"):
            assert read_scores(tmp_path / name) == self.EXPECTED
        polars.DataFrame(frame).write_ipc(tmp_path / "c.feather")
        polars.DataFrame(frame).write_ipc_stream(tmp_path / "d.arrow")
        for name in ("c.feather", "d.arrow"):
            with pytest.raises(ReadError, match=f"{name}: is an Arrow .*: save it as Parquet"):
                read_scores(tmp_path / name)
        (tmp_path / "e.parquet").write_bytes(b"PAR1 and nothing more")
        with pytest.raises(ReadError, match=r"e\.parquet: cannot be read as Parquet by pyarrow"):
            read_scores(tmp_path / "e.parquet")

    def test_anything_with_the_stream_interface(self) -> None:
        pyarrow: Any = pytest.importorskip("pyarrow")
        table = pyarrow.table({"topic": [1, 2], "bm25": [0.1, 0.2], "ql": [0.3, 0.4]})

        class Stream:
            def __arrow_c_stream__(self, requested_schema: object = None) -> object:
                return table.__arrow_c_stream__(requested_schema)

        for given in (table, Stream()):
            assert cc.as_scores(given) == self.EXPECTED


def test_an_archive_of_inspect_names_the_way_out(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        archive.writestr("header.json", "{}")
    for given in (tmp_path / "x.eval", tmp_path):  # nor is it passed over in a folder
        with pytest.raises(ReadError, match="is an Inspect archive: convert it with `inspect log convert"):
            read_scores(given)


@pytest.mark.parametrize("ending", [".ndcgeval", ".treceval", ".eval", ".trec_eval", ".txt"])
def test_endings_that_all_files_have(tmp_path: Path, ending: str) -> None:
    for name in ("smith.bm25", "smith.ql"):
        (tmp_path / (name + ending)).write_text("map\t301\t0.5\nmap\t302\t0.25\n")
    assert read_scores(tmp_path).systems == ("smith.bm25", "smith.ql")


class TestLabels:
    def test_sets_have_no_order(self) -> None:
        with pytest.raises(InputTypeError, match=r"systems is .*: give a list of labels, in their order"):
            cc.Scores([[1, 2]], ["1"], {"a", "b"})

    def test_labels_that_a_frame_brings(self) -> None:
        frame = pd.DataFrame({"a": [0.5], "b": [0.6]}, index=["301"])
        assert cc.as_scores(frame).values.tolist() == [[0.5, 0.6]]
        with pytest.raises(InputTypeError, match="values are a frame: use as_scores, which keeps its labels"):
            cc.Scores(frame, ["301"], ["b", "a"])

    def test_keys_that_are_written_alike(self) -> None:
        with pytest.raises(InputError, match="two keys that are both written '1'"):
            cc.as_scores({"a": {1: 0.5, "1": 0.6}, "b": {1: 0.5, "1": 0.6}})

    def test_numbers_that_lost_their_last_digits(self) -> None:
        frame = pd.DataFrame({"topic": [2.0**60, 1.0], "bm25": [0.5, 0.6]})
        with pytest.raises(InputError, match="which cannot be the label of a topic"):
            cc.as_scores(frame)
        exact = pd.DataFrame({"topic": [2**60 + 1, 1], "bm25": [0.5, 0.6]})
        assert cc.as_scores(exact).topics == (str(2**60 + 1), "1")

    def test_topics_that_begin_with_a_hash(self) -> None:
        for read, line in ((read_qrels, "#1 0 d1 1\n1 0 d2 1\n"), (read_runs, "#1 Q0 d1 1 2.5 x\n1 Q0 d1 1 2.5 x\n")):
            with pytest.raises(ReadError, match="starts with # like a comment"):
                read({"x": io.StringIO(line)})

    def test_a_repeated_index_is_no_topics(self) -> None:
        part = pd.DataFrame({"system": ["a", "b"], "score": [0.5, 0.6]})
        with pytest.raises(InputError, match="system 'a' already has a row"):
            cc.as_scores(pd.concat([part, part]))


class TestLook:
    def test_a_matrix(self) -> None:
        found = look(io.StringIO("topic,bm25,ql,x\n301,0.25,0.5,0.5\n302,0.75,,0.5\n303,0.5,1,1\n"))
        assert (found.formats, found.reading) == (("matrix",), "rows are topics, columns are systems")
        assert (found.systems, found.topics) == (("bm25", "ql", "x"), ("301", "302", "303"))
        assert found.missing == 1
        assert found.next_command.endswith("--missing drop")
        assert found.to_dict()["missing"] == 1
        one_shared = look(io.StringIO("topic,bm25,ql,x\n301,0.25,0.5,0.5\n302,0.75,,0.5\n"))
        assert one_shared.next_command.startswith("concordant board ")  # plan needs two topics that all systems have

    def test_a_leaderboard(self, formats: Path) -> None:
        found = look(formats / "leaderboards" / "alpaca_eval_gpt4.csv")
        assert str(found).startswith(
            f"{formats}/leaderboards/alpaca_eval_gpt4.csv: leaderboard; 102 systems, one score"
        )
        assert found.measures[0] == found.measure == "win_rate"
        assert found.next_command.endswith("alpaca_eval_gpt4.csv:win_rate OTHER")

    def test_what_cannot_be_read(self) -> None:
        found = look(io.StringIO("x,one,two\nfoo,.5,.6\nbar,.1,.2\n"))
        assert "can be read in two ways" in (found.problem or "")
        assert look("nowhere.csv").verdict.startswith("nowhere.csv cannot be read: ")


class TestSides:
    def test_parts(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        for name in ("a.csv", "b:c.csv", "d=e.csv"):
            Path(name).write_text("")
        Path("runs").mkdir()
        assert parse_side("a.csv")[:3] == (None, "a.csv", None)
        assert parse_side("a.csv:map")[:3] == (None, "a.csv", "map")
        assert parse_side("x=a.csv:nDCG@10")[:3] == ("x", "a.csv", "nDCG@10")
        assert parse_side("b:c.csv:map")[:3] == (None, "b:c.csv", "map")
        assert parse_side("d=e.csv")[:3] == (None, "d=e.csv", None)
        assert parse_side("human=runs/:ndcg_cut_10")[:3] == ("human", "runs/", "ndcg_cut_10")
        assert parse_side("x=*.csv:map")[:3] == ("x", "*.csv", "map")
        assert parse_side("x=a.csv:em:strict")[:3] == ("x", "a.csv", "em:strict")
        assert parse_side("x=nowhere.csv")[:3] == ("x", "nowhere.csv", None)
        with pytest.raises(InputError, match="ends with a colon"):
            parse_side("a.csv:")

    def test_a_last_part_lower_or_higher_is_the_direction(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name in ("a.csv", "b.csv:lower"):
            Path(name).write_text("")
        assert parse_side("a.csv:wer:lower") == SideName(None, "a.csv", "wer", True)
        assert parse_side("x=a.csv:wer:higher") == SideName("x", "a.csv", "wer", False)
        assert parse_side("a.csv:lower") == SideName(None, "a.csv", None, True)
        assert parse_side("a.csv:lower:higher") == SideName(None, "a.csv", "lower", False)  # a measure called lower
        assert parse_side("a.csv:wer:lowest") == SideName(None, "a.csv", "wer:lowest", None)
        assert parse_side("b.csv:lower") == SideName(None, "b.csv:lower", None, None)  # a file of this name

    @pytest.mark.parametrize(
        ("paths", "names"),
        [
            (["a/human.csv", "b/llm.csv"], ["human", "llm"]),
            (["a/x.csv", "b/x.csv", "b/y.csv"], ["a/x", "b/x", "b/y"]),
            (["a/human.csv", "a/llm.csv"], ["human", "llm"]),
            (["human/runs", "llm/runs"], ["human", "llm"]),
            (["ndcg__human.csv.gz", "ndcg__llm_x.csv"], ["human", "llm_x"]),
            (["x/only.csv"], ["only"]),
            (["a.csv", "a.csv"], ["a", "a"]),
            (["x.csv", "x.txt"], ["x.csv", "x.txt"]),
            (["x.csv", "x.csv.gz"], ["x.csv", "x.csv.gz"]),
            (["k_0.5.csv", "k_0.7.csv"], ["0.5", "0.7"]),
            (["dl/a.json", "dl/b.parquet"], ["a", "b"]),
            (["a", "a/b.csv"], ["a", "b"]),
            (["human/*.eval", "llm/*.eval"], ["human", "llm"]),
            (["1/a_x.csv", "1/b_x.csv", "1/a_x.tsv"], ["a_x.csv", "b_x.csv", "a_x.tsv"]),
        ],
    )
    def test_short_names(self, paths: list[str], names: list[str]) -> None:
        assert short_names(paths) == names
