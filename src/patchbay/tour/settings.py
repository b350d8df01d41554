"""The pictures of these pages and dialogs for the tour. People, keys and links in them are samples."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QDialog, QWidget

from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, AuditEntry
from patchbay.domain.base import EpochMs, UserId
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import HOUR_MS
from patchbay.domain.hosting import AddressCheck, AddressTest
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.people import ADMIN, EDITOR, ROLES, VIEWER, Invitation, User
from patchbay.tour.scene import Scene

if TYPE_CHECKING:
    from patchbay.desktop.shell.main_window import MainWindow

ENTRIES = 40
_HERE = "http://127.0.0.1:8787"
_ADDRESS = "https://flows.example.org"
_ANNA = UserId("user-1")
_BORA = UserId("user-2")


def access_scenes(window: "MainWindow") -> tuple[Scene, ...]:
    """Server, People, API keys and the audit log, with their dialogs."""
    poser = _ScenePoser(window)
    service = partial(poser.page, "Server")
    people = partial(poser.page, "People")
    keys = partial(poser.page, "API keys")

    def scene(name: str, prepare: Callable[[], object], ready: Callable[[], bool] | None = None) -> Scene:
        return Scene(
            name, lambda: _discard_result(prepare()), ready or poser.there, poser.top_widget, poser.close
        )

    return (
        scene("settings-service", service, poser.listening),
        scene("settings-service-test", service, poser.pose_address_test),
        scene("settings-people-alone", people, lambda: poser.inside.model.people is not None),
        scene("settings-people", people, poser.pose_people),
        scene("people-invite", people, poser.over(lambda page: page.invite())),
        scene("people-link", people, poser.over(lambda page: page.show_link(_sample_invitation(poser.now)))),
        scene("people-remove", people, poser.over(lambda page: page.confirm_remove(page.model.people[1]))),
        scene("settings-keys-none", keys, partial(poser.pose_keys, none=True)),
        scene("settings-keys", keys, poser.pose_keys),
        scene("keys-new", keys, poser.over(lambda page: page.open_new_dialog())),
        scene("keys-value", keys, poser.over(lambda page: page.show_created_key(_sample_key(poser.now)))),
        scene("keys-revoke", keys, poser.over(lambda page: page.confirm_revoke(page.model.keys[-1]))),
        scene("settings-audit", partial(poser.page, "Audit log"), lambda: bool(poser.inside.rows.rows)),
        scene("audit-log", poser.log, lambda: poser.opened.log.window.total >= ENTRIES),
    )


class _ScenePoser:
    """Opens a page of the settings, brings it into a state, and puts everything away."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self.opened: Any = None
        self.inside: Any = None

    @property
    def now(self) -> EpochMs:
        assert self._window.area is not None
        return self._window.area.services.clock()

    def page(self, title: str) -> None:
        self.opened = self._window.open_settings(title)
        self.inside = self.opened.page(title)

    def log(self) -> None:
        self.opened = self._window.open_audit_log()
        self.inside = None
        entries, log = _sample_entries(self.now), self.opened.log

        async def sample(request: PageRequest, first: object) -> Page[AuditEntry]:
            return Page(items=entries, total=len(entries))

        log.window.open(sample)

    def there(self) -> bool:
        return bool(self.opened.isVisible())

    def top_widget(self) -> QWidget:
        """What is on top: the dialog over the page, or the one that holds it."""
        over = getattr(self.inside, "dialog", None)
        found: QWidget = over if over is not None else self.opened
        return found

    def close(self) -> None:
        for dialog in (getattr(self.inside, "dialog", None), self.opened):
            if isinstance(dialog, QDialog):
                dialog.done(0)
        self.opened = self.inside = None

    def over(self, show: Callable[[Any], object]) -> Callable[[], bool]:
        """Ready once a dialog of the page is open over its sample people and keys."""

        def ready() -> bool:
            page = self.inside
            sample = self.pose_people() if hasattr(page.model, "invitations") else self.pose_keys()
            if sample and page.dialog is None:
                show(page)
            return page.dialog is not None and page.dialog.isVisible()

        return ready

    def pose_people(self) -> bool:
        model = self.inside.model
        if model.people is None:
            return False
        model.people = _sample_people(self.now)
        model.keys = _sample_keys(self.now)
        model.roles = ROLES
        model.invitations, model.can_manage = (_sample_invitation(self.now),), True
        model.changed.emit()
        return True

    def pose_keys(self, *, none: bool = False) -> bool:
        model = self.inside.model
        if model.keys is None:
            return False
        sample = () if none else _sample_keys(self.now)
        if model.keys == sample and model.address == _HERE:
            return True
        model.keys, model.people = sample, _sample_people(self.now)
        model.info = model.info.model_copy(update={"address": _HERE})
        model.changed.emit()
        return True

    def listening(self) -> bool:
        model = self.inside.model
        if model.settings is None:
            return False
        model.info = model.info.model_copy(update={"address": _HERE, "webhook_address": _HERE})
        model.changed.emit()
        return True

    def pose_address_test(self) -> bool:
        model = self.inside.model
        if not self.listening():
            return False
        checks = (
            AddressCheck(
                name="Webhooks",
                url=f"{_ADDRESS}/webhooks/self-test",
                ok=True,
                words="The request reached Patchbay.",
            ),
            AddressCheck(
                name="Sign-ins",
                url=f"{_ADDRESS}/oauth/callback",
                ok=False,
                words="Another program responded (404). Check the address and its path.",
            ),
        )
        model.settings = model.settings.model_copy(update={"public_address": _ADDRESS})
        model.info = model.info.model_copy(update={"webhook_address": _ADDRESS})
        model.test = AddressTest(address=_ADDRESS, checks=checks)
        model.changed.emit()
        return True


