#!/bin/sh
# Puts a program folder into Patchbay.app and a disk image, on macOS: macos.sh FOLDER VERSION FILE. The app isn't signed by
# Apple, so the first start needs a right click and Open.
set -eu
folder=$1 version=$2 file=$3
stage=build/bundle/macos
app=$stage/Patchbay.app/Contents
rm -rf "$stage"
mkdir -p "$app/MacOS" "$app/Resources/patchbay"
cp -R "$folder/bin" "$folder/python" "$app/Resources/patchbay/"
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
  <key>CFBundleIdentifier</key><string>io.patchbay.Patchbay</string>
  <key>CFBundleName</key><string>Patchbay</string>
  <key>CFBundlePackageType</key><string>APPL</string>
  <key>CFBundleShortVersionString</key><string>$version</string>
  <key>LSMinimumSystemVersion</key><string>13.0</string>
  <key>NSHighResolutionCapable</key><true/>
</dict>
</plist>
PLIST
ln -s /Applications "$stage/Applications"
codesign --force --deep --sign - "$stage/Patchbay.app"  # without it, no program starts on Apple's processors
hdiutil create -volname Patchbay -srcfolder "$stage" -ov -format ULMO "$file"
