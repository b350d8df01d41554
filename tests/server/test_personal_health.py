"""The engine's status as users see it who aren't admins."""

import pytest
from sqlalchemy import update
from tests.support import patient
from tests.support.holdings import furnish

from patchbay.domain.access import Scope
from patchbay.domain.people import EDITOR
from patchbay.server import authorization
from patchbay.storage.tables import execution


@pytest.fixture
async def eve(runtime):
    return await runtime.backend.create_user("Eve", "eve@example.org", EDITOR.id)


async def _health(service, key: str):
    async with patient.AsyncClient(base_url=service.base_url, headers={"x-api-token": key}) as client:
        return (await client.get("/v1/health")).json()["data"]


async def test_failures_of_others_are_not_counted_for_her(runtime, service, eve, monkeypatch):
    monkeypatch.setattr(authorization, "midnight", lambda _: 0)
    (owner,) = [user for user in await runtime.backend.list_users() if user.full_name == "Owner"]
    runs = [(await furnish(runtime, person, person.full_name)).run for person in (eve, owner, owner)]
    await runtime.db.write(
        lambda tx: tx.execute(update(execution).where(execution.c.id.in_(runs)).values(status="failure"))
    )
    key = (await runtime.backend.create_api_key("Hers", Scope.READ, eve.id)).value

    hers, all_of_them = await _health(service, key), await _health(service, service.key)

    assert hers["failuresToday"] == 1
    assert (hers["finished"], hers["nextFlow"], hers["nextRunAt"]) == ({}, None, None)
    assert sum(all_of_them["finished"].values()) == 3
    assert hers["state"] == all_of_them["state"] == "running"


async def test_what_she_retried_or_tested_is_not_counted(runtime, service, eve, monkeypatch):
    monkeypatch.setattr(authorization, "midnight", lambda _: 0)
    failed, retry, test = [(await furnish(runtime, eve, f"Eve {n}")).run for n in range(3)]
    await _change(runtime, failed, status="failure")
    await _change(runtime, retry, status="failure", origin_id=failed, origin_kind="retry")
    await _change(runtime, test, status="failure", test_run=True)
    key = (await runtime.backend.create_api_key("Hers", Scope.READ, eve.id)).value

    hers, all_of_them = await _health(service, key), await _health(service, service.key)

    assert (hers["failuresToday"], hers["todaySince"]) == (1, 0)
    assert all_of_them["failuresToday"] == 1


async def _change(runtime, run: str, **values):
    await runtime.db.write(
        lambda tx: tx.execute(update(execution).where(execution.c.id == run).values(**values))
    )
