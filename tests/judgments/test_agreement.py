"""Agreement of labels beside scikit-learn and krippendorff."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, confusion_matrix

import concordant as cc
from concordant.inference.resampling import resampled_weights
from concordant.judgments import label_agreement

from ..examples import share

_judged = st.fixed_dictionaries(
    {
        t: st.dictionaries(st.sampled_from([f"d{k}" for k in range(9)]), st.integers(0, 3), min_size=4)
        for t in ("1", "2")
    }
)


@share(0.5)
@given(_judged, _judged)
def test_against_libraries(first: Any, second: Any) -> None:
    shared = [(t, d) for t in first for d in first[t] if d in second[t]]
    mine, theirs = [first[t][d] for t, d in shared], [second[t][d] for t, d in shared]
    truth, other = cc.Qrels.from_dict(first), cc.Qrels.from_dict(second)
    if not shared:
        with pytest.raises(cc.errors.InputError, match="no judged document in common"):
            label_agreement(truth, other)
        return
    found = label_agreement(truth, other, n_resamples=5, rng=1)
    labels = sorted(set(mine) | set(theirs))
    assert found.labels == tuple(labels)
    assert (found.size, found.only_truth) == (len(shared), truth.size - len(shared))
    assert found.only_candidate == other.size - len(shared)
    assert found.agreement.value == pytest.approx(np.mean(np.equal(mine, theirs)))
    if len(labels) == 1:
        assert np.isnan(found.kappa.value)
        assert np.isnan(found.alpha.value)
        assert found.to_dict()["alpha"]["value"] is None
        return
    assert found.confusion.tolist() == confusion_matrix(mine, theirs, labels=labels).tolist()
    for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        wanted = cohen_kappa_score(mine, theirs, weights=weights)
        assert found.estimates[name].value == pytest.approx(wanted, abs=1e-12)
    wanted = krippendorff.alpha(np.array([mine, theirs], dtype=float), level_of_measurement="ordinal")
    assert found.alpha.value == pytest.approx(wanted, abs=1e-12)


def test_intervals_resample_whole_topics() -> None:
    rng = np.random.default_rng(4)
    human = {str(t): {f"d{k}": int(rng.integers(0, 3)) for k in range(20)} for t in range(12)}
    machine = {
        t: {d: g if rng.random() < 0.5 + int(t) / 30 else int(rng.integers(0, 3)) for d, g in judged.items()}
        for t, judged in human.items()
    }
    found = label_agreement(cc.Qrels.from_dict(human), cc.Qrels.from_dict(machine), n_resamples=400, rng=9)
    # The same draws, one by one, with scikit-learn.
    weights = np.concatenate([w for _, w in resampled_weights(12, 400, np.random.default_rng(9))])
    kappas = []
    for row in weights:
        drawn = [str(t) for t, times in enumerate(row) for _ in range(times)]
        mine, theirs = ([g for t in drawn for g in of[t].values()] for of in (human, machine))
        kappas.append(cohen_kappa_score(mine, theirs))
    interval = found.kappa.interval
    assert interval is not None
    out = stats.norm.cdf(np.sqrt(12 / 11) * stats.t.ppf(0.025, 11))
    assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(kappas, [out, 1 - out])), abs=1e-9)
    assert found.kappa.value in interval
    assert "12 topics" in str(found)
    assert found.confusion.sum() == found.size


def test_relevance_only_and_bad_arguments() -> None:
    human = cc.Qrels.from_dict({"1": {"a": 0, "b": 1, "c": 2}})
    scores = cc.Qrels.from_dict({"1": {"a": 0.2, "b": 0.9, "c": 1.5}})
    assert label_agreement(human, scores, rel=0.9, n_resamples=3, rng=1).kappa.value == 1.0
    many = cc.Qrels.from_dict({"1": {f"d{k}": k / 1000 for k in range(300)}})
    with pytest.raises(cc.errors.InputError, match=r"300 different grades.*rel="):
        label_agreement(many, many)
    with pytest.raises(cc.errors.InputError, match="confidence_level is 2"):
        label_agreement(human, human, confidence_level=2)
