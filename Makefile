# Every target makes its own virtual environment from a bare python3; nothing is installed by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTHONS ?= python3.11 python3.12 python3.13 # those that test-newest and test-floor try, where installed
MINUTES ?= 10
WORKERS ?= 2
TESTS ?= # which tests those two run; all by default

# Python keeps what it has compiled: without that, every process that a test starts compiles the whole package again.
unexport PYTHONDONTWRITEBYTECODE

# make test LAYER=tables: the tests of one layer, the doctests of its modules, and its pages
LAYER ?=
LAYERS := $(sort $(patsubst src/privet/%/__init__.py,%,$(wildcard src/privet/*/__init__.py src/privet/*/*/__init__.py))) laws
ifneq ($(LAYER),)
ifeq ($(filter $(LAYER),$(LAYERS)),)
$(error there is no layer $(LAYER); the layers are $(LAYERS))
endif
endif
LAYER_PATHS := $(if $(LAYER),$(wildcard tests/$(LAYER) src/privet/$(LAYER) docs/$(LAYER) docs/$(LAYER).md))

.PHONY: help demo test fuzz test-long test-newest test-floor test-browser test-engines test-spark35 lint format names docs bench clean

help:
	@echo "make demo         see a private release in your terminal"
	@echo "make test         run every test but the long ones (under 10 minutes on two cores), or those of LAYER=tables"
	@echo "make fuzz         random inputs against the laws with fresh seeds, for MINUTES=10, in WORKERS=2 processes"
	@echo "make test-long    the long tests, at full strength (about 25 minutes on two cores; before a release)"
	@echo "make test-newest  the tests with the newest dependencies, on each Python that is installed"
	@echo "make test-floor   the tests with the oldest dependencies that are allowed, likewise"
	@echo "make test-browser the documentation in Chromium, the notebooks in Jupyter; takes pictures into .pictures/"
	@echo "make test-engines every engine against DuckDB, ledgers under faults; with PostgreSQL and Spark of their own (8 minutes)"
	@echo "make test-spark35 the tests of Spark with its oldest version that is allowed (3 minutes)"
	@echo "make lint         formatting, types, the order of the layers"
	@echo "make names        write the stubs, the pages of names and units and the navigation from the list of names"
	@echo "make docs         build the documentation into site/"
	@echo "make bench        compare with the peers (each in an environment of its own)"

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Privet needs Python 3.11 or later.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1" -c constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --editable . --group dev
	@touch $@

demo: $(READY)
	@$(BIN)/privet demo

test: $(READY)
	$(BIN)/python -m pytest -p tests.slowest -n 2 --dist worksteal -q $(LAYER_PATHS)

fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --workers $(WORKERS)

test-long: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m long --durations=20

# $(call each_python,folder,packages): a fresh environment for each Python, with these packages beside our own, and the tests
define each_python
@tried=; for python in $(PYTHONS); do \
	$$python -c "" 2>/dev/null || { echo "$$python is not installed and was skipped"; continue; }; \
	tried=yes; echo "$$python, $(1)"; \
	env=$(1)/$$(basename $$python) && $$python -m venv --clear $$env && bin=$$env/bin && \
	$$bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1" && \
	$$bin/python -m pip install --quiet --disable-pip-version-check --editable . --group dev $(2) && \
	$$bin/python -m pip list --disable-pip-version-check && \
	$$bin/python -m pytest -n 2 --dist worksteal -q $(TESTS) || exit 1; \
done; test -n "$$tried" || { echo "none of $(PYTHONS) is installed"; exit 1; }
endef

test-newest:
	$(call each_python,.venv-newest,--upgrade --upgrade-strategy eager)

test-floor:
	$(call each_python,.venv-floor,$$($$python tests/floors.py))

# Debian's Chromium, where we may install it; without one the tests of pages are skipped.
test-browser: $(READY)
	@command -v chromium >/dev/null || { \
		test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	} || echo "no Chromium can be installed here: its tests are skipped"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group browser
	$(BIN)/python -m pytest -q -m browser tests/browser

# Debian's PostgreSQL and Java, where we may install them; the tests start a server and a Spark of their own.
test-engines: $(READY)
	@test -n "$$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null)" || command -v initdb >/dev/null || { \
		test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null; \
	} || echo "no PostgreSQL can be installed here: its tests are skipped"
	@command -v java >/dev/null || { \
		test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless >/dev/null; \
	} || echo "no Java can be installed here: the tests of Spark are skipped"
	@command -v strace >/dev/null || { \
		test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends strace >/dev/null; \
	} || echo "no strace can be installed here: the tests of failing disks are skipped"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group engines
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "engines and not long" tests/tables/engines tests/ledger

# PYTHONPATH puts Spark 3.5 before the installed version. Spark 3.5 leaves sockets open, so we ignore ResourceWarning.
test-spark35: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --target .spark35 "pyspark==3.5.*"
	PYTHONPATH=.spark35 $(BIN)/python -m pytest -q -n 2 -m engines -k "Spark or spark" tests/tables/engines/conformance \
		-W ignore::ResourceWarning -W ignore::pytest.PytestUnraisableExceptionWarning -W ignore::DeprecationWarning

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

names: $(READY)
	$(BIN)/python -m tests.generated

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

bench: $(READY)
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .venv-newest .venv-floor .spark35 .bench .pictures site dist build
