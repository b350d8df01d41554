#!/bin/sh
# Removes what install.sh installed, and the entry that starts Patchbay at login. Data and settings stay.
set -eu
program=$HOME/.local/lib/patchbay
command=$HOME/.local/bin/patchbay
share=${XDG_DATA_HOME:-$HOME/.local/share}
config=${XDG_CONFIG_HOME:-$HOME/.config}

for process in /proc/[0-9]*/exe; do
    case $(readlink "$process" 2>/dev/null || :) in
    "$program"/*) echo "Patchbay is running. Quit it, then try again." >&2; exit 1 ;;
    esac
done
[ -d "$program/share" ] || { echo "Patchbay isn't installed in $program." >&2; exit 1; }

(cd "$program/share" && find . -type f) | while read -r file; do
    rm -f "$share/$file"
    folder=$(dirname "$file")
    while [ "$folder" != . ] && rmdir "$share/$folder" 2>/dev/null; do  # folders that nothing else uses
        folder=$(dirname "$folder")
    done
done
[ "$(readlink -- "$command" || :)" != "$program/bin/patchbay" ] || rm -f "$command"
if [ "${1:-}" != --replace ]; then
    for entry in "$config"/autostart/patchbay*.desktop; do
        ! grep -qsF "$program/" "$entry" || rm -f "$entry"
    done
    rm -rf "${XDG_CACHE_HOME:-$HOME/.cache}/patchbay" "${XDG_STATE_HOME:-$HOME/.local/state}/patchbay"
fi
rm -rf "$program"
[ "${1:-}" != --replace ] || exit 0
if command -v update-desktop-database >/dev/null && [ -d "$share/applications" ]; then
    update-desktop-database -q "$share/applications" || :
fi
for folder in "$HOME/.local/lib" "$HOME/.local/bin"; do
    rmdir "$folder" 2>/dev/null || :
done
echo "Removed. Your data is still in $share/patchbay, and your settings in $config/patchbay."
