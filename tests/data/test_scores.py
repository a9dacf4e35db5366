"""Scores: labels, means, selection, frames, dictionaries; align."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from concordant.data.scores import Scores
from concordant.errors import DataWarning, InputError, InputTypeError
from concordant.pairing import pair
from concordant.read.reader import as_scores


def small() -> Scores:
    return Scores([[0.1, 0.3, 0.0], [0.2, 0.0, 0.5]], topics=["301", "302"], systems=["a", "b", "c"], measure="map")


def tied_pairs(means: Any) -> int:
    counts = np.unique(means, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


class TestLabels:
    def test_values_are_a_read_only_copy(self) -> None:
        given_values = np.array([[1.0, 2.0]])
        scores = Scores(given_values, ["1"], ["a", "b"])
        given_values[0, 0] = 9
        assert scores.values[0, 0] == 1
        with pytest.raises(ValueError, match="read-only"):
            scores.values[0, 0] = 5
        with pytest.raises(AttributeError):
            scores.measure = "map"  # type: ignore[misc]

    def test_whole_numbers_become_strings(self) -> None:
        assert Scores([[1], [2]], topics=[301, np.int64(302)], systems=["a"]).topics == ("301", "302")

    @pytest.mark.parametrize(
        ("values", "topics", "systems", "message"),
        [
            ([[1, 2]], ["1"], ["a", "a"], "systems hold 'a' twice, at positions 0 and 1"),
            ([[1], [2]], ["7", "7"], ["a"], "topics hold '7' twice"),
            ([[1, 2]], ["1", "2"], ["a"], r"shape \(1, 2\).*2 topics and 1 system; .*transpose"),
            ([[1, 2]], ["1"], ["a"], "1 topic and 1 system"),
            ([1, 2], ["1"], ["a", "b"], "1 dimensions"),
            (np.zeros((0, 2)), [], ["a", "b"], "empty"),
            ([[float("inf"), 1]], ["1"], ["a", "b"], "system 'a' on topic '1' is inf"),
            ([[1, 2], [3]], ["1", "2"], ["a", "b"], "equal length"),
            ([["x", "y"]], ["1"], ["a", "b"], "must be numbers"),
            ([[1, 2]], ["1"], "ab", "systems is 'ab': give a list"),
            ([[1, 2]], [301.0], ["a", "b"], "topics hold 301.0"),
            ([[1, 2]], [True], ["a", "b"], "topics hold True"),
            (np.ma.masked_array([[1.0, 2.0]], [[True, False]]), ["1"], ["a", "b"], "masked"),
        ],
    )
    def test_refused_by_name(self, values: Any, topics: Any, systems: Any, message: str) -> None:
        with pytest.raises(InputError, match=message):
            Scores(values, topics, systems)

    def test_equality_hash_and_pickle(self) -> None:
        assert small() == small()
        assert hash(small()) == hash(small())
        assert Scores([[-0.0]], ["1"], ["a"]) == Scores([[0.0]], ["1"], ["a"])
        assert hash(Scores([[-0.0]], ["1"], ["a"])) == hash(Scores([[0.0]], ["1"], ["a"]))
        assert small() != Scores(small().values, small().topics, small().systems, "P_5")
        assert small() != 3
        again = pickle.loads(pickle.dumps(small()))
        assert again == small()
        assert not again.values.flags.writeable

    def test_repr_is_short(self) -> None:
        assert repr(small()) == "<Scores: 2 topics x 3 systems, map>"


class TestMeans:
    def test_equal_totals_give_equal_means(self) -> None:
        assert small().means().tolist() == [0.15, 0.15, 0.25]
        assert small().ranking() == (("c",), ("a", "b"))

    def test_decimals(self) -> None:
        assert small().decimals() == 1
        assert Scores([[0.2636, 1]], ["1"], ["a", "b"]).decimals() == 4
        assert Scores([[1 / 3]], ["1"], ["a"]).decimals() is None
        assert Scores([[12, 3]], ["1"], ["a", "b"]).decimals() == 0


class TestParts:
    def test_drop_bottom(self) -> None:
        scores = Scores([[4, 1, 3, 2]], ["t"], list("abcd"))
        assert scores.drop_bottom(0.25).systems == ("a", "c", "d")
        assert scores.drop_bottom(0.5).systems == ("a", "c")
        assert scores.drop_bottom(0).systems == tuple("abcd")
        assert scores.drop_bottom(0.34).systems == ("a", "c")  # the quantile lies between the second and the third

    @pytest.mark.parametrize(("systems", "kept"), [(19, 14), (20, 15), (74, 55), (129, 97)])
    def test_drop_bottom_is_the_rule_of_studies(self, systems: int, kept: int) -> None:
        scores = Scores(np.random.default_rng(systems).random((3, systems)), range(3), range(systems))
        means = scores.means()
        found = scores.drop_bottom(0.25)
        assert found.systems == tuple(str(k) for k in range(systems) if means[k] >= np.quantile(means, 0.25))
        assert len(found.systems) == kept

    def test_drop_bottom_at_a_mean_keeps_it(self) -> None:
        scores = Scores([np.arange(21) / 20], ["t"], range(21))  # 0.55 * 20 is 11.000000000000002 in floating point
        assert scores.drop_bottom(0.55).systems[0] == "11"

    def test_drop_bottom_keeps_ties_with_the_worst_one_kept(self) -> None:
        for systems in ("abcd", "dcba", "bdac"):
            values = [[{"a": 4, "b": 1, "c": 3, "d": 1}[s] for s in systems]]
            assert set(Scores(values, ["t"], list(systems)).drop_bottom(0.25).systems) == set("abcd")

    @pytest.mark.parametrize("quantile", [-0.1, 1, 25, True, "low"])
    def test_drop_bottom_refuses(self, quantile: Any) -> None:
        with pytest.raises(InputError, match="quantile is"):
            small().drop_bottom(quantile)

    def test_select_gives_the_order_asked_for(self) -> None:
        part = small().select(systems=["c", "a"], topics=["302"])
        assert part.systems == ("c", "a")
        assert part.values.tolist() == [[0.5, 0.2]]
        assert part.measure == "map"

    def test_select_names_the_unknown_and_the_nearest(self) -> None:
        scores = Scores([[1, 2]], ["1"], ["smith.bm25", "smith.ql"])
        with pytest.raises(InputError, match=r"systems has no .smith.bm52.; did you mean 'smith.bm25'"):
            scores.select(systems=["smith.bm52"])
        with pytest.raises(InputError, match=r"topics has no 'zzz'; available: 301, 302"):
            small().select(topics=["zzz"])
        with pytest.raises(InputTypeError, match="give a list"):
            small().select(systems="a")


class TestFrames:
    def test_wide_round_trip(self) -> None:
        pytest.importorskip("pandas")
        assert np.array_equal(as_scores(small().to_frame()).values, small().values)

    def test_long_round_trip(self) -> None:
        pytest.importorskip("pandas")
        long = small().to_frame().reset_index().melt("topic").assign(measure=small().measure)
        assert as_scores(long) == small()

    def test_polars(self) -> None:
        pl = pytest.importorskip("polars")
        wide = pl.DataFrame({"topic": [301, 302], "a": [0.1, 0.2], "b": [0.3, 0.0], "c": [0.0, 0.5]})
        for frame in (wide, wide.lazy(), wide.to_arrow()):
            assert as_scores(frame).values.tolist() == small().values.tolist()
        long = pl.DataFrame({"name": ["a", "a", "b", "b"], "qid": ["1", "2", "1", "2"], "map": [0.1, 0.2, 0.3, 0.4]})
        assert as_scores(long).values.tolist() == [[0.1, 0.3], [0.2, 0.4]]

    def test_pyterrier_frame(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(
            {
                "name": ["x"] * 4 + ["y"] * 3,
                "qid": ["1", "1", "2", "2", "1", "1", "2"],
                "measure": ["AP", "P@5", "AP", "P@5", "AP", "P@5", "AP"],
                "value": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
            }
        )
        with pytest.raises(InputError, match="2 measures; choose one with measure=: AP, P@5"):
            as_scores(frame)
        assert as_scores(frame, measure="AP").values.tolist() == [[0.1, 0.5], [0.3, 0.7]]
        with pytest.raises(InputError, match="y lacks topic 2"):
            as_scores(frame, measure="P@5").complete()
        with pytest.warns(DataWarning, match="1 topic dropped of 2"):
            assert as_scores(frame, measure="P@5", missing="drop").complete().topics == ("1",)

    def test_integer_column_that_is_no_system(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"Q": [301, 302], "a": [0.1, 0.2]})
        with pytest.warns(DataWarning, match="'Q' holds a different number"):
            assert as_scores(frame).systems == ("a",)

    def test_summary_rows_and_several_columns(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(
            {"run": ["a", "a", "b", "b"], "topic": ["1", "all"] * 2, "team": "t", "map": [1, 2, 3, 4.0]}
        )
        with pytest.warns(DataWarning, match="rows with such names summarise topics: all"):
            assert as_scores(frame).values.tolist() == [[1, 3]]

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"run": ["a", "a"], "topic": ["1", "1"], "value": [1, 2]}, "system 'a' already has a score on topic '1'"),
            ({"topic": ["1"], "a": ["x"]}, "'x' in column 'a', row 1 is not a number"),
            ({"topic": ["1"], "model": [0.5], "base": [0.25]}, "'model' should name the systems"),
            ({"topic": [None], "a": [0.5]}, "'topic' holds None, which cannot be the label"),
            ({"topic": ["1", "1"], "a": [1, 2]}, "topic '1' already has a row"),
            ({"topic": ["1"], "a": [float("nan")]}, "no scores at all for a on 1"),
        ],
    )
    def test_refused(self, columns: Any, message: str) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match=message):
            as_scores(pd.DataFrame(columns)).complete()

    def test_other_types_are_refused(self) -> None:
        with pytest.raises(InputTypeError, match="a list without labels: give Scores, a file, a frame"):
            as_scores([[1, 2]])


class TestDicts:
    def test_three_levels(self) -> None:
        nested = {"x": {"1": {"map": 0.1, "P_5": 1}}, "y": {"1": {"map": 0.2, "P_5": 0}}}
        assert as_scores(nested, measure="map") == Scores([[0.1, 0.2]], ["1"], ["x", "y"], "map")
        with pytest.raises(InputError, match="2 measures"):
            as_scores(nested)
        with pytest.raises(InputError, match=r"no measure 'nDCG@10'"):
            as_scores(nested, measure="nDCG@10")

    def test_pytrec_eval_of_one_run(self) -> None:
        result = {"1": {"map": 0.26, "P_5": 1.0}, "2": {"map": 0.5, "P_5": 0.5}}
        scores = as_scores({"bm25": result}, measure="map")
        assert scores == Scores([[0.26], [0.5]], ["1", "2"], ["bm25"], "map")

    def test_ranx(self) -> None:
        assert as_scores({"ndcg@10": {"q_1": 0.5, "q_2": 0.25}}).topics == ("q_1", "q_2")

    def test_systems_and_topics(self) -> None:
        scores = as_scores({"x": {"1": 0.1, "2": 0.2}, "y": {"2": 0.3, "1": 0.4}})
        assert scores.values.tolist() == [[0.1, 0.4], [0.2, 0.3]]

    def test_a_measure_that_is_asked_for_tells_the_levels_apart(self) -> None:
        assert as_scores({"q1": {"mine": 0.1}}, measure="mine").topics == ("q1",)

    def test_missing_topics_are_absent(self) -> None:
        nested = {"x": {"1": {"map": 0.1}, "2": {"map": 0.3}}, "y": {"1": {"map": 0.2}}}
        with pytest.raises(InputError, match="y lacks topic 2"):
            as_scores(nested).complete()
        with pytest.warns(DataWarning, match="set to 0: y lacks topic 2"):
            assert as_scores(nested, missing="zero").complete().values.tolist() == [[0.1, 0.2], [0.3, 0.0]]
        with pytest.warns(DataWarning, match="1 system dropped"):
            assert as_scores(nested, missing="drop-systems").complete().systems == ("x",)
        with pytest.raises(InputError, match="missing is 'zeros'"):
            as_scores(nested, missing="zeros")  # type: ignore[arg-type]

    @pytest.mark.parametrize("nested", [{}, {"a": {}}, [1], {"a": {"1": {"map": 1}, "2": 3}}, {"a": {"1": "x"}}])
    def test_refused(self, nested: Any) -> None:
        with pytest.raises(InputError):
            as_scores(nested)


class TestPair:
    def test_order_of_the_first(self) -> None:
        other = Scores([[6, 5, 4], [3, 2, 1]], ["302", "301"], ["c", "b", "a"], "P_5")
        a, b = pair(small(), other)
        assert a == small()
        assert b == Scores([[1, 2, 3], [4, 5, 6]], ["301", "302"], ["a", "b", "c"], "P_5")

    def test_what_is_left_out_is_said(self) -> None:
        other = Scores([[1, 2, 3]], ["302"], ["b", "c", "z"])
        found = pair(small(), other, names=("people", "model"))
        a, b = found
        assert a.systems == b.systems == ("b", "c")
        assert a.topics == b.topics == ("302",)
        for part in (
            "1 system of people left out, because model lacks it: a",
            "1 topic of people left out, because model lacks it: 301",
            "1 system of model left out, because people lacks it: z",
        ):
            assert sum(note.startswith(part) for note in found.notes) == 1
        assert str(found).startswith("people, model: 2 systems and 1 topic\nNote: ")
        assert len(found.notes) == 3

    def test_systems_only(self) -> None:
        other = Scores([[1, 2, 3], [4, 5, 6]], ["x", "y"], ["c", "b", "a"])
        a, b = pair(small(), other, on="systems")
        assert (a.topics, b.topics) == (("301", "302"), ("x", "y"))
        assert b.values.tolist() == [[3, 2, 1], [6, 5, 4]]

    def test_several_candidates(self) -> None:
        parts = [small().select(systems=s) for s in (["a", "b"], ["b", "c"], ["b"])]
        found = pair(parts[0], parts[1:])
        assert {side.systems for side in found} == {("b",)}
        assert found.names == ("truth", "candidate 1", "candidate 2")
        assert found.alone(1).names == ("truth", "candidate 2")
        assert pair(parts[0], dict(x=parts[1], y=parts[2])).names == ("truth", "x", "y")

    def test_nothing_in_common(self) -> None:
        other = Scores([[1]], ["301"], ["Anyone"])
        with pytest.raises(
            InputError, match="no systems are common to all sides: truth has a, b, c; candidate has Anyone"
        ):
            pair(small(), other)
        with pytest.raises(InputError, match="no topics are common"):
            pair(small(), Scores([[1, 2, 3]], ["q301"], ["a", "b", "c"]))

    def test_arguments(self) -> None:
        with pytest.raises(InputError, match="give 2 strings, the truth's name first"):
            pair(small(), small(), names=("x",))
        with pytest.raises(InputTypeError, match="candidate is a list without labels"):
            pair(small(), [1, 2])
        with pytest.raises(InputError, match="on is 'topics'"):
            pair(small(), small(), on="topics")  # type: ignore[arg-type]


def test_importing_scores_is_light() -> None:
    code = "import sys, concordant.data.scores; print({'scipy.stats', 'pandas', 'polars'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


def test_scores_whose_sums_would_overflow_are_refused() -> None:
    with pytest.raises(InputError, match=r"'b' on topic '1' is 1\.7e\+308"):
        Scores([[1.0, 1.7e308]], ["1"], ["a", "b"])
