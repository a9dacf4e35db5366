"""All figures that results draw, from the collection that comes with the package.

Run with `.venv/bin/python examples/figures.py FOLDER`; it writes a .pdf file for each, one column wide. A second
argument is another format, png or svg; a third the width in inches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import concordant as cc
from concordant.errors import import_extra
from concordant.render import figures as plots


def figures(resamples: int = 999) -> dict[str, Callable[[], Any]]:
    """What draws each figure, by its name."""
    people, careful, hasty = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
    given: dict[str, Any] = {"rng": 1, "interval": True, "n_resamples": resamples}
    names = ["tau_b", "tau_ap_b", "tau_gap_a", "pearson_rank", "spearman", "rbo"]
    compared = cc.compare(people, hasty, coefficients=names, names=("people", "hasty"), **given)
    other = cc.compare(people, careful, coefficients=names, names=("people", "careful"), **given)
    explained = cc.explain(people, hasty, coefficient="tau_ap_b")
    study = cc.study.reliability_study({"people": people}, n_trials=resamples // 50, sizes=[10, 20, 40], rng=1)
    assert compared.rank_test is not None
    return {
        "scatter": compared.plot,
        "ranks": lambda: compared.plot("ranks"),
        "forest": lambda: compared.plot("forest"),
        "worth": cc.judge_worth(people, careful, names=("people", "careful"), rng=0).plot,
        "worths": cc.rank_judges(people, {"careful": careful, "hasty": hasty}, rng=0).plot,
        "judges": lambda: plots.comparisons([other, compared]),
        "rank-test": compared.rank_test.plot,
        "rank-intervals": cc.rank_intervals(people, n_resamples=resamples, rng=1).plot,
        "plan": cc.plan_topics(people, n_resamples=resamples // 5, rng=1).plot,
        "error": lambda: study.plot(what="error"),
        "bias": lambda: study.plot(what="bias"),
        "pairs": lambda: explained.plot("pairs"),
        "systems": lambda: explained.plot("systems"),
        "topics": lambda: explained.plot("topics"),
    }


def main(folder: Path, format: str = "pdf", width: float = 3.3, resamples: int = 999) -> list[Path]:
    """Write them all, and say which files these are."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in figures(resamples).items():
        with plots.style(width=width):
            ax = draw()
        written.append(folder / f"{name}.{format}")
        plots.save(ax, written[-1])
        import_extra("matplotlib.pyplot").close("all")
    return written


if __name__ == "__main__":
    asked = sys.argv[1:]
    where, kind, inches = (*asked, *("figures", "pdf", "3.3")[len(asked) :])
    files = main(Path(where), kind, float(inches))
    print("\n".join(map(str, files)))
