"""`Fidelity`: how well a simulator keeps means, margins and correlations of the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import FloatArray
from ..errors import import_extra
from ..notebook import Displayed
from ..resampling import Seed, check_count, seed_of
from ..scores import round_means
from ..words import counted

if TYPE_CHECKING:
    from .simulator import Simulator


@dataclass(frozen=True, eq=False)
class Fidelity(Displayed):
    """Original and simulated scores side by side. `print` shows the whole, `to_frame` each system."""

    systems: tuple[str, ...]
    means: FloatArray
    """Of the original."""
    true_means: FloatArray
    """Of the simulator, over all topics that could be drawn."""
    sds: FloatArray
    simulated_sds: FloatArray
    distances: FloatArray
    """Kolmogorov's distance between the distributions of original and simulated scores, a system each."""
    correlations: FloatArray
    """Between systems over topics, systems x systems."""
    simulated_correlations: FloatArray
    settings: Mapping[str, Any]

    @property
    def mean_shift(self) -> float:
        """The largest distance between an original mean and the simulator's."""
        return float(np.abs(self.true_means - self.means).max())

    @property
    def tau(self) -> float:
        """tau_b between original and expected simulated means; nan where one side has a single mean."""
        from ..coefficients.kendall import tau_b

        means = (self.means, round_means(self.true_means))
        return float(tau_b(*means)) if all(len(set(side)) > 1 for side in means) else float("nan")

    @property
    def sd_ratio(self) -> float:
        """Simulated over original standard deviations, the mean over systems that have any."""
        some = self.sds > 0
        return float((self.simulated_sds[some] / self.sds[some]).mean()) if some.any() else float("nan")

    @property
    def correlation_shifts(self) -> FloatArray:
        """Distances between original and simulated correlations, a pair of systems each; constant systems left out."""
        pairs = np.triu_indices(len(self.systems), 1)
        shifts = np.abs(self.simulated_correlations - self.correlations)[pairs]
        return np.asarray(shifts[~np.isnan(shifts)])

    def to_dict(self) -> dict[str, Any]:
        """The whole in a few numbers, ready for JSON."""
        shifts = self.correlation_shifts
        found = {
            "systems": len(self.systems),
            "mean_shift_largest": self.mean_shift,
            "mean_shift_average": float(np.abs(self.true_means - self.means).mean()),
            "tau_of_means": self.tau,
            "distance_largest": float(self.distances.max()),
            "distance_average": float(self.distances.mean()),
            "sd_ratio": self.sd_ratio,
            "correlation_shift_largest": float(shifts.max()) if len(shifts) else float("nan"),
            "correlation_shift_average": float(shifts.mean()) if len(shifts) else float("nan"),
        }
        return {k: None if np.isnan(v) else v for k, v in found.items()} | {"settings": dict(self.settings)}

    def __str__(self) -> str:
        found = {k: float("nan") if v is None else v for k, v in self.to_dict().items()}
        return "\n".join(
            [
                f"What the simulation keeps of {counted(len(self.systems), 'system')} on "
                f"{counted(self.settings['original_topics'], 'topic')}",
                "",
                f"  means         largest shift {found['mean_shift_largest']:.4f}, average "
                f"{found['mean_shift_average']:.4f}; tau between old and new {found['tau_of_means']:.3f}",
                f"  margins       Kolmogorov's distance at most {found['distance_largest']:.3f}, average "
                f"{found['distance_average']:.3f}; standard deviations x {found['sd_ratio']:.3f}",
                f"  correlations  largest shift {found['correlation_shift_largest']:.3f}, average "
                f"{found['correlation_shift_average']:.3f}",
                f"  from {self.settings['n_topics']:,} simulated topics",
            ]
        )

    def to_frame(self) -> Any:
        """A pandas frame, a row a system."""
        columns = ("means", "true_means", "sds", "simulated_sds", "distances")
        data = {name.removesuffix("s"): getattr(self, name) for name in columns}
        return import_extra("pandas").DataFrame(data, index=import_extra("pandas").Index(self.systems, name="system"))

    def plot(self, ax: Any = None) -> Any:
        """Original means against those of the simulator."""
        from ..plots import agreement

        labels = ("mean score, original", "mean score, simulator")
        return agreement.plain_scatter(self.means, self.true_means, labels, ax)


def measure(model: Simulator, n_topics: int, rng: Seed) -> Fidelity:
    """Draw topics, and compare them with those that the simulator was made from."""
    old, new = model.scores.values, model.draw(check_count(n_topics, "n_topics"), rng)
    return Fidelity(
        systems=model.scores.systems,
        means=model.scores.means(),
        true_means=model.true_means(),
        sds=old.std(axis=0, ddof=1),
        simulated_sds=new.std(axis=0, ddof=1) if len(new) > 1 else np.full(new.shape[1], np.nan),
        distances=np.array([_kolmogorov(a, b) for a, b in zip(old.T, new.T, strict=True)]),
        correlations=_correlations(old),
        simulated_correlations=_correlations(new),
        settings={
            **model.settings,
            "original_topics": len(old),
            "n_topics": len(new),
            "seed": seed_of(rng),
        },
    )


def _kolmogorov(a: FloatArray, b: FloatArray) -> float:
    """The largest distance between two empirical distribution functions."""
    a, b = np.sort(a), np.sort(b)
    at = np.concatenate([a, b])
    shares = [np.searchsorted(side, at, side="right") / len(side) for side in (a, b)]
    return float(np.abs(shares[0] - shares[1]).max())


def _correlations(values: FloatArray) -> FloatArray:
    """Pearson's correlations between columns; nan for a constant one."""
    centred = values - values.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    size[size <= 1e-12 * np.abs(values).max()] = np.nan
    return np.asarray((centred / size).T @ (centred / size))
