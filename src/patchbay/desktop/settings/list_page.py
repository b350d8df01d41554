"""Base of the settings pages that list people and keys: a command on top and rows that scroll."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.chips import Tag
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.layout import FormScroll
from patchbay.desktop.kit.list_states import ListStack
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.text import ElidedLabel, Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.errors import AppError


class TwoLineRow(QWidget):
    """52 px, a hairline below. Fill `tail` with what can be done."""

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
"""The key of a row, what it shows, and how to make it."""


class RowList(QWidget):
    """Rows one below the other; hidden while there are none. A row is made anew only when what it shows has
    changed; whoever had the focus in it has it again, or `fallback` has it.
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
        """The row with the focus, and the name of the control that has it."""
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
    """Fills its page of the settings. `inside` is the column that scrolls; `head` the line above it."""

    def __init__(self, name: str, about: str, command: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self.dialog: Dialog | None = None
        self._on_loaded: Callable[[], object] | None = None
        self.command = Button(command, icon="plus")
        self.problem = MessageBox("failure", parent=self)
        self.said = ElidedLabel("", "caption", "text_secondary")
        self.head = hbox(self.command, Stretch(), spacing=8)
        scroll = FormScroll(name)
        self.inside = scroll.inside.column
        self.inside.setContentsMargins(px(4), 0, px(14), px(4))
        self.inside.setSpacing(px(10))
        self.list = ListStack(scroll)
        self.about = Label(about, "body", "text_secondary", wrap=True)
        self.foot = vbox(self.said, margins=(4, 0, 14, 0), spacing=6)
        self._filler = QWidget()
        """Below the reason where there is no list."""
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
        """Why nothing can be done here, or why the last thing was not done."""
        if unavailable_reason is not None:
            self.problem.set("neutral", title, unavailable_reason)
        elif problem is not None:
            self.problem.show_error(problem, takes_focus=False)
        self.problem.setVisible(unavailable_reason is not None or problem is not None)

    def hide_list(self, closed: bool) -> None:
        """Show no list at all: nothing of it can be seen from here."""
        self.about.setVisible(not closed)
        self.list.setVisible(not closed)
        self._filler.setVisible(closed)

    def show_state(self, error: AppError | None, retry: Callable[[], object], waiting: str) -> None:
        """In place of the rows: why they could not be read, or that they are being read."""
        if error is not None:
            self.list.show_page().show_error(error, retry)
        else:
            self.list.show_page().show_loading(waiting)

    def say(self, text: str) -> None:
        """What was done, below the list."""
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def open_dialog(self, dialog: Dialog) -> Dialog:
        """Show a dialog over the page; `dialog` is the one that is open, None when there is none."""
        self._track_dialog(dialog)
        dialog.open()
        return dialog

    def run_when_loaded(self, on_loaded: Callable[[], object]) -> None:
        """Do something as soon as the list is there; at once when it is."""
        self._on_loaded = on_loaded
        if self.list.is_showing_rows or self.list.page.kind == "empty":
            self.arrived()

    def arrived(self) -> None:
        """The list is there."""
        on_loaded, self._on_loaded = self._on_loaded, None
        if on_loaded is not None:
            on_loaded()

    def ask(self, title: str, text: str, verb: str, on_yes: Callable[[], object]) -> None:
        """Ask before something that cannot be taken back."""
        self._track_dialog(confirm(self, title, text, verb, True, on_yes))

    def _track_dialog(self, dialog: Dialog) -> None:
        self.dialog = dialog
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(partial(self._dialog_closed, dialog))

    def _dialog_closed(self, dialog: Dialog, _: int) -> None:
        if self.dialog is dialog:
            self.dialog = None
