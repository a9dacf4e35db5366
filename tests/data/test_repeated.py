"""Repeated runs: how they are read and held, and the split of the error, against closed forms and REML."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM

import concordant as cc
from concordant.data.runs import components, run_means, within
from concordant.ranks.noise import wilson
from tests.commands import run

pytestmark = pytest.mark.filterwarnings("ignore:.*its score is their mean")


def scores_of(values: Any, **about: Any) -> cc.Scores:
    return cc.Scores(values, range(len(values)), [f"s{k}" for k in range(np.shape(values)[1])], **about)


def long(values: Any, run: str = "seed") -> pd.DataFrame:
    rows = [(f"s{s}", str(t), r, x) for (t, s, r), x in np.ndenumerate(values) if not np.isnan(x)]
    return pd.DataFrame(rows, columns=["model", "task", run, "score"])


def test_tau_bench_as_published(formats: Path) -> None:
    read = cc.read_scores(formats / "as_published" / "trials" / "tau_bench_gpt-4o_airline.csv")
    assert isinstance(read, cc.Scores)
    assert read.runs is not None
    assert (read.runs.shape, read.measure) == ((50, 1, 4), "reward")
    assert read.means()[0] == pytest.approx(0.42)
    assert read.values.var(ddof=1) / 50 == pytest.approx(0.0027265, abs=5e-8)
    assert within(read.runs).runs[0] == pytest.approx(0.0007333, abs=5e-8)


@pytest.mark.parametrize("name", ["seed", "trial", "epoch", "repeat", "sample", "run"])
def test_a_column_of_runs_is_found_by_its_name(name: str) -> None:
    values = np.random.default_rng(1).random((5, 2, 3))
    values[0, 0, 2] = values[3, 1, 1] = np.nan  # fewer runs
    read = cc.as_scores(long(values, name))
    assert isinstance(read, cc.Scores)
    assert read.systems == ("s0", "s1")
    assert np.array_equal(read.values, run_means(values))
    again = cc.as_scores(long(values, "which"), run_column="which")
    assert read == again
    with pytest.raises(cc.errors.InputError, match="already has a score"):
        cc.as_scores(long(values, "which"), score_column="score")


def test_one_run_is_as_before() -> None:
    values = np.random.default_rng(2).random((6, 3))
    plain, one = scores_of(values), scores_of(values[:, :, None])
    assert plain == one
    assert one.runs is None
    assert cc.as_scores(long(values[:, :, None])) == cc.as_scores(long(values[:, :, None]).drop(columns="seed"))


def test_runs_go_along_and_everything_else_sees_the_means() -> None:
    values = np.random.default_rng(3).random((6, 3, 4))
    values[0, 0, 1:] = np.nan
    given = scores_of(values, lower_is_better=True)
    assert np.allclose(given.values, -np.nanmean(values, axis=2))
    some = given.select(systems=["s2", "s0"], topics=["4", "0"])
    assert np.array_equal(some.shown(some.runs), values[np.ix_([4, 0], [2, 0])], equal_nan=True)
    assert given.described(measure="wer").runs is not None
    assert pickle.loads(pickle.dumps(given)) == given
    assert given != given.like(given.values)
    assert cc.rank_intervals(given, n_resamples=99, rng=1) == cc.rank_intervals(
        given.like(given.values), n_resamples=99, rng=1
    )
    values[1, 1] = np.nan
    kept, _ = scores_of(values, missing="drop").settled()
    assert kept.runs is not None
    assert np.array_equal(kept.runs, np.delete(values, 1, axis=0), equal_nan=True)
    with pytest.raises(cc.errors.InputError, match="'s1' on topic '2' is inf"):
        scores_of(np.where(np.arange(72).reshape(6, 3, 4) == 2 * 12 + 4 + 3, np.inf, 0.5))
    with pytest.raises(cc.errors.InputError, match="one score per system"):
        cc.Means(np.zeros((2, 2)), ["a", "b"])


def test_the_error_from_runs_cell_by_cell() -> None:
    values = np.random.default_rng(4).random((7, 2, 4))
    values[0, 0, 1:] = values[2, 1, 2:] = np.nan
    for s in range(2):
        cells = [row[~np.isnan(row)] for row in values[:, s]]
        pooled = sum(((c - c.mean()) ** 2).sum() for c in cells) / sum(len(c) - 1 for c in cells)
        literal = sum((c.var(ddof=1) if len(c) > 1 else pooled) / len(c) for c in cells) / 49
        assert within(values).runs[s] == pytest.approx(literal, rel=1e-12)
        assert within(values).df[s] == sum(len(c) - 1 for c in cells)


def test_components_are_those_of_reml() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(0, 1, (25, 1, 1)) + rng.normal(0, 0.7, (25, 4, 1)) + rng.normal(0, 0.5, (25, 4, 3))
    made = MixedLM.from_formula(
        "score ~ C(model)", groups="task", re_formula="1", vc_formula={"cell": "0 + C(model)"}, data=long(values)
    ).fit(reml=True)
    peer = (made.scale, float(made.vcomp[0]), float(made.cov_re.iloc[0, 0]))
    assert components(values)[:3] == pytest.approx(peer, rel=1e-3)


def test_intervals_of_tau_bench(formats: Path) -> None:
    path = formats / "as_published" / "trials" / "tau_bench_gpt-4o_airline.csv"
    row = cc.ranks.run_noise(path).rows()[0]
    assert [row["low"], row["high"]] == pytest.approx([0.3222926149932732, 0.5244078219576144], rel=1e-12)
    assert row["from_runs"] == pytest.approx(0.26896207584830334, rel=1e-12)
    half = stats.t.ppf(0.975, 49) * np.sqrt(0.0027265306122448985 - 0.0007333333333333333)
    assert row["without"] == pytest.approx(half)
    these = cc.ranks.run_noise(path, these_topics=True).rows()[0]
    assert [these["low"], these["high"]] == pytest.approx([0.36637043421040755, 0.4736295657895924], rel=1e-12)
    assert "Runs cause 27%" in run("board", str(path), "--runs").stdout


def test_these_topics_literally() -> None:
    values = np.random.default_rng(6).random((8, 2, 3))
    values[0, 0, 2] = np.nan
    cells = [[row[~np.isnan(row)] for row in values[:, s]] for s in range(2)]
    squares = [sum(((c - c.mean()) ** 2).sum() for c in system) + 0.05 for system in cells]
    df = [sum(len(c) - 1 for c in system) + 1 for system in cells]
    parts = [squares[s] / df[s] * sum(1 / len(c) for c in cells[s]) / 64 for s in range(2)]
    found = cc.difference(scores_of(values), "s0", "s1", these_topics=True, rng=1)
    assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(found.difference) / np.sqrt(sum(parts)), sum(df)))
    with pytest.raises(cc.errors.InputError, match="every topic has one run"):
        cc.difference(scores_of(values[:, :, 0]), "s0", "s1", these_topics=True)


def test_seeds_are_found_and_added() -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(0, 1, (30, 1, 1)) + rng.normal(0, 1, (1, 3, 4)) + rng.normal(0, 0.5, (30, 3, 4))
    found = cc.ranks.run_noise(scores_of(values))
    assert found.settings["runs"] == "seeds"
    assert "taken as seeds" in found.notes[0]
    assert found.intervals == cc.ranks.run_noise(scores_of(values), runs="seeds").intervals
    x = values[:, 0]
    ms_t, ms_r = 4 * x.mean(1).var(ddof=1), 30 * x.mean(0).var(ddof=1)
    ms_e = ((x - x.mean(1, keepdims=True) - x.mean(0) + x.mean()) ** 2).sum() / (29 * 3)
    v = (ms_t + ms_r - ms_e) / 120
    df = v**2 / (((ms_t / 120) ** 2) / 29 + ((ms_r / 120) ** 2) / 3 + ((ms_e / 120) ** 2) / 87)
    half = stats.t.ppf(0.975, df) * np.sqrt(v)
    row = next(row for row in found.rows() if row["system"] == "s0")
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half)
    trials = cc.ranks.run_noise(scores_of(values), runs="trials")
    assert trials.intervals[0].high - trials.intervals[0].low < found.intervals[0].high - found.intervals[0].low
    a, b = (cc.difference(scores_of(values), "s0", "s1", runs=how, rng=1) for how in ("seeds", "trials"))
    assert a.interval.high > b.interval.high
    assert cc.ranks.run_noise(scores_of(rng.random((30, 3, 4)))).settings["runs"] == "trials"


@pytest.mark.parametrize(
    ("n", "r", "kind"), [(10, 1, "binary"), (10, 5, "binary"), (50, 3, "graded"), (50, 5, "binary")]
)
def test_intervals_cover_the_expected_mean(n: int, r: int, kind: str) -> None:
    rng, covered = np.random.default_rng(n + r), []
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    truth = float((1 / (1 + np.exp(-(0.5 + 1.6 * nodes))) * weights).sum() / weights.sum())
    for _ in range(500):
        p = 1 / (1 + np.exp(-(0.5 + rng.normal(0, 1.6, (n, 1)))))
        drawn = (rng.random((n, r)) < p) * 1.0 if kind == "binary" else rng.beta(3 * p, 3 * (1 - p), (n, r))
        low, high = wilson(drawn.mean(axis=1), 0.95, "binary" if kind == "binary" else "graded")
        covered.append(low <= truth <= high)
    assert 0.92 <= np.mean(covered) <= 0.99


def test_runs_without_a_column_of_systems() -> None:
    values = np.random.default_rng(8).random((5, 2, 3))
    rows = [(f"t{t}", r, *values[t, :, r]) for t in range(5) for r in range(3)]
    wide = cc.as_scores(pd.DataFrame(rows, columns=["task", "seed", "alpha", "beta"]))
    assert isinstance(wide, cc.Scores)
    assert wide.systems == ("alpha", "beta")
    assert np.array_equal(wide.runs, values)  # type: ignore[arg-type]
    one = cc.as_scores(pd.DataFrame(rows, columns=["task", "trial", "score", "x"]).drop(columns="x"))
    assert isinstance(one, cc.Scores)
    assert np.array_equal(one.runs, values[:, :1])  # type: ignore[arg-type]
    assert "up to 3 runs" in one.notes[0]


def test_epochs_in_the_frame_of_inspects_samples_are_runs() -> None:
    values = np.random.default_rng(12).random((5, 2, 3))
    frame = long(values, "epoch").rename(columns={"task": "id"})
    frame = frame.assign(eval_id="e" + frame["model"], sample_id=[f"u{k}" for k in range(len(frame))])
    for columns in (["eval_id", "sample_id", "id", "epoch", "model", "score"], ["id", "epoch", "model", "score"]):
        read = cc.as_scores(frame[columns])
        assert isinstance(read, cc.Scores)
        assert (read.topics, read.systems) == (tuple("01234"), ("s0", "s1"))
        assert np.array_equal(read.runs, values)  # type: ignore[arg-type]


def test_look_takes_a_column_of_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    long(np.random.default_rng(13).random((4, 2, 3)), "attempt").to_csv(path, index=False)
    assert run("look", str(path)).exit_code == 1
    assert "2 systems, 4 topics" in run("look", str(path), "--run-column", "attempt").stdout


def test_epochs_of_inspect_are_runs(tmp_path: Path) -> None:
    samples = [
        {"id": k, "epoch": e, "scores": {"match": {"value": "C" if (k + e) % 2 else "I"}}}
        for k in (1, 2)
        for e in (1, 2, 3)
    ]
    reduced = [{"scorer": "match", "reducer": "mean", "samples": [{"sample_id": k, "value": 0.5} for k in (1, 2)]}]
    log = {"eval": {"task": "quiz", "model": "m"}, "status": "success", "samples": samples, "reductions": reduced}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    found = cc.read_scores(path)
    assert isinstance(found, cc.Scores)
    assert found.runs is not None
    assert found.runs[:, 0].tolist() == [[0, 1, 0], [1, 0, 1]]
    path.write_text(json.dumps(log | {"reductions": [reduced[0] | {"reducer": "max"}]}))
    with pytest.warns(cc.errors.DataWarning, match="Inspect reduced the epochs by max, but we use their mean"):
        assert cc.read_scores(path) == found


def test_the_split_of_unbalanced_runs_is_that_of_reml() -> None:
    rng = np.random.default_rng(9)
    values = rng.normal(0, 1, (200, 1, 1)) + rng.normal(0, 0.8, (200, 1, 5))
    counts = rng.integers(2, 6, 200)
    values[np.arange(5) >= counts[:, None, None]] = np.nan
    made = MixedLM.from_formula("score ~ 1", groups="task", data=long(values)).fit(reml=True)
    runs = made.scale * (1 / counts).sum() / 200**2
    topics = float(made.cov_re.iloc[0, 0]) / 200
    found = cc.ranks.run_noise(scores_of(values))
    variance = float(run_means(values).var(ddof=1)) / 200
    assert found.from_runs[0] * variance == pytest.approx(runs, rel=0.1)  # sampling error of both, about 6%
    assert (1 - found.from_runs[0]) * variance == pytest.approx(topics, rel=0.1)


def test_the_options_of_the_command(tmp_path: Path) -> None:
    values = np.random.default_rng(10).random((12, 3, 4)) + np.array([0.5, 0.2, 0.0])[:, None]
    path = tmp_path / "runs.csv"
    long(values).to_csv(path, index=False)
    given = cc.read_scores(path)
    printed = json.loads(run("board", str(path), "--pair", "s0", "s1", "--these-topics", "--format", "json").stdout)
    found = cc.difference(given, "s0", "s1", these_topics=True, rng=0).to_dict()
    assert {key: printed[key] for key in found} == found
    pairs = json.loads(run("board", str(path), "--pairs", "--these-topics", "--format", "json").stdout)
    assert len(pairs["pairs"]) == 2
    board = run("board", str(path), "--these-topics")
    assert board.exit_code == 0
    assert "s0 is the best of 3 systems" in board.stdout
    assert "up to 4 runs" in run("board", str(path), "--runs").stderr + run("board", str(path), "--runs").stdout


def seeded(rng: np.random.Generator, systems: int, sd: float = 1.0) -> cc.Scores:
    """Equal systems on 30 topics, each trained four times."""
    runs = rng.normal(0, 1, (30, 1, 1)) + rng.normal(0, sd, (1, systems, 4)) + rng.normal(0, 0.5, (30, systems, 4))
    return scores_of(runs)


def test_all_systems_decide_whether_runs_are_seeds() -> None:
    scores = seeded(np.random.default_rng(11), 6, 0.08)
    runs = np.asarray(scores.runs)
    means = runs.mean(axis=2, keepdims=True), runs.mean(axis=0, keepdims=True), runs.mean(axis=(0, 2), keepdims=True)
    rest = runs - means[0] - means[1] + means[2]
    p = stats.f.sf((30 * means[1].var(axis=2, ddof=1).sum()) / ((rest**2).sum() / (29 * 3)), 6 * 3, 6 * 29 * 3)
    assert p < 0.2
    found = [*cc.ranks.run_noise(scores).notes, *cc.difference(scores, "s0", "s1", rng=1).notes]
    found += cc.rank_intervals(scores, rng=1).notes
    assert [f"p = {p:.3g}" in note for note in found] == [True] * 3


def test_ranks_count_the_error_of_seeds() -> None:
    scores = seeded(np.random.default_rng(12), 3)
    runs = np.asarray(scores.runs)
    each = [cc.difference(scores, "s0", other, rng=1) for other in ("s1", "s2")]
    found = cc.rank_intervals(scores, rng=1)
    assert isinstance(found.data, cc.Means)
    assert found.data.covariance is not None
    sd = np.array([[1.0, -1, 0], [1, 0, -1]])
    errors = np.sqrt(np.diag(sd @ found.data.covariance @ sd.T))
    limits = [(one.interval.high - one.interval.low) / 2 for one in each]
    assert (errors * 2 < limits).all()  # Satterthwaite's t with few degrees of freedom
    squares = 30 * runs.mean(axis=0).var(axis=1, ddof=1)
    rest = runs - runs.mean(axis=2, keepdims=True) - runs.mean(axis=0, keepdims=True)
    rest += runs.mean(axis=(0, 2), keepdims=True)
    own = np.cov(runs.mean(axis=2).T) / 30
    own += np.diag((squares - (rest**2).sum(axis=(0, 2)) / (29 * 3)) / 120)
    assert found.data.covariance == pytest.approx(own)
    trials = cc.rank_intervals(scores, runs="trials", rng=1)
    assert isinstance(trials.data, cc.Scores)
    assert cc.board(scores, rng=1).reliability == ()
    assert cc.board(scores, runs="trials", rng=1).reliability != ()


def test_equal_systems_with_seeds_are_rarely_separated() -> None:
    rng, tested, ignored = np.random.default_rng(13), 0, 0
    for _ in range(100):
        scores = seeded(rng, 4)
        tested += bool((cc.rank_intervals(scores, n_resamples=999, rng=1).low > 1).any())
        ignored += bool((cc.rank_intervals(scores, runs="trials", n_resamples=999, rng=1).low > 1).any())
    assert tested <= 10
    assert ignored >= 90


def test_the_command_says_how_to_take_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    long(np.asarray(seeded(np.random.default_rng(12), 3).runs)).to_csv(path, index=False)
    for options in (("--pair", "s0", "s1"), ("--pairs",), ("--runs",), ()):
        printed = " ".join(run("board", str(path), *options).stdout.split())
        assert "if they are independent trials, say --runs-as trials" in printed
        for how in ("trials", "seeds"):
            assert "may be better" not in run("board", str(path), *options, "--runs-as", how).stdout
    assert (
        "not known: more topics do not remove the noise of seeds"
        in run("board", str(path), "--pair", "s0", "s1").stdout
    )
