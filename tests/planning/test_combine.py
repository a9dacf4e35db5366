"""Combined means: other software, the literal formulas, what must not change them, and what is refused."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

import concordant as cc
from concordant.errors import AlignmentWarning, InputError, LimitError
from concordant.planning.combination import combined_means, paired_sides
from concordant.planning.mixing import combined, error_with

from ..commands import CAREFUL, HASTY, bad, good, rows

Sides = tuple[cc.Scores, cc.Scores]


def sides(n: int = 12, more: int = 40, m: int = 6, bias: float = 0.05, seed: int = 3) -> Sides:
    """Human scores on n topics, machine scores on these and others, of systems with known means."""
    rng = np.random.default_rng(seed)
    systems, topics = [f"s{k}" for k in range(m)], [f"t{k}" for k in range(n + more)]
    effects, level = np.linspace(0, 0.3, m), rng.normal(0, 0.2, (n + more, 1))
    own, shared = rng.normal(0, 0.1, (2, n + more, m))
    human = 0.4 + effects + level + own
    machine = 2 * (0.3 + effects + rng.normal(0, bias, m) + level + 0.7 * own + 0.5 * shared)
    return cc.Scores(human[:n], topics[:n], systems), cc.Scores(machine, topics, systems)


def split(human: cc.Scores, machine: cc.Scores) -> tuple[Any, Any, Any]:
    n = len(human.topics)
    return human.values, machine.values[:n], machine.values[n:]


@pytest.mark.parametrize("lam", [0.0, 0.37, 1.0, -0.5])
def test_a_fixed_lam_is_the_formula_of_prediction_powered_inference(lam: float) -> None:
    human, machine = sides()
    y, x, u = split(human, machine)
    found = combined(y, x, u, lam=lam)
    means = lam * u.mean(0) + (y - lam * x).mean(0)
    variance = (lam * u).var(0, ddof=1) / len(u) + (y - lam * x).var(0, ddof=1) / len(y)
    np.testing.assert_allclose(found.means, means, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.diag(found.covariance), variance, rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("lam", [0.2, 0.8])
def test_a_fixed_lam_is_ppi_py(lam: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ppi_py = pytest.importorskip("ppi_py")
    given = split(*sides(n=26, more=26))  # as many of each, so that n against n - 1 is one factor
    found = combined(*given, lam=lam)
    reach = stats.norm.ppf(0.975) * np.sqrt(np.diag(found.covariance) * 25 / 26)
    low, high = ppi_py.ppi_mean_ci(*given, alpha=0.05, lam=lam)
    np.testing.assert_allclose(found.means - reach, low, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.means + reach, high, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.means, ppi_py.ppi_mean_pointestimate(*given, lam=lam), rtol=0, atol=1e-9)


def test_the_best_lam_is_that_with_the_least_error() -> None:
    y, x, u = split(*sides())
    best = combined(y, x, u, shrink=False)
    assert 0 < best.lam < 1
    given = combined(y, x, u, lam=best.lam)
    for other in (best.lam - 0.05, best.lam + 0.05):
        assert combined(y, x, u, lam=other).error > given.error * 0.98
    # An estimated lam costs 2 / ((n - 1) systems) of the error of the human topics, a given one nothing.
    off = [part - part.mean(axis=1, keepdims=True) for part in (y, x)]
    residual = np.cov((off[0] - best.lam * off[1]).T)
    squares = 11**2 / (13 * 10) * (np.trace(residual @ residual) - np.trace(residual) ** 2 / 11)
    systems = min(max(np.trace(residual) ** 2 / squares, 3), 5)
    assert best.error - given.error == pytest.approx(2 / (11 * systems) * np.trace(residual) / 5 / 12, rel=1e-9)
    of = best.moments
    grid = np.linspace(0, 1, 2001)
    assert best.lam == pytest.approx(grid[np.argmin([of.variance(12, 40, lam) for lam in grid])], abs=1e-3)


def literal_shrunk(y: Any, x: Any, u: Any) -> tuple[Any, float]:
    """The shrunk deviations and the weight, written down from the definition, B by numerical integration."""
    n, more, m = len(y), len(u), y.shape[1]
    y, x, u = (part - part.mean(axis=1, keepdims=True) for part in (y, x, u))

    def pooled(a: Any, b: Any) -> float:
        total: float = sum(np.cov(a[:, i], b[:, i])[0, 1] for i in range(m))
        return float(total / (m - 1))

    syy, sxx, slope = pooled(y, y), 0.0, pooled(y, x) / pooled(x, x)
    sxx = (pooled(x, x) * (n - 1) + pooled(u, u) * (more - 1)) / (n + more - 2)
    sxy, syy = slope * sxx, syy - slope**2 * pooled(x, x) + slope**2 * sxx
    lam = slope * more / (n + more)
    mix = y.mean(0) + lam * (u.mean(0) - x.mean(0))
    every = np.vstack([x, u]).mean(0)
    v = (syy - 2 * lam * sxy) / n + lam**2 * sxx * (1 / n + 1 / more)
    c, w = sxy / (n + more), sxx / (n + more)
    b = (mix @ every / (m - 1) - c) / (mix @ mix / (m - 1) - v)
    noise = v + w / b**2 - 2 * c / b
    apart = mix - every / b
    errors = y - (lam + n / (n + more) / b) * x
    s = np.cov(errors.T)
    squares = (n - 1) ** 2 / ((n + 1) * (n - 2)) * (np.trace(s @ s) - np.trace(s) ** 2 / (n - 1))
    df = min(max(np.trace(s) ** 2 / squares, 3), m - 1)
    grid = (np.arange(200_000) + 0.5) / 200_000
    density = grid ** (df / 2 - 2) * np.exp(-df * (apart @ apart / (m - 1)) * grid / (2 * noise))
    share = float((grid * density).sum() / density.sum())
    weight = min(max((v - c / b) / noise, 0), 1) * share
    return (1 - weight) * mix + weight * every / b, weight


@pytest.mark.parametrize(("seed", "m"), [(1, 8), (2, 20), (3, 30)])
def test_shrunk_means_are_the_literal_ones(seed: int, m: int) -> None:
    y, x, u = split(*sides(m=m, seed=seed))
    means, weight = literal_shrunk(y, x, u)
    found = combined(y, x, u, shrink=True)
    assert found.weight == pytest.approx(weight, rel=1e-4)
    assert 0 < found.weight < 1
    np.testing.assert_allclose(found.means - found.means.mean(), means - means.mean(), rtol=0, atol=1e-5)


def test_a_machine_that_is_the_human_is_taken_as_it_is() -> None:
    human, _ = sides(n=52, more=0)
    few = human.select(topics=human.topics[:12])
    found = cc.combine(few, human, method="shrunk")
    every = dict(zip(human.systems, human.means(), strict=True))
    for row in found.rows():
        assert row["mean"] == pytest.approx(every[row["system"]], abs=1e-9)
    assert found.worth == pytest.approx(52, rel=0.25)


def test_units_order_and_names_do_not_matter() -> None:
    human, machine = sides(m=9)
    found = cc.combine(human, machine)
    other = cc.Scores(100 * machine.values[::-1, ::-1] - 7, machine.topics[::-1], machine.systems[::-1])
    same = cc.combine(human, other)
    assert same.means.systems == found.means.systems
    np.testing.assert_allclose(same.means.values, found.means.values, rtol=1e-9)
    np.testing.assert_allclose(same.covariance, found.covariance, rtol=1e-6, atol=1e-12)
    assert same.worth == pytest.approx(found.worth)


def test_a_useless_machine_does_no_harm() -> None:
    human, machine = sides(m=30)
    shuffled = cc.Scores(np.random.default_rng(1).permuted(machine.values, axis=1), machine.topics, machine.systems)
    assert cc.combine(human, shuffled, method="shrunk").weight < 0.35
    found = cc.combine(human, shuffled)
    assert found.weight == 0
    alone = dict(zip(human.systems, human.means(), strict=True))
    assert cc.tau_b([alone[s] for s in found.means.systems], found.means.values) > 0.9


def test_coverage_of_means_and_differences() -> None:
    """Systems with a bias that is drawn: 95% of the intervals hold. 150 trials, some 2 points of error."""
    held: dict[str, list[Any]] = {"control": [], "shrunk": []}
    pairs: dict[str, list[Any]] = {"control": [], "shrunk": []}
    for seed in range(150):
        rng = np.random.default_rng([5, seed])
        truth, bias = rng.normal(0, 0.1, 20), rng.normal(0, 0.03, 20)
        noise, level = rng.normal(0, 0.2, (115, 20)), rng.normal(0, 0.2, (115, 1))
        human = truth + level + noise
        machine = truth + bias + level + 0.6 * noise + rng.normal(0, 0.15, (115, 20))
        for method in ("control", "shrunk"):
            found = combined(human[:15], machine[:15], machine[15:], shrink=method == "shrunk")
            error, variance = found.means - truth, np.diag(found.covariance)
            held[method].append(np.abs(error) <= stats.t.ppf(0.975, found.mean_freedom) * np.sqrt(variance))
            of_pair = np.sqrt(variance[0] + variance[1:] - 2 * found.covariance[0, 1:])
            pairs[method].append(np.abs(error[0] - error[1:]) <= stats.t.ppf(0.975, found.freedom) * of_pair)
    for of in (held, pairs):
        for method, found_held in of.items():
            assert 0.925 < np.mean(found_held) < 0.985, method


def test_topics_on_which_the_machine_gives_all_systems_one_score_tell_nothing() -> None:
    """They are as if the machine had not judged them: 36 of 40 others, with any score, change nothing but the count."""
    human, machine = sides(m=9)
    values = machine.values.copy()
    values[16:] = np.arange(36)[:, None]
    with pytest.warns(AlignmentWarning, match="machine gives all systems the same score on 36 topics"):
        found = cc.combine(human, cc.Scores(values, machine.topics, machine.systems))
    four = cc.combine(human, machine.select(topics=machine.topics[:16]))
    assert (found.n_machine, found.worth, found.worth_interval) == (4, four.worth, four.worth_interval)
    assert_array_equal(found.means.values, four.means.values)
    values[12:15] = 1
    with pytest.raises(InputError, match=r"two topics .* It judged 1, and gives all systems the same score"):
        cc.combine(human, cc.Scores(values, machine.topics, machine.systems))


def test_human_topics_without_a_telling_machine_keep_their_human_scores() -> None:
    """For a given lam: mean(y) of all topics, mean(x) of those that tell something; 95% of the intervals hold."""
    y, x, u = split(*sides(m=8))
    x = x.copy()
    x[:3] = 0.5
    found = combined(y, x, u, lam=0.4)
    np.testing.assert_allclose(found.means, y.mean(0) + 0.4 * (u.mean(0) - x[3:].mean(0)), rtol=0, atol=1e-12)
    held = []
    for seed in range(200):
        rng = np.random.default_rng([9, seed])
        hard = rng.random((120, 1)) < 0.3  # on hard topics everyone fails, by people and by the machine
        noise = rng.normal(0, 0.2, (120, 10))
        human = np.where(hard, 0.1 + 0.3 * noise, np.linspace(0.2, 0.6, 10) + noise)
        machine = np.where(hard, 0.0, human + rng.normal(0, 0.1, (120, 10)))
        got = combined(human[:20], machine[:20], machine[20:])
        error = got.means - (0.3 * 0.1 + 0.7 * np.linspace(0.2, 0.6, 10))
        held.append(np.abs(error) <= stats.t.ppf(0.975, got.mean_freedom) * np.sqrt(np.diag(got.covariance)))
    assert 0.92 < np.mean(held) < 0.98


def test_favoured_systems_do_not_make_others_look_favoured() -> None:
    """Three of 20 that are favoured strongly bend the machine's scale: others were named in 33 to 42% of samples."""
    named, others = [], 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        human = rng.normal(0.5, 0.1, 20) + rng.normal(0, 0.1, (120, 20)) + rng.normal(0, 0.1, (120, 1))
        machine = 0.1 + 0.7 * human + rng.normal(0, 0.05, human.shape)
        machine[:, :3] += 0.7 * 0.2
        p = combined(human[:20], machine[:20], machine[20:]).favour_p
        named.append((p[:3] <= 0.05).mean())
        others += bool((p[3:] <= 0.05).any())
    assert np.mean(named) > 0.95
    assert others <= 12  # 7.5 are expected at most


