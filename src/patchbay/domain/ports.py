"""Interfaces between packages that don't import each other, such as server and engine, or service and
platform.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from enum import StrEnum
from typing import Protocol, TypeAlias, runtime_checkable

from patchbay.domain.access import AccessGrant, NewApiKey
from patchbay.domain.base import (
    ConnectionId,
    FlowId,
    IdType,
    Json,
    JsonObject,
    Model,
    UserId,
)
from patchbay.domain.errors import AppError
from patchbay.domain.people import Invitation

# --- engine ⇄ apps and service ---------------------------------------------------------------------------


class TriggerItem(Model):
    """One event of a trigger. Events with the same `internal_id` start a flow only once; None is always new.

    `MORE_ITEMS_MARKER` follows the items of a poll that ended before it reached a known one.
    """

    raw: Json
    internal_id: str | None = None
    starts: bool = True
    """False: the ID is remembered as known, but no run starts."""
    problem: JsonObject | None = None
    """Error details of an item that is skipped: it is recorded once as a failed execution, and no run starts.
    """


MORE_ITEMS_MARKER = TriggerItem(raw=None, starts=False)


class Credentials(Protocol):
    """Access to the decrypted credentials of connections and the secrets of webhooks."""

    async def load(self, connection_id: ConnectionId) -> JsonObject:
        """Load the decrypted auth data. Raises `NotFound` or `SecretsUnavailable`."""
        ...

    async def save(self, connection_id: ConnectionId, data: JsonObject) -> None:
        """Replace the auth data."""
        ...

    async def replace(self, connection_id: ConnectionId, before: JsonObject, after: JsonObject) -> bool:
        """Compare and swap: store `after` and commit if `before` is still stored; otherwise return False."""
        ...

    async def webhook_secrets(self, flow_id: FlowId) -> tuple[str, ...]:
        """The secrets with which a service signs its deliveries to a published flow, newest first.

        Raises `SecretsUnavailable`.
        """
        ...

    async def mark_invalid(self, connection_id: ConnectionId, reason: str) -> None:
        """Record why a connection doesn't work any longer, until it is tested again."""
        ...


# --- server ⇄ engine and service -------------------------------------------------------------------------


class WebhookRequest(Model):
    """An incoming webhook request. `body` is the parsed JSON, form, or text.

    While the signature is verified, `body` is still None: unauthenticated data isn't decoded.
    """

    method: str
    headers: dict[str, str]
    query: dict[str, Json]
    body: Json = None
    raw_body: bytes = b""
    signed_delivery: str | None = None
    """The delivery ID that the signature covers. It takes precedence over headers."""


BodyReader: TypeAlias = Callable[[], Awaitable[Json]]
"""Decodes the body of a request; raises an `AppError` for a malformed one."""


class WebhookResponse(Model):
    """The response to a webhook request. `body` None sends no content."""

    status: int = 204
    headers: dict[str, str] = {}
    body: str | None = None


NO_CONTENT = WebhookResponse()
"""The response to a request that only starts a run."""

DELIVERY_HEADER = "x-patchbay-delivery"
"""Response header of a request that started no run right away: `duplicate`, `test`, or `queued`."""


WEBHOOK_ERROR = "WebhookError"
"""The error kind in responses of the engine to webhook requests."""


class WebhookIntake(Protocol):
    """Receives webhook requests from the server; implemented by the engine."""

    @property
    def max_body_bytes(self) -> int:
        """Maximum length of a request body."""
        ...

    async def record_rejection(self, flow_id: FlowId, error: AppError) -> None:
        """Record that a request to a published flow was rejected before it was read.

        At most one execution is recorded per flow in 15 minutes, so that unauthenticated requests
        can't fill the history.
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
        """Accept an event and commit it before returning; `synchronous` waits for the response of the flow.

        `read_body` returns `request.body` and is called after the signature was verified; without it, the
        request has its body already. A duplicate event starts nothing: it gets the first response if that is
        still cached, with `DELIVERY_HEADER`. Raises `NotFound` for unknown flows, `Conflict` for flows
        without a webhook, and `Unreachable` while the engine starts or stops (503 with Retry-After).
        """
        ...

    async def deliver_test(
        self, flow_id: FlowId, request: WebhookRequest, *, read_body: BodyReader | None = None
    ) -> WebhookResponse:
        """Store the event as a sample of the flow's draft without running it. Raises as `deliver`."""
        ...

    async def check_webhook(self, flow_id: FlowId, *, test: bool = False) -> None:
        """Check whether a request would be accepted.

        Raises as `deliver`, or with `test` as `deliver_test`.
        """
        ...


