"""Seams between rooms that must not know each other: engine and storage, server and engine."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from patchbay.domain.base import (
    ConnectionId,
    EpochMs,
    ExecutionId,
    FlowId,
    Json,
    JsonObject,
    Model,
    StepId,
    UserId,
)
from patchbay.domain.engine import RateLimit, Retention, Tidied
from patchbay.domain.executions import ExecutionState, Origin, StepState, WaitsFor
from patchbay.domain.flows import FlowSettings, FlowVersion

# --- engine ⇄ storage ------------------------------------------------------------------------------------


class TriggerItem(Model):
    """One event a trigger produced. `internal_id` removes duplicates within a flow; None never does."""

    raw: Json
    internal_id: str | None = None
    starts: bool = True
    """False for a mark: its id is remembered as known, and it starts nothing."""


class StepOutcome(Model):
    """A finished attempt of a step, ready to be stored. `seq` 0 is the trigger; `attempt` counts from 1."""

    seq: int
    attempt: int = 1
    step_id: StepId
    status: StepState
    data_in: Json = None
    data_out: Json = None
    error: JsonObject | None = None
    warnings: tuple[str, ...] = ()
    """Sentences about values that were not there when the step was called."""
    path: str | None = None
    """In which item of a loop the step ran; see `ExecutionStep.path`."""
    started_at: EpochMs
    finished_at: EpochMs


class NewExecution(Model):
    """An accepted event: the execution and its finished trigger step, stored in one commit."""

    id: ExecutionId
    flow_id: FlowId
    flow_version: int | None
    """Frozen version to run; None for a test run of the draft, which is stored finished."""
    state: ExecutionState = ExecutionState.QUEUED
    internal_id: str | None = None
    test_run: bool = False
    note: str | None = None
    trigger: StepOutcome
    steps: tuple[StepOutcome, ...] = ()
    """Further finished steps: of a test run that is stored in one piece, of the origin of a retry."""
    origin_id: ExecutionId | None = None
    origin_kind: Origin | None = None
    origin_seq: int | None = None
    """The step of the origin that called this one and waits for it."""
    run_key: str | None = None
    """What idempotency keys begin with; None: the execution's own id. A retry keeps that of its origin."""
    steps_total: int = 0
    created_at: EpochMs


class TriggerState(Model):
    """Where a published trigger stands."""

    flow_id: FlowId
    next_due_at: EpochMs | None = None
    cursor: JsonObject = {}
    seen: tuple[str, ...] = ()
    """Ids of events that never start a run, kept for good by the commit that stores this; empty when read."""


class ActiveTrigger(Model):
    """A published flow as the engine's timer sees it."""

    version: FlowVersion
    interval_minutes: int
    settings: FlowSettings = FlowSettings()
    paused: bool = False
    """Held: its trigger does not fire and none of its executions is claimed."""
    state: TriggerState


class Mark(NamedTuple):
    """How a step of a run ended for good, after its last attempt."""

    status: StepState
    output: Json = None


class Answer(Model):
    """What a flow that was called gives back to the step that called it."""

    status: StepState
    data: Json = None
    error: JsonObject | None = None


class Run(Model):
    """A claimed execution: everything needed to go on from `cursor`, the seq of the next step to run."""

    id: ExecutionId
    run_token: str
    version: FlowVersion
    cursor: int
    attempt: int = 1
    """The attempt about to be made of the step at `cursor`."""
    marks: tuple[Mark, ...] = ()
    """The steps before `cursor`, by seq."""
    interrupted: bool = False
    """A crash left the step at `cursor` running: its outcome is unknown."""
    answered: Answer | None = None
    """The step at `cursor` called a flow, and this is how that ended."""
    note: str | None = None
    """What the execution's note said when it was claimed."""
    test_run: bool = False
    origin_id: ExecutionId | None = None
    origin_kind: Origin | None = None
    waited_for: bool = False
    """A step of the origin waits for the answer of this run."""
    run_key: str
    """What idempotency keys of this run begin with."""
    created_at: EpochMs


class Continue(Model):
    """Where a run goes after an outcome: on (`running`), to sleep until `wake_at`, or to an end.

    `steps_total` is None where it stays what it was.
    """

    state: ExecutionState
    cursor: int
    wake_at: EpochMs | None = None
    waits_for: WaitsFor | None = None
    note: str | None = None
    steps_total: int | None = None


class Past(Model):
    """An execution as it was stored, to begin another one from."""

    id: ExecutionId
    flow_id: FlowId
    flow_version: int | None
    state: ExecutionState
    test_run: bool
    run_key: str
    steps: tuple[StepOutcome, ...]
    """The last attempt of each step, by seq."""


