# Everything runs in .venv, made here from Python >= 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find src -type f ! -name '*.pyc' ! -name '*.so')

.PHONY: help demo test test-long lint docs figures bench coverage harden release clean browser $(addprefix only-,cover explore sanitize extremes faults mutants packages wheels lowest)

help:  # this list
	@sed -n 's/^\([a-z-]*\):.*  # \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: $(VENV)/installed  # set up .venv and show what the package does
	$(VENV)/bin/concordant demo

# Quick enough to be run all day. `make test-long` has the rest: packaging, docs site, coverage of intervals, fuzz,
# faults, Dask, the browser, and the property tests on more examples.
test: $(VENV)/tools $(VENV)/installed lint  # quick enough for all day: style, types, imports, tests, examples of the docs
	$(PY) -m pytest -n 2 --dist worksteal -m "not long" --durations 15

test-long: $(VENV)/tools $(VENV)/installed browser  # the rest: packaging, site, coverage of intervals, fuzz, faults, browser
	$(PY) -m pytest -n 2 --dist worksteal -m long --durations 15
	$(PY) -m pytest -n 2 --dist worksteal -m "hypothesis and not long" --hypothesis-profile=long -q
	OPENBLAS_CORETYPE=$(CORETYPE) $(PY) -m pytest -n 2 --dist worksteal -m "not long" -q $(STATISTICS)
	OPENBLAS_CORETYPE=$(CORETYPE) $(PY) -m pytest -n 2 --dist worksteal -q tests/judges

# The statistics once more as on another processor, whose products of matrices round in another way. OpenBLAS can be any
# x86-64 processor up to its own; Prescott is the oldest. Where NumPy has another library, this is the same run again.
CORETYPE ?= Prescott
STATISTICS = tests/inference tests/agreement tests/ranks tests/planning tests/judges tests/study/simulation

# WHAT="cover sanitize" runs these alone. Mutation testing takes hours and runs only if it is named.
WHAT ?= cover explore sanitize extremes faults
harden: $(addprefix only-,$(WHAT))  # coverage, new examples, sanitizers, extremes, faults; WHAT=mutants: do tests notice?

# Branch coverage of the installed package, subprocesses included: fails below what pyproject.toml asks.
only-cover: $(VENV)/tools $(VENV)/installed browser
	$(PY) -m pytest -n 2 --cov --cov-report=term

# Mutation testing of coefficients and rank distance: hours. SAMPLE=500 SEED=7 tries as many, drawn at random.
SAMPLE ?= 0
SEED ?= 7
only-mutants: $(VENV)/tools $(VENV)/installed
	$(PY) benchmarks/mutants.py --sample $(SAMPLE) --seed $(SEED) $(ARGUMENTS)

# The tests of the report open it in a real browser. Where Debian's cannot be installed they are skipped, and say so.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || { \
	    command -v apt-get >/dev/null && test "$$(id -u)" = 0 && echo "installing chromium for the tests of the report" && \
	    { timeout 150 apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null 2>&1 || \
	      { timeout 60 apt-get update -qq >/dev/null 2>&1 && \
	        timeout 120 apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null 2>&1; }; }; } || \
	    echo "NO BROWSER: chromium and chromedriver are not here and cannot be installed; the report is not tested in one"

# The property tests again, on examples that no run saw before.
only-explore: $(VENV)/tools $(VENV)/installed
	$(PY) -m pytest --hypothesis-profile=explore -m hypothesis

# The documentation, built without a network; every warning is an error.
docs: $(VENV)/tools $(VENV)/installed  # the docs as a site; every warning is an error
	$(PY) -m sphinx -E -W --keep-going -q docs build/docs
	@echo "open build/docs/index.html in a browser"

