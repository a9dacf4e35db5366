"""`expected_correlation` and `reliability`: how close the observed ranking is expected to be to the true one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..coefficients.sums import check_workers
from ..errors import InputError, import_extra
from ..figures import axes
from ..resampling import Seed, generator, seed_of
from ..tables import counted
from .estimators import bandwidths, by_inversion, by_student, deviations, lattice_of
from .halves import SPLITS, extrapolated
from .inputs import Collection, matrix_of
from .pairs import Pairs
from .probabilities import Identical

ESTIMATORS = ("ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)")


@dataclass(frozen=True)
class Reliability:
    """What `reliability` found. `print` shows it, `to_dict` has everything."""

    estimates: Mapping[str, tuple[float, float]]
    """By estimator, the expected tau and tau_ap with the true ranking."""
    n_systems: int
    n_topics: int
    settings: Mapping[str, Any]

    @property
    def tau(self) -> float:
        """Expected tau with the true ranking, by MSQD."""
        return self.estimates["msqd"][0]

    @property
    def tau_ap(self) -> float:
        """Expected AP correlation with the true ranking, by MSQD."""
        return self.estimates["msqd"][1]

    def __str__(self) -> str:
        size = f"{counted(self.n_systems, 'system')}, {counted(self.n_topics, 'topic')}"
        lines = [
            f"Expected correlation with the true ranking: tau {self.tau:.3f}, tau_ap {self.tau_ap:.3f} (MSQD; {size})",
            "",
            "  estimator       tau    tau_ap",
        ]
        lines += [f"  {name:<10} {tau:>8.4f}  {ap:>8.4f}" for name, (tau, ap) in self.estimates.items()]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "estimates": {name: {"tau": tau, "tau_ap": ap} for name, (tau, ap) in self.estimates.items()},
            "n_systems": self.n_systems,
            "n_topics": self.n_topics,
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame: a row an estimator."""
        pandas = import_extra("pandas")
        index = pandas.Index(list(self.estimates), name="estimator")
        return pandas.DataFrame(list(self.estimates.values()), index=index, columns=["tau", "tau_ap"])

    def plot(self, ax: Any = None) -> Any:
        """The estimates as points."""
        ax = axes(ax)
        names = list(self.estimates)
        for k, (label, mark) in enumerate((("tau", "o"), ("tau_ap", "s"))):
            ax.plot([self.estimates[name][k] for name in names], range(len(names)), mark, label=label)
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.set_xlabel("expected correlation with the true ranking")
        ax.legend()
        return ax


def reliability(
    scores: Collection,
    *,
    identical: Identical = "half",
    rng: Seed = None,
    workers: int = 1,
) -> Reliability:
    """Expected correlation of the observed ranking with the true one, by all estimators of urbano2016 at once.

    The true ranking is that by the means over all topics there could be. MSQD is the headline: with few topics it is
    the least biased. All of them tend to be optimistic with few topics; docs/reliability.md has by how much.

    Parameters
    ----------
    scores : Scores or array_like
        Topics x systems, higher is better; at least 2 of each.
    identical : {"half", "concordant"}
        As in `discordance`.
    rng : int, Generator or None
        Seed of the split halves; the other estimators are exact.
    workers : int
        Threads.

    Returns
    -------
    Reliability

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> print(cc.reliability(cc.load_collection("people"), rng=1))
    Expected correlation with the true ranking: tau 0.873, tau_ap 0.832 (MSQD; 20 systems, 40 topics)
    <BLANKLINE>
      estimator       tau    tau_ap
      ml           0.8792    0.8398
      msqd         0.8732    0.8320
      res          0.8836    0.8460
      kd           0.8720    0.8309
      sh(w)        0.9261    0.8842
      sh(w/o)      0.9108    0.8764
    """
    if identical not in ("half", "concordant"):
        raise InputError(f"identical is {identical!r}: use 'half' or 'concordant'")
    values, _ = matrix_of(scores)
    found = estimates_of(values, generator(rng), identical=identical, workers=check_workers(workers))
    n, m = values.shape
    settings = {"identical": identical, "bandwidth": "plug-in", "n_splits": SPLITS, "seed": seed_of(rng)}
    return Reliability(found, m, n, settings | {"version": __version__})


def estimates_of(
    values: FloatArray,
    rng: np.random.Generator,
    *,
    identical: Identical = "half",
    workers: int = 1,
) -> dict[str, tuple[float, float]]:
    """Tau and tau_ap by each of `ESTIMATORS`, for a topics x systems matrix of finite scores that is not checked."""
    pairs = Pairs(values)
    lattice = lattice_of(pairs.values)
    p = {name: np.empty(len(pairs)) for name in ("ml", "msqd", "res", "kd")}
    for block in pairs.blocks():
        p["ml"][block.rows] = by_student(block, deviations(block, "ml"))
        p["msqd"][block.rows] = by_student(block, deviations(block, "msqd"))
        h = bandwidths(block, "plug-in", workers)
        p["res"][block.rows], p["kd"][block.rows] = by_inversion(block, h, lattice, workers)
        if identical == "concordant":
            for of in p.values():
                of[block.rows][block.identical] = 0.0
    found = {name: pairs.expected(of) for name, of in p.items()}
    found["sh(w)"] = extrapolated(values, True, SPLITS, rng, workers)
    found["sh(w/o)"] = extrapolated(values, False, SPLITS, rng, workers)
    return found
