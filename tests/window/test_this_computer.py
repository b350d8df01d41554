"""The workspace of this computer: what needs real connections, and more than one program on a data folder."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow, needs_a_desktop

pytestmark = [needs_a_desktop, pytest.mark.timeout(300)]

PASSPHRASE = "correct horse battery staple"


@pytest.fixture(scope="module")
def passphrase_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("passphrase") / "passphrase"
    path.write_text(PASSPHRASE, "utf-8")
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def here(
    display: dict[str, str], passphrase_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PatchbayWindow]:
    folder: Path = tmp_path_factory.mktemp("here")
    words = ("--workspace", "local", "--passphrase-file", str(passphrase_file))
    window = PatchbayWindow(display, folder / "data", *words)
    try:
        yield window
    finally:
        window.close()


def test_a_refused_connection_shows_its_reason_in_view_with_the_focus(here: PatchbayWindow) -> None:
    here.open_tab("My Apps")
    here.click(here.see("list item", re.compile("PostgreSQL, .*"), within="Apps"))
    here.see("label", "PostgreSQL")
    here.click(here.see("push button", "Add connection"))
    dialog = "Connect PostgreSQL"
    here.see_at_rest("text", "Host", within=dialog)
    here.click(here.see("text", "Screen Name", within=dialog))
    for value in ("x", "127.0.0.1", "9", "No", "x", "x", "x"):
        here.press("ctrl+a")
        here.type(value)
        here.press("Tab")

    here.click(here.see("push button", "Test and save", within=dialog))

    form = here.see("filler", "Form", within=dialog)
    reason = here.wait(_focused_message, "focused message")
    assert form.place.holds(reason.place), (form.place, reason.place)
    here.press("Escape")
    here.click(here.see_at_rest("push button", "Discard"))
    assert here.complaints == []


def _focused_message(tree: Node) -> Node | None:
    """What tells why the connection was refused, if it has the focus."""
    reason = re.compile(".*127\\.0\\.0\\.1.*")
    return next((n for n in tree.walk() if "focused" in n.states and reason.fullmatch(n.name)), None)
