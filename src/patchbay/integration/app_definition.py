"""The parts of an app definition: `App`, `Auth`, `Trigger`, `Action`, and loaders of dropdowns and fields."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from patchbay.domain.apps import RowOutput, TimeLimit, TriggerKind
from patchbay.domain.base import AppKey, Json, JsonObject
from patchbay.domain.engine import RateLimit
from patchbay.domain.fields import Argument, AuthField, Option

if TYPE_CHECKING:
    from patchbay.integration.context import Context
    from patchbay.integration.request import RequestConfig, Response

ContextFunction = Callable[["Context"], Awaitable[None]]
VerifyFunction = Callable[["Context"], Awaitable[bool]]
WatchFunction = Callable[["Context"], AsyncGenerator[None, None]]
RequestHook = Callable[["Context", "RequestConfig"], "RequestConfig"]


class OnInterrupted(StrEnum):
    """What to do with a step whose outcome is unknown after a crash."""

    REPEAT = "repeat"
    REPEAT_WITH_KEY = "repeat_with_key"
    """Repeat, for actions that send `ctx.idempotency_key` to a service that recognises it.

    The key identifies the step of the run (and the item of a loop). It is the same in every attempt, even if
    someone retries the failed execution.
    """
    ASK = "ask"
    """Stop the run and let a person decide."""


class AuthKind(StrEnum):
    """How an account is connected."""

    NONE = "none"
    FORM = "form"
    """Credentials are entered, such as an API key."""
    BROWSER = "browser"
    """People sign in in the browser."""


@dataclass(frozen=True)
class Auth:
    """The connection form of an app and the functions that verify and renew credentials."""

    fields: tuple[AuthField, ...]
    verify_credentials: ContextFunction
    is_still_verified: Callable[["Context"], Awaitable[bool]]
    generate_auth_url: ContextFunction | None = None
    refresh_token: ContextFunction | None = None
    browser_if: dict[str, Json] = field(default_factory=dict)
    """With `generate_auth_url`: the browser is needed only if these fields have these values."""
    sends_to: tuple[str, ...] = ()
    """Addresses besides the API base URL that credentials may be sent to; can contain `{auth.field}`.

    Requests to any other origin that contain a secret of the connection are rejected.
    """
    stored: tuple[str, ...] = ()
    """Values in addresses that the sign-in or verification stores, so no field asks for them.

    For services that return the address of the account's API: `api_base_url="{auth.apiDomain}"`.
    """
    verify_webhook: VerifyFunction | None = None
    """Whether `ctx.request` comes from the service. Called before a webhook trigger with a connection runs.

    If it returns False, the response is 401, or that of `ctx.respond`, and nothing is stored. The request is
    unchanged, with `raw_body` for signatures; store only its `without_credentials`.
    """


@dataclass(frozen=True)
class Trigger:
    """A way to start a flow. `run` pushes items, newest first, with `ctx.push_trigger_item`."""

    key: str
    name: str
    description: str = ""
    kind: TriggerKind = TriggerKind.POLLING
    arguments: tuple[Argument, ...] = ()
    run: ContextFunction | None = None
    test_run: ContextFunction | None = None
    register_hook: ContextFunction | None = None
    """Webhook triggers: register `ctx.webhook_url` at the service. Called when the flow is published.

    Store the service's ID of the webhook with `ctx.flow.set_remote_webhook_id`. If this raises,
    publishing fails and the flow stays as it was.
    """
    unregister_hook: ContextFunction | None = None
    """Unregister the webhook with `ctx.flow.remote_webhook_id`. Called when the flow is no longer published.

    Errors are logged and ignored.
    """
    verify_webhook: VerifyFunction | None = None
    """Like `Auth.verify_webhook`, for triggers with their own check, with or without a connection."""
    file_arguments: tuple[str, ...] = ()
    """The arguments that are paths of this computer; the code opens them with `ctx.files` only."""
    uses_desktop: bool = False
    """Whether it uses `ctx.desktop`, for which a version needs an admin's approval."""
    cron: Callable[[JsonObject], str] | None = None
    """Schedule triggers: the cron line (five fields) for these parameters, or several on lines of their own.

    In a test, `ctx.now` is the next start.
    """
    watch: WatchFunction | None = None
    """Polling triggers whose service sends notifications of new items: an endless generator.

    It yields once when it starts listening, and then each time there may be new items; the engine polls each
    time. It is closed when the flow is unpublished or the engine stops. If it ends or raises, it is restarted
    with growing delays, while polling at the interval continues. If it raises `NotSupported`, the service
    has no notifications, and it isn't restarted; nor is one that uses the desktop and raises `Forbidden`,
    because the person declined. Parameters and auth data are read when it starts.
    """
    source: tuple[str, ...] = ()
    """Polling triggers: the arguments that IDs are unique within, such as a folder or a table.

    With another value of one of them (or another connection), a flow reads from another source, whose items
    are new whatever their IDs are. Other arguments only select items of a source.
    """
    poll_interval: int = 15
    show_webhook_url: bool = False
    keywords: tuple[str, ...] = ()
    """Everyday words that people search for it by."""
    shows_page: bool = False
    """Webhook triggers: whether the address shows a page to visitors, such as a form."""
    row_output: RowOutput | None = None
    """The rows of an argument that name values of the output, so that they can be used before a test."""
    supports_connections: bool = True
    connection_app: str | None = None
    """Use connections of that app instead of its own."""
    connection_optional: bool = False

    @property
    def shown_kind(self) -> TriggerKind:
        """What starts a flow, for people: polls of the desktop only look up events that were announced."""
        return TriggerKind.EVENT if self.uses_desktop else self.kind


