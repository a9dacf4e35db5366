"""`Fidelity`: how well a simulator keeps means, margins and correlations of the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import FloatArray
from ...data.means import tied_means
from ...data.results import Result, settings_of
from ...inference.resampling import Resampling, Seed
from ...words import counted

if TYPE_CHECKING:
    from .simulator import Simulator


@dataclass(frozen=True, eq=False, repr=False)
class Fidelity(Result):
    """Original and simulated scores side by side: `print` shows the whole, `to_frame` each system."""

    _index = "system"
    systems: tuple[str, ...]
    means: FloatArray
    """Of the original."""
    true_means: FloatArray
    """Of the simulator, across the population of topics."""
    sds: FloatArray
    simulated_sds: FloatArray
    distances: FloatArray
    """Kolmogorov's distance between the distributions of original and simulated scores, one per system."""
    correlations: FloatArray
    """Between systems over topics, systems x systems."""
    simulated_correlations: FloatArray

    @property
    def mean_shift(self) -> float:
        """The largest distance between an original mean and the simulator's."""
        return float(np.abs(self.true_means - self.means).max())

    @property
    def tau(self) -> float:
        """tau_b between original and expected simulated means; nan where one side has a single mean."""
        from ...coefficients.kendall import tau_b

        means = (self.means, tied_means(self.true_means, np.abs(self.true_means), 1000, 1))
        return float(tau_b(*means)) if all(len(set(side)) > 1 for side in means) else float("nan")

    @property
    def sd_ratio(self) -> float:
        """Simulated over original standard deviations, the mean over systems that have any."""
        some = self.sds > 0
        return float((self.simulated_sds[some] / self.sds[some]).mean()) if some.any() else float("nan")

    @property
    def correlation_shifts(self) -> FloatArray:
        """Distances between original and simulated correlations, one per pair of systems; constant systems left out."""
        pairs = np.triu_indices(len(self.systems), 1)
        shifts = np.abs(self.simulated_correlations - self.correlations)[pairs]
        return np.asarray(shifts[~np.isnan(shifts)])

    def _in_all(self) -> dict[str, float]:
        """The whole in a few numbers; nan where there is none."""
        moved, shifts = np.abs(self.true_means - self.means), self.correlation_shifts
        return {
            "mean_shift_largest": self.mean_shift,
            "mean_shift_average": float(moved.mean()),
            "tau_of_means": self.tau,
            "distance_largest": float(self.distances.max()),
            "distance_average": float(self.distances.mean()),
            "sd_ratio": self.sd_ratio,
            "correlation_shift_largest": float(shifts.max()) if len(shifts) else float("nan"),
            "correlation_shift_average": float(shifts.mean()) if len(shifts) else float("nan"),
        }

    @property
    def verdict(self) -> str:
        """How far the means move."""
        return (
            f"The simulation keeps the means of {counted(len(self.systems), 'system')} on "
            f"{counted(self.settings['original_topics'], 'topic')} to within {self.mean_shift:.4f}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row per system."""
        names = ("means", "true_means", "sds", "simulated_sds", "distances")
        columns = zip(*(getattr(self, name).tolist() for name in names), strict=True)
        heads = ["system", *(name.removesuffix("s") for name in names)]
        return [dict(zip(heads, (s, *row), strict=True)) for s, row in zip(self.systems, columns, strict=True)]

    def table(self) -> str:
        """Means, margins and correlations, one line each."""
        found = self._in_all()
        return "\n".join(
            [
                f"  means         largest shift {found['mean_shift_largest']:.4f}, average "
                f"{found['mean_shift_average']:.4f}; tau between old and new {found['tau_of_means']:.3f}",
                f"  margins       Kolmogorov's distance at most {found['distance_largest']:.3f}, average "
                f"{found['distance_average']:.3f}; standard deviations x {found['sd_ratio']:.3f}",
                f"  correlations  largest shift {found['correlation_shift_largest']:.3f}, average "
                f"{found['correlation_shift_average']:.3f}",
                f"  from {self.settings['n_topics']:,} simulated topics",
            ]
        )

    def _contents(self) -> dict[str, Any]:
        return {"systems": len(self.systems), **self._in_all()}

    def plot(self, ax: Any = None) -> Any:
        """Original means against those of the simulator."""
        from ...render.figures import agreement

        labels = ("mean score, original", "mean score, simulator")
        return agreement.plain_scatter(self.means, self.true_means, labels, ax)


def measure(model: Simulator, n_topics: int, rng: Seed) -> Fidelity:
    """Draw topics, and compare them with those that the simulator was made from."""
    from scipy.stats import ks_2samp

    how = Resampling.of(n_topics, rng)
    old, new = model.scores.values, model.draw(how.n_resamples, how.rng)
    return Fidelity(
        systems=model.scores.systems,
        means=model.scores.shown(model.scores.means()),
        true_means=model.scores.shown(model.true_means()),
        sds=old.std(axis=0, ddof=1),
        simulated_sds=new.std(axis=0, ddof=1) if len(new) > 1 else np.full(new.shape[1], np.nan),
        distances=np.asarray(ks_2samp(old, new, method="asymp").statistic),
        correlations=_correlations(old),
        simulated_correlations=_correlations(new),
        settings=settings_of(seed=how.seed, **model.settings, original_topics=len(old), n_topics=len(new)),
    )


def _correlations(values: FloatArray) -> FloatArray:
    """Pearson's correlations between columns; nan for a constant one."""
    centred = values - values.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    size[size <= 1e-12 * np.abs(values).max()] = np.nan
    return np.asarray((centred / size).T @ (centred / size))
