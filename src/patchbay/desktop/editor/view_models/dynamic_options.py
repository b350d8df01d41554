"""Options and further fields that an app loads at run time, cached by request."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.editor.view_models.step_events import event_of
from patchbay.domain.apps import needs_connection
from patchbay.domain.base import JsonObject
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError
from patchbay.domain.fields import Argument, LoaderScopes, Option, Source, is_empty, loader_arguments
from patchbay.domain.flows import Step, StepStatus

if TYPE_CHECKING:
    from patchbay.desktop.editor.view_models.editor import EditorViewModel


class LoadState(StrEnum):
    """Loading state of run-time options."""

    WAITING = "waiting"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class LoadedChoices:
    """Options or fields, or why there are none. `required_field`: the field to fill in first."""

    state: LoadState
    options: tuple[Option, ...] = ()
    fields: tuple[Argument, ...] = ()
    required_field: str = ""
    error: AppError | None = None


class ChoiceStore(QObject):
    """Returns cached options and loads the rest; `changed` when something arrived."""

    changed = Signal()

    def __init__(self, editor: "EditorViewModel", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._cache: dict[str, LoadedChoices] = {}
        editor.opened.connect(self._cache.clear)
        editor.services.feed.changed.connect(self._on_change)

    def options(self, source: Source, scopes: LoaderScopes) -> LoadedChoices:
        """The options of a dynamic list. Starts loading them if they aren't known."""
        return self._get("options", source, scopes, self._editor.step)

    def fields(self, source: Source, scopes: LoaderScopes) -> LoadedChoices:
        """The dynamic fields of a step. Starts loading them if they aren't known."""
        return self._get("fields", source, scopes, self._editor.step)

    def extra_fields(self, step: Step) -> tuple[Argument, ...]:
        """Return the loaded further fields of an unfinished step; tested or skipped steps lack none."""
        event = event_of(step, self._editor.app_of(step))
        if event is None or step.status is StepStatus.COMPLETED:
            return ()
        found: list[Argument] = []
        for item in event.arguments:
            if item.additional_fields is not None and not is_empty(step.parameters.get(item.key)):
                scopes = {"parameters": step.parameters}
                found += self._get("fields", item.additional_fields, scopes, step).fields
        return tuple(found)

    def retry(self, source: Source, scopes: LoaderScopes) -> None:
        """Reload; current options stay until the response arrives."""
        arguments, required_field = loader_arguments(source, scopes)
        if not required_field:
            for kind in ("options", "fields"):
                self._cache.pop(self._key(kind, source, arguments, self._editor.step), None)
            self.changed.emit()

    def _get(self, kind: str, source: Source, scopes: LoaderScopes, step: Step | None) -> LoadedChoices:
        if step is None:
            return LoadedChoices(LoadState.WAITING)
        if self._editor.unavailable_reason:
            return LoadedChoices(LoadState.READY)
        app = self._editor.app_of(step)
        if needs_connection(app, event_of(step, app)) and step.connection_id is None:
            return LoadedChoices(LoadState.WAITING, required_field="connection")
        arguments, required_field = loader_arguments(source, scopes)
        if required_field:
            return LoadedChoices(LoadState.WAITING, required_field=required_field)
        key = self._key(kind, source, arguments, step)
        if key not in self._cache:
            self._cache[key] = LoadedChoices(LoadState.LOADING)
            self._load(kind, key, source, arguments, step)
        return self._cache[key]

    def _key(self, kind: str, source: Source, arguments: JsonObject, step: Step | None) -> str:
        context = (kind, step.id, step.app_key, step.key, step.connection_id) if step else (kind,)
        return json.dumps([*context, source.loader, arguments], sort_keys=True)

    def _load(self, kind: str, key: str, source: Source, arguments: JsonObject, step: Step) -> None:
        """Save first: the workspace loads options for the stored step."""
        draft = self._editor.draft
        if draft is None:
            return
        backend, step_id = self._editor.services.backend, step.id
        fetch: Callable[..., Any] = backend.dynamic_options if kind == "options" else backend.dynamic_fields

        def start() -> None:
            self._editor.services.tasks.run(
                self,
                fetch(step_id, source.loader, arguments),
                done=partial(self._on_loaded, kind, key),
                failed=partial(self._on_failed, key),
            )

        draft.flush()
        draft.write_queue.run_when_idle(start)

    def _on_loaded(self, kind: str, key: str, found: tuple[Any, ...]) -> None:
        self._cache[key] = (
            LoadedChoices(LoadState.READY, options=found)
            if kind == "options"
            else LoadedChoices(LoadState.READY, fields=found)
        )
        self.changed.emit()

    def _on_change(self, change: Change) -> None:
        """Load again after the settings of the workspace changed: they allow programs and folders."""
        if change.noun is ResourceType.WORKSPACE and self._cache:
            self._cache.clear()
            self.changed.emit()

    def _on_failed(self, key: str, error: AppError) -> None:
        self._cache[key] = LoadedChoices(LoadState.FAILED, error=error)
        self.changed.emit()
