"""Settings → Engine: concurrency, rate limits, retention, and programs."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.rate_limits import AppLimit
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.layout import FormScroll, line
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.rate_limit_dialogs import AppLimitDialog
from patchbay.desktop.kit.text import ElidedLabel, Label, day
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import Switch
from patchbay.desktop.settings.allowed_paths import folders_section, programs_section
from patchbay.desktop.settings.view_models.engine_settings import (
    EngineSettingsViewModel,
    cleanup_text,
    storage_text,
)
from patchbay.domain.base import EpochMs
from patchbay.domain.engine import EngineSettings, Isolation, SettingPath

_HELP = tr(
    "Rate limits for all connections of an app together. Steps over the limit wait. "
    "You can set limits for single connections in My Apps."
)
CONCURRENCY_OPTIONS = (1, 2, 5, 10, 20, 50, 100, 200)
RUNS_PER_ROOT_OPTIONS = (100, 1_000, 10_000, 100_000, 1_000_000)
LOOP_ITEM_OPTIONS = (100, 1_000, 10_000, 100_000)
BODY_SIZE_OPTIONS_MB = (1, 5, 10, 25, 50, 100)
RETRY_AFTER_OPTIONS = (
    (60, tr("1 minute")),
    (300, tr("5 minutes")),
    (900, tr("15 minutes")),
    (3_600, tr("1 hour")),
    (21_600, tr("6 hours")),
    (86_400, tr("1 day")),
)
RETENTION_OPTIONS = (
    (1, tr("1 day")),
    (7, tr("7 days")),
    (30, tr("30 days")),
    (90, tr("90 days")),
    (180, tr("180 days")),
    (365, tr("1 year")),
    (730, tr("2 years")),
    (3_650, tr("10 years")),
    (None, tr("Forever")),
)
EXECUTION_LIMITS = (
    *((number, number_text(number)) for number in (10_000, 100_000, 1_000_000, 10_000_000)),
    (None, tr("No limit")),
)
_HELP_TEXTS = (
    tr("For all flows together; further runs are queued."),
    tr("The oldest are deleted first, failures last."),
    tr("Counted from when they finish."),
    tr("Unfinished executions are never deleted."),
    tr("Stops flows that trigger each other endlessly."),
    tr("Loops over longer lists fail."),
    tr("Larger requests are rejected and logged."),
    tr("The longest wait an app can ask for."),
)
_RESET_TITLE = tr("Reset the engine settings?")
_RESET_TEXT = tr(
    "All limits on this page get their defaults. Your rate limits of apps are removed, and steps can't use "
    "the allowed folders and programs any more. Executions beyond the default retention are deleted. This "
    "can't be undone."
)
_NETWORK = tr("Programs can use the network")
_NETWORK_HELP = tr(
    "Only for steps that need it. They can then reach everything this computer can reach, "
    "including its own services."
)


class AppLimitsSection(QWidget):
    """The rate limits of apps, with buttons to change, remove, and add one."""

    def __init__(self, model: EngineSettingsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[AppLimit, ...] | None = None
        self.rows: dict[str, LimitRow] = {}
        self.dialog: Dialog | None = None
        self.add = Button(tr("Add rate limit…"), icon="plus")
        self.add.clicked.connect(self.open_new_dialog)
        self._list = vbox(spacing=2)
        vbox(
            Label(tr("Rate limits"), "medium"),
            Label(_HELP, "caption", "text_tertiary", wrap=True),
            self._list,
            (self.add, 0, Qt.AlignmentFlag.AlignLeft),
            parent=self,
            spacing=8,
        )

    def show_limits(self) -> None:
        """Show the current limits; rows are recreated only if one has changed."""
        limits = self._model.limits
        set_available(
            self.add, None if self._model.apps_without_limit else tr("Every app already has a rate limit.")
        )
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
        """Ask for an app and its rate limit."""
        apps = [(app.key, app.name) for app in self._model.apps_without_limit]
        self._open(AppLimitDialog(self, apps, None, self._model.limit_app))

    def edit_limit(self, limit: AppLimit) -> None:
        """Ask for another rate limit of an app."""
        self._open(AppLimitDialog(self, [(limit.key, limit.name)], limit.limit, self._model.limit_app))

    def _row(self, limit: AppLimit) -> "LimitRow":
        row = LimitRow(limit, self)
        row.change.clicked.connect(partial(self.edit_limit, limit))
        row.remove.clicked.connect(partial(self._remove, limit))
        return row

    def _remove(self, limit: AppLimit) -> None:
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)  # the row is deleted
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
    """An app with its limit as text, and buttons to change or (if it is from the settings) remove it."""

    def __init__(self, limit: AppLimit, parent: QWidget) -> None:
        super().__init__(parent)
        self.words = Label(limit.text[:1].upper() + limit.text[1:], "body", "text_secondary", wrap=True)
        self.change = IconButton("pencil", tr("Change the rate limit of {app}", app=limit.name), small=True)
        self.remove = IconButton("x", tr("Remove the rate limit of {app}", app=limit.name), small=True)
        size_policy = self.remove.sizePolicy()
        size_policy.setRetainSizeWhenHidden(True)
        self.remove.setSizePolicy(size_policy)
        name = ElidedLabel(limit.name, "body")
        name.setFixedWidth(theme().px(150))
        hbox(name, (self.words, 1), self.change, self.remove, parent=self, spacing=8)
        self.remove.setVisible(limit.configured)
        self.setAccessibleName(f"{limit.name}: {limit.text}")


class EnginePage(QWidget):
    """Adds the engine page to the settings dialog; every change takes effect immediately."""

    def __init__(
        self, model: EngineSettingsViewModel, clock: Callable[[], EpochMs], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._clock = model, clock
        model.setParent(self)
        self.problem = MessageBox("failure")
        self.concurrency = ComboBox(tr("Max. runs at a time"), large=True)
        self.most = ComboBox(tr("Max. executions to keep"), large=True)
        self.successes = ComboBox(tr("Keep successes for"), large=True)
        self.failures = ComboBox(tr("Keep failures for"), large=True)
        self.runs_per_root = ComboBox(tr("Max. runs from one start"), large=True)
        self.loop_items = ComboBox(tr("Max. items per loop"), large=True)
        self.body = ComboBox(tr("Max. webhook body"), large=True)
        self.retry_after = ComboBox(tr("Max. wait for rate limits"), large=True)
        self.limits = AppLimitsSection(model)
        self.folders, self.programs = folders_section(model), programs_section(model)
        self.saved = Label("", "caption", "text_secondary")
        self.undo = Button(tr("Undo"), "link", small=True)
        self.reset = Button(tr("Reset page…"), icon="undo-2")
        self.isolation = Label("", "body", "text_secondary", wrap=True)
        self.network = Switch(_NETWORK, _NETWORK)
        self.storage = Label("", "body", "text_secondary", wrap=True)
        self.clean_up = Button(tr("Clean up now"), icon="trash-2")
        self.confirm_dialog: Dialog | None = None
        self._is_filling = False
        self._focused: QWidget | None = None
        self._lay_out()
        self._connect()
        self._show()
        model.load()

    def _lay_out(self) -> None:
        px = theme().px
        grid = QGridLayout()
        grid.setHorizontalSpacing(px(16))
        grid.setVerticalSpacing(px(12))
        for column_number in (0, 1):
            grid.setColumnStretch(column_number, 1)
        boxes = (
            self.concurrency,
            self.most,
            self.successes,
            self.failures,
            self.runs_per_root,
            self.loop_items,
            self.body,
            self.retry_after,
        )
        for number, box in enumerate(boxes):
            field = FormField(box.accessibleName(), box, help=_HELP_TEXTS[number])
            grid.addWidget(field, number // 2, number % 2, Qt.AlignmentFlag.AlignTop)
        self._form = QWidget()
        vbox(
            grid,
            line(),
            self.limits,
            line(),
            Label(tr("Code steps"), "medium"),
            self.isolation,
            self.network,
            Label(_NETWORK_HELP, "caption", "text_tertiary", wrap=True),
            line(),
            self.folders,
            self.programs,
            line(),
            Label(tr("Disk usage"), "medium"),
            self.storage,
            (self.clean_up, 0, Qt.AlignmentFlag.AlignLeft),
            parent=self._form,
            spacing=12,
        )
        scroll = FormScroll(tr("Engine", "section of the settings"))
        inside = scroll.inside.column
        inside.setContentsMargins(px(4), px(4), px(14), px(4))
        inside.setSpacing(px(14))
        inside.addWidget(self._form)
        inside.addStretch(1)
        vbox(
            vbox(self.problem, margins=(4, 0, 14, 0)),
            (scroll, 1),
            hbox(self.reset, self.saved, self.undo, Stretch(), margins=(4, 0, 0, 6), spacing=8),
            parent=self,
            spacing=8,
        )

    def _connect(self) -> None:
        for box, path in (
            (self.concurrency, ("max_concurrent",)),
            (self.runs_per_root, ("max_runs_per_root",)),
            (self.most, ("retention", "most")),
            (self.successes, ("retention", "success_days")),
            (self.failures, ("retention", "failure_days")),
            (self.retry_after, ("max_retry_after",)),
            (self.loop_items, ("max_loop_items",)),
            (self.body, ("max_body_mb",)),
        ):
            box.value_changed.connect(partial(self._change_setting, path))
        self.network.toggled.connect(partial(self._change_setting, ("program_network",)))
        self.undo.clicked.connect(self._model.undo)
        self.reset.clicked.connect(self._confirm_reset)
        self.clean_up.clicked.connect(self._model.clean_up)
        self._model.changed.connect(self._show)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._model.loaded:
            self._model.refresh()

    def _change_setting(self, path: SettingPath, value: Any) -> None:
        if self._is_filling:
            return
        if self._model.shortens_retention(path, value):
            self.confirm_dialog = confirm(
                self,
                tr("Shorten history retention?"),
                tr(
                    "Older executions, and those over the limit, are deleted now and every hour from then "
                    "on. This can't be undone."
                ),
                tr("Shorten"),
                True,
                lambda: self._model.change(path, value),
            )
            self.confirm_dialog.rejected.connect(self._show)
        else:
            self._model.change(path, value)

    def _confirm_reset(self) -> None:
        self.confirm_dialog = confirm(self, _RESET_TITLE, _RESET_TEXT, tr("Reset"), True, self._model.reset)

    def _show(self) -> None:
        model = self._model
        settings, error = model.settings, model.error
        if model.unavailable_reason is not None:
            self.problem.set(
                "neutral", tr("This workspace's engine runs elsewhere"), model.unavailable_reason
            )
        elif error is not None:
            again = [] if settings else [(tr("Try again"), model.load)]
            self.problem.show_error(error, again, takes_focus=False)
        self.problem.setVisible(model.unavailable_reason is not None or error is not None)
        self._form.setVisible(model.unavailable_reason is None and (settings is not None or error is None))
        self._set_editable(settings is not None and not model.busy)
        if settings is not None:
            self._is_filling = True
            self._fill(settings)
            self._is_filling = False
        isolation = model.isolation
        self.isolation.setText(isolation_text(isolation) if isolation is not None else "")
        self.limits.show_limits()
        self.folders.show_paths()
        self.programs.show_paths()
        self.undo.setVisible(model.can_undo)
        self.reset.setVisible(settings is not None)
        is_resettable = not model.is_default and not model.busy
        set_available(self.reset, None if is_resettable else tr("This page has its defaults."))
        self.saved.setText(tr("Saved.") if model.can_undo else "")
        self._show_storage()

    def _set_editable(self, editable: bool) -> None:
        """Enable or disable the page; enabled again, the control that had the focus gets it back."""
        focused = self.window().focusWidget()
        if (
            not editable
            and self._form.isEnabled()
            and focused is not None
            and self._form.isAncestorOf(focused)
        ):
            self._focused = focused
        self._form.setEnabled(editable)
        if editable and self._focused is not None:
            if self._focused.isVisible():
                self._focused.setFocus(Qt.FocusReason.OtherFocusReason)
            self._focused = None

    def _fill(self, settings: EngineSettings) -> None:
        retention = settings.retention
        _fill_box(
            self.concurrency,
            [(number, number_text(number)) for number in CONCURRENCY_OPTIONS],
            settings.max_concurrent,
            number_text,
        )
        _fill_box(
            self.runs_per_root,
            [(number, number_text(number)) for number in RUNS_PER_ROOT_OPTIONS],
            settings.max_runs_per_root,
            number_text,
        )
        _fill_box(
            self.retry_after,
            list(RETRY_AFTER_OPTIONS),
            settings.max_retry_after,
            lambda most: tr_count(most, "{n} second", "{n} seconds"),
        )
        _fill_box(
            self.loop_items,
            [(number, number_text(number)) for number in LOOP_ITEM_OPTIONS],
            settings.max_loop_items,
            number_text,
        )
        _fill_box(
            self.body,
            [(number, _megabytes_text(number)) for number in BODY_SIZE_OPTIONS_MB],
            settings.max_body_mb,
            _megabytes_text,
        )
        self.network.setChecked(settings.program_network)
        _fill_box(self.successes, list(RETENTION_OPTIONS), retention.success_days, _days_text)
        _fill_box(self.failures, list(RETENTION_OPTIONS), retention.failure_days, _days_text)
        _fill_box(self.most, list(EXECUTION_LIMITS), retention.most, number_text)

    def _show_storage(self) -> None:
        model, storage = self._model, self._model.storage
        if storage is None:
            self.storage.setText(tr("Checking disk usage…"))
        else:
            oldest = day(storage.oldest_at, self._clock()) if storage.oldest_at is not None else ""
            done = f" {cleanup_text(model.cleanup_result)}" if model.cleanup_result is not None else ""
            self.storage.setText(storage_text(storage, oldest) + done)
        if self.clean_up.busy is not model.cleaning_up:
            self.clean_up.set_busy(model.cleaning_up, tr("Cleaning up"))
        set_available(
            self.clean_up, None if storage is not None else tr("The size of the history isn't known yet.")
        )


def _days_text(days: int) -> str:
    return tr_count(days, "{n} day", "{n} days")


def _megabytes_text(size: int) -> str:
    return tr("{n} MB", n=number_text(size))


def isolation_text(isolation: Isolation) -> str:
    """Whether programs are isolated, then how, or why not and what to do about it."""
    detail = _ISOLATION_DETAILS.get(isolation.detail, isolation.detail)
    if isolation.isolates_programs:
        return tr("Programs are isolated. {detail}", detail=detail)
    return tr("Programs are not isolated; only admins can run them. {detail}", detail=detail)


_ISOLATION_DETAILS = {
    "Each program runs under bubblewrap with its own user namespace.": tr(
        "Each program runs under bubblewrap with its own user namespace."
    ),
    "Each program runs under bubblewrap with its own user ID.": tr(
        "Each program runs under bubblewrap with its own user ID."
    ),
    "Bubblewrap isn't installed. Install the package “bubblewrap” and restart Patchbay.": tr(
        "Bubblewrap isn't installed. Install the package “bubblewrap” and restart Patchbay."
    ),
}
"""The usual texts of the engine in the language of the window."""


def _fill_box(
    box: ComboBox, options: list[tuple[Any, str]], value: int | None, format_value: Callable[[int], str]
) -> None:
    """Show the options, and the current value if it is none of them."""
    if value is not None and value not in (option for option, _ in options):
        options = sorted(
            [*options, (value, format_value(value))], key=lambda option: option[0] or float("inf")
        )
    box.set_options(options)
    box.set_value(value)
