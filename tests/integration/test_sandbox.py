"""What a sandbox finds on a computer, and how the processes it starts end."""

import sys
from pathlib import Path

import pytest

from patchbay.domain.isolation import IsolationKind
from patchbay.integration.sandbox import Sandbox

linux = pytest.mark.skipif(sys.platform != "linux", reason="programs are isolated on Linux only")


def fake_bwrap(folder: Path, said: str) -> str:
    file = folder / "bwrap"
    file.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    file.chmod(0o755)
    return str(folder)


@linux
@pytest.mark.parametrize(
    ("said", "told"),
    [
        (None, "Bubblewrap is not installed. Install the package “bubblewrap” and restart Patchbay."),
        ("bwrap: No permissions to create new namespace", "must allow user namespaces"),
        ("bwrap: Unknown option --size", "Install bubblewrap 0.8 or newer"),
    ],
)
async def test_without_isolation_the_reason_is_told(said, told, tmp_path):
    sandbox = Sandbox(search="" if said is None else fake_bwrap(tmp_path, said))

    found = await sandbox.prepare()

    assert found.kind is IsolationKind.NONE
    assert told in found.detail
    assert said is None or said in found.detail
