# Everything a newcomer needs: "make demo" and "make test". The first makes a virtual environment
# with the package, the second adds the tests' tools; both with the versions of constraints.txt.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Real data for the tests, where it stands beside the checkout; empty: such tests are skipped.
export SKLEARN_MTEVAL_DATA ?= $(realpath ../shared/data)
# One process for each core, up to eight, whose threads would compete.
export OMP_NUM_THREADS ?= 1
# Compiled Python is kept: without it every process that the tests start compiles the package.
unexport PYTHONDONTWRITEBYTECODE
# Python compiles what is imported; compiling all that pip installs takes twice as long as installing it.
PIP_INSTALL = $(BIN)/python -m pip install --disable-pip-version-check --no-compile -c constraints.txt
PYTEST = $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal $(PYTEST_OPTIONS)

.PHONY: demo test test-kernels test-slow test-all fuzz lint bench docs links dist release-check clean

demo: $(VENV)/.base-ready
	$(BIN)/sklearn-mteval demo

test: $(VENV)/.ready
	$(PYTEST) -m 'not slow'

# As on other processors. Where there is AVX-512: what depends on numbers, with numpy without it and OpenBLAS,
# which then adds up in another order, for Haswell; then what is learnt and measured, with all of numpy.
# Elsewhere this would be what "make test" runs: what is learnt and measured, with OpenBLAS for Prescott.
LEARNT = $(addprefix tests/,classifiers metrics pairwise stacking test_equal_bits.py test_last_bits.py \
    test_pipeline.py)
NUMBERS = $(LEARNT) $(addprefix tests/,cli evaluation features helpers linguistic models neural plots report scale \
    text test_segments.py test_candidates.py) sklearn_mteval
test-kernels: $(VENV)/.ready
	@wide=$$(env -u NPY_DISABLE_CPU_FEATURES $(BIN)/python tests/wide_vectors.py) && set -x && \
	if [ -n "$$wide" ]; then \
	    OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="$$wide" $(PYTEST) -m 'not slow' $(NUMBERS) && \
	    OPENBLAS_CORETYPE=Haswell $(PYTEST) -m 'not slow' $(LEARNT); \
	else OPENBLAS_CORETYPE=Prescott $(PYTEST) -m 'not slow' $(LEARNT); fi

test-slow: $(VENV)/.ready
	$(PYTEST) -m slow

test-all: $(VENV)/.ready
	$(PYTEST)

# Hostile cases with verdicts (tests/fuzz): make fuzz N=50000 SEED=7
N ?= 20000
SEED ?= 0
fuzz: $(VENV)/.ready
	PYTHONPATH=tests $(BIN)/python -m fuzz --cases $(N) --seed $(SEED) --jobs 2

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/run.py

# The site, in docs/_build/html: a warning is an error, and so is a link within it that leads nowhere.
docs: $(VENV)/.docs-ready
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

# Links to elsewhere: this asks the network.
links: $(VENV)/.docs-ready
	$(BIN)/python -m sphinx --builder linkcheck --keep-going --quiet \
	    -D sphinx_gallery_conf.plot_gallery=0 docs docs/_build/links

# The wheel and the source distribution, with the same bytes whenever a commit is built.
dist: $(VENV)/.release-ready
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build --no-isolation --outdir dist .

# All that can be checked of a release without the network. The wheel of dist is made from the source
# distribution; made from the checkout it must have the same bytes.
release-check: dist $(VENV)/.base-ready
	@again=$$(mktemp -d) && trap 'rm -rf "$$again"' EXIT && \
	export SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) && rm -rf build && \
	$(BIN)/python -m build --no-isolation --wheel --outdir "$$again" . >/dev/null && rm -rf build && \
	$(BIN)/python -m twine check --strict dist/* && $(BIN)/python release/check.py dist "$$again"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base-ready: constraints.txt setup.cfg pyproject.toml | $(VENV)/bin/python
	@echo "Installing the package in $(VENV), once: 550 MB, half a minute on a fast line."
	$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.ready: $(VENV)/.base-ready
	@echo "Adding the tools of the tests, once: torch is the largest, so this takes some minutes."
	$(PIP_INSTALL) -e '.[test]'
	@touch $@

$(VENV)/.docs-ready: $(VENV)/.base-ready
	$(PIP_INSTALL) -e '.[docs]'
	@touch $@

$(VENV)/.release-ready: constraints.txt release/requirements.txt | $(VENV)/bin/python
	$(PIP_INSTALL) -r release/requirements.txt
	@touch $@

clean:
	rm -rf docs/_build docs/api docs/gallery $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .coverage
