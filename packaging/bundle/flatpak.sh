#!/bin/sh
# Makes a Flatpak from the archive of `make bundle`: flatpak.sh ARCHIVE FILE. Needs flatpak-builder and the remote Flathub.
set -eu
archive=$(realpath "$1") file=$2
. packaging/bundle/identity.sh
manifest=build/$APP_ID.yml
mkdir -p build
sed "s|@APP_ID@|$APP_ID|; s|@ARCHIVE@|$archive|" packaging/bundle/flatpak.yml >"$manifest"
flatpak-builder --user --force-clean --install-deps-from=flathub --repo=build/repo build/flatpak "$manifest"
flatpak build-bundle build/repo "$file" "$APP_ID"
