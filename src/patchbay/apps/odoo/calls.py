"""Calls of Odoo's methods: signing in, and methods of models."""

from typing import Any

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import Context
from patchbay.integration.third_party_errors import MAX_MESSAGE_LENGTH
from patchbay.integration.values import as_bool, text_of

from .messages import Result, read_response, write_call

_ACCESS_DENIED = ("3", "AccessDenied")


async def sign_in(ctx: Context) -> int:
    """The number of the account. Raises `ThirdPartyError` if Odoo rejects the credentials."""
    database, key = text_of(ctx.auth.data, "databaseName").strip(), text_of(ctx.auth.data, "apiKey").strip()
    email = text_of(ctx.auth.data, "email").strip()
    result = await _call(ctx, "common", "authenticate", [database, email, key, {}])
    account = result["value"]
    if isinstance(account, bool) or not isinstance(account, int) or account <= 0:
        raise ThirdPartyError(
            app=ctx.app.name,
            said="",
            meaning="There is no such account in this database, or the API key is wrong.",
            todo="Check the database name, the email address, and the API key of the connection.",
            rejects_credentials=True,
        )
    return account


async def execute(ctx: Context, model: str, method: str, arguments: list[Any]) -> int | bool | str | None:
    """Sign in and call a method of a model."""
    account = await sign_in(ctx)
    database, key = text_of(ctx.auth.data, "databaseName").strip(), text_of(ctx.auth.data, "apiKey").strip()
    result = await _call(ctx, "object", "execute_kw", [database, account, key, model, method, arguments])
    return result["value"]


async def _call(ctx: Context, service: str, method: str, arguments: list[Any]) -> Result:
    data = ctx.auth.data
    scheme = "https" if as_bool(data.get("secure"), True) else "http"
    host, port = text_of(data, "host").strip(), text_of(data, "port").strip()
    response = await ctx.http.post(
        f"{scheme}://{host}:{port}/xmlrpc/2/{service}",
        content=write_call(method, arguments),
        headers={"Content-Type": "text/xml"},
    )
    result = await ctx.compute(read_response, response.content, seconds=5)
    if result is None:
        raise ThirdPartyError(
            app=ctx.app.name,
            said="",
            meaning="The server's response isn't one of Odoo's XML-RPC interface.",
            todo="Check the host name and the port of the connection.",
            status=response.status,
        )
    if result["fault"]:
        raise ThirdPartyError(
            app=ctx.app.name,
            said=_message_of(ctx.masker().text(result["fault"])),
            meaning="Odoo didn't carry out the call.",
            todo="Check the values of this step, and the permissions of the account.",
            rejects_credentials=result["code"] in _ACCESS_DENIED,
        )
    return result


def _message_of(fault: str) -> str:
    """The message of an error; of a traceback, its last line."""
    lines = [line.strip() for line in fault.splitlines() if line.strip()] or ["error"]
    message = lines[-1] if lines[0].startswith("Traceback") else " ".join(lines)
    return message[:MAX_MESSAGE_LENGTH]
