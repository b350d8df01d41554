"""The error tree. Everything raised below the window's `state` is one of these, or a bug.

    AppError
    ├── ValidationFailed      the input breaks a rule; carries messages by field
    │   ├── FlowNotReady      a flow cannot be published; carries one blocker per missing thing
    │   └── AlreadyTaken      a value that may be there once is there already
    ├── NotFound              the thing asked for is not there (any more)
    ├── Conflict              somebody or something changed it meanwhile, or it is in use
    │   ├── RunTreeFull       one run caused as many others as it may
    │   └── DifferentAccount  new credentials belong to another account than the connection; carries both
    ├── AuthRequired          no key, or a wrong one
    ├── Forbidden             the key may not do this
    ├── RateLimited           asked too often; carries seconds to wait
    ├── ThirdPartyError     a connected service answered with an error; carries its own words
    ├── Unreachable           no answer from the network
    ├── TimedOut              the answer did not come in time
    ├── ComputationStopped    a calculation exceeded a limit or crashed; carries which
    ├── NotSupported          this workspace cannot do it; carries the feature
    ├── ServerFault           the service failed on its side; carries a request id
    ├── StorageFault          the database cannot be read or written
    │   └── PayloadTooLarge   one value is larger than the database takes
    └── SecretsUnavailable    the place that keeps secrets cannot be opened

Each says what happened, what it means and what to do. `domain.error_wire` carries them through HTTP
unchanged, so that both homes of the `Backend` raise the same thing.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from patchbay.domain.base import Json, JsonObject, Model, StepId


class AppError(Exception):
    """An expected failure, told in words a person can act on."""

    kind: ClassVar[str] = "AppError"

    def __init__(self, happened: str, *, meaning: str = "", todo: str = "") -> None:
        super().__init__(happened)
        self.happened = happened
        self.meaning = meaning
        self.todo = todo

    def text(self) -> str:
        """All sentences in one line, for terminals, logs and toasts."""
        return " ".join(part for part in (self.happened, self.meaning, self.todo) if part)

    def fields(self) -> dict[str, list[str]]:
        """Messages by field; `general` is the slot for the rest (wire format: the `errors` object)."""
        return {"general": [self.text()]}

    def extra(self) -> JsonObject:
        """What this kind carries beyond its sentences; JSON-ready, without secrets."""
        return {}


def _with_field_name(key: str, message: str) -> str:
    """A message about a field. A whole sentence names the field as people know it; others get its key."""
    return message if message[:1].isupper() or message[:1] in "“‘" else f"{key}: {message}"


class ValidationFailed(AppError):
    """Input breaks a rule. `by_field` maps a field's key to what is wrong with it."""

    kind = "ModelValidation"

    def __init__(
        self, by_field: Mapping[str, Sequence[str]], *, happened: str = "", meaning: str = "", todo: str = ""
    ) -> None:
        self.by_field = {key: list(messages) for key, messages in by_field.items()}
        first = next(
            (_with_field_name(key, messages[0]) for key, messages in self.by_field.items() if messages), ""
        )
        super().__init__(happened or first or "Something entered is not valid.", meaning=meaning, todo=todo)

    def fields(self) -> dict[str, list[str]]:
        return self.by_field


class Blocker(Model):
    """One thing that keeps a flow from being published, with the step (and field) where the work is."""

    step_id: StepId | None = None
    position: int | None = None
    field: str | None = None
    reason: str


class FlowNotReady(ValidationFailed):
    """A flow cannot be published yet."""

    kind = "incompleteStepsError"

    def __init__(self, blockers: Sequence[Blocker]) -> None:
        self.blockers = tuple(blockers)
        reasons = [_blocker_text(blocker) for blocker in self.blockers]
        count = "One thing is" if len(reasons) == 1 else f"{len(reasons)} things are"
        super().__init__({"flow": reasons}, happened=f"{count} missing before this flow can be published.")

    def text(self) -> str:
        return " ".join([self.happened, *self.by_field["flow"]])

    def extra(self) -> JsonObject:
        return {"blockers": [blocker.wire() for blocker in self.blockers]}


def _blocker_text(blocker: Blocker) -> str:
    return f"Step {blocker.position}: {blocker.reason}" if blocker.position else blocker.reason


class AlreadyTaken(ValidationFailed):
    """A value that may be there only once is there already."""

    kind = "UniqueViolationError"


class NotFound(AppError):
    """What was asked for is not there (any more)."""

    kind = "NotFound"


