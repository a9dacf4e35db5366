"""Studies: independent trials that run in parallel and can be stopped and continued.

`grid` runs trials in this process, in several processes or on any executor, and keeps finished trials in a folder.
`reliability` studies the estimators of expected correlation, `judgments` studies changed judgments, and `judges`
compares several judges. `saving` has the common part of their results.
"""

from .grid import StudyError
from .judges import judge_study
from .judgments import judgment_study
from .reliability import reliability_study
from .saving import StudyResult
from .simulation import Simulator

__all__ = ["Simulator", "StudyError", "StudyResult", "judge_study", "judgment_study", "reliability_study"]
