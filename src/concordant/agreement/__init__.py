"""Agreement of two rankings: comparison, correlation with an interval, permutation test, explanation and audit."""
