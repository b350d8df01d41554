"""Freeing disk space, also in files created before incremental vacuum was used."""

import shutil
import sqlite3

import pytest
from sqlalchemy import text
from tests.support.storage_rows import Workshop

from patchbay.storage.database import Database

INCREMENTAL = 2


def form_of(path):
    driver = sqlite3.connect(path)
    try:
        return driver.execute("PRAGMA auto_vacuum").fetchone()[0]
    finally:
        driver.close()


@pytest.fixture
async def older(tmp_path):
    """A database with something in it, in the form of before."""
    path = tmp_path / "older.db"
    db = await Database.open(path)
    made = Workshop(db)
    await made.prepare()
    await made.flow("As it was")
    await db.close()
    driver = sqlite3.connect(path, isolation_level=None)
    driver.execute("PRAGMA journal_mode = DELETE")
    driver.execute("PRAGMA auto_vacuum = NONE")
    driver.execute("VACUUM")
    driver.close()
    assert form_of(path) == 0
    return path


async def names(path):
    db = await Database.open(path)
    found = await db.read(lambda tx: list(tx.execute(text("SELECT name FROM flow")).scalars()))
    sound = await db.integrity_check()
    await db.close()
    return found, sound


async def test_a_new_file_can_give_space_back(tmp_path):
    db = await Database.open(tmp_path / "new.db")
    await db.close()

    assert form_of(tmp_path / "new.db") == INCREMENTAL


async def test_an_older_file_is_rewritten_once(older):
    assert await names(older) == (["As it was"], ())
    assert form_of(older) == INCREMENTAL


async def test_without_room_on_the_disk_an_older_file_is_used_as_it_is(older, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(100, 100, 0))

    assert await names(older) == (["As it was"], ())
    assert form_of(older) == 0


async def test_a_work_outside_transactions_is_answered_like_any_other(tmp_path):
    db = await Database.open(tmp_path / "new.db")

    assert await db.write_outside_transaction(lambda driver: driver.in_transaction) is False
    with pytest.raises(ZeroDivisionError):
        await db.write_outside_transaction(lambda driver: 1 / 0)
    assert await db.write(lambda tx: 7) == 7
    await db.close()
