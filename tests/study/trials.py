"""A small study for the tests of the engine. Also a program, to be killed: python trials.py FOLDER WORKERS."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant.study.grid import Trials, run_grid


@dataclass(frozen=True)
class Dice:
    """Sums of random numbers; slow if wanted, and with trials that fail."""

    seconds: float = 0.0
    failing: tuple[int, ...] = ()

    def __call__(self, trial: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        time.sleep(self.seconds)
        if trial in self.failing:
            raise ZeroDivisionError("the die fell off the table")
        return np.array([trial, rng.random(1000).sum(), (rng.random((60, 60)) @ rng.random((60, 60))).sum()])

    def describe(self, trial: int) -> str:
        return f"throw {trial}"


class Deadly(Dice):
    """Takes its whole process with it."""

    def __call__(self, trial: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        if trial == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(trial, rng)


def grid(n_trials: int = 23, seed: int = 7, chunk: int = 4, work: Dice | None = None, **options: Any) -> Trials:
    return Trials("dice", work or Dice(**options), n_trials, (3,), {"dice": {"sides": 6}, "sizes": [1, 2]}, seed, chunk)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore it
    run_grid(grid(n_trials=40, seconds=0.05), sys.argv[1], workers=int(sys.argv[2]))
