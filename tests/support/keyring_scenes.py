"""Plays scenes of `keyring_window` in a process of a session."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.counterparty import Counterparty
from tests.support.keyring_states import DISPLAYS, Session

OURS = (*DISPLAYS, "DBUS_SESSION_BUS_ADDRESS")


def play(
    scene: str, data: Path, party: Counterparty, env: Mapping[str, str], keyring: Session | None = None
) -> dict[str, Any]:
    """Play a scene in a window of its own process, doing with the keyring what it asks for."""
    outside = {name: value for name, value in os.environ.items() if name not in OURS}
    words = [sys.executable, "-m", "tests.support.keyring_window", scene, str(data), party.address]
    with subprocess.Popen(
        words,
        env={**outside, "QT_QPA_PLATFORM": "offscreen", **env},
        text=True,
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stderr is not None
        line = ""
        for line in child.stdout:
            if line.startswith("{"):
                break
            getattr(keyring, line.strip())()
            print(file=child.stdin, flush=True)
        child.stdin.close()
        said = child.stderr.read()
    assert line.startswith("{"), said[-3000:]
    seen: dict[str, Any] = json.loads(line)
    return seen
