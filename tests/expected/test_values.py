"""Values of the four estimators and of split halves: published ones, and the definitions written down literally."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc
from concordant.expected.correlation import ESTIMATORS

FloatArray = npt.NDArray[np.float64]

# Spec, section 4: ML and MSQD exactly, RES and KD by one run of 1,000 resamples.
PUBLISHED = {
    "adhoc6": {
        "ml": (0.8560612, 0.8126929),
        "msqd": (0.8600266, 0.8160990),
        "res": (0.8618, 0.8192),
        "kd": (0.8583, 0.8151),
    },
    "adhoc7": {"ml": (0.8911348, 0.8232283), "msqd": (0.8891992, 0.8194832), "res": (0.8951, 0.8289)},
    "adhoc8": {"ml": (0.8857367, 0.8271403), "msqd": (0.8855715, 0.8261209), "res": (0.8897, 0.8326)},
}
SPLIT = {"sh(w)": (0.8885, 0.8541), "sh(w/o)": (0.8828, 0.8520)}


def collection(data: Path, name: str) -> FloatArray:
    with (data / "trec" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return np.array(list(csv.reader(file))[1:], dtype=np.float64)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_values(data: Path, name: str) -> None:
    found = cc.reliability(collection(data, name), identical="concordant", rng=1).estimates
    assert tuple(found) == ESTIMATORS
    for estimator, expected in PUBLISHED[name].items():
        tolerance = 1e-6 if estimator in ("ml", "msqd") else 0.003
        np.testing.assert_allclose(found[estimator], expected, rtol=0, atol=tolerance)
    if name == "adhoc6":
        for estimator, expected in SPLIT.items():
            np.testing.assert_allclose(found[estimator], expected, rtol=0, atol=0.01)
