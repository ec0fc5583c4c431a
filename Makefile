# Each target works in a clean clone: it sets up .venv first where that is out of date.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: all setup test slow check bench docs

all: check test

setup: .venv/.ready

.venv/.ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q -e '.[test]'
	touch $@

# The quick suite: the same that the second command of the README runs.
test: setup
	$(BIN)/pytest -q -n auto

# Everything, the long checks too.
slow: setup
	$(BIN)/pytest -q -n auto --slow

check: setup
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# How long play and proofs take, as ratios within the run; it takes some minutes and asserts nothing.
bench: setup
	$(BIN)/python benchmarks/simulate.py
	$(BIN)/python benchmarks/prove.py

# Writes what hoyle says now into the pages that show it; look at the difference before you keep it.
docs: setup
	HOYLE_WRITE_DOCS=1 $(BIN)/pytest -q tests/unit/test_docs.py
