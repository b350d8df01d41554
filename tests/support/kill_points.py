"""Work on secrets killed at its n-th step: `python -m tests.support.kill_points FOLDER WORK STRIDE`.

The steps are each rename, removal, sync and new folder, each commit, each change of the keyring, and each
part of a backup file, before and after. A fresh process does the work for each kill; then another one opens
the folder and checks what it finds, does the work again, and checks again. Prints how many kills there were.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any
from unittest.mock import patch

from keyring.backend import KeyringBackend
from tests.support.desk import DESK
from tests.support.workspace import Clock

from patchbay.bootstrap import backup as backups
from patchbay.bootstrap import key_store as homes
from patchbay.bootstrap.pending_restore import finish_restore, remove_temporary_files
from patchbay.domain.base import ConnectionId
from patchbay.domain.connections import Connection, SecretsStorage
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.platform.system_keyring import SystemKeyring
from patchbay.service import backup_archive, key_stores
from patchbay.service.key_stores import PassphraseKeyStore
from patchbay.service.people import ensure_owner
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.service.secret_store import SecretStore
from patchbay.storage.commit_counter import CommitCounter
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, secrets

CONNECTION = ConnectionId("c1")

PASSPHRASE = "correct horse"
OLD, NEW = "planted-old-secret-5e1f", "planted-new-secret-9c3d"


class FileKeyring(KeyringBackend):
    """A keyring that outlives the process. What is in it doesn't count as stored in the clear."""

    priority = 1
    point: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def items(self) -> dict[str, str]:
        return dict(json.loads(self._file.read_text())) if self._file.exists() else {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.items().get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self._store(self.items() | {username: password})

    def delete_password(self, service: str, username: str) -> None:
        self._store({name: value for name, value in self.items().items() if name != username})

    def _store(self, items: dict[str, str]) -> None:
        FileKeyring.point()
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(items))
        _REPLACE(fresh, self._file)
        FileKeyring.point()


_REPLACE = os.replace


