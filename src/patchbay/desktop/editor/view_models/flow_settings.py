"""Settings of a flow: concurrency, pausing after failures, missed starts, and time zone."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimeZone, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.draft import Entry, WriteLane
from patchbay.domain.apps import AppInfo, TriggerInfo, TriggerKind
from patchbay.domain.backend import Feature, WorkspaceInfo
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.flows import Flow, FlowSettings

MOST_AT_A_TIME = 100
MOST_FAILURES = 1000
DEFAULT_FAILURES = 20

_REGIONS = (
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian",
    "Pacific",
)  # fmt: skip


def time_zones() -> list[tuple[str, str]]:
    """Return IANA time zones with labels, by region; UTC last."""
    names = [bytes(item.data()).decode() for item in QTimeZone.availableTimeZoneIds()]
    kept = sorted(name for name in names if name.partition("/")[0] in _REGIONS)
    return [*((name, zone_words(name)) for name in kept), ("UTC", "UTC")]


def zone_words(name: str) -> str:
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
        remember: Callable[[Entry], None] | None = None,
    ) -> None:
        super().__init__(parent)
        self._services, self._flow = services, flow
        self._remember = remember
        self._lane = WriteLane(services.tasks, self)
        self._lane.refused.connect(self._refused)
        self._stored = flow.settings
        self._trigger: TriggerInfo | None = None
        self._info: WorkspaceInfo | None = None
        self.settings = flow.settings
        self._errors: dict[str, str] = {}
        self._read()

    @property
    def name(self) -> str:
        return self._flow.name

    @property
    def disabled_reason(self) -> str | None:
        """Why settings can't be changed; None if they can."""
        return self._services.backend.capabilities.reason(Feature.EDIT_FLOWS)

    @property
    def starts_by_clock(self) -> bool:
        """Whether the flow has a schedule, so that missed starts and time zone apply."""
        return self._trigger is not None and self._trigger.kind is TriggerKind.SCHEDULE

    @property
    def own_zone(self) -> str:
        """Label for no own time zone."""
        if self._info is not None and self._info.kind == "remote":
            return "Same as the server"
        name = bytes(QTimeZone.systemTimeZoneId().data()).decode()
        return f"Same as this computer ({zone_words(name)})"

    def error(self, field: str) -> str:
        return self._errors.get(field, "")

    def change(self, label: str, **fields: object) -> None:
        """Save new values immediately, with undo in the notice and the editor."""
        before, after = self.settings, self.settings.model_copy(update=fields)
        if before == after or self.disabled_reason:
            return
        undo = partial(self._put, before)
        if self._remember is not None:
            self._remember(Entry(label, undo, partial(self._put, after)))
        self._put(after)
        subject = ("settings", self._flow.id)
        self._services.notices.post(f"“{self.name}”: {label}", undo=undo, subject=subject)

    def _put(self, settings: FlowSettings) -> None:
        self.settings = settings
        self._errors.clear()
        self.changed.emit()
        write = partial(self._services.backend.change_flow_settings, self._flow.id, settings)
        self._lane.add(write, done=self._written, key="settings")

    def _written(self, flow: Flow) -> None:
        self._stored = flow.settings

    def _refused(self, error: AppError) -> None:
        self._lane.clear()
        self.settings = self._stored
        if isinstance(error, ValidationFailed):
            self._errors = {key: messages[0] for key, messages in error.by_field.items() if messages}
        self._services.notices.failed(error)
        self.changed.emit()

    # What the words depend on

    def _read(self) -> None:
        self._services.tasks.run(
            self, self._services.backend.info(), done=self._info_arrived, failed=lambda _: None
        )
        trigger = self._flow.trigger
        if trigger is not None and trigger.app_key:
            self._services.apps.detail(trigger.app_key, self._app_arrived, lambda _: None, owner=self)

    def _app_arrived(self, app: AppInfo) -> None:
        self._trigger = app.trigger(self._flow.trigger.key) if self._flow.trigger else None
        self.changed.emit()

    def _info_arrived(self, info: WorkspaceInfo) -> None:
        self._info = info
        self.changed.emit()