class SignInCallbacks(Protocol):
    """Receives browsers that are redirected back from a sign-in."""

    async def handle_redirect(self, query: Mapping[str, str]) -> bool:
        """Handle a redirect with this query; False if no sign-in waits for it."""
        ...


ATTACHED_KEY_ID = "attached"
"""ID of the API key that other programs of the same user on this computer use."""


class OwnedResource(StrEnum):
    """The kinds of resources that have an owner."""

    FLOW = "flow"
    STEP = "step"
    EXECUTION = "execution"
    CONNECTION = "connection"
    FOLDER = "folder"


class ApiKeys(Protocol):
    """API keys, and the owners of resources that they give access to."""

    async def check(self, value: str) -> AccessGrant | None:
        """The access that a key's value gives, compared in constant time; None for invalid values.

        Keys of people who were removed are invalid. Nothing is written, so that all checks take the same
        time.
        """
        ...

    async def used(self, access: AccessGrant) -> None:
        """Record when the key was used, to the minute."""
        ...

    async def find_owners(self, kind: OwnedResource, ids: Collection[IdType]) -> Mapping[IdType, UserId]:
        """The owner of each resource, by ID, even if deleted.

        Without those that don't exist or have no owner.
        """
        ...


class InvitationAcceptance(Protocol):
    """Accepts invitations for the server."""

    async def invitation(self, token: str) -> Invitation:
        """The invitation of a link.

        Raises `NotFound` if it is unknown, used, revoked, or expired (72 hours).
        """
        ...

    async def join(self, token: str) -> NewApiKey:
        """Accept the invitation, and return the person's first API key. Raises as `invitation`."""
        ...


# --- service ⇄ platform ----------------------------------------------------------------------------------


@runtime_checkable
class PromptingKeyStore(Protocol):
    """A key store that may ask the user for a password."""

    @property
    def waiting(self) -> bool:
        """Whether a call hasn't returned yet, for example because the user is being asked for the
        password.
        """
        ...

    async def is_locked(self) -> bool | None:
        """Whether it is locked, without showing a prompt; None when that can't be determined."""
        ...


class KeyStoreKind(StrEnum):
    """The kinds of key stores; the values are their names for people."""

    SYSTEM_KEYRING = "system keyring"
    PASSPHRASE_VAULT = "passphrase vault"
    DATA_KEY_FILE = "data key file"
    MEMORY = "memory"


class KeyStore(Protocol):
    """Stores short texts outside the database: in the system keyring, a passphrase vault, or memory (demo).

    One that derives keys from a data key stores nothing.

    Every method raises `SecretsUnavailable` with reason `no_keyring`, `locked`, or `timed_out` if the store
    can't be accessed.
    """

    @property
    def place(self) -> str:
        """Where credentials are stored, as a sentence for people."""
        ...

    @property
    def kind(self) -> KeyStoreKind:
        """What it is; also its short name, to follow "in the …"."""
        ...

    @property
    def holds_items(self) -> bool:
        """Whether the secrets of each connection can be stored in it too, as one item per connection."""
        ...

    @property
    def max_characters(self) -> int | None:
        """Maximum length of a value; None if there is no practical limit."""
        ...

    async def get(self, name: str) -> str | None:
        """Read a value; None if there is none."""
        ...

    async def set(self, name: str, value: str) -> None:
        """Store an item, replacing one of the same name."""
        ...

    async def delete(self, name: str) -> None:
        """Delete a value, if there is one."""
        ...
