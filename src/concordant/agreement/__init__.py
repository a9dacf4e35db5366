"""Measure the agreement of two rankings: comparison, correlation, permutation test, explanation and audit."""
