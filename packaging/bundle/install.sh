#!/bin/sh
# Installs Patchbay for this user, without root; or replaces an older version.
#
#     sh install.sh
#
# Program: ~/.local/lib/patchbay. Command: ~/.local/bin/patchbay. Entry in the menu, icons, and manual: ~/.local/share.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
program=$HOME/.local/lib/patchbay
command=$HOME/.local/bin/patchbay
share=${XDG_DATA_HOME:-$HOME/.local/share}

for process in /proc/[0-9]*/exe; do
    case $(readlink "$process" 2>/dev/null || :) in
    "$program"/*) echo "Patchbay is running. Quit it, then try again." >&2; exit 1 ;;
    esac
done
[ "$here" != "$program" ] || { echo "This version is installed already." >&2; exit 1; }
[ ! -e "$command" ] || [ "$(readlink -- "$command")" = "$program/bin/patchbay" ] || {
    echo "$command belongs to another installation. Remove it, then try again." >&2
    exit 1
}

mkdir -p "$HOME/.local/lib" "$HOME/.local/bin"
rm -rf "$program.new"
cp -R "$here" "$program.new"
# Files of the version before, which this one may not have any more.
[ ! -e "$program/uninstall.sh" ] || sh "$program/uninstall.sh" --replace
mv "$program.new" "$program"
ln -sf "$program/bin/patchbay" "$command"
(cd "$program/share" && find . -type f) | while read -r file; do
    mkdir -p "$share/$(dirname "$file")"
    cp "$program/share/$file" "$share/$file"
done
# A desktop may not have ~/.local/bin in its search path.
escaped=$(printf '%s' "$command" | sed 's/[&|\\]/\\&/g')
sed -i "s|^Exec=patchbay|Exec=\"$escaped\"|" "$share/applications/patchbay.desktop"
! command -v update-desktop-database >/dev/null || update-desktop-database -q "$share/applications" || :

echo "Installed. Start Patchbay from the menu, or with: $command"
case ":$PATH:" in
*":$HOME/.local/bin:"*) ;;
*) echo "~/.local/bin is not in your search path (PATH); many systems add it when you sign in again." ;;
esac
missing=$(ldd "$program"/python/lib/python3*/*-packages/PySide6/Qt/plugins/platforms/libqxcb.so | awk '/not found/ {print $1}')
if [ -n "$missing" ]; then
    echo "The window needs libraries that this system lacks:" $missing >&2
    ! command -v apt-get >/dev/null || echo "Run: sudo apt-get install --no-install-recommends @PACKAGES@" >&2
fi
command -v bwrap >/dev/null || echo "Code in flows is isolated with bubblewrap, which isn't installed (sudo apt-get install bubblewrap)." >&2
