"""The system keyring in the states it really has: absent, null, hanging, unlocked and locked."""

import asyncio
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from keyring.backends import fail, null
from keyring.backends.SecretService import Keyring as SecretService
from secretstorage.exceptions import PromptDismissedException

from patchbay.domain.errors import SecretsUnavailable
from patchbay.platform.system_keyring import SystemKeyring, choose_backend

needs_gnome_keyring = pytest.mark.skipif(
    not (shutil.which("dbus-run-session") and shutil.which("gnome-keyring-daemon")),
    reason="gnome-keyring and dbus are not installed here",
)


@pytest.mark.parametrize("backend", [fail.Keyring(), null.Keyring()])
def test_a_backend_that_keeps_nothing_is_refused(backend):
    with pytest.raises(SecretsUnavailable) as refused:
        choose_backend(backend)

    assert refused.value.reason == "no_keyring"
    assert "passphrase vault" in refused.value.todo


class _Hanging(SecretService):
    """A keyring whose prompt is never answered."""

    def get_password(self, service: str, username: str) -> str | None:
        time.sleep(3)
        return None


async def test_an_unanswered_prompt_times_out_and_the_loop_keeps_running():
    keyring = SystemKeyring(timeout_seconds=0.2, backend=_Hanging())
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)

    counting = asyncio.create_task(count())
    with pytest.raises(SecretsUnavailable) as refused:
        await keyring.get("x")
    counting.cancel()

    assert refused.value.reason == "timed_out"
    assert turns > 10


_ROUND_TRIP = """
    import asyncio
    from patchbay.domain.errors import SecretsUnavailable
    from patchbay.platform.system_keyring import SystemKeyring

    async def main():
        home = SystemKeyring(timeout_seconds=10)
        try:
            print(await home.get("key"))
            await home.set("key", "grün, with spaces")
            print(await SystemKeyring().get("key"))
            await home.set("key", "second")
            print(await home.get("key"))
            await home.delete("key")
            await home.delete("key")
            print(await home.get("key"))
        except SecretsUnavailable as refused:
            print(refused.reason)

    asyncio.run(main())
"""


def _in_session(tmp_path: Path, before: str) -> list[str]:
    """What the round trip prints inside a D-Bus session of its own, after the shell line `before`."""
    script = tmp_path / "round_trip.py"
    script.write_text(textwrap.dedent(_ROUND_TRIP), encoding="utf-8")
    line = f"{before}; exec {sys.executable} {script}"
    environment = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "XDG_RUNTIME_DIR": str(tmp_path),
        "LANG": "C.UTF-8",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.SecretService.Keyring",
    }
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", line],
        env=environment,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    return done.stdout.splitlines()


@needs_gnome_keyring
def test_a_real_keyring_keeps_overwrites_and_deletes(tmp_path):
    unlocked = "printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1"

    assert _in_session(tmp_path, unlocked) == ["None", "grün, with spaces", "second", "None"]


@needs_gnome_keyring
def test_a_real_keyring_that_cannot_be_unlocked_says_so(tmp_path):
    locked = "gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1"

    printed = _in_session(tmp_path, locked)

    assert printed[-1] in ("locked", "timed_out")


class _Dismissed(SecretService):
    """A keyring whose prompt the user dismisses."""

    def get_password(self, service: str, username: str) -> str | None:
        raise PromptDismissedException("dismissed")


async def test_a_dismissed_prompt_is_reported_without_the_name_of_its_error() -> None:
    with pytest.raises(SecretsUnavailable) as refused:
        await SystemKeyring(backend=_Dismissed()).get("x")

    assert refused.value.reason == "locked"
    assert refused.value.text() == "The system keyring is locked. Unlock the keyring, then try again."
