#!/bin/sh
# Everything that must hold before a change is taken: format, lint, types, import rules, all tests
# but those against services that are slow to set up (acceptance.sh).
set -eu
bin=.venv/bin
export QT_QPA_PLATFORM=offscreen
$bin/ruff format --check --quiet src tests
$bin/ruff check --quiet src tests
$bin/mypy
$bin/lint-imports
exec $bin/python -m pytest -n "${TEST_WORKERS:-2}" --dist loadfile -q -rs -m "not acceptance"
