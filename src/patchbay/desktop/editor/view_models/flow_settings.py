"""Settings of a flow: concurrency, pausing after failures, missed starts, and time zone."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimeZone, Signal

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.draft import UndoEntry, WriteQueue
from patchbay.domain.apps import AppInfo, TriggerInfo, TriggerKind
from patchbay.domain.backend import Feature, WorkspaceInfo
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.flows import Flow, FlowSettings

MAX_CONCURRENT_RUNS = 100
MAX_FAILURES = 1000
DEFAULT_FAILURES = 20

_REGIONS = (
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
)


def time_zones() -> list[tuple[str, str]]:
    """Return IANA time zones with labels, by region; UTC last."""
    names = [bytes(item.data()).decode() for item in QTimeZone.availableTimeZoneIds()]
    by_region = sorted(name for name in names if name.partition("/")[0] in _REGIONS)
    return [*((name, zone_label(name)) for name in by_region), ("UTC", "UTC")]


def zone_label(name: str) -> str:
    """The name of a time zone as people read it, such as “America/New York”."""
    return name.replace("_", " ")


class FlowSettingsModel(QObject):
    """The settings of one flow. `changed` after any change; `error(field)` returns a field's error."""

    changed = Signal()

    def __init__(
        self,
        services: Services,
        flow: Flow,
        parent: QObject | None = None,
        *,
        add_undo: Callable[[UndoEntry], None] | None = None,
    ) -> None:
        super().__init__(parent)
        self._services, self._flow = services, flow
        self._add_undo = add_undo
        self._write_queue = WriteQueue(services.tasks, self)
        self._write_queue.write_failed.connect(self._on_write_failed)
        self._saved_settings = flow.settings
        self._trigger: TriggerInfo | None = None
        self._info: WorkspaceInfo | None = None
        self.settings = flow.settings
        self._errors: dict[str, str] = {}
        services.tasks.run(self, services.backend.info(), done=self._on_info_loaded, failed=lambda _: None)
        if flow.trigger is not None and flow.trigger.app_key:
            services.apps.detail(flow.trigger.app_key, self._on_app_loaded, lambda _: None, owner=self)

    @property
    def name(self) -> str:
        """The name of the flow."""
        return self._flow.name

    @property
    def unavailable_reason(self) -> str | None:
        """Why settings can't be changed; None if they can."""
        return self._services.backend.capabilities.reason(Feature.EDIT_FLOWS)

    @property
    def is_scheduled(self) -> bool:
        """Whether the flow has a schedule, so that missed starts and time zone apply."""
        return self._trigger is not None and self._trigger.kind is TriggerKind.SCHEDULE

    @property
    def default_zone_label(self) -> str:
        """Label for no own time zone."""
        if self._info is not None and self._info.kind == "remote":
            return tr("Same as the server")
        name = bytes(QTimeZone.systemTimeZoneId().data()).decode()
        return tr("Same as this computer ({zone})", zone=zone_label(name))

    def error(self, field: str) -> str:
        """The error of a field; empty without one."""
        return self._errors.get(field, "")

    def change(self, label: str, **fields: object) -> None:
        """Save new values immediately, with undo in the notice and the editor."""
        before, after = self.settings, self.settings.model_copy(update=fields)
        if before == after or self.unavailable_reason:
            return
        undo = partial(self._put, before)
        if self._add_undo is not None:
            self._add_undo(UndoEntry(label, undo, partial(self._put, after)))
        self._put(after)
        subject = ("settings", self._flow.id)
        text = tr("“{name}”: {setting}", name=self.name, setting=label)
        self._services.notices.post(text, undo=undo, subject=subject)

    def _put(self, settings: FlowSettings) -> None:
        self.settings = settings
        self._errors.clear()
        self.changed.emit()
        write = partial(self._services.backend.change_flow_settings, self._flow.id, settings)
        self._write_queue.add(write, done=self._on_written, key="settings")

    def _on_written(self, flow: Flow) -> None:
        self._saved_settings = flow.settings

    def _on_write_failed(self, error: AppError) -> None:
        self._write_queue.clear()
        self.settings = self._saved_settings
        if isinstance(error, ValidationFailed):
            self._errors = {key: messages[0] for key, messages in error.by_field.items() if messages}
        self._services.notices.failed(error)
        self.changed.emit()

    # What the words depend on

    def _on_app_loaded(self, app: AppInfo) -> None:
        self._trigger = app.trigger(self._flow.trigger.key) if self._flow.trigger else None
        self.changed.emit()

    def _on_info_loaded(self, info: WorkspaceInfo) -> None:
        self._info = info
        self.changed.emit()
