"""Repeated runs: how they are read and held, and the split of the error, against closed forms and REML."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM

import concordant as cc
from concordant.data.runs import components, run_means, within


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
    with pytest.raises(cc.errors.InputError, match="given"):
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
    assert components(values) == pytest.approx(peer, rel=1e-3)
