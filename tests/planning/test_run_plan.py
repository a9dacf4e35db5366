"""More topics or more runs, and pass@k and pass^k, against literal definitions, closed forms and simulation."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from concordant.data.runs import components, passing
from concordant.errors import InputError

from ..commands import good, run

plan_runs: Any = cc.planning.plan_runs
pytestmark = pytest.mark.filterwarnings("ignore:.*its score is their mean")


def scores_of(runs: Any, **about: Any) -> cc.Scores:
    return cc.Scores(runs, range(len(runs)), [f"s{k}" for k in range(np.shape(runs)[1])], **about)


def tau_bench(formats: Path) -> Path:
    return formats / "as_published" / "trials" / "tau_bench_gpt-4o_airline.csv"


class TestPassing:
    @pytest.mark.parametrize("every", [False, True])
    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_all_draws_of_k_runs(self, k: int, every: bool) -> None:
        runs = (np.random.default_rng(k).random((20, 3, 6)) < 0.4).astype(float)
        runs[::2, :, 5] = runs[::3, 1, 3:] = np.nan
        found = passing(runs, k, every=every)
        for cell in np.ndindex(20, 3):
            known = runs[cell][~np.isnan(runs[cell])]
            judge = all if every else any
            expected = np.mean([judge(part) for part in itertools.combinations(known, k)])
            assert found[cell] == pytest.approx(expected, abs=1e-12)

    def test_tau_bench_as_published(self, formats: Path) -> None:
        path = tau_bench(formats)
        found = [cc.read_scores(path, repeats=f"pass^{k}").means()[0] for k in (1, 2, 3, 4)]
        assert found == pytest.approx([0.42, 0.273333333, 0.22, 0.2])
        assert cc.read_scores(path, repeats="pass@2").means()[0] == pytest.approx(0.566666667)
        shown = cc.ranks.run_noise(cc.read_scores(path, repeats="pass^2"))
        assert shown.intervals[0].low == pytest.approx(0.17935683273578246)  # of the prototype that the spec names
        assert shown.intervals[0].high == pytest.approx(0.39297104763437923)

    def test_it_is_a_score_like_any_other(self) -> None:
        runs = (np.random.default_rng(1).random((12, 2, 4)) < [[[0.8], [0.4]]]).astype(float)
        made = cc.as_scores(scores_of(runs, measure="reward"), repeats="pass^2")
        assert isinstance(made, cc.Scores)
        assert (made.measure, made.runs) == ("pass^2 of reward", None)
        assert cc.difference(made, "s0", "s1", rng=1).n_topics == 12

    def test_refused(self) -> None:
        runs = np.ones((3, 2, 4))
        runs[1, 1, 2:] = np.nan
        with pytest.raises(InputError, match=r"pass\^3 needs 3 runs of each topic, but s1 has 2 on topic '1'"):
            cc.as_scores(scores_of(runs), repeats="pass^3")
        with pytest.raises(InputError, match=r"needs runs that pass or fail"):
            cc.as_scores(scores_of(runs / 2), repeats="pass@2")
        with pytest.raises(InputError, match=r"needs several runs"):
            cc.as_scores(scores_of(runs[:, :, 0]), repeats="pass@1")
        with pytest.raises(InputError, match=r"repeats is 'pass\^0': give mean, pass@K or pass\^K"):
            cc.as_scores(scores_of(runs), repeats="pass^0")


class TestPlan:
    def test_tau_bench_as_published(self, formats: Path) -> None:
        found = plan_runs(cc.read_scores(tau_bench(formats)), topic_cost=1, run_cost=0.01)
        assert found.ratio == pytest.approx(1.4717, abs=1e-4)
        low, high = (limit**2 / 100 for limit in (found.n_runs_interval.low, found.n_runs_interval.high))
        assert (low, high) == (pytest.approx(0.79, abs=0.01), pytest.approx(2.83, abs=0.01))
        answer = good("plan", tau_bench(formats), "--topic-cost", "10", "-q")
        assert answer.startswith("Spend 700 on 50 topics with 4 runs each")

    @pytest.mark.parametrize("m", [1, 3])
    def test_the_formula_and_the_budget(self, m: int) -> None:
        rng = np.random.default_rng(m)
        runs = rng.normal(0, 1, (60, 1, 1)) + rng.normal(0, 0.5, (60, m, 1)) + rng.normal(0, 1, (60, m, 5))
        found = plan_runs(scores_of(runs), topic_cost=20, run_cost=2, budget=100_000)
        cells = runs.mean(axis=2)
        error = ((runs - cells[:, :, None]) ** 2).sum() / (60 * m * 4)
        rest = cells if m == 1 else cells - cells.mean(axis=1, keepdims=True)
        rest = rest - rest.mean(axis=0)
        between = (rest**2).sum() / (59 * max(m - 1, 1)) - error / 5
        best = max(1.0, math.sqrt(error / between * 20 / (m * 2)))
        assert found.ratio == pytest.approx(error / between)
        assert abs(found.n_runs - best) < 1
        assert found.n_topics == int(100_000 / (20 + found.n_runs * m * 2))
        variance = (between + error / found.n_runs) / found.n_topics
        assert found.se == pytest.approx(math.sqrt(variance * (2 if m > 1 else 1)))
        assert found.se == min(row["se"] for row in found.rows())
        f = stats.f.isf([0.025, 0.975], 59 * max(m - 1, 1), 60 * m * 4)
        limits = [max(1, math.sqrt(20 / (m * 2) / ((5 * between / error + 1) / q - 1) * 5)) for q in f]
        assert [found.n_runs_interval.low, found.n_runs_interval.high] == pytest.approx(sorted(limits))

    def test_the_error_that_it_promises_is_that_of_new_topics_and_runs(self) -> None:
        rng = np.random.default_rng(4)

        def draw(n: int, r: int) -> Any:
            shape = (400, n, 2)
            cells = rng.normal(0, 1, (400, n, 1)) + rng.normal(0, 0.5, shape)
            return cells[..., None] + rng.normal(0, 1, (*shape, r))

        promised = np.mean([plan_runs(scores_of(one), topic_cost=4, budget=480).se for one in draw(60, 4)[:150]])
        plan = plan_runs(scores_of(draw(60, 4)[0]), topic_cost=4, budget=480)
        means = draw(plan.n_topics, plan.n_runs).mean(axis=(1, 3))
        assert promised == pytest.approx((means[:, 0] - means[:, 1]).std(), rel=0.12)

    def test_unequal_numbers_of_runs(self) -> None:
        rng = np.random.default_rng(5)
        shape, found = (400, 30, 3), []
        runs = rng.normal(0, 0.6, shape)[..., None] + rng.normal(0, 1, (*shape, 4))
        runs = np.where(np.arange(4) < rng.integers(1, 5, shape)[..., None], runs, np.nan)
        found = [components(one) for one in runs]
        assert np.mean([one.runs for one in found]) == pytest.approx(1, abs=0.03)
        assert np.mean([one.topics_by_systems for one in found]) == pytest.approx(0.36, abs=0.03)
        assert np.mean([one.topics for one in found]) == pytest.approx(0, abs=0.03)

    def test_where_only_one_of_both_varies(self) -> None:
        same = np.random.default_rng(6).random((20, 1, 1)) * np.ones((1, 1, 3))
        found = plan_runs(scores_of(same), topic_cost=9)
        assert (found.n_runs, found.ratio) == (1, pytest.approx(0, abs=1e-20))
        noise = plan_runs(scores_of(np.tile([0, 0.5, 1], (20, 1, 1))))
        assert noise.ratio == math.inf
        assert noise.n_topics == 2
        assert "number of runs: without limits" in noise.verdict

    def test_refused(self) -> None:
        runs = np.random.default_rng(8).random((5, 2, 3))
        for how in ({"topic_cost": -1}, {"run_cost": 0}, {"budget": 3}, {"topic_cost": math.inf}):
            with pytest.raises(InputError, match=next(iter(how))):
                plan_runs(scores_of(runs), **how)
        with pytest.raises(InputError, match="every topic has one run"):
            plan_runs(scores_of(runs[:, :, 0]))
        holes = runs.copy()
        holes[:4, 0] = np.nan
        with pytest.raises(InputError, match="need at least 2 topics that all systems have"):
            plan_runs(scores_of(holes))


def test_repeats_on_the_command_line(formats: Path) -> None:
    found = run("board", tau_bench(formats), "--runs", "--repeats", "pass^4", "-q")
    assert "0.2000  0.1118 to 0.3318" in found.stdout
    found = run("board", tau_bench(formats), "--runs", "--repeats", "pass^5", "-q")
    assert found.exit_code == 1
    assert "pass^5 needs 5 runs of each topic" in found.stderr
