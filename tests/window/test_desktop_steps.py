"""Steps that use the desktop: questions filled in with real keys, notifications, clipboard, and pages."""

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support.processes import Service, program, run, until
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.workspaces import passphrase_file

pytestmark = [needs_a_desktop, pytest.mark.timeout(300), pytest.mark.acceptance]

READ_CLIPBOARD = """
import sys
from PySide6.QtGui import QGuiApplication
app = QGuiApplication(sys.argv)
print(app.clipboard().text(), end="")
"""
OWN_CLIPBOARD = """
import sys
from PySide6.QtCore import QMimeData, QTimer
from PySide6.QtGui import QGuiApplication
app = QGuiApplication(sys.argv)
content = QMimeData()
content.setText(sys.argv[1])
if sys.argv[2] == "secret":
    content.setData("x-kde-passwordManagerHint", b"secret")
app.clipboard().setMimeData(content)
print("owned", flush=True)
QTimer.singleShot(60_000, app.quit)
app.exec()
"""
"""A program that puts a text on the clipboard, marked as secret or not, as a password manager does."""
ASK = "Approve the order?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("steps")
    passphrase_file(made / "passphrase")
    return made


@pytest.fixture(scope="module")
def notifications(display: dict[str, str], folder: Path) -> Iterator["Notifications"]:
    with closing(Notifications(display, folder)) as service:
        yield service


@pytest.fixture(scope="module")
def window(display: dict[str, str], folder: Path, notifications: "Notifications") -> Iterator[PatchbayWindow]:
    vault = ("--passphrase-file", str(folder / "passphrase"))
    with closing(PatchbayWindow(display, folder / "data", *vault, "--workspace", "local")) as opened:
        opened.see("push button", "Engine running")
        yield opened


class Notifications:
    """A notification service on the session bus of the display."""

    def __init__(self, display: dict[str, str], folder: Path) -> None:
        self._noted, self._clicks = folder / "notified.txt", folder / "clicks"
        os.mkfifo(self._clicks)
        script = Path(__file__).with_name("notification_service.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(self._noted), str(self._clicks)], env=display
        )

    def shown(self) -> list[list[Any]]:
        lines = self._noted.read_text("utf-8").splitlines() if self._noted.exists() else []
        return [json.loads(line) for line in lines]

    def click(self, key: str) -> None:
        self._clicks.write_text(key, encoding="utf-8")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


def _publish(data: Path, name: str, *steps: files.Document) -> None:
    document = files.flow(name, files.every_night(), *steps)
    file = files.write(data.with_name("flow.json"), document)
    imported = run(program("flow", "import", file, "--publish", data=data))
    assert imported.code == 0, imported.err


