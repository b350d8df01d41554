# These targets work in a fresh checkout on a bare machine. Windows and macOS without make: see docs/get-started/install.md.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export QT_QPA_PLATFORM_PLUGIN_PATH :=

.PHONY: run test test-acceptance test-window bench tour lint audit clean bundle

run: $(VENV)/.installed
	@sh packaging/run.sh

test: $(VENV)/.installed-dev
	@sh packaging/test.sh

test-acceptance: $(VENV)/.installed-dev
	@sh packaging/acceptance.sh

test-window: $(VENV)/.installed-dev
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -q -rs tests/window

bench: $(VENV)/.installed-dev
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.benchmarks$(if $(BASE)$(ONLY)$(PAIRS),.end_to_end --base "$(BASE)" --only "$(ONLY)" --pairs $(or $(PAIRS),5))

tour: $(VENV)/.installed
	@QT_QPA_PLATFORM=offscreen $(BIN)/patchbay tour out

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check src tests
	$(BIN)/ruff check src tests
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.support.source_rules

audit:
	@PYTHON="$(PYTHON)" sh packaging/audit.sh

bundle:
	@PYTHON="$(PYTHON)" sh packaging/bundle.sh

clean:
	rm -rf $(VENV) out dist build

$(VENV)/.installed: pyproject.toml constraints.txt packaging/setup.sh
	@PYTHON="$(PYTHON)" sh packaging/setup.sh run
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt packaging/setup.sh packaging/counterparties.json
	@PYTHON="$(PYTHON)" sh packaging/setup.sh test
	@touch $@ $(VENV)/.installed