class Cancelled(Model):
    """What cancelling an execution did, to it and to the flows it called."""

    ended: tuple[ExecutionId, ...] = ()
    running: tuple[ExecutionId, ...] = ()
    """These are with a runner, which has to end them."""
    woken: tuple[ExecutionId, ...] = ()
    """Runs that waited for one of them."""


class EngineStore(Protocol):
    """What the engine keeps. Each method is one commit (shared with other waiting writes)."""

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[bool, ...]:
        """Store executions with their trigger step and, in the same commit, the trigger's new state.

        Returns for each event whether it was new; a known (flow_id, internal_id) is left out silently, be
        it known by an execution or by `TriggerState.seen`.
        """
        ...

    async def claim(self, execution_id: ExecutionId, run_token: str, now: EpochMs) -> Run | None:
        """Take a queued or due execution; None when somebody else has it or it is gone."""
        ...

    async def intent(self, run: Run, outcome: StepOutcome) -> bool:
        """Record that a step is about to be called with its resolved input. False: the run is lost."""
        ...

    async def outcome(
        self,
        run: Run,
        outcome: StepOutcome | None,
        then: Continue,
        begin: Sequence[NewExecution] = (),
        answer: Answer | None = None,
    ) -> bool:
        """Finish the step and move the run, only while `run_token` is still ours.

        `begin` are executions that this one causes, stored in the same commit; `answer` goes to the run that
        waits for this one and queues it. Without an `outcome` only the run is moved.
        """
        ...

    async def cancel(self, execution_id: ExecutionId, now: EpochMs, note: str) -> Cancelled:
        """End a run that is queued or waits, and the runs of flows it called. Empty when it is finished."""
        ...

    async def past(self, execution_id: ExecutionId) -> Past | None:
        """An execution with the last attempt of each of its steps."""
        ...

    async def frozen(self, flow_id: FlowId, number: int) -> FlowVersion | None:
        """One version of a flow; also of a deleted one."""
        ...

    async def call_depth(self, execution_id: ExecutionId) -> int:
        """How many runs wait for this one, one for the other."""
        ...

    async def led_by_failure(self, execution_id: ExecutionId) -> bool:
        """Whether this execution came, in whatever steps, from the failure of another one."""
        ...

    async def failures_in_row(self, flow_id: FlowId, limit: int) -> int:
        """How many of the newest finished runs failed without one in between that did not, up to `limit`."""
        ...

    async def pause_flow(self, flow_id: FlowId, reason: str, now: EpochMs) -> bool:
        """Hold a published flow; False when it is held already, or is no longer published."""
        ...

    async def recover(self, now: EpochMs) -> int:
        """At start: executions left running become queued again. Returns how many."""
        ...

    async def due(
        self, now: EpochMs, limit: int, leave_out: Collection[FlowId] = ()
    ) -> tuple[tuple[ExecutionId, FlowId], ...]:
        """Queued executions and waiting ones whose time has come, oldest first, but of these flows."""
        ...

    async def next_wake(self) -> EpochMs | None:
        """When the next waiting execution is due."""
        ...

    async def bring_nearer(self, by: int) -> None:
        """The clock was set back by so many milliseconds: what waits for a retry or a limit waits no longer."""
        ...

    async def known_ids(self, flow_id: FlowId, internal_ids: Sequence[str]) -> frozenset[str]:
        """Those among them that came before, over the whole history."""
        ...

    async def last_internal_id(self, flow_id: FlowId) -> str | None: ...
    async def active_triggers(self) -> tuple[ActiveTrigger, ...]: ...
    async def version(self, flow_id: FlowId) -> FlowVersion | None:
        """The published version of an active flow."""
        ...

    async def draft(self, flow_id: FlowId) -> FlowVersion | None:
        """The draft in the form of a version (number 0), for tests."""
        ...

    async def connection_limits(self) -> Mapping[ConnectionId, RateLimit]:
        """The connections that have a limit of their own."""
        ...

    async def save_trigger(self, state: TriggerState) -> None: ...
    async def counts(self, since: EpochMs) -> Mapping[str, int]:
        """`running`, `waiting`, `queued` now and `failures` (tests apart) since the given time.

        `oldest_queued_at` too, while something is queued.
        """
        ...

    async def samples(self, flow_id: FlowId) -> Mapping[StepId, Json]:
        """The newest successful output of each step of a flow."""
        ...

    async def remove_old(self, retention: Retention, now: EpochMs) -> Tidied:
        """Remove executions that `retention` does not keep, in many small commits; may be cut off anywhere.

        Their events stay known. Some of the space stays free in the file for what comes next.
        """
        ...

    async def get_value(self, flow_id: FlowId, key: str) -> Json: ...
    async def set_value(self, flow_id: FlowId, key: str, value: Json) -> None: ...


