"""`judge_worth` and `rank_judges`: what they say, and that it is what the curves say."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.chance.adjustment import holm
from concordant.report.document import document_of
from concordant.results import Interval
from concordant.topics import agreement_curves as ac
from concordant.topics.judge_ranking import JudgeRanking
from concordant.topics.worth import JudgeWorth, shown, span

PEOPLE, CAREFUL, HASTY = (cc.load_collection(name) for name in ("people", "careful", "hasty"))


@pytest.fixture(scope="module")
def careful() -> JudgeWorth:
    return cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"), rng=7)


def simulated(bias: float, noise: float, n: int = 80, m: int = 30, seed: int = 1) -> tuple[cc.Scores, cc.Scores]:
    """A truth with noise of 1 per topic, and a judge whose system effects are off by `bias`."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(0, 0.5, m)
    truth = signal + rng.normal(0, 1, (n, m))
    judge = signal + rng.normal(0, bias, m) + rng.normal(0, noise, (n, m))
    names = [f"t{k}" for k in range(n)], [f"s{k}" for k in range(m)]
    return cc.Scores(truth, *names), cc.Scores(judge, *names)


def test_the_worth_is_where_the_curves_meet(careful: JudgeWorth) -> None:
    drawn = careful.curves
    rising = ac.monotone(drawn.truth)
    assert (careful.n_topics, careful.half) == (40, 20)
    assert careful.agreement == drawn.candidate[-1]
    assert careful.truth_agreement == drawn.truth[-1]
    assert np.interp(math.log(careful.worth), np.log(drawn.sizes), rising) == pytest.approx(careful.agreement)
    assert careful.rate == careful.worth / 20
    assert careful.interval.low < careful.worth < careful.interval.high
    middle = math.sqrt(careful.interval.low * careful.interval.high)
    assert middle == pytest.approx(careful.worth)  # symmetric on the log scale
    assert (drawn.candidate_low[-1], drawn.candidate_high[-1]) == (
        careful.agreement_interval.low,
        careful.agreement_interval.high,
    )


def test_half_of_the_noise_is_worth_four_times_the_topics() -> None:
    found = cc.judge_worth(*simulated(bias=0.0, noise=0.5), rng=1)
    assert found.status == "beyond"
    assert found.worth == found.half**2 / found.equal
    assert 4 in Interval(found.interval.low / found.half, found.interval.high / found.half, 0.95, "")
    other = cc.judge_worth(*simulated(bias=0.0, noise=2.0), rng=1)
    assert other.status == "within"
    assert 1 / 4 in Interval(other.interval.low / other.half, other.interval.high / other.half, 0.95, "")


def test_sentences_for_every_outcome(careful: JudgeWorth) -> None:
    assert careful.verdict.startswith("20 topics judged by careful are worth 12 judged by people (95% interval ")
    assert careful.sentence("of").startswith("20 topics of careful are worth 12 of people (95% interval ")
    between = Interval(40.0, 100.0, 0.9, "")
    beyond = replace(careful, status="beyond", worth=80.0, equal=5.0, interval=between)
    assert beyond.verdict == "5.0 topics judged by careful (90% interval 4.0 to 10) are worth 20 judged by people"
    assert replace(beyond, equal=0.0).verdict == "1 topic judged by careful is worth more than 20 judged by people"
    below = replace(careful, status="below", worth=0.0, interval=Interval(0.0, 2.5, 0.95, ""))
    assert below.verdict == (
        "20 topics judged by careful are worth less than 1 judged by people (95% interval up to 2.5)"
    )
    surely = replace(below, interval=Interval(0.0, 0.0, 0.95, ""))
    assert surely.verdict == "20 topics judged by careful are worth less than 1 judged by people"
    for found in (careful, beyond, below):
        assert found.title in str(found.plot().get_title(loc="left"))


def test_a_judge_that_orders_the_systems_backwards_is_worth_nothing() -> None:
    truth, _ = simulated(0.0, 1.0, n=40, m=15)
    found = cc.judge_worth(truth, cc.Scores(-truth.values, truth.topics, truth.systems), rng=1)
    assert (found.status, found.worth, found.rate) == ("below", 0.0, 0.0)
    assert found.agreement < 0
    assert "are worth less than 1" in str(found)


@pytest.mark.parametrize("kind", ["noise", "saturated"])
def test_a_truth_that_more_topics_do_not_improve_is_no_measure(kind: str) -> None:
    rng = np.random.default_rng(3)
    effects = np.linspace(0, 1, 6) if kind == "saturated" else 0
    sides = [
        cc.Scores(effects + rng.normal(0, 0.01, (20, 6)), [f"t{k}" for k in range(20)], [f"s{k}" for k in range(6)])
        for _ in range(3)
    ]
    found = cc.judge_worth(sides[0], sides[1], rng=1)
    assert found.status == "unknown"
    assert math.isnan(found.worth)
    assert math.isnan(found.interval.low)
    assert found.verdict.startswith(
        "what topics judged by candidate are worth is not known: 10 topics judged by truth "
    )
    assert found.title in str(found.plot().get_title(loc="left"))
    assert "is not known" in str(found)
    ranked = cc.rank_judges(sides[0], {"a": sides[1], "b": sides[2]}, rng=1)
    assert all(math.isnan(pair.ratio) for pair in ranked.pairs)
    assert ranked.plot() is not None
    compared = cc.compare(sides[0], sides[1], n_resamples=99, rng=1)
    document = document_of(compared)
    assert document["verdict"]["answer"] == "unknown"
    assert document["verdict"]["headline"].startswith("What topics of candidate are worth is not known")
    json.dumps(document, allow_nan=False)


