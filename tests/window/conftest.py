"""One display for all tests of a process, and a window on the demo for all tests of a file."""

import faulthandler
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.forms import in_forms
from tests.window.direct import Expected
from tests.window.driver import PatchbayWindow, desktop
from tests.window.furnished import Shown, shown
from tests.window.workspaces import OURS


@pytest.fixture(autouse=True)
def _takes_minutes() -> None:
    """These tests have limits of their own, and printing where a running thread is can end the process."""
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session")
def display(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with desktop(tmp_path_factory.mktemp("desktop") / "home") as environment:
        yield environment


@pytest.fixture(scope="module")
def demo(display: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[PatchbayWindow]:
    folder: Path = tmp_path_factory.mktemp("demo")
    window = PatchbayWindow(display, folder / "data", "--workspace", "demo")
    try:
        yield window
    finally:
        window.close()


@pytest.fixture(scope="module", params=in_forms(OURS, short=["server"]))
def opened(
    request: pytest.FixtureRequest, display: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shown]:
    with ExitStack() as ends:
        yield shown(request.param, display, tmp_path_factory.mktemp(request.param), ends)


@pytest.fixture
def expected(opened: Shown) -> Expected:
    return Expected(opened.direct)
