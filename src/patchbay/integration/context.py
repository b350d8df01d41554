"""The context (`ctx`) of one call of app code: HTTP client, auth data, step, execution, and results.

A call is one verification, one trigger run, or one action run. Also: control signals.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar, TypeVarTuple, overload

from patchbay.domain.base import AppKey, ConnectionId, EpochMs, ExecutionId, FlowId, Json, JsonObject, StepId
from patchbay.domain.desktop import no_desktop_error
from patchbay.domain.engine_store import KeyPass
from patchbay.domain.errors import (
    AppError,
    ComputationStopped,
    Conflict,
    NotFound,
    NotSupported,
    ThirdPartyError,
    ValidationFailed,
)
from patchbay.domain.flow_calls import FlowDirectory
from patchbay.domain.json_limits import THREAD_THRESHOLD, size_of
from patchbay.domain.ports import MORE_ITEMS_MARKER, TriggerItem, WebhookRequest, WebhookResponse
from patchbay.domain.tools import ToolResult
from patchbay.integration.app_definition import App, ContextFunction
from patchbay.integration.item_records import skipped_item_details, to_stored_id
from patchbay.integration.masking import NO_SECRETS, Masker, mask_error, secrets_of
from patchbay.integration.outgoing_addresses import UNRESTRICTED, AddressPolicy
from patchbay.integration.third_party_errors import SHAPE_ERRORS, unexpected_response_error

if TYPE_CHECKING:
    from patchbay.domain.desktop import Desktop
    from patchbay.integration.allowed_programs import ProgramAccess
    from patchbay.integration.app_threads import LoopBridge
    from patchbay.integration.http_client import AppHttp
    from patchbay.integration.http_factory import HttpFactory
    from patchbay.integration.local_files import FileAccess
    from patchbay.integration.offline import OfflineServices
    from patchbay.integration.request import Response
    from patchbay.integration.sandbox import Sandbox
    from patchbay.integration.token_renewal import StoredCredentials
    from patchbay.integration.workers import Workers

# Control signals: app code raises them to tell the engine what to do next


class ControlSignal(Exception):
    """Base class of control signals. Code that handles all errors must raise them again."""


class ExitRun(ControlSignal):
    """End this run on purpose. `reason` is shown as the execution's note."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


class Park(ControlSignal):
    """Finish the step and start the next one at `until` (milliseconds since the epoch)."""

    def __init__(self, until: EpochMs) -> None:
        super().__init__(f"parked until {until}")
        self.until = until


class CallFlow(ControlSignal):
    """Start another flow with `item`, and wait for its response if `wait`."""

    def __init__(self, flow_id: FlowId, item: Json, *, wait: bool) -> None:
        super().__init__(f"calls {flow_id}")
        self.flow_id = flow_id
        self.item = item
        self.wait = wait


class StopTrigger(ControlSignal):
    """End the trigger's run: a known item was reached, or enough items were collected."""


# Skipped trigger items: recorded once, without blocking the items after them

_ITEM_ERRORS = (ValidationFailed, NotFound, Conflict, ComputationStopped)
_CONNECTION_STATUSES = frozenset({401, 403, 407, 408, 425, 429})
"""Statuses from 400 to 499 that are about the connection or temporary, and not about the item."""


def is_item_error(error: Exception) -> bool:
    """Whether an error affects only the item that was being handled, not the items after it.

    Errors of the service, the connection, the database, or the network affect all of them: then the whole
    poll fails, and is retried. The same applies to errors of the system (`OSError`: no connection, too many
    open files). Any other exception is a bug in the app's code.
    """
    if isinstance(error, ThirdPartyError):
        status = error.status or 0
        return 400 <= status < 500 and status not in _CONNECTION_STATUSES and not error.rejects_credentials
    if isinstance(error, AppError):
        return isinstance(error, _ITEM_ERRORS)
    return not isinstance(error, OSError)


_EMPTY_ITEM = TriggerItem(raw=None)
"""Copied for items that need no validation, which is faster than `model_construct`."""
_MASKING_EXECUTOR = ThreadPoolExecutor(1, "masking")
"""One thread for large requests: each further one would delay the event loop as much as the first."""
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MAX_PASSED_IDS = 100
"""Max. IDs of items from unfinished polls that are stored as known: enough to stop at one of them."""

ToolCaller = Callable[[FlowId, JsonObject], Awaitable[ToolResult]]
AuthSaver = Callable[[JsonObject], Awaitable[None]]
TextSaver = Callable[[str], Awaitable[None]]
NameFinder = Callable[[], Awaitable[str | None]]
SeenIdsLookup = Callable[[Sequence[str]], Awaitable[frozenset[str]]]


