# Every public name of the package, where it is defined. `__init__.py` reads this list, type checkers do, too.
from collections.abc import Callable, Mapping
from typing import Any

from . import errors as errors
from . import judges as judges
from . import judgments as judgments
from . import planning as planning
from . import ranks as ranks
from . import study as study
from ._kernels import has_native as has_native
from .agreement.audit.search import audit as audit
from .agreement.comparison import compare as compare
from .agreement.correlation import correlate as correlate
from .agreement.correlation import permutation_test as permutation_test
from .agreement.explanation import explain as explain
from .coefficients.correlations import pearson as pearson
from .coefficients.correlations import pearson_rank as pearson_rank
from .coefficients.correlations import spearman as spearman
from .coefficients.correlations import weighted_tau as weighted_tau
from .coefficients.gap import tau_gap as tau_gap
from .coefficients.overlap import rbo as rbo
from .coefficients.registry import get_coefficient as get_coefficient
from .coefficients.registry import list_coefficients as list_coefficients
from .coefficients.registry import tie_bounds as tie_bounds
from .coefficients.tau import pairwise_accuracy as pairwise_accuracy
from .coefficients.tau import tau as tau
from .coefficients.tau import tau_a as tau_a
from .coefficients.tau import tau_ap as tau_ap
from .coefficients.tau import tau_ap_a as tau_ap_a
from .coefficients.tau import tau_ap_b as tau_ap_b
from .coefficients.tau import tau_b as tau_b
from .data.collection import load_collection as load_collection
from .data.scores import Means as Means
from .data.scores import Scores as Scores
from .errors import ConcordantError as ConcordantError
from .inference.nulls import null_distribution as null_distribution
from .judges.accuracy import soft_pairwise_accuracy as soft_pairwise_accuracy
from .judges.card import judge_card as judge_card
from .judges.worth import judge_worth as judge_worth
from .judges.worth import rank_judges as rank_judges
from .judgments.evaluation import evaluate as evaluate
from .judgments.qrels import Qrels as Qrels
from .judgments.read_runs import read_qrels as read_qrels
from .judgments.read_runs import read_runs as read_runs
from .judgments.runs import Runs as Runs
from .pairing import Pairing as Pairing
from .pairing import pair as pair
from .planning.board import board as board
from .planning.combination import combine as combine
from .planning.combination import plan_mix as plan_mix
from .planning.estimation import expected_correlation as expected_correlation
from .planning.estimation import reliability as reliability
from .planning.more_topics import plan_topics as plan_topics
from .planning.selection import select_topics as select_topics
from .ranks import votes as votes
from .ranks.differences import difference as difference
from .ranks.distance import rank_distance as rank_distance
from .ranks.distance import rank_test as rank_test
from .ranks.intervals import rank_intervals as rank_intervals
from .read import read_scores as read_scores
from .read.reader import as_scores as as_scores
from .study.simulation import simulate as simulate

__all__: list[str]
__version__: str
_MODULE_OF: dict[str, str]

def resolver(package: str, module_of: Mapping[str, str]) -> Callable[[str], Any]: ...
