"""A private D-Bus session with a real gnome-keyring, unlocked, for programs started with its environment."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.patience import PATIENCE

needs_gnome_keyring = pytest.mark.skipif(
    not (shutil.which("dbus-daemon") and shutil.which("gnome-keyring-daemon")),
    reason="gnome-keyring and dbus are not installed here",
)


@contextmanager
def keyring_session(home: Path) -> Iterator[dict[str, str]]:
    """The environment of a session whose keyring lives in `home`; both daemons end with the block."""
    home.mkdir(parents=True, exist_ok=True)
    environment = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "XDG_DATA_HOME": str(home / "share"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.SecretService.Keyring",
    }
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert bus.stdout is not None
    environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
    ring = subprocess.Popen(
        ["gnome-keyring-daemon", "--unlock", "--foreground", "--components=secrets"],
        env={**os.environ, **environment},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert ring.stdin is not None
    ring.stdin.write("the login password")
    ring.stdin.close()
    ring.stdin = None
    try:
        assert ring.stdout is not None
        ring.stdout.readline()  # it tells its control folder once it is up
        yield environment
    finally:
        for daemon in (ring, bus):
            daemon.terminate()
            daemon.communicate(timeout=PATIENCE)
