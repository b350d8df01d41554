"""The audit log: filtered, live entries, their texts, and their export."""

import re
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.file_export import FileExport, Progress, is_json_lines, write_pages
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.page_window import Fetch, ListStatus
from patchbay.desktop.core.screen_view_model import PagedScreenViewModel
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import QuickRange, StartedRange
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditEntry, AuditFilter
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import ConnectionId, EpochMs, ExecutionId, FlowId, UserId, get_optional
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.exports import audit_csv, audit_jsonl, read_audit_pages
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.people import User

RESOURCE_LABELS: Mapping[ResourceType, str] = {
    ResourceType.FLOW: tr("flow", "kind of object"),
    ResourceType.CONNECTION: tr("connection", "kind of object"),
    ResourceType.EXECUTION: tr("execution", "kind of object"),
    ResourceType.FOLDER: tr("folder", "kind of object"),
    ResourceType.TEMPLATE: tr("template", "kind of object"),
    ResourceType.APP: tr("app", "kind of object"),
    ResourceType.USER: tr("person", "kind of object"),
    ResourceType.API_KEY: tr("API key", "kind of object"),
    ResourceType.WORKSPACE: tr("workspace", "kind of object"),
    ResourceType.HISTORY: tr("history", "kind of object"),
}

SHOW_LABELS: Mapping[ResourceType, str] = {
    ResourceType.FLOW: tr("Show the flow"),
    ResourceType.CONNECTION: tr("Show the connection"),
    ResourceType.EXECUTION: tr("Show the execution"),
    ResourceType.FOLDER: tr("Show the folder"),
    ResourceType.TEMPLATE: tr("Show the template"),
    ResourceType.APP: tr("Show the app"),
    ResourceType.USER: tr("Show the person"),
    ResourceType.API_KEY: tr("Show the API key"),
    ResourceType.WORKSPACE: tr("Show the workspace"),
    ResourceType.HISTORY: tr("Show the history"),
}
"""The command that shows a resource."""

RESOURCE_FILTER_LABELS: Mapping[ResourceType, str] = {
    ResourceType.FLOW: tr("Flows"),
    ResourceType.CONNECTION: tr("Connections"),
    ResourceType.EXECUTION: tr("Executions"),
    ResourceType.FOLDER: tr("Folders"),
    ResourceType.TEMPLATE: tr("Templates"),
    ResourceType.USER: tr("People"),
    ResourceType.API_KEY: tr("API keys"),
    ResourceType.WORKSPACE: tr("Settings and engine"),
}
"""The resource types to filter by, in the order shown."""

_OBJECTS: Mapping[ResourceType, str] = {
    ResourceType.FLOW: tr("a flow", "in a log entry"),
    ResourceType.CONNECTION: tr("a connection", "in a log entry"),
    ResourceType.EXECUTION: tr("an execution", "in a log entry"),
    ResourceType.FOLDER: tr("a folder", "in a log entry"),
    ResourceType.TEMPLATE: tr("a template", "in a log entry"),
    ResourceType.APP: tr("an app", "in a log entry"),
    ResourceType.USER: tr("a person", "in a log entry"),
    ResourceType.API_KEY: tr("an API key", "in a log entry"),
    ResourceType.WORKSPACE: tr("a workspace", "in a log entry"),
    ResourceType.HISTORY: tr("a history", "in a log entry"),
}
"""A resource without a name, as the object of an action."""

