"""What a service elsewhere says opens no program and fetches no picture on the computer of the window."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument

from patchbay.desktop.kit.browser import open_in_browser
from patchbay.desktop.my_apps.setup_guide import GuidePane
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey


@pytest.mark.parametrize(
    "address",
    [
        "file:///usr/bin/env",
        "file://elsewhere.example/share/run.exe",
        "/usr/bin/env",
        "javascript:alert(1)",
        "ms-settings:",
        "\\\\elsewhere.example\\share",
        "",
        "ssh://host",
        " file:///x",
    ],
)
def test_only_web_addresses_are_opened(monkeypatch, address):
    opened: list[QUrl] = []

    def note(url: QUrl) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", note)

    assert not open_in_browser(address)
    assert opened == []
    assert open_in_browser("https://flows.example.org/docs")


@pytest.mark.parametrize("written", ["![x]({})", "<img src='{}'>", "[![x]({})](https://flows.example.org)"])
def test_a_guide_shows_no_picture_from_anywhere(qtbot, tmp_path, written):
    picture = tmp_path / "seen.svg"
    picture.write_text("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>")
    pane = GuidePane(lambda address: True)
    qtbot.addWidget(pane)
    address = QUrl.fromLocalFile(str(picture))
    app = AppInfo(
        key=AppKey("x"), name="X", docs_markdown=f"# Guide\n\n{written.format(address.toString())}\n"
    )

    pane.show_app(app)

    assert "Guide" in pane.text.toPlainText()
    kept = pane.text.document().resource(QTextDocument.ResourceType.ImageResource.value, address)
    assert bytes(kept) == b" "
