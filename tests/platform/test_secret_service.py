"""The Secret Service over one connection, in a session of its own with a real gnome-keyring."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import secretstorage
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.keyring_states import Session, session
from tests.support.patience import PATIENCE

from patchbay.platform.secret_service import SecretService
from patchbay.platform.system_keyring import SystemKeyring

pytestmark = [
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the Secret Service"),
]


@pytest.fixture
def opened(monkeypatch):
    """The connections that are opened, which are closed after the test."""
    connections = []
    open_one = secretstorage.dbus_init

    def open_and_note():
        connections.append(open_one())
        return connections[-1]

    monkeypatch.setattr(secretstorage, "dbus_init", open_and_note)
    yield connections
    for connection in connections:
        connection.close()


@pytest.fixture
def here(tmp_path: Path, monkeypatch):
    with session(tmp_path / "home") as one:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", one.env["DBUS_SESSION_BUS_ADDRESS"])
        yield one


async def test_all_calls_use_one_connection(here, opened):
    keyring = SystemKeyring(backend=SecretService())

    assert await keyring.get("key") is None
    await keyring.set("key", "grün")
    await keyring.set("key", "second")
    assert await keyring.get("key") == "second"
    assert await keyring.is_locked() is False
    await keyring.delete("key")
    await keyring.delete("key")
    assert await keyring.get("key") is None

    assert len(opened) == 1


def test_items_are_those_of_the_backend_of_keyring(here, opened):
    service = SecretService()
    here.add("theirs", "from keyring")

    service.set_password("patchbay", "ours", "from here")

    assert service.get_password("patchbay", "theirs") == "from keyring"
    assert here.items() == {"theirs": "from keyring", "ours": "from here"}


@pytest.mark.parametrize("interruption", ["restart", "broken connection"])
def test_the_connection_is_opened_again_when_it_no_longer_works(here: Session, opened, interruption):
    service = SecretService()
    service.set_password("patchbay", "key", "value")

    if interruption == "restart":
        here.end_ring()
        here.start()
    else:
        opened[0].close()

    assert service.get_password("patchbay", "key") == "value"
    service.set_password("patchbay", "key", "second")
    assert service.get_password("patchbay", "key") == "second"
    assert len(opened) == 2


def test_calls_that_overlap_have_their_own_connections_and_one_stays_open(here: Session, opened):
    service = SecretService()
    service.set_password("patchbay", "key", "value")
    here.freeze()

    with ThreadPoolExecutor(3) as threads:
        calls = [threads.submit(service.get_password, "patchbay", "key") for _ in range(3)]
        here.thaw()
        assert [call.result(PATIENCE) for call in calls] == ["value"] * 3
    before = len(opened)
    service.get_password("patchbay", "key")

    assert len(opened) == before
    assert [connection.sock.fileno() >= 0 for connection in opened].count(True) == 1


def test_asking_whether_it_is_locked_creates_no_keyring(tmp_path, monkeypatch, opened):
    with session(tmp_path / "home", unlocked=False) as here:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", here.env["DBUS_SESSION_BUS_ADDRESS"])

        locked = SecretService().is_locked()

    assert locked, "one that has yet to be created would ask for its password"
    assert not list((tmp_path / "home").rglob("*.keyring"))
    assert [connection.sock.fileno() for connection in opened] == [-1]
