# fabricgen: every target does its own set-up.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= out/quickstart
WORKERS ?= 2
FRR_SUITES ?= trixie forky
FRR_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/fabricgen
EMPTY :=
JUDGED ?= $(addprefix tests/,$(addprefix judges/test_,inventories.py large.py sonic_releases.py inventory_releases.py) \
	property/test_patches.py unit/host/test_nic_families.py unit/host/test_topology_files.py unit/sonic/test_sonic_caclmgrd.py)
FRR_ROOTS := $(subst $(EMPTY) $(EMPTY),:,$(FRR_SUITES:%=$(FRR_CACHE)/frr-%))

.PHONY: demo test test-all check goldens docs messages new-check new-nic new-platform dist bench judges judge-all frr10 lock audit clean

demo: $(VENV)/.demo
	$(BIN)/fabricgen render inventories/quickstart -o $(OUT)
	$(BIN)/fabricgen show inventories/quickstart summary
	@echo "Configurations are in $(OUT)/switches and $(OUT)/hosts."

test: $(VENV)/.dev judges
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# What `make test` leaves out or samples as well: tests marked nightly or sampled, every pair of cases, every judge over
# every file, and labs on newer FRR than the machine's.
test-all: $(VENV)/.dev judges frr10
	FABRICGEN_JUDGE_ALL=1 FABRICGEN_FRR_ROOTS=$(FRR_ROOTS) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# Style, types, rooms and shape; no tests.
check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --silent $(VENV)/.tools
	$(VENV)/tools/bin/python -m tools.shape
	$(BIN)/j2lint templates --ignore $(J2LINT_IGNORED)

goldens: $(VENV)/.dev
	$(BIN)/python -m pytest tests/golden --update-goldens

# First files of something new; ends with the failing tests that say what to fill in.
#   make new-check NAME=mtu_above_nic ROOM=topology     a module of fabricgen/checks/rules, or a new one with AREA=TOP
#   make new-nic NAME=thor3_800g
#   make new-platform NAME=newos
new-check new-nic new-platform: $(VENV)/.dev
	@$(if $(NAME),,$(error NAME is missing, for example: make $@ NAME=some_name))
	@$(BIN)/python -m tools.new $(@:new-%=%) $(NAME) $(if $(ROOM),--room $(ROOM)) $(if $(AREA),--area $(AREA))

# Pages and schemas that are written from the code, and the site of all pages in build/site.
docs: $(VENV)/.dev
	$(BIN)/python -m tools.docs
	$(BIN)/python -m tools.docs.site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# Every message once, in build/messages.md, to be read aloud after a change of words.
messages: $(VENV)/.dev
	$(BIN)/python -m tests.messages build/messages.md

# A source archive and a wheel in dist, and what an index would say to them.
dist: $(VENV)/.dev
	@$(MAKE) --silent $(VENV)/.tools
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(VENV)/tools/bin/twine check --strict dist/*

bench: $(VENV)/.dev
	$(BIN)/python -m tests.perf.bench

# The outside judges of the tests: FRR's parsers, netplan, systemd, shellcheck. Needs root on Debian.
judges:
	@tools/install-judges
	@tools/make-ansible >/dev/null

# FRR 10 for `fabricgen lab up --frr` and `make test-all`: 10.3 of Debian 13, and the newest that Debian has.
frr10:
	@for suite in $(FRR_SUITES); do tools/make-frr-root $$suite $(FRR_CACHE)/frr-$$suite || exit 1; done

# Every judge over every distinct file of every inventory; the tests show outside judges a sample of the largest. Writes
# what each tried and refused into docs/verification.md. FABRICGEN_EOS_PARSER names what tools/build-eos-parser made.
judge-all: $(VENV)/.dev judges frr10
	FABRICGEN_JUDGE_ALL=1 FABRICGEN_FRR_ROOTS=$(FRR_ROOTS) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile \
		--verification=docs/verification.md $(JUDGED)

# The packages of `make test`, anew: the newest within the bounds of pyproject.toml, each file by its digest.
lock: $(VENV)/.tools
	@printf '%s\n' '# What `make test` and continuous integration install: every package by version, every file by digest.' \
		'# Written by `make lock` from pyproject.toml.' > $(VENV)/requirements.txt
	$(VENV)/tools/bin/pip-compile --quiet --upgrade --generate-hashes --extra dev --strip-extras --allow-unsafe \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--output-file - pyproject.toml >> $(VENV)/requirements.txt
	mv $(VENV)/requirements.txt requirements.txt

# Locked releases with a published hole. tools/audit ends with 1 where there is one, and with 2 where no advisories can be
# had; make itself ends with 2 for either.
audit:
	@$(MAKE) --silent $(VENV)/.tools || echo "audit: its tools cannot be installed here"
	@tools/audit requirements.txt $(VENV)/tools/bin/pip-audit

$(VENV)/.tools: Makefile
	$(PYTHON) -m venv $(VENV)/tools
	$(VENV)/tools/bin/python -m pip install --quiet "pip-audit>=2.10,<3" "pip-tools>=7.5,<8" "twine>=6,<7" \
		"grimp>=3.6,<4" "pylint>=3.3,<5" "radon>=6,<7"
	@touch $@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Rules of j2lint that contradict the layout of these templates; templates/README.md says why.
J2LINT_IGNORED := jinja-statements-indentation jinja-statements-delimiter single-statement-per-line
