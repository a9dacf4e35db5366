"""Resampling of topics, null distributions, permutation tests, adjusted p-values, and posteriors."""
