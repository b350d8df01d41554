# For the other scripts: names of Debian and Ubuntu packages, and functions that install them.

# Libraries that a bundle doesn't bring (packaging/bundle/native.py says why). A desktop usually has all of them.
bundle_libraries="libglib2.0-0 libegl1 libgl1 libdbus-1-3 libfontconfig1 libfreetype6 libxkbcommon0 libxkbcommon-x11-0 libx11-6 libx11-xcb1 libxcb1 libgssapi-krb5-2 libexpat1 zlib1g libstdc++6"

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
    for unit in postfix dovecot postgresql mariadb apache2 caddy prometheus; do
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
