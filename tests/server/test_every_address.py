"""Every address: closed to who has no key, and to a person never a way to what is somebody else's."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel
from sqlalchemy import select
from tests.support.holdings import Holdings, furnish
from tests.support.workspace import House

from patchbay.domain.access import Scope
from patchbay.domain.organise import EDITOR, VIEWER
from patchbay.server.app import create_app
from patchbay.server.throttle import Throttle
from patchbay.storage.tables import metadata

OPEN = re.compile(
    r"/healthcheck|/openapi\.json|/docs(/.*)?|/apps/\{appKey\}/assets/icon\.svg|/webhooks/.*|/oauth/(callback|done)"
    r"|/accept-invitation"
)
"""What needs no key; each of these is looked at by tests of its own."""
ENDLESS = "/v1/events"
CHANGES_BY_ITSELF = {"audit", "api_key", "meta"}

Rows = dict[str, set[str]]


@dataclass(frozen=True)
class Address:
    """One address with one method, and the fields its body may have."""

    method: str
    path: str
    fields: tuple[str, ...]


def addresses(app: FastAPI) -> Iterator[Address]:
    """All that need a key."""
    for route in iter_route_contexts(app.routes):
        if OPEN.fullmatch(str(route.path)):
            continue
        field = getattr(route, "body_field", None)
        given = (field.field_info.annotation,) if field is not None else ()
        model = next((kind for one in given for kind in (one, *get_args(one)) if _is_model(kind)), None)
        names = tuple(item.alias or name for name, item in model.model_fields.items()) if model else ()
        for method in route.methods or ():
            yield Address(method, str(route.path), names)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def ids_of(of: Holdings) -> dict[str, str]:
    """What stands in paths, by name."""
    return {
        "flowId": of.flow.id, "executionId": of.run, "stepId": of.flow.steps[1].id, "folderId": of.folder.id,
        "connectionId": of.connection.id, "userId": of.flow.user_id,
    }  # fmt: skip


def body_for(address: Address, of: Holdings) -> dict[str, Any]:
    """Ids of this person wherever one can stand, beside what makes the body valid."""
    ids = ids_of(of)
    values = {
        **ids, "flowIds": [of.flow.id], "parentStepId": of.flow.steps[0].id, "afterStepId": ids["stepId"],
        "after": ids["stepId"], "inside": ids["stepId"], "name": "Mine", "screenName": "Mine",
        "fullName": "Mine", "formattedData": {}, "parameters": {}, "appKey": "desk", "key": "create",
        "active": True, "position": 2, "dynamicDataKey": "list", "dynamicFieldsKey": "list", "scope": "admin",
        "roleId": EDITOR.id, "email": "mine@example.org", "mailConnectionId": ids["connectionId"],
        "to": "sealed", "item": {}, "address": "http://127.0.0.1:9",
    }  # fmt: skip
    return {name: values[name] for name in address.fields if name in values}


def url(address: Address, ids: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: ids.get(found[1], str(uuid4())), address.path)


async def rows(house: House) -> Rows:
    """Everything that is stored, but what looking changes."""
    kept = [table for table in metadata.sorted_tables if table.name not in CHANGES_BY_ITSELF]
    return {
        table.name: await house.db.read(
            lambda tx, table=table: {repr(row) for row in tx.execute(select(table))}
        )
        for table in kept
    }


@pytest.fixture
async def app(house):
    here = house.backend
    made = create_app(
        here, house.engine, here.api_keys, version="1", callbacks=here, invited=here, self_test=here
    )
    made.state.throttle = Throttle(lambda: 0.0)
    return made


@pytest.fixture
async def ask(app):
    """Requests with a key, and the answer to each."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:

        async def asked(
            address: Address, target: str, key: str | None, body: Any = None, **query: str
        ) -> Any:
            headers = {} if key is None else {"x-api-token": key}
            return await client.request(
                address.method, target, headers=headers, json=body or None, params=query or None
            )

        yield asked


@pytest.fixture
async def eve(house):
    return await house.backend.create_user("Eve", "eve@example.org", EDITOR.id)


@pytest.fixture
async def others(house):
    (owner,) = [user for user in await house.backend.list_users() if user.full_name == "Owner"]
    return await furnish(house, owner, "Secretive")


async def _ended_keys(house: House) -> dict[str, str | None]:
    backend = house.backend
    gone = await backend.create_user("Gone", "gone@example.org", EDITOR.id)
    theirs = await backend.create_api_key("Of somebody who left", Scope.ADMIN, gone.id)
    revoked = await backend.create_api_key("Revoked")
    await backend.delete_user(gone.id)
    await backend.revoke_api_key(revoked.key.id)
    return {"none": None, "empty": "", "wrong": "0" * 96, "of somebody who left": theirs.value,
            "revoked": revoked.value, "an id": revoked.key.id, "a hint": revoked.key.hint}  # fmt: skip


async def test_without_a_key_that_holds_nothing_is_answered_and_nothing_done(app, ask, house, others):
    keys, before, told = await _ended_keys(house), await rows(house), {}
    walked = list(addresses(app))

    for address in walked:
        for name, key in keys.items():
            app.state.throttle = Throttle()
            answer = await ask(address, url(address, ids_of(others)), key, body_for(address, others))
            if answer.status_code != 401 or "Secretive" in answer.text:
                told[f"{name}: {address.method} {address.path}"] = answer.status_code

    assert len(walked) > 100
    assert told == {}
    assert await rows(house) == before


@pytest.mark.parametrize("role", [EDITOR, VIEWER])
async def test_no_address_shows_or_changes_what_is_somebody_elses(app, ask, house, eve, others, role):
    hers = await furnish(house, eve, "Her")
    await house.backend.update_user(eve.id, role_id=role.id)
    key = (await house.backend.create_api_key("Hers", Scope.ADMIN, eve.id)).value
    before, told = await rows(house), {}

    for address in addresses(app):
        if address.path == ENDLESS:
            continue
        foreign = ids_of(others)
        for target in (url(address, foreign), url(address, {**ids_of(hers), "userId": foreign["userId"]})):
            answer = await ask(address, target, key, body_for(address, others))
            if "Secretive" in answer.text or answer.status_code >= 500:
                told[f"{address.method} {target}"] = answer.text
        if address.method == "GET":
            answer = await ask(
                address, url(address, ids_of(hers)), key, **foreign, text="Secretive", name="S"
            )
            if "Secretive" in answer.text:
                told[f"{address.method} {address.path} with a filter"] = answer.text

    assert told == {}
    after = await rows(house)
    assert {
        name: lost for name, found in before.items() if (lost := _not_of(hers, found - after[name]))
    } == {}
    del after["execution_step"]  # parts of executions, which are looked at
    assert {name: new for name, found in after.items() if (new := _not_of(hers, found - before[name]))} == {}


async def test_the_search_finds_what_admins_are_shown(app, ask, house, others):
    key = (await house.backend.create_api_key("Sees everything", Scope.READ)).value
    looked = [item for item in addresses(app) if item.method == "GET" and item.path != ENDLESS]

    answers = [(await ask(item, url(item, ids_of(others)), key)).text for item in looked]

    assert sum("Secretive" in text for text in answers) >= 8


def _not_of(person: Holdings, found: set[str]) -> list[str]:
    """Rows that name neither this person nor their flow."""
    return [row for row in found if person.flow.user_id not in row and person.flow.id not in row]
