"""Errors as bodies of the interface, and back: what one side raised, the other side raises again."""

from collections.abc import Mapping
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import (
    AlreadyTaken,
    AppError,
    AuthRequired,
    Blocker,
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
    ThirdPartyRefused,
    TimedOut,
    Unreachable,
    ValidationFailed,
)
from patchbay.domain.remote_options import SeenCertificate, UntrustedCertificate


def to_wire(error: AppError) -> JsonObject:
    """The error body of the interface: `errors` by field, `meta.type`, and our sentences beside it."""
    meta: JsonObject = {
        "type": error.kind, "happened": error.happened, "meaning": error.meaning, "todo": error.todo,
    }  # fmt: skip
    if extra := error.extra():
        meta["extra"] = extra
    errors: JsonObject = {key: list[Json](messages) for key, messages in error.fields().items()}
    return {"errors": errors, "meta": meta}


def from_wire(body: Mapping[str, Any]) -> AppError | None:
    """The error that `to_wire` wrote; None when the body was not written by this program."""
    meta = body.get("meta")
    build = _BUILDERS.get(str(meta.get("type"))) if isinstance(meta, Mapping) else None
    if build is None or not isinstance(meta, Mapping) or "happened" not in meta:
        return None
    words = {key: str(meta.get(key) or "") for key in ("happened", "meaning", "todo")}
    try:
        error: AppError = build(words, dict(meta.get("extra") or {}), dict(body.get("errors") or {}))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # it only looks like one of ours
    return error


def _plain(kind: type[AppError]) -> Any:
    return lambda words, extra, errors: kind(**words)


def _with(kind: type[Any], wire_name: str, name: str) -> Any:
    return lambda words, extra, errors: kind(**words, **{name: extra.get(wire_name)})


def _third_party(words: dict[str, str], extra: dict[str, Any], errors: dict[str, Any]) -> AppError:
    return ThirdPartyRefused(
        app=str(extra.get("app") or ""), said=str(extra.get("said") or ""), status=extra.get("status"),
        details=extra.get("details"), request=str(extra.get("request") or ""),
        retry_after=extra.get("retryAfter"), meaning=words["meaning"], todo=words["todo"],
    )  # fmt: skip


_BUILDERS: dict[str, Any] = {
    kind.kind: _plain(kind)
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
    ValidationFailed.kind: lambda words, extra, errors: ValidationFailed(errors, **words),
    AlreadyTaken.kind: lambda words, extra, errors: AlreadyTaken(errors, **words),
    FlowNotReady.kind: lambda words, extra, errors: FlowNotReady(
        [Blocker.model_validate(item) for item in extra.get("blockers", [])]
    ),
    RunTreeFull.kind: lambda words, extra, errors: RunTreeFull(int(extra["limit"])),
    RateLimited.kind: _with(RateLimited, "retryAfter", "retry_after"),
    NotSupported.kind: _with(NotSupported, "feature", "feature"),
    ServerFault.kind: _with(ServerFault, "requestId", "request_id"),
    ComputationStopped.kind: _with(ComputationStopped, "reason", "reason"),
    SecretsUnavailable.kind: _with(SecretsUnavailable, "reason", "reason"),
    ThirdPartyRefused.kind: _third_party,
    UntrustedCertificate.kind: lambda words, extra, errors: UntrustedCertificate(
        **words,
        certificate=SeenCertificate.model_validate(extra["certificate"]),
        pinned=extra.get("pinned"),
        host=str(extra.get("host") or ""),
    ),
    DifferentAccount.kind: lambda words, extra, errors: DifferentAccount(
        **words, before=str(extra.get("before") or ""), now=str(extra.get("now") or "")
    ),
}
