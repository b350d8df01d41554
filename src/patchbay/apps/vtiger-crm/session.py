"""The session of Vtiger's web services: every request needs one, and they end without notice."""

import hashlib
from typing import Any

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import Context, Response
from patchbay.integration.templates import find_value

_PATH = "/webservice.php"
_SESSION = "sessionToken"
"""The auth value with the session. Its name marks it as a secret."""
_ENDED = ("INVALID_SESSIONID", "SESSION_EXPIRED", "SESSION_LEFT_IDLE", "AUTHENTICATION_REQUIRED")


def find_error(response: Response) -> str:
    """The message of a response with an error, since Vtiger sends them with a success status.

    A session that has ended isn't one: `call` then logs in again.
    """
    document = response.json() if response.looks_like_json else None
    if not isinstance(document, dict) or document.get("success") is not False or _has_ended(document):
        return ""
    return str(find_value(document, "error.message") or "error")


def _has_ended(document: Any) -> bool:
    return find_value(document, "error.code") in _ENDED


async def log_in(ctx: Context) -> None:
    """Start a session. Web services take the access key as a digest, with the token of a challenge."""
    user = ctx.auth.data.get("username")
    query = {"operation": "getchallenge", "username": user}
    challenge = (await ctx.http.get(_PATH, params=query)).json()["result"]["token"]
    proof = hashlib.md5(f"{challenge}{ctx.auth.data.get('accessKey')}".encode(), usedforsecurity=False)
    form = {"operation": "login", "username": user, "accessKey": proof.hexdigest()}
    session = (await ctx.http.post(_PATH, form=form)).json()["result"]["sessionName"]
    await ctx.auth.set(**{_SESSION: session})


async def call(ctx: Context, method: str, operation: str, **values: str) -> dict[str, Any]:
    """Call an operation, with a new session if there is none or it has ended. Returns the whole response."""
    if not ctx.auth.data.get(_SESSION):
        await log_in(ctx)
        return _checked(ctx, await _send(ctx, method, operation, values))
    document = await _send(ctx, method, operation, values)
    if _has_ended(document):
        await log_in(ctx)
        document = await _send(ctx, method, operation, values)
    return _checked(ctx, document)


async def _send(ctx: Context, method: str, operation: str, values: dict[str, str]) -> Any:
    sent: JsonObject = {"operation": operation, "sessionName": ctx.auth.data[_SESSION], **values}
    if method == "GET":
        return (await ctx.http.get(_PATH, params=sent)).json()
    return (await ctx.http.post(_PATH, form=sent)).json()


def _checked(ctx: Context, document: Any) -> dict[str, Any]:
    if isinstance(document, dict) and not _has_ended(document):
        return document
    raise ThirdPartyError(
        app=ctx.app.name,
        said=str(find_value(document, "error.message") or ""),
        meaning="It ends each session at once.",
        todo="Test the connection.",
        rejects_credentials=True,
    )
