"""What pages about people and keys have in common: a command on top, rows that scroll, words below."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.dialogs import Dialog, confirm
from patchbay.desktop.ui.kit.form_scroll import FormScroll
from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.states import ListStack
from patchbay.desktop.ui.kit.text import ElidedLabel, Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.errors import AppError


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
        self.head = QHBoxLayout()
        self.head.setSpacing(px(8))
        self.head.addWidget(self.command)
        self.head.addStretch(1)
        scroll = FormScroll(name)
        self.inside = scroll.inside.column
        self.inside.setContentsMargins(px(4), 0, px(14), px(4))
        self.inside.setSpacing(px(10))
        self.list = ListStack(scroll)
        top = QVBoxLayout()
        top.setContentsMargins(px(4), 0, px(14), 0)
        top.setSpacing(px(10))
        self.about = Label(about, "body", "text_secondary", wrap=True)
        top.addWidget(self.about)
        top.addLayout(self.head)
        top.addWidget(self.problem)
        self.foot = QVBoxLayout()
        self.foot.setContentsMargins(px(4), 0, px(14), 0)
        self.foot.setSpacing(px(6))
        self.foot.addWidget(self.said)
        self._filler = QWidget()
        """Below the reason where there is no list."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(10))
        column.addLayout(top)
        column.addWidget(self.list, 1)
        column.addLayout(self.foot)
        column.addWidget(self._filler, 1)
        self._filler.hide()

    def show_problem(self, missing: str | None, title: str, problem: AppError | None) -> None:
        """Why nothing can be done here, or why the last thing was not done."""
        if missing is not None:
            self.problem.set("neutral", title, missing)
        elif problem is not None:
            self.problem.show_error(problem, takes_focus=False)
        self.problem.setVisible(missing is not None or problem is not None)

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
        if self.list.showing_rows or self.list.page.kind == "empty":
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
