#!/bin/sh
# The tests against real services that are slow to set up. On Debian and Ubuntu it installs these services (as
# root), or names the exact command. They are started by the tests, on loopback, and stopped after; a test
# whose service is missing is skipped by name.
set -eu
services="redmine redmine-sqlite puma mariadb-server"

. packaging/system.sh

missing=""
# shellcheck disable=SC2086
command -v dpkg-query >/dev/null 2>&1 && missing=$(missing_packages $services)
if [ -n "$missing" ] && [ "$(id -u)" = 0 ]; then
    echo "Installing from the system: $missing" >&2
    # shellcheck disable=SC2086
    install_packages $missing || echo "Some services could not be installed: $missing" >&2
elif [ -n "$missing" ]; then
    echo "Some tests are skipped. To run them:  sudo apt-get install --no-install-recommends $missing" >&2
fi
QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -q -m acceptance -rs
