# Everything runs in .venv, which any target creates with the versions in constraints.txt.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test fuzz lint bench peers accuracy docs clean

demo: .venv/installed
	$(BIN)/python examples/helmholtz.py

# one process for each core, on one thread each: side by side, several threads would only slow each other down;
# what they import is compiled once and kept, whatever the shell says
test: .venv/installed
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist loadgroup

# bad input from seeds: mutated problem files, forged saved files; test runs the first few hundred of each
fuzz: .venv/installed
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/run.py --count 20000

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/mypy

# the site, in docs/_build; its figures, numbers and gallery are computed, which takes a few minutes
docs: .venv/documented docs/computed/numbers.json
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build

docs/computed/numbers.json: docs/computed.py docs/automatic.csv $(shell find src -name '*.py') | .venv/documented
	OMP_NUM_THREADS=1 $(BIN)/python docs/computed.py

# ours and what one would pick instead, and how times grow: under 40 minutes on two idle cores; writes docs/benchmarks
bench: .venv/installed .venv-peers/installed
	$(BIN)/python benchmarks/peers/run.py
	$(BIN)/python benchmarks/peers/report.py
	$(BIN)/python benchmarks/scaling.py

peers: .venv-peers/installed

accuracy: .venv/installed
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/cost.py

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

.venv-peers/installed: benchmarks/peers/requirements.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers/requirements.txt
	touch $@

.venv/documented: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	touch $@

clean:
	rm -rf docs/_build docs/computed docs/gallery .venv .venv-peers out .mypy_cache .pytest_cache .ruff_cache .hypothesis
