"""The question before a connection becomes one of another account."""

from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.surface import Card
from patchbay.desktop.ui.kit.text import Label, count
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.errors import DifferentAccount


class AccountChangeWarning(QWidget):
    """Both accounts by name, and what would change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._previous_account, self._new_account = (
            Label("", "semibold", wrap=True),
            Label("", "semibold", wrap=True),
        )
        self._message = MessageBox("warning")
        card = Card()
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme().px(16))
        grid.setVerticalSpacing(theme().px(8))
        grid.setColumnStretch(1, 1)
        rows = (("Connected until now", self._previous_account), ("Signed in now", self._new_account))
        for number, (label, value) in enumerate(rows):
            grid.addWidget(Label(label, "body", "text_tertiary"), number, 0)
            grid.addWidget(value, number, 1)
        card.body.addLayout(grid)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(14))
        column.addWidget(card)
        column.addWidget(self._message)

    def show_accounts(self, accounts: DifferentAccount, *, flow_count: int) -> None:
        self._previous_account.setText(accounts.before)
        self._new_account.setText(accounts.now)
        affected = (
            f"{count(flow_count, 'flow')} would work" if flow_count else "Every flow that uses it would work"
        )
        self._message.set(
            "warning", "Nothing has been changed yet",
            f"{affected} with “{accounts.now}” from then on, with its data and its permissions.",
        )  # fmt: skip
        self.setAccessibleName(f"Before: {accounts.before}. Now: {accounts.now}.")
