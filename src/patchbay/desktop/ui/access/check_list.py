"""What a test of the public address found: each call with its mark and words."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.accessibility import Spoken
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.marks import paint_mark
from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.surface import Card
from patchbay.desktop.ui.kit.text import ElidedLabel, Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.errors import AppError
from patchbay.domain.hosting import AddressCheck, AddressTest


class AddressTestResults(QWidget):
    """Hidden until there is something to tell."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[AddressTest | None, AppError | None] = (None, None)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.hide()

    def show_test(self, test: AddressTest | None, error: AppError | None) -> None:
        """The outcome of a test, or why it could not be made."""
        if (test, error) == self._shown:
            return
        self._shown = test, error
        while item := self._column.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        if error is not None:
            words = " ".join(filter(None, (error.meaning, error.todo)))
            self._column.addWidget(MessageBox("failure", error.happened, words))
        elif test is not None:
            self._column.addWidget(_outcome(test))
        self.setVisible(test is not None or error is not None)


def _outcome(test: AddressTest) -> QWidget:
    card = Card(padding=12)
    card.body.setSpacing(theme().px(10))
    card.line_token = "border" if test.ok else "failure_border"
    title = "Calls to this address arrive here" if test.ok else "Calls to this address do not all arrive here"
    head = Label(title, "semibold", wrap=True)
    card.body.addWidget(head)
    for check in test.checks:
        card.body.addWidget(_CheckRow(check))
    card.setAccessibleName(f"{test.address}: {title}")
    return card


class _CheckRow(Spoken, QWidget):
    """One call: what was asked, where, and what came back."""

    def __init__(self, check: AddressCheck) -> None:
        super().__init__()
        px = theme().px
        self._ok = check.ok
        name = Label(check.name, "medium")
        address = ElidedLabel(check.url, "caption", "text_tertiary")
        words = Label(check.words, "body", "text_secondary" if check.ok else "failure", wrap=True)
        head = QHBoxLayout()
        head.setSpacing(px(8))
        head.addWidget(name)
        head.addWidget(address, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(24), 0, 0, 0)
        column.setSpacing(px(2))
        column.addLayout(head)
        column.addWidget(words)
        result = "arrives" if check.ok else "does not arrive"
        self.setAccessibleName(f"{check.name} {result}: {check.words}")

    def paintEvent(self, event: QPaintEvent) -> None:
        px, tokens = theme().px, theme().tokens
        painter = QPainter(self)
        area = QRectF(0, px(1), px(16), px(16))
        if self._ok:
            paint_icon(painter, area, "circle-check", "success")
        else:
            paint_mark(painter, area, "circle-x", tokens.failure, tokens.surface)
