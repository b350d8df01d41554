#!/bin/sh
# All checks that a change must pass: format, lint, types, import rules, security rules, and all tests
# except those that need services that are slow to set up (acceptance.sh).
set -eu
bin=.venv/bin
export QT_QPA_PLATFORM=offscreen
$bin/ruff format --check --quiet src tests
$bin/ruff check --quiet src tests
$bin/mypy &  # runs in parallel with the two checks below; each uses one core
types=$!
$bin/lint-imports
$bin/bandit -q -c pyproject.toml -r src
wait "$types"
# One worker more than the smallest machines have cores: tests spend two fifths of the time waiting for processes.
exec $bin/python -m pytest -n "${TEST_WORKERS:-3}" --max-worker-restart 0 --dist loadfile --no-loadscope-reorder -q -rs -m "not acceptance"
