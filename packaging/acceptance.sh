#!/bin/sh
# Runs the tests that need real services that are slow to set up. On Debian and Ubuntu it installs these services (as
# root), or prints the command. The tests start them on loopback and stop them afterwards; a test
# whose service is missing is skipped and listed.
set -eu
services="redmine redmine-sqlite puma mariadb-server"

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

# Services from PyPI, in an environment of their own: they need other versions of packages than Patchbay.
environment=.venv/counterparties/python
if ! cmp -s packaging/counterparties.txt "$environment/wanted.txt"; then
    echo "Installing test services from PyPI" >&2
    { .venv/bin/python -m venv --clear "$environment" &&
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check -r packaging/counterparties.txt; } >/dev/null 2>&1 &&
        cp packaging/counterparties.txt "$environment/wanted.txt" ||
        echo "Couldn't install the test services from PyPI; their tests are skipped." >&2
fi
QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -q -m acceptance -rs
