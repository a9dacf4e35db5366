"""Studies: a grid of independent trials, run in parallel, that can be stopped and continued.

`grid` says what a trial is, `folder` keeps what is done, `execution` runs the rest here, in processes or on a cluster.
`reliability` is the study of the estimators of expected correlation, `judgments` that of changed judgments, `judges`
that of several judges.
"""

from .grid import StudyError
from .judges import judge_study
from .judges_result import JudgeStudy
from .judgments import judgment_study
from .judgments_result import JudgmentStudy
from .reliability import reliability_study
from .reliability_result import ReliabilityStudy

__all__ = [
    "JudgeStudy",
    "JudgmentStudy",
    "ReliabilityStudy",
    "StudyError",
    "judge_study",
    "judgment_study",
    "reliability_study",
]
