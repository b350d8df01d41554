#!/bin/sh
# Packs a program folder as a package for Debian and Ubuntu: debian.sh FOLDER VERSION GLIBC FILE. The program goes to
# /opt/patchbay, which is for programs that bring their own libraries.
set -eu
folder=$1 version=$2 glibc=$3 file=$4
. packaging/system.sh
. packaging/bundle/identity.sh

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
mkdir -p "$root/DEBIAN" "$root/opt/patchbay" "$root/usr/bin" "$root/usr/share/doc/patchbay"
cp -a "$folder/bin" "$folder/python" "$root/opt/patchbay/"
ln -s /opt/patchbay/bin/patchbay "$root/usr/bin/patchbay"
cp -a "$folder/share/." "$root/usr/share/"
gzip -9n "$root/usr/share/man/man1/patchbay.1"
gzip -9nc CHANGELOG.md >"$root/usr/share/doc/patchbay/CHANGELOG.md.gz"
gzip -9n >"$root/usr/share/doc/patchbay/changelog.gz" <<CHANGELOG
patchbay ($version) stable; urgency=medium

  * What has changed is in CHANGELOG.md.gz in this folder.

 -- $MAINTAINER  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG

# Newer releases have renamed some packages: their names end in t64.
depends="libc6 (>= $glibc)"
for package in $bundle_libraries; do
    case $package in
    libglib2.0-0) depends="$depends, $package | ${package}t64" ;;
    *) depends="$depends, $package" ;;
    esac
done
cat >"$root/DEBIAN/control" <<CONTROL
Package: patchbay
Version: $version
Architecture: amd64
Maintainer: $MAINTAINER
Installed-Size: $(find "$root" -type f -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }')
Depends: $depends
Recommends: bubblewrap, gnome-keyring | kwalletmanager | keepassxc, libwayland-client0, libwayland-cursor0, xdg-utils
Section: misc
Priority: optional
Description: workflow automation on your own computer
 Patchbay connects your apps: flows start with a webhook, a schedule, or a new
 item of an app, and run step by step. It is one program with a window and an
 embedded database, and needs no account and no server.
CONTROL
(cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz -z6 --build "$root" "$file" >/dev/null