def _sample_entries(now: EpochMs) -> tuple[AuditEntry, ...]:
    actors = (
        Actor(kind=ActorKind.WINDOW, name="This computer"),
        Actor(kind=ActorKind.KEY, name="Build server", id="key-3", user_id=_BORA, address="10.0.4.17"),
        Actor(kind=ActorKind.KEY, name="Anna’s laptop", id="key-2", user_id=_ANNA, address="10.0.4.20"),
        Actor(kind=ActorKind.COMMAND, name="This computer"),
    )
    actions = (
        (AuditAction.PUBLISHED, ResourceType.FLOW, "New GitHub issue → Todoist task"),
        (AuditAction.RENAMED, ResourceType.FOLDER, "Operations"),
        (AuditAction.RECONNECTED, ResourceType.CONNECTION, "Anna’s Todoist"),
        (AuditAction.CREATED, ResourceType.API_KEY, "Nightly export"),
        (AuditAction.UPDATED, ResourceType.FLOW, "Low inventory alert"),
        (AuditAction.RETRIED, ResourceType.EXECUTION, "Stripe payouts → Google Sheets"),
        (AuditAction.UPDATED, ResourceType.WORKSPACE, ""),
        (AuditAction.INVITED, ResourceType.USER, "Dana Mori"),
        (AuditAction.DELETED, ResourceType.TEMPLATE, "Old report"),
    )
    return tuple(
        AuditEntry(
            id=ENTRIES - number,
            at=now - number * number * 5 * HOUR_MS // 12 - HOUR_MS // 20,
            actor=actors[number * number % 4 if number % 5 else 3],
            subject_id="x",
            deed=actions[number % 9][0],
            noun=actions[number % 9][1],
            subject=actions[number % 9][2],
        )
        for number in range(ENTRIES)
    )


def _sample_people(now: EpochMs) -> tuple[User, ...]:
    people = (
        (_ANNA, "Anna Lindqvist", "anna@example.org", ADMIN),
        (_BORA, "Bora Aydın", "bora@example.org", EDITOR),
        (UserId("user-3"), "Chidi Okafor", "chidi@example.org", VIEWER),
    )
    return tuple(
        User(id=key, full_name=name, email=email, role=role, created_at=now - 960 * HOUR_MS)
        for key, name, email, role in people
    )


def _sample_keys(now: EpochMs) -> tuple[ApiKey, ...]:
    keys = (
        ("key-2", "Anna’s laptop", Scope.ADMIN, _ANNA, now - HOUR_MS // 30, 2),
        ("key-1", "Nightly export", Scope.READ, None, now - 3 * HOUR_MS, 30),
        ("key-3", "Build server", Scope.OPERATE, _BORA, None, 41),
    )
    return tuple(
        ApiKey(
            id=key,
            name=name,
            hint="samp...mple",
            scope=scope,
            user_id=user,
            created_at=now - days * 24 * HOUR_MS,
            last_used_at=used,
        )
        for key, name, scope, user, used, days in keys
    )


def _sample_key(now: EpochMs) -> NewApiKey:
    key = ApiKey(id="key-4", name="Backup", hint="samp...mple", scope=Scope.READ, created_at=now)
    return NewApiKey(key=key, value="sample" * 15)


def _sample_invitation(now: EpochMs) -> Invitation:
    return Invitation(
        id=UserId("user-4"),
        full_name="Dana Mori",
        email="dana@example.org",
        role=EDITOR,
        created_at=now,
        expires_at=now + 60 * HOUR_MS,
        accept_invitation_url=f"{_ADDRESS}/accept-invitation?token=sample",
    )


def _discard_result(_: object) -> None:
    """Discard the result: functions that prepare scenes return None."""
