"""Conversion of errors to HTTP response bodies and back, so that the client raises what the server raised."""

from collections.abc import Mapping
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.blockers import Blocker
from patchbay.domain.errors import (
    AlreadyTaken,
    AppError,
    AuthRequired,
    ComputationStopped,
    Conflict,
    DifferentAccount,
    FlowNotReady,
    Forbidden,
    NotFound,
    NotSupported,
    PayloadTooLarge,
    RateLimited,
    RunTreeFull,
    SecretsUnavailable,
    ServerFault,
    StorageFault,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)
from patchbay.domain.remote_options import SeenCertificate, UntrustedCertificate


def to_wire(error: AppError) -> JsonObject:
    """Return the body of an error response: `errors` by field, and the kind and sentences in `meta`."""
    meta: JsonObject = {
        "type": error.kind,
        "happened": error.happened,
        "meaning": error.meaning,
        "todo": error.todo,
    }
    if extra := error.extra():
        meta["extra"] = extra
    errors: JsonObject = {key: list[Json](messages) for key, messages in error.fields().items()}
    return {"errors": errors, "meta": meta}


def from_wire(body: Mapping[str, Any]) -> AppError | None:
    """Return the error in a body that `to_wire` made; None for any other body."""
    meta = body.get("meta")
    build = _BUILDERS.get(str(meta.get("type"))) if isinstance(meta, Mapping) else None
    if build is None or not isinstance(meta, Mapping) or "happened" not in meta:
        return None
    sentences = {key: str(meta.get(key) or "") for key in ("happened", "meaning", "todo")}
    try:
        error: AppError = build(sentences, dict(meta.get("extra") or {}), dict(body.get("errors") or {}))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # not written by `to_wire`, though it looks similar
    return error


def _builder_of(kind: type[AppError]) -> Any:
    return lambda sentences, extra, errors: kind(**sentences)


def _builder_with_field(kind: type[Any], wire_name: str, name: str) -> Any:
    return lambda sentences, extra, errors: kind(**sentences, **{name: extra.get(wire_name)})


def _build_third_party_error(
    sentences: dict[str, str], extra: dict[str, Any], errors: dict[str, Any]
) -> AppError:
    return ThirdPartyError(
        app=str(extra.get("app") or ""),
        said=str(extra.get("said") or ""),
        status=extra.get("status"),
        details=extra.get("details"),
        request=str(extra.get("request") or ""),
        retry_after=extra.get("retryAfter"),
        meaning=sentences["meaning"],
        todo=sentences["todo"],
    )


_BUILDERS: dict[str, Any] = {
    kind.kind: _builder_of(kind)
    for kind in (
        NotFound,
        Conflict,
        AuthRequired,
        Forbidden,
        Unreachable,
        TimedOut,
        StorageFault,
        PayloadTooLarge,
    )
} | {
    ValidationFailed.kind: lambda sentences, extra, errors: ValidationFailed(errors, **sentences),
    AlreadyTaken.kind: lambda sentences, extra, errors: AlreadyTaken(errors, **sentences),
    FlowNotReady.kind: lambda sentences, extra, errors: FlowNotReady(
        [Blocker.model_validate(item) for item in extra.get("blockers", [])]
    ),
    RunTreeFull.kind: lambda sentences, extra, errors: RunTreeFull(int(extra["limit"])),
    RateLimited.kind: _builder_with_field(RateLimited, "retryAfter", "retry_after"),
    NotSupported.kind: _builder_with_field(NotSupported, "feature", "feature"),
    ServerFault.kind: _builder_with_field(ServerFault, "requestId", "request_id"),
    ComputationStopped.kind: _builder_with_field(ComputationStopped, "reason", "reason"),
    SecretsUnavailable.kind: _builder_with_field(SecretsUnavailable, "reason", "reason"),
    ThirdPartyError.kind: _build_third_party_error,
    UntrustedCertificate.kind: lambda sentences, extra, errors: UntrustedCertificate(
        **sentences,
        certificate=SeenCertificate.model_validate(extra["certificate"]),
        pinned=extra.get("pinned"),
        host=str(extra.get("host") or ""),
    ),
    DifferentAccount.kind: lambda sentences, extra, errors: DifferentAccount(
        **sentences, before=str(extra.get("before") or ""), now=str(extra.get("now") or "")
    ),
}
