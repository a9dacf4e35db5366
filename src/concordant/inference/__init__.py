"""The machinery of inference: topics drawn again, null distributions, permutations, signs, step-down, true means."""
