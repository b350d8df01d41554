"""What a sandbox finds on a computer, and how the processes it starts end."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from tests.support.patience import PATIENCE

from patchbay.domain.engine import IsolationKind
from patchbay.domain.errors import NotSupported
from patchbay.integration.sandbox import Program, Sandbox, bubblewrap, processes
from patchbay.integration.sandbox.bubblewrap import Launch
from patchbay.integration.sandbox.processes import run_process
from patchbay.integration.sandbox.program import Limits

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


async def test_a_cancellation_counts_also_if_the_process_can_not_be_started(tmp_path):
    missing = Launch((str(tmp_path / "missing"),))
    running = asyncio.create_task(run_process(missing, b"", Limits(), tmp_path, {}))
    await asyncio.sleep(0)

    running.cancel()

    with pytest.raises(asyncio.CancelledError) as cancelled:
        await running
    assert isinstance(cancelled.value.__cause__, OSError)


async def test_a_second_cancellation_closes_the_pipes_too(monkeypatch, tmp_path):
    transports, started = [], asyncio.Event()
    group_of = processes._process_group

    def remember(transport, limits):
        transports.append(transport)
        started.set()
        return group_of(transport, limits)

    monkeypatch.setattr(processes, "_process_group", remember)
    monkeypatch.setattr(processes._OutputCollector, "connection_lost", lambda self, exc: None)
    sleeper = Launch((sys.executable, "-c", "import time; time.sleep(60)"))
    running = asyncio.create_task(run_process(sleeper, b"", Limits(megabytes=4096), tmp_path, os.environ))
    async with asyncio.timeout(PATIENCE):
        await started.wait()

    running.cancel()
    await asyncio.sleep(0.05)  # it ended the process, and waits for its pipes
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert transports[0].is_closing()
