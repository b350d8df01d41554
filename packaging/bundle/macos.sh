#!/bin/sh
# Puts a program folder into Patchbay.app and a disk image, on macOS: macos.sh FOLDER VERSION FILE. With SIGNING_IDENTITY, the
# app is signed for notarization; without, not by Apple, so that the first start needs System Settings → Privacy & Security.
set -eu
. packaging/bundle/identity.sh
folder=$1 version=$2 file=$3
stage=build/bundle/macos
app=$stage/Patchbay.app/Contents
rm -rf "$stage" build/bundle/patchbay.iconset
mkdir -p "$app/MacOS" "$app/Resources/patchbay" build/bundle/patchbay.iconset
cp -R "$folder/bin" "$folder/python" "$app/Resources/patchbay/"
"$folder/python/bin/python3" -I -B packaging/bundle/pictures.py packaging/bundle/patchbay.svg build/bundle/icons
for size in 16 32 128 256 512; do
    cp "build/bundle/icons/${size}x$size/apps/patchbay.png" "build/bundle/patchbay.iconset/icon_${size}x$size.png"
done
iconutil --convert icns --output "$app/Resources/patchbay.icns" build/bundle/patchbay.iconset
cat >"$app/MacOS/Patchbay" <<'LAUNCHER'
#!/bin/sh
here=$(cd "$(dirname "$0")/../Resources/patchbay" && pwd)
exec "$here/python/bin/python3" -I -m patchbay "$@"
LAUNCHER
chmod 755 "$app/MacOS/Patchbay"
cat >"$app/Info.plist" <<PLIST
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>CFBundleExecutable</key><string>Patchbay</string>
  <key>CFBundleIconFile</key><string>patchbay</string>
  <key>CFBundleIdentifier</key><string>$APP_ID</string>
  <key>CFBundleName</key><string>Patchbay</string>
  <key>CFBundlePackageType</key><string>APPL</string>
  <key>CFBundleShortVersionString</key><string>$version</string>
  <key>CFBundleVersion</key><string>$version</string>
  <key>LSMinimumSystemVersion</key><string>13.0</string>
  <key>NSHighResolutionCapable</key><true/>
</dict>
</plist>
PLIST
if [ -n "${SIGNING_IDENTITY:-}" ]; then
    find "$app/Resources" -type f \( -name '*.so' -o -name '*.dylib' -o -perm -u+x \) -exec sh -c 'file -b "$1" | grep -q Mach-O' sh {} \; \
        -exec codesign --force --options runtime --timestamp --sign "$SIGNING_IDENTITY" {} \;
    codesign --force --options runtime --timestamp --sign "$SIGNING_IDENTITY" "$stage/Patchbay.app"
else
    codesign --force --deep --sign - "$stage/Patchbay.app"  # without it, no program starts on Apple's processors
fi
ln -s /Applications "$stage/Applications"
hdiutil create -volname Patchbay -srcfolder "$stage" -ov -format ULMO "$file"
