"""The errors that callers can expect. Every other exception is a bug.

    AppError
    ├── ValidationFailed      invalid input; has messages by field
    │   ├── FlowNotReady      a flow can't be published; has one blocker per problem
    │   └── AlreadyTaken      a value that must be unique exists already
    ├── NotFound              the resource doesn't exist (any more)
    ├── Conflict              the resource was changed meanwhile, or is in the wrong state
    │   ├── RunTreeFull       one run caused too many others
    │   └── DifferentAccount  new credentials belong to another account than the connection; has both
    ├── AuthRequired          the API key is missing or invalid
    ├── Forbidden             missing permissions
    ├── RateLimited           too many requests; has the seconds to wait
    ├── ThirdPartyError       a connected service returned an error; has its message
    ├── Unreachable           no connection to a server
    ├── TimedOut              no response in time
    ├── ComputationStopped    a calculation exceeded a limit or crashed; has the reason
    ├── NotSupported          this workspace can't do it; has the feature
    ├── ServerFault           the server failed; has a request ID
    ├── StorageFault          the database can't be read or written
    │   └── PayloadTooLarge   a value is larger than the database accepts
    └── SecretsUnavailable    stored secrets can't be accessed; has the reason

Each has up to three sentences: what happened, why it matters, and what to do. `domain.error_wire` sends them
over HTTP without loss, so that local and remote workspaces raise the same errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:  # importing pydantic would delay the first paint of the window
    from patchbay.domain.base import Json, JsonObject
    from patchbay.domain.blockers import Blocker


class AppError(Exception):
    """An expected failure, described in sentences for people."""

    kind: ClassVar[str] = "AppError"

    def __init__(self, happened: str, *, meaning: str = "", todo: str = "") -> None:
        super().__init__(happened)
        self.happened = happened
        self.meaning = meaning
        self.todo = todo

    def text(self) -> str:
        """All sentences on one line, for terminals, logs, and notifications."""
        return " ".join(part for part in (self.happened, self.meaning, self.todo) if part)

    def fields(self) -> dict[str, list[str]]:
        """Messages by field, with `general` for those that belong to none; sent as `errors` over HTTP."""
        return {"general": [self.text()]}

    def extra(self) -> JsonObject:
        """Additional data of this kind of error; JSON-ready, without secrets."""
        return {}


def _with_field_name(key: str, message: str) -> str:
    """The message with the field's key in front, unless it's a sentence, which names the field itself."""
    return message if message[:1].isupper() or message[:1] in "“‘" else f"{key}: {message}"


class ValidationFailed(AppError):
    """Invalid input. `by_field` has the messages for each field, by its key."""

    kind = "ModelValidation"

    def __init__(
        self, by_field: Mapping[str, Sequence[str]], *, happened: str = "", meaning: str = "", todo: str = ""
    ) -> None:
        self.by_field = {key: list(messages) for key, messages in by_field.items()}
        first = next(
            (_with_field_name(key, messages[0]) for key, messages in self.by_field.items() if messages), ""
        )
        super().__init__(happened or first or "The input isn't valid.", meaning=meaning, todo=todo)

    def fields(self) -> dict[str, list[str]]:
        return self.by_field


class FlowNotReady(ValidationFailed):
    """A flow can't be published yet."""

    kind = "incompleteStepsError"

    def __init__(self, blockers: Sequence[Blocker]) -> None:
        self.blockers = tuple(blockers)
        reasons = [
            f"Step {blocker.position}: {blocker.reason}" if blocker.position else blocker.reason
            for blocker in self.blockers
        ]
        problems = "1 problem" if len(reasons) == 1 else f"{len(reasons)} problems"
        super().__init__({"flow": reasons}, happened=f"This flow can't be published because of {problems}.")

    def text(self) -> str:
        return " ".join([self.happened, *self.by_field["flow"]])

    def extra(self) -> JsonObject:
        return {"blockers": [blocker.wire() for blocker in self.blockers]}


class AlreadyTaken(ValidationFailed):
    """A value that must be unique exists already."""

    kind = "UniqueViolationError"


class NotFound(AppError):
    """The resource doesn't exist (any more)."""

    kind = "NotFound"


class Conflict(AppError):
    """The operation doesn't fit the state of the resource, or the resource was changed meanwhile."""

    kind = "Conflict"


class RunTreeFull(Conflict):
    """One run has caused as many others as the engine settings allow: `limit`."""

    kind = "RunTreeFull"

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(
            f"One run and everything it started reached {limit:,} runs, so no further run was started.",
            meaning="Flows most likely start each other in a loop.",
            todo="Check which flow calls which. If that many runs are intended, an admin can raise "
            "“Max. runs from one start” in Settings → Engine.",
        )

    def extra(self) -> JsonObject:
        return {"limit": self.limit}


