"""Descriptions of apps for clients: triggers, actions, and forms as data, without the code that runs them."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from patchbay.domain.base import AppKey, Json, Model, get_optional
from patchbay.domain.engine import RateLimit
from patchbay.domain.fields import Argument, AuthField, values_match


class TriggerKind(StrEnum):
    """What starts a flow with this trigger: polling a service, a webhook, a schedule, or an event."""

    POLLING = "polling"
    WEBHOOK = "webhook"
    SCHEDULE = "schedule"
    EVENT = "event"
    """Something that happened in the workspace itself, such as a failed flow, or on the desktop."""


def _is_empty(value: object) -> bool:
    return not value


class RowOutput(Model):
    """Says that the rows of an argument name values of the output, such as the fields of a form.

    The values are in `group` of the output. A row without a `key` gets one from its `label`.
    """

    argument: str
    group: str
    key: str = "key"
    label: str = "label"


class TriggerInfo(Model):
    """The description of a trigger."""

    key: str
    name: str
    description: str = ""
    kind: TriggerKind = TriggerKind.POLLING
    poll_interval: int = 15
    """Minutes. Only shown; polling uses the interval of the flow."""
    show_webhook_url: bool = False
    shows_page: bool = False
    """Whether its address shows a page to visitors, such as a form."""
    row_output: RowOutput | None = None
    """The values of its output that are known before a test; None if there are none."""
    verifies_calls: bool = False
    """Whether the trigger verifies webhook requests itself. If not, the app of its connection may."""
    supports_connections: bool = True
    connection_app: AppKey | None = None
    """Whose connections it uses; None for those of its own app."""
    connection_optional: bool = False
    arguments: tuple[Argument, ...] = ()


class TimeLimit(Model):
    """The time limit that an argument of an action sets: for steps that wait for a person or a program."""

    argument: str
    default: int
    """The number of units if the argument is empty, or no number."""
    most: int
    unit_seconds: int = 1

    def seconds(self, parameters: Mapping[str, Json]) -> float:
        """How long a step with these parameters may take. Variables in them aren't replaced."""
        entered = parameters.get(self.argument)
        try:
            number = int(str(entered).strip() or self.default) if entered is not None else self.default
        except ValueError:
            number = self.default
        return float(min(number, self.most) * self.unit_seconds)


class ActionInfo(Model):
    """The description of an action."""

    preview: str = ""
    """The loader of a preview of its output, which is shown while the step is edited; empty without one."""

    key: str
    name: str
    description: str = ""
    supports_connections: bool = True
    connection_app: AppKey | None = None
    """Whose connections it uses; None for those of its own app."""
    connection_optional: bool = False
    arguments: tuple[Argument, ...] = ()
    time_limit: TimeLimit | None = None
    """The time limit that its parameters set; None if it has none of its own."""
    parks: bool = False
    """Whether the run waits after it, for a time that its timeout doesn't include."""


class EventInfo(Model):
    """What lists show of a trigger or an action."""

    key: str
    name: str
    description: str = ""
    keywords: tuple[str, ...] = ()
    """Everyday words that people search for it by."""
    kind: TriggerKind | None = None
    """What starts a flow with this trigger; None for an action."""
    connection_app: AppKey | None = None
    """Whose connections it uses; None if it uses none, and from servers that don't say."""
    needs_connection: bool | None = None
    """Whether it can't run without a connection; None from servers that don't say."""
    uses_desktop: bool = Field(False, exclude_if=_is_empty)
    """Whether it needs the desktop of the window."""
    program_argument: str = Field("", exclude_if=_is_empty)
    """The argument with the path of an installed program; empty if it runs none."""


class AuthInfo(Model):
    """How to connect an account: the form, and whether people sign in in the browser."""

    fields: tuple[AuthField, ...] = ()
    uses_browser: bool = False
    browser_if: dict[str, Json] = {}
    """Limits `uses_browser` to forms with these values, in the same format as `visible_if`."""
    verifies_calls: bool = False
    """Whether webhook requests are verified with the credentials of a connection of this app."""

    def needs_browser(self, values: Mapping[str, Json]) -> bool:
        """Whether connecting with these form values requires a sign-in in the browser."""
        return self.uses_browser and values_match(self.browser_if, values)


