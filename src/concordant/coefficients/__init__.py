"""Coefficients on two score vectors, `(truth, observed)`: one file a family, all listed in `registry`."""
