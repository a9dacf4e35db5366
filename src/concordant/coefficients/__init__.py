"""Coefficients between two score vectors, `(truth, candidate)`: one file per family. `registry` lists them all."""
