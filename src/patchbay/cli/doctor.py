"""`patchbay doctor`: checks the installation, the data folder, and where credentials are stored."""

import argparse
import asyncio
import contextlib
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patchbay import __version__
from patchbay.bootstrap.key_store import choose_key_store
from patchbay.bootstrap.local import open_local
from patchbay.bootstrap.repair import repair_database
from patchbay.bootstrap.workspace_location import recorded_server
from patchbay.cli import output
from patchbay.cli.database_option import DatabaseArguments, database_arguments
from patchbay.client.remote import RemoteBackend
from patchbay.domain.apps import AppInfo
from patchbay.domain.backups import BackupInterval
from patchbay.domain.clock import format_local_time
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import AppError
from patchbay.domain.ports import KeyStoreKind
from patchbay.integration.sandbox import Sandbox
from patchbay.platform import engine_lock as lock
from patchbay.platform.backup_state import read_backup_status
from patchbay.platform.engine_lock import Attachment, EngineLock
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.platform.system_keyring import SystemKeyring
from patchbay.service.data_key_store import DataKeyStore
from patchbay.service.engine_settings import load_engine_state
from patchbay.service.key_stores import SecretsStatus
from patchbay.service.secret_store import SecretStore

if TYPE_CHECKING:
    from patchbay.storage.integrity import SchemaDifference

_PAUSED = ", all runs are paused"
_NO_SERVER = "no server is running in this data folder"
_UNUSABLE = "unusable"
_OK = "ok"
_NOT_CREATED = "not created yet"
_ELSEWHERE = "not in the data folder"
_CHECK_ELSEWHERE = "to check it, name it with --database"
_RUNS_NOTHING = ", runs nothing (--no-runs)"
_LABELS = {
    "version": "Patchbay",
    "python": "Python",
    "qt": "Qt",
    "dataFolder": "Data folder",
    "settingsFile": "Settings file",
    "logFolder": "Log folder",
    "keyring": "System keyring",
    "programs": "Programs",
    "engine": "Engine",
    "repair": "Repair",
    "database": "Database",
    "schema": "Database schema",
    "lost": "Lost changes",
    "secretsHome": "Key store",
    "secrets": "Credentials",
    "secretsProblem": "Problem",
    "apps": "Apps",
    "backups": "Backups",
    "diskUsed": "Disk usage",
}
"""What the report calls each result. The keys are those of `--json`."""
_SECRETS_TEXTS = {
    "ok": "can be decrypted",
    "empty": "none stored yet",
    "no_keyring": "can't be stored without a key store",
    "not_created": "can't be stored until the passphrase vault is created",
    "locked": "locked",
    "timed_out": "unavailable: the key store didn't respond in time",
    "key_not_found": "can't be decrypted: the encryption key is missing",
    "key_wrong": "can't be decrypted: the encryption key is wrong",
}
_FAILED_STATES = (SecretsStatus.KEY_NOT_FOUND, SecretsStatus.KEY_WRONG)
CHECK_TIMEOUT_SECONDS = 3.0
"""Timeout for the keyring and for a request to the running engine."""


async def run(options: argparse.Namespace, paths: AppPaths) -> int:
    """Print versions, folders, keyring and engine state, the database check, and disk usage.

    The exit code is 1 if the database is damaged, credentials can't be used, or an app can't be loaded.
    """
    found: dict[str, Any] = {
        "version": __version__,
        "python": platform.python_version(),
        "qt": _qt_version(),
        "dataFolder": str(paths.data),
        "settingsFile": str(paths.settings),
        "logFolder": str(paths.logs),
        "keyring": await _keyring_state(options, paths),
        "programs": (await Sandbox().prepare()).summary,
    }
    if options.repair:
        found["repair"] = (await asyncio.to_thread(repair_database, paths)).text()
    found |= await _workspace_facts(options, paths)
    found["backups"], is_backed_up = await asyncio.to_thread(_backups_text, paths)
    found["diskUsed"] = sum(item.stat().st_size for item in paths.data.rglob("*") if item.is_file())
    usable = not str(found.get("schema", "")).startswith(_UNUSABLE)
    is_database_whole = found["database"] in (_OK, _NOT_CREATED) or found["database"].startswith(_ELSEWHERE)
    whole = is_database_whole and usable and "lost" not in found
    is_usable = not found.get("secretsFailed", False) and found.get("apps", _OK) == _OK
    is_healthy = whole and is_backed_up and is_usable
    found.pop("secretsFailed", None)
    output.data(found, as_json=options.json, text=_report(found))
    return 0 if is_healthy else 1


