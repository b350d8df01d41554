#!/bin/sh
# All checks that a change must pass: format, lint, types, import rules, security rules, and the short form of
# the tests. What it leaves out is run by acceptance.sh.
set -eu
bin=.venv/bin
export QT_QPA_PLATFORM=offscreen
$bin/ruff format --check --quiet src tests
$bin/ruff check --quiet src tests

checks=$(mktemp)
trap 'rm -f "$checks"' EXIT
check_source() {
    failed=0
    for check in "mypy" "lint-imports"; do
        # shellcheck disable=SC2086  # a command and its options
        "$bin"/$check || { echo "failed: $check"; failed=1; }
    done
    return "$failed"
}
check_source >"$checks" 2>&1 &  # beside the tests; what they print comes after the summary
checking=$!

# Hundreds of processes import the program: without compiled modules, each of them would compile it again.
unset PYTHONDONTWRITEBYTECODE
$bin/python -m compileall -q -j 0 src/patchbay tests/support

failed=0
# One worker more than the smallest machines have cores: tests spend two fifths of the time waiting for processes.
$bin/python -m pytest -n "${TEST_WORKERS:-3}" --max-worker-restart 0 --dist loadfile --no-loadscope-reorder -q -rs -m "not acceptance" || failed=$?
wait "$checking" || failed=1
cat "$checks"
exit "$failed"