@dataclass(kw_only=True)
class CurrentAuth:
    """The connection in use. `data` has its decrypted values, all of them and up to date after `set`."""

    id: ConnectionId | None = None
    data: JsonObject = field(default_factory=dict, repr=False)
    save: AuthSaver | None = field(default=None, repr=False)
    """Called with all merged data. None: stored only in this context, while a connection is verified."""
    app: App | None = field(default=None, repr=False)
    """The app of the connection, if it isn't the step's app."""
    stored: "StoredCredentials | None" = field(default=None, repr=False)
    """The stored credentials, for renewing them; None while the connection is verified."""
    can_renew: bool = True
    """False in the app's `refresh_token`, so that its requests never cause another refresh."""

    async def set(self, **values: Json) -> None:
        """Merge values into the auth data and save all of it."""
        self.data = {**self.data, **values}
        if self.save is not None:
            await self.save(dict(self.data))


@dataclass(kw_only=True)
class CurrentFlow:
    """The flow that this call belongs to. Empty while a connection is verified."""

    id: FlowId = FlowId("")
    last_internal_id: str | None = None
    """The ID of the flow's newest item, for services with a "since" parameter; None in tests."""
    remote_webhook_id: str | None = None
    save_remote_webhook_id: TextSaver | None = field(default=None, repr=False)
    find_name: NameFinder | None = field(default=None, repr=False)
    webhook_secrets: tuple[str, ...] = field(default=(), repr=False)
    """While a webhook is registered or one of its requests is handled: the secrets that the service and this
    flow share, newest first. They are masked like those of the connection.
    """

    async def name(self) -> str:
        """The current name; empty outside a flow."""
        return (await self.find_name() if self.find_name else None) or ""

    def add_webhook_secret(self, secret: str) -> None:
        """Store a secret that the service signs with, encrypted, for `verify_webhook`."""
        self.webhook_secrets = (secret, *(one for one in self.webhook_secrets if one != secret))

    async def set_remote_webhook_id(self, webhook_id: str) -> None:
        """Store the third party's ID of the webhook, for `unregister_hook`."""
        self.remote_webhook_id = webhook_id
        if self.save_remote_webhook_id is not None:
            await self.save_remote_webhook_id(webhook_id)


@dataclass(kw_only=True)
class CurrentStep:
    """The step that is run. `parameters` are resolved: variables are replaced by their values."""

    id: StepId = StepId("")
    app_key: AppKey = AppKey("")
    parameters: JsonObject = field(default_factory=dict)
    entered: JsonObject = field(default_factory=dict)
    """The parameters as they were entered, with variables; empty outside a run or a test."""


@dataclass(kw_only=True)
class CurrentExecution:
    """The execution this step belongs to."""

    id: ExecutionId = ExecutionId("")
    root_id: ExecutionId = ExecutionId("")
    """The run that caused this one, directly or indirectly; its own ID if none did."""
    test_run: bool = False
    approved: bool = False
    """Whether a user with full rights started it or published its flow."""

    def exit(self, reason: str = "") -> None:
        """End the run here, on purpose (raises `ExitRun`)."""
        raise ExitRun(reason)


class Datastore(Protocol):
    """Values that a flow stores between its runs."""

    async def get(self, key: str) -> Json:
        """Return the stored value; None if there is none."""
        ...

    async def set(self, key: str, value: Json) -> None: ...

    async def pass_key(self, key: KeyPass) -> EpochMs | None:
        """Let a key pass once per period. Returns None if it passes, otherwise when it last passed."""
        ...

    async def key_passed_at(self, key: str) -> EpochMs | None:
        """Return when a key last passed; None if that isn't known."""
        ...


class InMemoryDatastore:
    """A datastore in memory, for tests and for calls outside a flow."""

    def __init__(self) -> None:
        self.values: dict[str, Json] = {}
        self.passed: dict[str, KeyPass] = {}

    async def get(self, key: str) -> Json:
        return self.values.get(key)

    async def set(self, key: str, value: Json) -> None:
        self.values[key] = value

    async def pass_key(self, key: KeyPass) -> EpochMs | None:
        last = self.passed.get(key.key)
        is_over = last is None or (key.period_ms is not None and last.at <= key.at - key.period_ms)
        if is_over:
            self.passed[key.key] = key
        return None if last is None or is_over or last.passed_by == key.passed_by else last.at

    async def key_passed_at(self, key: str) -> EpochMs | None:
        return self.passed[key].at if key in self.passed else None


