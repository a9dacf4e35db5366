"""Layouts that were once read wrong without a word: transposed, cut, joined or filled."""

from __future__ import annotations

import io
import json
import os
import warnings
from pathlib import Path
from typing import Any, ClassVar

import pytest

from concordant.data.scores import Scores
from concordant.errors import DataWarning, InputError, InputTypeError, ReadError
from concordant.pairing import pair
from concordant.read import read_scores
from concordant.read.formats import delimited
from concordant.read.reader import as_scores
from concordant.read.tables.vocabulary import looks_like_measure


def read(content: str, measure: str | None = None, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not end with a newline")
        return read_scores({"file": io.StringIO(content)}, measure, **options).complete()


class TestNesting:
    PYTREC: ClassVar[Any] = {"1": {"map": 0.1, "my_metric": 0.2}, "2": {"map": 0.3, "my_metric": 0.4}}
    RANX: ClassVar[Any] = {"ndcg@10": {"q1": 0.1, "q2": 0.2}, "my": {"q1": 0.3, "q2": 0.4}}

    def test_one_known_measure_tells_its_level(self) -> None:
        for measure, column in (("map", [[0.1], [0.3]]), ("my_metric", [[0.2], [0.4]])):
            with pytest.warns(
                DataWarning, match="file: read as measures: map, my_metric; if my_metric should be systems"
            ):
                assert read(json.dumps(self.PYTREC), measure) == Scores(column, ["1", "2"], ["file"], measure)
            with pytest.warns(DataWarning, match="read as measures: map, my_metric; if my_metric should be systems"):
                assert as_scores(self.PYTREC, measure=measure).values.tolist() == column
        for measure, column in (("ndcg@10", [[0.1], [0.2]]), ("my", [[0.3], [0.4]])):
            with pytest.warns(DataWarning, match="read as measures: ndcg@10, my; if my should be systems"):
                assert read(json.dumps(self.RANX), measure) == Scores(column, ["q1", "q2"], ["file"], measure)
            with pytest.warns(DataWarning, match="read as measures: ndcg@10, my; if my should be systems"):
                assert as_scores(self.RANX, measure=measure).values.tolist() == column

    def test_without_a_measure_they_are_listed(self) -> None:
        for nested, message in ((self.PYTREC, "map, my_metric"), (self.RANX, "ndcg@10, my")):
            with pytest.raises(ReadError, match=f"2 measures; choose one with measure=: {message}"):
                read(json.dumps(nested))
            with pytest.raises(InputError, match=f"2 measures; choose one with measure=: {message}"):
                as_scores(nested)

    def test_a_measure_that_is_not_there_is_an_error(self) -> None:
        with pytest.raises(InputError, match="no measure 'mapp'; did you mean 'map'"):
            as_scores(self.PYTREC, measure="mapp")
        with pytest.raises(ReadError, match="no measure 'mapp'; did you mean 'map'"):
            read(json.dumps(self.PYTREC), "mapp")

    @pytest.mark.parametrize(
        "nested",
        [
            {"301": {"mine": 0.1, "other": 0.2}},
            {"q1": {"mine": 0.1}},
            {"mine": {"first": 0.1}},
            {"1": {"2": 0.1}},
        ],
    )
    def test_what_cannot_be_told_is_refused(self, nested: Any) -> None:
        for measure in (None, "mien"):
            with pytest.raises(InputError, match="cannot tell which of the levels"):
                as_scores(nested, measure=measure)
            with pytest.raises(ReadError, match="cannot tell which of the levels"):
                read(json.dumps(nested), measure)

    def test_names_of_measures(self) -> None:
        names = "gm_bpref yaap SetP SetR SetF infNDCG STREC@10 P10 ndcg10 rank_biased_precision ERR-IA@20 R@100 P_5"
        assert all(map(looks_like_measure, names.split()))
        assert not any(map(looks_like_measure, ["r-1", "r_1", "r1", "set_a", "p_bm25", "map_bm25", "P-tuning"]))

    def test_what_is_no_number(self) -> None:
        with pytest.raises(InputError, match=r"map of a on 1: '1/2' is not a number. If it stands for 0.5, write 0.5"):
            as_scores({"a": {"1": {"map": "1/2"}}, "b": {"1": {"map": 0.2}}})
        holes: Any = {"1": {"map": 0.1}, "2": {"map": None}}
        for missing in (
            lambda nested, **how: as_scores(nested, **how).complete(),
            lambda nested, **options: read(json.dumps(nested), **options),
        ):
            with pytest.raises((InputError, InputError), match="lacks topic 2"):
                missing(holes)
            with pytest.warns(DataWarning, match="1 topic dropped of 2"):
                assert missing(holes, missing="drop").topics == ("1",)


class TestTransposed:
    EXPECTED = Scores([[0.9, 0.5], [0.8, 0.6], [0.7, 0.4]], ["gsm8k", "mmlu", "arc"], ["gpt4", "llama"])

    @pytest.mark.parametrize("name", ["model", "system", "run", "Run ID", "tag", "team"])
    def test_files(self, name: str) -> None:
        content = f"{name},gsm8k,mmlu,arc\ngpt4,.9,.8,.7\nllama,.5,.6,.4\n"
        assert read(content) == self.EXPECTED
        assert read("," + content.replace("\ngpt4", "\n0,gpt4").replace("\nllama", "\n1,llama")) == self.EXPECTED

    def test_topics_that_are_numbers(self) -> None:
        assert read("system,301,302\na,1,0\nb,1,1\n").topics == ("301", "302")
        assert read("run 301 302 average\na 1 0 .5\nb 1 1 1\n").values.tolist() == [[1, 1], [0, 1]]

    def test_refused(self) -> None:
        with pytest.raises(ReadError, match="pass system_column='name' or topic_column='name'"):
            read("name,a,b\nx,0.1,0.2\n")
        with pytest.raises(ReadError, match="should name the systems, but holds numbers"):
            read("model,base\n0.5,0.2\n0.25,0.3\n")
        with pytest.raises(ReadError, match="system 'a' already has a row at line 2"):
            read("system,301\na,1\na,2\n")
        with pytest.raises(ReadError, match=":3: 'x' in column '302' is not a number") as caught:
            read("system,301,302\na,1,0\nb,1,x\n")
        assert caught.value.line == 3

    def test_frames(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = self.EXPECTED.to_frame()
        assert as_scores(frame.T) == self.EXPECTED
        assert as_scores(frame.T.rename_axis(columns=None)) == self.EXPECTED
        assert as_scores(frame.T.rename_axis(index=None)) == self.EXPECTED
        assert as_scores(frame.T.rename_axis(index="model")) == self.EXPECTED
        assert as_scores(frame.T.reset_index()) == self.EXPECTED
        with pytest.raises(InputError, match="nothing names the systems"):
            as_scores(frame.T.reset_index(drop=True))
        long = pd.DataFrame({"topic": ["1", "1"], "value": [0.1, 0.2]}, index=pd.Index(["a", "b"], name="system"))
        assert as_scores(long).systems == ("a", "b")


class TestMatrix:
    def test_a_bad_cell_keeps_its_system(self) -> None:
        content = "bm25,ql,dense\n0.51,0.42,0.61\n{},0.33,0.52\n0.21,0.3,0.4\n"
        with pytest.raises(InputError, match="bm25 lacks topic row 2"):
            read(content.format("#N/A"))
        for cell in ("err", "0,5%"):
            with pytest.raises(ReadError, match=r"'bm25' holds numbers, but here something else|fields") as caught:
                read(content.format(cell))
            assert caught.value.line == 3
        with pytest.raises(ReadError, match="here something else"):
            read("bm25,ql\n1,0.5\nerr,0.25\n")

    @pytest.mark.parametrize(
        "content", ["q1,0.1,0.2,0.3,0.4\nq2,0.1,0.2,0.3,0.4\n", "q1,1,0\nq2,0,1\n", "0.1 0.2 0.3 0.4\n0.5 0.6 0.7 1\n"]
    )
    def test_without_a_header(self, content: str) -> None:
        with pytest.raises(ReadError, match="holds numbers without a header"):
            read(content)

    @pytest.mark.parametrize("rows", ["q1,0.1,0.2,0.3\nq2,1,0,1\n", "301,0.1,0.2,0.3\n"])
    def test_a_header_that_is_a_comment(self, rows: str) -> None:
        with pytest.raises(ReadError, match="lines that start with # are comments: '#topic,a,b,c'"):
            read("# by hand\n#topic,a,b,c\n" + rows)

    def test_systems_that_are_numbers(self) -> None:
        assert read("topic,0.1,0.2\n1,.5,.6\n").systems == ("0.1", "0.2")
        assert read(",1,2,3\n301,.5,.6,.7\n").systems == ("1", "2", "3")

    @pytest.mark.parametrize("name", ["question_id", "item", "instance", "Query-ID", "example", "topic_no", "doc_id"])
    def test_names_of_topics(self, name: str) -> None:
        content = f"{name},gpt4,llama\n1,1,0\n2,0,1\n3,1,1\n"
        assert read(content) == Scores([[1, 0], [0, 1], [1, 1]], ["1", "2", "3"], ["gpt4", "llama"])

    def test_rising_whole_numbers(self) -> None:
        with pytest.raises(ReadError, match="'nr' holds numbers that"):
            read("nr,gpt4,llama\n1,1,0\n2,0,1\n3,1,1\n")
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match="'nr' holds numbers that"):
            as_scores(pd.DataFrame({"nr": [1, 2, 3], "a": [1, 0, 1]}))
        assert as_scores(pd.DataFrame({"question": [1, 2], "a": [1, 0]})).systems == ("a",)

    @pytest.mark.parametrize("content", ["topic,map,my\n1,.1,.2\n", "map,P_5\n.1,.2\n.3,.4\n", "x,map,my\n301,.2,.3\n"])
    def test_measures_are_no_systems(self, content: str) -> None:
        with pytest.raises(ReadError, match="has columns named like measures"):
            read(content, "map")

    def test_an_index_beside_topics_is_no_system(self) -> None:
        assert read(",topic,a\n0,301,.5\n1,302,.25\n").systems == ("a",)

    def test_systems_with_short_names(self) -> None:
        for names in (["r-1", "r-2"], ["set_a", "set_b"], ["r1", "r2"]):
            assert read(f"topic,{names[0]},{names[1]}\n1,.5,.25\n").systems == tuple(names)

    @pytest.mark.parametrize(
        ("content", "line", "message"),
        [
            ("topic,a,b\n1,50%,0.4\n", 1, "column 'a' has scores with a percent sign, but 'b' has none"),
            ("topic;a;b\n1;0,5;0,4\n", 2, "'0,5' in column 'a' is not a number. Write digits with a decimal point"),
        ],
    )
    def test_numbers_written_otherwise_are_named(self, content: str, line: int, message: str) -> None:
        with pytest.raises(ReadError, match=message) as caught:
            read(content)
        assert caught.value.line == line

    def test_delimiters(self) -> None:
        assert read('topic;"a,b";c\n1;.5;.25\n').systems == ("a,b", "c")
        assert read("topic     a     b  \n    1   0.5  0.25 \n   22   0.5  0.25 \n").topics == ("1", "22")

    def test_avg_is_a_summary(self) -> None:
        assert read("topic,a\n1,.5\navg,.5\n").topics == ("1",)

    @pytest.mark.long
    def test_many_columns(self) -> None:
        names = [f"s{k}" for k in range(60_000)]
        assert len(read(",".join(names) + "\n" + ",".join(["0.5"] * len(names)) + "\n").systems) == 60_000

    def test_too_many_cells(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(delimited, "MAX_CELLS", 100)
        with pytest.raises(ReadError, match=r"more than 100 cells; to allow it.*delimited\.MAX_CELLS"):
            read("topic,a\n" + "".join(f"{k},0.5\n" for k in range(60)))


class TestRowsWithoutTopics:
    THREE, TWO = "bm25,ql\n.1,.2\n.3,.1\n.5,.6\n", "bm25,ql\n.3,.1\n.5,.6\n"

    def test_unequal_counts_are_not_aligned(self) -> None:
        three, two = read(self.THREE), read(self.TWO)
        with pytest.raises(InputError, match="3 and 2 rows without topic names"):
            pair(three, two)
        assert pair(three, two, on="systems").candidates == (two,)
        assert pair(two, two).sides == (two, two)
        with pytest.raises(InputError, match="no topics are common"):
            pair(two, Scores([[1, 2]], ["1"], ["bm25", "ql"]))

    def test_nor_are_files_joined(self) -> None:
        files = [io.StringIO(self.THREE), io.StringIO("dense\n.1\n.2\n")]
        with pytest.raises(ReadError, match="has 2 rows without topic names, but <StringIO> has 3"):
            read_scores(files, missing="drop")


class TestSummaries:
    @pytest.mark.parametrize(
        "content",
        [
            '{"measure": "AP", "value": 0.26}\n{"measure": "P@5", "value": 0.5}\n',
            "measure,value\nAP,.26\nP@5,.5\n",
            "measure,bm25,ql\nAP,.26,.3\nP@5,.5,.4\n",
        ],
    )
    def test_measures_without_topics(self, content: str) -> None:
        with pytest.raises(ReadError, match="a column of measures but none of topics, so these are summaries"):
            read(content, "AP")

    def test_beir_qrels(self) -> None:
        with pytest.raises(ReadError, match="it is a run or qrels as BEIR writes them"):
            read("query-id\tcorpus-id\tscore\n1\t31715818\t1\n3\t14717500\t1\n")

    def test_groups_of_lm_eval(self) -> None:
        tasks = {"mmlu": 0.5, "mmlu_stem": 0.4, "mmlu_physics": 0.4, "mmlu_law": 0.6, "arc": 0.7}
        content = {
            "results": {task: {"acc,none": value} for task, value in tasks.items()},
            "groups": {"mmlu": {"acc,none": 0.5}},
            "group_subtasks": {"mmlu": ["mmlu_stem", "mmlu_law"], "mmlu_stem": ["mmlu_physics"], "arc": []},
            "configs": {},
        }
        with pytest.warns(DataWarning, match=r"groups left out.*: mmlu, mmlu_stem$"):
            assert read(json.dumps(content)).topics == ("mmlu_physics", "mmlu_law", "arc")

    def test_trec_eval(self) -> None:
        content = (
            "map                   \t1\t0.5\nmap                   \tamean\t0.1\nmap                   \tALL\t0.1\n"
        )
        assert read(content).topics == ("1",)


class TestInspect:
    @staticmethod
    def log(values: list[Any]) -> str:
        samples = [{"id": k, "epoch": 1, "scores": {"s": {"value": v}}} for k, v in enumerate(values)]
        return json.dumps({"eval": {"model": "m", "task": "t"}, "samples": samples})

    def test_values(self) -> None:
        values = ["C", "I", "P", "N", "0.5", "Yes", "No", "True", "FALSE", 0.25, True]
        assert read(self.log(values)).values.ravel().tolist() == [1, 0, 0.5, 0, 0.5, 1, 0, 1, 0, 0.25, 1]

    @pytest.mark.parametrize("value", ["E", "NO_ANSWER", "", [1, 2]])
    def test_others_are_named(self, value: Any) -> None:
        with pytest.raises(ReadError, match=r"'s' of sample 1 is .* which is not a score"):
            read(self.log(["C", value]))

    def test_samples_without_a_score(self) -> None:
        content = json.loads(self.log(["C", None, "I", float("nan")]))
        content["samples"].append({"id": 9, "epoch": 1, "error": {"message": "timeout"}})
        with pytest.raises(InputError, match="file lacks topics t/1, t/3, t/9"):
            read(json.dumps(content))
        with pytest.warns(DataWarning, match="3 topics dropped of 5"):
            assert read(json.dumps(content), missing="drop").topics == ("t/0", "t/2")


class TestLong:
    CONTENT = "system,topic,map,ndcg\na,1,.5,.4\nb,1,err,.2\n"

    def test_a_bad_cell_does_not_hide_its_measure(self) -> None:
        with pytest.raises(ReadError, match="2 measures; choose one with measure=: map, ndcg"):
            read(self.CONTENT)
        with pytest.raises(ReadError, match="'err' in column 'map' is not a number"):
            read(self.CONTENT, "map")
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"system": ["a", "b"], "topic": [1, 1], "map": [0.5, "err"], "ndcg": [0.4, 0.2]})
        with pytest.raises(InputError, match="2 measures"):
            as_scores(frame)
        with pytest.raises(InputError, match="'err' in column 'map', row 2 is not a number"):
            as_scores(frame, measure="map")

    def test_four_columns_with_the_topic_first(self) -> None:
        for content, message in (
            ("1 bm25 map 0.4\n2 bm25 map .6\nall bm25 map 0.5\n", "the summary row 'all'"),
            ("1 bm25 map 0.4\n2 bm25 map .6\n", "a topic"),
            ("map 1 bm25 0.4\nmap all bm25 .6\n", "a measure"),
        ):
            with pytest.raises(ReadError, match=f"first of four columns should be the run, but looks like {message}"):
                read(content, "map")

    def test_four_columns_with_the_runs_name(self) -> None:
        assert read("a runid all a\na map 1 .5\n", "map").systems == ("a",)

    def test_names_of_systems(self) -> None:
        assert read("tag,qid,score\na,1,.5\n").systems == ("a",)

    def test_a_value_beside_other_columns(self) -> None:
        with pytest.raises(ReadError, match="beside rank, but none that names the systems"):
            read("topic,score,rank\n1,.5,1\n")

    def test_keys_in_another_order(self) -> None:
        content = (
            '{"query_id": "1", "measure": "AP", "value": 0.5}\n{"value": 0.25, "query_id": "2", "measure": "AP"}\n'
        )
        assert read(content) == Scores([[0.5], [0.25]], ["1", "2"], ["file"], "AP")


