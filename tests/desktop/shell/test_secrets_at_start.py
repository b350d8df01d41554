"""What the status bar says about credentials while the workspace starts."""

from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.shell.view_models.workspace_status import WorkspaceViewModel
from patchbay.desktop.tasks import Tasks
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.ports import KeyStoreKind


class Starting(FakeBackend):
    """A workspace whose keyring has or hasn't responded yet."""

    waits = True
    problem: str | None = None

    async def info(self) -> WorkspaceInfo:
        found = await super().info()
        return found.model_copy(
            update={
                "secrets_name": KeyStoreKind.SYSTEM_KEYRING.value,
                "secrets_waiting": self.waits,
                "secrets_problem": self.problem,
            }
        )


def texts_shown(model: WorkspaceViewModel) -> list[str]:
    """The texts that are shown from now on, one after the other."""
    shown: list[str] = []

    def note() -> None:
        line = model.secrets()
        if line is not None and shown[-1:] != [line.text]:
            shown.append(line.text)

    model.changed.connect(note)
    return shown


def test_nothing_is_said_until_the_keyring_has_responded(qtbot: QtBot, tasks: Tasks) -> None:
    backend = Starting()
    model = WorkspaceViewModel(services(tasks, backend))
    shown = texts_shown(model)
    model.start()
    qtbot.waitUntil(lambda: model.info is not None)
    assert model.secrets() is None

    backend.waits, backend.problem = False, "The system keyring is locked."
    model.refresh()

    qtbot.waitUntil(lambda: bool(shown))
    assert shown == ["Credentials aren't available"]


def test_a_keyring_that_takes_long_is_waited_for_visibly(qtbot: QtBot, tasks: Tasks) -> None:
    backend = Starting()
    model = WorkspaceViewModel(services(tasks, backend))
    model._secrets_timer.setInterval(1)
    shown = texts_shown(model)
    model.start()
    qtbot.waitUntil(lambda: shown == ["Waiting for the system keyring"])

    backend.waits = False

    qtbot.waitUntil(lambda: len(shown) == 2)
    assert shown == ["Waiting for the system keyring", "Secrets in system keyring"]


def test_later_requests_of_the_keyring_change_nothing(qtbot: QtBot, tasks: Tasks) -> None:
    backend = Starting()
    backend.waits = False
    model = WorkspaceViewModel(services(tasks, backend))
    model.start()
    qtbot.waitUntil(lambda: model.info is not None)
    shown = texts_shown(model)

    backend.waits = True
    model.refresh()
    qtbot.waitUntil(lambda: bool(model.info and model.info.secrets_waiting) and bool(shown))

    assert shown == ["Secrets in system keyring"]
