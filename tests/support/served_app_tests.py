"""What must hold for an app and a real service, from adding a connection to the effect of an action."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.support import flow_files as files
from tests.support.processes import Done
from tests.support.served_app import ServedApp

FLOW = "Counterpart"


class ConnectionTests:
    """Good, bad, and withdrawn credentials. The fixture `server` of the module is the running service."""

    app: ClassVar[str]
    screen_name: ClassVar[str]
    rejection: ClassVar[str]
    """What the service says about a bad credential, as the user reads it."""
    bad: ClassVar[dict[str, str]]
    """Secret fields that the service rejects."""

    def name(self, server: Any) -> str:
        """The name that the connection gets."""
        return self.screen_name

    def fields(self, server: Any) -> dict[str, str]:
        """The fields of the connection that aren't secret."""
        raise NotImplementedError

    def good(self, server: Any) -> dict[str, str]:
        """The secret fields that the service accepts."""
        raise NotImplementedError

    def withdrawn(self, server: Any) -> AbstractContextManager[None]:
        """While the block runs, the service rejects the good credential."""
        raise NotImplementedError

    @pytest.fixture
    def patchbay(self, tmp_path: Path) -> ServedApp:
        return ServedApp(tmp_path)

    def connected(self, patchbay: ServedApp, server: Any) -> Done:
        return patchbay.connect(self.app, self.fields(server), **self.good(server))

    def test_a_good_credential_is_accepted_and_the_connection_named(self, patchbay, server):
        added = self.connected(patchbay, server)
        tested = patchbay.command("connection", "test", added.json["id"], "--json")

        assert (added.code, added.err) == (0, "")
        [connection] = patchbay.connections()
        assert connection["id"] == added.json["id"]
        assert connection["screenName"] == self.name(server)
        assert (connection["verified"], connection["health"]) == (True, "valid")
        assert (tested.code, tested.json["health"]) == (0, "valid")

    def test_a_bad_credential_is_rejected_in_plain_words_and_not_stored(self, patchbay, server):
        rejected = patchbay.connect(self.app, self.fields(server), **self.bad)

        assert (rejected.code, rejected.out) == (1, "")
        assert self.rejection in rejected.err
        assert "Traceback" not in rejected.err
        assert not any(secret in rejected.err for secret in self.bad.values())
        assert patchbay.connections() == []

    def test_a_withdrawn_credential_is_noticed_and_the_connection_stored_as_invalid(self, patchbay, server):
        made = self.connected(patchbay, server).json["id"]

        with self.withdrawn(server):
            tested = patchbay.command("connection", "test", made, "--json")

        [connection] = patchbay.connections()
        assert tested.code == 1
        assert (connection["verified"], connection["health"]) == (False, "needs_attention")
        assert connection["reason"]
        assert connection["reason"] in tested.err


class ServedAppTests(ConnectionTests):
    """All of `ConnectionTests`, and a flow whose trigger is polled."""

    def trigger(self, server: Any) -> files.Document:
        raise NotImplementedError

    def action(self, server: Any) -> files.Document:
        raise NotImplementedError

    def connect_others(self, patchbay: ServedApp, server: Any) -> None:
        """Add the connections of other apps in the flow."""

    def happen(self, server: Any) -> None:
        """What starts the flow, done at the service by somebody else."""
        raise NotImplementedError

    def check_effect(self, server: Any, trigger: dict[str, Any], action: dict[str, Any]) -> None:
        """Compare what both steps output with what the service has now."""
        raise NotImplementedError

    def test_something_new_starts_one_run_whose_action_has_its_effect(self, patchbay, server):
        self.connect_others(patchbay, server)
        assert self.connected(patchbay, server).code == 0
        patchbay.publish(FLOW, self.trigger(server), self.action(server))

        self.happen(server)
        [execution] = patchbay.polled(FLOW)

        steps = execution["steps"]
        assert [step["errorDetails"] for step in steps] == [None, None]
        assert [step["status"] for step in steps] == ["success", "success"]
        self.check_effect(server, steps[0]["dataOut"], steps[1]["dataOut"])


@contextmanager
def changed(set_value: Any, value: str, usual: str) -> Iterator[None]:
    """While the block runs, the value is set; afterwards the usual one."""
    set_value(value)
    try:
        yield
    finally:
        set_value(usual)
