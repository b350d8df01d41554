"""Matrix with Synapse, from PyPI: a message in one room is passed on to another."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from tests.support import flow_files as files
from tests.support.served_app_tests import ServedAppTests
from tests.support.synapse import SYNAPSE, Member, Synapse, synapse

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.timeout(180),
    pytest.mark.skipif(bool(SYNAPSE.why_missing()), reason=SYNAPSE.why_missing()),
]


class Chat(NamedTuple):
    """The server, its users, and two rooms that both have joined."""

    synapse: Synapse
    ada: Member
    grace: Member
    orders: str
    team: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chat]:
    with synapse(tmp_path_factory.mktemp("synapse")) as running:
        ada, grace = running.register("ada"), running.register("grace")
        yield Chat(running, ada, grace, grace.create_room("Orders", ada), grace.create_room("Team", ada))


class TestMatrix(ServedAppTests):
    app = "matrix"
    screen_name = "@ada:example.test"
    rejection = "Invalid access token passed."
    bad = {"apiKey": "syt_bad_token_1234567890"}

    def fields(self, server):
        return {"instanceUrl": server.synapse.address}

    def good(self, server):
        self.session = server.synapse.sign_in("ada")
        return {"apiKey": self.session.token}

    @contextmanager
    def withdrawn(self, server):
        self.session.log_out()
        yield

    def test_the_dropdown_lists_the_joined_rooms_by_name(self, patchbay, server):
        self.connected(patchbay, server)

        rooms = patchbay.options(files.step("matrix", "sendMessage"), "listRooms")

        assert rooms == {"Orders": server.orders, "Team": server.team}

    def trigger(self, server):
        return files.step("matrix", "newMessage", roomId=server.orders)

    def action(self, server):
        return files.step(
            "matrix", "sendMessage", roomId=server.team, message="New order: {{step.#1.content.body}}"
        )

    def happen(self, server):
        server.ada.send(server.orders, "My own message starts nothing")
        server.grace.send(server.orders, "Zwei Brötchen 🥐")

    def check_effect(self, server, trigger, action):
        assert (trigger["sender"], trigger["content"]["body"]) == ("@grace:example.test", "Zwei Brötchen 🥐")
        assert server.grace.messages(server.team) == [("@ada:example.test", "New order: Zwei Brötchen 🥐")]
