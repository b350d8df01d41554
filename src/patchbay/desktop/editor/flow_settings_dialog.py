"""The flow settings dialog: concurrency, pausing after failures, and missed starts."""

from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import number_text, tr
from patchbay.desktop.editor.fields.choice import ChoiceButton
from patchbay.desktop.editor.view_models.flow_settings import (
    DEFAULT_FAILURES,
    MAX_CONCURRENT_RUNS,
    MAX_FAILURES,
    FlowSettingsModel,
    time_zones,
    zone_label,
)
from patchbay.desktop.editor.view_models.retry_policy import parse_amount
from patchbay.desktop.kit.boxes import Stretch, hbox
from patchbay.desktop.kit.buttons import Button, set_area_available
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.layout import line
from patchbay.desktop.kit.line_edit import AmountField
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.popups import ChecklistPopup
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.toggles import CheckBox, RadioGroup
from patchbay.domain.flows import MissedStartPolicy

UNLIMITED = "shared"
SEQUENTIAL = "one"
LIMITED = "some"
CONCURRENCY_OPTIONS = (
    (UNLIMITED, tr("Up to the engine's limit")),
    (SEQUENTIAL, tr("One at a time")),
    (LIMITED, tr("At most", "followed by a number of runs at a time")),
)
DEFAULT_CONCURRENCY = 5
MISSED_START_OPTIONS = (
    (
        MissedStartPolicy.SKIP,
        tr("Skip them", "missed starts"),
        tr("Missed starts are listed in Executions but don't run."),
    ),
    (MissedStartPolicy.ONCE, tr("Run once"), tr("One run, however many starts were missed.")),
    (
        MissedStartPolicy.ALL,
        tr("Run all", "missed starts"),
        tr("One run for each missed start, up to {limit}.", limit=number_text(1000)),
    ),
)


