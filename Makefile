# Everything runs in .venv, which any target creates with the versions in constraints.txt.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench clean

demo: .venv/installed
	$(BIN)/python examples/helmholtz.py

# one process for each core, on one thread each: side by side, several threads would only slow each other down
test: .venv/installed
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

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
