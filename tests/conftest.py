"""What all tests share: both kernels, and where the real data are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from concordant import _kernels
from concordant._kernels import reference

from . import places

# The suite draws the same examples each time, so that a failure belongs to a change; `make explore` draws new ones.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("long", deadline=None, derandomize=True, max_examples=200)
settings.register_profile("explore", deadline=None, print_blob=True)
quick = (Phase.explicit, Phase.generate)
settings.register_profile("mutants", deadline=None, derandomize=True, max_examples=30, phases=quick)
settings.load_profile("suite")

# What `make test` leaves to `make test-long`: folders, files, and single tests that take seconds.
LONG = (
    "judges/test_judge_card.py::test_each_number_is_that_of_its_function",
    "judges/test_judge_card.py::test_every_form_of_output",
    "judges/test_significance.py::test_counted_pair_by_pair",
    "judges/test_soft_accuracy.py::test_the_values_of_wmt",
    "inference/test_nulls.py::test_it_is_what_random_rankings_have",
    "inference/test_nulls.py::test_tau_ap_tails_are_positive_and_monotone_and_end_at_one_ranking[170]",
    "inference/test_nulls.py::test_up_to_eight_systems_it_is_full_enumeration[8",
    "agreement/test_permutation.py::test_random_permutations_agree_with_all_of_them[tau_gap_a",
    "inference/test_random_rankings.py::test_uniform_over_all_rankings_with_the_value",
    "coefficients/test_against_literal.py::test_equal_to_the_definition[native-60",
    "coefficients/test_against_literal.py::test_equal_to_the_definition[numpy-60",
    "coefficients/test_gap_ties.py::test_fewer_nodes_for_large_groups_are_enough",
    "coefficients/test_gap_ties.py::test_is_the_mean_over_all_orders",
    "coefficients/test_gap_ties.py::test_sorted_groups_give_the_bounds",
    "coefficients/test_overlap.py::test_golden",
    "coefficients/test_overlap.py::test_variant_a_is_the_mean_over_all_orders_of_the_tied_items",
    "coefficients/test_values.py::test_pearson_rank_medians_of_gao2016",
    "planning/test_rules.py::test_no_nan_where_nothing_varies[numpy",
    "planning/test_values.py::test_probabilities_against_the_definition[numpy",
    "planning/test_values.py::test_resampling_in_the_limit_off_grids",
    "hardening/",
    "judgments/test_against_trec_eval.py::test_all_runs_of_real_collections",
    "judgments/test_against_trec_eval.py::test_small_runs_with_ties_and_negative_grades",
    "judgments/test_commands.py::test_judges",
    "judgments/test_real_collections.py",
    "judgments/test_study.py::test_a_study_continues_in_its_folder_and_is_the_same_in_processes",
    "planning/test_combine.py::test_a_fixed_lam_is_ppi_py",
    "planning/test_combine.py::test_the_commands",
    "packaging/",
    "render/figures/test_images.py",
    "render/figures/test_use.py::test_commands",
    "render/figures/test_use.py::test_odd_names",
    "render/figures/test_use.py::test_the_example_runs",
    "ranks/test_rank_bounds.py::test_same_seed_same_bits",
    "ranks/test_values.py::test_both_kernels_agree_and_threads",
    "ranks/test_values.py::test_small_eps_ends_too",
    "read/test_large.py",
    "read/test_layouts.py::TestMatrix::test_many_columns",
    "read/test_roundtrip.py::test_100_megabytes",
    "render/report/test_browser.py",
    "render/report/test_claims.py::test_caveats_say_once_what_holds_for_all",
    "render/report/test_claims.py::test_many_candidates_are_counted",
    "render/report/test_claims.py::test_one_best_candidate_is_named",
    "render/report/test_claims.py::test_worth_fewer_topics_is_for",
    "render/report/test_commands.py::test_a_report_of_many_candidates",
    "render/report/test_commands.py::test_compare_writes_the_document_that_it_prints",
    "render/report/test_commands.py::test_judges",
    "render/report/test_commands.py::test_studies_of_judgments",
    "render/report/test_commands.py::test_the_answer_on_the_screen",
    "render/report/test_commands.py::test_the_python_call_of_the_report_makes_it_again",
    "render/report/test_explorer.py",
    "render/report/test_injection.py::test_nothing_in_a_document_is_markup[card",
    "render/report/test_injection.py::test_nothing_in_a_document_is_markup[comparison",
    "render/report/test_injection.py::test_nothing_in_a_document_is_markup[judges",
    "render/report/test_page.py::test_150_systems_and_250_topics_stay_below_3_mb",
    "render/report/test_page.py::test_the_page_is_well_formed_and_every_id_is_there_once",
    "render/report/test_pictures.py",
    "render/report/test_verdicts.py::test_odd_data_have_a_report",
    "study/simulation/test_margins.py::test_a_table_is_the_inverse_of_the_smoothed_distribution_function",
    "study/simulation/test_margins.py::test_the_bandwidth_is_the_two_stage_plug_in",
    "study/simulation/test_simulator.py::test_real_collections_keep_what_the_reference_keeps",
    "study/test_dask.py",
    "study/test_engine.py::test_a_killed_run_continues_and_ends_with_the_same_bits",
    "study/test_engine.py::test_two_runs_in_one_folder",
    "study/test_engine.py::test_workers_end_with_the_process_that_started_them",
    "study/test_reliability.py::test_a_command_that_is_told_to_end_ends_with_all_its_processes",
    "study/test_reliability.py::test_the_command_stops_continues_and_refuses",
    "study/test_reliability.py::test_the_published_figures",
    "planning/test_board.py::test_mteb",
    "cli/test_cli.py::test_a_hundred_candidates",
    "cli/test_cli.py::test_demo_runs",
    "test_docs.py::test_every_block_runs[docs/guide",
    "test_docs.py::test_every_block_runs[docs/how-to",
    "test_docs.py::test_every_block_runs[docs/measured",
    "test_docs.py::test_every_block_runs[docs/papers",
    "test_docs.py::test_every_block_runs[docs/reference",
    "test_docs.py::test_every_block_runs[docs/theory",
    "test_docs.py::test_every_block_runs[docs/tutorial",
    "test_extras.py::test_studies_write_tables",
    "cli/test_help.py::test_examples_work",
    "test_record_numbers.py::test_what_needs_a_collection",
    "test_site.py",
    "test_tutorial_notebook.py::test_every_cell_runs",
    "judges/test_commands.py::test_several_judges_are_ranked",
    "judges/test_commands.py::test_worth_for_papers",
    "judges/test_commands.py::test_worth_is_drawn",
    "judges/test_commands.py::test_worth_takes_names",
    "inference/test_coverage.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(LONG):
            item.add_marker("long")


def pytest_runtest_teardown() -> None:
    """Leave no figure open: matplotlib warns of more than 20, whichever tests of a process have drawn them."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


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
    found = places.collections()
    if found is None:
        pytest.skip(f"NO REAL COLLECTIONS, or not all, in {places.places()[0]}: set CONCORDANT_DATA to run this test")
    if not found.is_dir():
        pytest.fail(f"CONCORDANT_DATA is {found}, which is not a folder")
    return found


@pytest.fixture(scope="session")
def trec() -> Path:
    """The collections that come with the project."""
    return places.trec()


@pytest.fixture(scope="session")
def formats(data: Path) -> Path:
    """Real files of each tool."""
    return data / "formats"


@pytest.fixture(scope="session")
def golden() -> Path:
    """Expected values, on the real collections among others."""
    return Path(__file__).parent / "golden"