def kill_at(number: int) -> None:
    """From now on, kill this process at the n-th step."""
    steps = [number]

    def point() -> None:
        steps[0] -= 1
        if steps[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(owner: Any, name: str) -> None:
        work = getattr(owner, name)

        def counted(*arguments: Any, **named: Any) -> Any:
            point()
            result = work(*arguments, **named)
            point()
            return result

        setattr(owner, name, counted)

    FileKeyring.point = staticmethod(point)
    for name in ("replace", "rename", "unlink", "fsync", "mkdir", "rmdir"):
        around(os, name)
    around(CommitCounter, "advance")
    around(CommitCounter, "publish")
    around(backup_archive.EncryptedFileWriter, "_write_chunk")


class Scene:
    """A data folder with one connection, a backup of another one, and a keyring."""

    def __init__(self, folder: Path, *, vault: bool) -> None:
        self.paths = AppPaths.choose(folder / "data")
        self.backup = folder / "kept.patchbay"
        self.out = folder / "out" / "written.patchbay"
        self.keyring = FileKeyring(folder / "keyring.json")
        self.vault = vault
        patch.object(homes, "SystemKeyring", lambda: SystemKeyring(backend=self.keyring)).start()

    def home(self) -> Any:
        home = homes.choose_key_store(self.paths, SettingsFile(self.paths.settings).value)
        closed = isinstance(home, homes.LockedPassphraseVault)
        return PassphraseKeyStore(self.paths.vault, PASSPHRASE) if closed or self.vault else home

    async def opened(self, work: Callable[[Database, SecretStore], Awaitable[Any]]) -> Any:
        """Open the folder as the program does, work in it, close it."""
        self.paths.prepare()
        lock = EngineLock(self.paths.lock, self.paths.database)
        assert lock.acquire()
        try:
            finish_restore(self.paths, lock)
            remove_temporary_files(self.paths)
            home, db = self.home(), await Database.open(self.paths.database)
            try:
                items = home if home.holds_items else None
                return await work(db, SecretStore(db, SecretEncryption(db, home, Clock()), items, Clock()))
            finally:
                await db.close()
        finally:
            lock.release()

    async def furnish(self, name: str, secret: str, home: SecretsStorage) -> None:
        async def fill(db: Database, store: SecretStore) -> None:
            if home is not await store.home():
                await store.move(home)
            owner, sealed = await ensure_owner(db, Clock()), await store.seal(CONNECTION, {"apiKey": secret})

            def add(tx: Any) -> None:
                item = Connection(id=ConnectionId("c1"), app_key=DESK, screen_name=name)
                connections.add(tx, item, owner.id)
                secrets.put(tx, sealed)

            await db.write(add)
            store.mark_committed(sealed)

        await self.opened(fill)

    async def state(self) -> tuple[str, str]:
        """Name and secret of the connection: both old, or both new."""

        async def look(db: Database, store: SecretStore) -> tuple[str, str]:
            assert await store.recover(), store.problem
            assert db.lost_commits is None
            item = await db.read(lambda tx: connections.get(tx, CONNECTION))
            row = await db.read(lambda tx: secrets.get(tx, CONNECTION))
            assert row is not None
            return item.screen_name, str((await store.unseal(row))["apiKey"])

        return tuple(await self.opened(look))


async def back_up(scene: Scene) -> None:
    scene.out.parent.mkdir(exist_ok=True)
    await backups.back_up(scene.paths, scene.out, PASSPHRASE)


async def restore(scene: Scene) -> None:
    await backups.restore(scene.paths, scene.backup, PASSPHRASE, force=True, passphrase_vault=scene.vault)


async def restore_to_vault(scene: Scene) -> None:
    await backups.restore(scene.paths, scene.backup, PASSPHRASE, force=True, passphrase_vault=True)


async def rotate_key(scene: Scene) -> None:
    async def change(db: Database, store: SecretStore) -> None:
        assert await store.recover()
        assert await store.encryption.rotate_key() == 1

    await scene.opened(change)


def moving(home: SecretsStorage) -> Callable[[Scene], Coroutine[Any, Any, None]]:
    async def move(scene: Scene) -> None:
        async def work(db: Database, store: SecretStore) -> None:
            assert await store.recover()
            await store.move(home)

        await scene.opened(work)

    return move


SEALED, ITEMS = SecretsStorage.SEALED, SecretsStorage.ITEMS
WORKS: dict[str, tuple[Callable[[Scene], Coroutine[Any, Any, None]], SecretsStorage, bool]] = {
    "back up sealed secrets": (back_up, SEALED, False),
    "back up keyring items": (back_up, ITEMS, False),
    "back up a vault": (back_up, SEALED, True),
    "restore sealed secrets": (restore, SEALED, False),
    "restore keyring items": (restore, ITEMS, False),
    "restore a vault": (restore, SEALED, True),
    "restore into a vault": (restore_to_vault, SEALED, False),
    "change the key": (rotate_key, SEALED, False),
    "change the key of a vault": (rotate_key, SEALED, True),
    "move into the keyring": (moving(ITEMS), SEALED, False),
    "move out of the keyring": (moving(SEALED), ITEMS, False),
}
"""Each work, where the secrets are before, and whether the folder has a passphrase vault."""


async def prepare(folder: Path, work: str) -> None:
    """The folder as it is before the work: old data, and a backup of new ones."""
    _, home, vault = WORKS[work]
    other = folder / "other"
    for name, secret, place in (("new", NEW, other), ("old", OLD, folder)):
        place.mkdir(exist_ok=True)
        scene = Scene(place, vault=vault)
        await scene.furnish(name, secret, home)
        if place is other:
            await backups.back_up(scene.paths, folder / "kept.patchbay", PASSPHRASE)
    shutil.rmtree(other)


async def check(folder: Path, work: str) -> None:
    """After a kill: old or new, whole; done again, it is complete, and nothing is left over."""
    do, _, vault = WORKS[work]
    scene = Scene(folder, vault=vault)
    old, new = ("old", OLD), ("new", NEW)
    found = await scene.state()
    assert found in ((old, new) if work.startswith("restore") else (old,)), found
    if scene.out.exists():
        content = scene.out.read_bytes()
        assert backup_archive.EncryptedFileReader(scene.out.open("rb"), PASSPHRASE).read(), len(content)
    await do(scene)
    assert await scene.state() == (new if work.startswith("restore") else old)
    if work.startswith(("change", "move")):
        names = list(scene.keyring.items())
        keys = sum(name.startswith("dek:") for name in names)
        items = sum(name.startswith("connection:") for name in names)
        assert vault or keys == 1, names
        assert items == (work == "move into the keyring"), names
    check_files(folder)


def check_files(folder: Path) -> None:
    """Nothing is left over, and no secret stands anywhere in the clear."""
    for file in folder.rglob("*"):
        assert not _is_leftover(file), file
        if file.is_file() and file.name != "keyring.json":
            content = file.read_bytes()
            assert OLD.encode() not in content, file
            assert NEW.encode() not in content, file


def _is_leftover(file: Path) -> bool:
    return file.name.startswith(
        (".backup-", ".vault.json.", ".service.json.", ".written.", "restore.json")
    ) or (file.name.endswith(".part"))


def in_process(work: Callable[[], Coroutine[Any, Any, Any]], *, kill: int = 0) -> int:
    """Run in a forked process; how it ended: 0, 1 with a trace on standard error, or minus the signal."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        if kill:
            kill_at(kill)
        asyncio.run(work())
    except BaseException:  # noqa: BLE001  the process ends here, whatever it is
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def main(folder: Path, work: str, stride: int) -> None:
    for module in (key_stores, backup_archive):
        patch.multiple(module, MEMORY_KIB=64, ITERATIONS=1).start()
    base = folder / "base"
    base.mkdir()
    assert in_process(lambda: prepare(base, work)) == 0
    kills, number = 0, 1
    while True:
        place = folder / "run"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(base, place)
        code = in_process(lambda: WORKS[work][0](Scene(place, vault=WORKS[work][2])), kill=number)  # noqa: B023
        if code == 0:
            break
        assert code == -signal.SIGKILL, f"step {number}: it failed by itself"
        assert in_process(lambda: check(place, work)) == 0, f"step {number}: not as it should be"  # noqa: B023
        kills, number = kills + 1, number + stride
    print(kills)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
