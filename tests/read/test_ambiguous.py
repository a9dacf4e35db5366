"""Tables that can be read in two ways are refused or warned of, never read silently in one of them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from concordant.data.scores import Means, Scores
from concordant.errors import DataWarning, InputError, ReadError
from concordant.read import read_scores
from concordant.read.reader import as_scores
from concordant.read.tables.vocabulary import is_summary, looks_like_measure


def read(content: str, measure: str | None = None, **options: Any) -> Any:
    return read_scores({"file": io.StringIO(content)}, measure, **options).complete()


class TestRowsOfWords:
    """Systems as rows would count as topics."""

    @pytest.mark.parametrize("name", ["checkpoint", "config", "System/Run", "", "id"])
    def test_matrices(self, name: str) -> None:
        message = rf"can be read in two ways: .*Pass topic_column='{name}' or system_column='{name}'"
        with pytest.raises(ReadError, match=message):
            read(f"{name},one,two\nfoo,.5,.6\nbar,.1,.2\n")
        with pytest.raises(ReadError, match=message):
            read(f"{name},one,two\nfoo,.5,.6\nbar,.1,.2\nmean,.3,.4\n")
        assert read(f"{name},one,two\nfoo,.5,.6\nbar,.1,.2\n", topic_column=name).systems == ("one", "two")
        with pytest.warns(DataWarning, match=r"each column \(one, two\) was read as a topic"):
            assert read(f"{name},one,two\nfoo,.5,.6\nbar,.1,.2\n", system_column=name).systems == ("foo", "bar")
        assert read(f"{name},arc,mmlu\ngpt,.5,.6\nllama,.1,.2\n").systems == ("gpt", "llama")

    def test_row_names_of_r(self) -> None:
        with pytest.raises(ReadError, match="can be read in two ways"):
            read('"one" "two"\n"foo" .5 .6\n"bar" .1 .2\n')

    def test_a_run_a_row_and_a_measure_a_column(self) -> None:
        assert read(",map,ndcg\nbm25,.1,.2\nql,.3,.4\n", "map") == Means([0.1, 0.3], ["bm25", "ql"], "map")
        with pytest.warns(DataWarning, match="read as one score per system: red, blue"):
            read(",map,ndcg\nred,.1,.2\nblue,.3,.4\n", "map")
        assert read(",map,ndcg\nq1,.1,.2\nq2,.3,.4\n", "map").topics == ("q1", "q2")
        assert read("topic,map\nred,.1\nblue,.3\n").topics == ("red", "blue")

    @pytest.mark.parametrize("name", [None, "checkpoint", "stage"])
    def test_the_index_of_frames(self, name: str | None) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame([[0.5, 0.1], [0.6, 0.2]], index=pd.Index(["foo", "bar"], name=name), columns=["x", "y"])
        with pytest.raises(InputError, match="can be read in two ways"):
            as_scores(frame)
        assert as_scores(frame.rename_axis(columns="model")).topics == ("foo", "bar")
        assert as_scores(frame, topic_column=name or "").topics == ("foo", "bar")

    def test_a_name_that_says_something_else(self) -> None:
        for rows in ("step-1000,.5\nstep-2000,.6\n", "exp000,.5\nexp001,.6\n"):
            with pytest.raises(ReadError, match="can be read in two ways"):
                read("checkpoint,one\n" + rows)
        assert read(",bm25\nMB001,.5\nMB002,.6\n").topics == ("MB001", "MB002")
        assert read("stage,bm25\n31_1,.5\n31_2,.6\n").topics == ("31_1", "31_2")

    @pytest.mark.parametrize(
        "content", ["q1,q2\n.5,.6\n.1,.2\n", ",q1,q2\n0,.5,.6\n", "id,301,302\n1,.5,.6\n2,.1,.2\n"]
    )
    def test_columns_named_as_topics_and_no_rows(self, content: str) -> None:
        with pytest.raises(ReadError, match="can be read in two ways"):
            read(content)
        assert read("topic,q1,q2\n1,.5,.6\n").systems == ("q1", "q2")

    def test_scores_under_the_name_of_an_index(self) -> None:
        with pytest.raises(ReadError, match="has scores instead of names of topics"):
            read("id,a\n.25,.5\n.75,.6\n")

    def test_numbers_with_a_point(self) -> None:
        with pytest.raises(ReadError, match="'turn' holds numbers that may be topics or scores"):
            read("turn,a,b\n31.1,.5,.6\n31.2,.1,.2\n")
        assert read("a,b\n1.5,3\n2.5,.5\n").systems == ("a", "b")
        records = [{"turn": "31.1", "a": 0.5, "b": 7}, {"turn": "31.2", "a": 0.1, "b": 8}]
        with pytest.warns(DataWarning, match="'turn' holds a different number in each row, so it was read as"):
            assert read(json.dumps(records)) == Scores([[0.5, 7], [0.1, 8]], ["31.1", "31.2"], ["a", "b"])
        assert read("topic,a\n31.1,.5\n31.2,.1\n").topics == ("31.1", "31.2")

    def test_systems_named_in_the_index(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"arc": [0.5, 0.6], "mmlu": [0.1, 0.2]}, index=pd.Index(["1", "2"], name="LLM name"))
        assert as_scores(frame).systems == ("1", "2")

    def test_dots_for_blanks(self) -> None:
        assert read("run.id,topic.id,ap\nx,1,.5\nx,2,.4\n", "ap").topics == ("1", "2")

    def test_a_header_with_runid(self) -> None:
        assert read("runid\t31_1\t31_2\nx\t.5\t.6\n") == Scores([[0.5], [0.6]], ["31_1", "31_2"], ["x"])

    def test_columns_named_as_topics(self) -> None:
        assert read(",301,302\nBERT-001,.5,.6\nBERT-002,.1,.2\n").systems == ("BERT-001", "BERT-002")

    @pytest.mark.parametrize("name", ["LLM name", "model_no", "ranker-id", "Method Name"])
    def test_names_of_systems(self, name: str) -> None:
        assert read(f"{name},arc,mmlu\n1,.5,.6\n2,.1,.2\n") == Scores(
            [[0.5, 0.1], [0.6, 0.2]], ["arc", "mmlu"], ["1", "2"]
        )

    @pytest.mark.parametrize("name", ["task", "dataset", "benchmark", "subject"])
    def test_tasks_are_topics(self, name: str) -> None:
        expected = Scores([[0.5, 0.6], [0.1, 0.2]], ["arc", "mmlu"], ["gpt", "llama"])
        assert read(f"{name},gpt,llama\narc,.5,.6\nmmlu,.1,.2\n") == expected
        rows = "gpt,arc,.5\ngpt,mmlu,.1\nllama,arc,.6\nllama,mmlu,.2\n"
        assert read(f"model,{name},score\n" + rows) == expected

    def test_three_columns(self) -> None:
        for content in ("bm25,map,.5\nql,map,.6\n", "map\tbm25\t.5\nmap\tql\t.6\n"):
            with pytest.warns(DataWarning, match="file: read as topics of one run: bm25, ql; if they are systems"):
                read(content)

    def test_three_levels(self) -> None:
        nested = {task: {model: {"acc": 0.5} for model in ("gpt", "llama")} for task in ("arc", "mmlu")}
        message = "read as systems: arc, mmlu; read as topics: gpt, llama; if it is the other way round"
        with pytest.warns(DataWarning, match="file: " + message):
            assert read(json.dumps(nested)).systems == ("arc", "mmlu")
        with pytest.warns(DataWarning, match=message):
            as_scores(nested)


class TestMeasuresAndSystems:
    def test_names_with_a_number(self) -> None:
        assert not any(map(looks_like_measure, ["acc1", "accuracy2", "F12", "f1-large", "exact_match_2"]))
        assert all(map(looks_like_measure, ["acc", "acc@5", "F1", "F1@3", "f1", "exact_match"]))
        assert read("topic,acc1,acc2\n1,.5,.6\n").systems == ("acc1", "acc2")

    def test_f1_is_a_measure(self) -> None:
        with pytest.raises(
            ReadError, match=r"named like measures \(F1\) and others \(F2\).*if all are systems, pass systems="
        ):
            read("topic,F1,F2\n1,.5,.6\n")
        with pytest.raises(ReadError, match="2 measures; choose one"):
            read("topic,F1,map\n1,.5,.6\n")

    def test_a_matrix_has_no_measures(self) -> None:
        message = "names no measures, so measure 'acc_norm' cannot be found"
        with pytest.raises(ReadError, match=message):
            read("topic,acc_norm,mine\n1,.5,.6\n", "acc_norm")
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match=message):
            as_scores(pd.DataFrame({"topic": [1], "acc_norm": [0.5], "mine": [0.6]}), measure="acc_norm")

    def test_two_levels_with_a_system_named_as_a_measure(self) -> None:
        nested = {"f1": {"1": 0.1, "2": 0.2}, "bm25": {"1": 0.1, "2": 0.2}}
        with pytest.warns(DataWarning, match="file: read as measures: f1, bm25; if bm25 should be systems"):
            read(json.dumps(nested), "f1")


class TestSummaries:
    @pytest.mark.parametrize(
        "name",
        ["Average (n=2)", "mean ± std", "Grand Total", "Mean of the scores", "p-value", "25%", "Moyenne", "all topics"],
    )
    def test_rows(self, name: str) -> None:
        with pytest.warns(DataWarning, match="summarise topics: "):
            assert read(f"topic,a\n1,.5\n2,.6\n{name},.55\n").topics == ("1", "2")

    def test_what_is_none(self) -> None:
        names = ["minimal", "sum-1", "summary", "max power", "allergies", "50%_x", "(all)x", "the topics", "mean 3"]
        assert not any(map(is_summary, names))
        assert not is_summary("mean" * 1000)

    def test_rows_named_as_measures(self) -> None:
        with pytest.raises(ReadError, match=r"has rows named like measures \(MAP\) among topics"):
            read("topic,a\n1,.5\n2,.6\nMAP,.55\n")
        assert read("topic,a\nf1,.5\nnascar,.6\n").topics == ("f1", "nascar")

    @pytest.mark.parametrize("name", ["arc_stderr", "arc (std)", "arc std dev", "arc.Std.Err."])
    def test_errors_of_others(self, name: str) -> None:
        with pytest.raises(ReadError, match=r"do not look like topics: .*belongs to 'arc'|3 measures; choose one"):
            read(f"model,arc,{name},mmlu\ngpt,.5,.01,.6\nllama,.4,.02,.3\n")
        content = f"topic,arc,{name}\n1,.5,.01\n"
        with pytest.raises(ReadError, match=r"do not look like systems: .*belongs to 'arc'.*systems=\['!arc"):
            read(content)
        assert read(content, systems=["arc"]).systems == ("arc",)
        assert read(f"topic,bm25,{name}\n1,.5,.01\n").systems == ("bm25", name)
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match=r"do not look like systems: .*belongs to 'arc'"):
            as_scores(pd.DataFrame({"topic": [1], "arc": [0.5], name: [0.01]}))

    def test_what_pandas_describes(self) -> None:
        pd = pytest.importorskip("pandas")
        with (
            pytest.warns(DataWarning, match="count, std, min, 25%, 50%, 75%, max"),
            pytest.raises(InputError, match="holds only summary rows"),
        ):
            as_scores(pd.DataFrame({"a": [0.5, 0.6]}).describe())


class TestColumns:
    def test_two_columns_of_topics(self) -> None:
        with pytest.raises(ReadError, match="two columns named like topics, 'topic' and 'qid'"):
            read("topic,qid,bm25\n1,11,.5\n2,12,.6\n")
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"query": ["a", "b"], "bm25": [0.5, 0.6]}, index=pd.Index([1, 2], name="qid"))
        with pytest.raises(InputError, match="two columns named like topics, 'qid' and 'query'"):
            as_scores(frame)

    @pytest.mark.parametrize(
        "content",
        [
            "topic,docno,a,b\n1,5,1,0\n2,7,0,1\n",
            "query,document,relevance,run\n1,d1,1,a\n",
            "qid,document,rel\n1,5,1\n",
        ],
    )
    def test_documents(self, content: str) -> None:
        with pytest.raises(ReadError, match="scores documents, not topics"):
            read(content)

    def test_row_numbers_of_pandas(self) -> None:
        assert read("Unnamed: 0.1,Unnamed: 0,topic,a\n0,0,301,.5\n1,1,302,.6\n").systems == ("a",)
        for content in ("topic,a,Unnamed: 2\n1,.5,.6\n", "Unnamed: 0.1,Unnamed: 0,a\n0,0,.5\n"):
            with pytest.raises(ReadError, match="pandas' name for a column without one"):
                read(content)

    @pytest.mark.parametrize("columns", [["topic", "system", "map", "map"], ["topic", "topic", "system", "map"]])
    def test_two_columns_of_one_name_in_a_frame(self, columns: list[str]) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match="scores: two columns are named"):
            as_scores(pd.DataFrame([[1, 2, 0.1, 0.2]], columns=columns), measure="map")

    @pytest.mark.parametrize("label", ["", True])
    def test_labels_of_frames(self, label: Any) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match=r"no topic in column|cannot be the label of a topic"):
            as_scores(pd.DataFrame({"topic": [label, "1"], "a": [0.5, 0.6]}))


class TestComments:
    EXPECTED = Scores([[0.5, 0.6]], ["1"], ["a", "b"])

    @pytest.mark.parametrize("comment", ["# hi", "# 2,.5,.6", "#", "#done", "# a, b"])
    def test_between_rows(self, comment: str) -> None:
        assert read(f"topic,a,b\n{comment}\n1,.5,.6\n{comment}\n") == self.EXPECTED

    @pytest.mark.parametrize(
        "content",
        [
            "topic,a,b\n#1,.5,.6\n2,.5,.6\n",
            "topic a b\n1 .5 .6\n#2 .5 .6\n",
            "#a map 301 .5\nb map 301 .6\n",
            "1 map .5\n#2 map .6\n",
        ],
    )
    def test_what_may_be_none(self, content: str) -> None:
        with pytest.raises(ReadError, match="starts with # like a comment, but looks like the other lines"):
            read(content, "map")

    def test_in_quotation_marks(self) -> None:
        for topic in ("#1", "# 1"):  # nothing tells that it is no comment
            with pytest.raises(ReadError, match="rename what starts with #"):
                read(f'topic,a,b\n"{topic}",.5,.6\n')
        assert read("topic,a,b\n# x\n1,.5,.6\n").topics == ("1",)
        assert read('topic,a,b\n"1\n#2",.5,.6\n#\n').topics == ("1\n#2",)  # the row does not start with #


class TestFolders:
    @pytest.mark.parametrize("name", ["a.csv~", "a.csv.bak", "a.csv.orig", "#a.csv#"])
    def test_backups(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "a.csv").write_text("topic,a\n1,.5\n")
        (tmp_path / name).write_text("topic,b\n1,.6\n")
        for what in (tmp_path, str(tmp_path / "*")):
            with pytest.warns(DataWarning, match=f"backup files left out: .*{name}$"):
                assert read_scores(what).systems == ("a",)
        assert read_scores(tmp_path / name).systems == ("b",)
        assert read_scores(str(tmp_path / f"{name[:2]}?{name[3:]}")).systems == ("b",)

    def test_a_system_in_two_files(self) -> None:
        files = {name: io.StringIO("x map 301 .5\n") for name in ("tuned", "base")}
        with pytest.raises(
            ReadError, match=r"'x' already has a score on topic '301' from tuned: .* rename it in one file"
        ):
            read_scores(files)

    def test_the_marks_of_files_joined_to_one(self) -> None:
        assert read("\ufefftopic,a\r\n1,.5\r\n\ufeff2,.6\r\n").topics == ("1", "2")


class TestTopicsWithoutTheMeasure:
    ROWS = (("x", "1", "map", 0.5), ("x", "2", "map", 0.4), ("x", "3", "ndcg", 0.3), ("x", "all", "P_5", 0.2))

    def test_files(self) -> None:
        header = "system,topic,measure,value\n"
        for content in (
            header + "".join(",".join(map(str, row)) + "\n" for row in self.ROWS),
            "".join(" ".join(map(str, row)) + "\n" for row in self.ROWS),
            json.dumps({topic: {measure: value} for _, topic, measure, value in self.ROWS}),
        ):
            with pytest.warns(DataWarning, match="file: topics without 'map' left out: 3$"):
                assert read(content, "map").topics == ("1", "2")

    def test_objects(self) -> None:
        with pytest.warns(DataWarning, match="topics without 'map' left out: 3$"):
            as_scores({topic: {measure: value} for _, topic, measure, value in self.ROWS}, measure="map")
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(self.ROWS, columns=["system", "topic", "measure", "value"])
        with pytest.warns(DataWarning, match="topics without 'map' left out: 3$"):
            assert as_scores(frame, measure="map").topics == ("1", "2")


class TestToolsOutput:
    def test_helm_without_a_mean(self) -> None:
        stats = [{"name": {"name": "em"}, "count": 4, "sum": 1}]
        assert read(json.dumps([{"instance_id": "1", "stats": stats}])).values.tolist() == [[0.25]]

    def test_splits_of_mteb_are_not_compared(self, tmp_path: Path) -> None:
        for model, split in (("m", "dev"), ("n", "test")):
            (tmp_path / model / "1").mkdir(parents=True)
            content = {"task_name": "T", "scores": {split: [{"hf_subset": "en", "main_score": 0.5}]}}
            (tmp_path / model / "1" / "T.json").write_text(json.dumps(content))
        with pytest.raises(InputError, match=r"m lacks topic T/en; n lacks topic T\[dev\]/en"):
            read_scores(tmp_path).complete()

    def test_tasks_of_lm_eval_without_the_measure(self) -> None:
        content = {"results": {"arc": {"acc,none": 0.5}, "gsm8k": {"em,strict": 0.5}}, "configs": {}}
        with pytest.warns(DataWarning, match="file: topics without 'acc,none' left out: gsm8k"):
            assert read(json.dumps(content), "acc,none").topics == ("arc",)

    def test_tasks_of_lm_eval_without_samples(self, tmp_path: Path) -> None:
        results = {"results": {task: {"acc,none": 0.5} for task in ("arc", "mmlu")}, "configs": {}, "model_name": "A"}
        (tmp_path / "results_2024-01-01T00-00-00.0.json").write_text(json.dumps(results))
        sample = json.dumps({"doc_id": 0, "doc": {}, "metrics": ["acc"], "acc": 1}) + "\n"
        (tmp_path / "samples_arc_2024-01-01T00-00-00.0.jsonl").write_text(sample)
        with pytest.warns(DataWarning, match="left out these summaries, and tasks without samples: .*results_2024"):
            assert read_scores(tmp_path).topics == ("arc/0",)
