#!/bin/sh
# The tests against real services that are slow to set up. On Debian and Ubuntu it installs these services (as
# root), or names the exact command. They are started by the tests, on loopback, and stopped after; a test
# whose service is missing is skipped by name.
set -eu
services="redmine redmine-sqlite puma"

missing=""
if command -v dpkg-query >/dev/null 2>&1; then
    for package in $services; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
    done
fi
if [ -n "$missing" ] && [ "$(id -u)" = 0 ]; then
    echo "Installing from the system:$missing" >&2
    # Debian starts services as it installs them, on every address; only the tests may start these.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
        trap 'rm -f "$policy"' EXIT INT TERM
    fi
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } >/dev/null 2>&1 ||
        echo "Some services could not be installed:$missing" >&2
elif [ -n "$missing" ]; then
    echo "Some tests are skipped. To run them:  sudo apt-get install --no-install-recommends$missing" >&2
fi
QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -q -m acceptance -rs
