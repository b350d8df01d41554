"""What a workspace reports about its keyring while it starts."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from patchbay.bootstrap import local, workspace_runtime
from patchbay.bootstrap.local import LocalWorkspace, open_local
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import SecretsUnavailable
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings
from patchbay.platform.system_keyring import SystemKeyring
from patchbay.service.secret_store import SecretStore

CHECK_SECONDS = 0.2


class StartingKeyring:
    """A keyring that responds once `started` is set, with an error as long as `fails`."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.fails = False

    def get_password(self, service: str, name: str) -> str | None:
        self.started.wait(30)
        if self.fails:
            raise OSError("not yet")
        return None

    def set_password(self, service: str, name: str, value: str) -> None:
        raise NotImplementedError

    def delete_password(self, service: str, name: str) -> None:
        raise NotImplementedError


@pytest.fixture
def keyring() -> StartingKeyring:
    return StartingKeyring()


@pytest.fixture
async def opened(
    tmp_path: Path, keyring: StartingKeyring, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[LocalWorkspace]:
    store = SystemKeyring(backend=keyring)

    async def read_item(secrets: SecretStore) -> bool:
        """Read something in any case: a workspace without secrets needs nothing of the keyring."""
        try:
            await store.get("anything")
        except SecretsUnavailable as problem:
            secrets._problem = problem
            raise
        return True

    monkeypatch.setattr(local, "choose_key_store", lambda *_: store)
    monkeypatch.setattr(SecretStore, "recover", read_item)
    monkeypatch.setattr(workspace_runtime, "SECRETS_CHECK_SECONDS", CHECK_SECONDS)
    workspace = await open_local(AppPaths.choose(tmp_path), Settings())
    assert workspace.runtime is not None
    await workspace.runtime.start()
    try:
        yield workspace
    finally:
        keyring.started.set()
        await workspace.close()


async def test_nothing_is_said_about_a_keyring_that_still_starts_but_that_it_is_waited_for(
    opened: LocalWorkspace, keyring: StartingKeyring
) -> None:
    before = await opened.backend.info()
    keyring.started.set()
    assert opened.runtime is not None
    await opened.runtime.secrets_opened()
    after = await opened.backend.info()

    assert (before.secrets_waiting, before.secrets_problem) == (True, None)
    assert (after.secrets_waiting, after.secrets_problem) == (False, None)


async def test_a_keyring_that_works_soon_after_it_failed_is_announced(
    opened: LocalWorkspace, keyring: StartingKeyring
) -> None:
    keyring.fails = True
    keyring.started.set()
    runtime = opened.runtime
    assert runtime is not None
    await runtime.secrets_opened()
    assert (await opened.backend.info()).secrets_problem is not None

    changes = opened.backend.changes()
    keyring.fails = False
    await runtime.secret_store.open()

    async with asyncio.timeout(30):
        while (await anext(changes)).noun is not ResourceType.WORKSPACE:
            pass
    assert (await opened.backend.info()).secrets_problem is None
