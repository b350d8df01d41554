"""The keyring in the states it has in people's sessions: what is said then, and what is left alone."""

import json
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.support import patient
from tests.support.counterparty import GOOD_KEY, Counterparty
from tests.support.forms import in_forms, long_form
from tests.support.kept_connection import Kept, add_words, call_hook, furnish, listed, told
from tests.support.keyring_session import needs_gnome_keyring
from tests.support.keyring_states import Session, copied, environment_of, session, x_display
from tests.support.processes import Interface, Service, program, run, until

pytestmark = [
    needs_gnome_keyring,
    pytest.mark.skipif(sys.platform != "linux", reason="the Secret Service is a thing of Linux"),
]
needs_a_display = pytest.mark.skipif(
    not shutil.which("Xvfb"), reason="Xvfb, a display without a screen, is not installed here"
)


@dataclass
class Computer:
    """A person's session and data folder, with one connection and a flow that uses it."""

    session: Session
    kept: Kept

    def service(self) -> Service:
        return Service(self.kept.data, env=self.session.env)

    def stored(self) -> str:
        """Everything the database says about secrets and their key."""
        with sqlite3.connect(f"file:{self.kept.data / 'patchbay.db'}?mode=ro", uri=True) as db:
            rows = db.execute("SELECT * FROM secret").fetchall()
            facts = db.execute("SELECT * FROM meta WHERE key LIKE 'data_key%' ORDER BY key").fetchall()
        return repr((rows, facts))


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory, party: Counterparty) -> tuple[Path, Kept]:
    folder = tmp_path_factory.mktemp("furnished")
    with session(folder / "home") as here, Service(folder / "data", env=here.env) as service:
        kept = furnish(service, party)
    return folder, kept


@pytest.fixture
def home(furnished: tuple[Path, Kept], tmp_path: Path) -> tuple[Path, Kept]:
    """A copy of the furnished folder, for one test."""
    folder, kept = furnished
    place = copied(folder, tmp_path / "copy")
    return place / "home", replace(kept, data=place / "data")


@pytest.fixture
def computer(home: tuple[Path, Kept]) -> Iterator[Computer]:
    with session(home[0]) as here:
        yield Computer(here, home[1])


def info(service: Service) -> dict[str, Any]:
    """What the running service says about itself to this user's programs."""
    token = json.loads((service.data / "service.json").read_text())["token"]
    answer = patient.get(f"{service.address}/v1/info", headers={"x-api-token": token})
    found: dict[str, Any] = answer.raise_for_status().json()["data"]
    return found


@pytest.mark.parametrize(
    "backend",
    in_forms(
        [
            "",
            "keyring.backends.SecretService.Keyring",
            "keyring.backends.fail.Keyring",
            "keyring.backends.null.Keyring",
        ],
        short=[""],
    ),
    ids=["no bus", "chosen by hand, no bus", "fail", "null"],
)
def test_without_a_keyring_nothing_is_stored_and_the_ways_out_are_named(
    tmp_path, party, backend, monkeypatch
):
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    env = environment_of(tmp_path / "home", backend)
    with Service(tmp_path / "data", env=env) as service:
        until(lambda: info(service)["secretsProblem"])
        refused = service.command(*add_words(party), stdin=f"{GOOD_KEY}\n")
        connections = service.command("connection", "list", "--json").json
        doctor = service.command("doctor", "--json")

    assert (refused.code, refused.out, connections) == (1, "", [])
    assert "There is no system keyring" in refused.err
    assert "passphrase vault" in refused.err
    assert (doctor.code, "There is no system keyring" in doctor.json["keyring"]) == (0, True)
    assert GOOD_KEY.encode() not in (tmp_path / "data" / "patchbay.db").read_bytes()


@long_form
def test_an_unlocked_keyring_opens_what_was_kept_after_a_restart(computer, party):
    with computer.service() as service:
        tested = service.command("connection", "test", computer.kept.connection, "--json")
        doctor = service.command("doctor", "--json").json

    assert (tested.code, tested.json["health"]) == (0, "valid")
    assert "SecretService works" in doctor["keyring"]


