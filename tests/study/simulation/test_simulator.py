"""Simulated collections: against the description followed literally, and against what must be true of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import ks_2samp

import concordant as cc

from . import literal

FloatArray = npt.NDArray[np.float64]


def scores(values: npt.ArrayLike) -> cc.Scores:
    array = np.asarray(values, dtype=np.float64)
    return cc.Scores(array, range(array.shape[0]), [f"s{j}" for j in range(array.shape[1])], "map")


def example(n: int = 30, m: int = 6, seed: int = 0) -> cc.Scores:
    rng = np.random.default_rng(seed)
    return scores(rng.beta(1.2, 2.0, (n, 1)) * rng.beta(4, 2, (n, m)) * np.linspace(0.6, 1, m))


def transform(x: FloatArray) -> FloatArray:
    return np.asarray(np.log((x + 0.05) / (1 - x + 0.05)))


class Fixed(np.random.Generator):
    """A generator whose normal deviates are given."""

    def __init__(self, deviates: FloatArray) -> None:
        super().__init__(np.random.PCG64(0))
        self.deviates = deviates

    def standard_normal(self, *_: object, **__: object) -> FloatArray:  # type: ignore[override]
        return self.deviates


def test_a_draw_is_what_the_description_says() -> None:
    s = example()
    model = cc.study.Simulator(s)
    n, m = s.values.shape
    y = transform(s.values)
    grand = y.mean()
    system = [y[:, j].mean() - grand for j in range(m)]
    topic = [y[i].mean() - grand for i in range(n)]
    effects = np.array([[y[i, j] - grand - system[j] - topic[i] for j in range(m)] + [topic[i]] for i in range(n)])
    correlation = np.corrcoef(effects.T)
    np.testing.assert_allclose(model._factor @ model._factor.T, correlation, atol=1e-7)

    deviates = np.random.default_rng(5).normal(size=(4, model._factor.shape[1]))
    z = deviates @ model._factor.T
    wanted = np.empty((4, m))
    for i in range(4):
        drawn = []
        for j in range(m + 1):
            h = literal.bandwidth(effects[:, j])
            drawn.append(brentq(lambda x, j=j, h=h, i=i: ndtr((x - effects[:, j]) / h).mean() - ndtr(z[i, j]), -9, 9))
        for j in range(m):
            e = np.exp(grand + system[j] + drawn[-1] + drawn[j])
            wanted[i, j] = min(1.0, max(0.0, (e * 1.05 - 0.05) / (1 + e)))
    np.testing.assert_allclose(model.draw(4, Fixed(deviates)), wanted, atol=1e-6)


def test_the_same_seed_gives_the_same_scores() -> None:
    model = cc.study.Simulator(example())
    first = model.simulate(12, rng=3)
    assert np.array_equal(first.values, cc.simulate(example(), 12, rng=3).values)
    assert np.array_equal(first.values, model.simulate(12, np.random.default_rng(3)).values)
    assert not np.array_equal(first.values, model.simulate(12, rng=4).values)
    assert first.systems == example().systems
    assert first.measure == "map"
    assert first.topics[:2] == ("sim1", "sim2")
    assert ((first.values >= 0) & (first.values <= 1)).all()


def test_true_means_are_those_of_many_topics() -> None:
    model = cc.study.Simulator(example())
    drawn = model.draw(200_000, rng=1)
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - model.true_means()) < 4 * error).all()


def test_exact_means_are_the_original_ones() -> None:
    s = example()
    assert np.abs(cc.study.Simulator(s).true_means() - s.means()).max() > 5e-4
    exact = cc.study.Simulator(s, exact_means=True)
    np.testing.assert_allclose(exact.true_means(), s.means(), atol=1e-9)
    drawn = exact.draw(200_000, rng=1)
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - s.means()) < 4 * error).all()


def effects_of(values: FloatArray) -> FloatArray:
    y = transform(values)
    topic = y.mean(axis=1) - y.mean()
    return np.column_stack([y - y.mean(axis=0) - topic[:, None], topic])


def narrow() -> cc.Scores:
    """Scores far from 0 and 1, so that nothing is clipped, with residuals of unequal spread."""
    rng = np.random.default_rng(2)
    return scores(0.4 + 0.02 * rng.normal(size=(60, 1)) + rng.exponential(size=(60, 8)) * np.linspace(0.01, 0.1, 8))


def test_correlations_of_effects_are_kept() -> None:
    old = np.corrcoef(effects_of(narrow().values).T)
    new = np.corrcoef(effects_of(cc.study.Simulator(narrow()).draw(50_000, rng=0)).T)
    assert np.abs(new - old).max() < 0.1


def test_identical_systems_stay_identical() -> None:
    s = example()
    twice = scores(np.column_stack([s.values, s.values[:, 2]]))
    means = cc.simulate(twice, 40, rng=0).means()
    assert means[2] == means[-1]
    rounded = scores(np.column_stack([s.values, s.values[:, 2] + 0.1 + 0.2 - 0.3]))
    drawn = cc.simulate(rounded, 40, rng=0).values
    np.testing.assert_array_equal(drawn[:, 2], drawn[:, -1])


def test_identical_systems_stay_so_to_the_last_bit(trec: Path) -> None:
    whole = cc.read_scores(trec / "adhoc8.csv")
    _, first, group = np.unique(whole.values, axis=1, return_index=True, return_inverse=True)
    assert len(first) == len(whole.systems) - 2  # two pairs
    drawn = cc.simulate(whole, 10, rng=0)
    assert cc.study.Simulator(whole).draw(10, rng=0).flags.c_contiguous  # as kernels need it
    np.testing.assert_array_equal(drawn.values, drawn.values[:, first[group.ravel()]])
    assert (
        0 < cc.expected_correlation(drawn, coefficient="tau", n_resamples=100, rng=1).value < 1
    )  # which ties of rounding broke


@pytest.mark.parametrize(
    "values",
    [
        np.full((4, 3), 0.25),
        np.zeros((3, 2)),
        np.ones((3, 2)),
        np.array([[0.2], [0.7]]),
        np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]]),
        np.column_stack([np.linspace(0, 1, 10), np.zeros(10), np.ones(10)]),
        np.eye(6),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_degenerate_collections_give_scores(values: FloatArray, exact: bool) -> None:
    s = scores(values)
    model = cc.study.Simulator(s, exact_means=exact)
    drawn = model.draw(50, rng=0)
    assert ((drawn >= 0) & (drawn <= 1)).all()
    assert np.isfinite(model.true_means()).all()
    if exact:
        np.testing.assert_allclose(model.true_means(), s.means(), atol=1e-8)
    if np.ptp(values) == 0 and not exact:
        np.testing.assert_allclose(cc.study.Simulator(s).draw(5, rng=0), values[0, 0], atol=1e-12)


def test_scores_on_another_scale_are_scaled_on_demand() -> None:
    s = example()
    percent = scores(-50 + 100 * s.values)
    with pytest.raises(cc.errors.InputError, match=r"outside \[0, 1\].*bounds="):
        cc.study.Simulator(percent)
    model = cc.study.Simulator(percent, bounds=(-50, 50), exact_means=True)
    np.testing.assert_allclose(model.draw(9, rng=1), -50 + 100 * cc.study.Simulator(s, exact_means=True).draw(9, rng=1))
    np.testing.assert_allclose(model.true_means(), percent.means(), atol=1e-7)


def test_what_cannot_be_simulated_is_refused() -> None:
    s = example()
    with pytest.raises(cc.errors.InputError, match="scores have one score per system and no topics"):
        cc.study.Simulator({"a": 0.1, "b": 0.2})
    with pytest.raises(cc.errors.InputError, match="scores have 1 topic: at least 2 are needed"):
        cc.study.Simulator(scores([[0.1, 0.2]]))
    with pytest.raises(cc.errors.LimitError, match="scores have 2,001 topics, and a simulation takes at most 2,000"):
        cc.study.Simulator(scores(np.random.default_rng(0).random((2_001, 2))))
    for bounds in (3, (1, 0), (0, np.inf)):
        with pytest.raises(cc.errors.InputError, match="bounds is"):
            cc.study.Simulator(s, bounds=bounds)  # type: ignore[arg-type]
    for count in (0, 2.5, True):
        with pytest.raises(cc.errors.InputError, match="n_topics is"):
            cc.simulate(s, count)  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.parametrize(("name", "systems"), [("adhoc6", 55), ("adhoc7", 77), ("adhoc8", 97)])
def test_real_collections_keep_what_the_reference_keeps(trec: Path, name: str, systems: int) -> None:
    whole = cc.read_scores(trec / f"{name}.csv")
    assert isinstance(whole, cc.Scores)
    model = cc.study.Simulator(whole.drop_bottom(0.25))
    assert len(model.scores.systems) == systems
    old, new = model.scores.values, model.draw(5_000, rng=0)
    assert np.abs(model.true_means() - model.scores.means()).max() <= 0.018
    assert 0.965 <= round(float(cc.tau_b(model.scores.means(), model.true_means().round(9))), 3) <= 0.978
    # Fifty topics lie that far from the distribution that they come from, on average.
    assert ks_2samp(old, new, method="asymp").statistic.mean() < 0.8687 / np.sqrt(50)
    shifts = np.abs(np.corrcoef(new.T) - np.corrcoef(old.T))[np.triu_indices(len(new.T), 1)]
    assert shifts.mean() < 0.08