def _report(found: dict[str, Any]) -> str:
    """One line per result, with its label. A problem that two results share is printed once."""
    shown = found | {"diskUsed": output.format_size(found["diskUsed"])}
    if "secrets" in found:
        shown["secrets"] = _SECRETS_TEXTS.get(found["secrets"], found["secrets"])
    if found.get("secretsProblem") == found["keyring"]:
        del shown["secretsProblem"]
        shown["secrets"] += f": see {_LABELS['keyring']}"
    return "\n".join(f"{_LABELS[key]:16} {value}" for key, value in shown.items())


async def _keyring_state(options: argparse.Namespace, paths: AppPaths) -> str:
    """Which keyring is available, or that a passphrase vault is used instead."""
    key_store = choose_key_store(paths, SettingsFile(paths.settings).value, options.passphrase_file)
    if isinstance(key_store, DataKeyStore):
        return f"not used: keys are derived from the data key with the fingerprint {key_store.fingerprint}"
    if key_store.kind is not KeyStoreKind.SYSTEM_KEYRING:
        return f"not used: credentials are stored in the passphrase vault {paths.vault}"
    return await SystemKeyring(timeout_seconds=CHECK_TIMEOUT_SECONDS).state()


async def _workspace_facts(options: argparse.Namespace, paths: AppPaths) -> dict[str, Any]:
    chosen = database_arguments(options)
    if chosen["database"] is not None:
        return await _chosen_database_facts(options, paths, chosen)
    url = recorded_server(paths)
    if url is not None or not (paths.database.exists() or paths.pending_restore.exists()):
        return await _facts_without_file(paths, url)
    engine_lock = EngineLock(paths.lock, paths.database)
    if not engine_lock.acquire():
        running = lock.find_attachment(paths)
        facts = await _running_engine_facts(running) if running else {"engine": "running in another program"}
        return facts | await asyncio.to_thread(_file_facts, paths.database)
    engine_lock.release()
    try:
        opened = await open_local(
            paths, SettingsFile(paths.settings).value, passphrase_file=options.passphrase_file
        )
    except AppError as error:
        found = await asyncio.to_thread(_file_facts, paths.database)
        return {"engine": "stopped", **found, "database": _database_problem(error)}
    try:
        assert opened.runtime is not None
        secrets = await _secrets_facts(
            opened.runtime.secret_store, opened=options.passphrase_file is not None
        )
        apps = _apps_text(await opened.backend.list_apps())
        _, paused = await load_engine_state(opened.runtime.db)
        found = await asyncio.to_thread(_file_facts, paths.database)
    finally:
        await opened.close()
    return {"engine": "stopped" + (_PAUSED if paused else ""), **found, **secrets, "apps": apps}


async def _facts_without_file(paths: AppPaths, url: str | None) -> dict[str, Any]:
    """The facts if the folder has no database: a server may run in it with a database elsewhere.

    `url` is the address of that database, if the folder has a record of it.
    """
    where = (
        f"{_ELSEWHERE}; {_CHECK_ELSEWHERE}"
        if url is None
        else f"{_ELSEWHERE} but in {url}; {_CHECK_ELSEWHERE}"
    )
    engine_lock = EngineLock(paths.lock, None)
    if engine_lock.acquire():
        engine_lock.release()
        if url is None:
            return {"engine": "stopped", "database": _NOT_CREATED}
        return {"engine": _NO_SERVER, "database": where}
    running = lock.find_attachment(paths)
    facts = await _running_engine_facts(running) if running else {"engine": "running in another program"}
    return {"database": where, **facts}


async def _chosen_database_facts(
    options: argparse.Namespace, paths: AppPaths, chosen: DatabaseArguments
) -> dict[str, Any]:
    """The facts if `--database` names another database than that of the folder."""
    settings = SettingsFile(paths.settings).value
    try:
        opened = await open_local(paths, settings, passphrase_file=options.passphrase_file, **chosen)
    except AppError as error:
        return {"engine": "stopped", "database": _database_problem(error)}
    try:
        if opened.runtime is None:
            running = lock.find_attachment(paths)
            facts = await _running_engine_facts(running) if running else {"engine": "running"}
            return {"database": _OK, **facts}
        has_passphrase = options.passphrase_file is not None
        secrets = await _secrets_facts(opened.runtime.secret_store, opened=has_passphrase)
        apps = _apps_text(await opened.backend.list_apps())
        _, paused = await load_engine_state(opened.runtime.db)
        damage = ", ".join(await opened.runtime.db.integrity_check())
    finally:
        await opened.close()
    state = f"damaged: {damage}" if damage else _OK
    # Other programs may run the flows of a server's database.
    engine = "stopped" if opened.runtime.db.peers is None else _NO_SERVER
    return {"engine": engine + (_PAUSED if paused else ""), "database": state, **secrets, "apps": apps}


