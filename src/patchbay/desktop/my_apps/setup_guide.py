"""The set-up guide of an app, beside the connection form."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QByteArray, Qt, QUrl, Signal
from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.layout import surface
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import AppInfo

WIDTH = 340


class _GuideText(QTextBrowser):
    """A text browser that loads no resources: a guide may come from an untrusted server."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        return QByteArray(b" ")  # for nothing at all, Qt would look for a file itself


class GuidePane(QWidget):
    """Shows Markdown that comes with the app; links open in the system browser."""

    close_requested = Signal()

    def __init__(self, open_url: Callable[[str], bool], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self._open_url, self._address = open_url, ""
        surface(self, "sidebar")
        self.setFixedWidth(px(WIDTH))
        self.close_button = IconButton("x", tr("Hide guide"), small=True)
        self.close_button.clicked.connect(self.close_requested)
        self.text = _GuideText()
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setProperty("bare", True)
        self.text.viewport().setAutoFillBackground(False)
        self.text.anchorClicked.connect(self._open_link)
        self.more = Button(tr("Open in browser"), "link", "external-link")
        self.more.clicked.connect(lambda: self._open_url(self._address))
        vbox(
            hbox((Label(tr("Set-up guide"), "semibold"), 1), self.close_button),
            (self.text, 1),
            (self.more, 0, Qt.AlignmentFlag.AlignLeft),
            parent=self,
            margins=(20, 14, 14, 14),
            spacing=8,
        )

    def show_app(self, app: AppInfo) -> None:
        """Show the guide of an app, with a link to its web documentation."""
        self.text.setAccessibleName(tr("How to connect {app}", app=app.name))
        self.text.setMarkdown(app.docs_markdown)
        self.text.document().setDocumentMargin(0)
        _set_text_sizes(self.text.document())
        self._address = guide_url(app)
        self.more.setVisible(bool(self._address))

    def _open_link(self, link: QUrl) -> None:
        self._open_url(link.toString())


def _set_text_sizes(document: QTextDocument) -> None:
    """Apply the theme's heading sizes and paragraph spacing."""
    block, cursor = document.begin(), QTextCursor(document)
    while block.isValid():
        cursor.setPosition(block.position())
        level, style = block.blockFormat().headingLevel(), block.blockFormat()
        style.setBottomMargin(theme().px(6))
        style.setTopMargin(theme().px(8 if level and block.blockNumber() else 0))
        style.setLineHeight(theme().px(3), QTextBlockFormat.LineHeightTypes.LineDistanceHeight.value)
        cursor.setBlockFormat(style)
        if level:
            font = QTextCharFormat()
            font.setFont(theme().font("title" if level == 1 else "semibold"))
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(font)
        block = block.next()


def has_guide(app: AppInfo | None) -> bool:
    """Whether the app has a set-up guide, bundled or on the web."""
    return app is not None and bool(app.docs_markdown or guide_url(app))


def guide_url(app: AppInfo) -> str:
    """Return the web address of the guide; empty if there is none."""
    return app.auth_doc_url if app.auth_doc_url.startswith(("https://", "http://")) else ""
