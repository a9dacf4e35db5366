"""New collections from an existing one: the same systems on topics that nobody has seen.

`scale` is where effects add up, `margins` has their smoothed distributions, `simulator` the model, `expectation` its
true means.
"""

from .simulator import Simulator, simulate

__all__ = ["Simulator", "simulate"]
