"""Secrets on their way between the two homes, in a real keyring: a restart, and a kill in between."""

import contextlib
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from tests.support.counterparty import Counterparty
from tests.support.kept_connection import Kept, furnish
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.keyring_states import Session, session
from tests.support.processes import Interface, Service, until

pytestmark = [
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="the Secret Service is a thing of Linux"),
]

CONNECTIONS = 8


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Session]:
    with session(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def kept(here: Session, tmp_path: Path, party: Counterparty) -> Kept:
    """Several connections, with their secrets sealed."""
    with Service(tmp_path / "data", env=here.env) as service:
        made = furnish(service, party)
        interface = Interface(service)
        for number in range(1, CONNECTIONS):
            path = f"/v1/connections/{made.connection}/duplicate"
            interface.http.post(path, json={"screenName": f"Copy {number}"}).raise_for_status()
        interface.close()
    return made


def move(interface: Interface, home: str) -> None:
    interface.http.post("/v1/secrets/move", json={"to": home}).raise_for_status()


def valid(interface: Interface) -> int:
    """How many connections open and are accepted."""
    ids = [item["id"] for item in interface.data("/v1/connections")]
    answers = [interface.http.post(f"/v1/connections/{each}/test").json() for each in ids]
    return sum(answer["data"]["health"] == "valid" for answer in answers)


def named_items(kept: Kept) -> set[str]:
    """The keyring items that the database names."""
    with sqlite3.connect(f"file:{kept.data / 'patchbay.db'}?mode=ro", uri=True) as db:
        return {f"connection:{row[0]}" for row in db.execute("SELECT key_id FROM secret WHERE format = 100")}


def items(here: Session) -> set[str]:
    """The items of connections that are in the keyring."""
    return {name for name in here.items() if name.startswith("connection:")}


def test_secrets_move_there_and_back_with_a_restart_after_each(here, kept):
    seen = []
    for home in ("items", "sealed"):
        with Service(kept.data, env=here.env) as service:
            interface = Interface(service)
            move(interface, home)
            interface.close()
        with Service(kept.data, env=here.env) as service:
            interface = Interface(service)
            seen.append((interface.data("/v1/secrets")["home"], valid(interface)))
            interface.close()
        seen.append((len(items(here)), items(here) == named_items(kept)))

    assert seen == [("items", CONNECTIONS), (CONNECTIONS, True), ("sealed", CONNECTIONS), (0, True)]
    assert len(here.items()) == 1  # the data key


def kill_while_moving(service: Service, home: str, when: Callable[[], bool]) -> None:
    """Ask for a move and kill the service as soon as `when` is so."""
    interface = Interface(service)

    def ask() -> None:
        with contextlib.suppress(httpx.HTTPError):  # it is killed
            move(interface, home)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        until(when, every=0)
    finally:
        service.process.kill()
        asking.join()
        interface.close()


@pytest.mark.parametrize("written", [1, CONNECTIONS // 2, CONNECTIONS])
def test_killed_on_the_way_into_the_keyring_nothing_is_lost_and_no_item_is_left_over(here, kept, written):
    service = Service(kept.data, env=here.env).start()
    kill_while_moving(service, "items", lambda: len(items(here)) >= written)
    left = items(here)
    with Service(kept.data, env=here.env) as again:
        until(lambda: items(here) == named_items(kept))
        interface = Interface(again)
        opened = valid(interface)
        interface.close()

    assert len(left) >= written
    assert opened == CONNECTIONS
    assert items(here) == named_items(kept)


def test_killed_on_the_way_back_nothing_is_lost_and_no_item_is_left_over(here, kept):
    with Service(kept.data, env=here.env) as service:
        interface = Interface(service)
        move(interface, "items")
        interface.close()
    service = Service(kept.data, env=here.env).start()
    kill_while_moving(service, "sealed", lambda: len(items(here)) < CONNECTIONS)
    with Service(kept.data, env=here.env) as again:
        until(lambda: not items(here))
        interface = Interface(again)
        opened = valid(interface)
        interface.close()

    assert opened == CONNECTIONS
    assert named_items(kept) == set()
