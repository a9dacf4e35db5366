"""Make the small collection that comes with the package. Simulated, so free to ship; the same bits at every run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "src" / "concordant" / "collection"
FAMILIES = {"bm25": 4, "splade": 3, "dense": 5, "hybrid": 4, "rerank": 4}


def simulate() -> dict[str, tuple[list[str], list[str], np.ndarray]]:
    """Judge -> topics, systems, scores."""
    rng = np.random.default_rng(20261)
    systems = [f"{family}-{k + 1}" for family, count in FAMILIES.items() for k in range(count)]
    topics = [str(401 + k) for k in range(40)]
    quality = np.concatenate(
        [
            rng.normal(centre, 0.12, count)
            for centre, count in zip((-0.5, -0.1, 0.1, 0.3, 0.55), FAMILIES.values(), strict=True)
        ]
    )
    difficulty = rng.normal(0, 0.8, (len(topics), 1))
    truth = quality + difficulty + rng.normal(0, 0.5, (len(topics), len(systems)))

    def squash(z: np.ndarray) -> np.ndarray:
        return np.asarray(1 / (1 + np.exp(-z)))

    careful = truth + 0.3 + rng.normal(0, 0.35, truth.shape)
    hasty = 0.8 * truth + 0.8 + rng.normal(0, 0.7, truth.shape)
    return {
        "people": (topics, systems, np.round(squash(truth), 4)),
        "careful": (topics, systems, np.round(squash(careful), 4)),
        "hasty": (topics, systems, np.round(squash(hasty) * 10) / 10),
    }


def main(folder: Path = FOLDER) -> None:
    """Write a CSV file for each judge."""
    for judge, (topics, systems, scores) in simulate().items():
        lines = [",".join(["topic", *systems])]
        lines += [",".join([t, *(f"{s:g}" for s in row)]) for t, row in zip(topics, scores, strict=True)]
        (folder / f"{judge}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
