"""Methods of inference: resampling of topics, null distributions, permutation tests, adjustments, and posteriors."""
