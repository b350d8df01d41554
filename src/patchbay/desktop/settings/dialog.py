"""The settings dialog: a list of sections; changes take effect immediately, without an OK button."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import (
    QListWidget,
    QStackedWidget,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.item_views import RowDelegate, paint_row_background
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.shortcuts import FIND_KEYS
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.settings.pages import SETTINGS_SECTIONS, SettingsSection
from patchbay.desktop.settings.search_pane import Reveal, SearchPane
from patchbay.desktop.settings.view_models.search import SettingEntry
from patchbay.desktop.settings.window_options import ShellOptions


class SettingsDialog(Dialog):
    """The settings dialog, 760 x 560.

    A page is created when it is first shown. `appearance_changed` carries all appearance settings each time,
    `language_changed` language and formats; `audit_log_requested` opens the audit log, which is a dialog of
    its own.
    """

    appearance_changed = Signal(object)
    language_changed = Signal(object)
    test_interval_changed = Signal(float)
    audit_log_requested = Signal()
    on_close_changed = Signal(str)
    restore_requested = Signal(object, str)
    """Emitted with the file of a backup and its passphrase."""
    repair_requested = Signal()
    help_requested = Signal(str)
    """Emitted with the title of the page that is shown (F1)."""

    def __init__(
        self,
        parent: QWidget,
        options: ShellOptions,
        services: Services | None = None,
        *,
        open_address: Callable[[QUrl], object] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent, tr("Settings"), 760, head=False)
        self.options = options
        self.services = services
        self.open_address = open_address
        self.setFixedHeight(theme().px(560))
        self.body.setContentsMargins(0, 0, 0, 0)
        self._pages: dict[str, QWidget] = {}
        self._stack = QStackedWidget()
        self.list = self._build_section_list()
        self.search = SearchPane(self.list)
        self.search.chosen.connect(self.show_setting)
        row = hbox(self.search, line(vertical=True), (self._stack, 1), spacing=0)
        self.body.addLayout(row)
        self.list.currentRowChanged.connect(lambda row: self.page(SETTINGS_SECTIONS[row].title))
        self.list.setCurrentRow(0)
        find_key = QShortcut(QKeySequence(FIND_KEYS), self)
        find_key.activated.connect(self._focus_search)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        help_key = QShortcut(QKeySequence("F1"), self)
        help_key.activated.connect(lambda: self.help_requested.emit(self._current_section().title))
        close, cancel = self.add_buttons(tr("Close"), self.accept)
        close.setDefault(False)
        cancel.hide()

    def show_setting(self, entry: SettingEntry) -> None:
        """Show the page of a setting, and focus and highlight its control."""
        self.show_page(entry.page)
        Reveal(self.page(entry.page), entry)

    def _current_section(self) -> SettingsSection:
        return SETTINGS_SECTIONS[self.list.currentRow()]

    def _focus_search(self) -> None:
        self.search.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.field.selectAll()

    def restore(self, file: Path, passphrase: str) -> None:
        """Close the settings, and ask the window to replace the workspace with a backup."""
        self.accept()
        self.restore_requested.emit(file, passphrase)

    def repair(self) -> None:
        """Close the settings, and ask the window to repair the database."""
        self.accept()
        self.repair_requested.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep Enter in a text field from pressing a button of the dialog. Esc ends the search first."""
        if event.key() == Qt.Key.Key_Escape and self.search.field.text():
            self.search.field.clear()
            self._focus_search()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def show_page(self, title: str) -> None:
        """Show the page with this title."""
        self.list.setCurrentRow([section.title for section in SETTINGS_SECTIONS].index(title))

    def page(self, title: str) -> Any:
        """Show the page with this title, and return its content."""
        section = next(section for section in SETTINGS_SECTIONS if section.title == title)
        if title not in self._pages:
            page_widget = self._pages[title] = self._build_page(section)
            self._stack.addWidget(_framed(section, page_widget))
        frame = self._pages[title].parentWidget()
        assert frame is not None
        self._stack.setCurrentWidget(frame)
        return self._pages[title]

    def _build_page(self, section: SettingsSection) -> QWidget:
        """The page, or why it is empty while no workspace is open."""
        if section.make is not None:
            return section.make(self)
        if self.services is not None and section.build_for_workspace is not None:
            return section.build_for_workspace(self, self.services)
        notice = Label(section.closed, "body", "text_secondary", wrap=True)
        notice.setAlignment(Qt.AlignmentFlag.AlignTop)
        return notice

    def _build_section_list(self) -> QListWidget:
        section_list = QListWidget()
        section_list.setAccessibleName(tr("Settings"))
        section_list.setItemDelegate(_SectionDelegate(section_list))
        section_list.setMouseTracking(True)
        surface(section_list, "sidebar")
        for section in SETTINGS_SECTIONS:
            section_list.addItem(section.label)
        return section_list


class _SectionDelegate(RowDelegate):
    """Paints the rows of the list of sections."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, height=34)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(theme().px(120), self.row_height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        px = theme().px
        paint_row_background(painter, option, rule=False)
        rect = QRectF(option.rect)
        mark = QRectF(rect.x() + px(14), rect.y(), px(20), rect.height())
        paint_icon(painter, mark, SETTINGS_SECTIONS[index.row()].icon)
        paint_text(painter, rect.adjusted(px(42), 0, -px(8), 0), str(index.data()))


def _framed(section: SettingsSection, page_widget: QWidget) -> QWidget:
    """The page below its title. Scrolling content is indented by 4 px to leave room for focus rings."""
    px = theme().px
    frame = QWidget()
    surface(frame, "surface")
    column = QVBoxLayout(frame)
    title = Label(section.label, "title")
    if section.scrolls:
        column.setContentsMargins(px(20), px(22), px(10), px(10))
        title.setContentsMargins(px(4), 0, 0, 0)
    else:
        column.setContentsMargins(px(24), px(22), px(24), px(20))
    column.setSpacing(px(14))
    column.addWidget(title)
    column.addWidget(page_widget, 1)
    return frame