class TestFrames:
    def test_two_levels_of_columns(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame([[0.1, 0.2]], columns=pd.MultiIndex.from_product([["map", "P_5"], ["a"]]))
        with pytest.raises(InputError, match="columns have 2 levels"):
            as_scores(frame)

    def test_strange_arguments(self) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match="has no scores"):
            as_scores(pd.DataFrame())
        measures: list[Any] = [["map"], 10]
        for measure in measures:
            for call in (read, lambda _, m: as_scores({}, measure=m), lambda _, m: as_scores(None, measure=m)):
                with pytest.raises(InputTypeError, match=r"measure is .*: give a string, or leave it out"):
                    call("topic,a\n1,2\n", measure)


class TestFilters:
    CONTENT = "topic,bm25,ql,dense\n1,.1,.2,\n2,.3,.4,.5\n3,.5,.6,.7\n"

    def test_they_apply_before_missing_topics_count(self) -> None:
        assert read(self.CONTENT, systems=["ql", "bm25"]) == Scores(
            [[0.2, 0.1], [0.4, 0.3], [0.6, 0.5]], ["1", "2", "3"], ["ql", "bm25"]
        )
        assert read(self.CONTENT, topics=["3", "2"]).values.tolist() == [[0.5, 0.6, 0.7], [0.3, 0.4, 0.5]]
        with pytest.raises(InputError, match="dense lacks topic 1"):
            read(self.CONTENT, systems=["dense"])

    def test_unknown_labels(self) -> None:
        with pytest.raises(ReadError, match=r"^file: has no system 'bm52'; did you mean 'bm25'"):
            read(self.CONTENT, systems=["bm52"])
        with pytest.raises(ReadError, match=r"^file: has no topic '9'; available: 1, 2, 3"):
            read(self.CONTENT, topics=["9"])
        with pytest.raises(InputTypeError, match="give a list"):
            read(self.CONTENT, topics="1")

    def test_warnings_name_the_file(self) -> None:
        with pytest.warns(DataWarning, match="^file: 1 topic dropped of 3"):
            read(self.CONTENT, missing="drop")

    def test_progress(self) -> None:
        seen: list[tuple[int, int]] = []
        files = [io.StringIO(f"topic,{name}\n1,.5\n") for name in "abc"]
        read_scores(files, progress=lambda *place: seen.append(place))
        assert seen == [(1, 3), (2, 3), (3, 3)]


