"""A window takes over the engine of a program that ends, and hands its own over to a server that asks.

The programs are workspaces of this process: the locks keep them apart as they do with processes
(`tests/acceptance/test_taking_over.py` has those).
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from patchbay.bootstrap import attachment
from patchbay.bootstrap.listen_options import listen_options_from
from patchbay.bootstrap.local import LocalWorkspace, open_and_run, open_local
from patchbay.bootstrap.opening_backend import OpeningBackend
from patchbay.desktop.core.services import EngineOwner
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import AppError
from patchbay.platform.engine_lock import EngineRole, find_attachment
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings

PATIENCE = 60.0


class Programs:
    """The programs on one data folder."""

    def __init__(self, root: Path) -> None:
        self.paths = AppPaths.choose(root / "data")
        self._passphrase = root / "passphrase"
        self._passphrase.touch(mode=0o600)
        self._passphrase.write_text("correct horse battery staple", encoding="utf-8")
        self._settings = Settings()
        self._settings.service.port = 0
        self._ends: list[Callable[[], Awaitable[None]]] = []
        self.owners: list[EngineOwner] = []

    async def window(self) -> OpeningBackend:
        opened = OpeningBackend(self._open_window, self.owners.append)
        self._ends.append(opened.close)
        await opened.opened()
        return opened

    async def serve(self) -> LocalWorkspace:
        opened = await open_local(
            self.paths, self._settings, passphrase_file=str(self._passphrase), take_over=True
        )
        self._ends.append(opened.close)
        assert opened.runtime is not None
        await opened.runtime.start()
        await opened.listen(listen_options_from(self._settings.service), require_port=True)
        return opened

    async def close(self) -> None:
        for end in reversed(self._ends):
            await end()

    async def _open_window(self) -> LocalWorkspace:
        return await open_and_run(self.paths, self._settings, passphrase_file=str(self._passphrase))


@pytest.fixture
async def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Programs]:
    for name in ("CHECK_SECONDS", "RESTART_SECONDS", "_VACANT_CHECK_SECONDS"):
        monkeypatch.setattr(attachment, name, 0.01)
    opened = Programs(tmp_path)
    yield opened
    await opened.close()


async def runs_here(window: OpeningBackend, here: bool = True) -> None:
    """Wait until the window runs the engine itself, or shows that of another program."""
    wanted, kind = "local" if here else "remote", ""
    async with asyncio.timeout(PATIENCE):
        while kind != wanted:
            await asyncio.sleep(0.01)
            with contextlib.suppress(AppError):  # the other program is just ending
                kind = (await window.info()).kind


async def test_a_window_takes_over_from_a_window_that_ends(programs):
    first, second = await programs.window(), await programs.window()
    await runs_here(second, False)

    await first.close()

    await runs_here(second)
    assert (await second.health()).state is EngineState.RUNNING
    assert programs.owners == [EngineOwner.NONE, EngineOwner.THIS_WINDOW]


async def test_a_window_takes_over_from_a_server_that_does_not_come_back(programs):
    served = await programs.serve()
    window = await programs.window()
    await runs_here(window, False)

    await served.close()

    await runs_here(window)
    assert find_attachment(programs.paths).role is EngineRole.WINDOW


async def test_a_window_hands_its_engine_over_to_a_server_and_goes_on_as_its_client(programs):
    window = await programs.window()
    await runs_here(window)
    seen = asyncio.create_task(anext(window.changes()))

    served = await programs.serve()

    await runs_here(window, False)
    assert find_attachment(programs.paths).role is EngineRole.SERVICE
    assert programs.owners == [EngineOwner.ANOTHER_PROGRAM]
    assert (await seen).noun.value == "workspace"
    assert not programs.paths.engine_request_file.exists()
    await served.close()
    await runs_here(window)


async def test_a_request_of_a_server_that_was_killed_is_ignored(programs):
    programs.paths.prepare()
    programs.paths.engine_request_file.write_text("{}", encoding="utf-8")

    window = await programs.window()

    await runs_here(window)
    file, is_left = programs.paths.engine_request_file, True
    async with asyncio.timeout(PATIENCE):
        while is_left:
            await asyncio.sleep(0.01)
            is_left = await asyncio.to_thread(file.exists)
    assert programs.owners == []


async def test_a_second_server_does_not_ask_the_first(programs):
    await programs.serve()

    opened = await open_local(programs.paths, Settings(), take_over=True)

    assert opened.runtime is None
    await opened.close()


async def test_a_server_gives_up_on_a_window_that_keeps_its_engine(programs, monkeypatch):
    await programs.window()
    monkeypatch.setattr("patchbay.bootstrap.local.HAND_OVER_SECONDS", 0.0)
    monkeypatch.setattr("patchbay.bootstrap.local.HandOverRequest.write", lambda _: None)

    opened = await open_local(programs.paths, Settings(), take_over=True)

    assert opened.runtime is None
    await opened.close()
