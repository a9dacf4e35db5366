"""Check the standard errors or the covariance of scores, one score per system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError, InputTypeError, listing

_LARGEST = 1e150  # so that sums of squares stay finite
ROUNDING = 1e-9  # tolerance for symmetry and eigenvalues, relative to the largest variance


def check_errors(given: Any, values: FloatArray, systems: tuple[str, ...]) -> FloatArray:
    """Check the standard errors of systems. A mapping or Series is matched by label, a sequence by position."""
    if hasattr(given, "to_dict"):
        given = given.to_dict()
    if isinstance(given, Mapping):
        by_name = {str(label): value for label, value in given.items()}
        given = [by_name[label] for label in _in_order(list(by_name), systems, "errors")]
    errors = _numbers(given, "errors", (len(systems),), f"a standard error for each of the {len(systems)} systems")
    errors[np.isnan(values)] = np.nan
    wrong = ~np.isnan(values) & ~((errors >= 0) & (errors <= _LARGEST))  # true if an error is nan
    if wrong.any():
        k = int(wrong.argmax())
        raise InputError(
            f"errors has {errors[k]:g} for system {systems[k]!r}: a standard error is a number from 0 to {_LARGEST:g}"
        )
    errors.flags.writeable = False
    return errors


def check_covariance(given: Any, systems: tuple[str, ...]) -> FloatArray:
    """Check a covariance matrix, systems x systems. A frame is matched by label, an array by position."""
    m = len(systems)
    if hasattr(given, "columns") and hasattr(given, "index"):
        axes = [[str(label) for label in labels] for labels in (given.index, given.columns)]
        places = [[labels.index(s) for s in _in_order(labels, systems, "covariance")] for labels in axes]
        given = np.asarray(given)[np.ix_(*places)]
    sigma = _numbers(given, "covariance", (m, m), f"a matrix of {m} x {m}, or errors=")
    if not (np.abs(sigma) <= _LARGEST**2).all():
        raise InputError("covariance has values that are not finite, or too large: leave those systems out")
    slack = ROUNDING * np.abs(np.diag(sigma)).max()
    if np.abs(sigma - sigma.T).max() > slack:
        raise InputError("covariance is not symmetric: give the covariance of the scores, systems x systems")
    sigma = (sigma + sigma.T) / 2
    if (least := float(np.linalg.eigvalsh(sigma)[0])) < -slack:
        raise InputError(f"covariance has the eigenvalue {least:g}: a covariance matrix has no negative eigenvalues")
    sigma.flags.writeable = False
    return sigma


def _numbers(given: Any, name: str, shape: tuple[int, ...], wanted: str) -> FloatArray:
    """Copy the given values to an array. Raise an error if they are not numbers or have the wrong shape."""
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fiub" or np.ma.is_masked(given):
        raise InputTypeError(f"{name} is not an array of numbers: give one number for each system, or for each pair")
    if array.shape != shape:
        raise InputError(f"{name} has shape {array.shape}: give {wanted}")
    return np.array(array, dtype=np.float64)


def _in_order(labels: list[str], systems: tuple[str, ...], name: str) -> tuple[str, ...]:
    if sorted(labels) != sorted(systems):
        other = sorted(set(labels) ^ set(systems))
        raise InputError(f"{name} and values have different systems ({listing(other or labels)}): give each once")
    return systems