class TestFolders:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        for name in ("a", "b"):
            (tmp_path / "real" / name).mkdir(parents=True)
            (tmp_path / "real" / name / f"{name}.csv").write_text(f"topic,{name}\n1,.5\n")
        (tmp_path / "linked").mkdir()
        (tmp_path / "linked" / "a").symlink_to(tmp_path / "real" / "a")
        (tmp_path / "linked" / "up").symlink_to(tmp_path / "linked")
        return tmp_path

    def test_links_are_followed_once(self, folder: Path) -> None:
        assert read_scores(folder / "linked").systems == ("a",)
        assert read_scores(folder).systems == ("a", "b")

    def test_what_cannot_be_read_is_named(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        scandir, access = os.scandir, os.access

        def refuse(path: Any = ".") -> Any:
            if str(path).endswith("real/b"):
                raise PermissionError(13, "Permission denied", str(path))
            return scandir(path)

        monkeypatch.setattr(os, "scandir", refuse)
        monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("real/b") and access(path, mode))
        for what in (folder / "real", str(folder / "real" / "*" / "*.csv"), str(folder / "r*" / "**" / "*.csv")):
            with pytest.raises(ReadError, match=r"real/b: the folder cannot be read: Permission denied"):
                read_scores(what)

    def test_strange_paths(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("~$b.csv").write_text("topic,a\n1,.5\n")
        with pytest.raises(ReadError, match="the path is empty"):
            read_scores("")
        assert read_scores("~$b.csv").systems == ("a",)
        with pytest.raises(ReadError, match=r"~nouser/x.csv: there is no such file"):
            read_scores("~nouser/x.csv")


class TestShortHeader:
    @pytest.mark.parametrize(
        "content",
        [
            "topic,bm25,ql\n301,.5,.6,.7\n302,.1,.2,.3\n",
            "topic,bm25,ql\n301,.5,.6,\n302,.1,.2,.3\n",
            "system,topic,map\na,301,.5,.6\n",
            "topic a b\nfoo bar .5 .6\n",
            "bm25,ql\n.5,.6,.7\n.1,.2,.3\n",
        ],
    )
    def test_names_do_not_shift(self, content: str) -> None:
        for missing in ("error", "zero"):
            with pytest.raises(ReadError, match=r"has \d fields, but the header has \d: name each column"):
                read(content, missing=missing)

    def test_a_delimiter_at_the_end_of_each_row(self) -> None:
        scores = read("topic,bm25,ql\n301,.5,.6,\n302,.1,.2,\n", missing="zero")
        assert scores == Scores([[0.5, 0.6], [0.1, 0.2]], ["301", "302"], ["bm25", "ql"])

    def test_row_names_of_r(self) -> None:
        assert read('"bm25" "ql"\n"301" .5 .6\n"302" .1 .2\n').topics == ("301", "302")


class TestValueBesideMeasures:
    ROWS = (("a", 1, 0.5, 0.9), ("b", 1, 0.4, 0.8))

    @pytest.mark.parametrize("other", ["map", "mine"])
    def test_the_column_asked_for_is_read(self, other: str) -> None:
        header = ("system", "topic", "score", other)
        table = "\n".join(",".join(map(str, row)) for row in (header, *self.ROWS)) + "\n"
        lines = "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in self.ROWS)
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(self.ROWS, columns=header)
        for measure, values in ((other, [[0.9, 0.8]]), ("score", [[0.5, 0.4]])):
            expected = Scores(values, ["1"], ["a", "b"], measure)
            assert read(table, measure) == read(lines, measure) == as_scores(frame, measure=measure) == expected
        if other == "map":
            with pytest.raises(ReadError, match="2 measures; choose one with measure=: score, map"):
                read(table)
            with pytest.raises(InputError, match="2 measures; choose one with measure=: score, map"):
                as_scores(frame)

    def test_measures_beside_topics_and_systems(self) -> None:
        with pytest.raises(ReadError, match="has topics and measures but no column named score"):
            read("topic,measure,bm25,ql\n1,map,.1,.2\n2,map,.3,.4\n", "ndcg")
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match="has topics and measures but no column named score"):
            as_scores(pd.DataFrame({"topic": [1, 2], "measure": ["map", "map"], "a": [0.1, 0.2]}), measure="ndcg")


