"""Two judges rank eight search systems. Do they agree? Run by `make demo`."""

from __future__ import annotations

import concordant as cc

PEOPLE = {
    "dense-xl": 0.672,
    "hybrid": 0.655,
    "rerank-b": 0.641,
    "rerank-a": 0.640,
    "dense": 0.583,
    "splade": 0.575,
    "rm3": 0.466,
    "bm25": 0.451,
}
MODEL = {
    "dense-xl": 0.701,
    "hybrid": 0.684,
    "rerank-b": 0.712,
    "rerank-a": 0.712,
    "dense": 0.648,
    "splade": 0.655,
    "rm3": 0.570,
    "bm25": 0.561,
}


def main() -> None:
    """Print what each coefficient says of the two rankings, and what the tie leaves open."""
    names = list(PEOPLE)
    truth = [PEOPLE[name] for name in names]
    observed = [MODEL[name] for name in names]

    print("Eight systems, mean nDCG@10, judged by people (truth) and by a language model (observed).\n")
    print(f"  {'system':<10} {'people':>7} {'model':>7}")
    for name in names:
        print(f"  {name:<10} {PEOPLE[name]:>7.3f} {MODEL[name]:>7.3f}")

    print("\nThe model ties rerank-a with rerank-b and puts both on top. How well do the rankings agree?\n")
    for c in cc.list_coefficients():
        try:
            print(f"  {c.name:<23} {c.function(truth, observed):>7.4f}   {c.summary}")
        except cc.TiesError:
            print(f"  {c.name:<23} {'-':>7}   {c.summary}: not defined with ties in observed")

    print("\nWhat the tie leaves open:\n")
    for name in ("tau", "tau_ap", "tau_gap"):
        print(f"  {cc.tie_bounds(truth, observed, name)}")

    print("\nThe same through NumPy, one truth against a batch of 1,000 perturbed rankings:\n")
    import numpy as np

    noise = np.random.default_rng(7).normal(scale=0.03, size=(1000, len(truth)))
    values = cc.tau_ap(truth, np.array(truth) + noise)
    print(f"  cc.tau_ap(truth, batch): {len(np.atleast_1d(values)):,} values, mean {np.mean(values):.3f}")
    print(f"\nconcordant {cc.__version__}, {'native kernels' if cc.has_native else 'NumPy kernels (no native module)'}")


if __name__ == "__main__":
    main()
