"""Studies: a grid of independent trials, run in parallel, that can be stopped and continued.

`grid` says what a trial is, and keeps what is done in a folder; `execution` runs the rest here, in processes or on any
executor. `reliability` is the study of the estimators of expected correlation, `judgments` that of changed judgments,
`judges` that of several judges; `saving` has what their results share.
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
