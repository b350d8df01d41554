"""The app's own guide to its connection, beside the form."""

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.surface import surface
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.apps import AppInfo

WIDTH = 340


class GuidePane(QWidget):
    """Markdown that comes with the app; its links open in the system browser."""

    close_asked = Signal()

    def __init__(self, open_url: Callable[[str], bool], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self._open_url, self._address = open_url, ""
        surface(self, "sidebar")
        self.setFixedWidth(px(WIDTH))
        self.close_button = IconButton("x", "Hide the guide", small=True)
        self.close_button.clicked.connect(self.close_asked)
        head = QHBoxLayout()
        head.addWidget(Label("Set-up guide", "semibold"), 1)
        head.addWidget(self.close_button)
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.viewport().setAutoFillBackground(False)
        self.text.document().setDocumentMargin(0)
        self.text.anchorClicked.connect(self._follow)
        self.more = Button("Open in the browser", "link", "external-link")
        self.more.clicked.connect(lambda: self._open_url(self._address))
        column = QVBoxLayout(self)
        column.setContentsMargins(px(20), px(14), px(14), px(14))
        column.setSpacing(px(8))
        column.addLayout(head)
        column.addWidget(self.text, 1)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)

    def show_app(self, app: AppInfo) -> None:
        """Show the guide of an app; its documentation elsewhere is one click away."""
        self.text.setAccessibleName(f"How to connect {app.name}")
        self.text.setMarkdown(app.docs_markdown)
        self._address = app.auth_doc_url
        self.more.setVisible(app.auth_doc_url.startswith(("https://", "http://")))

    def _follow(self, link: QUrl) -> None:
        self._open_url(link.toString())


def has_guide(app: AppInfo | None) -> bool:
    return app is not None and bool(app.docs_markdown)
