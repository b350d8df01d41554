"""A session bus (D-Bus) that only one test uses."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

needs_dbus = pytest.mark.skipif(not shutil.which("dbus-daemon"), reason="needs dbus-daemon")


@contextmanager
def running_session_bus() -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """The address and the process of a fresh bus."""
    command = ("dbus-daemon", "--session", "--nofork", "--print-address=1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bus:
        assert bus.stdout is not None
        try:
            yield bus.stdout.readline().strip(), bus
        finally:
            bus.terminate()


@contextmanager
def private_session_bus() -> Iterator[str]:
    """The address of a fresh bus."""
    with running_session_bus() as (address, _):
        yield address
