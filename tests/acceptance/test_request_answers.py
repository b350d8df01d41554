"""What HTTP Request makes of compressed answers, odd JSON, and redirects: through the real service."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import brotli
import pytest
from tests.support import flow_files as files
from tests.support.bombs import answers
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.processes import Interface, Service

pytestmark = pytest.mark.timeout(180)

TEXT = "Grüße aus Zürich, " * 40
KEYED = {"X-Key": "a key of mine", "Authorization": "Bearer mine", "Accept": "application/json"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("served") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def interface(service: Service) -> Iterator[Interface]:
    made = Interface(service)
    yield made
    made.close()


@pytest.fixture
def party() -> Iterator[Counterparty]:
    with Counterparty() as running:
        yield running


def output(service: Service, interface: Interface, folder: Path, name: str, request: files.Document) -> Any:
    """What the request put out in a run of a flow with this name."""
    file = files.write(folder / "flow.json", files.flow(name, files.catch(), request))
    [flow] = service.command("flow", "import", file, "--publish", "--json").json
    assert interface.http.post(f"/webhooks/flows/{flow['id']}", json={}).status_code == 204
    [run] = interface.finished(name)
    assert run["state"] == "success", run["note"]
    return interface.steps(run["id"])[-1]["dataOut"]


@long_form
@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_compressed_answers_are_read(service, interface, party, tmp_path, coding):
    packed = {"br": brotli.compress, "zstd": answers.zstandard}[coding](TEXT.encode())
    party.answers["/text"] = (200, packed)
    party.headers["/text"] = {"Content-Encoding": coding}

    made = output(service, interface, tmp_path, coding, files.request("GET", f"{party.address}/text"))

    assert made["data"] == TEXT
    assert coding in party.seen[0].headers["accept-encoding"]


def test_numbers_that_json_does_not_know_become_texts(service, interface, party, tmp_path):
    party.answers["/odd"] = (200, {"total": float("nan"), "most": float("inf"), "count": 3})

    made = output(service, interface, tmp_path, "Odd", files.request("GET", f"{party.address}/odd"))

    assert made["data"] == {"total": "NaN", "most": "Infinity", "count": 3}


def moved(party: Counterparty, other: Counterparty, status: int) -> files.Document:
    """A request with a key and a body to an address that redirects to the other host."""
    party.answers["/moved"] = (status, {})
    party.headers["/moved"] = {"Location": f"{other.address}/elsewhere"}
    return files.request("POST", f"{party.address}/moved", '{"private": "data"}', KEYED)


def test_a_redirect_to_another_host_gets_neither_keys_nor_the_body(service, interface, party, tmp_path):
    with Counterparty() as other:
        output(service, interface, tmp_path, "Moved", moved(party, other, 302))

    [asked], [followed] = party.seen, other.seen
    assert (asked.body, asked.headers["x-key"]) == ('{"private": "data"}', "a key of mine")
    assert (followed.method, followed.body) == ("GET", "")
    assert not {"x-key", "authorization"} & followed.headers.keys()
    assert followed.headers["accept"] == "application/json"


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_that_wants_the_body_again_is_not_followed_to_another_host(
    service, interface, party, tmp_path, status
):
    with Counterparty() as other, pytest.raises(AssertionError, match=r"A redirect from .* wasn't followed"):
        output(service, interface, tmp_path, f"Moved {status}", moved(party, other, status))

    assert (len(party.seen), other.seen) == (1, [])