def test_favoured_systems_are_named_and_others_are_not() -> None:
    """A favour of .1 is found; without any favour, some system is named in at most 5% of samples, 200 of them."""
    named, found_it, errors = 0, 0, []
    for seed in range(200):
        rng = np.random.default_rng([4, seed])
        truth, level = np.linspace(0, 0.4, 20), rng.normal(0, 0.2, (130, 1))
        noise = rng.normal(0, 0.15, (130, 20))
        human = truth + level + noise
        machine = 3 + 2 * (truth + level + 0.6 * noise + rng.normal(0, 0.1, (130, 20)))
        favouring = machine.copy()
        favouring[:, 4] += 2 * 0.1
        plain, other = (combined(human[:30], side[:30], side[30:]) for side in (machine, favouring))
        named += bool((plain.favour_p <= 0.05).any())
        found_it += bool(other.favour_p[4] <= 0.05)
        errors.append(other.favour[4] - 0.1)
        np.testing.assert_allclose(other.means, plain.means, rtol=0, atol=1e-12)  # the ranking does not move
    assert named <= 17
    assert found_it >= 150
    assert abs(np.mean(errors)) < 0.01


def test_the_interval_of_the_worth_is_the_literal_jackknife_and_holds() -> None:
    def log_worth(y: Any, x: Any, u: Any) -> float:
        return math.log(combined(y, x, u).worth)

    y, x, u = split(*sides(m=7))
    n, more = len(y), len(u)
    without = [log_worth(np.delete(y, k, 0), np.delete(x, k, 0), u) + math.log(n / (n - 1)) for k in range(n)]
    found = combined(y, x, u)
    assert found.spread > math.sqrt((n - 1) ** 2 / n * np.var(without, ddof=1)) * 0.8
    assert found.spread < math.sqrt((n - 1) ** 2 / n * np.var(without, ddof=1)) * 1.3
    assert found.worth_limits(0.95, n)[0] < found.worth < found.worth_limits(0.95, n)[1]
    assert more == 40
    rng = np.random.default_rng(8)
    held, errors, worths = [], [], []
    for _ in range(300):
        noise = rng.normal(0, 0.2, (120, 12))
        machine = 0.7 * noise + rng.normal(0, 0.1, noise.shape)
        got = combined(noise[:20], machine[:20], machine[20:])
        off = got.means - got.means.mean()
        errors.append(off @ off / 11)
        worths.append(got.worth_limits(0.95, 20))
    true = 0.04 / np.mean(errors)
    held = [low <= true <= high for low, high in worths]
    assert 0.9 < np.mean(held) <= 1