class TestNamesWithBlanks:
    @pytest.mark.parametrize(
        ("content", "systems"),
        [
            ("topic,Run 1,Run 2\n301,.5,.6\n", ("Run 1", "Run 2")),
            ("topic,GPT 3.5,GPT 4\n301,.5,.6\n", ("GPT 3.5", "GPT 4")),
            ("GPT 4,Llama 2\n.5,.6\n.1,.2\n", ("GPT 4", "Llama 2")),
            ("GPT 4, Llama 2\n.5, .6\n.1, .2\n", ("GPT 4", "Llama 2")),
            ("topic;Run 1;Run 2\n301;.5;.6\n", ("Run 1", "Run 2")),
            ("topic, Run 1\nq 1, .5\n", ("Run 1",)),
            ('topic,"Run 1",Run 2\n301,.5,.6\n', ("Run 1", "Run 2")),
            ("a,b map 301 .5\na,b map 302 .6\n", ("a,b",)),
            ("bm 25,map,301,.5\nbm 25,map,302,.6\n", ("bm 25",)),
        ],
    )
    def test_are_read(self, content: str, systems: tuple[str, ...]) -> None:
        assert read(content, "map" if " map " in content or ",map," in content else None).systems == systems


class TestNamesOfSummaries:
    @pytest.mark.parametrize(
        "content",
        [
            "topic,bm25,ql,mean\n1,.1,.3,.2\n",
            "bm25,ql,Mean\n.1,.3,.2\n",
            "system,301,302\na,.4,.6\nb,.5,.7\nmean,.45,.65\n",
        ],
    )
    def test_no_system_is_named_so(self, content: str) -> None:
        with pytest.raises(ReadError, match=r"(do not look like systems:|a system is named) '[mM]ean'.*with systems="):
            read(content)

    def test_unless_it_is_asked_for(self) -> None:
        assert read("topic,bm25,max\n1,.1,.3\n", systems=["max", "bm25"]).systems == ("max", "bm25")
        assert read("topic,bm25,max\n1,.1,.3\n", systems=["bm25"]).systems == ("bm25",)

    def test_frames(self) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match=r"do not look like systems: 'mean' .a summary.*Leave them out"):
            as_scores(pd.DataFrame({"topic": [1], "bm25": [0.5], "mean": [0.5]}))
        frame = pd.DataFrame({"topic": ["1", "std"], "bm25": [0.5, 0.1]})
        with pytest.warns(DataWarning, match="summarise topics: std"):
            assert as_scores(frame).topics == ("1",)

    @pytest.mark.parametrize(
        "name", ["overall", "total", "std", "Median", "macro_avg", "Mean:", "avg.", "all topics", "_all", "gmean"]
    )
    def test_no_topic_either(self, name: str) -> None:
        lines = "map                   \t1\t0.5\nmap                   \t{}\t0.1\n"
        for content in ("topic,a\n1,.5\n{},.5\n", "system,topic,map\na,1,.5\na,{},.4\n", lines, "# x\n" + lines):
            with pytest.warns(DataWarning, match=f"summarise topics: {name}; rename"):
                assert read(content.format(name), "map" if "map" in content else None).topics == ("1",)


