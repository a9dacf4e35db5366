"""Studies: a grid of independent trials, run in parallel, that can be stopped and continued.

`grid` says what a trial is, `folder` keeps what is done, `execution` runs the rest here, in processes or on a cluster;
`reliability` is the study of the estimators of expected correlation.
"""

from __future__ import annotations
