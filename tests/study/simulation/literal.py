"""The bandwidth of the simulator, written down as the paper has it: Polansky and Baker 2000, two stages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numpy.polynomial.hermite_e import HermiteE
from scipy.stats import norm

FloatArray = npt.NDArray[np.float64]


def derivative(order: int, x: FloatArray) -> FloatArray:
    """Of the standard normal density."""
    return np.asarray((-1) ** order * HermiteE.basis(order)(x) * norm.pdf(x))


def bandwidth(observed: FloatArray) -> float:
    n, sd = len(observed), observed.std(ddof=1)
    psi = float(derivative(6, np.array(0.0))) / (np.sqrt(2) * sd) ** 7  # a normal density against itself: sd sqrt(2)
    for order in (4, 2):
        g = (2 * float(derivative(order, np.array(0.0))) / (-n * psi)) ** (1 / (order + 3))
        psi = sum(float(derivative(order, (observed - x) / g).sum()) for x in observed) / (n**2 * g ** (order + 1))
    # rho = 2 * integral of x k(x) K(x) = 1 / sqrt(pi) for the normal kernel, whose variance is 1
    return float((1 / (np.sqrt(np.pi) * n * -psi)) ** (1 / 3))
