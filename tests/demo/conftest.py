import pytest
from tests.support.storage_rows import NOW

from patchbay.demo.history import build_workspace
from patchbay.service.key_stores import MemoryKeyStore
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.storage.database import Database


@pytest.fixture
def open_demo(tmp_path):
    """Builds a demo workspace in a file of its own; gives its database and vault."""

    async def build_one(name, *, now=NOW, seed=1, **more):
        db = await Database.open(tmp_path / f"{name}.db")
        vault = SecretEncryption(db, MemoryKeyStore(), lambda: now)
        await build_workspace(db, now, vault.seal, seed=seed, **more)
        return db, vault

    return build_one