_DEFAULT_PHRASES: Mapping[AuditAction, str] = {
    AuditAction.CREATED: tr("created {object}", "in a log entry"),
    AuditAction.UPDATED: tr("changed {object}", "in a log entry"),
    AuditAction.RENAMED: tr("renamed {object}", "in a log entry"),
    AuditAction.MOVED: tr("moved {object}", "in a log entry"),
    AuditAction.DELETED: tr("deleted {object}", "in a log entry"),
    AuditAction.RESTORED: tr("restored {object}", "in a log entry"),
    AuditAction.PUBLISHED: tr("published {object}", "in a log entry"),
    AuditAction.UNPUBLISHED: tr("unpublished {object}", "in a log entry"),
    AuditAction.PAUSED: tr("paused {object}", "in a log entry"),
    AuditAction.RESUMED: tr("resumed {object}", "in a log entry"),
    AuditAction.RUN: tr("ran {object}", "in a log entry"),
    AuditAction.RETRIED: tr("retried {object}", "in a log entry"),
    AuditAction.REPLAYED: tr("ran again {object}", "in a log entry"),
    AuditAction.CANCELLED: tr("cancelled {object}", "in a log entry"),
    AuditAction.TESTED: tr("tested {object}", "in a log entry"),
    AuditAction.RECONNECTED: tr("reconnected {object}", "in a log entry"),
    AuditAction.SIGNED_OUT: tr("signed out of {object}", "in a log entry"),
    AuditAction.SIGN_OUT_FAILED: tr("couldn't sign out of {object}", "in a log entry"),
    AuditAction.INVITED: tr("invited {object}", "in a log entry"),
    AuditAction.JOINED: tr("joined as {object}", "in a log entry"),
    AuditAction.CLEANED_UP: tr("cleaned up {object}", "in a log entry"),
}
"""An action on any resource. `{object}` is its kind with its name, or only its kind."""

_PHRASES: Mapping[tuple[AuditAction, ResourceType], str] = {
    (AuditAction.CREATED, ResourceType.CONNECTION): tr("added connection {name}", "in a log entry"),
    (AuditAction.CREATED, ResourceType.USER): tr("added {name}", "in a log entry"),
    (AuditAction.UPDATED, ResourceType.USER): tr("changed name or role of {name}", "in a log entry"),
    (AuditAction.RENAMED, ResourceType.USER): tr("renamed {name}", "in a log entry"),
    (AuditAction.DELETED, ResourceType.USER): tr("removed {name}", "in a log entry"),
    (AuditAction.INVITED, ResourceType.USER): tr("invited {name}", "in a log entry"),
    (AuditAction.JOINED, ResourceType.USER): tr("accepted the invitation", "in a log entry"),
    (AuditAction.CANCELLED, ResourceType.USER): tr("revoked the invitation for {name}", "in a log entry"),
    (AuditAction.DELETED, ResourceType.API_KEY): tr("revoked API key {name}", "in a log entry"),
    (AuditAction.RUN, ResourceType.FLOW): tr("ran flow {name} manually", "in a log entry"),
    (AuditAction.TESTED, ResourceType.FLOW): tr("tested a step of flow {name}", "in a log entry"),
    (AuditAction.RETRIED, ResourceType.FLOW): tr("retried failures of flow {name}", "in a log entry"),
    (AuditAction.RUN, ResourceType.EXECUTION): tr("ran flow {name} manually", "in a log entry"),
    (AuditAction.RETRIED, ResourceType.EXECUTION): tr("retried an execution of {name}", "in a log entry"),
    (AuditAction.REPLAYED, ResourceType.EXECUTION): tr("ran an execution of {name} again", "in a log entry"),
    (AuditAction.CANCELLED, ResourceType.EXECUTION): tr("cancelled an execution of {name}", "in a log entry"),
    (AuditAction.DELETED, ResourceType.EXECUTION): tr("deleted an execution of {name}", "in a log entry"),
}
"""Texts for actions that need more than a verb and a type, for resources with a known name."""

_PHRASES_WITHOUT_NAME: Mapping[tuple[AuditAction, ResourceType], str] = {
    (AuditAction.UPDATED, ResourceType.WORKSPACE): tr("changed the settings", "in a log entry"),
    (AuditAction.PAUSED, ResourceType.WORKSPACE): tr("paused all runs", "in a log entry"),
    (AuditAction.RESUMED, ResourceType.WORKSPACE): tr("resumed all runs", "in a log entry"),
    (AuditAction.CLEANED_UP, ResourceType.WORKSPACE): tr("cleaned up the history", "in a log entry"),
    (AuditAction.TESTED, ResourceType.WORKSPACE): tr("tested the public address", "in a log entry"),
    (AuditAction.RESTORED, ResourceType.WORKSPACE): tr("restored a backup", "in a log entry"),
    (AuditAction.RETRIED, ResourceType.EXECUTION): tr("retried an execution", "in a log entry"),
    (AuditAction.REPLAYED, ResourceType.EXECUTION): tr("ran an execution again", "in a log entry"),
    (AuditAction.CANCELLED, ResourceType.EXECUTION): tr("cancelled an execution", "in a log entry"),
    (AuditAction.RUN, ResourceType.EXECUTION): tr("ran a flow manually", "in a log entry"),
    (AuditAction.CANCELLED, ResourceType.USER): tr("revoked an invitation", "in a log entry"),
    (AuditAction.JOINED, ResourceType.USER): tr("accepted the invitation", "in a log entry"),
    (AuditAction.DELETED, ResourceType.API_KEY): tr("revoked an API key", "in a log entry"),
}

