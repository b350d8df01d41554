"""Dialogs for the rate limit of a connection or an app, and their field."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.rate_limits import SPANS, call_limit_text, parse_calls, parse_seconds
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import Radio
from patchbay.domain.base import AppKey
from patchbay.domain.connections import Connection
from patchbay.domain.engine import RateLimit

WIDTH = 440
_WAIT_HELP = tr("Steps over the limit wait; they don't fail.")


class LimitField(QWidget):
    """The field of a rate limit, "5 calls in 1 second"; a custom span is entered in seconds. `edited` is
    emitted when the user changes it.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.calls = LineEdit("")
        self.calls.setAccessibleName(tr("Calls", "number of requests"))
        self.span = ComboBox(tr("Time", "unit of a rate limit"))
        self.span.set_options([*SPANS, (None, tr("Other", "time span"))])
        self.seconds = LineEdit("")
        self.seconds.setAccessibleName(tr("Seconds"))
        self._seconds_label = Label(tr("seconds", "after a number field"), "body", "text_secondary")
        for edit, width in ((self.calls, 76), (self.seconds, 76)):
            edit.setFixedWidth(theme().px(width))
            edit.textEdited.connect(self.edited)
        hbox(
            self.calls,
            Label(tr("per", "requests per second"), "body", "text_secondary"),
            self.span,
            self.seconds,
            self._seconds_label,
            Stretch(),
            parent=self,
            spacing=8,
        )
        self.setFocusProxy(self.calls)
        self.span.value_changed.connect(self._on_span_chosen)
        self.set_value(None)

    def set_value(self, limit: RateLimit | None) -> None:
        """Show a limit; None leaves the number empty."""
        spans = [seconds for seconds, _ in SPANS]
        seconds = limit.seconds if limit else 1
        self.calls.setText(str(limit.calls) if limit else "")
        self.span.blockSignals(True)
        self.span.set_value(seconds if seconds in spans else None)
        self.span.blockSignals(False)
        self.seconds.setText("" if seconds in spans else str(seconds))
        self._show_seconds()

    def read_limit(self) -> tuple[RateLimit | None, str]:
        """The limit, or an error message; the invalid field is marked and gets the focus."""
        calls, wrong_calls = parse_calls(self.calls.text())
        span = self.span.value()
        seconds, wrong_seconds = (span, "") if span is not None else parse_seconds(self.seconds.text())
        self.calls.set_invalid(bool(wrong_calls))
        self.seconds.set_invalid(bool(wrong_seconds))
        for edit, wrong in ((self.calls, wrong_calls), (self.seconds, wrong_seconds)):
            edit.setAccessibleDescription(wrong)
        if calls is None or seconds is None:
            (self.calls if wrong_calls else self.seconds).setFocus()
            return None, " ".join(filter(None, (wrong_calls, wrong_seconds)))
        return RateLimit(calls=calls, seconds=seconds), ""

    def clear_errors(self) -> None:
        """Remove the marks of invalid fields."""
        for edit in (self.calls, self.seconds):
            edit.set_invalid(False)
            edit.setAccessibleDescription("")

    def set_invalid(self, _: bool) -> None:
        """Ignored, because the invalid number itself is marked."""

    def _on_span_chosen(self, _: object) -> None:
        self._show_seconds()
        self.edited.emit()

    def _show_seconds(self) -> None:
        for widget in (self.seconds, self._seconds_label):
            widget.setVisible(self.span.value() is None)


class ConnectionLimitDialog(Dialog):
    """Asks for the rate limit of a connection; entering a number turns the limit on."""

    def __init__(
        self,
        parent: QWidget,
        connection: Connection,
        app_name: str,
        on_limit: Callable[[RateLimit | None], object],
    ) -> None:
        super().__init__(
            parent, tr("Rate limit for “{connection}”", connection=connection.screen_name), WIDTH
        )
        self._on_limit, self._app_name = on_limit, app_name
        self.no_limit, self.own_limit = (
            Radio(tr("No separate limit")),
            Radio(tr("Limit for all flows together")),
        )
        self.app_limit_label = Label("", "caption", "text_secondary", wrap=True)
        self.limit = LimitField()
        self.field = FormField(tr("Max. requests"), self.limit, help=_WAIT_HELP)
        choices = vbox(spacing=4)
        for radio, detail in ((self.no_limit, self.app_limit_label), (self.own_limit, self.field)):
            choices.addWidget(radio)
            choices.addLayout(vbox(detail, margins=(24, 0, 0, 6)))
        self.body.addLayout(choices)
        self.limit.set_value(connection.rate_limit)
        (self.own_limit if connection.rate_limit else self.no_limit).setChecked(True)
        self.set_app_limit(None)
        self.limit.edited.connect(self._edited)
        self.no_limit.clicked.connect(self._clear_errors)
        self.own_limit.clicked.connect(self.limit.calls.setFocus)
        self.add_buttons(tr("Save"), self._submit)
        self.limit.calls.setFocus()
        self.limit.calls.selectAll()

    def set_app_limit(self, limit: RateLimit | None) -> None:
        """Show the limit for all connections of the app together, once it is loaded."""
        text = tr("Requests aren't limited.")
        if limit:
            limit_text = call_limit_text(limit)
            text = tr("{app} is limited to {limit} overall.", app=self._app_name, limit=limit_text)
        self.app_limit_label.setText(text)
        self.no_limit.setAccessibleDescription(text)

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
    """Asks for the rate limit of an app, chosen from `apps` (keys and names); when changing a limit, the only
    one.
    """

    def __init__(
        self,
        parent: QWidget,
        apps: Sequence[tuple[AppKey, str]],
        limit: RateLimit | None,
        on_limit: Callable[[AppKey, RateLimit], object],
    ) -> None:
        title = tr("Add rate limit") if limit is None else tr("Rate limit for {app}", app=apps[0][1])
        super().__init__(parent, title, WIDTH)
        self._on_limit = on_limit
        self.app = ComboBox(tr("App"), large=True)
        self.app.set_options(list(apps))
        self.limit = LimitField()
        self.limit.set_value(limit)
        self.field = FormField(
            tr("Max. requests"),
            self.limit,
            help=tr("For all its connections together. Steps over the limit wait; they don't fail."),
        )
        if limit is None:
            self.body.addWidget(FormField(tr("App"), self.app))
        self.body.addWidget(self.field)
        self.limit.edited.connect(self._clear_errors)
        self.add_buttons(tr("Save"), self._submit)
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
