"""Dialogs: head, body, and footer. Always opened with `open()`, never `exec()`."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QFrame, QVBoxLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.focus import ReadingOrder
from patchbay.desktop.kit.layout import Backdrop, FormScroll, line, surface
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme

TOP = 120
"""The least distance to the top of the window in pixels, so that a dialog that grows doesn't jump."""
MARGIN = 20
"""The space above and below a scrolling dialog within the window, in pixels."""


class Dialog(ReadingOrder, QDialog):
    """Base of all dialogs. Fill `head`, `body`, and `footer`; `add_buttons` adds the usual pair. Enter
    presses the primary button.
    """

    def __init__(self, parent: QWidget | None, title: str, width: int = 560, *, head: bool = True) -> None:
        super().__init__(parent)
        current = theme()
        if parent is None:
            current.style_window(self)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(True)
        self.setFixedWidth(current.px(width))
        self._backdrop: Backdrop | None = None
        surface(self, "surface")
        column = self._column = vbox(parent=self, spacing=0)
        # The layout's minimum height assumes the narrowest width for wrapped text; `fit` uses this width.
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        self.head = hbox(margins=(20, 18, 20, 4), spacing=12)
        self.title = Label(title, "title", wrap=True)
        if head:
            self.head.addWidget(self.title, 1)
        else:
            self.head.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self.head)
        self.body = vbox(margins=(20, 8, 20, 20), spacing=14)
        column.addLayout(self.body, 1)
        self._footer_frame = QFrame()
        surface(self._footer_frame, "sidebar")
        self.footer = hbox(parent=self._footer_frame, margins=(20, 12, 20, 12), spacing=8)
        self._line = line()
        column.addWidget(self._line)
        column.addWidget(self._footer_frame)

    def add_buttons(
        self, primary: str, on_primary: Callable[[], Any], *, cancel: str = tr("Cancel"), danger: bool = False
    ) -> tuple[Button, Button]:
        """Add Cancel and the primary button to the footer; returns (primary, cancel)."""
        yes = Button(primary, "danger" if danger else "primary", large=True)
        no = Button(cancel, large=True)
        self.footer.addStretch(1)
        self.footer.addWidget(no)
        self.footer.addWidget(yes)
        yes.clicked.connect(lambda: on_primary())
        no.clicked.connect(self.reject)
        make_default(no if danger else yes, no, yes)
        if danger:
            no.setFocus(Qt.FocusReason.OtherFocusReason)
        return yes, no

    def add_note(self, note: Label) -> None:
        """Add a text between the body and the buttons, below a line."""
        place = self._column.indexOf(self._line)
        self._column.insertWidget(place, line())
        self._column.insertLayout(place + 1, hbox(note, margins=(20, 10, 20, 10)))

    def fit(self) -> None:
        """Resize to the height that wrapped texts need; call it after showing or hiding something."""
        self._column.activate()
        wraps = self._column.hasHeightForWidth()
        wanted = self._column.totalHeightForWidth(self.width()) if wraps else self._column.sizeHint().height()
        self.resize(self.width(), wanted)
        self._center()

    def _center(self) -> None:
        """Centre the dialog in its window, within the lower edge."""
        parent = self.parentWidget()
        if parent is None or not self.isVisible():
            return
        window = parent.window()
        corner = window.mapToGlobal(QPoint(0, 0))
        left = corner.x() + (window.width() - self.width()) // 2
        above = max(theme().px(20), (window.height() - self.height()) // 2)
        self.move(left, corner.y() + min(above, theme().px(TOP)))

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest and self.isVisible():
            self.fit()  # an error below a field, or anything else, appeared or disappeared
        return handled

    def open(self) -> None:
        """Open the dialog and keep it within its window."""
        parent = self.parentWidget()
        window = parent.window() if parent is not None else None
        if window is not None:
            self._backdrop = Backdrop(window)
            self.finished.connect(self._backdrop.deleteLater)
        super().open()
        if window is not None:
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.reject()
            return
        super().keyPressEvent(event)


class ScrollDialog(Dialog):
    """A dialog whose content, in `column`, scrolls if the window is too low. It grows and shrinks with its
    content.
    """

    def __init__(self, parent: QWidget | None, title: str, width: int = 560) -> None:
        super().__init__(parent, title, width)
        self.area = FormScroll(title)
        self.area.inside.changed.connect(self._on_content_changed)
        self.column = self.area.inside.column
        self.column.setContentsMargins(self.body.contentsMargins())
        self.column.setSpacing(self.body.spacing())
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addWidget(self.area)

    def fit(self) -> None:
        """The height of the content, up to that of the window."""
        parent = self.parentWidget()
        wanted = self.area.needed_height(self.width())
        if parent is not None:
            frame = self.head.totalSizeHint().height() + self._footer_frame.sizeHint().height() + 2
            wanted = min(wanted, parent.window().height() - frame - 2 * theme().px(MARGIN))
        self.area.setFixedHeight(max(wanted, theme().px(80)))
        super().fit()

    def _on_content_changed(self) -> None:
        if self.isVisible():
            self.fit()


def make_default(default: Button, *buttons: Button) -> None:
    """Let Enter press `default`, and none of the others."""
    for button in buttons:
        button.setAutoDefault(button is default)
        button.setDefault(button is default)


def confirm(
    parent: QWidget,
    title: str,
    text: str,
    verb: str,
    danger: bool,
    on_yes: Callable[[], Any],
    *,
    cancel: str = tr("Cancel"),
) -> Dialog:
    """Asks for confirmation of something that is hard to undo. In a destructive question, Cancel has the
    focus.
    """
    dialog = Dialog(parent, title, 420)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.body.addWidget(Label(text, "body", "text_secondary", wrap=True))

    def yes() -> None:
        dialog.accept()
        on_yes()

    dialog.add_buttons(verb, yes, cancel=cancel, danger=danger)
    dialog.setAccessibleDescription(text)
    dialog.open()
    return dialog
