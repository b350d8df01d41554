"""Another program uses the port of this computer's workspace: the window knows which, and its own address."""

import socket
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from patchbay.bootstrap.local import open_and_run
from patchbay.bootstrap.opening_backend import OpeningBackend
from patchbay.bootstrap.window_listeners import WindowListeners
from patchbay.desktop.core.taken_port import TakenPort
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings

Open = Callable[[int, int | None], OpeningBackend]


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which another program listens."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Open]:
    made: list[OpeningBackend] = []
    passphrase = tmp_path / "passphrase"
    passphrase.touch(mode=0o600)
    passphrase.write_text("correct horse battery staple", encoding="utf-8")

    def open_workspace(port: int, webhook_port: int | None = None) -> OpeningBackend:
        settings = Settings()
        settings.service.port, settings.service.webhook_port = port, webhook_port
        paths = AppPaths.choose(tmp_path / "data")
        made.append(OpeningBackend(lambda: open_and_run(paths, settings, passphrase_file=str(passphrase))))
        return made[-1]

    yield open_workspace
    for backend in made:
        await backend.close()


async def test_the_taken_port_and_the_new_address_are_known(opened: Open, taken: int) -> None:
    backend = opened(taken, None)

    found = await WindowListeners(backend).taken_port()

    address = (await backend.info()).webhook_address
    assert address is not None
    assert not address.endswith(f":{taken}")
    assert found == TakenPort(taken, address)


async def test_with_two_ports_only_that_of_webhooks_counts(opened: Open, taken: int) -> None:
    backend = opened(0, taken)

    found = await WindowListeners(backend).taken_port()

    assert found == TakenPort(taken, (await backend.info()).webhook_address or "")


async def test_any_free_port_is_as_usual(opened: Open) -> None:
    assert await WindowListeners(opened(0, None)).taken_port() is None
