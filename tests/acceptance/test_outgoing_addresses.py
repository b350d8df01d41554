"""`patchbay serve` keeps flows from addresses inside the network, as told on the command line."""

from contextlib import closing

import pytest
from tests.support import flow_files as files
from tests.support.counterparty import Counterparty
from tests.support.processes import Interface, Service

pytestmark = pytest.mark.acceptance


def called(service: Service, url: str) -> str:
    """What testing a step that calls the address gives."""
    headers: list[dict[str, str]] = []
    step = files.step("http-request", "customRequest", method="GET", url=url, headers=headers)
    file = files.write(service.data.with_name("flow.json"), files.flow("Calls", files.catch(), step))
    [flow] = service.command("flow", "import", file, "--json").json
    with closing(Interface(service)) as interface:
        calling = interface.data(f"/v1/flows/{flow['id']}")["steps"][1]["id"]
        tested = interface.http.post(f"/v1/steps/{calling}/test")
    assert tested.status_code == 200, tested.text
    return tested.text


def test_loopback_is_rejected_for_all_users_until_it_is_allowed(tmp_path):
    words = ["--outgoing-addresses", "everybody"]
    with Counterparty() as inside:
        with Service(tmp_path / "data", serve=words) as service:
            said = called(service, f"{inside.address}/inside")
            assert "are blocked" in said
            assert "--allow-address" in said
            assert inside.seen == []

        host = inside.address.removeprefix("http://")
        with Service(tmp_path / "data", serve=["--allow-address", host]) as service:
            called(service, f"{inside.address}/inside")
            assert inside.paths() == ["/inside"]
            with closing(Interface(service)) as interface:
                kept = interface.data("/v1/service")
            assert (kept["outgoingAddresses"], kept["allowedAddresses"]) == ("everybody", [host])
