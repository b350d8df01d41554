"""Home Assistant, from PyPI: a door that opens switches a lamp on."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.support import flow_files as files
from tests.support.home_assistant import HOME_ASSISTANT, HomeAssistant, home_assistant
from tests.support.served_app_tests import ServedAppTests

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(bool(HOME_ASSISTANT.why_missing()), reason=HOME_ASSISTANT.why_missing()),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HomeAssistant]:
    with home_assistant(tmp_path_factory.mktemp("home")) as running:
        yield running


class TestHomeAssistant(ServedAppTests):
    app = "home-assistant"
    screen_name = "Home"
    rejection = "401"
    bad = {"apiKey": "bad-token-1234567890"}

    def fields(self, server):
        return {"screenName": self.screen_name, "instanceUrl": server.address}

    def good(self, server):
        token, self.refresh_token = server.sign_in()
        return {"apiKey": token}

    @contextmanager
    def withdrawn(self, server):
        server.revoke(self.refresh_token)
        yield

    def test_dropdowns_list_entities_and_actions(self, patchbay, server):
        self.connected(patchbay, server)
        action = files.step(self.app, "callService")

        entities = patchbay.options(action, "listEntities")
        actions = patchbay.options(action, "listServices")

        assert {"input_boolean.door", "input_boolean.lamp"} <= set(entities.values())
        assert "Lamp (input_boolean.lamp)" in entities
        assert "input_boolean.turn_on" in actions.values()

    def trigger(self, server):
        return files.step(self.app, "stateChanged", entityId="input_boolean.door", toState="on")

    def action(self, server):
        return files.step(
            self.app, "callService", service="input_boolean.turn_on", entityId="input_boolean.lamp"
        )

    def happen(self, server):
        server.switch_on("input_boolean.door")

    def check_effect(self, server, trigger, action):
        assert trigger["entity_id"] == "input_boolean.door"
        assert [state["entity_id"] for state in action["changed_states"]] == ["input_boolean.lamp"]
        assert server.state("input_boolean.lamp") == "on"