def test_a_locked_keyring_is_reported_everywhere_and_everything_works_once_it_is_open(computer, party):
    computer.session.lock()
    before = computer.stored()
    with computer.service() as service:
        until(lambda: info(service)["secretsProblem"])
        seen = listed(service)
        tested = service.command("connection", "test", computer.kept.connection)
        added = service.command(*add_words(party, "Second"), stdin=f"{GOOD_KEY}\n")
        doctor = service.command("doctor", "--json").json
        locked = computer.stored()
        computer.session.unlock()
        until(lambda: not info(service)["secretsProblem"])  # by itself: nothing was asked of the secrets
        unlocked = listed(service)
        later = service.command("connection", "test", computer.kept.connection)
        listed_later = listed(service)

    assert (seen["health"], seen["reason"]) == ("valid", None)
    assert "locked" in seen["secretsProblem"]
    assert (tested.code, added.code, later.code) == (1, 1, 0)
    assert "The system keyring is locked" in tested.err
    assert "The system keyring is locked" in added.err
    assert "locked" in doctor["keyring"]
    assert locked == before
    assert (unlocked["health"], unlocked["secretsProblem"]) == ("valid", None)
    assert unlocked["testedAt"] == seen["testedAt"]
    assert listed_later["health"] == "valid"


@long_form
def test_a_keyring_that_hangs_blocks_nothing_and_is_shown_as_waiting(computer, party):
    computer.session.freeze()
    try:
        with computer.service() as service:
            waiting = until(lambda: info(service)["secretsWaiting"])
            seen = listed(service)
            flows = service.command("flow", "list", "--json").json
            call_hook(service, computer.kept)
            interface = Interface(service)
            [begun] = until(lambda: interface.executions("Watch"))
            computer.session.thaw()
            until(lambda: not info(service)["secretsWaiting"])
            [ended] = interface.finished("Watch")
            interface.close()
            tested = service.command("connection", "test", computer.kept.connection)
    finally:
        computer.session.thaw()

    assert waiting is True
    assert seen["screenName"] == "Mine"
    assert [flow["name"] for flow in flows] == ["Watch"]
    assert begun["finishedAt"] is None
    assert (ended["status"], tested.code) == ("success", 0)


@long_form
def test_doctor_does_not_hang_with_the_keyring(computer):
    computer.session.freeze()
    try:
        doctor = run(program("doctor", "--json", data=computer.kept.data), env=computer.session.env)
    finally:
        computer.session.thaw()

    assert doctor.code == 0
    assert "didn't respond" in doctor.json["keyring"]
    assert doctor.json["secrets"] == "timed_out"


@long_form
@pytest.mark.parametrize("by", in_forms(["overwritten", "deleted"], short=["overwritten"]))
def test_a_key_changed_behind_our_back_is_noticed_nothing_is_overwritten_and_none_is_made(
    computer, party, by
):
    [(name, key)] = computer.session.items().items()
    if by == "overwritten":
        computer.session.overwrite(name, "bm90IHRoZSBrZXkgYnV0IDMyIGJ5dGVzIGxvbmchISE=")
    else:
        computer.session.delete(name)
    damaged, before = computer.session.items(), computer.stored()
    with computer.service() as service:
        until(lambda: info(service)["secretsProblem"])
        seen = listed(service)
        tested = service.command("connection", "test", computer.kept.connection)
        added = service.command(*add_words(party, "Second"), stdin=f"{GOOD_KEY}\n")
        call_hook(service, computer.kept)
        interface = Interface(service)
        [run_of_flow] = interface.finished("Watch")
        interface.close()
    left, after = computer.session.items(), computer.stored()
    if by == "overwritten":
        computer.session.overwrite(name, key)
    else:
        computer.session.add(name, key)
    with computer.service() as service:
        repaired = service.command("connection", "test", computer.kept.connection)

    words = "doesn't decrypt your saved credentials" if by == "overwritten" else "encryption key is missing"
    assert words in seen["reason"]
    assert "reconnect" in seen["reason"]
    assert (tested.code, added.code, repaired.code) == (1, 1, 0)
    assert words in told(tested)
    assert words in told(added)
    assert run_of_flow["status"] == "failure"
    assert words in run_of_flow["note"]
    assert (left, after) == (damaged, before)


@needs_a_display
@pytest.mark.acceptance
def test_an_unanswered_prompt_times_out_after_half_a_minute(home, party):
    place, kept = home
    with (
        x_display() as display,
        session(place, display=display, unlocked=False) as here,
        Service(kept.data, env=here.env) as service,
    ):
        tested = service.command("connection", "test", kept.connection)
        seen = listed(service)

    assert tested.code == 1
    assert "The system keyring didn't respond" in tested.err
    assert "didn't respond" in seen["secretsProblem"]


@long_form
@needs_a_display
def test_a_prompt_on_a_display_is_shown_as_waiting_and_blocks_nothing_else(home):
    place, kept = home
    with (
        x_display() as display,
        session(place, display=display, unlocked=False) as here,
        Service(kept.data, env=here.env) as service,
    ):
        waiting = until(lambda: info(service)["secretsWaiting"])
        flows = service.command("flow", "list", "--json").json

    assert waiting is True
    assert len(flows) == 1
