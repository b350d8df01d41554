"""Apps as the window and the interface see them: data, without code."""

from collections.abc import Mapping
from enum import StrEnum

from patchbay.domain.base import AppKey, Json, Model
from patchbay.domain.engine import RateLimit
from patchbay.domain.fields import Argument, AuthField, values_match


class TriggerKind(StrEnum):
    """How a trigger learns of something new: by asking, by being called, by the clock."""

    POLLING = "polling"
    WEBHOOK = "webhook"
    SCHEDULE = "schedule"
    EVENT = "event"
    """By something that happened in the workspace itself: a flow failed, a flow called."""


class TriggerInfo(Model):
    """One way an app starts a flow."""

    key: str
    name: str
    description: str = ""
    kind: TriggerKind = TriggerKind.POLLING
    poll_interval: int = 15
    """Minutes; shown only. The flow's own interval decides."""
    show_webhook_url: bool = False
    verifies_calls: bool = False
    """Whether the trigger checks by itself who calls; else the app of its connection may."""
    supports_connections: bool = True
    connection_app: AppKey | None = None
    """Whose connections it uses; None for those of its own app."""
    connection_optional: bool = False
    arguments: tuple[Argument, ...] = ()


class ActionInfo(Model):
    """One thing an app can do in a flow."""

    key: str
    name: str
    description: str = ""
    supports_connections: bool = True
    connection_app: AppKey | None = None
    """Whose connections it uses; None for those of its own app."""
    connection_optional: bool = False
    arguments: tuple[Argument, ...] = ()


class AuthInfo(Model):
    """How one connects: the form, and whether the browser is part of it (`generateAuthUrl` exists)."""

    fields: tuple[AuthField, ...] = ()
    uses_browser: bool = False
    browser_if: dict[str, Json] = {}
    """The browser is part of it only while these fields have these values (as `visible_if`)."""
    verifies_calls: bool = False
    """Whether calls to webhooks are checked with a connection of this app."""

    def needs_browser(self, values: Mapping[str, Json]) -> bool:
        """Whether connecting with these values means signing in in the browser."""
        return self.uses_browser and values_match(self.browser_if, values)


class AppInfo(Model):
    """An integration app. Interface: "App definition"; icon and documentation addresses are resolved.

    `auth`, `triggers` and `actions` are None in lists and filled when one app is read. `icon_svg` is the
    glyph itself, coloured with `primary_color`; empty when the app brings none (a monogram is shown).
    """

    key: AppKey
    name: str
    icon_url: str = ""
    auth_doc_url: str = ""
    supports_connections: bool = False
    supports_oauth_clients: bool = False
    """Whether people sign in to it in the browser, with an OAuth client that is registered there."""
    base_url: str = ""
    api_base_url: str = ""
    primary_color: str = "#646A7A"
    description: str = ""
    category: str = ""
    icon_svg: str = ""
    docs_markdown: str = ""
    broken: str | None = None
    """Why a user's app could not be loaded; such an app is listed but cannot be used."""
    rate_limit: RateLimit | None = None
    """How many calls the service takes, as the app says; the settings may say otherwise."""
    connection_count: int = 0
    flow_count: int = 0
    auth: AuthInfo | None = None
    triggers: tuple[TriggerInfo, ...] | None = None
    actions: tuple[ActionInfo, ...] | None = None

    def trigger(self, key: str | None) -> TriggerInfo | None:
        return next((item for item in self.triggers or () if item.key == key), None)

    def action(self, key: str | None) -> ActionInfo | None:
        return next((item for item in self.actions or () if item.key == key), None)


def connection_app(app: AppInfo | None, event: TriggerInfo | ActionInfo | None) -> AppKey | None:
    """The app whose connections a step of this kind may use; None when it uses none, or isn't known."""
    if app is None or event is None:
        return None
    if event.connection_app:
        return event.connection_app
    return app.key if app.supports_connections and event.supports_connections else None


def needs_connection(app: AppInfo | None, event: TriggerInfo | ActionInfo | None) -> bool:
    """Whether a step of this kind can't run without a connection."""
    return event is not None and connection_app(app, event) is not None and not event.connection_optional


def needs_connection_choice(
    app: AppInfo | None, event: TriggerInfo | ActionInfo | None, *, undecided: bool
) -> bool:
    """Whether a step of this kind is unfinished until a connection is chosen, or “No connection”.

    `undecided`: it had a connection where it was imported or copied from (`Step.connection_undecided`).
    """
    return needs_connection(app, event) or (undecided and connection_app(app, event) is not None)


def verifies_calls(
    apps: Mapping[AppKey, AppInfo], app: AppInfo, trigger: TriggerInfo, *, connected: bool
) -> bool:
    """Whether calls to a trigger must prove who sends them; `connected`: it has a connection."""
    if trigger.verifies_calls:
        return True
    connection_provider = apps.get(connection_app(app, trigger) or "") if connected else None
    return (
        connection_provider is not None
        and connection_provider.auth is not None
        and connection_provider.auth.verifies_calls
    )


def connection_providers(app: AppInfo) -> set[AppKey]:
    """Other apps whose connections some event of this app uses."""
    triggers = {item.connection_app for item in app.triggers or ()}
    actions = {item.connection_app for item in app.actions or ()}
    return {key for key in triggers | actions if key}
