from collections.abc import Callable
from typing import Any, TypeVar, TypeVarTuple

import pytest
from tests.support.storage_rows import NOW

from patchbay.demo.blueprint import load_json
from patchbay.demo.history import build_workspace
from patchbay.demo.offline import DemoServices
from patchbay.demo.transport import DemoTransport
from patchbay.domain.base import AppKey, JsonObject
from patchbay.integration.context import Context, CurrentAuth, CurrentStep
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.outgoing_addresses import OutgoingGuard
from patchbay.integration.registry import AppRegistry, listed_built_in_apps
from patchbay.integration.workers import WorkerLimits, Workers
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.storage.database import Database

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


@pytest.fixture
def open_demo(tmp_path):
    """Builds a demo workspace in a file of its own; gives its database and vault."""

    async def build_one(name, *, now=NOW, seed=1, **more):
        db = await Database.open(tmp_path / f"{name}.db")
        vault = SecretEncryption(db, MemoryKeyStore(), lambda: now)
        await build_workspace(db, now, vault.seal, seed=seed, **more)
        return db, vault

    return build_one


@pytest.fixture(scope="session")
def apps():
    return AppRegistry(listed_built_in_apps())


@pytest.fixture
async def http():
    network = OutgoingGuard(offline=DemoServices(lambda: NOW))
    factory = HttpFactory(DemoTransport(lambda: NOW, delay_factor=0), network=network)
    yield factory
    await factory.aclose()


class SameProcess(Workers):
    """Calls functions here: starting a process for each test takes long on a busy computer."""

    async def run(
        self,
        function: Callable[[*Ts], T],
        *arguments: *Ts,
        limits: WorkerLimits = WorkerLimits(),  # noqa: B008  # as in the base class
        owner: str = "",
    ) -> T:
        return function(*arguments)


@pytest.fixture
def context(apps, http):
    """Makes the context of a call of an app, with the demo's account there."""

    def make(app_key: AppKey, parameters: JsonObject | None = None, **credentials: Any) -> Context:
        account = load_json("accounts").get(app_key, {"shown": {}, "stored": {}})
        data = {"screenName": "Anna", **account["shown"], **account["stored"], **credentials}
        return Context(
            app=apps.get(app_key),
            auth=CurrentAuth(data=data),
            step=CurrentStep(app_key=app_key, parameters=parameters or {}),
            http_factory=http,
            workers=SameProcess(),
            now=NOW,
        )

    return make