_SECRETS_PHRASES: Mapping[AuditAction, str] = {
    AuditAction.MOVED: tr("moved the credentials", "in a log entry"),
    AuditAction.UPDATED: tr("changed the encryption key", "in a log entry"),
    AuditAction.DELETED: tr("discarded credentials that couldn't be decrypted", "in a log entry"),
}

_ACTOR_KIND_LABELS: Mapping[ActorKind, str] = {
    ActorKind.WINDOW: tr("window", "who changed something"),
    ActorKind.COMMAND: tr("command", "who changed something"),
    ActorKind.KEY: tr("API key", "who changed something"),
    ActorKind.INVITATION: tr("invitation", "who changed something"),
    ActorKind.PROGRAM: tr("automatically", "who changed something"),
}
_FAILED_EXECUTIONS = re.compile(r"([0-9,]+) failed executions")
_RETRY_OF_EXECUTIONS = re.compile(r"Retry of ([0-9,]+) executions")
"""Several executions in one entry, as it is stored."""
NEWEST = 50
REFRESH_DELAY_MS = 300
"""How long changes are gathered before new entries are loaded, in milliseconds."""


def describe_action(entry: AuditEntry) -> str:
    """The action, without the actor: "renamed folder “Operations”"."""
    key = entry.deed, entry.noun
    if entry.noun is ResourceType.WORKSPACE:
        return _workspace_phrase(entry)
    if entry.noun is ResourceType.EXECUTION and entry.subject and entry.subject_id is None:
        return _DEFAULT_PHRASES[entry.deed].format(object=_group_phrase(entry.subject))
    if entry.subject and key in _PHRASES:
        return _PHRASES[key].format(name=_quoted(entry.subject))
    if not entry.subject and key in _PHRASES_WITHOUT_NAME:
        return _PHRASES_WITHOUT_NAME[key]
    if entry.subject:
        target = f"{resource_label(entry.noun)} {_quoted(entry.subject)}"
    else:
        target = _OBJECTS[entry.noun]
    return _DEFAULT_PHRASES[entry.deed].format(object=target)


def _quoted(name: str) -> str:
    return tr("“{name}”", "a name in quotes", name=name)


def _group_phrase(words: str) -> str:
    """Several executions in one entry: "12 failed executions", "the retry of 12 executions"."""
    if found := _FAILED_EXECUTIONS.fullmatch(words):
        return tr_count(_number(found[1]), "{n} failed execution", "{n} failed executions")
    if found := _RETRY_OF_EXECUTIONS.fullmatch(words):
        return tr_count(_number(found[1]), "the retry of {n} execution", "the retry of {n} executions")
    return words if not words[:1].isalpha() else f"the {words[:1].lower()}{words[1:]}"


def _number(digits: str) -> int:
    return int(digits.replace(",", "")[:9] or "0")


def _workspace_phrase(entry: AuditEntry) -> str:
    """What changed in the workspace: its settings by name ("Secrets"), otherwise the action."""
    if entry.subject == "Secrets" and entry.deed in _SECRETS_PHRASES:
        return _SECRETS_PHRASES[entry.deed]
    if entry.subject:
        name = f"{entry.subject[:1].lower()}{entry.subject[1:]}"
        return _DEFAULT_PHRASES[entry.deed].format(object=tr("the {name}", "in a log entry", name=name))
    return _PHRASES_WITHOUT_NAME.get((entry.deed, entry.noun)) or _DEFAULT_PHRASES[entry.deed].format(
        object=tr("the workspace", "in a log entry")
    )


