"""Limits by app, as a part of the engine's page of the settings."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.state.call_limits import AppLimit
from patchbay.desktop.state.engine_settings import EngineSettingsViewModel
from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.text import ElidedLabel, Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.limits.dialogs import AppLimitDialog

_HELP = (
    "How often an app may be called, by all its connections together. Steps beyond it wait for their turn. "
    "A connection can have a limit of its own, in My Apps."
)


class AppLimitsSection(QWidget):
    """The limits in force, each to be changed or removed, and a button for another one."""

    def __init__(self, model: EngineSettingsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[AppLimit, ...] | None = None
        self.rows: dict[str, LimitRow] = {}
        self.dialog: Dialog | None = None
        self.add = Button("Limit an app…", icon="plus")
        self.add.clicked.connect(self.open_new_dialog)
        self._list = QVBoxLayout()
        self._list.setSpacing(theme().px(2))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(8))
        column.addWidget(Label("Limits by app", "medium"))
        column.addWidget(Label(_HELP, "caption", "text_tertiary", wrap=True))
        column.addLayout(self._list)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)

    def show_limits(self) -> None:
        """As the settings are now; rows are made anew only when one of them changed."""
        limits = self._model.limits
        set_available(self.add, None if self._model.limitable else "Every app has a limit.")
        if limits == self._shown:
            return
        self._shown = limits
        for row in self.rows.values():
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = {limit.key: self._row(limit) for limit in limits}
        for row in self.rows.values():
            self._list.addWidget(row)

    def open_new_dialog(self) -> None:
        apps = [(app.key, app.name) for app in self._model.limitable]
        self._open(AppLimitDialog(self, apps, None, self._model.limit_app))

    def edit_limit(self, limit: AppLimit) -> None:
        self._open(AppLimitDialog(self, [(limit.key, limit.name)], limit.limit, self._model.limit_app))

    def _row(self, limit: AppLimit) -> "LimitRow":
        row = LimitRow(limit, self)
        row.change.clicked.connect(partial(self.edit_limit, limit))
        row.remove.clicked.connect(partial(self._remove, limit))
        return row

    def _remove(self, limit: AppLimit) -> None:
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)  # the row goes
        self._model.limit_app(limit.key, None)

    def _open(self, dialog: Dialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._on_dialog_closed)
        self.dialog = dialog
        dialog.open()

    def _on_dialog_closed(self) -> None:
        self.dialog = None
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)


class LimitRow(QWidget):
    """One app: its name, its limit in words, change, and remove where the settings say it."""

    def __init__(self, limit: AppLimit, parent: QWidget) -> None:
        super().__init__(parent)
        self.words = ElidedLabel(limit.words[:1].upper() + limit.words[1:], "body", "text_secondary")
        self.change = IconButton("pencil", f"Change the limit of {limit.name}", small=True)
        self.remove = IconButton("x", f"Remove the limit of {limit.name}", small=True)
        size_policy = self.remove.sizePolicy()
        size_policy.setRetainSizeWhenHidden(True)
        self.remove.setSizePolicy(size_policy)
        name = ElidedLabel(limit.name, "body")
        name.setFixedWidth(theme().px(150))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(8))
        row.addWidget(name)
        row.addWidget(self.words, 1)
        row.addWidget(self.change)
        row.addWidget(self.remove)
        self.remove.setVisible(limit.chosen)
        self.setAccessibleName(f"{limit.name}: {limit.words}")
