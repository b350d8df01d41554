#!/bin/sh
# Makes an AppImage from the archive of `make bundle`: appimage.sh ARCHIVE TOOL FILE, where TOOL is appimagetool.
set -eu
archive=$1 tool=$(realpath "$2") file=$3
folder=build/AppDir
rm -rf "$folder"
mkdir -p "$folder"
tar -xf "$archive" -C "$folder" --strip-components=1
rm "$folder/install.sh" "$folder/uninstall.sh"
cp packaging/bundle/AppRun packaging/bundle/patchbay.desktop packaging/bundle/patchbay.svg "$folder/"
mkdir -p "$folder/usr/share"
cp -a "$folder/share/metainfo" "$folder/usr/share/"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} ARCH=$(uname -m) "$tool" --appimage-extract-and-run "$folder" "$file"
