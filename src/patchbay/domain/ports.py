"""Seams between rooms that must not know each other: engine and storage, server and engine."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from enum import StrEnum
from typing import Protocol, TypeAlias, runtime_checkable

from patchbay.domain.access import AccessGrant, NewApiKey
from patchbay.domain.base import (
    ConnectionId,
    FlowId,
    Json,
    JsonObject,
    Model,
    UserId,
)
from patchbay.domain.errors import AppError
from patchbay.domain.people import Invitation

# --- engine ⇄ apps and service ---------------------------------------------------------------------------


class TriggerItem(Model):
    """One event a trigger produced. `internal_id` removes duplicates within a flow; None never does.

    `MORE_ITEMS_MARKER` stands behind the items of a poll that ended before it reached a known one.
    """

    raw: Json
    internal_id: str | None = None
    starts: bool = True
    """False for a mark: its id is remembered as known, and it starts nothing."""
    problem: JsonObject | None = None
    """Error details of an item that is skipped: a failed execution shows it, once, and no run starts."""


MORE_ITEMS_MARKER = TriggerItem(raw=None, starts=False)


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
    """An incoming call, read in full. `body` is the parsed JSON, form or text.

    Triggers see it complete. While its signature is checked `body` is still None: nothing is decoded for
    strangers.
    """

    method: str
    headers: dict[str, str]
    query: dict[str, Json]
    body: Json = None
    raw_body: bytes = b""
    signed_delivery: str | None = None
    """The delivery's id as far as the signature covers it; where there is one, no header decides."""


BodyReader: TypeAlias = Callable[[], Awaitable[Json]]
"""Decodes the body of a call; raises what the server answers a malformed one with."""


class WebhookResponse(Model):
    """What the caller gets. `body` None sends no content."""

    status: int = 204
    headers: dict[str, str] = {}
    body: str | None = None


DELIVERY_HEADER = "x-patchbay-delivery"
"""Says in an answer what became of a call that started nothing at once: duplicate, test, queued."""


WEBHOOK_ERROR = "WebhookError"
"""The kind of an error that the engine answers a caller of a webhook with."""


class WebhookIntake(Protocol):
    """Where the server hands in what was sent to webhooks; the engine takes it."""

    @property
    def max_body_bytes(self) -> int:
        """How long the body of a request may be."""
        ...

    async def record_refusal(self, flow_id: FlowId, error: AppError) -> None:
        """Show the owner of a published flow that a request was refused before it was read.

        At most one execution per flow in a quarter of an hour, so that strangers can't fill the history.
        """
        ...

    async def deliver(
        self,
        flow_id: FlowId,
        request: WebhookRequest,
        *,
        synchronous: bool,
        read_body: BodyReader | None = None,
    ) -> WebhookResponse:
        """Accept the event (committed before this returns); synchronous waits for the flow's own answer.

        `read_body` is called once the signature of the call was found right, and gives `request.body`;
        without it the request has its body already.
        An event that was delivered before starts nothing: it is answered as the first time where that is
        still known, and the answer's header `DELIVERY_HEADER` says so. Raises `NotFound` for unknown flows,
        `Conflict` for flows not started by webhook, `Unreachable` while the engine starts or stops
        (answered 503 with Retry-After).
        """
        ...

    async def deliver_test(
        self, flow_id: FlowId, request: WebhookRequest, *, read_body: BodyReader | None = None
    ) -> WebhookResponse:
        """Keep the event as a test of the flow's draft; nothing runs. Raises as `deliver`."""
        ...

    async def look_up(self, flow_id: FlowId, *, test: bool = False) -> None:
        """Whether a call would be accepted: raises what `deliver` would, or with `test` `deliver_test`."""
        ...


class SignInCallbacks(Protocol):
    """Where the server hands in browsers that come back from a sign-in."""

    async def came_back(self, answer: Mapping[str, str]) -> bool:
        """A browser came back from a sign-in with this query; False when no sign-in waits for it."""
        ...


ATTACHED_KEY_ID = "attached"
"""Id of the key by which programs of the same user and computer attach."""


class OwnedResource(StrEnum):
    """What belongs to one person, and may be asked for by its id."""

    FLOW = "flow"
    STEP = "step"
    EXECUTION = "execution"
    CONNECTION = "connection"
    FOLDER = "folder"


class ApiKeys(Protocol):
    """Keys of our HTTP interface, where they are kept, and how far they reach."""

    async def check(self, value: str) -> AccessGrant | None:
        """What opens to whoever shows this value, compared in constant time; None for unknown values.

        Keys of people who are gone open nothing. Nothing is written, so that it takes the same time for all.
        """
        ...

    async def used(self, access: AccessGrant) -> None:
        """Note that the key let somebody in, to the minute."""
        ...

    async def find_owners(self, thing: OwnedResource, ids: Collection[str]) -> Mapping[str, UserId]:
        """Whose these things are, deleted ones too; what is not there, or nobody's, is left out."""
        ...


class InvitationAcceptance(Protocol):
    """Where the server hands in people who follow the link of their invitation."""

    async def invitation(self, token: str) -> Invitation:
        """Raises `NotFound` for a link that is unknown, used, withdrawn or older than 72 hours."""
        ...

    async def join(self, token: str) -> NewApiKey:
        """The person is in from now on, and this is their first key. Raises as `invitation`."""
        ...


# --- service ⇄ platform ----------------------------------------------------------------------------------


@runtime_checkable
class LockableKeyStore(Protocol):
    """A key home that can tell whether it is locked without asking its person to unlock it."""

    async def is_locked(self) -> bool | None:
        """None where it can't be told now."""
        ...


class KeyStore(Protocol):
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
