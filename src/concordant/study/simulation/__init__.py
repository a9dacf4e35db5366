"""New collections from an existing one: the same systems on topics that nobody has seen.

`margins` has the smoothed distributions of effects, and the scale on which they add up; `simulator` the model, and its
true means.
"""

from .simulator import Simulator, simulate

__all__ = ["Simulator", "simulate"]
