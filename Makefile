# fabricgen: every target does its own set-up.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= out/quickstart
WORKERS ?= 2

.PHONY: demo test check goldens bench judges judge-all clean

demo: $(VENV)/.demo
	$(BIN)/fabricgen render inventories/quickstart -o $(OUT)
	$(BIN)/fabricgen show inventories/quickstart summary
	@echo "Configurations are in $(OUT)/switches and $(OUT)/hosts."

test: $(VENV)/.dev judges
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(VENV)/.dev judges
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/j2lint templates --ignore $(J2LINT_IGNORED)
	$(BIN)/python -m pytest -n $(WORKERS)

goldens: $(VENV)/.dev
	$(BIN)/python -m pytest tests/golden --update-goldens

bench: $(VENV)/.dev
	$(BIN)/python -m tests.perf.bench

# The outside judges of the tests: FRR's parsers, netplan, systemd, shellcheck. Needs root on Debian.
judges:
	@tools/install-judges

# Every judge over every distinct file of every inventory; the tests show outside judges a sample of the largest.
judge-all: $(VENV)/.dev judges
	FABRICGEN_JUDGE_ALL=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile \
		tests/judges/test_inventories.py tests/judges/test_large.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Rules of j2lint that contradict the layout of these templates; templates/README.md says why.
J2LINT_IGNORED := jinja-statements-indentation jinja-statements-delimiter single-statement-per-line
