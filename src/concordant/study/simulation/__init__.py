"""Simulation of new collections from an existing one: the same systems on new topics.

`margins` has the smoothed distributions of effects and the scale on which they add up, `simulator` the model and its
true means.
"""

from .simulator import Simulator, simulate

__all__ = ["Simulator", "simulate"]
