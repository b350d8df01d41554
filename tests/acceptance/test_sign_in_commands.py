"""`patchbay connection add` for apps that are connected in the browser."""

import asyncio
import json
import re
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.forms import long_form
from tests.support.oidc_provider import Browser, OidcProvider, oidc_provider
from tests.support.patience import STARTING
from tests.support.processes import Process, Service, program, run, until


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with oidc_provider() as running:
        yield running


@pytest.fixture
def own_folder(tmp_path) -> list[str]:
    """Global options for a folder of its own, with a passphrase vault and a port that is free."""
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("correct horse\n")
    passphrase.chmod(0o600)
    data = tmp_path / "data"
    data.mkdir()
    (data / "settings.toml").write_text('[service]\nport = 0\n\n[secrets]\nhome = "passphrase"\n')
    return ["--data-dir", str(data), "--passphrase-file", str(passphrase)]


def add(provider: OidcProvider, **changes: str) -> list[str]:
    fields = [f"--field={key}={value}" for key, value in provider.connection(**changes).items()]
    return ["connection", "add", "--app", "http", *fields, "--json"]


class Command:
    """A command that waits for a browser. `said` is what it says before it waits."""

    def __init__(self, words: list[str], errors: Path) -> None:
        self._process, self.said = Process(words, errors), ""

    @property
    def address(self) -> str:
        """The page it wants opened."""
        return re.search(r"http\S+", self.said)[0]

    def wait_for_browser(self) -> None:
        process = self._process
        until(lambda: "Waiting…" in process.said or process.popen.poll() is not None, STARTING)
        self.said, waiting, _ = process.said.partition("Waiting…")
        assert waiting, self.said

    async def interrupt(self) -> tuple[int, str, str]:
        self._process.popen.send_signal(signal.SIGINT)
        return await self.end()

    async def end(self) -> tuple[int, str, str]:
        """Its exit code, its result and what it said after it waited."""
        code = await asyncio.to_thread(self._process.popen.wait, STARTING)
        assert self._process.popen.stdout is not None
        out = self._process.popen.stdout.read().decode()
        return code, out, self._process.said.partition("Waiting…\n")[2]

    def kill(self) -> None:
        self._process.kill()


@asynccontextmanager
async def waiting(words: list[str]) -> AsyncIterator[Command]:
    with tempfile.TemporaryDirectory() as folder:
        command = Command(words, Path(folder) / "errors")
        try:
            await asyncio.to_thread(command.wait_for_browser)
            yield command
        finally:
            command.kill()


@long_form
async def test_a_command_tells_the_address_and_waits_for_the_browser(own_folder, provider):
    async with waiting(program(*own_folder, *add(provider))) as command, Browser() as browser:
        page = await browser.sign_in(command.address)
        code, out, err = await command.end()

    assert (code, err) == (0, "")
    assert json.loads(out)["health"] == "valid"
    assert page.status_code == 200
    listed = run(program(*own_folder, "connection", "list", "--json")).json
    assert [item["screenName"] for item in listed] == ["Ada"]


@long_form
async def test_a_command_uses_the_service_that_is_running(tmp_path, own_folder, provider):
    with Service(tmp_path / "data", *own_folder[2:]) as service:
        async with waiting(program(*own_folder, *add(provider))) as command, Browser() as browser:
            page = await browser.sign_in(command.address)
            code, out, _ = await command.end()
        tested = service.command("connection", "test", json.loads(out)["id"], "--json")

    assert code == 0
    assert str(page.url).startswith(service.address)
    assert tested.json["health"] == "valid"


@long_form
async def test_a_refusal_is_reported_and_leaves_nothing(own_folder, provider):
    async with waiting(program(*own_folder, *add(provider))) as command, Browser() as browser:
        await browser.refuse(command.address)
        code, out, err = await command.end()

    assert (code, out) == (1, "")
    assert "End-User aborted interaction" in err
    assert run(program(*own_folder, "connection", "list", "--json")).json == []


@long_form
async def test_an_interrupted_wait_is_given_up(own_folder, provider):
    async with waiting(program(*own_folder, *add(provider))) as command:
        code, _, err = await command.interrupt()

    assert (code, err) == (130, "")


@long_form
async def test_a_code_is_reported_where_the_service_wants_one(own_folder, provider):
    words = add(provider, kind="device", deviceUrl=f"{provider.address}/device/auth")
    async with waiting(program(*own_folder, *words)) as command:
        await command.interrupt()

    assert command.address == f"{provider.address}/device"
    assert re.search(r"code [A-Z]{4}-[A-Z]{4}:", command.said)


@long_form
async def test_a_port_that_is_taken_is_reported(own_folder, provider, tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        settings = tmp_path / "data" / "settings.toml"
        settings.write_text(settings.read_text().replace("port = 0", f"port = {port}"))
        async with waiting(program(*own_folder, *add(provider))) as command:
            await command.interrupt()

    assert f"Port {port} is used by another program" in command.said