def resource_label(resource: ResourceType) -> str:
    """The name of a resource type."""
    return RESOURCE_LABELS[resource]


def describe_entry(entry: AuditEntry) -> str:
    """The entry as one sentence: "Build server renamed folder “Operations”."."""
    return tr(
        "{person} {action}.",
        "a log entry",
        person=actor_name(entry.actor),
        action=describe_action(entry),
    )


def actor_name(actor: Actor) -> str:
    """The name of the actor; without one, the kind of the actor."""
    kind = actor_kind_label(actor)
    return actor.name or kind[:1].upper() + kind[1:]


def actor_kind_label(actor: Actor) -> str:
    """The kind of the actor, in a word or two."""
    return _ACTOR_KIND_LABELS[actor.kind]


def describe_actor(actor: Actor, names: Mapping[UserId, str]) -> str:
    """Name and kind of the actor, user, and address. `names` are the names of users by ID."""
    person = get_optional(names, actor.user_id) or ""
    parts = [actor_name(actor), actor_kind_label(actor)]
    if person and person != actor.name:
        parts.append(tr("for {name}", "who changed something", name=person))
    if actor.address:
        parts.append(tr("from {address}", "who changed something", address=actor.address))
    return ", ".join(parts)


@dataclass(frozen=True)
class AuditQuery:
    """The filter of the log as the window shows it."""

    text: str = ""
    resource: ResourceType | None = None
    when: QuickRange | None = None

    @property
    def active(self) -> bool:
        """Whether the query has any filter."""
        return self != AuditQuery()

    def to_filter(self, now: EpochMs) -> AuditFilter:
        """The filter for the backend, with relative times counted from `now`."""
        after = StartedRange(quick=self.when).bounds(now)[0] if self.when else None
        return AuditFilter(text=self.text.strip() or None, noun=self.resource, after=after)