def _start(data: Path, name: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(program("flow", "run", name, data=data), stdout=subprocess.DEVNULL)


def _last_step(data: Path, name: str) -> dict[str, Any]:
    """The last step of the newest execution of a flow, once it has ended."""

    def ended() -> Any:
        listed = run(program("execution", "list", "--name", name, "--json", data=data)).json
        items = listed["data"] if isinstance(listed, dict) else listed
        return items and items[0]["state"] in ("success", "failure") and items[0]

    execution = until(ended)
    shown = run(program("execution", "show", execution["id"], "--json", data=data)).json
    steps: list[dict[str, Any]] = shown["executionSteps"]
    return steps[-1]


def _run_to_end(data: Path, name: str) -> dict[str, Any]:
    run(program("flow", "run", name, data=data))
    return _last_step(data, name)


def _await_buttons(window: PatchbayWindow, title: str) -> None:
    """Wait until a form takes a response, which it doesn't do at first."""

    until(lambda: window.see("push button", "Send", within=title).enabled)


def test_what_is_entered_in_a_question_is_the_output_of_its_step(window: PatchbayWindow) -> None:
    asking = files.step(
        "desktop",
        "askMe",
        title=ASK,
        text="From Ada",
        minutes="10",
        fields=[
            {"label": "Amount", "type": "number", "required": True},
            {"label": "Note", "type": "text"},
            {"label": "Urgent", "type": "yesNo"},
        ],
    )
    _publish(window.data, "Ask for approval", asking)
    started = _start(window.data, "Ask for approval")

    window.click(window.see_at_rest("text", "Amount", within=ASK))
    window.type("12.5")
    window.press("Tab")
    window.type("as agreed")
    window.click(window.see("check box", "Urgent", within=ASK))
    _await_buttons(window, ASK)
    window.click(window.see("push button", "Send", within=ASK))

    started.wait()
    assert _last_step(window.data, "Ask for approval")["dataOut"] == {
        "status": "submitted",
        "values": {"amount": 12.5, "note": "as agreed", "urgent": True},
    }
    assert window.complaints == []


def test_a_form_that_the_person_closes_has_no_values(window: PatchbayWindow) -> None:
    fields = [{"label": "Name", "type": "text"}]
    asking = files.step("desktop", "askMe", title="Who?", fields=fields, minutes="10", onClosed="continue")
    _publish(window.data, "Ask who", asking)
    started = _start(window.data, "Ask who")

    window.click(window.see_at_rest("text", "Name", within="Who?"))
    _await_buttons(window, "Who?")
    window.press("alt+F4")

    started.wait()
    assert _last_step(window.data, "Ask who")["dataOut"] == {"status": "closed", "values": {"name": None}}


def test_the_button_of_a_notification_is_the_output_of_its_step(
    window: PatchbayWindow, notifications: Notifications
) -> None:
    asking = files.step("desktop", "showNotification", title="Ship it?", buttons="Later\nShip", minutes="10")
    _publish(window.data, "Ship", asking)
    started = _start(window.data, "Ship")
    [_, title, _, actions] = until(notifications.shown)[-1]

    notifications.click("1")

    started.wait()
    assert (title, actions) == ("Flow “Ship”: Ship it?", ["0", "Later", "1", "Ship"])
    assert _last_step(window.data, "Ship")["dataOut"] == {"status": "chosen", "choice": "Ship"}


def test_a_text_is_copied_to_other_programs_and_read_from_them(
    window: PatchbayWindow, display: dict[str, str]
) -> None:
    _publish(window.data, "Copy", files.step("desktop", "copyToClipboard", text="Order 7 for Ada"))
    _publish(window.data, "Read", files.step("desktop", "readClipboard"))

    _run_to_end(window.data, "Copy")

    command = [sys.executable, "-c", READ_CLIPBOARD]
    read = subprocess.run(command, env=display, capture_output=True, text=True, check=True)
    assert read.stdout == "Order 7 for Ada"
    (Path(display["HOME"]) / "to-copy").write_text("written elsewhere", encoding="utf-8")
    until(lambda: _run_to_end(window.data, "Read")["dataOut"]["text"] == "written elsewhere")


@contextmanager
def _copied(display: dict[str, str], text: str, mark: str = "") -> Iterator[None]:
    """The text on the clipboard, as long as the program runs that it was copied in."""
    command = [sys.executable, "-c", OWN_CLIPBOARD, text, mark]
    with subprocess.Popen(command, env=display, stdout=subprocess.PIPE, text=True) as copying:
        assert copying.stdout is not None
        assert copying.stdout.readline().strip() == "owned"
        yield
        copying.terminate()


def _texts(data: Path, name: str) -> list[str]:
    """The texts that have started a flow, newest first."""
    listed = run(program("execution", "list", "--name", name, "--json", data=data)).json
    items = listed["data"] if isinstance(listed, dict) else listed
    shown = [run(program("execution", "show", one["id"], "--json", data=data)).json for one in items]
    return [one["executionSteps"][0]["dataOut"]["text"] for one in shown]


def test_a_copied_text_starts_a_flow_unless_it_is_secret(
    window: PatchbayWindow, display: dict[str, str]
) -> None:
    document = files.flow(
        "Notice", files.step("desktop", "clipboardChanged"), files.trimmed("{{step.#1.text}}")
    )
    file = files.write(window.data.with_name("flow.json"), document)
    assert run(program("flow", "import", file, "--publish", data=window.data)).code == 0

    _publish(window.data, "Read the secret", files.step("desktop", "readClipboard"))

    def copied_and_noticed() -> bool:
        """Again and again: what is copied before the window listens starts nothing."""
        with _copied(display, f"text {next(numbers)}"):
            time.sleep(2)
            return bool(_texts(window.data, "Notice"))

    numbers = itertools.count(1)
    until(copied_and_noticed)
    before = len(_texts(window.data, "Notice"))
    with _copied(display, "hunter2", "secret"):
        secret = _run_to_end(window.data, "Read the secret")
        time.sleep(2)
    with _copied(display, "the last one"):
        until(lambda: "the last one" in _texts(window.data, "Notice"))

    assert secret["dataOut"] == {"text": "", "isSecret": True}
    assert "hunter2" not in _texts(window.data, "Notice")
    assert len(_texts(window.data, "Notice")) == before + 1
    assert window.complaints == []


def test_a_page_is_opened_and_a_program_is_not(window: PatchbayWindow) -> None:
    _publish(window.data, "Page", files.step("desktop", "openPage", address="https://example.com/7"))
    _publish(window.data, "Program", files.step("desktop", "openPage", address="file:///usr/bin/true"))

    _run_to_end(window.data, "Page")
    rejected = _run_to_end(window.data, "Program")

    until(lambda: window.opened_addresses[-1:] == ["https://example.com/7"])
    assert "isn't a web page" in rejected["errorDetails"]["happened"]


def test_a_program_runs_only_once_an_admin_has_allowed_it(window: PatchbayWindow, tmp_path: Path) -> None:
    marker, shared = tmp_path / "shared" / "made", tmp_path / "shared"
    shared.mkdir()
    arguments = [{"value": str(marker)}]
    touching = files.step(
        "programs", "runProgram", program="/usr/bin/touch", arguments=arguments, folder=str(shared)
    )
    document = files.flow("Touch", files.every_night(), touching)
    file = files.write(tmp_path / "flow.json", document)
    publish = program("flow", "import", file, "--publish", data=window.data)
    settings = program("engine", "settings", "--allow-folder", shared, data=window.data)
    assert run(settings).code == 0

    rejected = run(publish)
    shell = run(program("engine", "settings", "--allow-program", "/bin/sh", data=window.data))
    assert run(program("flow", "run", "Touch", data=window.data)).code != 0
    assert not marker.exists()

    allowed = run(program("engine", "settings", "--allow-program", "/usr/bin/touch", data=window.data))
    assert run(program("flow", "publish", "Touch", data=window.data)).code == 0
    assert _run_to_end(window.data, "Touch")["dataOut"]["exitCode"] == 0

    assert (rejected.code != 0, shell.code != 0, allowed.code) == (True, True, 0)
    assert "isn't an allowed program" in rejected.out + rejected.err
    assert "is a shell" in shell.err
    assert marker.exists()


def test_a_server_has_no_desktop_and_says_so(folder: Path) -> None:
    data = folder / "served"
    with Service(data, "--passphrase-file", str(folder / "passphrase")):
        _publish(data, "Read", files.step("desktop", "readClipboard"))
        error = _run_to_end(data, "Read")["errorDetails"]

    assert "needs the desktop" in error["happened"]
    assert "patchbay serve" in error["todo"]


def test_a_start_of_the_window_starts_a_flow_once(display: dict[str, str], folder: Path) -> None:
    data = folder / "started"
    words = ("--passphrase-file", str(folder / "passphrase"), "--workspace", "local")
    document = files.flow("Good morning", files.step("desktop", "patchbayStarted"), files.trimmed(" x "))
    file = files.write(folder / "flow.json", document)

    def executions() -> Any:
        listed = run(program("execution", "list", "--json", data=data)).json
        return listed["data"] if isinstance(listed, dict) else listed

    with closing(PatchbayWindow(display, data, *words)) as first:
        first.see("push button", "Engine running")
        assert run(program("flow", "import", file, "--publish", data=data)).code == 0
        assert executions() == [], "the start before publishing counts as known"
    with closing(PatchbayWindow(display, data, *words)) as second:
        second.see("push button", "Engine running")
        until(executions)
        assert second.complaints == []

    assert [one["state"] for one in executions()] == ["success"]


def test_a_question_appears_again_in_the_next_window(display: dict[str, str], folder: Path) -> None:
    data = folder / "asked"
    words = ("--passphrase-file", str(folder / "passphrase"), "--workspace", "local")
    fields = [{"label": "Name", "type": "text"}]
    with closing(PatchbayWindow(display, data, *words)) as first:
        first.see("push button", "Engine running")
        _publish(data, "Ask twice", files.step("desktop", "askMe", title="Who is it?", fields=fields))
        started = _start(data, "Ask twice")
        first.see_at_rest("text", "Name", within="Who is it?")
    started.wait()

    with closing(PatchbayWindow(display, data, *words)) as second:
        second.click(second.see_at_rest("text", "Name", within="Who is it?"))
        second.type("Ada")
        second.press("Return")
        done = _last_step(data, "Ask twice")
        assert second.complaints == []

    assert done["dataOut"] == {"status": "submitted", "values": {"name": "Ada"}}