class TestRowNumbers:
    def test_dropped_rows_are_not_paired(self) -> None:
        with pytest.warns(DataWarning, match="1 topic dropped of 5"):
            five = read("a,b\n.1,.2\n.3,\n.5,.6\n.7,.8\n.9,.1\n", missing="drop")
        four = read("a,b\n.1,.2\n.3,.4\n.5,.6\n.7,.8\n")
        with pytest.raises(InputError, match="4 and 4 rows without topic names, and the rows differ"):
            pair(five, four)

    @pytest.mark.parametrize("start", [0, 1])
    def test_the_index_of_pandas_names_no_topics(self, start: int) -> None:
        rows = [f"{k},.1,.2\n" for k in range(start, start + 3)]
        three, two = (read(",bm25,ql\n" + "".join(rows[:count])) for count in (3, 2))
        assert three.topics == ("row 1", "row 2", "row 3")
        with pytest.raises(InputError, match="3 and 2 rows without topic names"):
            pair(three, two)


def test_two_runs_in_a_file_of_trec_eval() -> None:
    content = "runid                 \tall\ta\nmap                   \t1\t.5\nrunid                 \tall\tb\n"
    for start in ("", "# x\n"):
        with pytest.raises(ReadError, match=r"holds several runs \(a, b\): give each its own file"):
            read(start + content + "map                   \t2\t.5\n", "map")


