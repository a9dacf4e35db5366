"""How often the intervals of label agreement hold the truth. Run by `make coverage`.

The population is the 53 topics of TREC Deep Learning 2021, judged by people and by machines, each topic as likely as
any other. A sample is some topics drawn with replacement; the truth is the value over the whole population.
"""

from __future__ import annotations

import numpy as np
from cells import keep
from data import need

import concordant as cc
from concordant.inference.resampling import resampled_weights
from concordant.judgments.agreement import NAMES, agreement_of, tail
from concordant.judgments.changes import grades_beside

SAMPLES, RESAMPLES = 1_000, 499


def tables(truth: cc.Qrels, other: cc.Qrels) -> tuple[np.ndarray, np.ndarray]:
    """A confusion table a topic, and the labels."""
    beside = grades_beside(truth, other)
    both = ~np.isnan(beside)
    labels = np.unique(np.concatenate([truth.grades[both], beside[both]]))
    place = np.searchsorted(labels, truth.grades[both]) * len(labels) + np.searchsorted(labels, beside[both])
    found = np.zeros((len(truth), len(labels) ** 2))
    np.add.at(found, (truth.topic_of[both], place), 1)
    return found, labels


def main() -> None:
    human = cc.read_qrels(need("dl21") / "qrels" / "human.txt.gz")
    print(f"nominal 95%, {SAMPLES} samples, {RESAMPLES} resamples")
    print(f"{'judge':<22} {'topics':>6} " + " ".join(f"{name:>16}" for name in NAMES))
    for judge in ("umbrela_gpt4", "exam_graded_max_gpt4"):
        population, labels = tables(human, cc.read_qrels(need("dl21") / "qrels" / f"{judge}.txt.gz"))
        truth = agreement_of(population.sum(axis=0)[None], labels)[0]
        for size in (15, 25, 50, 100):
            rng = np.random.default_rng(size)
            inside = np.zeros(len(NAMES))
            for _ in range(SAMPLES):
                sample = population[rng.integers(0, len(population), size)]
                ((_, weights),) = resampled_weights(size, RESAMPLES, rng)
                out = tail(0.95, size)
                low, high = np.quantile(agreement_of(weights @ sample, labels), [out, 1 - out], axis=0)
                inside += (low <= truth) & (truth <= high)
            print(f"{judge:<22} {size:>6} " + " ".join(f"{share / SAMPLES:>16.3f}" for share in inside), flush=True)
            shares = {name: f"{share / SAMPLES:.3f}" for name, share in zip(NAMES, inside, strict=True)}
            keep("label-agreement", [{"judge": judge, "topics": size, **shares}], ("judge", "topics"))


if __name__ == "__main__":
    main()
