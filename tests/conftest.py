"""What every test stands on: no display, no real keyring, no real home folder, one loop thread per test."""

import gc
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.update(LC_ALL="C.UTF-8", LANGUAGE="en")  # windows in English, whatever the language of the machine
os.environ.setdefault("PYSIDE6_OPTION_LAZY", "0")  # tests use types in all threads
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

import pytest
import xdist.scheduler  # type: ignore[import-untyped]  # xdist has no types
from hypothesis import HealthCheck, settings
from PySide6.QtWidgets import QApplication
from tests.support.fuzzing import TIMES
from tests.support.patient_bot import PatientBot

from patchbay.desktop.tasks import LoopThread, Tasks
from patchbay.service import key_stores

if TYPE_CHECKING:
    from tests.support.postgres_databases import WorkspaceDatabases

    from patchbay.storage.postgresql.address import PostgresAddress

_KEY_COST = {"MEMORY_KIB": key_stores.MEMORY_KIB, "ITERATIONS": key_stores.ITERATIONS}
key_stores.MEMORY_KIB, key_stores.ITERATIONS = 1024, 1  # deriving a key takes a third of a second on purpose

_SLOWLY = (HealthCheck.too_slow,)  # on a busy computer, everything is
settings.register_profile("patient", deadline=None, suppress_health_check=_SLOWLY)
settings.load_profile("patient")
settings.register_profile("short", max_examples=30)
if TIMES not in os.environ:
    settings.load_profile("short")


def pytest_configure(config: pytest.Config) -> None:
    """Let each worker begin to collect at another folder.

    Pytest compiles each test module with its assertions rewritten, once: a worker finds done what others did.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args != config.getini("testpaths"):
        return
    tests = config.rootpath / "tests"
    weights = {path: len([*path.rglob("test_*.py")]) for path in _folders(tests)}
    done = sum(weights.values()) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    ahead: list[str] = []
    behind: list[str] = []
    for path, weight in weights.items():
        (ahead if done <= 0 else behind).append(str(path))
        done -= weight
    config.args = [*ahead, *behind, *(str(file) for file in sorted(tests.glob("test_*.py")))]


def _folders(tests: Path) -> Iterator[Path]:
    for path in sorted(tests.iterdir()):
        if path.is_dir() and path.name not in ("support", "__pycache__"):
            yield from (path,) if path.name != "desktop" else sorted(path.glob("[a-z]*"))


def pytest_collection() -> None:
    """Import and collect without garbage collection: most objects they make stay."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


class SourceChecksTogether(xdist.scheduler.LoadFileScheduling):
    """Gives files to workers whole, and those that check the source to one, so that it parses it once."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "tests" if file.count("/") == 1 else file


@pytest.hookimpl(optionalhook=True)  # some tests run without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> SourceChecksTogether:
    return SourceChecksTogether(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes long first, then windows: workers take whole files, and one taken last is waited for."""
    long = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(
        key=lambda item: (
            item.path not in long and item.path.parent.name != "tests",
            item.path.parent.name != "window",
            str(item.path),  # the same order in all workers
        )
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much of the catalogue was covered, if its contract was run."""
    reports = [
        report for report in terminalreporter.getreports("passed") if "apps/catalogue/" in report.nodeid
    ]
    if reports:
        from tests.support.catalogue.coverage import summary

        terminalreporter.write_line(summary(report.nodeid for report in reports))


_test_numbers = count()


@pytest.fixture(autouse=True)
def _own_home(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing a test does may reach the person's own folders.

    Most tests need no folder, and making one for each takes longer than many of them.
    """
    if "tmp_path" in request.fixturenames:
        folder = request.getfixturevalue("tmp_path")
    else:
        folder = tmp_path_factory.getbasetemp() / f"home-{next(_test_numbers)}"
    monkeypatch.setenv("PATCHBAY_DATA_DIR", str(folder / "patchbay-data"))


@pytest.fixture(scope="session")
def postgres_databases() -> "Iterator[WorkspaceDatabases]":
    """A PostgreSQL server, started by the first test that needs it."""
    from tests.support.postgres_databases import workspace_databases

    with workspace_databases() as databases:
        yield databases


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest) -> "Iterator[Path | PostgresAddress]":
    """An empty workspace: a file, or a database on a server. Tests that use it run on both."""
    from tests.support.postgres_databases import location_on

    yield from location_on(request.param, request)


@pytest.fixture(autouse=True)
def _collected_between_tests(request: pytest.FixtureRequest) -> Iterator[None]:
    """As in the window: on another thread it would destroy QObjects there, and within the destructor of one
    it would wait for itself.
    """
    if not {"qapp", "qtbot", "loop_thread"} & set(request.fixturenames):
        yield
        return
    gc.disable()
    yield
    gc.collect()  # all of it, now: the threads of later tests must find no QObject to destroy
    gc.freeze()  # what is still there stays; the next round need not look at it
    gc.enable()


@pytest.fixture
def real_key_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derive keys from passphrases as expensively as the program does."""
    for name, value in _KEY_COST.items():
        monkeypatch.setattr(key_stores, name, value)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    return PatientBot(request)


@pytest.fixture
def loop_thread() -> Iterator[LoopThread]:
    loop = LoopThread()
    loop.start()
    yield loop
    loop.stop()


@pytest.fixture
def tasks(loop_thread: LoopThread) -> Tasks:
    return Tasks(loop_thread)
