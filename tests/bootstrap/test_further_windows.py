"""Another workspace beside this computer's: the question before a server opens, and the further window."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from tests.support.forms import in_forms, long_form
from tests.support.tiny_service import Elsewhere, TinyService
from tests.support.window import open_window

from patchbay.bootstrap import window_controller
from patchbay.desktop.shell import workspace_switch
from patchbay.desktop.shell.view_models.local_runs import LocalRuns
from patchbay.domain.backend import Backend
from patchbay.platform.login_item import new_window_command
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.service.key_stores import MemoryKeyStore


class Programs:
    """Notes the programs that the window starts, instead of starting them."""

    def __init__(self) -> None:
        self.started: list[tuple[str, ...]] = []
        self.can_start = True

    def startDetached(self, program: str, arguments: list[str]) -> tuple[bool, int]:
        self.started.append((program, *arguments))
        return self.can_start, 1


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Programs:
    noted = Programs()
    monkeypatch.setattr(window_controller, "QProcess", noted)
    monkeypatch.setattr(window_controller, "SystemKeyring", MemoryKeyStore)
    return noted


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a server without flows."""

    def answer(method: str, target: str) -> tuple[int, Any]:
        return (404, None) if "/v1/info" in target else (200, {"data": [], "meta": {"count": 0}})

    with Elsewhere() as loop:
        service = TinyService(answers=answer)
        loop.start(service)
        yield service.address


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two flows of this computer are published."""

    async def find(backend: Backend) -> LocalRuns:
        return LocalRuns(published=2)

    monkeypatch.setattr(workspace_switch, "find_local_runs", find)


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("answer", in_forms(["new_window", "cancel", "switch"], short=["new_window"]))
def test_a_new_server_opens_as_the_user_answers(
    qtbot: QtBot, tmp_path: Path, programs: Programs, server: str, answer: str
) -> None:
    with open_window(qtbot, tmp_path / "data", "local") as window:
        main = window.desk.window
        dialog = main.add_server(server)
        window.type(dialog.key.edit, "very-secret-key")
        dialog.submit()

        question = window.wait(lambda: main.switching.dialog)
        assert main.server_dialog is None
        assert main.options.workspace == "local"
        getattr(question, answer).click()

        wanted = server if answer == "switch" else "local"
        assert main.options.workspace == wanted
        window.wait(lambda: SettingsFile(tmp_path / "data" / "settings.toml").value.workspace == wanted)
        assert server in main.options.servers
        command = new_window_command(AppPaths.choose(tmp_path / "data"), server)
        assert programs.started == ([command] if answer == "new_window" else [])
        window.wait(lambda: window.services.backend._opened)  # ends with what it begins to open
        window.wait(lambda: main.area.model.info)


@long_form
def test_it_says_if_the_new_window_cannot_be_started(
    qtbot: QtBot, tmp_path: Path, programs: Programs
) -> None:
    programs.can_start = False
    with open_window(qtbot, tmp_path / "data", "local") as window:
        posted: list[Any] = []
        window.services.notices.posted.connect(posted.append)

        window.desk.window.new_window_requested.emit("demo")

        assert [notice.text for notice in posted] == ["The new window couldn't be opened."]


@pytest.mark.parametrize(("remembers", "next_start"), [(True, "demo"), (False, "local")])
def test_only_the_first_window_changes_what_the_next_start_opens(
    qtbot: QtBot, tmp_path: Path, remembers: bool, next_start: str
) -> None:
    paths = AppPaths.choose(tmp_path / "data")
    paths.prepare()
    settings = SettingsFile(paths.settings)
    settings.value.workspace = "local"
    desk = window_controller.WindowController(paths, settings, remembers_workspace=remembers)
    qtbot.addWidget(desk.window)

    desk.open("demo")
    desk.close()

    assert settings.value.workspace == next_start
    assert desk.window.options.workspace == "demo"
