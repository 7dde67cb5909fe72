# Everything a newcomer needs: "make demo" and "make test". Each makes its own virtual
# environment on first use, with the pinned versions of constraints.txt.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Real data for the tests, where it stands beside the checkout; empty: such tests are skipped.
export SKLEARN_MTEVAL_DATA ?= $(realpath ../shared/data)

.PHONY: demo test lint bench clean

demo: $(VENV)/.ready
	$(BIN)/sklearn-mteval demo

test: $(VENV)/.ready
	$(BIN)/python -m pytest --cov

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/numpydoc lint sklearn_mteval/*.py sklearn_mteval/*/*.py

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/run.py

$(VENV)/.ready: constraints.txt setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .coverage
