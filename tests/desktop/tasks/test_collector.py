"""Garbage is collected on the window's thread only."""

import gc
import inspect
import linecache
import threading
from weakref import ref

import pytest
from pytestqt.qtbot import QtBot
from tests.support.forms import long_form

from patchbay.desktop.tasks import GarbageCollector


class Knot:
    """Garbage that only the collector finds; notes the thread it dies on."""

    def __init__(self, died_on: list[threading.Thread]) -> None:
        self.itself = self
        self.died_on = died_on

    def __del__(self) -> None:
        self.died_on.append(threading.current_thread())


@pytest.fixture
def collector(qtbot: QtBot):
    collector = GarbageCollector()
    collector.start()
    yield collector
    collector.stop()


@long_form
def test_another_thread_that_allocates_much_collects_nothing(collector):
    died_on: list[threading.Thread] = []
    knot = ref(Knot(died_on))

    kept: list[list[int]] = []

    worker = threading.Thread(target=lambda: kept.extend([] for _ in range(50_000)))
    worker.start()
    worker.join()
    alive = knot() is not None
    collector.collect()

    assert alive
    assert died_on == [threading.main_thread()]


@long_form
def test_after_stopping_nothing_is_collected_within_the_destructors_of_what_is_left(collector):
    collector.stop()

    assert not gc.isenabled()


@long_form
def test_the_source_of_imported_modules_is_not_kept(qtbot, monkeypatch):
    """PySide reads it with `inspect`, which keeps its lines: 9 MB in a window."""
    inspect.getsource(threading)
    monkeypatch.setattr("patchbay.desktop.tasks.collector.STARTUP_MS", 1)
    collector = GarbageCollector()
    try:
        collector.start()
        assert threading.__file__ not in linecache.cache

        inspect.getsource(threading)
        qtbot.waitUntil(lambda: threading.__file__ not in linecache.cache)
    finally:
        collector.stop()
