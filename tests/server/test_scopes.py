"""A key may do what its scope says, on every address of the interface."""

import re
from dataclasses import dataclass
from uuid import uuid4

import httpx
import pytest
from fastapi.routing import iter_route_contexts
from tests.support import patient

from patchbay.domain.access import Scope
from patchbay.domain.audit_log import ActorKind, AuditFilter
from patchbay.domain.paging import PageRequest
from patchbay.server.app import create_app
from patchbay.server.authentication import required_scope

READING_POSTS = {
    ("POST", "/v1/flows/activity"),
    ("POST", "/v1/flows/{flowId}/export"),
    ("POST", "/v1/flows/{flowId}/schedule-preview"),
}
FOR_ADMINS = re.compile(
    r"/v1/(api-keys|audit|engine|storage|service|address-test)(/|$)|/v1/secrets/"
    r"|/user-invitations(/|$)"
)
"""Whatever is done there, reading too."""


@dataclass(frozen=True)
class Offer:
    """One address of the interface with one method."""

    method: str
    path: str
    needed: Scope

    @property
    def url(self) -> str:
        return re.sub(r"\{\w+\}", lambda _: str(uuid4()), self.path)


@pytest.fixture
async def open_app(runtime):
    return create_app(runtime.backend, runtime.engine, runtime.backend.api_keys, version="1")


@pytest.fixture
def offers(open_app):
    """Everything a key is needed for, but the endless events."""
    return [
        Offer(method, str(route.path), required_scope(route.endpoint, method))
        for route in iter_route_contexts(open_app.routes)
        if re.match("/(v1|users|user-invitations)(/|$)", str(route.path)) and route.path != "/v1/events"
        for method in route.methods or ()
    ]


async def _answers(app, runtime, scope: Scope, offers: list[Offer]) -> dict[tuple[str, str], int]:
    value = (await runtime.backend.create_api_key(f"{scope} key", scope)).value
    transport = httpx.ASGITransport(app)
    async with patient.AsyncClient(
        transport=transport, base_url="http://here", headers={"x-api-token": value}
    ) as client:
        return {
            (offer.method, offer.path): (await client.request(offer.method, offer.url)).status_code
            for offer in offers
        }


def _plan(offer: Offer) -> Scope:
    """The rule in words: people, keys and settings are for admins, looking is reading, the rest working."""
    where = offer.method, offer.path
    if FOR_ADMINS.search(offer.path):
        return Scope.ADMIN
    if offer.method != "GET" and re.search(r"/users(/\{userId\})?$", offer.path):
        return Scope.ADMIN
    return Scope.READ if offer.method == "GET" or where in READING_POSTS else Scope.OPERATE


def test_every_address_needs_the_scope_of_the_plan(offers):
    assert len(offers) > 80
    assert {(o.method, o.path): o.needed for o in offers} == {(o.method, o.path): _plan(o) for o in offers}


@pytest.mark.parametrize("scope", list(Scope))
async def test_a_key_is_stopped_exactly_where_its_scope_ends(open_app, runtime, offers, scope):
    harmless = [offer for offer in offers if not scope.allows(offer.needed) or offer.method != "POST"]

    answered = await _answers(open_app, runtime, scope, harmless)

    refused = {where for where, status in answered.items() if status == 403}
    assert refused == {(offer.method, offer.path) for offer in harmless if not scope.allows(offer.needed)}
    assert not [where for where, status in answered.items() if status in (401, 429) or status >= 500]


async def test_a_refusal_says_what_is_needed(service, runtime):
    value = (await runtime.backend.create_api_key("Dashboard", Scope.READ)).value
    async with patient.AsyncClient(base_url=service.base_url, headers={"x-api-token": value}) as client:
        answer = await client.post("/v1/folders", json={"name": "Work"})

    assert answer.status_code == 403
    words = answer.json()["errors"]["general"][0]
    assert "Dashboard" in words
    assert "“read”" in str(answer.json())
    assert "“operate”" in str(answer.json())
    assert await runtime.backend.list_folders() == ()


async def test_what_a_key_did_is_in_the_audit_log_with_its_name_and_address(service, caller, runtime):
    await caller.post("/v1/folders", json={"name": "Work"})
    await runtime.backend.create_folder("Not over HTTP")

    own, asked = (await runtime.backend.audit_log(AuditFilter(), PageRequest())).items

    assert (asked.actor.kind, asked.actor.name, asked.actor.address) == (
        ActorKind.KEY,
        "contract",
        "127.0.0.1",
    )
    assert own.actor.kind is ActorKind.PROGRAM


async def test_keys_are_managed_over_http_and_shown_once(caller, stranger):
    made = await caller.post("/v1/api-keys", json={"name": "Laptop", "scope": "read"})
    value = made.json()["meta"]["value"]
    listed = await caller.get("/v1/api-keys")
    before = await stranger.get("/v1/flows", headers={"x-api-token": value})
    await caller.delete(f"/v1/api-keys/{made.json()['data']['id']}")
    after = await stranger.get("/v1/flows", headers={"x-api-token": value})

    assert made.status_code == 201
    assert made.json()["data"]["scope"] == "read"
    assert value not in listed.text
    assert (before.status_code, after.status_code) == (200, 401)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": " "}, 422),
        ({}, 422),
        ({"name": "x", "scope": "root"}, 422),
        ({"name": "x", "userId": str(uuid4())}, 404),
    ],
)
async def test_a_key_that_makes_no_sense_is_not_made(caller, body, status):
    assert (await caller.post("/v1/api-keys", json=body)).status_code == status
