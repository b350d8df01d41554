#!/bin/sh
# Opens the window on the demo workspace; without a display it says so and writes the tour's pictures instead.
set -eu
if [ "$(uname)" = Linux ] && [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    echo "There is no display here, so no window can open. Writing pictures of it to ./out instead." >&2
    QT_QPA_PLATFORM=offscreen exec .venv/bin/patchbay tour out
fi
exec .venv/bin/patchbay --workspace demo
