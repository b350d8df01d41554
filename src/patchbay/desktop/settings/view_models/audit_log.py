"""The audit log: filtered, live entries, their texts, and their export."""

from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.file_export import FileExport, Progress, is_json_lines, write_pages
from patchbay.desktop.core.names import with_article
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
    ResourceType.FLOW: "flow",
    ResourceType.CONNECTION: "connection",
    ResourceType.EXECUTION: "execution",
    ResourceType.FOLDER: "folder",
    ResourceType.TEMPLATE: "template",
    ResourceType.APP: "app",
    ResourceType.USER: "person",
    ResourceType.API_KEY: "API key",
    ResourceType.WORKSPACE: "workspace",
}

RESOURCE_FILTER_LABELS: Mapping[ResourceType, str] = {
    ResourceType.FLOW: "Flows",
    ResourceType.CONNECTION: "Connections",
    ResourceType.EXECUTION: "Executions",
    ResourceType.FOLDER: "Folders",
    ResourceType.TEMPLATE: "Templates",
    ResourceType.USER: "People",
    ResourceType.API_KEY: "API keys",
    ResourceType.WORKSPACE: "Settings and engine",
}
"""The resource types to filter by, in the order shown."""

_VERBS: Mapping[AuditAction, str] = {
    AuditAction.CREATED: "created",
    AuditAction.UPDATED: "changed",
    AuditAction.RENAMED: "renamed",
    AuditAction.MOVED: "moved",
    AuditAction.DELETED: "deleted",
    AuditAction.RESTORED: "restored",
    AuditAction.PUBLISHED: "published",
    AuditAction.UNPUBLISHED: "unpublished",
    AuditAction.PAUSED: "paused",
    AuditAction.RESUMED: "resumed",
    AuditAction.RUN: "ran",
    AuditAction.RETRIED: "retried",
    AuditAction.REPLAYED: "ran again",
    AuditAction.CANCELLED: "cancelled",
    AuditAction.TESTED: "tested",
    AuditAction.RECONNECTED: "reconnected",
    AuditAction.SIGNED_OUT: "signed out of",
    AuditAction.SIGN_OUT_FAILED: "couldn’t sign out of",
    AuditAction.INVITED: "invited",
    AuditAction.JOINED: "joined as",
    AuditAction.CLEANED_UP: "cleaned up",
}

_PHRASES: Mapping[tuple[AuditAction, ResourceType], str] = {
    (AuditAction.CREATED, ResourceType.CONNECTION): "added connection {name}",
    (AuditAction.CREATED, ResourceType.USER): "added {name}",
    (AuditAction.UPDATED, ResourceType.USER): "changed name or role of {name}",
    (AuditAction.RENAMED, ResourceType.USER): "renamed {name}",
    (AuditAction.DELETED, ResourceType.USER): "removed {name}",
    (AuditAction.INVITED, ResourceType.USER): "invited {name}",
    (AuditAction.JOINED, ResourceType.USER): "accepted the invitation",
    (AuditAction.CANCELLED, ResourceType.USER): "revoked the invitation for {name}",
    (AuditAction.DELETED, ResourceType.API_KEY): "revoked API key {name}",
    (AuditAction.RUN, ResourceType.FLOW): "ran flow {name} manually",
    (AuditAction.TESTED, ResourceType.FLOW): "tested a step of flow {name}",
    (AuditAction.RETRIED, ResourceType.FLOW): "retried failures of flow {name}",
    (AuditAction.RUN, ResourceType.EXECUTION): "ran flow {name} manually",
    (AuditAction.RETRIED, ResourceType.EXECUTION): "retried an execution of {name}",
    (AuditAction.REPLAYED, ResourceType.EXECUTION): "ran an execution of {name} again",
    (AuditAction.CANCELLED, ResourceType.EXECUTION): "cancelled an execution of {name}",
    (AuditAction.DELETED, ResourceType.EXECUTION): "deleted an execution of {name}",
}
"""Texts for actions that need more than a verb and a type, for resources with a known name."""

