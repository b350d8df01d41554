#!/bin/sh
# Opens the window with the demo workspace, and says so. Without a display, saves the tour's pictures instead.
set -eu
if [ "$(uname)" = Linux ] && [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    echo "No display found, so the window can't open. Saving pictures of it to ./out instead." >&2
    QT_QPA_PLATFORM=offscreen exec .venv/bin/patchbay tour out
fi
echo "Opening Patchbay with the demo"
exec .venv/bin/patchbay --workspace demo
