"""Coefficients on two score vectors, `(truth, candidate)`: one file a family, all listed in `registry`."""