class Conflict(AppError):
    """It does not fit the present state: asked at the wrong time, or changed meanwhile."""

    kind = "Conflict"


class RunTreeFull(Conflict):
    """One run caused as many others as the engine's settings allow: `limit`."""

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
    """Reconnecting would turn a connection into one of another account. `before` and `now` name them."""

    kind = "DifferentAccount"

    def __init__(
        self, happened: str = "", *, before: str, now: str, meaning: str = "", todo: str = ""
    ) -> None:
        self.before, self.now = before, now
        super().__init__(
            happened or f"These credentials belong to “{now}”; this connection was made for “{before}”.",
            meaning=meaning or "Every flow that uses the connection would work with the other account.",
            todo=todo or "Connect the same account again, or confirm that you want the other one.",
        )

    def extra(self) -> JsonObject:
        return {"before": self.before, "now": self.now}


class AuthRequired(AppError):
    """Nobody is known to ask, or the key is not known."""

    kind = "AuthRequired"


class Forbidden(AppError):
    """The asker is known and may not do this."""

    kind = "Forbidden"


class RateLimited(AppError):
    """`retry_after` is in seconds, None when the service did not say."""

    kind = "RateLimited"

    def __init__(
        self, happened: str, *, retry_after: float | None = None, meaning: str = "", todo: str = ""
    ) -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.retry_after = retry_after

    def extra(self) -> JsonObject:
        return {"retryAfter": self.retry_after}


class ThirdPartyError(AppError):
    """A connected service answered with an error.

    `said` holds its own words, `status` its HTTP status, `details` its answer (masked, JSON-ready),
    `request` the line "GET /path" that was refused, `retry_after` seconds it asked us to wait,
    `redirected_to` the host that answered if a redirect led there from another one.
    `rejects_credentials` says that it would not accept the connection: by status 401 or 403, or as told by
    an app whose service speaks no HTTP.
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
        answer = f"{app} answered “{said}”" if said else f"{app} refused the request"
        code = f" ({status})." if status else "."
        super().__init__(answer + code, meaning=meaning, todo=todo)
        self.app, self.said, self.status = app, said, status
        self.details, self.request, self.retry_after = details, request, retry_after
        self.redirected_to = redirected_to
        self.rejects_credentials = rejects_credentials or status in (401, 403)

    def extra(self) -> JsonObject:
        return {
            "app": self.app, "said": self.said, "status": self.status,
            "details": self.details, "request": self.request, "retryAfter": self.retry_after,
        }  # fmt: skip


class Unreachable(AppError):
    """Nobody answered there."""

    kind = "Unreachable"


class TimedOut(AppError):
    """No answer came in time; whether it was done is not known."""

    kind = "TimedOut"


class ComputationStopped(AppError):
    """A calculation in a worker process was stopped. Trying the same again doesn't help.

    `reason` is one of: time, memory, output (it exceeded that limit), crash.
    """

    kind = "ComputationStopped"

    def __init__(self, happened: str, *, reason: str, meaning: str = "", todo: str = "") -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.reason = reason

    def extra(self) -> JsonObject:
        return {"reason": self.reason}


class NotSupported(AppError):
    """This workspace cannot do that; `feature` names what is missing."""

    kind = "NotSupported"

    def __init__(self, happened: str, *, feature: str = "", meaning: str = "", todo: str = "") -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.feature = feature

    def extra(self) -> JsonObject:
        return {"feature": self.feature}


class ServerFault(AppError):
    """The service failed; `request_id` finds the details in its log."""

    kind = "ServerFault"

    def __init__(self, happened: str, *, request_id: str = "", meaning: str = "", todo: str = "") -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.request_id = request_id

    def extra(self) -> JsonObject:
        return {"requestId": self.request_id}


class StorageFault(AppError):
    """The database did not take or give what it should."""

    kind = "StorageFault"


class PayloadTooLarge(StorageFault):
    """What was to be stored is larger than a field may be; trying again does not help."""

    kind = "PayloadTooLarge"


class SecretsUnavailable(AppError):
    """`reason` is one of: no_keyring, locked, timed_out, key_not_found, key_wrong."""

    kind = "SecretsUnavailable"

    def __init__(self, happened: str, *, reason: str, meaning: str = "", todo: str = "") -> None:
        super().__init__(happened, meaning=meaning, todo=todo)
        self.reason = reason

    def extra(self) -> JsonObject:
        return {"reason": self.reason}
