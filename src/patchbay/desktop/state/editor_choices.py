"""Options and further fields that an app loads at run time, kept by what they were asked with."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_blockers import needs_connection
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError
from patchbay.domain.fields import Argument, Option, Source, is_empty

_PLACEHOLDER = re.compile(r"\{(parameters|fieldsScope|outerScope)\.([^{}]+)\}")

Scopes = Mapping[str, Mapping[str, Json]]
"""Values by scope: `parameters` of the step, `fieldsScope` of the row, `outerScope` of the outermost row."""


class Loading(StrEnum):
    """How far run-time options are."""

    WAITING = "waiting"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class Loaded:
    """Options or fields, or why there are none. `waiting_for` names the field that must be filled first."""

    state: Loading
    options: tuple[Option, ...] = ()
    fields: tuple[Argument, ...] = ()
    waiting_for: str = ""
    error: AppError | None = None


def ask_with(source: Source, scopes: Scopes) -> tuple[JsonObject, str]:
    """The loader's arguments with other fields' values put in, and the first field that is still empty."""
    made: JsonObject = {}
    for name, template in source.parameters.items():
        whole = _PLACEHOLDER.fullmatch(template)
        found = [(match[1], match[2]) for match in _PLACEHOLDER.finditer(template)]
        for scope, key in found:
            if is_empty(scopes.get(scope, {}).get(key)):
                return {}, key
        if whole:
            made[name] = scopes[whole[1]][whole[2]]
        else:
            made[name] = _PLACEHOLDER.sub(lambda match: str(scopes[match[1]][match[2]]), template)
    return made, ""


class ChoiceStore(QObject):
    """Answers at once with what is known and loads the rest; `changed` when something arrived."""

    changed = Signal()

    def __init__(self, editor: EditorViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._known: dict[str, Loaded] = {}
        editor.opened.connect(self._known.clear)

    def options(self, source: Source, scopes: Scopes) -> Loaded:
        return self._get("options", source, scopes)

    def fields(self, source: Source, scopes: Scopes) -> Loaded:
        return self._get("fields", source, scopes)

    def retry(self, source: Source, scopes: Scopes) -> None:
        """Ask again; what is shown stays until the answer is there."""
        arguments, waiting_for = ask_with(source, scopes)
        if not waiting_for:
            for kind in ("options", "fields"):
                self._known.pop(self._key(kind, source, arguments), None)
            self.changed.emit()

    def _get(self, kind: str, source: Source, scopes: Scopes) -> Loaded:
        step = self._editor.step
        if step is None:
            return Loaded(Loading.WAITING)
        if self._editor.read_only:
            return Loaded(Loading.READY)
        if self._needs_connection():
            return Loaded(Loading.WAITING, waiting_for="connection")
        arguments, waiting_for = ask_with(source, scopes)
        if waiting_for:
            return Loaded(Loading.WAITING, waiting_for=waiting_for)
        key = self._key(kind, source, arguments)
        if key not in self._known:
            self._known[key] = Loaded(Loading.LOADING)
            self._load(kind, key, source, arguments)
        return self._known[key]

    def _needs_connection(self) -> bool:
        editor = self._editor
        app, event = editor.app, editor.app_event
        return needs_connection(app, event) and (editor.step is None or editor.step.connection_id is None)

    def _key(self, kind: str, source: Source, arguments: JsonObject) -> str:
        step = self._editor.step
        about = (kind, step.id, step.app_key, step.key, step.connection_id) if step else (kind,)
        return json.dumps([*about, source.loader, arguments], sort_keys=True)

    def _load(self, kind: str, key: str, source: Source, arguments: JsonObject) -> None:
        """The workspace reads the stored step, so what was typed is saved first."""
        draft, step = self._editor.draft, self._editor.step
        if draft is None or step is None:
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
