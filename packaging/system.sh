# Functions for the other scripts: install Debian and Ubuntu packages.

# Prints the given packages that are not installed.
missing_packages() {
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q "ok installed" ||
            dpkg-query -W -f '${Status}\n' "${package}t64" 2>/dev/null | grep -q "ok installed" || printf '%s ' "$package"
    done
}

# Installs the given packages, as root. Debian starts services when it installs them, some of them on all
# addresses, and again at boot. Only the tests should start them, so both are prevented.
install_packages() {
    fresh=""
    for unit in postfix dovecot postgresql mariadb apache2; do
        [ -e "/lib/systemd/system/$unit.service" ] || fresh="$fresh $unit"
    done
    policy=/usr/sbin/policy-rc.d
    ours=""
    if [ ! -e "$policy" ]; then
        trap 'rm -f /usr/sbin/policy-rc.d; exit 130' INT TERM
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && ours=$policy
    fi
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } >/dev/null 2>&1
    code=$?
    [ -z "$ours" ] || rm -f "$ours"
    trap - INT TERM
    for unit in $fresh; do
        [ -e "/lib/systemd/system/$unit.service" ] && systemctl disable "$unit" >/dev/null 2>&1
    done
    return $code
}
