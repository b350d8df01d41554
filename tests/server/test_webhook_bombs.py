"""Malicious calls of webhooks against the program itself: others are answered, and nothing breaks."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import httpx
import pytest
from tests.support import flow_files as files
from tests.support.bombs.webhooks import BODIES, CHARSETS, FORMS, JSONS
from tests.support.forms import long_form
from tests.support.processes import Service

LONGEST = 8.0
"""Seconds within which others are answered on a busy machine; a body took 33."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("bombs") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def webhook(service: Service, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a published flow without a signature."""
    folder = tmp_path_factory.mktemp("flow")
    flow = files.write(folder / "flow.json", files.flow("Called", files.catch(), files.trimmed("x")))
    [made] = service.command("flow", "import", flow, "--publish", "--json").json
    address: str = service.command("flow", "show", made["id"], "--json").json["steps"][0]["webhookUrl"]
    return address


@contextmanager
def pinging(address: str) -> Iterator[list[float]]:
    """How long health checks of another client took meanwhile."""
    took: list[float] = []
    over = threading.Event()

    def ping() -> None:
        with httpx.Client(base_url=address, timeout=120) as client:
            while not over.is_set():
                began = time.monotonic()
                assert client.get("/healthcheck").status_code == 200
                took.append(time.monotonic() - began)
                over.wait(0.02)

    thread = threading.Thread(target=ping)
    thread.start()
    try:
        yield took
    finally:
        over.set()
        thread.join()


def fired(address: str, names: list[str]) -> dict[str, int]:
    with httpx.Client(timeout=120) as client:
        return {
            name: client.post(address, content=BODIES[name][1], headers=BODIES[name][0]).status_code
            for name in names
        }


def test_no_character_set_of_a_stranger_holds_up_others_or_breaks_anything(service, webhook):
    nowhere = webhook.rpartition("/")[0] + f"/{uuid4()}"

    with pinging(service.address) as took:
        unknown = fired(nowhere, ["charset punycode", "charset undefined"])
        known = fired(webhook, list(CHARSETS))

    assert set(unknown.values()) == {404}
    assert {name: status for name, status in known.items() if status >= 500} == {}
    assert known["charset punycode"] == known["charset undefined"] == known["charset zlib"] == 415
    assert max(took) < LONGEST


@long_form
def test_no_other_body_does_either(service, webhook):
    with pinging(service.address) as took:
        known = fired(webhook, [name for name in BODIES if name not in CHARSETS])

    assert {name: status for name, status in known.items() if status >= 500} == {}
    assert known["multipart without its end"] == known["multipart cut in a boundary"] == 400
    assert known["form of many fields"] == known["large json of empty objects"] == 400
    assert known["multipart with a file of 10 MB"] == 204
    assert max(took) < LONGEST


def test_bodies_of_strangers_to_the_interface_do_not_either(service):
    with pinging(service.address) as took:
        refused = fired(f"{service.address}/v1/folders", [*JSONS, *FORMS])

    assert {name: status for name, status in refused.items() if status not in (400, 401, 415)} == {}
    assert max(took) < LONGEST
