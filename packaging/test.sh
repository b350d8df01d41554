#!/bin/sh
# Everything that must hold before a change is taken: format, lint, types, import rules, security rules, all tests
# but those against services that are slow to set up (acceptance.sh).
set -eu
bin=.venv/bin
export QT_QPA_PLATFORM=offscreen
$bin/ruff format --check --quiet src tests
$bin/ruff check --quiet src tests
$bin/mypy &  # beside the two below: each of them uses one core
types=$!
$bin/lint-imports
$bin/bandit -q -c pyproject.toml -r src
wait "$types"
# One more than the cores of the smallest machines that run this: tests wait for processes two fifths of the time.
exec $bin/python -m pytest -n "${TEST_WORKERS:-3}" --max-worker-restart 0 --dist loadfile --no-loadscope-reorder -q -rs -m "not acceptance"
