"""A data folder that can't be used, and a disk that takes no more: what people see, and that it ends."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.forms import long_form
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.lookup import find, saying

pytestmark = [needs_a_desktop, pytest.mark.timeout(300), long_form]

CAN_NOT_SAVE = "Disk problem: changes may be lost"


@pytest.fixture(scope="module")
def refused(display: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[PatchbayWindow]:
    """The program started on a folder in which something stands where the logs should be."""
    data: Path = tmp_path_factory.mktemp("refused") / "data"
    data.mkdir()
    (data / "logs").write_text("in the way")
    window = PatchbayWindow(display, data, "--workspace", "local")
    try:
        yield window
    finally:
        window.close()


@contextmanager
def disk_that_takes_nothing(window: PatchbayWindow) -> Iterator[None]:
    """From now on the system refuses every write of the program to a file."""
    resource = pytest.importorskip("resource")
    before = resource.prlimit(window.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(window.pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(window.pid, resource.RLIMIT_FSIZE, before)


def test_a_folder_that_cannot_be_used_is_reported_in_a_window_and_tried_again(
    refused: PatchbayWindow,
) -> None:
    refused.see("push button", "Choose another folder…")
    words = [node.name for node in refused.all("label")]

    (refused.data / "logs").unlink()
    refused.click(refused.see_at_rest("push button", "Try again"))

    assert any("can't be used: File exists" in text for text in words)
    assert refused.see("page tab", "Flows")
    assert not [*refused.data.rglob("crash*.*")]


def test_a_full_disk_is_reported_where_people_look_and_nothing_typed_is_lost(refused: PatchbayWindow) -> None:
    window = refused
    window.open_tab("Flows")
    window.click(window.see("push button", "New flow"))
    window.see("list", "Steps")

    with disk_that_takes_nothing(window):
        window.click(window.see("push button", "Add step"))
        window.wait(lambda tree: saying(tree, "The disk reported an error"), "word of the disk")
        window.click(window.see("push button", re.compile("Rename: flow name")))
        window.see("text", "Flow name")
        window.press("ctrl+a")
        window.type("Kept all the same")
        window.press("Return")
        window.see("label", re.compile(r"Not saved\. The disk reported an error\..*"))
        window.see("push button", CAN_NOT_SAVE)

    if (again := find(window.bus.tree(), ("push button",), "Try now")) is not None:  # or it did so by itself
        window.click(again)
    window.see("push button", "Engine running")
    window.see("label", re.compile("Draft saved .*"))
    assert len({item.name for item in window.all("list item", within="Steps")}) == 2
    window.click(window.see("push button", re.compile("Back to the list.*")))
    assert window.see("list item", re.compile(r"Kept all the same\. .*"), within="Flows")
