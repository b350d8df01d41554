"""The window on a server that goes offline and comes back, and on one with an untrusted certificate."""

import hashlib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from tests.support import flow_files as files
from tests.support import patient
from tests.support.certificates import write_self_signed
from tests.support.forms import long_form
from tests.support.processes import Service, program, run
from tests.support.stall import FROZEN_MS, StallMeter
from tests.support.window import Window, open_window

from patchbay.bootstrap import window_controller
from patchbay.desktop.core.navigation import Tab
from patchbay.service.key_stores import MemoryKeyStore

FLOWS = ("Orders", "Second")


@dataclass
class Folder:
    """A data folder that can be served, with an API key for it."""

    data: Path
    key: str
    flow: str

    def call(self, address: str, customer: str) -> None:
        """Have the first flow run."""
        patient.post(f"{address}/webhooks/flows/{self.flow}", json={"customer": customer}).raise_for_status()

    def served(self, port: int = 0, *serve: str) -> Service:
        return Service(self.data, port=port, serve=serve)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Two flows, one published; made once, for it takes processes."""
    base = tmp_path_factory.mktemp("served")
    documents = [
        files.flow(name, files.catch(), files.trimmed("{{step.#1.body.customer}}")) for name in FLOWS
    ]
    file = files.write(base / "flows.json", documents)
    data = base / "data"
    made = run(program("flow", "import", file, "--publish", "--json", data=data)).json
    key = run(program("api-key", "create", "--json", data=data)).json["key"]
    return Folder(data, key, made[0]["id"])


@pytest.fixture(autouse=True)
def keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    home = MemoryKeyStore()
    monkeypatch.setattr(window_controller, "SystemKeyring", lambda: home)


@contextmanager
def window_on(qtbot: QtBot, data: Path, address: str, key: str) -> Iterator[Window]:
    with open_window(qtbot, data, address, api_key=key) as window:
        window.heard = []
        window.wait(lambda: window.services).notices.posted.connect(lambda n: window.heard.append(n.text))
        yield window


def texts(window: Window) -> str:
    return "\n".join(item.text() for item in window.desk.window.findChildren(QLabel) if item.isVisible())


def strip(window: Window):
    return window.desk.window.area.offline


def gone(window: Window) -> bool:
    return strip(window).isVisible() and "isn't responding" in strip(window).accessibleName()


def flows_shown(window: Window) -> list[str]:
    return [name for name in FLOWS if any(name in row for row in window.rows("Flows"))]


@long_form
def test_a_service_that_is_killed_is_shown_as_it_was_and_comes_back_by_itself(qtbot, tmp_path, folder):
    data = tmp_path / "window"
    with folder.served() as service:
        address = service.address
        with window_on(qtbot, data, address, folder.key) as window:
            folder.call(address, "Ada")
            window.tab(Tab.EXECUTIONS)
            window.wait(lambda: any("Success" in row for row in window.rows("Executions")))
            page = window.tab(Tab.FLOWS).list_page
            window.wait(lambda: flows_shown(window) == list(FLOWS))

            service.process.kill()
            window.wait(lambda: gone(window))

            stays_as_it_was(window, page)
            with folder.served(urlsplit(address).port):
                folder.call(address, "Bo")
                window.wait(lambda: not strip(window).isVisible())
                window.wait(lambda: len(window.rows("Executions")) == 2)
                assert "online" in window.desk.window.area.status.engine.words()

    with window_on(qtbot, data, address, folder.key) as window:
        window.wait(lambda: flows_shown(window) == list(FLOWS))
        window.wait(lambda: gone(window))
        window.tab(Tab.EXECUTIONS)
        window.wait(lambda: len(window.rows("Executions")) == 2)
        window.tab(Tab.FOLDERS)
        window.wait(lambda: "hasn't been loaded before" in texts(window))


def stays_as_it_was(window: Window, page) -> None:
    """Rows stay, marked as old; what a person does is refused in words, and holds nothing up."""
    assert flows_shown(window) == list(FLOWS)
    assert "offline, data from" in window.desk.window.area.status.engine.words()
    with StallMeter() as meter:
        page.view.publish_toggled.emit(page.flows.rows[0].id)
        strip(window).try_now.click()
        window.wait(lambda: any("Nothing was changed" in words for words in window.heard))
    assert meter.longest_ms < FROZEN_MS
    assert all(row.flow.active for row in page.flows.rows)
    window.tab(Tab.EXECUTIONS)
    assert window.rows("Executions")


@long_form
def test_a_certificate_is_believed_by_a_click_and_another_one_later_is_refused(qtbot, tmp_path, folder):
    for name in ("first.example.org", "second.example.org"):
        write_self_signed(tmp_path, name)
    data = tmp_path / "window"
    with folder.served(0, *tls(tmp_path, "first.example.org")) as service:
        address = service.address
        with open_window(qtbot, data, None) as window:
            dialog = window.desk.window.add_server()
            window.type(dialog.address, address)
            window.type(dialog.key.edit, folder.key)
            window.press("Connect")
            window.wait(dialog.certificate.isVisible)
            assert dialog.certificate.fingerprint.text() == fingerprint(tmp_path / "first.example.org.pem")
            assert "first.example.org" in dialog.certificate.details.text()

            window.press("Trust only this certificate")
            window.wait(lambda: flows_shown(window) == list(FLOWS))

    with (
        folder.served(urlsplit(address).port, *tls(tmp_path, "second.example.org")),
        window_on(qtbot, data, address, folder.key) as window,
    ):
        dialog = window.wait(lambda: window.desk.window.server_dialog)
        window.wait(dialog.certificate.isVisible)

        assert "isn't the one you trust" in dialog.certificate.message.accessibleName()
        told = dialog.certificate.fingerprint.text()
        assert told == fingerprint(tmp_path / "second.example.org.pem")


def tls(folder: Path, name: str) -> tuple[str, ...]:
    return "--tls-cert", str(folder / f"{name}.pem"), "--tls-key", str(folder / f"{name}.key")


def fingerprint(certificate: Path) -> str:
    """As it is shown: pairs of digits with colons."""
    digits = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate.read_text())).hexdigest().upper()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))
