"""Small dialogs about limits: of one connection, of an app."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from patchbay.desktop.state.call_limits import calls_words
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.inputs import ComboBox, FormField
from patchbay.desktop.ui.kit.radio import Radio
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.limits.limit_field import LimitField
from patchbay.domain.base import AppKey
from patchbay.domain.connections import Connection
from patchbay.domain.engine import RateLimit

WIDTH = 440
_WAIT_HELP = "Steps beyond it wait for their turn; nothing fails because of it."


class ConnectionLimitDialog(Dialog):
    """Asks how often one connection may be used; typing a number chooses to have a limit."""

    def __init__(
        self,
        parent: QWidget,
        connection: Connection,
        app_name: str,
        on_limit: Callable[[RateLimit | None], object],
    ) -> None:
        super().__init__(parent, f"Limit calls of “{connection.screen_name}”", WIDTH)
        self._on_limit, self._app_name = on_limit, app_name
        self.no_limit, self.own_limit = Radio("No limit of its own"), Radio("A limit for all flows together")
        self.app_limit_label = Label("", "caption", "text_secondary", wrap=True)
        self.limit = LimitField()
        self.field = FormField("At most", self.limit, help=_WAIT_HELP)
        self._lay_out()
        self.limit.set_value(connection.rate_limit)
        (self.own_limit if connection.rate_limit else self.no_limit).setChecked(True)
        self.set_app_limit(None)
        self.limit.edited.connect(self._edited)
        self.no_limit.clicked.connect(self._clear_errors)
        self.own_limit.clicked.connect(self.limit.calls.setFocus)
        self.add_buttons("Save", self._submit)
        self.limit.calls.setFocus()
        self.limit.calls.selectAll()

    def set_app_limit(self, limit: RateLimit | None) -> None:
        """What holds for all connections of the app together, once it is known."""
        name = self._app_name
        text = f"{name} as a whole makes {calls_words(limit)}; that holds in any case." if limit else (
            "Calls are made as the flows need them."
        )  # fmt: skip
        self.app_limit_label.setText(text)
        self.no_limit.setAccessibleDescription(text)

    def _lay_out(self) -> None:
        choices = QVBoxLayout()
        choices.setSpacing(theme().px(4))
        for radio, detail in ((self.no_limit, self.app_limit_label), (self.own_limit, self.field)):
            indented_column = QVBoxLayout()
            indented_column.setContentsMargins(theme().px(24), 0, 0, theme().px(6))
            indented_column.addWidget(detail)
            choices.addWidget(radio)
            choices.addLayout(indented_column)
        self.body.addLayout(choices)

    def _edited(self) -> None:
        self.own_limit.setChecked(True)
        self._clear_errors()

    def _clear_errors(self) -> None:
        self.field.set_error(None)
        self.limit.clear_errors()

    def _submit(self) -> None:
        limit_read: RateLimit | None = None
        if self.own_limit.isChecked():
            limit_read, wrong = self.limit.read_limit()
            if wrong:
                self.field.set_error(wrong)
                return
        self.accept()
        self._on_limit(limit_read)


class AppLimitDialog(Dialog):
    """Asks how often an app may be called: one chosen among `apps` (keys and names); with a limit to
    change, the only one of them.
    """

    def __init__(
        self,
        parent: QWidget,
        apps: Sequence[tuple[AppKey, str]],
        limit: RateLimit | None,
        on_limit: Callable[[AppKey, RateLimit], object],
    ) -> None:
        title = "Limit an app" if limit is None else f"Limit of {apps[0][1]}"
        super().__init__(parent, title, WIDTH)
        self._on_limit = on_limit
        self.app = ComboBox("App", large=True)
        self.app.set_options(list(apps))
        self.limit = LimitField()
        self.limit.set_value(limit)
        self.field = FormField("At most", self.limit, help=f"All its connections together. {_WAIT_HELP}")
        if limit is None:
            self.body.addWidget(FormField("App", self.app))
        self.body.addWidget(self.field)
        self.limit.edited.connect(self._clear_errors)
        self.add_buttons("Save", self._submit)
        (self.app if limit is None else self.limit.calls).setFocus()
        self.limit.calls.selectAll()

    def _clear_errors(self) -> None:
        self.field.set_error(None)
        self.limit.clear_errors()

    def _submit(self) -> None:
        limit_read, wrong = self.limit.read_limit()
        if limit_read is None:
            self.field.set_error(wrong)
            return
        self.accept()
        self._on_limit(self.app.value(), limit_read)
