"""How many calls in how much time."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from patchbay.desktop.state.call_limits import SPANS, read_calls, read_seconds
from patchbay.desktop.ui.kit.inputs import ComboBox, LineEdit
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.engine import RateLimit


class LimitField(QWidget):
    """ "5 calls in 1 second"; a span of its own is typed in seconds. `edited` when the person changed it."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.calls = LineEdit("")
        self.calls.setAccessibleName("Calls")
        self.span = ComboBox("Time")
        self.span.set_options([*SPANS, (None, "Other")])
        self.seconds = LineEdit("")
        self.seconds.setAccessibleName("Seconds")
        self._seconds_label = Label("seconds", "body", "text_secondary")
        for edit, width in ((self.calls, 76), (self.seconds, 76)):
            edit.setFixedWidth(theme().px(width))
            edit.textEdited.connect(self.edited)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(8))
        row.addWidget(self.calls)
        row.addWidget(Label("calls in", "body", "text_secondary"))
        row.addWidget(self.span)
        row.addWidget(self.seconds)
        row.addWidget(self._seconds_label)
        row.addStretch(1)
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
        """The limit, or what is wrong in words; the field with the mistake is marked and has the focus."""
        calls, wrong_calls = read_calls(self.calls.text())
        seconds, wrong_seconds = self._read_seconds()
        self.calls.set_invalid(bool(wrong_calls))
        self.seconds.set_invalid(bool(wrong_seconds))
        for edit, wrong in ((self.calls, wrong_calls), (self.seconds, wrong_seconds)):
            edit.setAccessibleDescription(wrong)
        if calls is None or seconds is None:
            (self.calls if wrong_calls else self.seconds).setFocus()
            return None, " ".join(filter(None, (wrong_calls, wrong_seconds)))
        return RateLimit(calls=calls, seconds=seconds), ""

    def clear_errors(self) -> None:
        for edit in (self.calls, self.seconds):
            edit.set_invalid(False)
            edit.setAccessibleDescription("")

    def set_invalid(self, _: bool) -> None:
        """The frame's mark; the number that is wrong is marked by itself."""

    def _read_seconds(self) -> tuple[int | None, str]:
        span = self.span.value()
        return (span, "") if span is not None else read_seconds(self.seconds.text())

    def _on_span_chosen(self, _: object) -> None:
        self._show_seconds()
        self.edited.emit()

    def _show_seconds(self) -> None:
        for widget in (self.seconds, self._seconds_label):
            widget.setVisible(self.span.value() is None)
