# Every target makes its own virtual environment from a bare python3; nothing is installed by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test lint format docs bench clean

help:
	@echo "make demo    see a private release in your terminal"
	@echo "make test    run every test"
	@echo "make lint    formatting, types, the order of the rooms"
	@echo "make docs    build the documentation into site/"
	@echo "make bench   compare with the peers (each in an environment of its own)"

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Privet needs Python 3.11 or later.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1" -c constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --editable . --group dev
	@touch $@

demo: $(READY)
	@$(BIN)/privet demo

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

bench: $(READY)
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .bench site dist build
