"""A data folder on a computer that has no key to it, and secrets that move between their two homes."""

import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.counterparty import GOOD_KEY, Counterparty
from tests.support.forms import in_forms, long_form
from tests.support.kept_connection import FLOW, Kept, add_words, call_hook, furnish, listed, told
from tests.support.keyring_scenes import play
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.keyring_states import Session, copied, session
from tests.support.processes import Interface, Service, until

pytestmark = [
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="the Secret Service is a thing of Linux"),
]

HOMES = ("sealed", "items")


@dataclass
class Origin:
    """Where the data come from: a folder and a keyring that fits it."""

    home: str
    folder: Path
    kept: Kept
    items: dict[str, str]


def made_in(short: str) -> pytest.MarkDecorator:
    """Where the secrets were kept; the other home is in the long form only."""
    return pytest.mark.parametrize("origin", in_forms(HOMES, short=[short]), indirect=True)


@pytest.fixture(scope="module")
def origin(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, party: Counterparty
) -> Origin:
    folder = tmp_path_factory.mktemp(request.param)
    with session(folder / "home") as here:
        with Service(folder / "data", env=here.env) as service:
            kept = furnish(service, party)
            move(service, request.param)
            call_hook(service, kept)
            interface = Interface(service)
            interface.finished(FLOW, 1)
            interface.close()
        return Origin(request.param, folder, kept, here.items())


@pytest.fixture
def elsewhere(origin: Origin, tmp_path: Path) -> Iterator[tuple[Session, Kept]]:
    """Another computer: a copy of the data, and a keyring that never heard of them."""
    kept = replace(origin.kept, data=copied(origin.folder / "data", tmp_path / "data"))
    with session(tmp_path / "home") as here:
        yield here, kept


def move(service: Service, home: str) -> None:
    interface = Interface(service)
    interface.http.post("/v1/secrets/move", json={"to": home}).raise_for_status()
    interface.close()


def secret_rows(kept: Kept) -> list[Any]:
    """The rows of secrets and what the database says about their key."""
    with sqlite3.connect(f"file:{kept.data / 'patchbay.db'}?mode=ro", uri=True) as db:
        facts = "SELECT * FROM meta WHERE key LIKE 'data_key%' OR key LIKE 'item:%' ORDER BY key"
        return [*db.execute("SELECT * FROM secret"), *db.execute(facts)]


def needs_reconnecting(service: Service) -> dict[str, str]:
    """What is said about the connection, once the keyring was looked through."""

    def doubted() -> dict[str, str] | None:
        seen = listed(service)
        return seen if seen["health"] == "needs_attention" else None

    found: dict[str, str] = until(doubted)
    return found


@long_form
@made_in("items")
def test_without_its_key_everything_is_visible_nothing_runs_and_nothing_is_overwritten(
    origin, elsewhere, party
):
    here, kept = elsewhere
    before, calls = secret_rows(kept), len(party.seen)
    with Service(kept.data, env=here.env) as service:
        seen = needs_reconnecting(service)
        flows = service.command("flow", "list", "--json").json
        tested = service.command("connection", "test", kept.connection)
        call_hook(service, kept)
        interface = Interface(service)
        newest, first = interface.finished(FLOW, 2)
        failed_step = str(interface.steps(newest["id"])[-1])
        over_http = interface.data("/v1/connections")[0]
        interface.close()
        left = here.items()
    after = secret_rows(kept)
    for name, value in origin.items.items():
        here.add(name, value)
    with Service(kept.data, env=here.env) as service:
        back = service.command("connection", "test", kept.connection)
        call_hook(service, kept)
        interface = Interface(service)
        again = interface.finished(FLOW, 3)[0]
        interface.close()

    assert "econnect" in seen["reason"]
    assert over_http["reason"] == seen["reason"]
    assert [flow["name"] for flow in flows] == [FLOW]
    assert (first["status"], newest["status"]) == ("success", "failure")
    assert "econnect" in failed_step
    assert tested.code == 1
    assert "econnect" in told(tested)
    assert left == {}
    assert after == before
    assert (back.code, again["status"]) == (0, "success")
    assert len(party.seen) > calls


@long_form
@made_in("sealed")
def test_a_lost_key_is_discarded_and_replaced(elsewhere, party):
    here, kept = elsewhere
    with Service(kept.data, env=here.env) as service:
        needs_reconnecting(service)
        interface = Interface(service)
        interface.http.post("/v1/secrets/give-up-lost").raise_for_status()
        given_up = listed(service)
        values = {"apiKey": GOOD_KEY, "instanceUrl": party.address, "screenName": "Mine"}
        again = interface.http.post(
            f"/v1/connections/{kept.connection}/verify", json={"formattedData": values}
        )
        call_hook(service, kept)
        newest = interface.finished(FLOW, 2)[0]
        interface.close()
        added = service.command(*add_words(party, "Second"), stdin=f"{GOOD_KEY}\n")

    assert "econnect" in given_up["reason"]
    assert again.status_code == 200, again.text
    assert newest["status"] == "success"
    assert added.code == 0


@long_form
@made_in("sealed")
def test_the_window_says_what_is_lost_and_offers_to_give_it_up(elsewhere, origin, tmp_path, party):
    here, kept = elsewhere

    seen = play("lost", kept.data, party, here.env)

    assert "econnect" in seen["reason"]
    assert [flow.split(".")[0] for flow in seen["flows"]] == [FLOW]
    if origin.home == "sealed":
        assert "encryption key is missing" in seen["page"]
        assert seen["given up"] == "Its credentials were discarded. Reconnect."
