"""Studies: independent trials that run in parallel and can be stopped and continued.

`grid` defines trials and keeps finished ones in a folder. `execution` runs the others in this process, in several
processes or on any executor. `reliability` studies the estimators of expected correlation, `judgments` changed
judgments, and `judges` several judges. `saving` has the common part of their results.
"""

from .execution import executor_at
from .grid import StudyError
from .judges import judge_study
from .judgments import judgment_study
from .reliability import reliability_study
from .saving import StudyResult
from .simulation import Simulator

__all__ = [
    "Simulator",
    "StudyError",
    "StudyResult",
    "executor_at",
    "judge_study",
    "judgment_study",
    "reliability_study",
]
