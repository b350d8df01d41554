"""`patchbay serve` and `doctor`."""

import argparse
import asyncio
import contextlib
import platform
import signal
from pathlib import Path
from typing import Any

from patchbay import __version__
from patchbay.bootstrap.local import Opened, open_local
from patchbay.cli import output
from patchbay.client.remote import RemoteBackend
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import AppError, Conflict, NotSupported
from patchbay.platform import lock
from patchbay.platform.keyring_home import SystemKeyring
from patchbay.platform.lock import Attachment, EngineLock
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.service.engine_settings import remembered
from patchbay.service.secret_store import SecretStore
from patchbay.service.vault import VaultState

INTERRUPTED = 130
_PAUSED = ", all runs are paused"
DOCTOR_WAIT = 3.0
"""How many seconds a look at the keyring or at the running engine may take."""


async def run(options: argparse.Namespace, paths: AppPaths) -> int:
    command = {"serve": _serve, "doctor": _doctor}[options.command]
    return await command(options, paths)


async def _serve(options: argparse.Namespace, paths: AppPaths) -> int:
    stop = _Stop()
    if options.workspace == "demo":
        from patchbay.bootstrap.demo import open_demo

        opened: Opened = await open_demo(paths, run=False)
    else:
        opened = await open_local(
            paths, SettingsFile(paths.settings).value, passphrase_file=options.passphrase_file,
            database=_database(options.database),
        )  # fmt: skip
    if opened.house is None:
        await opened.close()
        raise Conflict(
            "This data folder is already served.", meaning="A window or another service runs its flows.",
            todo="Use that one, or another folder with --data-dir.",
        )  # fmt: skip
    return await _serve_until(opened, options, stop)


async def _serve_until(opened: Opened, options: argparse.Namespace, stop: "_Stop") -> int:
    try:
        assert opened.house is not None
        await opened.house.start()
        address = await opened.listen(options.host, options.port, exactly=True)
        if options.host not in ("127.0.0.1", "localhost", "::1"):
            output.say(
                f"Warning: {options.host} can be reached by others and the connection is not encrypted."
            )
        print(f"listening on {address}", flush=True)
        code = await stop.wait()
    finally:
        await opened.close()
    return code


class _Stop:
    """Waits for SIGTERM (a system's wish: exit code 0) or Ctrl+C (interrupted: 130)."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._code: asyncio.Future[int] = self._loop.create_future()
        for number, code in ((signal.SIGTERM, 0), (signal.SIGINT, INTERRUPTED)):
            try:
                self._loop.add_signal_handler(number, self._set, code)
            except NotImplementedError:  # Windows has no loop handlers
                signal.signal(number, lambda *_, code=code: self._loop.call_soon_threadsafe(self._set, code))

    async def wait(self) -> int:
        """The exit code, once told to stop."""
        return await self._code

    def _set(self, code: int) -> None:
        if not self._code.done():
            self._code.set_result(code)


def _database(url: str | None) -> Path | None:
    if url is None:
        return None
    scheme, separator, rest = url.partition(":///")
    if scheme != "sqlite" or not separator or not rest:
        raise NotSupported(
            "Only SQLite databases can be served so far.", todo="Use --database sqlite:///path/to/file.db"
        )
    return Path(rest)


async def _doctor(options: argparse.Namespace, paths: AppPaths) -> int:
    """What is installed, where data is, keyring and engine state, database check, disk used."""
    found: dict[str, Any] = {
        "version": __version__,
        "python": platform.python_version(),
        "qt": _qt_version(),
        "dataFolder": str(paths.data),
        "settingsFile": str(paths.settings),
        "logFolder": str(paths.logs),
        "keyring": await SystemKeyring(wait_seconds=DOCTOR_WAIT).state(),
    }
    found |= await _workspace_facts(options, paths)
    found["diskUsed"] = sum(item.stat().st_size for item in paths.data.rglob("*") if item.is_file())
    text = "\n".join(f"{key:14} {value}" for key, value in found.items())
    output.data(found, as_json=options.json, text=text)
    return 0 if found["database"] in ("ok", "not created yet") else 1


async def _workspace_facts(options: argparse.Namespace, paths: AppPaths) -> dict[str, Any]:
    if not paths.database.exists():
        return {"engine": "stopped", "database": "not created yet"}
    engine_lock = EngineLock(paths.lock)
    if not engine_lock.acquire():
        running = lock.find(paths)
        where = await _running(running) if running else "running in another program"
        return {"engine": where, "database": await asyncio.to_thread(_soundness, paths.database)}
    engine_lock.release()
    try:
        opened = await open_local(paths, SettingsFile(paths.settings).value)
    except AppError as error:
        return {"engine": "stopped", "database": error.text()}
    try:
        assert opened.house is not None
        problems = await opened.house.db.integrity_check()
        state = await _secrets_state(opened.house.vault)
        _, paused = await remembered(opened.house.db)
    finally:
        await opened.close()
    return {
        "engine": "stopped" + (_PAUSED if paused else ""),
        "database": "ok" if not problems else f"damaged: {problems}",
        "secrets": state.value,
    }


async def _running(found: Attachment) -> str:
    """Where the engine runs, and whether it starts anything."""
    words = f"running at {found.address} (process {found.pid})"
    remote = RemoteBackend(found.address, found.token, timeout=DOCTOR_WAIT)
    try:
        paused = (await remote.health()).state is EngineState.PAUSED
    except AppError as problem:
        return f"{words}; it does not answer: {problem.text()}"
    finally:
        await remote.close()
    return words + (_PAUSED if paused else "")


async def _secrets_state(store: SecretStore) -> VaultState:
    """Whether secrets can be used; a keyring that asks for its password is not waited for."""
    try:
        async with asyncio.timeout(DOCTOR_WAIT):
            return await store.open()
    except TimeoutError:
        return VaultState.TIMED_OUT


def _soundness(database: Path) -> str:
    """What a check of the file finds, beside the program that has it open."""
    from patchbay.storage.integrity import check_file

    try:
        problems = check_file(database)
    except AppError as error:
        return error.text()
    return f"damaged: {', '.join(problems)}" if problems else "ok"


def _qt_version() -> str:
    with contextlib.suppress(ImportError):
        import PySide6

        return PySide6.__version__
    return "not installed"
