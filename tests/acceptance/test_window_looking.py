"""The window with a key that may only look: what it may not is grey, nothing ends in an error."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.support import flow_files as files
from tests.support.foreign_window import ForeignWindow, clickable, name_of, select_first
from tests.support.forms import long_form
from tests.support.processes import Service, program, run
from tests.support.recorded_service import RecordedService
from tests.support.window import open_window

from patchbay.bootstrap import window_controller
from patchbay.desktop.core.navigation import Tab
from patchbay.service.key_stores import MemoryKeyStore

WHY = "This workspace's API key is read-only."


@pytest.fixture
def looking(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForeignWindow]:
    monkeypatch.setattr(window_controller, "SystemKeyring", MemoryKeyStore)
    monkeypatch.setattr(QFileDialog, "open", lambda self, *_: None)
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: True)
    data = tmp_path / "data"
    document = files.flow("Orders", files.catch(), files.trimmed("{{step.#1.body.customer}}"))
    run(program("flow", "import", files.write(tmp_path / "flow.json", document), "--publish", data=data))
    key = run(program("api-key", "create", "--scope", "read", "--json", data=data)).json["key"]
    with (
        Service(data) as service,
        open_window(qtbot, tmp_path / "window", service.address, api_key=key) as window,
    ):
        made = ForeignWindow(qtbot, window, RecordedService())
        made.listen()
        window.wait(lambda: window.rows("Flows"))
        yield made


@long_form
def test_a_key_that_may_only_look_meets_no_error_wherever_it_clicks(looking):
    window = looking.window
    page = window.tab(Tab.FLOWS).list_page
    for tab in Tab:
        window.tab(tab)
        looking.rest()
        for name in [name_of(button) for button in buttons(looking, tab)]:
            button = next((item for item in buttons(looking, tab) if name_of(item) == name), None)
            if button is not None:
                looking.click(button)
                looking.rest()
            looking.close_all()

    page.view.publish_toggled.emit(page.flows.rows[0].id)
    assert looking.notices[-1].text == WHY
    assert looking.errors == []
    assert not page.toolbar.new.isEnabled()
    assert page.toolbar.new.toolTip() == WHY
    assert not window.tab(Tab.FOLDERS).new.isEnabled()
    assert not window.tab(Tab.TEMPLATES).new.isEnabled()


def buttons(looking: ForeignWindow, tab: Tab):
    view = looking.window.tab(tab)
    select_first(view)
    looking.rest()
    return clickable(view)