@dataclass(kw_only=True)
class Context:
    """The inputs, services, and results of one call of app code.

    `now` is the clock's value for this call (milliseconds since the epoch); apps never read a clock.
    `time_zone` is the IANA name of the workspace's zone, for schedules the flow's own. `known_ids` are the
    newest IDs, enough to stop at one of them; `seen` checks all. After the call, the engine reads
    `trigger_items`, `action_output`, `answer`, and `auth.data`.
    """

    app: App
    auth: CurrentAuth = field(default_factory=CurrentAuth)
    flow: CurrentFlow = field(default_factory=CurrentFlow)
    step: CurrentStep = field(default_factory=CurrentStep)
    execution: CurrentExecution = field(default_factory=CurrentExecution)
    request: WebhookRequest | None = None
    datastore: Datastore = field(default_factory=InMemoryDatastore)
    flows: FlowDirectory | None = None
    """The flows of the workspace; None outside one."""
    tool_caller: ToolCaller | None = field(default=None, repr=False)
    """Calls flows as tools for a step; None outside a run or a test."""
    http_factory: "HttpFactory | None" = field(default=None, repr=False)
    network: AddressPolicy | None = field(default=None, repr=False)
    """Which addresses this call may connect to; None: see `address_policy`."""
    workers: "Workers | None" = field(default=None, repr=False)
    sandbox: "Sandbox | None" = field(default=None, repr=False)
    file_access: "FileAccess | None" = field(default=None, repr=False)
    program_access: "ProgramAccess | None" = field(default=None, repr=False)
    window_desktop: "Desktop | None" = field(default=None, repr=False)
    webhook_url: str | None = None
    idempotency_key: str = ""
    now: EpochMs = 0
    time_zone: str = "UTC"
    known_ids: frozenset[str] = field(default=frozenset(), repr=False)
    unfinished_polls: int = 0
    """How many polls in a row left new items behind. Skip the items they reported with `mark_passed`."""
    is_baseline: bool = False
    """Whether the flow is being published: the items of this call are known then, and start no run."""
    has_more_items: bool = False
    """Set by a trigger that ends before it reaches a known item: the next poll has to read further."""
    find_seen_ids: SeenIdsLookup | None = field(default=None, repr=False)
    """Looks up IDs in the flow's history; None if there is none (in tests, or verifying a connection)."""
    max_items: int | None = None
    """Stop the trigger after this many items; a test run stops after one."""

    bridge: "LoopBridge | None" = field(default=None, repr=False)
    """Set while the app's code runs in a thread: the bridge to the main event loop."""
    warnings: list[str] = field(default_factory=list)
    """Warnings that the execution shows."""
    last_response: "Response | None" = field(default=None, repr=False)
    """The service's last response, if it wasn't an error."""
    trigger_items: list[TriggerItem] = field(default_factory=list)
    action_output: Json = None
    answer: WebhookResponse | None = None
    """The response that this step sends to the client of the webhook; the run continues after it."""
    signed_delivery: str | None = None
    """Set by `verify_webhook`: the delivery ID, derived only from data that the signature covers."""
    _tool_turn: asyncio.Lock | None = field(default=None, init=False, repr=False)
    _http: "AppHttp | None" = field(default=None, init=False, repr=False)
    _masker: tuple[tuple[str, ...], Masker] | None = field(default=None, init=False, repr=False)

    @property
    def http(self) -> "AppHttp":
        """The HTTP client, set up for this app and connection."""
        if self._http is None:
            if self.http_factory is None:
                raise NotSupported("This step runs without network access.", feature="http")
            self._http = self.http_factory.client(self)
        return self._http

    async def run_on_main_loop(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `work`, awaited on the main event loop even if the app runs in a thread."""
        return await work() if self.bridge is None else await self.bridge.run(work)

    @property
    def required_sandbox(self) -> "Sandbox":
        """The sandbox for users' programs. Raises `NotSupported` if there is none."""
        if self.sandbox is None:
            raise NotSupported("No sandbox for programs is available to this step.", feature="sandbox")
        return self.sandbox

    @property
    def files(self) -> "FileAccess":
        """The files of this computer that steps can use. Raises `NotSupported` if there are none."""
        if self.file_access is None:
            raise NotSupported("No files are available to this step.", feature="files")
        return self.file_access

    @property
    def programs(self) -> "ProgramAccess":
        """The installed programs that an admin allows. Raises `NotSupported` if there are none."""
        if self.program_access is None:
            raise NotSupported("No programs are available to this step.", feature="programs")
        return self.program_access

    @property
    def desktop(self) -> "Desktop":
        """The desktop of the person who has the window open. Raises `NotSupported` without a window."""
        if self.window_desktop is None:
            raise no_desktop_error()
        return self.window_desktop

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        """Run a published flow that is a tool (`MCP_TRIGGER`), and return its output; one call at a time.

        Unlike `call_flow`, the step continues afterwards. Secrets in the arguments are masked, as in output.
        Raises as `ToolBackend.call_tool`, and `NotFound` for flows that this flow may not call.
        """
        call = self.tool_caller
        if call is None:
            raise NotSupported("No tools are available to this step.", feature="tools")

        masked = {self.masker().text(name): self.masker().json(value) for name, value in arguments.items()}

        async def call_alone() -> ToolResult:
            if self._tool_turn is None:
                self._tool_turn = asyncio.Lock()
            async with self._tool_turn:
                return await call(flow_id, masked)

        return await self.run_on_main_loop(call_alone)

    async def compute(
        self,
        function: Callable[[*Ts], T],
        *arguments: *Ts,
        seconds: float = 10.0,
        megabytes: int = 256,
        output_bytes: int = 8 << 20,
    ) -> T:
        """Return `function(*arguments)`, called in a worker process with limits on time and memory.

        For calculations that may take long on hostile input, and for parsing untrusted data. `function` is
        defined at the top level of a module; arguments and result are JSON values, text, or bytes. It has
        `seconds` of time and `megabytes` of memory. Raises the `AppError`s that it raises, and
        `ComputationStopped` if it exceeds a limit.
        """
        from patchbay.integration.workers import WorkerLimits

        if self.workers is None:
            raise NotSupported("No worker processes are available to this step.", feature="workers")
        limits = WorkerLimits(seconds, megabytes, output_bytes)
        return await self.workers.run(function, *arguments, limits=limits, owner=self.flow.id)

    @property
    def address_policy(self) -> AddressPolicy:
        """Which addresses this call may connect to; code that opens sockets calls `addresses_of` first.

        If the caller is unknown, the workspace's strictest policy applies.
        """
        if self.network is not None:
            return self.network
        return self.http_factory.network.strictest if self.http_factory is not None else UNRESTRICTED

    @property
    def offline(self) -> "OfflineServices | None":
        """What replaces services that don't use HTTP; None if the workspace uses the network."""
        return self.address_policy.guard.offline

    @property
    def parameters(self) -> JsonObject:
        """The parameters of the step, with variables replaced."""
        return self.step.parameters

    def push_trigger_item(self, raw: Json, internal_id: str | None = None) -> None:
        """Add a trigger item (newest first). Raises `StopTrigger` at a known item, or if there are enough.

        A test run takes the first item even if it is known, to show what the data looks like. An item with an
        ID whose data can't be stored (not JSON, nested too deeply) is skipped as by `skip_item`.
        """
        stored = self._stored_id(internal_id)
        try:
            item = TriggerItem(raw=self.masker().json(raw), internal_id=stored)
        except (ValueError, RecursionError) as error:
            if stored is None:
                raise
            self._skip(stored, error)
            return
        self._push(item)

    async def push_request_item(self, raw: Json, internal_id: str | None = None) -> None:
        """Add an item from a webhook request, like `push_trigger_item`, without blocking the event loop.

        It was read as JSON, so it isn't validated again. Secrets in a large one are masked in a thread.
        """
        stored, masker = self._stored_id(internal_id), self.masker()
        if masker.has_no_secrets or size_of(raw, THREAD_THRESHOLD) <= THREAD_THRESHOLD:
            masked = masker.json(raw)
        else:
            masked = await asyncio.get_running_loop().run_in_executor(_MASKING_EXECUTOR, masker.json, raw)
        self._push(_EMPTY_ITEM.model_copy(update={"raw": masked, "internal_id": stored}))

    def _push(self, item: TriggerItem) -> None:
        self.trigger_items.append(item)
        limit = 1 if self.execution.test_run else self.max_items
        if limit is not None and sum(item.starts for item in self.trigger_items) >= limit:
            raise StopTrigger

    def skip_item(self, internal_id: str, reason: Exception | str, name: str = "") -> None:
        """Record an item that can't be handled as skipped, and continue with the next one.

        It is shown once, as a failed execution with the item's `name` and the reason, and isn't reported
        again. Raises `StopTrigger` at a known item, as `push_trigger_item` does.
        """
        self._skip(self._stored_id(internal_id), reason, name)

    @contextmanager
    def guard_item(self, internal_id: str, name: str = "") -> Iterator[None]:
        """Skip this item if the block raises, so that it can't block the items after it.

        Errors that affect more than the item are raised: of the service, the connection, or the network.
        """
        try:
            yield
        except ControlSignal:
            raise
        except Exception as error:
            if not is_item_error(error):
                raise
            self.skip_item(internal_id, error, name)

    def _skip(self, stored: str, reason: Exception | str, name: str = "") -> None:
        details = skipped_item_details(self.app.name, stored, name, reason)
        problem = self.masker().json(details)
        assert isinstance(problem, dict)
        self.trigger_items.append(TriggerItem(raw=None, internal_id=stored, problem=problem))

    @overload
    def _stored_id(self, internal_id: str) -> str: ...
    @overload
    def _stored_id(self, internal_id: None) -> None: ...
    def _stored_id(self, internal_id: str | None) -> str | None:
        """The ID as it is stored. Raises `StopTrigger` at a known one."""
        stored = None if internal_id is None else to_stored_id(internal_id, self.masker())
        if stored in self.known_ids and not self.execution.test_run:
            raise StopTrigger
        return stored

    async def seen(self, internal_ids: Sequence[str]) -> frozenset[str]:
        """Return the IDs that this trigger has already reported. Empty in tests.

        For services that can't list newest first: IDs that aren't returned are new, wherever they are in the
        list.
        """
        if self.find_seen_ids is None or self.execution.test_run:
            return frozenset()
        masker = self.masker()
        stored = {internal_id: to_stored_id(internal_id, masker) for internal_id in internal_ids}
        known = await self.find_seen_ids(tuple(stored.values()))
        return frozenset(internal_id for internal_id, name in stored.items() if name in known)

    def mark_passed(self, internal_id: str) -> None:
        """Skip an item that an unfinished poll already reported. Raises `StopTrigger` at a known item."""
        stored = self._stored_id(internal_id)
        if sum(not item.starts for item in self.trigger_items) < MAX_PASSED_IDS:
            self._mark_known(stored)

    def mark_known(self, internal_id: str) -> None:
        """Store an ID as known without starting a run. Later polls get it in `known_ids`.

        For services with increasing IDs: one stored ID says that everything up to it has been read.
        """
        self._mark_known(to_stored_id(internal_id, self.masker()))

    def _mark_known(self, stored: str) -> None:
        self.trigger_items.append(TriggerItem(raw=None, internal_id=stored, starts=False))

    def set_action_item(self, raw: Json) -> None:
        """Set the output of this action."""
        self.action_output = self.masker().json(raw)

    def park(self, until: EpochMs) -> None:
        """Delay the next step until `until` (raises `Park`). Set the action item first."""
        raise Park(until)

    def call_flow(self, flow_id: FlowId, item: Json, *, wait: bool = True) -> None:
        """Start another flow with this item; its response becomes the output (raises `CallFlow`)."""
        raise CallFlow(flow_id, self.masker().json(item), wait=wait)

    def respond(self, status: int, headers: dict[str, str], body: str | None) -> None:
        """Set the response to the client of the webhook.

        Of several calls in one step, the last one counts; of several steps that respond, the first one. The
        response of a trigger is sent at once if it has no item; otherwise once the event is stored or, if
        the client waits for the flow, when the run ends without a response of its own.
        """
        self.answer = WebhookResponse(status=status, headers=headers, body=body)

    def masker(self) -> Masker:
        """The masker of the connection's and the webhook's secrets.

        Output is stored, and some services return the key.
        """
        secrets = (*secrets_of(self.auth.app or self.app, self.auth.data), *self.flow.webhook_secrets)
        if self._masker is None or self._masker[0] != secrets:
            self._masker = secrets, Masker(secrets) if secrets else NO_SECRETS
        return self._masker[1]

    @contextmanager
    def mask_errors(self) -> Iterator[None]:
        """Mask the connection's secrets in errors that the block raises.

        Errors of code that expected other JSON from a service become errors about the service.
        """
        try:
            yield
        except (AppError, ExitRun) as error:
            mask_error(error, self.masker())
            raise
        except SHAPE_ERRORS as error:
            if unexpected := unexpected_response_error(self.last_response, error):
                mask_error(unexpected, self.masker())
                raise unexpected from error
            raise


async def collect_items(run: ContextFunction, ctx: Context) -> tuple[TriggerItem, ...]:
    """Run a trigger; return its items (newest first) and marks, and `MORE_ITEMS_MARKER` if there are more."""
    try:
        await run(ctx)
    except StopTrigger:
        ctx.has_more_items = False
    return (*ctx.trigger_items, *([MORE_ITEMS_MARKER] if ctx.has_more_items else ()))
