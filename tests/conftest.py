"""What every test stands on: no display, no real keyring, no real home folder, one loop thread per test."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

import pytest

from patchbay.desktop.tasks import LoopThread, Tasks


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing a test does may reach the person's own folders."""
    monkeypatch.setenv("PATCHBAY_DATA_DIR", str(tmp_path / "patchbay-data"))


@pytest.fixture
def loop_thread() -> Iterator[LoopThread]:
    gc.disable()  # else the loop thread may collect a cycle that holds QObjects, and destroy them there
    loop = LoopThread()
    loop.start()
    yield loop
    loop.stop()
    gc.enable()
    gc.collect()


@pytest.fixture
def tasks(loop_thread: LoopThread) -> Tasks:
    return Tasks(loop_thread)