def test_skewed_scores_have_fewer_degrees_of_freedom() -> None:
    """Written down literally for lam=0, where only the human topics count; none are lost where nothing is skewed."""
    rng = np.random.default_rng(3)
    human, machine = rng.exponential(1, (20, 6)), rng.normal(0, 1, (80, 6))
    found = combined(human, machine[:20], machine[20:], lam=0, shrink=False)
    z = stats.norm.ppf(0.975)
    for freedom, part in ((found.mean_freedom, human), (found.freedom, human - human.mean(axis=1, keepdims=True))):
        squares = [stats.skew(column) ** 2 for column in part.T]
        square = np.mean(squares) - 6 * 18 / (21 * 23)
        assert square > 0.1
        short = square * (z**2 - 1) * (z**2 + 3) / 18 / 20  # share of the interval's reach (Hall 1992, q2)
        assert freedom == pytest.approx(1 / (1 / 19 + 4 / (z**2 + 1) * short), rel=1e-12)
    mirrored = np.vstack([human, -human])
    even = combined(mirrored, np.tile(machine[:20], (2, 1)), machine[20:], lam=0, shrink=False)
    assert (even.mean_freedom, even.freedom) == pytest.approx((39, 39), rel=1e-12)


def test_rank_intervals_work_on_it() -> None:
    human, machine = sides(m=9)
    found = cc.combine(human, machine)
    assert found.means.degrees_of_freedom == found.freedom
    assert sorted(cc.rank_intervals(found.means, rng=1).systems) == sorted(human.systems)