class TestThreeLevels:
    EXPECTED = Scores([[0.1, 0.3], [0.2, 0.4]], ["301", "302"], ["bm25", "ql"], "map")
    VALUES: ClassVar[Any] = {("bm25", "301"): 0.1, ("bm25", "302"): 0.2, ("ql", "301"): 0.3, ("ql", "302"): 0.4}

    def nest(self, order: str) -> Any:
        nested: Any = {}
        for (system, topic), value in self.VALUES.items():
            a, b, c = ({"s": system, "t": topic, "m": "map"}[level] for level in order)
            nested.setdefault(a, {}).setdefault(b, {})[c] = value
        return nested

    @pytest.mark.parametrize("order", ["stm", "smt", "mst"])
    @pytest.mark.parametrize("measure", ["map", None])
    def test_measures_are_known_wherever_they_are(self, order: str, measure: str | None) -> None:
        assert read(json.dumps(self.nest(order)), measure) == self.EXPECTED
        assert as_scores(self.nest(order), measure=measure) == self.EXPECTED

    @pytest.mark.parametrize("order", ["tsm", "tms", "mts", ""])
    def test_refused(self, order: str) -> None:
        nested = self.nest(order) if order else {"results": {"bm25": {"map": 0.5}}}
        with pytest.raises(ReadError, match="cannot tell which of the levels"):
            read(json.dumps(nested), "map")
        with pytest.raises(InputError, match="cannot tell which of the levels"):
            as_scores(nested)

    def test_empty(self) -> None:
        with pytest.raises(InputError, match="has an empty dictionary"):
            as_scores({"bm25": {"301": {"map": 0.1}}, "ql": {"301": {}}})

    def test_a_frame_as_json(self) -> None:
        nested = {"topic": {"0": 301, "1": 302}, "bm25": {"0": 0.5, "1": 0.6}}
        assert read(json.dumps(nested)) == Scores([[0.5], [0.6]], ["301", "302"], ["bm25"])
        with pytest.raises(InputError, match=r"'topic' names a column of topics.*give the frame itself"):
            as_scores(nested)


