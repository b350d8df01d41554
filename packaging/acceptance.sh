#!/bin/sh
# Runs the tests that the short form (test.sh) leaves out: variants, long repetitions, and those that need real
# services that are slow to set up. On Debian and Ubuntu it installs these services (as
# root), or prints the command. The tests start them on loopback and stop them afterwards; a test
# whose service is missing is skipped and listed.
set -eu
services="redmine redmine-sqlite puma mariadb-server wordpress php-cli php-mysql caddy prometheus"

. packaging/system.sh

missing=""
# shellcheck disable=SC2086
command -v dpkg-query >/dev/null 2>&1 && missing=$(missing_packages $services)
if [ -n "$missing" ] && [ "$(id -u)" = 0 ]; then
    echo "Installing system packages: $missing" >&2
    # shellcheck disable=SC2086
    install_packages $missing || echo "Couldn't install these packages: $missing" >&2
elif [ -n "$missing" ]; then
    echo "Some tests are skipped. To run them, install their services:  sudo apt-get install --no-install-recommends $missing" >&2
fi

# Services from PyPI, each in an environment of its own: they need other versions of the same packages.
for wanted in packaging/services/*.txt; do
    service=$(basename "$wanted" .txt)
    environment=.venv/counterparties/$service
    cmp -s "$wanted" "$environment/wanted.txt" && continue
    echo "Installing $service from PyPI" >&2
    { .venv/bin/python -m venv --clear "$environment" &&
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$wanted" &&
        cp "$wanted" "$environment/wanted.txt"; } >/dev/null 2>&1 ||
        echo "Couldn't install $service from PyPI; its tests are skipped." >&2
done
# Property tests, too: with more examples than in the short form, and with other ones each time.
PATCHBAY_FUZZ_TIMES="${PATCHBAY_FUZZ_TIMES:-5}" QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -n "${TEST_WORKERS:-3}" --max-worker-restart 0 --dist loadfile --no-loadscope-reorder -q -rs -m "acceptance or hypothesis"
