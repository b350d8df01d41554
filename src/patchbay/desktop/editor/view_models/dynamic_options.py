"""Options and further fields that an app loads at run time, cached by request."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.editor.view_models.publishing import event_of
from patchbay.domain.apps import needs_connection
from patchbay.domain.base import JsonObject
from patchbay.domain.errors import AppError
from patchbay.domain.fields import Argument, LoaderScopes, Option, Source, is_empty, loader_arguments
from patchbay.domain.flows import Step, StepStatus

if TYPE_CHECKING:
    from patchbay.desktop.editor.view_models.editor import EditorViewModel


class Loading(StrEnum):
    """Loading state of run-time options."""

    WAITING = "waiting"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class Loaded:
    """Options or fields, or why there are none. `waiting_for`: the field to fill in first."""

    state: Loading
    options: tuple[Option, ...] = ()
    fields: tuple[Argument, ...] = ()
    waiting_for: str = ""
    error: AppError | None = None


class ChoiceStore(QObject):
    """Returns cached options and loads the rest; `changed` when something arrived."""

    changed = Signal()

    def __init__(self, editor: "EditorViewModel", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._known: dict[str, Loaded] = {}
        editor.opened.connect(self._known.clear)

    def options(self, source: Source, scopes: LoaderScopes) -> Loaded:
        return self._get("options", source, scopes, self._editor.step)

    def fields(self, source: Source, scopes: LoaderScopes) -> Loaded:
        return self._get("fields", source, scopes, self._editor.step)

    def further_fields(self, step: Step) -> tuple[Argument, ...]:
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
        arguments, waiting_for = loader_arguments(source, scopes)
        if not waiting_for:
            for kind in ("options", "fields"):
                self._known.pop(self._key(kind, source, arguments, self._editor.step), None)
            self.changed.emit()

    def _get(self, kind: str, source: Source, scopes: LoaderScopes, step: Step | None) -> Loaded:
        if step is None:
            return Loaded(Loading.WAITING)
        if self._editor.disabled_reason:
            return Loaded(Loading.READY)
        if self._needs_connection(step):
            return Loaded(Loading.WAITING, waiting_for="connection")
        arguments, waiting_for = loader_arguments(source, scopes)
        if waiting_for:
            return Loaded(Loading.WAITING, waiting_for=waiting_for)
        key = self._key(kind, source, arguments, step)
        if key not in self._known:
            self._known[key] = Loaded(Loading.LOADING)
            self._load(kind, key, source, arguments, step)
        return self._known[key]

    def _needs_connection(self, step: Step) -> bool:
        app = self._editor.app_of(step)
        return needs_connection(app, event_of(step, app)) and step.connection_id is None

    def _key(self, kind: str, source: Source, arguments: JsonObject, step: Step | None) -> str:
        about = (kind, step.id, step.app_key, step.key, step.connection_id) if step else (kind,)
        return json.dumps([*about, source.loader, arguments], sort_keys=True)

    def _load(self, kind: str, key: str, source: Source, arguments: JsonObject, step: Step) -> None:
        """Save first: the workspace loads options for the stored step."""
        draft = self._editor.draft
        if draft is None:
            return
        backend, step_id = self._editor.services.backend, step.id
        ask: Callable[..., Any] = backend.dynamic_options if kind == "options" else backend.dynamic_fields

        def start() -> None:
            self._editor.services.tasks.run(
                self,
                ask(step_id, source.loader, arguments),
                done=partial(self._arrived, kind, key),
                failed=partial(self._failed, key),
            )

        draft.flush()
        draft.lane.when_idle(start)

    def _arrived(self, kind: str, key: str, found: tuple[Any, ...]) -> None:
        self._known[key] = (
            Loaded(Loading.READY, options=found) if kind == "options" else Loaded(Loading.READY, fields=found)
        )
        self.changed.emit()

    def _failed(self, key: str, error: AppError) -> None:
        self._known[key] = Loaded(Loading.FAILED, error=error)
        self.changed.emit()
