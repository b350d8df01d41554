"""Settings → Notifications: failures of flows, and quiet hours."""

from datetime import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, QTime
from PySide6.QtWidgets import QGridLayout, QWidget

from patchbay.desktop.core.language import formats, tr
from patchbay.desktop.core.notification_preferences import FAILURE_CHOICES
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import IconButton
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.layout import FormScroll, line
from patchbay.desktop.kit.text import ElidedLabel, Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import CheckBox, Switch
from patchbay.desktop.settings.list_page import RowList
from patchbay.desktop.settings.reset_bar import ResetBar
from patchbay.desktop.settings.view_models.notification_settings import (
    FlowChoice,
    NotificationSettingsViewModel,
)
from patchbay.domain.notification_settings import WEEKDAYS, QuietHours

if TYPE_CHECKING:
    from patchbay.desktop.settings.dialog import SettingsDialog

FAILURES = tr("When a flow fails")
_FAILURES_HELP = tr(
    "“First failure” notifies you when a flow fails after it succeeded, and not again until it succeeds. "
    "You're always notified of paused flows, and of connections and backups that stop working."
)
FLOWS = tr("Flows with their own setting")
_FLOWS_HELP = tr("To add one, choose “Notifications” in a flow's menu.")
QUIET = tr("Quiet hours")
_QUIET_HELP = tr("Notifications during quiet hours are combined into one when they end.")
BEGIN, END, DAYS = tr("Quiet hours from"), tr("Quiet hours to"), tr("Quiet hours begin on")
_DAYS_PER_LINE = 4
_HALF_HOURS = tuple(time(half // 2, half % 2 * 30) for half in range(48))


class NotificationsPage(QWidget):
    """Each change takes effect at once."""

    def __init__(self, model: NotificationSettingsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        model.setParent(self)
        self.failures = ComboBox(FAILURES, large=True)
        self.failures.set_options(FAILURE_CHOICES)
        self.flows = RowList(FLOWS, self.failures)
        self.quiet = Switch(QUIET, QUIET)
        self.quiet.setAccessibleDescription(_QUIET_HELP)
        self.begin, self.end = ComboBox(BEGIN, large=True), ComboBox(END, large=True)
        for box, at in ((self.begin, model.value.quiet_hours.begin), (self.end, model.value.quiet_hours.end)):
            box.set_options([(option, _clock_text(option)) for option in sorted({*_HALF_HOURS, at})])
        self.days = {day: CheckBox(formats().dayName(day + 1)) for day in _week()}
        self.effect = Label("", "caption", "text_tertiary", wrap=True)
        self.reset = ResetBar(model.reset)
        self._lay_out()
        self._connect()
        self._show()
        model.load()

    def _lay_out(self) -> None:
        px = theme().px
        scroll = FormScroll(tr("Notifications", "section of the settings"))
        column = scroll.inside.column
        column.setContentsMargins(px(4), px(2), px(14), px(4))
        column.setSpacing(px(12))
        days = QGridLayout()
        days.setHorizontalSpacing(px(16))
        days.setVerticalSpacing(px(6))
        for number, box in enumerate(self.days.values()):
            box.setAccessibleDescription(DAYS)
            days.addWidget(box, number // _DAYS_PER_LINE, number % _DAYS_PER_LINE)
        self._hours = QWidget()
        vbox(
            hbox((FormField(BEGIN, self.begin), 1), (FormField(END, self.end), 1), spacing=16),
            Label(DAYS, "medium"),
            days,
            self.effect,
            parent=self._hours,
            spacing=10,
        )
        for part in (
            FormField(FAILURES, self.failures, help=_FAILURES_HELP),
            line(),
            Label(FLOWS, "medium"),
            self.flows,
            Label(_FLOWS_HELP, "caption", "text_tertiary", wrap=True),
            line(),
        ):
            column.addWidget(part)
        column.addWidget(self.quiet, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(Label(_QUIET_HELP, "caption", "text_tertiary", wrap=True))
        column.addWidget(self._hours)
        column.addStretch(1)
        vbox((scroll, 1), hbox(self.reset, margins=(4, 0, 14, 6)), parent=self, spacing=8)

    def _connect(self) -> None:
        model = self._model
        self.failures.value_changed.connect(model.set_failures)
        self.quiet.toggled.connect(model.set_quiet)
        self.begin.value_changed.connect(model.set_begin)
        self.end.value_changed.connect(model.set_end)
        for day, box in self.days.items():
            box.toggled.connect(partial(model.set_day, day))
        model.changed.connect(self._show)

    def _show(self) -> None:
        model, quiet = self._model, self._model.value.quiet_hours
        self.failures.set_value(model.value.failures)
        self.flows.show_rows([(flow.flow_id, flow, partial(self._row, flow)) for flow in model.flows])
        self.quiet.setChecked(quiet.enabled)
        self._hours.setEnabled(quiet.enabled)
        self.begin.set_value(quiet.begin)
        self.end.set_value(quiet.end)
        for day, check in self.days.items():
            check.setChecked(day in quiet.days)
        self.effect.setText(effect_text(quiet))
        self.reset.show_changed(not model.is_default)

    def _row(self, flow: FlowChoice) -> QWidget:
        row = QWidget()
        row.setAccessibleName(flow.name)
        choice = ComboBox(tr("When “{name}” fails", name=flow.name))
        choice.set_options(FAILURE_CHOICES)
        choice.set_value(flow.choice)
        choice.value_changed.connect(partial(self._model.set_for_flow, flow.flow_id))
        remove = IconButton("x", tr("Use the setting of all flows for “{name}”", name=flow.name), small=True)
        remove.clicked.connect(lambda: self._model.set_for_flow(flow.flow_id, None))
        hbox((ElidedLabel(flow.name, "body"), 1), choice, remove, parent=row, margins=(0, 3, 0, 3), spacing=8)
        return row


def build_notifications_page(dialog: "SettingsDialog") -> NotificationsPage:
    """The page for the settings dialog."""
    services = dialog.services
    preferences = services.notifications if services is not None else dialog.options.notifications
    return NotificationsPage(NotificationSettingsViewModel(preferences, services))


def effect_text(quiet: QuietHours) -> str:
    """What the quiet hours mean, in a sentence."""
    if not quiet.enabled:
        return ""
    if not quiet.days:
        return tr("Choose a day; there are no quiet hours now.")
    begin, end = _clock_text(quiet.begin), _clock_text(quiet.end)
    if quiet.end <= quiet.begin:
        return tr("No notifications from {begin} to {end} on the next day.", begin=begin, end=end)
    return tr("No notifications from {begin} to {end}.", begin=begin, end=end)


def _clock_text(at: time) -> str:
    return formats().toString(QTime(at.hour, at.minute), QLocale.FormatType.ShortFormat)


def _week() -> tuple[int, ...]:
    """The weekdays (0 is Monday), beginning with the first of the week of this system."""
    first = formats().firstDayOfWeek().value - 1
    return (*WEEKDAYS[first:], *WEEKDAYS[:first])
