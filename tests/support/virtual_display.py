"""An X server without a screen, with a keyboard that tests press."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

needs_a_display = pytest.mark.skipif(
    not all(map(shutil.which, ("Xvfb", "xdotool"))), reason="needs Xvfb and xdotool"
)


@contextmanager
def virtual_display() -> Iterator[str]:
    """The name of a fresh display, which has no window manager."""
    command = ("Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()


def xdotool(display: str, *words: str) -> str:
    """Run xdotool on a display, and return what it says."""
    environment = {**os.environ, "DISPLAY": display}
    done = subprocess.run(("xdotool", *words), env=environment, capture_output=True, text=True, check=True)
    return done.stdout
