"""The window in each state of the keyring: it paints, says what it waits for, and lets go when told."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.counterparty import Counterparty
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.keyring_states import DISPLAYS, Session, environment_of, session

pytestmark = [
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="the Secret Service is a thing of Linux"),
]

OURS = (*DISPLAYS, "DBUS_SESSION_BUS_ADDRESS")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Session]:
    with session(tmp_path / "home") as made:
        yield made


def play(
    scene: str, folder: Path, party: Counterparty, env: Mapping[str, str], keyring: Session | None = None
) -> dict[str, Any]:
    """Play a scene in a window of its own process, doing with the keyring what it asks for."""
    outside = {name: value for name, value in os.environ.items() if name not in OURS}
    words = [sys.executable, "-m", "tests.support.keyring_window", scene, str(folder / "data"), party.address]
    with subprocess.Popen(
        words, env={**outside, "QT_QPA_PLATFORM": "offscreen", **env}, text=True,
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as child:  # fmt: skip
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


def test_while_the_keyring_hangs_the_window_paints_says_so_and_lets_go(tmp_path, opened, party):
    opened.freeze()

    seen = play("hangs", tmp_path, party, opened.env, opened)

    assert seen["paints"] == [True, True]
    assert seen["typed"]
    assert "ask for its password" in seen["waits"]
    assert "Nothing was changed" in seen["stopped"]
    assert len(opened.items()) == 1


def test_with_a_locked_keyring_the_form_says_so_and_works_after_unlocking(tmp_path, opened, party):
    opened.lock()

    seen = play("locked", tmp_path, party, opened.env, opened)

    assert seen["paints"] == [True]
    assert len(opened.items()) == 1


@pytest.mark.parametrize("backend", ["", "keyring.backends.fail.Keyring", "keyring.backends.null.Keyring"])
def test_without_a_keyring_the_form_and_the_settings_name_the_way_out(tmp_path, party, backend):
    seen = play("none", tmp_path, party, environment_of(tmp_path / "home", backend))

    assert seen["paints"] == [True]
    assert seen["way out"]
