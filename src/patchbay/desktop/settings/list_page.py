"""Base of the settings pages that list people and keys: a command on top and rows that scroll."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.badges import Tag
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.layout import FormScroll
from patchbay.desktop.kit.list_states import ListStack
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.text import ElidedLabel, Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import EpochMs
from patchbay.domain.errors import AppError

_JUST_NOW_MS = 45_000


def is_just_now(at: EpochMs, now: EpochMs) -> bool:
    """Whether a time is so recent that its age is “now”."""
    return now - at < _JUST_NOW_MS


class TwoLineRow(QWidget):
    """A row of title and description, 52 px high, with a line below. Add its buttons to `tail`."""

    def __init__(self, title: str, about: str, tag: Tag | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self.setFixedHeight(px(52))
        self.title = ElidedLabel(title, "medium")
        self.about = ElidedLabel(about, "caption", "text_secondary")
        self.tail = hbox(spacing=6)
        head = hbox((self.title, 0 if tag is not None else 1), spacing=8)
        if tag is not None:
            head.addWidget(tag)
            head.addStretch(1)
        hbox(
            (vbox(Stretch(), head, self.about, Stretch(), spacing=1), 1),
            self.tail,
            parent=self,
            margins=(0, 0, 4, 0),
            spacing=12,
        )
        self.setAccessibleName(", ".join(filter(None, (title, tag.text() if tag else "", about))))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme().tokens.row_line)


RowSpec = tuple[str, Hashable, Callable[[], QWidget]]
"""The key of a row, its content, and a function that builds it."""


class RowList(QWidget):
    """A column of rows, hidden while there are none.

    A row is rebuilt only if its content has changed. The focus is then restored, or moves to `fallback`.
    """

    def __init__(self, name: str, fallback: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.rows: dict[str, QWidget] = {}
        self._shown: dict[str, Hashable] = {}
        self._fallback = fallback
        self._column = vbox(parent=self, spacing=0)
        self.hide()

    def show_rows(self, specs: Sequence[RowSpec]) -> None:
        """Show these rows; the focus stays where it is."""
        if [(key, content) for key, content, _ in specs] == list(self._shown.items()):
            return
        focused = self._focused()
        old_rows, self.rows = self.rows, {}
        for index, (key, content, make) in enumerate(specs):
            existing = old_rows.get(key) if self._shown.get(key) == content else None
            row = self.rows[key] = existing or make()
            self._column.insertWidget(index, row)
        for row in old_rows.values():
            if row not in self.rows.values():
                self._column.removeWidget(row)
                row.hide()
                row.deleteLater()
        self._shown = {key: content for key, content, _ in specs}
        self.setVisible(bool(specs))
        if focused is not None:
            self._restore_focus(*focused)

    def _focused(self) -> tuple[str, str] | None:
        """The key of the row with the focus, and the accessible name of the focused control."""
        widget = self.window().focusWidget()
        for key, row in self.rows.items():
            if widget is not None and row.isAncestorOf(widget):
                return key, widget.accessibleName()
        return None

    def _restore_focus(self, key: str, name: str) -> None:
        row = self.rows.get(key)
        controls = row.findChildren(QWidget) if row is not None else []
        same = next((item for item in controls if item.accessibleName() == name), None)
        target = same if same is not None and same.isEnabled() else self._fallback
        target.setFocus(Qt.FocusReason.OtherFocusReason)


class SettingsListPage(QWidget):
    """A settings page with a list. `content` is the column that scrolls, `head` the row above it."""

    def __init__(self, name: str, about: str, command: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self.dialog: Dialog | None = None
        self._on_loaded: Callable[[], object] | None = None
        self.command = Button(command, icon="plus")
        self.problem = MessageBox("failure", parent=self)
        self.success_label = ElidedLabel("", "caption", "text_secondary")
        self.head = hbox(self.command, Stretch(), spacing=8)
        scroll = FormScroll(name)
        self.content = scroll.inside.column
        self.content.setContentsMargins(px(4), 0, px(14), px(4))
        self.content.setSpacing(px(10))
        self.list = ListStack(scroll)
        self.about = Label(about, "body", "text_secondary", wrap=True)
        self.foot = vbox(self.success_label, margins=(4, 0, 14, 0), spacing=6)
        self._filler = QWidget()
        """Takes up the space of the list while it is hidden."""
        vbox(
            vbox(self.about, self.head, self.problem, margins=(4, 0, 14, 0), spacing=10),
            (self.list, 1),
            self.foot,
            (self._filler, 1),
            parent=self,
            spacing=10,
        )
        self._filler.hide()

    def show_problem(self, unavailable_reason: str | None, title: str, problem: AppError | None) -> None:
        """Show why the page is unavailable, or why the last command failed."""
        if unavailable_reason is not None:
            self.problem.set("neutral", title, unavailable_reason)
        elif problem is not None:
            self.problem.show_error(problem, takes_focus=False)
        self.problem.setVisible(unavailable_reason is not None or problem is not None)

    def set_list_hidden(self, hidden: bool) -> None:
        """Hide or show the list and its description. Hidden if the page is unavailable here."""
        self.about.setVisible(not hidden)
        self.list.setVisible(not hidden)
        self._filler.setVisible(hidden)

    def show_state(self, error: AppError | None, retry: Callable[[], object], waiting: str) -> None:
        """Show in place of the rows that they are loading, or why they couldn't be loaded."""
        if error is not None:
            self.list.show_page().show_error(error, retry)
        else:
            self.list.show_page().show_loading(waiting)

    def show_success(self, text: str) -> None:
        """Show a success message below the list."""
        self.success_label.setText(text)
        self.success_label.setVisible(bool(text))

    def open_dialog(self, dialog: Dialog) -> Dialog:
        """Show a dialog over the page. `self.dialog` is the open one; None if there is none."""
        self._track_dialog(dialog)
        dialog.open()
        return dialog

    def run_when_loaded(self, on_loaded: Callable[[], object]) -> None:
        """Call `on_loaded` once the list is loaded, immediately if it is."""
        self._on_loaded = on_loaded
        if self.list.is_showing_rows or self.list.page.kind == "empty":
            self.on_list_loaded()

    def on_list_loaded(self) -> None:
        """Call the function passed to `run_when_loaded`, if any."""
        on_loaded, self._on_loaded = self._on_loaded, None
        if on_loaded is not None:
            on_loaded()

    def ask(self, title: str, text: str, verb: str, on_yes: Callable[[], object]) -> None:
        """Ask for confirmation of something that can't be undone."""
        self._track_dialog(confirm(self, title, text, verb, True, on_yes))

    def _track_dialog(self, dialog: Dialog) -> None:
        self.dialog = dialog
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(partial(self._dialog_closed, dialog))

    def _dialog_closed(self, dialog: Dialog, _: int) -> None:
        if self.dialog is dialog:
            self.dialog = None
