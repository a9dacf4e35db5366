"""Which of several judges could be the best.

Judge i could be the best unless some judge j is significantly better:

    max_j (V_j - V_i) / se_ij > t_{1 - alpha/J, n - 1}, one-sided,

where V is the agreement with the truth on other topics, at the same sizes for all judges, and se_ij the jackknife over
topics of the difference. Only comparisons with i count for i. The level is divided by
J, not by J - 1: so one of two equal judges is excluded in 5%, where alpha/(J - 1) would exclude either in 5%.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray


def could_be_best(
    values: FloatArray, influences: FloatArray, n_topics: int, *, level: float = 0.95
) -> npt.NDArray[np.bool_]:
    """For each judge, whether no other one is significantly better.

    `influences` has what each topic adds to V, judges x topics: sqrt((n - 1)/n) (V without it - their mean), 0 for the
    topics that a judge does not have. `n_topics` is the size of the smallest sample.
    """
    from scipy.special import stdtrit

    if len(values) < 2:
        return np.ones(len(values), dtype=bool)
    lead = values[None, :] - values[:, None]  # of j over i
    error = np.sqrt(((influences[None, :, :] - influences[:, None, :]) ** 2).sum(axis=2))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(lead == 0, 0.0, lead / error)  # identical judges differ by exactly 0, with an error of 0
    critical = stdtrit(n_topics - 1, 1 - (1 - level) / len(values))
    return np.asarray(t.max(axis=1) <= critical)