async def _running_engine_facts(found: Attachment) -> dict[str, Any]:
    """Where the engine runs, whether runs are paused, and whether it can use credentials."""
    running_at = f"running at {found.address} (process {found.pid})"
    remote = RemoteBackend(found.address, found.token, timeout=CHECK_TIMEOUT_SECONDS)
    try:
        health = await remote.health()
        info = await remote.info()
        apps = _apps_text(await remote.list_apps())
    except AppError as problem:
        return {"engine": f"{running_at}; it doesn't respond: {problem.text()}"}
    finally:
        await remote.close()
    facts: dict[str, Any] = {
        "engine": running_at
        + ("" if health.runs_flows else _RUNS_NOTHING)
        + (_PAUSED if health.state is EngineState.PAUSED else ""),
        "secretsHome": info.secrets_name,
        "apps": apps,
    }
    if info.secrets_problem is None:
        return facts | {"secrets": "waiting for the keyring" if info.secrets_waiting else "ok"}
    failed = info.secrets_name == KeyStoreKind.PASSPHRASE_VAULT
    return facts | {
        "secrets": "unavailable",
        "secretsProblem": info.secrets_problem,
        "secretsFailed": failed,
    }


def _apps_text(apps: Sequence[AppInfo]) -> str:
    broken = ", ".join(app.key for app in apps if app.broken)
    return f"can't be loaded: {broken}. See why with: patchbay app show KEY" if broken else _OK


async def _secrets_facts(store: SecretStore, *, opened: bool) -> dict[str, Any]:
    """Whether credentials can be used, and why not. Doesn't wait for a keyring that prompts for its password.

    `opened`: a passphrase was given. Without one, a vault that is locked or doesn't exist isn't a failure.
    """
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_SECONDS):
            state = await store.open()
    except TimeoutError:
        state = SecretsStatus.TIMED_OUT
    facts: dict[str, Any] = {"secretsHome": store.kind.value, "secrets": state.value}
    if state.is_usable or store.problem is None:
        return facts
    is_passphrase_vault = store.kind is KeyStoreKind.PASSPHRASE_VAULT
    failed = (
        is_passphrase_vault and (opened or state not in (SecretsStatus.LOCKED, SecretsStatus.NOT_CREATED))
    ) or state in _FAILED_STATES
    return facts | {"secretsProblem": store.problem.text(), "secretsFailed": failed}


def _backups_text(paths: AppPaths) -> tuple[str, bool]:
    """The schedule and the last backup, and whether nothing is wrong with them."""
    schedule = SettingsFile(paths.settings).value.backups.to_domain()
    status = read_backup_status(paths)
    if schedule.every is BackupInterval.NEVER:
        return "not scheduled", True
    made = format_local_time(status.made_at) if status.made_at is not None else "none yet"
    about = f"every {schedule.every} at {schedule.at:%H:%M} to {schedule.folder}; last one: {made}"
    return (f"{about}; failed: {status.problem}", False) if status.problem else (about, True)


def _file_facts(database: Path) -> dict[str, Any]:
    """Result of inspecting the database file, which another program may have open."""
    from patchbay.storage.integrity import inspect_file

    try:
        report = inspect_file(database)
    except AppError as error:
        return {"database": _database_problem(error)}
    damage = f"damaged: {', '.join(report.damage)}" if report.damage else "ok"
    found = {"database": damage, "schema": _schema_text(report.differences)}
    return found | ({"lost": report.lost_commits.text()} if report.lost_commits else {})


def _database_problem(error: AppError) -> str:
    """The error's text, without its advice to run `patchbay doctor`, which is what runs here."""
    if "patchbay doctor" not in error.todo:
        return error.text()
    advice = "Restore a backup with “patchbay restore --force”."
    return " ".join(part for part in (error.happened, error.meaning, advice) if part)


def _schema_text(differences: Sequence["SchemaDifference"]) -> str:
    if not differences:
        return "ok"
    found = "; ".join(difference.text for difference in differences)
    if not any(difference.is_breaking for difference in differences):
        return f"ok, but it differs from what this version expects: {found}. Nothing needs to be done."
    return (
        f"{_UNUSABLE}: it differs from what this version expects: {found}. Restore a backup with “patchbay "
        "restore --force”, or put back the copy made before the last upgrade (patchbay.db.before-…)."
    )


def _qt_version() -> str:
    with contextlib.suppress(ImportError):
        import PySide6

        return PySide6.__version__
    return "not installed"
