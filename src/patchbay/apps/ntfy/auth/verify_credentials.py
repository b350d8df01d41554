"""Checks credentials when a connection is added."""

from patchbay.integration import Context

ANYONE = "*"
"""The name of an account that ntfy reports without credentials."""


async def verify_credentials(ctx: Context) -> None:
    """Read the account, which publishes nothing. Wrong credentials fail with 401."""
    name = str((await ctx.http.get("/v1/account")).json().get("username") or ANYONE)
    server = str(ctx.auth.data["serverUrl"]).strip().rstrip("/")
    await ctx.auth.set(screenName=server if name == ANYONE else f"{name} @ {server}")