def test_degrees_of_freedom_widen_rank_intervals() -> None:
    means = cc.Means([3.0, 2.6, 1.0], range(3), errors=[0.1] * 3)
    known = cc.rank_intervals(means, rng=1)
    few = cc.rank_intervals(means.described(degrees_of_freedom=3), rng=1)
    assert (known["0"], few["0"]) == ((1, 1), (1, 2))
    assert "3 degrees of freedom" in str(few)
    with pytest.raises(InputError, match="degrees_of_freedom is 0"):
        means.described(degrees_of_freedom=0)


def test_the_plan_is_what_combine_reports() -> None:
    """The error of the pilot's own size is that which `combined` has, but for the spread that it happened to see."""
    human, machine = sides(m=30, n=25)
    pilot = combined_means(paired_sides(human, machine), shrink=True)
    assert error_with(pilot.moments, pilot.bias, 25, 40) == pytest.approx(pilot.error, rel=0.1)
    assert error_with(pilot.moments, None, 25, 0) == pytest.approx(pilot.moments.human / 25)
    plan = cc.plan_mix(human, machine, as_good_as=60, costs=(20, 0.05), method="shrunk")
    assert plan.alone.cost == 1200
    assert plan.cheapest.cost < 1200
    for mix in plan.mixes:
        assert error_with(pilot.moments, pilot.bias, mix.human, mix.machine) <= pilot.moments.human / 60 * (1 + 1e-6)
        if mix.machine > 1:
            assert error_with(pilot.moments, pilot.bias, mix.human, mix.machine - 1) > pilot.moments.human / 60
        assert mix.cost == pytest.approx(mix.human * 20 + (mix.human + mix.machine) * 0.05 * (mix.machine > 0))
    dear = cc.plan_mix(human, machine, as_good_as=60, costs=(1, 1000))
    assert "no mix with at least 15 of them is cheaper than human alone" in dear.verdict
    control = cc.plan_mix(human, machine, as_good_as=35, costs=(20, 0.05))
    assert control.cheapest.machine > 0
    for mix in control.mixes:
        assert error_with(pilot.moments, None, mix.human, mix.machine) <= pilot.moments.human / 35 * (1 + 1e-6)


