"""`rank_from_labels`: the estimates against their definitions, against the truth, and what is said of them."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

import concordant as cc
from concordant.judgments import LabelRanking, label, rank_from_labels
from concordant.judgments import label_estimates as estimates
from concordant.judgments.leverage import sizes_of
from concordant.judgments.measures import Measure
from concordant.judgments.pool import Pool, make_pool, tickets

from . import literal
from .collection import DEPTH, MACHINE, PEOPLE, RUNS

MEASURES = ("P(rel=2)@10", "DCG@10", "AP(rel=2)", "AP(rel=2)@12", "nDCG@10")


def grades_of(pool: Pool, people: cc.Qrels = PEOPLE) -> np.ndarray:
    return np.array([float(people[topic][document]) for topic, document in pool.pairs])


def sample_of(pool: Pool, n: int, measure: str, seed: int = 1, people: cc.Qrels = PEOPLE) -> estimates.LabelSample:
    """The first n pairs of a list."""
    sizes = sizes_of(pool, [Measure.parse(measure)])
    u, fold = tickets(seed, pool.pairs)
    key = u / sizes
    places = np.argsort(key)[:n]
    threshold = np.sort(key)[n] if n < len(pool) else np.inf
    chance = np.minimum(1, threshold * sizes[places])
    return estimates.LabelSample(pool, places, chance, sizes[places], grades_of(pool, people)[places], fold)


def ranked(measure: str = "P(rel=2)@10", budget: int = 150, **options: object) -> LabelRanking:
    machine = options.pop("machine", MACHINE)
    seed = options.pop("seed", 1)
    chosen = label(RUNS, machine=machine, measures=[measure], budget=budget, seed=seed)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rank_from_labels(chosen.with_grades(PEOPLE), RUNS, measure, machine=machine, rng=1, **options)  # type: ignore[arg-type]


# ---- against the definitions
@pytest.mark.parametrize("machine", [MACHINE, None])
@pytest.mark.parametrize("measure", MEASURES[:4])
def test_scores_and_covariance_are_those_of_the_definition(measure: str, machine: cc.Qrels | None) -> None:
    wanted = Measure.parse(measure)
    depth = wanted.cutoff or DEPTH
    pool = make_pool(RUNS, RUNS.topics, depth, machine)
    sample = sample_of(pool, 90, measure)
    found = estimates.estimate(sample, wanted)

    pairs = pool.pairs
    judged = [pairs[k] for k in sample.places]
    chance = dict(zip(judged, sample.chance, strict=True))
    sizes = dict(zip(judged, sample.sizes, strict=True))
    grade = {(t, d): float(PEOPLE[t][d]) for t, d in judged}
    y = grade if wanted.kind == "DCG" else {pair: float(g >= 2) for pair, g in grade.items()}
    places = literal.popularity(RUNS, RUNS.topics, depth)
    known = literal.Known(
        {(t, d): machine[t][d] if machine else 0 for t, d in pairs},  # type: ignore[misc]
        dict(zip(pairs, zip(*places, strict=True), strict=True)),  # type: ignore[arg-type]
        dict(zip(pairs, tickets(1, pairs)[1].tolist(), strict=True)),
    )
    f = literal.predictions(y, sizes, chance, known)
    if wanted.kind == "AP":
        f = {pair: min(max(value, 0.001), 0.999) for pair, value in f.items()}
    v = f | {d: f[d] + (y[d] - f[d]) / chance[d] for d in judged}

    def scores(x: dict[literal.Pair, float], relevant: dict[str, float]) -> np.ndarray:
        if wanted.kind == "AP":
            return np.array(literal.ap_scores(RUNS, depth, x, relevant))
        return np.array(literal.linear_scores(RUNS, wanted, x))

    relevant = {}
    for topic in RUNS.topics:
        plain = sum(y.get(pair, f[pair]) for pair in pairs if pair[0] == topic)
        relevant[topic] = max(sum(v[pair] for pair in pairs if pair[0] == topic), 0.5 * max(plain, 0.5))
    expected, spread = scores(v, relevant), dict.fromkeys(RUNS.topics, 0.0)
    variance = {d: (y[d] - f[d]) ** 2 * (1 - chance[d]) / chance[d] ** 2 for d in judged}
    for topic, _ in judged:
        spread[topic] = sum(variance[d] for d in judged if d[0] == topic)

    # The slope of every mean by every label, by a small step; for AP where the labels are known, and R moves with them.
    at, step, terms = f | y if wanted.kind == "AP" else v, 1e-6, []
    for d in judged:
        moved = []
        for sign in (1, -1):
            more = dict(relevant)
            more[d[0]] += sign * step
            moved.append(scores(at | {d: at[d] + sign * step}, more).mean(axis=1))
        slope = (moved[0] - moved[1]) / (2 * step)
        if wanted.kind == "AP":  # the bias of a ratio, to second order
            more_relevant = relevant[d[0]]
            fading = math.exp(-spread[d[0]] / more_relevant**2 / 0.1)
            expected[:, RUNS.topics.index(d[0])] += len(RUNS.topics) * slope * variance[d] / more_relevant * fading
        terms.append(slope * (y[d] - f[d]) * math.sqrt(1 - chance[d]) / chance[d])
    np.testing.assert_allclose(found.scores, expected, rtol=1e-8, atol=1e-10)
    wanted_covariance = sum(np.outer(term, term) for term in terms)
    np.testing.assert_allclose(found.terms @ found.terms.T, wanted_covariance, rtol=2e-4, atol=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
def test_with_all_judged_the_scores_are_those_of_evaluate(measure: str) -> None:
    pool = make_pool(RUNS, RUNS.topics, Measure.parse(measure).cutoff or DEPTH, MACHINE)
    inside = cc.Qrels.from_dict({t: {d: PEOPLE[t][d] for s, d in pool.pairs if s == t} for t in RUNS.topics})
    wanted = cc.evaluate(RUNS, inside, measure)
    for these_topics in (False, True):
        found = ranked(measure, len(pool), these_topics=these_topics)
        assert found.scores.systems == wanted.systems
        np.testing.assert_allclose(found.scores.values, wanted.values, atol=1e-12)
        assert np.abs(found.document_covariance).max() == 0
        assert found.worth == len(pool)
    means = dict(zip(wanted.systems, wanted.means(), strict=True))
    middle = wanted.means().mean() if measure == "nDCG@10" else 0.0
    for system, mean in zip(found.means.systems, found.means.values, strict=True):
        assert mean == pytest.approx(means[system] - middle)


# ---- unbiased
class Tiny:
    """A pool of six documents, and a system for each that returns nothing else: its P@1 is the pseudo-label."""

    sizes = np.array([0.3, 1.0, 0.2, 2.0, 0.7, 0.05])
    labels = np.array([[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]])
    guess = np.array([[0.2, 0.7, 1.4, 0.5, 0.1, -0.3]])

    def __init__(self) -> None:
        runs = cc.Runs.from_dict({f"s{k}": {"t": [f"d{k}"]} for k in range(6)})
        self.pool = make_pool(runs, ("t",), 1)

    def pseudo(self, u: np.ndarray, n: int) -> np.ndarray:
        key = u / self.sizes
        order = np.argsort(key)
        places, threshold = order[:n], key[order[n]]
        chance = np.minimum(1, threshold * self.sizes[places])
        sample = estimates.LabelSample(
            self.pool, places, chance, self.sizes[places], np.zeros(n), np.zeros(6, dtype=int)
        )
        measure = Measure("P", 1)
        return estimates._linear(sample, measure, np.ones(1), self.labels[:, places], self.guess).scores[:, 0]


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_pseudo_label_integrates_to_the_label(n: int) -> None:
    """Over the ticket of one document, whatever those of the others: so also over all tickets."""
    tiny, rng, steps = Tiny(), np.random.default_rng(1), 1_000
    for _ in range(2):
        others = rng.random(6)
        for d in range(6):
            total = np.zeros(6)
            for k in range(steps):
                u = others.copy()
                u[d] = (k + 0.5) / steps
                total += tiny.pseudo(u, n)
            # 1 / pi is at most as large as one over the threshold of the others: the step decides the slack.
            threshold = np.sort(np.delete(others / tiny.sizes, d))[n - 1] * tiny.sizes[d]
            slack = abs(tiny.labels[0, d] - tiny.guess[0, d]) / min(1, threshold) / steps
            assert total[d] / steps == pytest.approx(tiny.labels[0, d], abs=slack + 1e-12)


@pytest.mark.long
def test_products_of_pseudo_labels_integrate_to_products_of_labels() -> None:
    """AP needs them."""
    tiny, steps = Tiny(), 150
    u = np.array([0.5, 0.4, 0.3, 0.6, 0.2, 0.7])
    for a, b in ((0, 3), (1, 2), (3, 4)):
        total = 0.0
        for i in range(steps):
            for j in range(steps):
                v = u.copy()
                v[a], v[b] = (i + 0.5) / steps, (j + 0.5) / steps
                found = tiny.pseudo(v, 3)
                total += found[a] * found[b]
        assert total / steps**2 == pytest.approx(tiny.labels[0, a] * tiny.labels[0, b], abs=0.02)


@pytest.mark.long
@pytest.mark.parametrize("n", [10, 50, 120])
def test_50_000_lists_are_right_on_average(n: int) -> None:
    """With a fixed prediction; the covariance is that of the errors."""
    pool = make_pool(RUNS, RUNS.topics, 10, MACHINE)
    labels = (grades_of(pool) >= 2).astype(float)
    sizes = sizes_of(pool, [Measure.parse("P@10")])
    guess, rng = np.clip(pool.share * 0.8, 0, 1), np.random.default_rng(2)
    weights = np.zeros((len(RUNS.systems), len(pool)))
    for i in range(len(weights)):
        weights[i, pool.places[i].ravel()] = 0.1 / len(RUNS.topics)
    truth, errors, covariance = weights @ labels, [], np.zeros((len(weights), len(weights)))
    for _ in range(50_000):
        key = rng.random(len(pool)) / sizes
        order = np.argpartition(key, n)
        places = order[:n]
        chance = np.minimum(1, key[order[n]] * sizes[places])
        sample = estimates.LabelSample(pool, places, chance, sizes[places], np.zeros(n), np.zeros(len(pool), dtype=int))
        found = estimates._linear(sample, Measure("P", 10), np.ones(1), labels[None, places], guess[None])
        errors.append(found.scores.mean(axis=1) - truth)
        covariance += found.terms @ found.terms.T
    real = np.cov(np.array(errors).T)
    assert np.abs(np.mean(errors, axis=0) / np.sqrt(np.diag(real) / len(errors))).max() < 4
    np.testing.assert_allclose(np.diag(covariance) / len(errors), np.diag(real), rtol=0.1)


# ---- what is said
def test_both_kinds_of_interval_by_hand() -> None:
    topics, these = ranked(), ranked(these_topics=True)
    scores = topics.scores.values
    place = [topics.scores.systems.index(system) for system in topics.means.systems]
    covariance = np.cov(scores.T)[np.ix_(place, place)] / len(scores)
    assert topics.means.covariance is not None
    assert these.means.covariance is not None
    np.testing.assert_allclose(topics.means.covariance, covariance)
    reach = student.ppf(0.975, len(scores) - 1) * np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(topics.high - topics.means.values, reach)
    np.testing.assert_allclose(topics.means.values - topics.low, reach)
    assert topics.means.degrees_of_freedom == len(scores) - 1

    pool = make_pool(RUNS, RUNS.topics, 10, MACHINE)
    terms = estimates.estimate(sample_of(pool, 150, "P(rel=2)@10"), Measure.parse("P(rel=2)@10")).terms[place]
    np.testing.assert_allclose(these.means.covariance, terms @ terms.T)
    freedom = (terms**2).sum(axis=1) ** 2 / (terms**4).sum(axis=1) - 1
    reach = student.ppf(0.975, freedom) * np.sqrt((terms**2).sum(axis=1))
    np.testing.assert_allclose(these.high - these.means.values, reach)
    assert these.means.degrees_of_freedom == pytest.approx(np.median(freedom))
    np.testing.assert_allclose(topics.document_covariance, these.means.covariance)
    assert (these.high - these.low < topics.high - topics.low).all()


@pytest.mark.parametrize("these_topics", [False, True])
def test_widths_and_worth_by_hand(these_topics: bool) -> None:
    found = ranked(these_topics=these_topics)
    m = len(found.means.systems)
    pairs = [(i, j) for i in range(m) for j in range(i)]

    def differences(sigma: np.ndarray) -> float:
        return float(np.mean([sigma[i, i] + sigma[j, j] - 2 * sigma[i, j] for i, j in pairs]))

    of_topics = np.cov(found.scores.values.T) / 8  # in another order, which changes no mean of pairs
    documents = differences(found.document_covariance)
    assert found.worth == pytest.approx(found.n_pairs * (1 - documents / differences(of_topics)))
    assert found.means.covariance is not None
    freedom = found.means.degrees_of_freedom
    assert freedom is not None
    size = math.sqrt(differences(found.means.covariance))
    assert found.half_width == pytest.approx(student.ppf(0.975, freedom) * size, rel=0.02)
    assert found.half_width_at_twice < found.half_width


def test_the_projection_is_what_twice_the_labels_give() -> None:
    """On average over lists, with a fixed prediction: a sum over documents of their variances."""
    pool, measure = make_pool(RUNS, RUNS.topics, 10, MACHINE), Measure.parse("P(rel=2)@10")
    guess, y = pool.share[None], (grades_of(pool) >= 2).astype(float)
    found = np.zeros((2, 150))
    for seed in range(150):
        for k, n in enumerate((60, 120)):
            sample = sample_of(pool, n, str(measure), seed)
            terms = estimates._linear(sample, measure, np.ones(1), y[None, sample.places], guess).terms
            found[k, seed] = (terms**2).sum(axis=0) @ (estimates.shrinkage_by(sample, 2.0) if n == 60 else np.ones(n))
    assert found[0].mean() == pytest.approx(found[1].mean(), rel=0.05)
    assert (estimates.shrinkage_by(sample_of(pool, 200, str(measure)), 9.0) == 0).all()


def test_below_50_labels_there_are_no_intervals() -> None:
    found = ranked(budget=49)
    assert found.ranks is None
    assert np.isnan([*found.low, *found.high, found.half_width, found.helped]).all()
    assert found.means.covariance is None
    assert "No intervals: they need 50 labels." in str(found)
    assert "ranks" not in found.table()
    assert ranked(budget=50).ranks is not None


def test_means_that_no_system_can_have_are_said_to_be_of_few_labels() -> None:
    said = [any("are outside 0 to 1" in note for note in ranked(budget=n).notes) for n in (3, 150)]
    beyond = [bool((abs(ranked(budget=n).means.values - 0.5) > 0.5).any()) for n in (3, 150)]
    assert said == beyond == [True, False]


def test_the_answer_in_words() -> None:
    text = str(ranked())
    assert text.startswith(f"{ranked().means.systems[0]} leads (rank 1 to ")
    for said in (
        "\n150 of 289 pairs judged.\n",
        "On whole topics it would take ",
        "labels to tell systems apart as well.",
        "with twice the labels to +-",
        "The machine removes ",
        " (corrected for 9 systems).",
        "intervals for topics like these",
    ):
        assert said in text, said
    assert "intervals for these topics" in str(ranked(these_topics=True))
    assert "machine" not in str(ranked(machine=None))
    relative = ranked("nDCG@10")
    assert "from the mean" in relative.table()
    assert relative.means.values.sum() == pytest.approx(0)
    assert relative.rows()[0]["rank_low"] == 1


def test_a_few_labels_of_many_are_called_few() -> None:
    runs = cc.Runs.from_dict(
        {
            f"s{i}": {f"t{t}": [f"d{(i * 7 + k * (i + 1)) % 211}" for k in range(100)] for t in range(12)}
            for i in range(6)
        }
    )
    people = cc.Qrels.from_dict({f"t{t}": {f"d{d}": int((d * 13 + t) % 5 == 0) for d in range(211)} for t in range(12)})
    chosen = label(runs, machine=people, measures=["P@100"], budget=100, seed=1).with_grades(people)
    found = rank_from_labels(chosen, runs, "P@100", machine=people, rng=1)
    assert found.n_judged < 0.05 * found.n_pairs
    assert any("a good machine alone may rank better; but it moves up the systems" in note for note in found.notes)
    assert not any("a good machine alone" in note for note in ranked().notes)


def test_ap_is_relative_where_people_found_no_relevant_document_on_some_topics() -> None:
    said = (
        "AP(rel=2) is given as the difference from the mean of all systems: people found no relevant document on 1 of "
        "8 topics, so means would be too low"
    )
    few, enough = ranked("AP(rel=2)", 30), ranked("AP(rel=2)", 120)
    assert (few.notes, few.n_lacking) == ((said,), 1)
    assert few.means.values.sum() == pytest.approx(0)
    assert "from the mean" in few.table()
    assert (enough.notes, enough.n_lacking) == ((), 0)
    assert enough.means.values.min() > 0
    assert ranked("P(rel=2)@10", 30).n_lacking == 0


def test_ap_has_no_intervals_for_topics_like_these_where_a_third_lack_relevant_documents() -> None:
    third, fewer, these = ranked("AP(rel=3)", 80), ranked("AP(rel=3)", 120), ranked("AP(rel=3)", 80, these_topics=True)
    assert (third.n_lacking, fewer.n_lacking) == (3, 2)
    assert "No intervals: people found no relevant document on 3 of 8 topics." in str(third)
    assert third.ranks is None
    assert np.isnan([*third.low, *third.high, third.half_width, third.worth]).all()
    assert fewer.ranks is not None
    assert these.ranks is not None
    for one in (third, fewer, these):
        assert one.means.values.sum() == pytest.approx(0)


def test_a_topic_that_was_judged_to_the_end_lacks_nothing() -> None:
    nothing = cc.Qrels.from_dict({t: dict.fromkeys(PEOPLE[t], 0) if t == "t0" else PEOPLE[t] for t in PEOPLE})
    chosen = label(RUNS, measures=["AP(rel=2)"], budget=len(make_pool(RUNS, RUNS.topics, 100)), seed=1)
    found = rank_from_labels(chosen.with_grades(nothing), RUNS, "AP(rel=2)", rng=1)
    assert found.n_lacking == 0
    np.testing.assert_allclose(found.scores.values[0], 0)


def test_a_favoured_system_is_named_and_hardly_gains() -> None:
    """The machine gives the highest grade to whatever the worst system returns."""
    worst = RUNS.systems[-1]
    generous = {t: {d: 3 if d in RUNS.documents(worst, t)[:10] else g for d, g in MACHINE[t].items()} for t in MACHINE}
    machine = cc.Qrels.from_dict(generous)
    alone = cc.evaluate(RUNS, machine, "P(rel=2)@10").means()
    assert alone.argmax() == len(alone) - 1
    found = ranked(machine=machine, budget=200)
    assert found.favoured()[0] == worst
    assert f"The machine favours {worst}" in str(found)
    assert found.means.systems.index(worst) >= 6
    assert found.favour[found.means.systems.index(worst)] > 0.1


def test_progress_and_no_ranking_before_the_budget_is_reached() -> None:
    chosen = label(RUNS, measures=["P(rel=2)@10"], budget=150, seed=1).with_grades(PEOPLE)
    grades = chosen.grades.copy()
    grades[120] = np.nan
    open_ = replace(chosen, grades=grades)
    with pytest.raises(
        cc.errors.InputError, match=r"149 of 150 pairs judged; 2 of 3 batches complete: judge the whole"
    ):
        rank_from_labels(open_, RUNS, "P(rel=2)@10")
    with pytest.warns(UserWarning, match="49 labels beyond the last complete batch not used"):
        found = rank_from_labels(open_, RUNS, "P(rel=2)@10", final=True, rng=1)
    assert (found.n_judged, found.n_beyond) == (100, 49)
    fewer = label(RUNS, measures=["P(rel=2)@10"], budget=100, seed=1).with_grades(PEOPLE)
    wanted = rank_from_labels(fewer, RUNS, "P(rel=2)@10", rng=1)
    np.testing.assert_allclose(found.means.values, wanted.means.values, rtol=1e-12)
    np.testing.assert_allclose(found.low, wanted.low, rtol=1e-12)


def test_skipped_pairs_are_counted_and_the_others_stand_for_them() -> None:
    chosen = label(RUNS, measures=["P(rel=2)@10"], budget=150, seed=1).with_grades(PEOPLE)
    skipped = np.zeros(150, dtype=bool)
    skipped[::10] = True
    some = replace(chosen, grades=np.where(skipped, np.nan, chosen.grades), skipped=skipped)
    with pytest.warns(UserWarning, match="15 pairs skipped: we assume"):
        found = rank_from_labels(some, RUNS, "P(rel=2)@10", rng=1)
    assert (found.n_judged, found.n_skipped) == (135, 15)


def test_skipping_at_random_leaves_the_scores_unbiased() -> None:
    pool = make_pool(RUNS, RUNS.topics, 10, MACHINE)
    measure = Measure.parse("P(rel=2)@10")
    truth = (estimates.estimate(sample_of(pool, len(pool), "P(rel=2)@10"), measure)).scores.mean()
    rng, found = np.random.default_rng(3), []
    for seed in range(150):
        sample = sample_of(pool, 150, "P(rel=2)@10", seed)
        kept = rng.random(150) < 0.8
        fewer = replace(
            sample,
            places=sample.places[kept],
            chance=sample.chance[kept] * kept.mean(),
            sizes=sample.sizes[kept],
            grades=sample.grades[kept],
        )
        found.append(estimates.estimate(fewer, measure).scores.mean())
    assert abs(np.mean(found) - truth) < 4 * np.std(found) / np.sqrt(len(found))


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("RR@10", "RR@10 cannot be estimated from a sample of documents"),
        ("P@20", "P@20 needs documents down to rank 20, but the list ends at 10"),
    ],
)
def test_what_cannot_be_ranked(measure: str, said: str) -> None:
    chosen = label(RUNS, measures=["P@10"], budget=60, seed=1).with_grades(PEOPLE)
    with pytest.raises(cc.errors.InputError, match=said):
        rank_from_labels(chosen, RUNS, measure)


def test_any_scale_of_grades() -> None:
    """Half the grades: P asks for the threshold, DCG is half, nDCG as before."""
    half = PEOPLE.with_grades(PEOPLE.grades / 2)
    for measure, same in (("DCG@10", 0.5), ("nDCG@10", 1.0)):
        chosen = label(RUNS, machine=MACHINE, measures=[measure], budget=150, seed=1)
        one, other = (
            rank_from_labels(chosen.with_grades(q), RUNS, measure, machine=MACHINE, rng=1) for q in (PEOPLE, half)
        )
        np.testing.assert_allclose(other.means.values, same * one.means.values, atol=1e-10)
    chosen = label(RUNS, measures=["P@10"], budget=150, seed=1).with_grades(half)
    with pytest.raises(cc.errors.InputError, match="P@10 needs to know which grades are relevant"):
        rank_from_labels(chosen, RUNS, "P@10")
    many = PEOPLE.with_grades(np.arange(PEOPLE.size) / 7)
    chosen = label(RUNS, measures=["nDCG@10"], budget=150, seed=1).with_grades(many)
    with pytest.raises(cc.errors.InputError, match=r"nDCG takes up to 20 grades above 0, and there are \d+: use DCG"):
        rank_from_labels(chosen, RUNS, "nDCG@10")


def test_notes_say_what_the_list_was_made_for() -> None:
    chosen = label(RUNS, machine=MACHINE, measures=["P(rel=2)@10"], budget=150, seed=1).with_grades(PEOPLE)
    with pytest.warns(UserWarning, match="made for P") as told:
        rank_from_labels(chosen, RUNS, "DCG@5", machine=MACHINE, rng=1)
    assert len(told) == 1
    with pytest.warns(UserWarning, match="the list was made with a machine, which is not given"):
        rank_from_labels(chosen, RUNS, "P(rel=2)@10", rng=1)
    with pytest.warns(UserWarning, match="the list was made with other grades by the machine"):
        rank_from_labels(chosen, RUNS, "P(rel=2)@10", machine=PEOPLE, rng=1)


@pytest.mark.parametrize("kind", ["constant", "random", "reversed"])
def test_a_useless_machine_does_no_harm(kind: str) -> None:
    """The level of 200 lists is right, and the intervals for differences hold."""
    rng = np.random.default_rng(4)
    grades = {
        "constant": np.zeros(PEOPLE.size),
        "random": rng.integers(0, 4, PEOPLE.size),
        "reversed": 3 - PEOPLE.grades,
    }
    pool = make_pool(RUNS, RUNS.topics, 10, PEOPLE.with_grades(grades[kind].astype(float)))
    measure = Measure.parse("P(rel=2)@10")
    truth = estimates.estimate(sample_of(pool, len(pool), str(measure)), measure).scores.mean(axis=1)
    errors, covered = [], []
    for seed in range(200):
        found = estimates.estimate(sample_of(pool, 80, str(measure), seed), measure)
        error = found.scores.mean(axis=1) - truth
        errors.append(error)
        first = found.terms[0] - found.terms[-1]
        reach = student.ppf(0.975, np.median(estimates.freedom_of(found.terms))) * math.sqrt(first @ first)
        covered.append(abs(error[0] - error[-1]) <= reach)
    means = np.mean(errors, axis=1)
    assert abs(means.mean()) < 4 * means.std() / math.sqrt(200)
    assert 0.9 <= np.mean(covered) <= 1.0
