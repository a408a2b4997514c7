# Everything runs in .venv, which any target creates with the versions in constraints.txt.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench clean

demo: .venv/installed
	$(BIN)/python examples/helmholtz.py

test: .venv/installed
	$(BIN)/python -m pytest

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/installed
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/cost.py

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

clean:
	rm -rf .venv out .mypy_cache .pytest_cache .ruff_cache .hypothesis
