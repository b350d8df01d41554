"""The documentation in a window of its own (F1): a list of pages to search, and the page."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, QUrl
from PySide6.QtGui import QImage, QKeyEvent, QPainter, QTextDocument
from PySide6.QtWidgets import QFrame, QListWidget, QStyleOptionViewItem, QTextBrowser, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.focus import ReadingOrder
from patchbay.desktop.kit.item_views import RowDelegate, paint_row_background
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.shell.view_models.help_pages import (
    START,
    HelpPage,
    HelpPages,
    load_pages,
    resolve_link,
    to_html,
)
from patchbay.desktop.tasks import LatestRequest, Tasks

SIZE = (980, 700)
MIN_SIZE = (640, 420)
LIST_WIDTH = 260
MAX_PICTURE_WIDTH = 620
_STYLE = """
h1 {{ font-size: {title}px; }} h2 {{ font-size: {section}px; }} h3 {{ font-size: {body}px; }}
a {{ color: {link}; text-decoration: none; }}
code, pre {{ font-family: {mono}; background-color: {soft}; }}
td, th {{ padding: 4px 8px; border: 1px solid {border}; text-align: left; vertical-align: top; }}
table {{ border-collapse: collapse; }}
"""


class HelpWindow(ReadingOrder, QWidget):
    """Shows the pages of `folder`. Links to other addresses open in the browser."""

    def __init__(self, folder: Path, tasks: Tasks, open_address: Callable[[QUrl], object]) -> None:
        super().__init__(None, Qt.WindowType.Window)
        theme().style_window(self)
        self.setWindowTitle(tr("Patchbay help"))
        self.setAccessibleName(tr("Patchbay help"))
        self.setMinimumSize(*MIN_SIZE)
        self.resize(*SIZE)
        self._folder, self._open_address = folder, open_address
        self._requests = LatestRequest(tasks, self)
        self._pages: HelpPages | None = None
        self._listed: tuple[HelpPage, ...] = ()
        self._wanted = (START, "")
        self.path = ""
        """The page that is shown."""
        self.search = SearchField(tr("Search the documentation"))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Pages"))
        self.list.setItemDelegate(_PageDelegate(self.list))
        self.list.setMouseTracking(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.empty = Label(tr("No page contains these words."), "body", "text_secondary", wrap=True)
        self.empty.hide()
        self.text = _PageText(folder)
        self.text.anchorClicked.connect(self._open_link)
        self.search.text_changed.connect(self._show_list)
        self.search.returnPressed.connect(self._open_first)
        self.list.currentRowChanged.connect(self._on_row_changed)
        side = QWidget()
        side.setFixedWidth(theme().px(LIST_WIDTH))
        surface(side, "sidebar")
        surface(self.list, "sidebar")
        surface(self, "surface")
        vbox(self.search, self.empty, (self.list, 1), parent=side, margins=(12, 12, 12, 12), spacing=10)
        hbox(side, line(vertical=True), (self.text, 1), parent=self, spacing=0)
        self._requests.run(asyncio.to_thread(load_pages, folder), done=self._on_loaded)
        self.search.setFocus()

    def show_page(self, path: str, anchor: str = "") -> None:
        """Show a page, once the pages are read."""
        self._wanted = (path, anchor)
        if self._pages is not None and (page := self._pages.page(path)) is not None:
            self._select(path)
            if path == self.path:
                self._scroll_to(anchor)
            else:
                work = asyncio.to_thread(to_html, page)
                self._requests.run(work, done=lambda html: self._on_rendered(path, anchor, html))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _on_loaded(self, pages: HelpPages) -> None:
        self._pages = pages
        self._show_list(self.search.text())
        self.show_page(*self._wanted)

    def _on_rendered(self, path: str, anchor: str, html: str) -> None:
        self.path = path
        self.text.show_html(path, html)
        self._scroll_to(anchor)

    def _scroll_to(self, anchor: str) -> None:
        if anchor:
            self.text.scrollToAnchor(anchor)
        else:
            self.text.verticalScrollBar().setValue(0)

    def _show_list(self, query: str) -> None:
        if self._pages is None:
            return
        self._listed = self._pages.search(query)
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([page.title for page in self._listed])
        self.list.blockSignals(False)
        self._select(self.path)
        self.empty.setVisible(not self._listed)

    def _select(self, path: str) -> None:
        row = next((number for number, page in enumerate(self._listed) if page.path == path), -1)
        self.list.blockSignals(True)
        self.list.setCurrentRow(row)
        self.list.blockSignals(False)

    def _on_row_changed(self, row: int) -> None:
        if 0 <= row < len(self._listed):
            self.show_page(self._listed[row].path)

    def _open_first(self) -> None:
        if self._listed:
            self.show_page(self._listed[0].path)

    def _open_link(self, link: QUrl) -> None:
        if link.scheme() in ("http", "https"):
            self._open_address(link)
        elif not link.scheme():
            self.show_page(*resolve_link(self.path, link.toString()))


class _PageDelegate(RowDelegate):
    """Paints the rows of the list of pages."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, height=30)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        paint_row_background(painter, option, rule=False)
        px = theme().px
        paint_text(painter, QRectF(option.rect).adjusted(px(10), 0, -px(8), 0), str(index.data()))


class _PageText(QTextBrowser):
    """A page. Pictures come from the documentation only, and fit into the page."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder, self._path, self._html = folder, START, ""
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        theme().changed.connect(self._restyle)
        self.setAccessibleName(tr("Page"))
        self.document().setDocumentMargin(theme().px(20))

    def show_html(self, path: str, html: str) -> None:
        """Show the HTML of the page with this path."""
        self._path, self._html = path, html
        current, tokens = theme(), theme().tokens
        style = _STYLE.format(
            title=current.px(22),
            section=current.px(17),
            body=current.px(14),
            link=tokens.accent_text.name(),
            mono=current.font("code").family(),
            soft=tokens.window.name(),
            border=tokens.border.name(),
        )
        self.document().setDefaultStyleSheet(style)
        self.setHtml(html)

    def _restyle(self) -> None:
        place = self.verticalScrollBar().value()
        self.show_html(self._path, self._html)
        self.verticalScrollBar().setValue(place)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(600), theme().px(500))

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return b" "  # for nothing at all, Qt would look for a file itself
        link = name.toString() if isinstance(name, QUrl) else name
        file = self._folder / resolve_link(self._path, link)[0]
        picture = QImage(str(file))
        width = theme().px(MAX_PICTURE_WIDTH)
        if picture.width() > width:
            return picture.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
        return picture
