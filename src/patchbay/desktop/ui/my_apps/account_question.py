"""The question before a connection becomes one of another account."""

from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.surface import Card
from patchbay.desktop.ui.kit.text import Label, count
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.errors import DifferentAccount


class AccountQuestion(QWidget):
    """Both accounts by name, and what would change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before, self._now = Label("", "semibold", wrap=True), Label("", "semibold", wrap=True)
        self._message = MessageBox("warning")
        card = Card()
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme().px(16))
        grid.setVerticalSpacing(theme().px(8))
        grid.setColumnStretch(1, 1)
        rows = (("Connected until now", self._before), ("Signed in now", self._now))
        for number, (word, value) in enumerate(rows):
            grid.addWidget(Label(word, "body", "text_tertiary"), number, 0)
            grid.addWidget(value, number, 1)
        card.body.addLayout(grid)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(14))
        column.addWidget(card)
        column.addWidget(self._message)

    def ask(self, accounts: DifferentAccount, *, uses: int) -> None:
        self._before.setText(accounts.before)
        self._now.setText(accounts.now)
        who = f"{count(uses, 'flow')} would work" if uses else "Every flow that uses it would work"
        self._message.set(
            "warning", "Nothing has been changed yet",
            f"{who} with “{accounts.now}” from then on, with its data and its permissions.",
        )  # fmt: skip
        self.setAccessibleName(f"Before: {accounts.before}. Now: {accounts.now}.")