class FlowSettingsDialog(Dialog):
    """Changes are saved immediately. `model` outlives the dialog, because Undo may come later."""

    def __init__(self, parent: QWidget, model: FlowSettingsModel) -> None:
        super().__init__(parent, tr("Flow settings"))
        self._model = model
        model.setParent(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.popup: ChecklistPopup | None = None
        self.concurrency = ComboBox(tr("Max. runs at a time"))
        self.concurrency.set_options(list(CONCURRENCY_OPTIONS))
        self.most = AmountField(
            tr("at a time", "after a number of runs"),
            partial(parse_amount, minimum=1, maximum=MAX_CONCURRENT_RUNS),
            width=64,
        )
        self.most.setAccessibleName(tr("Maximum runs at a time"))
        self.pauses = CheckBox(tr("Pause this flow after", "followed by a number of failures in a row"))
        self.failures = AmountField(
            tr("failures in a row", "after a number"),
            partial(parse_amount, minimum=1, maximum=MAX_FAILURES),
            width=64,
        )
        self.failures.setAccessibleName(tr("Failures in a row"))
        self.missed = RadioGroup(tr("Missed starts"), MISSED_START_OPTIONS)
        self.zone = ChoiceButton()
        self.zone.setAccessibleName(tr("Time zone"))
        self._schedule_widgets: list[QWidget] = []
        self._read_only_notice = MessageBox("neutral")
        self._lay_out()
        self._model.changed.connect(self._show)
        self.concurrency.value_changed.connect(self._choose_concurrency)
        self.most.committed.connect(self._set_concurrency)
        self.most.error_changed.connect(lambda message: self._concurrency_field.set_error(message or None))
        self.pauses.clicked.connect(self._set_pauses)
        self.failures.committed.connect(self._set_failures)
        self.failures.error_changed.connect(lambda message: self._pause_field.set_error(message or None))
        self.missed.value_changed.connect(
            lambda value: self._model.change(tr("missed starts", "a changed setting"), missed=value)
        )
        self.zone.opened.connect(self.choose_zone)
        self._show()

    def _lay_out(self) -> None:
        self.body.addWidget(Label(tr("“{name}”", name=self._model.name), "body", "text_secondary", wrap=True))
        self.body.addWidget(self._read_only_notice)
        self._concurrency_field = FormField(
            tr("Max. runs at a time"),
            _on_one_line(self.concurrency, self.most),
            help=tr("“One at a time” keeps events in order. New events wait for the current run to finish."),
        )
        self._pause_field = FormField(
            tr("After failures"),
            _on_one_line(self.pauses, self.failures),
            help=tr("A paused flow queues its events and doesn't run until you resume it."),
        )
        self._missed_field = FormField(tr("Missed starts"), self.missed)
        self._zone_field = FormField(tr("Time zone of the schedule"), self.zone)
        divider = line()
        self._schedule_widgets = [divider, self._missed_field, self._zone_field]
        for widget in (self._concurrency_field, self._pause_field, *self._schedule_widgets):
            self.body.addWidget(widget)
        self.footer.addWidget(Label(tr("Changes take effect immediately"), "caption", "text_secondary"), 1)
        close = Button(tr("Close"), large=True)
        close.clicked.connect(self.accept)
        self.footer.addWidget(close)

    # Showing

    def _show(self) -> None:
        model, settings = self._model, self._model.settings
        most = settings.max_concurrent
        self.concurrency.blockSignals(True)
        self.concurrency.set_value(UNLIMITED if most is None else SEQUENTIAL if most == 1 else LIMITED)
        self.concurrency.blockSignals(False)
        self.most.setVisible(most is not None and most > 1)
        self.most.set_value(most)
        self.pauses.setChecked(settings.pause_after is not None)
        no_pause_reason = (
            tr("This flow isn't paused after failures.") if settings.pause_after is None else None
        )
        set_area_available(self.failures, no_pause_reason)
        self.failures.set_value(settings.pause_after or DEFAULT_FAILURES)
        self.missed.set_value(settings.missed)
        zone = settings.time_zone
        self.zone.show_text(zone_label(zone) if zone else model.default_zone_label)
        self._zone_field.set_error(model.error("timeZone") or model.error("time_zone") or None)
        for widget in self._schedule_widgets:
            widget.setVisible(model.is_scheduled)
        reason = self._model.unavailable_reason
        self._read_only_notice.setVisible(reason is not None)
        self._read_only_notice.set("neutral", tr("These settings are read-only here"), reason or "")
        for field in (self._concurrency_field, self._pause_field, self._missed_field, self._zone_field):
            set_area_available(field, reason)
        if self.isVisible():
            self.fit()

    # Changing

    def _choose_concurrency(self, choice: str) -> None:
        number = {UNLIMITED: None, SEQUENTIAL: 1}.get(choice, DEFAULT_CONCURRENCY)
        self._model.change(tr("runs at a time", "a changed setting"), max_concurrent=number)
        if choice == LIMITED:
            self.most.setFocus(Qt.FocusReason.OtherFocusReason)

    def _set_concurrency(self, number: int | None) -> None:
        if number is not None:
            self._model.change(tr("runs at a time", "a changed setting"), max_concurrent=number)
        else:
            self.most.set_value(self._model.settings.max_concurrent)

    def _set_pauses(self, on: bool) -> None:
        self._model.change(
            tr("pause after failures", "a changed setting"), pause_after=DEFAULT_FAILURES if on else None
        )

    def _set_failures(self, number: int | None) -> None:
        if self._model.settings.pause_after is not None:
            self._model.change(
                tr("pause after failures", "a changed setting"), pause_after=number or DEFAULT_FAILURES
            )

    def choose_zone(self) -> None:
        """A searchable list of time zones."""
        options: list[tuple[Any, str]] = [("", self._model.default_zone_label), *time_zones()]
        chosen = self._model.settings.time_zone or ""
        popup = ChecklistPopup(self.zone, options, (chosen,), multiple=False)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.changed.connect(
            lambda values: self._model.change(
                tr("time zone", "a changed setting"), time_zone=values[0] or None
            )
        )
        self.popup = popup
        popup.open_under(self.zone, self.zone.width())


class _ControlPair(QWidget):
    """Two controls on one line."""

    def set_invalid(self, invalid: bool) -> None:
        """Show the error at the number field."""
        for field in self.findChildren(AmountField):
            field.set_invalid(invalid)


def _on_one_line(first: QWidget, second: AmountField) -> QWidget:
    row = _ControlPair()
    hbox(first, second, Stretch(), parent=row, spacing=8)
    row.setFocusProxy(first)
    return row