def test_what_is_left_out_is_said() -> None:
    human, machine = sides()
    lacking = machine.select(systems=machine.systems[1:], topics=machine.topics[1:])
    with pytest.warns(AlignmentWarning) as caught:
        found = cc.combine(human, lacking)
    assert [str(w.message) for w in caught] == list(found.notes)
    assert found.notes[-1] == "1 topic of human left out, because machine lacks it: t0"
    assert found.n_human == 11


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda h, m: (h.select(topics=h.topics[:4]), m),
            "at least 5 topics that human judged.* It judged 4",
        ),
        (
            lambda h, m: (h, m.select(topics=m.topics[:13])),
            "at least two topics that human did not. It judged 1",
        ),
        (lambda h, m: (h.values, m.values), "rows without names of topics"),
        (lambda h, m: (cc.Scores(h.values * 1e150, h.topics, h.systems), m), "human has scores beyond 1e[+]60"),
        (lambda h, m: (h, cc.Scores(m.values * 1e-150, m.topics, m.systems)), "machine has only scores below 1e-60"),
    ],
)
def test_what_is_refused(change: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cc.combine(*change(*sides()))


@pytest.mark.parametrize(("of_human", "of_machine"), [(150, 150), (-180, -180), (190, -190), (-190, 190)])
def test_the_scale_of_the_scores_does_not_matter(of_human: int, of_machine: int) -> None:
    human, machine = sides()
    plain = cc.combine(human, machine, method="shrunk")
    large, small = (
        cc.Scores(np.ldexp(of.values, by), of.topics, of.systems)
        for of, by in ((human, of_human), (machine, of_machine))
    )
    found = cc.combine(large, small, method="shrunk")
    assert (found.worth, found.weight, found.freedom) == (plain.worth, plain.weight, plain.freedom)
    for name in ("low", "high"):
        assert_array_equal(getattr(found, name), np.ldexp(getattr(plain, name), of_human))
    assert_array_equal(found.covariance, np.ldexp(plain.covariance, 2 * of_human))
    assert found.lam == math.ldexp(plain.lam, of_human - of_machine)
    assert found.bias == math.ldexp(plain.bias, of_human)
    plans = [cc.plan_mix(*given, as_good_as=40, costs=(20, 0.1)) for given in ((human, machine), (large, small))]
    assert plans[0].mixes == plans[1].mixes


def test_numbers_that_are_too_large_are_refused() -> None:
    human, machine = sides()
    for count, shown in ((10**11, "100,000,000,000"), (10**400, "a number of 401 digits")):
        with pytest.raises(LimitError, match=f"as_good_as is {shown}: give at most 100,000$"):
            cc.plan_mix(human, machine, as_good_as=count, costs=(20, 0.1))
    for cost in (1e308, 1e-320, 10**400, math.inf, math.nan):
        with pytest.raises(InputError, match=r"costs is .*: give (numbers above 0|two numbers)"):
            cc.plan_mix(human, machine, as_good_as=40, costs=(20, cost))


def test_options_are_checked() -> None:
    human, machine = sides()
    for options, message in (
        ({"method": "magic"}, "method is 'magic'"),
        ({"names": ("a", "a")}, "give two different names"),
        ({"confidence_level": 1}, "confidence_level is 1"),
    ):
        with pytest.raises(InputError, match=message):
            cc.combine(human, machine, **options)
    for costs in ((0, 1), "ab", (1,), None):
        with pytest.raises(InputError if costs == (0, 1) else TypeError, match="costs"):
            cc.plan_mix(human, machine, as_good_as=30, costs=costs)  # type: ignore[arg-type]


@pytest.mark.long
def test_the_commands(tmp_path: Path) -> None:
    people = cc.load_collection("people")
    few = tmp_path / "people.csv"
    people.select(topics=people.topics[:15]).to_frame().to_csv(few)
    shown = good("combine", few, CAREFUL, "--ranks")
    assert shown.startswith(
        "15 topics by people and 25 more by careful rank the systems as well as 25 by people (95% interval 23 to 27).\n"
    )
    assert "careful favours no system significantly (corrected for 20 systems)." in shown
    assert "rank  system" in shown
    assert max(map(len, shown.split("\n\n")[0].splitlines())) <= 120
    asked = ("combine", few, CAREFUL, "--plan", "--as-good-as", "40", "--cost", "machine=0.05", "human=20")
    assert good(*asked).startswith("To match 40 topics judged by people, let people judge 15, and careful the ")
    assert "belong together" in bad("combine", few, CAREFUL, "--plan", status=2)
    assert "--ranks and --plan are different answers" in bad(*asked, "--ranks", status=2)
    assert "Figure" in good("combine", few, CAREFUL, "--ranks", "--plot", tmp_path / "combined.pdf")


def test_means_and_ranks_stand_in_one_table(tmp_path: Path) -> None:
    people = cc.load_collection("people")
    few = tmp_path / "few.csv"
    people.select(topics=people.topics[:12]).to_frame().to_csv(few)
    found = cc.combine(cc.read_scores(few), cc.read_scores(CAREFUL))
    ranks = cc.rank_intervals(found.means, rng=0)
    printed = rows("combine", few, CAREFUL, "--ranks")
    wanted = [
        {**mean, "rank_low": rank["rank"], "rank_high": rank["high"], "border_below": rank["border_below"]}
        for mean, rank in zip(found.rows(), ranks.rows(), strict=True)
    ]
    assert printed == [{name: str(value) for name, value in row.items()} for row in wanted]
    for form in ("markdown", "latex"):
        text = good("combine", few, CAREFUL, "--ranks", "-f", form).replace("\\_", "_")
        assert text.count("rank_high") == 1
        assert sum(system in text for system in people.systems) == len(people.systems)
        assert {line.count("&" if form == "latex" else "|") for line in text.splitlines() if "0." in line} == {
            11 if form == "latex" else 13
        }


@pytest.mark.parametrize(
    "given",
    [
        "human=20 judge=0.05",
        "human=20 human=3",
        "20 0.05",
        "human=20 machine=cheap",
        "human=0 machine=1",
        "human=20 machine=-1",
        "human=nan machine=1",
        "human=inf machine=1",
        "human=1e308 machine=1",
        "human=1 machine=1e-320",
    ],
)
def test_costs_that_are_none(given: str) -> None:
    said = bad("combine", HASTY, CAREFUL, "--plan", "--as-good-as", "30", "--cost", *given.split(), status=2)
    wanted = "give numbers above 0, from 1e-100 to 1e+100 per topic"
    assert f"--cost is '{given}': {wanted}, such as --cost human=20 machine=0.05" in said