class TestLmEval:
    @staticmethod
    def results(model: str, value: Any = 0.5) -> str:
        results = {"arc": {"acc,none": value}, "mmlu": {"acc,none": 0.25}}
        return json.dumps({"results": results, "configs": {}, "model_name": model})

    @staticmethod
    def samples(*values: Any) -> str:
        rows = [{"doc_id": k, "doc": {}, "metrics": ["acc"], "acc": v} for k, v in enumerate(values)]
        return "".join(json.dumps(row) + "\n" for row in rows)

    def test_results_without_samples_do_not_vanish(self, tmp_path: Path) -> None:
        for name in "AB":
            (tmp_path / name).mkdir()
            (tmp_path / name / "results_2024-01-01T00-00-00.0.json").write_text(self.results(name))
        (tmp_path / "A" / "samples_arc_2024-01-01T00-00-00.0.jsonl").write_text(self.samples(1, 0))
        with pytest.raises(ReadError, match="summarises 'B', whose samples are missing, while those of A are given"):
            read_scores(tmp_path)
        with pytest.warns(DataWarning, match="only samples were read; left out these summaries"):
            assert read_scores(tmp_path / "A").topics == ("arc/0", "arc/1")

    def test_what_is_no_number(self) -> None:
        with pytest.raises(InputError, match="file lacks topic 1"):
            read(self.samples(1, None, 0))
        for value in ("0.5", [1, 2]):
            with pytest.raises(ReadError, match=r"'acc,none' on '1' is .*, not a finite number"):
                read(self.samples(1, value, 0))
        with pytest.raises(InputError, match="A lacks topic arc"):
            read_scores([io.StringIO(self.results("A", "N/A"))]).complete()


class TestFourColumns:
    @pytest.mark.parametrize("topic", ["31_1", "MB001", "C2-10", "q-7"])
    def test_the_topic_first(self, topic: str) -> None:
        with pytest.raises(ReadError, match=r"should be the run, but looks like a topic|nothing tells which"):
            read(f"{topic} bm25 map .4\n", "map")

    def test_words(self) -> None:
        with pytest.raises(ReadError, match="nothing tells which of the columns are the run"):
            read("robust bm25 map .4\nweb bm25 map .5\n", "map")

    @pytest.mark.parametrize("topic", ["31_1", "MB001", "q-7", "301"])
    def test_the_run_first(self, topic: str) -> None:
        for content in (f"bm25 {topic} map .4\n", f"bm25 map {topic} .4\n"):
            assert read(content, "map") == Scores([[0.4]], [topic], ["bm25"], "map")
        assert read("a robust map .4\na all map .4\n", "map").topics == ("robust",)