class AuditLogViewModel(PagedScreenViewModel[AuditEntry, AuditQuery]):
    """The audit log: query, rows, and the names of people. Rows are loaded as they become visible.

    New entries are inserted at the top while `following`, which the list turns off while it is scrolled down;
    they are inserted when it is back at its top.
    """

    entry_missing = Signal(str)
    """Emitted with a message if the resource of an entry no longer exists."""
    navigated_away = Signal()
    """Emitted when the window shows something else."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, AuditQuery(), parent, id_of=lambda item: str(item.id))
        self.people: dict[UserId, str] = {}
        self._has_missed_changes = False
        self._newest_request, self._names_request, self._subject_request = (
            LatestRequest(services.tasks, self) for _ in range(3)
        )
        self._refresh_timer = QTimer(self, singleShot=True, interval=REFRESH_DELAY_MS)
        self._refresh_timer.timeout.connect(self._check_newest)

    @property
    def unavailable_reason(self) -> str | None:
        """Why the audit log is unavailable here; None if it is available."""
        return self._backend.capabilities.reason(Feature.ACCESS)

    def load(self) -> None:
        if self.unavailable_reason is None:
            self._names_request.run(
                self._backend.list_users(), done=self._on_people_loaded, failed=lambda _: None
            )
            super().load()

    def _read(self) -> None:
        self._has_missed_changes = False
        self.window.open(self._fetch(self._filter()))

    def set_following(self, following: bool) -> None:
        """Set whether the list is scrolled to its top, where new entries are inserted."""
        self.following = following
        if following and self._has_missed_changes:
            self._check_newest()

    def show(self, entry: AuditEntry) -> None:
        """Show the resource of an entry; emits `entry_missing` if it no longer exists."""
        work, place = self._destination(entry)
        if place is not None and work is not None:
            there = partial(self._navigate, place)
            self._subject_request.run(work, done=there, failed=partial(self._on_not_found, entry))

    def can_show(self, entry: AuditEntry) -> bool:
        """Whether the window can show the resource of the entry."""
        return entry.noun in _TABS and bool(entry.subject_id) and entry.deed is not AuditAction.DELETED

    def _destination(self, entry: AuditEntry) -> tuple[Coroutine[Any, Any, object] | None, Place | None]:
        key = entry.subject_id
        if key is None or not self.can_show(entry):
            return None, None
        return _fetch_subject(self._backend, entry.noun, key), Place(_TABS[entry.noun], key)

    def _navigate(self, place: Place, found: object) -> None:
        where = Place(place.tab, getattr(found, "app_key", place.id))
        self._services.navigator.go(Place(place.tab, place.id, "editor") if place.tab is Tab.FLOWS else where)
        self.navigated_away.emit()

    def _on_not_found(self, entry: AuditEntry, error: AppError) -> None:
        if not isinstance(error, NotFound):
            self.entry_missing.emit(error.text())
        elif entry.subject:
            self.entry_missing.emit(tr("“{name}” no longer exists.", name=entry.subject))
        else:
            self.entry_missing.emit(tr("This no longer exists."))

    def _filter(self) -> AuditFilter:
        return self.query.to_filter(self._services.clock())

    def _fetch(self, where: AuditFilter) -> Fetch[AuditEntry]:
        """Loads pages of a filter. Later pages exclude entries added since the log was opened."""
        backend = self._backend

        async def fetch(request: PageRequest, first: AuditEntry | None) -> Page[AuditEntry]:
            until = first.at if first is not None and request.cursor is None else where.before
            return await backend.audit_log(where.model_copy(update={"before": until}), request)

        return fetch

    def _on_people_loaded(self, people: tuple[User, ...]) -> None:
        self.people = {person.id: person.full_name for person in people}

    def _on_change(self, _: Change) -> None:
        """Load new entries after any change, since each can have added one."""
        if self.status is not ListStatus.LOADING and not self._refresh_timer.isActive():
            self._refresh_timer.start()

    def _check_newest(self) -> None:
        if not self.following:
            self._has_missed_changes = True
            return
        self._has_missed_changes = False
        request = PageRequest(page=1, limit=NEWEST)
        self._newest_request.run(
            self._backend.audit_log(self._filter(), request), done=self._on_newest, failed=lambda _: None
        )

    def _on_newest(self, page: Page[AuditEntry]) -> None:
        first = self.window.first
        if first is None or self.status is not ListStatus.READY:
            if page.total:
                self.refresh()
            return
        newer = [item for item in page.items if item.id > first.id]
        if len(newer) == len(page.items) and newer:
            self.refresh()
        else:
            self.window.prepend(newer)
            if newer:
                self.status_changed.emit()


class AuditExport(FileExport):
    """Export the entries of a query to a file, in the format of its extension."""

    def start(self, query: AuditQuery, path: Path, raw: bool = False) -> None:
        """Export the entries that match a query to a file."""
        if not self.running:
            where = query.to_filter(self._services.clock())
            self._run(export(self._services.backend, where, path, self.progressed.emit, raw=raw), path)


async def export(
    backend: Backend, where: AuditFilter, path: Path, progress: Progress, *, raw: bool = False
) -> int:
    """Write the entries that match `where` to `path`. Returns how many. Raises `StorageFault`."""
    write = audit_jsonl if is_json_lines(path) else partial(audit_csv, raw=raw)
    return await write_pages(read_audit_pages(backend, where), path, write, progress)


_TABS = {
    ResourceType.FLOW: Tab.FLOWS,
    ResourceType.CONNECTION: Tab.MY_APPS,
    ResourceType.EXECUTION: Tab.EXECUTIONS,
    ResourceType.FOLDER: Tab.FOLDERS,
    ResourceType.TEMPLATE: Tab.TEMPLATES,
}


async def _fetch_subject(backend: Backend, resource: ResourceType, key: str) -> object:
    """Load the resource of an entry. Raises `NotFound`."""
    if resource is ResourceType.FLOW:
        return await backend.get_flow(FlowId(key))
    if resource is ResourceType.CONNECTION:
        return await backend.get_connection(ConnectionId(key))
    if resource is ResourceType.EXECUTION:
        return await backend.get_execution(ExecutionId(key))
    every = await (backend.list_folders() if resource is ResourceType.FOLDER else backend.list_templates())
    found = next((item for item in every if item.id == key), None)
    if found is None:
        raise NotFound(tr("It no longer exists."))
    return found
