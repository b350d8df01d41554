"""What a sandbox finds on a computer, and how the processes it starts end."""

import asyncio
import sys
from pathlib import Path

import pytest

from patchbay.domain.engine import IsolationKind
from patchbay.domain.errors import NotSupported
from patchbay.integration.sandbox import Program, Sandbox, bubblewrap, processes

linux = pytest.mark.skipif(sys.platform != "linux", reason="programs are isolated on Linux only")


def fake_bwrap(folder: Path, said: str) -> str:
    file = folder / "bwrap"
    file.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    file.chmod(0o755)
    return str(folder)


@linux
@pytest.mark.parametrize(
    ("said", "told"),
    [
        (None, "Bubblewrap isn't installed. Install the package “bubblewrap” and restart Patchbay."),
        ("bwrap: No permissions to create new namespace", "must allow user namespaces"),
        ("bwrap: Unknown option --size", "Install bubblewrap 0.8 or newer"),
    ],
)
async def test_without_isolation_the_reason_is_reported(said, told, tmp_path):
    sandbox = Sandbox(search="" if said is None else fake_bwrap(tmp_path, said))

    found = await sandbox.prepare()

    assert found.kind is IsolationKind.NONE
    assert told in found.detail
    assert said is None or said in found.detail


async def isolating() -> Sandbox:
    """The sandbox of this computer, where it isolates programs."""
    sandbox = Sandbox()
    found = await sandbox.prepare()
    if not found.isolates_programs:
        pytest.skip(f"no isolation on this computer: {found.detail}")
    return sandbox


@pytest.mark.parametrize("said", ["bwrap: ", "setpriv: "])
async def test_a_program_that_prints_what_its_launcher_would_has_run(said):
    sandbox = await isolating()
    words = ("/bin/sh", "-c", f"echo '{said}no' >&2; exit 3")

    ended = await sandbox.run(Program(command=words), b"")

    assert (ended.code, ended.printed) == (3, f"{said}no\n".encode())


async def test_an_isolated_program_that_cant_be_started_is_reported(monkeypatch):
    sandbox = await isolating()
    monkeypatch.setattr(bubblewrap, "_namespaces", lambda program: ["--ro-bind", "/missing", "/missing"])

    with pytest.raises(NotSupported, match="its sandbox couldn't be started \\(bwrap: "):
        await sandbox.run(Program(command=("/bin/true",)), b"")


@pytest.mark.parametrize("code", [1, 126, 127])
async def test_a_program_that_ends_as_setpriv_does_has_run(code):
    sandbox = await isolating()
    words = ("/bin/sh", "-c", f"echo 'setpriv: failed to execute sh' >&2; exit {code}")

    ended = await sandbox.run(Program(command=words), b"")

    assert (ended.code, ended.printed) == (code, b"setpriv: failed to execute sh\n")


async def test_a_failure_of_setpriv_is_distinguished_from_one_of_the_program(monkeypatch):
    sandbox = await isolating()
    words = ["/bin/sh", "-c", "echo 'setpriv: failed to execute python: No such file' >&2; exit 127"]
    monkeypatch.setattr(bubblewrap.Bubblewrap, "_change_user", lambda self, user: words)

    with pytest.raises(NotSupported, match="couldn't be started \\(setpriv: failed to execute") as told:
        await sandbox.run(Program(command=("/bin/true",)), b"")

    assert "patchbay doctor" in told.value.todo


@linux
async def test_a_process_that_cant_be_watched_is_ended(monkeypatch):
    transports = list[asyncio.SubprocessTransport]()

    def fail(transport, limits):
        transports.append(transport)
        raise OSError("no job object")

    monkeypatch.setattr(processes, "_process_group", fail)

    with pytest.raises(OSError, match="no job object"):
        await Sandbox(search="").run(Program(command=("/bin/sleep", "3600")), b"")

    assert transports[0].is_closing()
    async with asyncio.timeout(10):
        while transports[0].get_returncode() is None:  # noqa: ASYNC110  a closed transport tells nobody
            await asyncio.sleep(0.01)