class RequestTarget(NamedTuple):
    """The HTTP request that a step is about to send. `url` may be a path below a connection's address."""

    method: str
    url: str

    @property
    def host(self) -> str:
        """Host and port; empty for a path or an invalid URL."""
        try:
            return urlsplit(self.url.strip()).netloc.rpartition("@")[2].casefold()
        except ValueError:
            return ""

    @property
    def line(self) -> str:
        """Method, host, and path, without credentials and query: `POST api.example.com/orders`."""
        try:
            path = urlsplit(self.url.strip()).path
        except ValueError:
            path = ""
        return f"{self.method} {self.host}{path}"[:200]


@dataclass(frozen=True)
class Action:
    """An operation that a step can run. `run` sets its output with `ctx.set_action_item`."""

    key: str
    name: str
    run: ContextFunction
    description: str = ""
    keywords: tuple[str, ...] = ()
    """Everyday words that people search for it by."""
    arguments: tuple[Argument, ...] = ()
    supports_connections: bool = True
    connection_app: str | None = None
    """Use connections of that app instead of its own."""
    connection_optional: bool = False
    on_interrupted: OnInterrupted | Callable[[JsonObject], OnInterrupted] = OnInterrupted.ASK
    """Can be a function of the step's parameters, in which variables aren't replaced."""

    is_pure: bool = False
    """Whether it only computes its output from its input, without calling or changing anything.

    A crash can't leave its outcome unknown, so the engine doesn't record that it is about to run.
    """

    runs_programs: bool = False
    """Whether it runs a program that the author of the flow supplies, as a process on this computer.

    `engine/run_permits.py` decides who may start a flow with such a step.
    """

    file_arguments: tuple[str, ...] = ()
    """The arguments that are paths of this computer; the code opens them with `ctx.files` only.

    Such a step only runs if an admin allows a folder; `engine/run_permits.py` decides that.
    """

    uses_desktop: bool = False
    """Whether it uses `ctx.desktop`: it acts for the person who has the window open, or asks them.

    Such a step only runs if an admin starts it or has published it; `engine/run_permits.py` decides that.
    """

    program_argument: str = ""
    """The argument with the path of an installed program, which it runs with `ctx.programs`.

    Such a step only runs if an admin allows the program, and starts or has published the flow.
    """

    time_limit: TimeLimit | None = None
    """The argument that sets how long a step may take, unless its author sets a timeout.

    For steps that wait for a person or a program.
    """

    parks: bool = False
    """Whether it ends with `ctx.park` or `ctx.call_flow`, so that its timeout doesn't include the wait."""

    request: Callable[[JsonObject], RequestTarget] | None = None
    """The request that a step with these parameters sends, for actions that can send one to any address.

    After a 429, only steps that call the same host are held, and an interrupted step shows the request.
    """

    preview: str = ""
    """The key of a `DynamicData` that loads a preview of the output for the entered values.

    The editor shows it while someone types, so it must have no effects. It returns one option, whose value is
    the output, or none while there is nothing to show.
    """

    def target(self, parameters: JsonObject) -> RequestTarget | None:
        """The request that a step with these parameters sends; None if the action doesn't declare it."""
        return self.request(parameters) if self.request is not None else None

    def interruption_policy(self, parameters: JsonObject) -> OnInterrupted:
        """What to do with a step with these parameters if its outcome is unknown after a crash."""
        return self.on_interrupted(parameters) if callable(self.on_interrupted) else self.on_interrupted


@dataclass(frozen=True)
class DynamicData:
    """Loads the options of a dropdown at run time."""

    key: str
    load: Callable[["Context"], Awaitable[Sequence[Option]]]


@dataclass(frozen=True)
class DynamicFields:
    """Loads additional arguments that depend on the value of another argument."""

    key: str
    load: Callable[["Context"], Awaitable[Sequence[Argument]]]


@dataclass(frozen=True)
class App:
    """An app definition. The part of it that the HTTP API shows is `AppInfo`."""

    name: str
    key: str
    icon_url: str = "{BASE_URL}/apps/{key}/assets/icon.svg"
    auth_doc_url: str = "{DOCS_URL}/apps/{key}/connection"
    supports_connections: bool = False
    base_url: str = ""
    api_base_url: str = ""
    primary_color: str = "#646A7A"
    auth: Auth | None = None
    before_request: tuple[RequestHook, ...] | list[RequestHook] = ()
    error_in_response: Callable[["Response"], str] | None = None
    """For services that send errors with a success status: the message of such a response, otherwise empty.

    See `error_at`.
    """
    offers_api_request: bool = True
    """Whether an app with connections has the action that sends any request to its service."""
    rate_limit: RateLimit | None = None
    """The rate limit of the service, which the engine respects; None if unknown."""
    triggers: tuple[Trigger, ...] | list[Trigger] = ()
    actions: tuple[Action, ...] | list[Action] = ()
    dynamic_data: tuple[DynamicData, ...] | list[DynamicData] = ()
    dynamic_fields: tuple[DynamicFields, ...] | list[DynamicFields] = ()
    description: str = ""
    category: str = ""
    keywords: tuple[str, ...] | list[str] = ()
    """Words that people search for when they mean this app, besides its name: "spreadsheet"."""
    icon_svg: str = field(default="", repr=False)
    docs_markdown: str = field(default="", repr=False)

    @property
    def app_key(self) -> AppKey:
        """The key as an ID. App authors write it as plain text."""
        return AppKey(self.key)

    @property
    def uses_http(self) -> bool:
        """Whether it sends requests to an address, or with credentials, that it declares."""
        return bool(self.api_base_url or self.before_request)

    @property
    def auth_kind(self) -> AuthKind:
        """How an account is connected."""
        if self.auth is None:
            return AuthKind.NONE
        return AuthKind.BROWSER if self.auth.generate_auth_url is not None else AuthKind.FORM