class TestOtherColumns:
    @pytest.mark.parametrize(
        "content",
        [
            "index,qid,bm25,ql\n0,301,.5,.6\n",
            "id,topic,bm25,ql\n7,301,.5,.6\n",
            "rank,topic,bm25,ql\n1,301,.5,.6\n",
            "system,#,301\nbm25,1,.5\nql,2,.6\n",
            "level_0,system,topic,map\n0,bm25,301,.5\n1,ql,301,.6\n",
        ],
    )
    def test_counters_are_left_out(self, content: str) -> None:
        with pytest.warns(DataWarning, match="columns with such names number the rows: "):
            assert read(content).values.tolist() == [[0.5, 0.6]]

    def test_of_frames(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"id": [7], "topic": [301], "bm25": [0.5]})
        with pytest.warns(DataWarning, match="columns with such names number the rows: id"):
            assert as_scores(frame).systems == ("bm25",)

    @pytest.mark.parametrize("name", ["method", "LLM", "approach", "sys", "submission", "ranker", "model_id", "models"])
    def test_systems(self, name: str) -> None:
        assert read(f"{name},gsm8k,mmlu\ngpt4,.9,.8\n") == Scores([[0.9], [0.8]], ["gsm8k", "mmlu"], ["gpt4"])

    def test_columns_named_as_topics(self) -> None:
        assert read(",301,302,303\nbm25,.5,.6,.7\n").systems == ("bm25",)
        pd = pytest.importorskip("pandas")
        assert as_scores(pd.DataFrame({"301": [0.5], "302": [0.6]}, index=["bm25"])).topics == ("301", "302")

    def test_rows_named_as_measures(self) -> None:
        with pytest.raises(ReadError, match=r"has measures as rows \(map, ndcg_cut_10\)"):
            read(",bm25,ql\nmap,.1,.2\nndcg_cut_10,.2,.3\n")
        with pytest.raises(ReadError, match="a column of measures but none of topics"):
            read("Metrics,bm25,ql\nmap,.1,.2\n")
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match="scores: has measures as rows"):
            as_scores(pd.DataFrame({"bm25": [0.5, 0.6]}, index=["map", "P_5"]))

    def test_means_as_json(self) -> None:
        means = {"bm25": {"map": 0.25}, "ql": {"map": 0.3}}
        with pytest.warns(DataWarning, match="file: read as topics of one run: bm25, ql; if they are systems"):
            read(json.dumps(means), "map")
        with pytest.warns(DataWarning, match="read as topics of one run: bm25, ql; if they are systems"):
            as_scores(means)

    def test_columns_of_ids(self) -> None:
        assert read("task_id,gpt4,llama\n7,1,0\n3,0,1\n5,1,1\n").systems == ("gpt4", "llama")
        with pytest.raises(ReadError, match="'which' holds numbers that may be topics or scores"):
            read("which,gpt4,llama\n7,1,0\n3,0,1\n5,1,1\n")


class TestOddities:
    def test_systems_named_like_measures(self) -> None:
        assert read("topic,bing,google\n1,.5,.6\n").systems == ("bing", "google")
        assert looks_like_measure("success_1")
        assert looks_like_measure("INST(T=2)")

    def test_no_header_but_holes(self) -> None:
        with pytest.raises(ReadError, match="holds numbers without a header"):
            read("q1,0.1,NA,0.3\nq2,0.1,0.2,0.3\n")
        with pytest.raises(ReadError, match="holds numbers without a header"):
            read("q1,0.1,NA,0.3,0.5\nq2,0.1,0.2,0.3,0.5\n")

    def test_two_delimiters(self) -> None:
        with pytest.raises(ReadError, match="'0,5' in column 'run,a' is not a number"):
            read("topic;run,a\n1;0,5\n")

    @pytest.mark.parametrize("label", [None, float("nan"), [1], True])
    def test_labels_of_json(self, label: Any) -> None:
        with pytest.raises(ReadError, match="cannot be the label of a topic"):
            read(json.dumps([{"topic": label, "a": 0.5}, {"topic": "2", "a": 0.5}]))
        with pytest.raises(ReadError, match="cannot be the label of a measure"):
            read(json.dumps([{"topic": "1", "measure": label, "value": 0.5}]))

    def test_backups(self, tmp_path: Path) -> None:
        for name in ("a.csv", "a.csv~"):
            (tmp_path / name).write_text("topic,a\n1,.5\n")
        with pytest.warns(DataWarning, match=r"backup files left out: .*a\.csv~$"):
            assert read_scores(tmp_path).systems == ("a",)

    def test_what_is_no_file(self, tmp_path: Path) -> None:
        class Numbers:
            def read(self, size: int) -> Any:
                return [size]

        with pytest.raises(InputTypeError, match=r"read\(\) returned a list, not text or bytes"):
            read_scores(Numbers())
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(ReadError, match="is a named pipe"):
            read_scores(tmp_path / "pipe")