class Credentials(Protocol):
    """Decrypted auth data of connections, for the engine and for connection tests."""

    async def load(self, connection_id: ConnectionId) -> JsonObject:
        """Raises `NotFound` or `SecretsUnavailable`."""
        ...

    async def save(self, connection_id: ConnectionId, data: JsonObject) -> None:
        """Replace the whole auth data (after a token refresh)."""
        ...

    async def replace(self, connection_id: ConnectionId, before: JsonObject, after: JsonObject) -> bool:
        """Store `after` if what is stored is still `before`, and commit; False when it is not."""
        ...

    async def mark_invalid(self, connection_id: ConnectionId, reason: str) -> None: ...


# --- server ⇄ engine and service -------------------------------------------------------------------------


class WebhookRequest(Model):
    """An incoming call, read in full. `body` is the parsed JSON, form or text."""

    method: str
    headers: dict[str, str]
    query: dict[str, Json]
    body: Json = None
    raw_body: bytes = b""


class WebhookAnswer(Model):
    """What the caller gets. `body` None sends no content."""

    status: int = 204
    headers: dict[str, str] = {}
    body: str | None = None


DELIVERY_HEADER = "x-patchbay-delivery"
"""Says in an answer what became of a call that started nothing at once: duplicate, test, queued."""


class WebhookIntake(Protocol):
    """Where the server hands in what was sent to webhooks; the engine takes it."""

    async def deliver(self, flow_id: FlowId, request: WebhookRequest, *, synchronous: bool) -> WebhookAnswer:
        """Accept the event (committed before this returns); synchronous waits for the flow's own answer.

        An event that was delivered before starts nothing: it is answered as the first time where that is
        still known, and the answer's header `DELIVERY_HEADER` says so. Raises `NotFound` for unknown flows,
        `Conflict` for flows not started by webhook, `Unreachable` while the engine starts or stops
        (answered 503 with Retry-After).
        """
        ...

    async def deliver_test(self, flow_id: FlowId, request: WebhookRequest) -> WebhookAnswer:
        """Keep the event as a test of the flow's draft; nothing runs. Raises as `deliver`."""
        ...

    async def look_up(self, flow_id: FlowId) -> None:
        """Whether a call would be taken: raises what `deliver` would, and starts nothing."""
        ...


class SignInCallbacks(Protocol):
    """Where the server hands in browsers that come back from a sign-in."""

    async def came_back(self, answer: Mapping[str, str]) -> bool:
        """A browser came back from a sign-in with this query; False when no sign-in waits for it."""
        ...


class ApiKey(Model):
    """A key of our HTTP interface, without its value. `hint` shows its first and last four characters."""

    id: str
    name: str
    hint: str
    user_id: UserId | None = None
    created_at: EpochMs
    last_used_at: EpochMs | None = None


ATTACHED = "attached"
"""Id of the key by which programs of the same user and computer attach; only it may manage keys."""


class KeyAdministration(Protocol):
    """Making and revoking keys of our HTTP interface. Values are stored hashed and shown once."""

    async def create(self, name: str) -> tuple[ApiKey, str]: ...
    async def list(self) -> tuple[ApiKey, ...]: ...
    async def revoke(self, key_id: str) -> None: ...


class ApiKeys(KeyAdministration, Protocol):
    """Keys of our HTTP interface, where they are kept."""

    async def check(self, value: str) -> ApiKey | None:
        """The key with this value, compared in constant time; None when there is none."""
        ...


# --- service ⇄ platform ----------------------------------------------------------------------------------


class KeyHome(Protocol):
    """Keeps short texts outside the database: the system keyring, a passphrase file, or memory for the demo.

    Every method raises `SecretsUnavailable` with reason `no_keyring`, `locked` or `timed_out` when the place
    cannot be asked. Values are short texts.
    """

    @property
    def place(self) -> str:
        """One sentence for people: where credentials are kept."""
        ...

    @property
    def name(self) -> str:
        """The same in two words, after "in the …": "system keyring"."""
        ...

    @property
    def max_characters(self) -> int | None:
        """How long a value may be; None where there is no limit worth naming."""
        ...

    async def get(self, name: str) -> str | None:
        """None when there is no such value, which is known only when the place could be asked."""
        ...

    async def set(self, name: str, value: str) -> None: ...
    async def delete(self, name: str) -> None:
        """Nothing happens when there is no such value."""
        ...
