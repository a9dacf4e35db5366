"""The study of urbano2016 beside its published figures: python benchmarks/sigir2016.py FOLDER.

Run by `make coverage`, after `concordant study reliability` has filled the folder. Prints the differences, as tables in
Markdown for docs/measured/sigir2016-study.md, writes the cells beside that page, for the figures of docs/papers, and
fails if a difference is larger than it may be.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

LIMITS = {"actual_mean": 0.02, "error": 0.01, "bias": 0.01}
OF_SPLIT_HALF = 0.02  # error and bias of SH(w/o)
ROOT = Path(__file__).resolve().parents[1]
CELLS = ROOT / "docs" / "measured" / "sigir2016-study.csv"
Row = dict[str, str]
Key = tuple[str, str, str, str]


def read(path: Path) -> dict[Key, Row]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(r["collection"], r["coefficient"], r["topics"], r["estimator"].lower()): r for r in rows}


def limit(what: str, key: Key) -> float:
    return OF_SPLIT_HALF if key[3] == "sh(w/o)" and what != "actual_mean" else LIMITS[what]


def differences(ours: dict[Key, Row], published: dict[Key, Row]) -> int:
    """The largest difference by estimator, and how many cells are off by more than they may be."""
    print("| | cells | actual correlation | error | bias |\n| --- | ---: | ---: | ---: | ---: |")
    missed: list[str] = []
    for name in dict.fromkeys(key[3] for key in published):
        keys = [key for key in published if key[3] == name]
        largest = []
        for what in LIMITS:
            off = {key: float(ours[key][what]) - float(published[key][what]) for key in keys}
            missed += [f"{' '.join(k)}: {what} {v:+.4f}" for k, v in off.items() if abs(v) > limit(what, k)]
            worst = max(off, key=lambda key: abs(off[key]))
            average = sum(off.values()) / len(off)
            largest.append(f"{average:+.4f}, at most {abs(off[worst]):.4f}")
        print(f"| {name} | {len(keys)} | {' | '.join(largest)} |")
    print(f"\n{len(missed)} of {3 * len(published)} numbers are off by more than they may be")
    print("\n".join(missed))
    return len(missed)


def table(ours: dict[Key, Row], what: str) -> None:
    """Error or bias, a row for each collection, coefficient and size."""
    names = list(dict.fromkeys(key[3] for key in ours))
    print(f"\n| {what} | topics | actual | {' | '.join(names)} |\n|{' --- |' + ' ---: |' * (2 + len(names))}")
    for collection, coefficient, topics in dict.fromkeys(key[:3] for key in ours):
        cells = [ours[collection, coefficient, topics, name] for name in names]
        numbers = " | ".join(f"{float(cell[what]):.4f}" for cell in cells)
        print(f"| {collection} {coefficient} | {topics} | {float(cells[0]['actual_mean']):.4f} | {numbers} |")


def keep(ours: dict[Key, Row], trials: int) -> None:
    """Every cell, in six digits."""
    with CELLS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["collection", "coefficient", "topics", "estimator", "trials", *LIMITS])
        writer.writerows([*key, trials, *(f"{float(row[what]):.6f}" for what in LIMITS)] for key, row in ours.items())


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    folder = Path(sys.argv[1])
    ours = read(folder / "reliability.csv")
    keep(ours, json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["trials"])
    golden = ROOT / "tests" / "golden" / "sigir2016_study.csv"
    for what in ("error", "bias"):
        table(ours, what)
    if not golden.exists():
        print(f"no published figures at {golden}")
        return
    print()
    published = {key: row for key, row in read(golden).items() if key in ours}
    if not published or differences(ours, published):
        sys.exit(1)


if __name__ == "__main__":
    main()
