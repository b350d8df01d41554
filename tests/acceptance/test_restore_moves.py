"""Secrets on their way between the two homes, in a real keyring: a restart, and a kill in between."""

import contextlib
import sqlite3
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from tests.support.counterparty import Counterparty
from tests.support.forms import in_forms, long_form
from tests.support.kept_connection import Kept, furnish
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.keyring_states import Session, copied, session
from tests.support.processes import Interface, Service, until

pytestmark = [
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="the Secret Service is a thing of Linux"),
]

CONNECTIONS = 8


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory, party: Counterparty) -> tuple[Path, Kept]:
    """A session and a folder with several connections, whose secrets are sealed."""
    folder = tmp_path_factory.mktemp("furnished")
    with session(folder / "home") as here, Service(folder / "data", env=here.env) as service:
        made = furnish(service, party)
        interface = Interface(service)
        for number in range(1, CONNECTIONS):
            path = f"/v1/connections/{made.connection}/duplicate"
            interface.http.post(path, json={"screenName": f"Copy {number}"}).raise_for_status()
        interface.close()
    return folder, made


@pytest.fixture
def kept(furnished: tuple[Path, Kept], tmp_path: Path) -> Kept:
    """A copy for one test."""
    folder, made = furnished
    return replace(made, data=copied(folder, tmp_path / "copy") / "data")


@pytest.fixture
def here(kept: Kept) -> Iterator[Session]:
    with session(kept.data.with_name("home")) as opened:
        yield opened


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


def noted_items(kept: Kept) -> set[str]:
    """The keyring items that the database notes: those it names, and those that are still to be deleted."""
    with sqlite3.connect(f"file:{kept.data / 'patchbay.db'}?mode=ro", uri=True) as db:
        notes = db.execute("SELECT key FROM meta WHERE key LIKE 'item:%'").fetchall()
    return {f"connection:{key.removeprefix('item:')}" for (key,) in notes}


def items(here: Session) -> set[str]:
    """The items of connections that are in the keyring."""
    return {name for name in here.items() if name.startswith("connection:")}


@long_form
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


def kill_while_moving(here: Session, kept: Kept, home: str, change: str, number: int) -> None:
    """Ask for a move, and kill the service once the keyring announces this change of so many items."""
    service = Service(kept.data, env=here.env).start()
    interface = Interface(service)

    def ask() -> None:
        with contextlib.suppress(httpx.HTTPError):  # it is killed
            move(interface, home)

    with here.announcements() as announced:
        asking = threading.Thread(target=ask)
        asking.start()
        try:
            announced.wait_for(change, number)
        finally:
            service.process.kill()
            asking.join()
            interface.close()


@long_form
@pytest.mark.parametrize("written", in_forms([1, CONNECTIONS // 2, CONNECTIONS], short=[CONNECTIONS // 2]))
def test_killed_on_the_way_into_the_keyring_nothing_is_lost_and_no_item_is_left_over(here, kept, written):
    kill_while_moving(here, kept, "items", "ItemCreated", written)
    left = items(here)
    with Service(kept.data, env=here.env) as again:
        until(lambda: noted_items(kept) == named_items(kept))
        interface = Interface(again)
        opened = valid(interface)
        interface.close()

    assert len(left) >= written
    assert opened == CONNECTIONS
    assert items(here) == named_items(kept)


@long_form
def test_killed_on_the_way_back_nothing_is_lost_and_no_item_is_left_over(here, kept):
    with Service(kept.data, env=here.env) as service:
        interface = Interface(service)
        move(interface, "items")
        interface.close()
    kill_while_moving(here, kept, "sealed", "ItemDeleted", 1)
    with Service(kept.data, env=here.env) as again:
        until(lambda: not noted_items(kept))
        interface = Interface(again)
        opened = valid(interface)
        interface.close()

    assert opened == CONNECTIONS
    assert named_items(kept) == set()
    assert items(here) == set()
