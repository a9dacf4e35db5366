"""The constants of intervals and tests that were tuned: where each comes from, and the script that finds it again.

None of them is from a paper: the calibration is ours, and measured. docs/measured/interval-coverage.md has what the
intervals and tests hold with these values. To see what others would give, on the same samples of the same designs:

    python benchmarks/coverage_intervals.py --constants NEAR=1,1.05,1.1 LEFT=0,4,8 GROWTH=1,1.5,2
    python benchmarks/coverage_intervals.py --constants INNER=6,12,24
    python benchmarks/coverage_ranks.py --unseen 0 1 2 3
"""

from __future__ import annotations

# Intervals of `correlate`, method "iterated": coverage_intervals.py
NEAR, LEFT = 1.05, 4.0
"""Half-widths in standard errors, over Student's quantile; above 1 because standard errors are estimated, too. NEAR
on the side of 0, NEAR * (1 + LEFT / n) on the other. There lies what the correction leaves of the bias, in standard
errors about as 1 / n. Where the interval reaches beyond 0, both halves are that long."""

GROWTH = 1.5
"""The exponent by which a standard error grows from the world of resamples to that of topics: one level on is 1, and
the centre, three levels deep, needs half a step more."""

INNER = 12
"""Second-level samples of each first-level sample, and as many third-level ones."""

FEWEST = 500
"""Resamples in all: a standard error from 20 at the first level is the least that is worth printing."""

# Intervals of `correlate`, method "auto": coverage_intervals.py
MISFIT = -1.2
"""The iterated interval counts as well where agreement between halves of the topics, minus what the shrinkage model
predicts, lies below this many of its standard deviations: in 1 of 20 samples of real collections. Nearer to 0, more
samples with tied systems are seen, and all intervals are wider."""

AWAY = 0.9
"""The half of the interval away from 0, in half-widths of the one by shrinkage, which misses on the side of 0 three
times as often."""

STEADY = 8
"""How many times as many resamples the iterated interval takes there, to vary as little with the seed."""

# `rank_intervals`: coverage_ranks.py
UNSEEN = 2.0
"""By how much the skewness of a pair's differences is multiplied: samples of 10 to 30 topics show a third to three
quarters of the skewness of a heavy tail."""

# Intervals of `correlate`, method "shrinkage": coverage_intervals.py
LEAST_SHRINKAGE = 0.05
"""The least factor by which observed means are shrunk: less would leave no order to correlate with."""