_PHRASES_WITHOUT_NAME: Mapping[tuple[AuditAction, ResourceType], str] = {
    (AuditAction.UPDATED, ResourceType.WORKSPACE): "changed the settings",
    (AuditAction.PAUSED, ResourceType.WORKSPACE): "paused all runs",
    (AuditAction.RESUMED, ResourceType.WORKSPACE): "resumed all runs",
    (AuditAction.CLEANED_UP, ResourceType.WORKSPACE): "cleaned up the history",
    (AuditAction.TESTED, ResourceType.WORKSPACE): "tested the public address",
    (AuditAction.RESTORED, ResourceType.WORKSPACE): "restored a backup",
    (AuditAction.RETRIED, ResourceType.EXECUTION): "retried an execution",
    (AuditAction.REPLAYED, ResourceType.EXECUTION): "ran an execution again",
    (AuditAction.CANCELLED, ResourceType.EXECUTION): "cancelled an execution",
    (AuditAction.RUN, ResourceType.EXECUTION): "ran a flow manually",
    (AuditAction.CANCELLED, ResourceType.USER): "revoked an invitation",
    (AuditAction.JOINED, ResourceType.USER): "accepted the invitation",
    (AuditAction.DELETED, ResourceType.API_KEY): "revoked an API key",
}

_SECRETS_PHRASES: Mapping[AuditAction, str] = {
    AuditAction.MOVED: "moved the credentials",
    AuditAction.UPDATED: "changed the encryption key",
    AuditAction.DELETED: "discarded credentials that couldn’t be decrypted",
}

_ACTOR_KIND_LABELS: Mapping[ActorKind, str] = {
    ActorKind.WINDOW: "window",
    ActorKind.COMMAND: "command",
    ActorKind.KEY: "API key",
    ActorKind.INVITATION: "invitation",
    ActorKind.PROGRAM: "automatically",
}
NEWEST = 50
REFRESH_DELAY_MS = 300
"""How long changes are gathered before new entries are loaded, in milliseconds."""


def describe_action(entry: AuditEntry) -> str:
    """The action, without the actor: "renamed folder “Operations”"."""
    key = entry.deed, entry.noun
    if entry.noun is ResourceType.WORKSPACE:
        return _workspace_phrase(entry)
    if entry.noun is ResourceType.EXECUTION and entry.subject and entry.subject_id is None:
        return f"{_VERBS[entry.deed]} {_group_phrase(entry.subject)}"
    if entry.subject and key in _PHRASES:
        return _PHRASES[key].format(name=f"“{entry.subject}”")
    if entry.subject:
        return f"{_VERBS[entry.deed]} {resource_label(entry.noun)} “{entry.subject}”"
    return (
        _PHRASES_WITHOUT_NAME.get(key) or f"{_VERBS[entry.deed]} {with_article(resource_label(entry.noun))}"
    )


def _group_phrase(words: str) -> str:
    """Several executions in one entry: "12 failed executions", "the retry of 12 executions"."""
    return words if not words[:1].isalpha() else f"the {words[:1].lower()}{words[1:]}"


def _workspace_phrase(entry: AuditEntry) -> str:
    """What changed in the workspace: its settings by name ("Secrets"), otherwise the action."""
    if entry.subject == "Secrets" and entry.deed in _SECRETS_PHRASES:
        return _SECRETS_PHRASES[entry.deed]
    if entry.subject:
        return f"{_VERBS[entry.deed]} the {entry.subject[:1].lower()}{entry.subject[1:]}"
    return _PHRASES_WITHOUT_NAME.get((entry.deed, entry.noun)) or f"{_VERBS[entry.deed]} the workspace"


def resource_label(resource: ResourceType) -> str:
    """The name of a resource type."""
    return RESOURCE_LABELS.get(resource) or resource.value.replace("_", " ")


def describe_entry(entry: AuditEntry) -> str:
    """The entry as one sentence: "Build server renamed folder “Operations”."."""
    return f"{actor_name(entry.actor)} {describe_action(entry)}."


def actor_name(actor: Actor) -> str:
    """The name of the actor; without one, the kind of the actor."""
    return actor.name or actor_kind_label(actor).capitalize()


def actor_kind_label(actor: Actor) -> str:
    """The kind of the actor, in a word or two."""
    return _ACTOR_KIND_LABELS[actor.kind]


def describe_actor(actor: Actor, names: Mapping[UserId, str]) -> str:
    """Name and kind of the actor, user, and address. `names` are the names of users by ID."""
    person = get_optional(names, actor.user_id) or ""
    parts = [actor_name(actor), actor_kind_label(actor)]
    if person and person != actor.name:
        parts.append(f"for {person}")
    if actor.address:
        parts.append(f"from {actor.address}")
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
        name = f"“{entry.subject}”" if entry.subject else "This"
        self.entry_missing.emit(f"{name} no longer exists." if isinstance(error, NotFound) else error.text())

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
        raise NotFound("It no longer exists.")
    return found
