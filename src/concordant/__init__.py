"""concordant compares rankings of systems: do they agree, does it matter, and how close are they to the truth?

Start with `list_coefficients()`. Every coefficient takes `(truth, observed)`: one score for each system, in the same
order on both sides, higher is better.

Names are resolved on first use, so that importing concordant costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import judgments as judgments
    from ._kernels import has_native
    from .auditing.result import AuditResult
    from .auditing.search import audit
    from .coefficients.ap import tau_ap, tau_ap_a, tau_ap_b, tau_ap_strict, tau_ap_symmetric, tau_ap_ties
    from .coefficients.classic import pearson, spearman, weighted_tau
    from .coefficients.gap import tau_gap, tau_gap_a
    from .coefficients.kendall import tau, tau_a, tau_b, tau_strict
    from .coefficients.overlap import rbo
    from .coefficients.pearson_rank import pearson_rank, pearson_rank_symmetric
    from .coefficients.registry import Coefficient, get_coefficient, list_coefficients
    from .coefficients.ties import TieBounds, tie_bounds
    from .collection import load_collection
    from .comparison import compare
    from .comparison_result import Comparison
    from .distance.discriminative import DiscriminativePower, discriminative_power
    from .distance.distribution import DistanceDistribution
    from .distance.places import RankProbabilities, rank_probabilities
    from .distance.problem import rank_distance
    from .distance.testing import RankTest, rank_test
    from .errors import (
        AlignmentWarning,
        ConcordantError,
        DataWarning,
        InputError,
        InputTypeError,
        LimitError,
        MissingExtraError,
        ReadError,
        RegularisationWarning,
        TiesError,
        UndefinedCorrelationWarning,
    )
    from .estimates import Estimate, Interval
    from .expected.correlation import Reliability, expected_correlation, reliability
    from .expected.halves import split_half
    from .expected.planning import TopicPlan, plan_topics
    from .expected.probabilities import Discordance, discordance
    from .inference.correlation import CorrelationEstimate, correlate
    from .inference.explanation import Explanation, explain
    from .inference.intervals_over_systems import kendall_interval
    from .inference.judges import JudgeComparison, compare_judges
    from .inference.nulls import NullDistribution, tau_ap_null, tau_null
    from .inference.permutation import PermutationTest, permutation_test
    from .inference.rank_bounds import RankIntervals, rank_intervals
    from .inference.rerankings import random_rankings
    from .inference.topic_bootstrap import TopicBootstrap
    from .judgments.evaluation import evaluate, evaluate_all
    from .judgments.qrels import Qrels
    from .judgments.runs import Run, Runs
    from .read import read_qrels, read_run, read_runs, read_scores
    from .report import report_document, report_html, write_report
    from .scores import Alignment, Scores, align, alignment
    from .simulation.fidelity import Fidelity
    from .simulation.simulator import Simulator, simulate
    from .study.grid import StudyError
    from .study.judges import judge_study
    from .study.judges_result import JudgeStudy
    from .study.judgments import judgment_study
    from .study.judgments_result import JudgmentStudy
    from .study.reliability import reliability_study
    from .study.reliability_result import ReliabilityStudy

__version__ = "0.1.0"

_MODULE_OF = {
    name: module
    for module, names in {
        "_kernels": ("has_native",),
        "coefficients.ap": (
            "tau_ap",
            "tau_ap_a",
            "tau_ap_b",
            "tau_ap_strict",
            "tau_ap_symmetric",
            "tau_ap_ties",
        ),
        "coefficients.classic": ("pearson", "spearman", "weighted_tau"),
        "coefficients.gap": ("tau_gap", "tau_gap_a"),
        "coefficients.kendall": ("tau", "tau_a", "tau_b", "tau_strict"),
        "coefficients.overlap": ("rbo",),
        "coefficients.pearson_rank": ("pearson_rank", "pearson_rank_symmetric"),
        "coefficients.registry": ("Coefficient", "get_coefficient", "list_coefficients"),
        "coefficients.ties": ("TieBounds", "tie_bounds"),
        "collection": ("load_collection",),
        "comparison": ("compare",),
        "comparison_result": ("Comparison",),
        "distance.discriminative": ("DiscriminativePower", "discriminative_power"),
        "distance.problem": ("rank_distance",),
        "distance.distribution": ("DistanceDistribution",),
        "errors": (
            "AlignmentWarning",
            "ConcordantError",
            "DataWarning",
            "InputError",
            "InputTypeError",
            "LimitError",
            "MissingExtraError",
            "ReadError",
            "RegularisationWarning",
            "TiesError",
            "UndefinedCorrelationWarning",
        ),
        "estimates": ("Estimate", "Interval"),
        "expected.correlation": ("Reliability", "expected_correlation", "reliability"),
        "expected.halves": ("split_half",),
        "expected.planning": ("TopicPlan", "plan_topics"),
        "expected.probabilities": ("Discordance", "discordance"),
        "inference.explanation": ("Explanation", "explain"),
        "inference.rank_bounds": ("RankIntervals", "rank_intervals"),
        "inference.intervals_over_systems": ("kendall_interval",),
        "inference.nulls": ("NullDistribution", "tau_ap_null", "tau_null"),
        "inference.permutation": ("PermutationTest", "permutation_test"),
        "inference.correlation": ("CorrelationEstimate", "correlate"),
        "inference.topic_bootstrap": ("TopicBootstrap",),
        "distance.places": ("RankProbabilities", "rank_probabilities"),
        "distance.testing": ("RankTest", "rank_test"),
        "report": ("report_document", "report_html", "write_report"),
        "inference.rerankings": ("random_rankings",),
        "auditing.result": ("AuditResult",),
        "auditing.search": ("audit",),
        "inference.judges": ("JudgeComparison", "compare_judges"),
        "judgments.evaluation": ("evaluate", "evaluate_all"),
        "judgments.qrels": ("Qrels",),
        "judgments.runs": ("Run", "Runs"),
        "read": ("read_qrels", "read_run", "read_runs", "read_scores"),
        "scores": ("Alignment", "Scores", "align", "alignment"),
        "simulation.fidelity": ("Fidelity",),
        "simulation.simulator": ("Simulator", "simulate"),
        "study.grid": ("StudyError",),
        "study.judges": ("judge_study",),
        "study.judges_result": ("JudgeStudy",),
        "study.judgments": ("judgment_study",),
        "study.judgments_result": ("JudgmentStudy",),
        "study.reliability": ("reliability_study",),
        "study.reliability_result": ("ReliabilityStudy",),
    }.items()
    for name in names
}

__all__ = [
    "Alignment",
    "AlignmentWarning",
    "AuditResult",
    "Coefficient",
    "Comparison",
    "ConcordantError",
    "CorrelationEstimate",
    "DataWarning",
    "Discordance",
    "DiscriminativePower",
    "DistanceDistribution",
    "Estimate",
    "Explanation",
    "Fidelity",
    "InputError",
    "InputTypeError",
    "Interval",
    "JudgeComparison",
    "JudgeStudy",
    "JudgmentStudy",
    "LimitError",
    "MissingExtraError",
    "NullDistribution",
    "PermutationTest",
    "Qrels",
    "RankIntervals",
    "RankProbabilities",
    "RankTest",
    "ReadError",
    "RegularisationWarning",
    "Reliability",
    "ReliabilityStudy",
    "Run",
    "Runs",
    "Scores",
    "Simulator",
    "StudyError",
    "TieBounds",
    "TiesError",
    "TopicBootstrap",
    "TopicPlan",
    "UndefinedCorrelationWarning",
    "align",
    "alignment",
    "audit",
    "compare",
    "compare_judges",
    "correlate",
    "discordance",
    "discriminative_power",
    "evaluate",
    "evaluate_all",
    "expected_correlation",
    "explain",
    "get_coefficient",
    "has_native",
    "judge_study",
    "judgment_study",
    "kendall_interval",
    "list_coefficients",
    "load_collection",
    "pearson",
    "pearson_rank",
    "pearson_rank_symmetric",
    "permutation_test",
    "plan_topics",
    "random_rankings",
    "rank_distance",
    "rank_intervals",
    "rank_probabilities",
    "rank_test",
    "rbo",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "reliability",
    "reliability_study",
    "report_document",
    "report_html",
    "simulate",
    "spearman",
    "split_half",
    "tau",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_ap_null",
    "tau_ap_strict",
    "tau_ap_symmetric",
    "tau_ap_ties",
    "tau_b",
    "tau_gap",
    "tau_gap_a",
    "tau_null",
    "tau_strict",
    "tie_bounds",
    "weighted_tau",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name == "judgments":  # concordant.judgments.sample and its kin
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
