#!/bin/sh
# Creates .venv and installs Patchbay: `setup.sh run` to use it, `setup.sh test` with the test tools.
# On Debian and Ubuntu it also installs missing system packages (as root), or prints the command.
set -eu
purpose=${1:-run}
python=${PYTHON:-python3}

window="libglib2.0-0 libegl1 libgl1 libdbus-1-3 libfontconfig1 libxkbcommon0 libxcb-cursor0 libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxcb-image0 libxcb-render-util0 libxcb-xinerama0"
# Isolates programs of the Code app.
programs="bubblewrap"
tests="dbus gnome-keyring xvfb openbox xdotool at-spi2-core postgresql postfix dovecot-imapd dovecot-lmtpd"

. packaging/system.sh

install_system() {
    command -v dpkg-query >/dev/null 2>&1 || return 0
    wanted="$window $programs"
    [ "$purpose" = test ] && wanted="$wanted $tests"
    [ "$purpose" = run ] || command -v npm >/dev/null 2>&1 || wanted="$wanted nodejs npm"
    "$python" -c 'import ensurepip, venv' 2>/dev/null || wanted="$wanted python3-venv"
    # shellcheck disable=SC2086
    missing=$(missing_packages $wanted)
    [ -z "$missing" ] && return 0
    if [ "$(id -u)" = 0 ]; then
        echo "Installing system packages: $missing" >&2
        # shellcheck disable=SC2086
        install_packages $missing || echo "Couldn't install these system packages: $missing" >&2
    else
        echo "Patchbay needs system packages for its window and to isolate programs. Run:" >&2
        echo "    sudo apt-get install $missing" >&2
    fi
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Patchbay needs Python 3.11 or newer; '$python' is $("$python" --version 2>&1)." >&2
    exit 1
}
install_system
echo "Installing Patchbay into .venv. This takes a minute, once."
[ -x .venv/bin/python ] || "$python" -m venv .venv
extra=""
[ "$purpose" = test ] && extra="[dev]"
PIP_DISABLE_PIP_VERSION_CHECK=1 .venv/bin/python -m pip install --quiet --constraint constraints.txt --editable ".$extra"
[ "$purpose" = run ] || sh packaging/counterparties.sh
