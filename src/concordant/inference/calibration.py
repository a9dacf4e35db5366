"""Tuned constants of intervals and tests, and the scripts that measure them.

We calibrated them by simulation; none is from a paper. docs/measured/interval-coverage.md reports the coverage with
these values. To measure other values on the same samples of the same designs:

    python benchmarks/coverage_intervals.py --constants NEAR=1,1.05,1.1 LEFT=0,4,8 GROWTH=1,1.5,2
    python benchmarks/coverage_intervals.py --constants INNER=6,12,24
    python benchmarks/coverage_ranks.py --unseen 0 1 2 3
"""

from __future__ import annotations

# Intervals of `correlate`, method "iterated": coverage_intervals.py

# Half-widths in standard errors, relative to Student's quantile: NEAR towards 0, NEAR * (1 + LEFT / n) away from 0.
# NEAR exceeds 1 because standard errors are estimated. LEFT covers the remaining bias, which is about 1 / n in standard
# errors. If the interval contains 0, both halves have the larger width.
NEAR, LEFT = 1.05, 4.0

# Exponent of the factor by which a variance grows from resamples to topics: 1 would suit a single level, and the
# centre, which uses three levels, needs half a step more.
GROWTH = 1.5

# Second-level samples of each first-level sample; each has one third-level sample.
INNER = 12

# The smallest total number of resamples. This leaves 20 first-level samples, from which a standard error can be
# estimated.
FEWEST = 500

# Intervals of `correlate`, method "auto": coverage_intervals.py

# Threshold for the fit of the shrinkage model, in standard deviations of the agreement between halves of the topics. If
# the fit is below it, the interval is widened to include the iterated interval; this happens in 1 of 20 samples of real
# collections. A threshold nearer to 0 detects more samples with tied systems, but widens intervals.
MISFIT = -1.2

# Factor on the half of the shrinkage interval that points away from 0. The shrinkage interval misses three times as
# often towards 0.
AWAY = 0.9

# Factor on the number of resamples for the iterated interval, so that it varies as little with the seed as the
# shrinkage interval.
STEADY = 8

# `rank_intervals`: coverage_ranks.py

# Factor on the observed skewness of a pair's differences: samples of 10 to 30 topics show a third to three quarters of
# the skewness of a heavy tail.
UNSEEN = 2.0

# Intervals of `correlate`, method "shrinkage": coverage_intervals.py

# The smallest shrinkage factor: at 0, all means would be equal and correlations undefined.
LEAST_SHRINKAGE = 0.05
