"""Coefficients on two score vectors, `(truth, candidate)`: one file per family, all listed in `registry`."""
