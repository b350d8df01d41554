#!/bin/sh
# Builds the packages for Linux into dist/: a wheel, a source archive, an archive with everything for any Linux, a package for
# Debian and Ubuntu, a bill of materials (CycloneDX), and SHA256SUMS. Files contain neither the time nor the place of the build.
#
#     make bundle                      with python3
#     make bundle PYTHON=/path/python  with another interpreter, which becomes that of the bundle
set -eu
python=${PYTHON:-python3}
tools=build/tools
[ -x "$tools/bin/python" ] || "$python" -m venv "$tools"
cmp -s packaging/bundle/tools.txt "$tools/installed.txt" || {
    echo "Installing the tools for packaging into $tools"
    "$tools/bin/python" -m pip --disable-pip-version-check install --quiet -c constraints.txt -r packaging/bundle/tools.txt
    cp packaging/bundle/tools.txt "$tools/installed.txt"
}
PATH=$PWD/$tools/bin:$PATH
# The time of the last commit stands for the time of the build. An unpacked source archive has no commits.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y pyproject.toml)}
export SOURCE_DATE_EPOCH PYTHONHASHSEED=0
. packaging/system.sh
. packaging/bundle/identity.sh
umask 022

rm -rf dist build/bundle
echo "Building the wheel and the source archive"
python -m build --no-isolation --outdir dist . >/dev/null
wheel=$(echo dist/*.whl)
version=$(echo "$wheel" | cut -d- -f2)
name=patchbay-$version-linux-$(uname -m)
folder=build/bundle/$name

echo "Collecting the program"
python packaging/bundle/collect.py "$wheel" "$folder"
share=$folder/share
mkdir -p "$folder/bin" "$share/applications" "$share/metainfo" "$share/man/man1" "$share/icons/hicolor/scalable/apps" "$share/doc/patchbay"
install -m 755 packaging/bundle/patchbay "$folder/bin/patchbay"
install -m 644 packaging/bundle/patchbay.desktop "$share/applications/"
install -m 644 packaging/bundle/patchbay.svg "$share/icons/hicolor/scalable/apps/"
date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)
sed "s/@APP_ID@/$APP_ID/; s/@PUBLISHER@/$PUBLISHER/; s/@VERSION@/$version/; s/@DATE@/$date/" packaging/bundle/metainfo.xml \
    >"$share/metainfo/$APP_ID.metainfo.xml"
own=$folder/python/bin/python3
"$own" -I -B packaging/bundle/man_page.py >"$share/man/man1/patchbay.1"
"$own" -I -B packaging/bundle/pictures.py packaging/bundle/patchbay.svg "$share/icons/hicolor"
python packaging/bundle/contents.py copyright "$folder" >"$share/doc/patchbay/copyright"
python packaging/bundle/contents.py sbom "$folder" >"dist/$name.cdx.json"

echo "Packing"
# shellcheck disable=SC2154  # system.sh sets it
sed "s/@PACKAGES@/$bundle_libraries/" packaging/bundle/install.sh >"$folder/install.sh"
cp packaging/bundle/uninstall.sh "$folder/"
chmod 755 "$folder/install.sh" "$folder/uninstall.sh"
tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    --directory build/bundle "$name" | xz -6 -T2 >"dist/$name.tar.xz"
if command -v dpkg-deb >/dev/null; then
    glibc=$(python packaging/bundle/contents.py glibc "$folder")
    sh packaging/bundle/debian.sh "$folder" "$version" "$glibc" "dist/patchbay_${version}_amd64.deb"
else
    echo "Without dpkg-deb, no package for Debian and Ubuntu is built." >&2
fi
(cd dist && sha256sum -- * >../build/SHA256SUMS && mv ../build/SHA256SUMS .)
ls -l dist
