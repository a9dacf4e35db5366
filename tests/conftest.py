"""What all tests share: both kernels, and where the real data are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from concordant import _kernels
from concordant._kernels import reference

from .places import places

# The suite draws the same examples each time, so that a failure belongs to a change; `make explore` draws new ones.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("long", deadline=None, derandomize=True, max_examples=200)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("suite")

# What `make test` leaves to `make test-long`: folders, files, and single tests that take seconds.
LONG = (
    "chance/test_nulls.py::test_it_is_what_random_rankings_have",
    "chance/test_permutation.py::test_random_permutations_agree_with_all_of_them[tau_gap_a",
    "coefficients/test_gap_ties.py::test_fewer_nodes_for_large_groups_are_enough",
    "coefficients/test_gap_ties.py::test_is_the_mean_over_all_orders",
    "coefficients/test_overlap.py::test_golden",
    "coefficients/test_overlap.py::test_variant_a_is_the_mean_over_all_orders_of_the_tied_items",
    "coefficients/test_against_literal.py::test_equal_to_the_definition[numpy-60",
    "expected/test_values.py::test_resampling_in_the_limit_off_grids",
    "hardening/",
    "judgments/test_against_trec_eval.py::test_all_runs_of_real_collections",
    "judgments/test_against_trec_eval.py::test_small_runs_with_ties_and_negative_grades",
    "judgments/test_study.py::test_a_study_continues_in_its_folder_and_is_the_same_in_processes",
    "mixing/test_combine.py::test_a_fixed_lam_is_ppi_py",
    "packaging/",
    "plots/test_images.py::test_a_missing_series_is_seen",
    "plots/test_use.py::test_odd_names",
    "plots/test_use.py::test_the_example_runs",
    "read/test_large.py",
    "read/test_layouts.py::TestMatrix::test_many_columns",
    "read/test_roundtrip.py::test_100_megabytes",
    "report/test_browser.py",
    "report/test_explorer.py",
    "report/test_claims.py::test_many_candidates_are_counted",
    "report/test_claims.py::test_one_best_candidate_is_named",
    "report/test_claims.py::test_worth_fewer_topics_is_for",
    "report/test_commands.py::test_a_saved_document_makes_the_same_report",
    "report/test_commands.py::test_compare_writes_the_document_that_it_prints",
    "report/test_commands.py::test_the_python_call_of_the_report_makes_it_again",
    "report/test_page.py::test_150_systems_and_250_topics_stay_below_3_mb",
    "study/test_dask.py",
    "study/test_engine.py::test_two_runs_in_one_folder",
    "study/test_reliability.py::test_a_command_that_is_told_to_end_ends_with_all_its_processes",
    "study/test_reliability.py::test_the_command_stops_continues_and_refuses",
    "test_cli.py::test_demo_runs",
    "ranks/test_values.py::test_small_eps_ends_too",
    "test_docs.py::test_every_block_runs[docs/guide/figures.md",
    "test_docs.py::test_every_block_runs[docs/guide/report.md",
    "test_docs.py::test_every_block_runs[docs/guide/studies.md",
    "test_site.py",
    "test_board.py::test_mteb",
    "topics/test_coverage.py",
    "topics/test_worth_core.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(LONG):
            item.add_marker("long")


KERNELS: dict[str, Any] = {"numpy": reference}
if _kernels.has_native:
    from concordant._kernels import native

    KERNELS["native"] = native


@pytest.fixture(params=sorted(KERNELS))
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a test on the NumPy kernels and, where it was built, on the native module."""
    monkeypatch.setattr(_kernels, "active", KERNELS[request.param])
    return KERNELS[request.param]


def pytest_report_header() -> str:
    return "concordant kernels: " + ", ".join(sorted(KERNELS)) + ("" if "native" in KERNELS else " (NOT native)")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections. Where CONCORDANT_DATA is set, a file that is not there is a failure."""
    if os.environ.get("CONCORDANT_DATA"):
        (named,) = places()
        if not named.is_dir():
            pytest.fail(f"CONCORDANT_DATA is {named}, which is not a folder")
        return named
    # What tools/fetch_data.py cannot get has to be there, too: a test may ask for any of it.
    for here in places():
        if (here / "formats").is_dir():
            return here
    pytest.skip(f"NO REAL COLLECTIONS, or not all, in {places()[0]}: set CONCORDANT_DATA to run this test")


@pytest.fixture(scope="session")
def formats(data: Path) -> Path:
    """Real files of each tool."""
    return data / "formats"


@pytest.fixture(scope="session")
def golden() -> Path:
    """Expected values, on the real collections among others."""
    return Path(__file__).parent / "golden"