class DifferentAccount(Conflict):
    """New credentials belong to another account than the connection. `before` and `now` name the accounts."""

    kind = "DifferentAccount"

    def __init__(
        self, happened: str = "", *, before: str, now: str, meaning: str = "", todo: str = ""
    ) -> None:
        self.before = before
        self.now = now
        super().__init__(
            happened or f"These credentials belong to “{now}”, but this connection is for “{before}”.",
            meaning=meaning or "Every flow that uses the connection would use the other account.",
            todo=todo or "Sign in with the same account, or confirm that you want to switch.",
        )

    def extra(self) -> JsonObject:
        return {"before": self.before, "now": self.now}


class AuthRequired(AppError):
    """The API key is missing or invalid."""

    kind = "AuthRequired"


class Forbidden(AppError):
    """The caller is authenticated but lacks the permissions."""

    kind = "Forbidden"


class RateLimited(AppError):
    """Too many requests. `retry_after` is the number of seconds to wait; None if the service didn't say."""

    kind = "RateLimited"

    def __init__(
        self, happened: str, *, retry_after: float | None = None, meaning: str = "", todo: str = ""
    ) -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.retry_after = retry_after

    def extra(self) -> JsonObject:
        return {"retryAfter": self.retry_after}


class ThirdPartyError(AppError):
    """A connected service returned an error.

    `said` is its message, `status` its HTTP status, `details` its response (masked, JSON-ready), `request`
    the failed request as "GET /path", and `retry_after` the seconds it asked to wait. `redirected_to` is the
    host that responded if a redirect led there. `rejects_credentials` is true for status 401 and 403, and if
    an app whose service doesn't use HTTP says so.
    """

    kind = "HttpError"

    def __init__(
        self,
        *,
        app: str,
        said: str,
        meaning: str = "",
        todo: str = "",
        status: int | None = None,
        details: Json = None,
        request: str = "",
        retry_after: float | None = None,
        redirected_to: str = "",
        rejects_credentials: bool = False,
    ) -> None:
        outcome = f"{app} returned “{said}”" if said else f"{app} rejected the request"
        code = f" ({status})." if status else "."
        super().__init__(outcome + code, meaning=meaning, todo=todo)
        self.app = app
        self.said = said
        self.status = status
        self.details = details
        self.request = request
        self.retry_after = retry_after
        self.redirected_to = redirected_to
        self.rejects_credentials = rejects_credentials or status in (401, 403)

    def extra(self) -> JsonObject:
        return {
            "app": self.app,
            "said": self.said,
            "status": self.status,
            "details": self.details,
            "request": self.request,
            "retryAfter": self.retry_after,
        }


class Unreachable(AppError):
    """A server couldn't be reached."""

    kind = "Unreachable"


class TimedOut(AppError):
    """No response in time. Whether the request was carried out is unknown."""

    kind = "TimedOut"


class ComputationStopped(AppError):
    """A calculation in a worker process was stopped. Retrying it doesn't help.

    `reason` is `time`, `memory`, or `output` for an exceeded limit, or `crash`.
    """

    kind = "ComputationStopped"

    def __init__(self, happened: str, *, reason: str, meaning: str = "", todo: str = "") -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.reason = reason

    def extra(self) -> JsonObject:
        return {"reason": self.reason}


class NotSupported(AppError):
    """This workspace doesn't support the operation. `feature` names what is missing."""

    kind = "NotSupported"

    def __init__(self, happened: str, *, feature: str = "", meaning: str = "", todo: str = "") -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.feature = feature

    def extra(self) -> JsonObject:
        return {"feature": self.feature}


class ServerFault(AppError):
    """The server failed. Its log has the details under `request_id`."""

    kind = "ServerFault"

    def __init__(self, happened: str, *, request_id: str = "", meaning: str = "", todo: str = "") -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.request_id = request_id

    def extra(self) -> JsonObject:
        return {"requestId": self.request_id}


class StorageFault(AppError):
    """The database can't be read or written."""

    kind = "StorageFault"
    may_be_the_data = False
    """Whether the data may be the cause, so that other data can be written now."""


class PayloadTooLarge(StorageFault):
    """A value is larger than a database field may be. Retrying doesn't help."""

    kind = "PayloadTooLarge"


class SecretsUnavailable(AppError):
    """Stored secrets can't be accessed.

    `reason` is `no_keyring`, `not_created`, `locked`, `timed_out`, `key_not_found`, or `key_wrong`.
    """

    kind = "SecretsUnavailable"

    def __init__(self, happened: str, *, reason: str, meaning: str = "", todo: str = "") -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.reason = reason

    def extra(self) -> JsonObject:
        return {"reason": self.reason}