def test_numbers_of_topics_as_they_are_shown() -> None:
    assert [shown(x) for x in (0.0, 0.4, 6.94, 9.94, 9.96, 16.4, math.inf, math.nan)] == [
        "< 1", "0.4", "6.9", "9.9", "10", "16", "no limit", "-",
    ]  # fmt: skip
    ends = ((0.0, 0.0), (0.0, 2.4), (1.2, 2.4), (2.4, math.inf), (math.nan, math.nan))
    spans = [span(Interval(*pair, 0.95, "")) for pair in ends]
    assert spans == ["< 1", "< 1 to 2.4", "1.2 to 2.4", "2.4 to no limit", "-"]


def test_a_worth_below_one_topic_is_said_alike_everywhere(careful: JudgeWorth) -> None:
    below = replace(careful, status="below", worth=0.0, interval=Interval(0.0, 0.0, 0.95, ""))
    assert below.cell == "< 1"
    row = next(line for line in below.table().splitlines() if "worth of 20" in line)
    assert re.split(" {2,}", row.strip()) == ["worth of 20 topics", "< 1", "< 1"]
    ranked = JudgeRanking((careful, replace(below, names=("people", "coin"))), (), ("careful",))
    row = next(line for line in ranked.table().splitlines() if "coin" in line)
    assert re.split(" {2,}", row.strip())[1:3] == ["< 1", "< 1"]
    wide = replace(careful, interval=Interval(0.0, 9.2, 0.95, ""))
    assert wide.verdict.endswith("are worth 12 judged by people (95% interval up to 9.2)")


def test_the_result_travels(careful: JudgeWorth) -> None:
    stored = json.loads(json.dumps(careful.to_dict(), allow_nan=False))
    assert stored["worth"] == careful.worth
    assert stored["curves"]["truth"] == careful.curves.truth.tolist()
    assert careful.to_frame().loc[0, "worth"] == careful.worth
    assert careful == cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"), rng=7)
    assert careful != cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"), rng=8)
    assert careful.settings["seed"] == 7


def test_judges_are_ranked_and_tested_in_pairs() -> None:
    judges = {"hasty": HASTY, "careful": CAREFUL, "again": PEOPLE}
    found = cc.rank_judges(PEOPLE, judges, name="people", rng=7)
    assert [judge.names for judge in found.judges] == [("people", "again"), ("people", "careful"), ("people", "hasty")]
    assert {pair.names for pair in found.pairs} == {("again", "careful"), ("again", "hasty"), ("careful", "hasty")}
    adjusted = holm(np.array([pair.pvalue for pair in found.pairs]))
    assert [pair.adjusted for pair in found.pairs] == adjusted.tolist()
    beaten = {pair.names[1] for pair in found.pairs if pair.adjusted <= 0.05}
    assert set(found.best) == set(judges) - beaten
    assert "hasty" not in found.best
    assert found.verdict.startswith("again ranks the systems most like people: ")
    assert len(found.to_frame()) == 3
    assert found.plot() is not None
    json.dumps(found.to_dict(), allow_nan=False)


def test_one_judge_has_no_pairs_and_may_be_the_best() -> None:
    found = cc.rank_judges(PEOPLE, {"careful": CAREFUL}, name="people", rng=7)
    assert (found.pairs, found.best) == ((), ("careful",))
    assert found.verdict.endswith(found.judges[0].verdict)
    assert found.judges[0] == cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"), rng=7)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coefficient": "tau"}, "use 'tau_b'"),
        ({"confidence_level": 2}, "confidence_level is 2"),
        ({"names": ("a", "a")}, "two sides have the same name"),
        ({"names": "ab"}, "names is 'ab'"),
        ({"candidate": {"s": 1.0}}, "candidate has one score per system and no topics"),
        ({"rng": -1}, "rng is -1"),
    ],
)
def test_bad_input_is_one_clear_error(change: dict[str, Any], message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        cc.judge_worth(**{"truth": PEOPLE, "candidate": CAREFUL, **change})


def test_too_few_topics_say_why() -> None:
    few = PEOPLE.topics[:9]
    with pytest.raises(cc.errors.InputError, match="9 topics in common: at least 10 are needed, because"):
        cc.judge_worth(PEOPLE.select(topics=few), CAREFUL.select(topics=few))
    with pytest.raises(cc.errors.InputError, match=r"candidates is .*: give a dictionary"):
        cc.rank_judges(PEOPLE, [CAREFUL])  # type: ignore[arg-type]


def test_what_not_all_have_is_left_out_with_a_warning() -> None:
    with pytest.warns(cc.errors.AlignmentWarning, match="1 topic of truth left out"):
        found = cc.judge_worth(PEOPLE, CAREFUL.select(topics=CAREFUL.topics[1:]), rng=1)
    assert found.settings["n_topics"] == 39
    assert len(found.notes) == 1
