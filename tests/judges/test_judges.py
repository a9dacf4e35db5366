"""`judge_worth` and `rank_judges`: what they say, what they refuse, and on what their numbers do not depend."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.arrays import FloatArray
from concordant.errors import AlignmentWarning, InputError
from concordant.judges import curves as sp
from concordant.judges.curves import How, Sample, judge_curve, truth_curve
from concordant.judges.worth import supported

from .. import literal

LITERAL = {
    "tau_b": literal.tau_b,
    "tau_ap_b": lambda x, y: (literal.tau_ap_ties(x, y) + literal.tau_ap_ties(y, x)) / 2,
    "pearson_rank": literal.pearson_rank,
}
PEOPLE, CAREFUL, HASTY = (cc.load_collection(name) for name in ("people", "careful", "hasty"))


def test_the_worth_of_careful() -> None:
    found = cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful"))
    assert found.n_topics == 25
    assert found.word == "weaker"
    assert found.reason == ""
    assert 0 < found.interval.low < found.worth < found.interval.high < 25
    assert str(found).startswith("careful is a weaker judge than people.\n25 topics judged by careful rank the systems")
    assert found.rows()[0]["word"] == "weaker"
    assert json.loads(json.dumps(found.to_dict()))["worth"] == found.worth
    assert pickle.loads(pickle.dumps(found)) == found


def test_there_is_no_seed() -> None:
    found = [cc.judge_worth(PEOPLE, CAREFUL, rng=seed) for seed in (1, 2, None)]
    assert found[0] == found[1] == found[2]
    assert found[0].settings["seed"] is None


def test_these_systems_are_said_to_be_these() -> None:
    found = cc.judge_worth(PEOPLE, HASTY, new_systems=False)
    assert "rank these 20 systems only as well as" in found.verdict
    assert found.interval.high < cc.judge_worth(PEOPLE, HASTY).interval.high


def test_more_topics_are_worth_more() -> None:
    worths = [cc.judge_worth(PEOPLE, CAREFUL, n_topics=k).worth for k in (10, 25, 100)]
    assert worths == sorted(worths)


def test_a_worth_does_not_depend_on_other_judges() -> None:
    """Not even where the other one lacks topics and systems."""
    less = HASTY.select(HASTY.systems[:15], HASTY.topics[:30])
    with pytest.warns(AlignmentWarning):
        both = cc.rank_judges(PEOPLE, {"careful": CAREFUL, "hasty": less})
    alone = cc.judge_worth(PEOPLE, CAREFUL)
    assert next(judge for judge in both.judges if judge.names[1] == "careful") == alone
    assert both.best[0] == "careful"


def test_identical_judges_are_equally_good() -> None:
    found = cc.rank_judges(PEOPLE, {"a": CAREFUL, "b": CAREFUL, "hasty": HASTY})
    assert found.best == ("a", "b")
    assert found.judges[0].worth == found.judges[1].worth
    assert "The best judge is one of these 2: a, b; 40 topics cannot tell which" in found.verdict
    assert [row["may_be_best"] for row in found.rows()] == [True, True, False]


def test_the_order_of_the_judges_does_not_matter() -> None:
    one, two = (cc.rank_judges(PEOPLE, judges) for judges in ({"c": CAREFUL, "h": HASTY}, {"h": HASTY, "c": CAREFUL}))
    assert one.judges == two.judges
    assert one.best == two.best


def test_a_single_judge_is_the_worth_itself() -> None:
    found = cc.rank_judges(PEOPLE, {"careful": CAREFUL})
    assert found.verdict == cc.judge_worth(PEOPLE, CAREFUL, names=("people", "careful")).verdict


def rows(n: int, m: int, seed: int, others: int = 0) -> tuple[cc.Scores, cc.Scores]:
    """A truth and a judge of the same systems; the judge on `others` topics of its own, where there are any."""
    rng = np.random.default_rng(seed)
    effects = rng.normal(size=m)
    truth, judge = effects + rng.normal(0, 1.5, (n, m)), effects + rng.normal(0, 1.5, (others or n, m))
    own = [f"o{k}" for k in range(others)] or [f"t{k}" for k in range(n)]
    systems = [f"s{k}" for k in range(m)]
    return cc.Scores(truth, [f"t{k}" for k in range(n)], systems), cc.Scores(judge, own, systems)


def test_judges_on_other_topics_need_no_shared_topic() -> None:
    truth, judge = rows(40, 20, 1, others=90)
    found = cc.judge_worth(truth, judge, on="systems")
    assert found.interval.low < 25 < found.interval.high
    assert found.settings["judge_topics"] == 90
    assert "40 topics and 90 others of candidate" in str(found)
    ranked = cc.rank_judges(truth, {"a": judge, "b": judge, "c": rows(40, 20, 2, others=50)[1]}, on="systems")
    assert ranked.best == ("a", "b")
    with pytest.raises(InputError, match="no topics are common"):
        cc.judge_worth(truth, judge)
    with pytest.raises(InputError, match="tau_ap_b needs the same topics"):
        cc.judge_worth(truth, judge, coefficient="tau_ap_b", on="systems")


@pytest.mark.parametrize(("n", "m"), [(9, 20), (40, 7)])
def test_too_few_are_not_known(n: int, m: int) -> None:
    truth, judge = rows(n, m, 3)
    found = cc.judge_worth(truth, judge)
    assert found.word == "not known"
    assert math.isnan(found.worth)
    assert "at least" in found.reason
    assert found.verdict == f"The worth of candidate is not known: {found.reason}"
    assert cc.rank_judges(truth, {"a": judge, "b": judge}).best == ("a", "b")


def test_noise_as_truth_is_not_known() -> None:
    rng = np.random.default_rng(4)
    found = cc.judge_worth(rng.normal(size=(30, 12)), rng.normal(size=(30, 12)))
    assert found.reason == "more topics judged by truth do not rank the systems better"
    tied = cc.judge_worth(rng.normal(size=(30, 12)), np.ones((30, 12)))
    assert tied.word == "not known"
    assert "undefined" in tied.reason


def test_groups_are_counted() -> None:
    groups = {topic: f"g{k // 2}" for k, topic in enumerate(PEOPLE.topics)}
    found = cc.judge_worth(cc.as_scores(PEOPLE, groups=groups), CAREFUL)
    assert found.settings["n_topics"] == found.settings["groups"] == 20
    assert "25 groups judged by" in found.verdict


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coefficient": "tau"}, "tau is not defined for ties"),
        ({"n_topics": 1}, "n_topics"),
        ({"n_topics": math.inf}, "n_topics"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"names": ("a", "a")}, "names two sides"),
        ({"on": "topics"}, "on is 'topics'"),
    ],
)
def test_bad_input_is_one_clear_error(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cc.judge_worth(PEOPLE, CAREFUL, **change)


# Coefficients without a formula ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("coefficient", ["tau_b", "tau_ap_b", "pearson_rank"])
@pytest.mark.parametrize("decimals", [1, 12])
def test_a_batch_of_splits_is_what_it_says(coefficient: str, decimals: int) -> None:
    """Against the definition, one split, topic and team at a time, on the same orders."""
    rng = np.random.default_rng(5)
    effects = rng.normal(size=8)
    truth, judge = (np.round(effects + rng.normal(0, 1.5, (12, 8)), decimals) for _ in range(2))
    sides, teams = (sp.Side.of(truth), sp.Side.of(judge)), np.array([0, 0, 1, 2, 3, 4, 5, 6])
    f = lambda a, b: sp._defined(coefficient, a, b)  # noqa: E731
    drawn = sp.SplitSums(sides, [f], (np.array([4]), np.array([1, 9])))
    order = drawn.orders(np.random.default_rng(6))
    plain = np.random.default_rng(6).permuted(np.tile(np.arange(12), (sp.BATCH, 1)), axis=1)
    np.testing.assert_array_equal(order, np.concatenate([np.roll(plain, 3 * q, axis=1) for q in range(4)]))
    values, changes = drawn.values(order)[0], drawn.changes(order, teams)[0]
    formula = LITERAL[coefficient]

    def value(of: FloatArray, k: int, topic: int | None, team: int | None) -> float:
        total = 0.0
        for row in order:
            reference, own = row[:3], row[3 : 3 + k]
            if topic in own:
                own = [t for t in row[3 : 4 + k] if t != topic]
            reference = [t for t in reference if t != topic]
            x, y = (np.round(z[t].sum(0), 9)[teams != team] for z, t in ((truth, reference), (of, own)))
            try:
                total += float(np.nan_to_num(formula(x.tolist(), y.tolist())))
            except ZeroDivisionError:  # a side is all tied
                continue
        return total / len(order)

    for p, (of, k) in enumerate(((judge, 4), (truth, 1), (truth, 9))):
        assert values[p] == pytest.approx(value(of, k, None, None))
        assert values[p] + changes[7, p] == pytest.approx(value(of, k, 7, None))
        assert values[p] + changes[12, p] == pytest.approx(value(of, k, None, 0))


def test_the_control_variate_of_tau_is_its_formula() -> None:
    """Of tau_b itself the splits say nothing beyond the formula: both curves are exact after the correction."""
    truth, judge = (side.values for side in rows(20, 9, 7))
    x, y, teams = Sample.of(truth), Sample.of(judge), np.arange(9)
    known = judge_curve(x, y, 10, teams, shared=True, whole=True), truth_curve(x, 10, teams, whole=True)
    how = How.of("tau_b", 10, 0.95, 1, new_systems=True)
    curves, moves = sp.split_curves(truth, judge, how, teams, known)
    assert moves == pytest.approx(0, abs=1e-9)
    for made, exact in zip(curves, known, strict=True):
        np.testing.assert_allclose(made.values, exact.values)
        np.testing.assert_allclose(made.topics[0], exact.topics[0])
        np.testing.assert_allclose(made.systems, exact.systems)
        np.testing.assert_allclose(made.both[0], exact.both[0])


def test_splits_of_another_coefficient_are_seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sp, "MOST", 8)
    truth, judge = rows(24, 9, 8)
    one, two, other = (cc.judge_worth(truth, judge, coefficient="tau_ap_b", rng=seed) for seed in (1, 1, 2))
    assert one == two
    assert one.settings["seed"] == 1
    assert one.agreement != other.agreement
    assert one.worth == pytest.approx(other.worth, rel=0.2)


def test_a_worth_by_splits_has_no_more_digits_than_other_seeds_agree_on() -> None:
    assert supported(49.6, 0) == 49.6  # by the formula
    assert supported(49.6, 0.012) == 50  # 2.5 standard deviations are 1.5: tens
    assert supported(27.83, 0.001) == 27.8
    assert supported(27.83, 0.001, math.ceil) == 27.9
    assert supported(9.9, 0.06, math.floor) == 9  # one digit stays
    assert supported(27.83, 0.01) == 28
    assert supported(163.5, 0.02) == 160
    assert supported(math.inf, 0.1) == math.inf
    assert supported(0.0, 0.1) == 0
    assert math.isnan(supported(math.nan, 0.1))
    rng = np.random.default_rng(3)
    one, two = 40 * np.exp(rng.normal(0, 0.02, (2, 2000)))
    units = [abs(supported(a, 0.02) - supported(b, 0.02)) / 10 for a, b in zip(one, two, strict=True)]
    assert np.mean(np.array(units) > 1) < 0.03