class AppInfo(Model):
    """The description of an app, with icon and documentation addresses filled in.

    `auth`, `triggers`, and `actions` are None in lists and set when a single app is read. `icon_svg` is drawn
    in `primary_color`; if it's empty, a monogram is shown instead.
    """

    key: AppKey
    name: str
    icon_url: str = ""
    auth_doc_url: str = ""
    supports_connections: bool = False
    supports_oauth_clients: bool = False
    """Whether people sign in in the browser with an OAuth client that is registered with the service."""
    base_url: str = ""
    api_base_url: str = ""
    primary_color: str = "#646A7A"
    description: str = ""
    category: str = ""
    keywords: tuple[str, ...] = ()
    """Other words that people search for, such as "spreadsheet"."""
    icon_svg: str = ""
    docs_markdown: str = ""
    broken: str | None = None
    """Why a user's own app couldn't be loaded. Such an app is listed but can't be used."""
    rate_limit: RateLimit | None = None
    """The rate limit that the app declares. The engine settings may override it."""
    connection_count: int = 0
    flow_count: int = 0
    events: tuple[EventInfo, ...] | None = None
    """The triggers, then the actions; None from servers that don't list them."""
    auth: AuthInfo | None = None
    triggers: tuple[TriggerInfo, ...] | None = None
    actions: tuple[ActionInfo, ...] | None = None

    def listed_event(self, key: str | None) -> EventInfo | None:
        """What lists show of the event with this key; None if the app has none or doesn't list them."""
        return next((item for item in self.events or () if item.key == key), None)

    def trigger(self, key: str | None) -> TriggerInfo | None:
        """The trigger with this key; None if the app has none or its details aren't loaded."""
        return next((item for item in self.triggers or () if item.key == key), None)

    def action(self, key: str | None) -> ActionInfo | None:
        """The action with this key; None if the app has none or its details aren't loaded."""
        return next((item for item in self.actions or () if item.key == key), None)


def connection_app(app: AppInfo | None, event: TriggerInfo | ActionInfo | None) -> AppKey | None:
    """The app whose connections a step with this event uses; None if it uses none or the event is unknown."""
    if app is None or event is None:
        return None
    if event.connection_app:
        return event.connection_app
    return app.key if app.supports_connections and event.supports_connections else None


def needs_connection(app: AppInfo | None, event: TriggerInfo | ActionInfo | None) -> bool:
    """Whether a step with this event can't run without a connection."""
    return event is not None and connection_app(app, event) is not None and not event.connection_optional


def needs_connection_choice(
    app: AppInfo | None, event: TriggerInfo | ActionInfo | None, *, undecided: bool
) -> bool:
    """Whether a step with this event is incomplete until a connection or “No connection” is chosen.

    `undecided` is `Step.connection_undecided`: the step was imported or copied without its connection.
    """
    return needs_connection(app, event) or (undecided and connection_app(app, event) is not None)


def verifies_calls(
    apps: Mapping[AppKey, AppInfo], app: AppInfo, trigger: TriggerInfo, *, connected: bool
) -> bool:
    """Whether webhook requests to a trigger must be signed. `connected`: the trigger has a connection."""
    if trigger.verifies_calls:
        return True
    connection_provider = get_optional(apps, connection_app(app, trigger)) if connected else None
    return (
        connection_provider is not None
        and connection_provider.auth is not None
        and connection_provider.auth.verifies_calls
    )


def connection_providers(app: AppInfo) -> set[AppKey]:
    """The apps whose connections the triggers and actions of this app use, besides its own."""
    triggers = {item.connection_app for item in app.triggers or ()}
    actions = {item.connection_app for item in app.actions or ()}
    return {key for key in triggers | actions if key}