# By the commands beside them: pictures, notebook, every item of the five papers. What needs absent collections stays.
figures: $(VENV)/tools $(VENV)/installed  # what the docs show, made again: pictures, notebook, pages of the papers
	$(PY) tools/docs_figures.py
	$(PY) tools/notebook.py
	$(PY) tools/measured.py
	@$(PY) tools/fetch_data.py --need trec covid1 dl21 || echo "items that need them are left as they were"
	@for script in examples/papers/*[0-9].py; do $(PY) $$script || exit 1; done

lint: $(VENV)/tools  # style, types and direction of imports
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	PYTHONPATH=src $(VENV)/bin/lint-imports --no-cache --no-logo

BENCHMARKS := coefficients reading distance evaluation simulation rank_intervals reliability nulls intervals

# All of them, also where one misses a target.
bench: $(VENV)/tools $(VENV)/installed  # speed against the peers, as ratios within one run
	@$(PY) tools/fetch_data.py --need trec covid1 mteb || echo "rows that need them are left out, or made up, and say so"
	@missed=; for name in $(BENCHMARKS); do echo "benchmarks/$$name.py"; $(PY) benchmarks/$$name.py || missed="$$missed $$name"; done; \
	test -z "$$missed" || { echo "missed a target:$$missed"; exit 1; }

# Do intervals and tests hold? On real collections, for hours; each script has options for fewer samples.
coverage: $(VENV)/tools $(VENV)/installed  # do intervals and tests hold? hours; the study of urbano2016
	@$(PY) tools/fetch_data.py --need trec covid1 dl21 wmt25 mteb
	$(PY) benchmarks/coverage_distance.py
	$(PY) benchmarks/coverage_ranks.py
	$(PY) benchmarks/coverage_borders.py
	$(PY) benchmarks/coverage_boards.py
	$(PY) benchmarks/coverage_differences.py
	$(PY) benchmarks/coverage_reliability.py
	$(PY) benchmarks/coverage_agreement.py
	$(PY) benchmarks/coverage_intervals.py
	$(PY) benchmarks/coverage_worth.py
	$(PY) benchmarks/coverage_default.py
	$(PY) benchmarks/coverage_combine.py
	$(PY) benchmarks/coverage_partial.py
	$(PY) benchmarks/gaming_size.py
	$(PY) benchmarks/family_bias.py
	$(PY) tools/measured.py
	$(VENV)/bin/concordant study reliability $(foreach n,6 7 8,data/trec/adhoc$(n).csv) --trials 1000 --workers 2 -o studies/sigir2016
	$(PY) benchmarks/sigir2016.py studies/sigir2016

# The native module with GCC's sanitizers in it, under its tests and under a fuzz of all its entry points: some minutes.
only-sanitize: $(VENV)/tools $(VENV)/installed
	$(PY) tests/hardening/sanitize.py address
	$(PY) tests/hardening/sanitize.py thread

# A million systems, 100,000 topics, files that mean harm: some minutes, and 6 GiB of memory.
only-extremes: $(VENV)/tools $(VENV)/installed
	$(PY) benchmarks/extremes.py

# Kills, full disks, damaged files and hostile names: some minutes, into docs/measured/faults.csv.
only-faults: $(VENV)/tools $(VENV)/installed
	$(PY) -m benchmarks.faults $(PARTS)

# What is published, each part with all tests in an environment of its own: some 30 minutes on two free cores.
# QUICK="sdist wheel" tests these without the long tests, ONLY="sdist wheel" no other.
release: only-packages only-wheels only-lowest  # what is published, each part with all tests in an environment of its own

only-packages: $(VENV)/release
	$(PY) -m tests.packaging.all_tests --quick $(QUICK) --only $(ONLY)

# The wheels, each tried with the Pythons that it is for. Of what is built for other systems, the configuration is read.
PYTHONS ?= $(wildcard $(foreach minor,11 12 13 14,$(firstword $(shell command -v python3.$(minor)))))
only-wheels: $(VENV)/release
	$(VENV)/bin/validate-pyproject pyproject.toml
	for system in linux macos windows; do $(VENV)/bin/cibuildwheel --platform $$system --print-build-identifiers || exit 1; done
	$(PY) -m tests.packaging.wheels $(PYTHONS)

# All tests with every dependency at its lower bound, which pyproject.toml names. PYTEST='-m "not long"': fewer of them.
LOWEST := build/lowest
LOWEST_PYTHON ?= python3.11
only-lowest:
	$(LOWEST_PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(LOWEST)/bin/python tests/packaging/lowest.py pyproject.toml > $(LOWEST)/requirements.txt
	$(LOWEST)/bin/python -m pip install --quiet -r $(LOWEST)/requirements.txt 'pyparsing<3.3'  # 3.3 warns at old matplotlib
	PATH="$(CURDIR)/$(LOWEST)/bin:$$PATH" $(LOWEST)/bin/python -m pip install --quiet --no-build-isolation --no-deps .
	PATH="$(CURDIR)/$(LOWEST)/bin:$$PATH" $(LOWEST)/bin/python -m pytest -n 2 $(PYTEST)

$(VENV)/base: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "concordant needs Python >= 3.11; say which with PYTHON=...")'
	@if $(PYTHON) -c 'import ensurepip' 2>/dev/null; then $(PYTHON) -m venv $(VENV); else \
	    echo "no ensurepip (Debian has it in python3-venv): fetching pip"; \
	    $(PYTHON) -m venv --without-pip $(VENV) && $(PY) tools/get_pip.py; fi
	$(PY) -m pip install --quiet --upgrade 'pip>=25.1'
	$(PY) -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	    print(*p["dependencies"], *p["optional-dependencies"]["app"], sep="\n")' > $(VENV)/requirements.txt
	$(PY) -m pip install --quiet --group build -r $(VENV)/requirements.txt
	touch $@

# What only the tests need: `make demo` goes without.
$(VENV)/tools: $(VENV)/base
	$(PY) -m pip install --quiet --group test
	touch $@

# What only packages and wheels need.
$(VENV)/release: $(VENV)/tools
	$(PY) -m pip install --quiet --group release
	touch $@

$(VENV)/installed: $(VENV)/base $(SOURCES)
	$(PY) -m pip install --quiet --no-build-isolation --no-deps --force-reinstall .
	$(PY) -c 'import concordant; print("concordant", concordant.__version__, "native" if concordant.has_native else "NumPy only: no working C++ compiler was found")'
	touch $@

clean:  # remove what the others made
	rm -rf $(VENV) mutants build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
