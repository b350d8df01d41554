"""Checks credentials when a connection is added."""

from patchbay.domain.errors import ThirdPartyError, Unreachable, ValidationFailed
from patchbay.integration import Context
from patchbay.integration.client_certificates import certificate_end, client_certificate_of
from patchbay.integration.urls import is_absolute, join

from .fields import IN_BROWSER, RENEWABLE
from .oauth import oauth
from .refresh_token import refresh_token


async def verify_credentials(ctx: Context) -> None:
    """Request the test URL: it must succeed with the credentials and fail without them."""
    kind, certificate_ends = ctx.auth.data.get("kind"), certificate_end(ctx.auth.data)
    if kind == "certificate" and certificate_ends is None:
        raise ValidationFailed(
            {"clientTls": ["Enter a client certificate, or choose another credential type."]}
        )
    if kind in IN_BROWSER:
        await oauth.sign_in(ctx)
    elif kind in RENEWABLE:
        await refresh_token(ctx)
    await ctx.http.get(check_address(ctx))
    if await _is_open(ctx):
        raise ValidationFailed(
            {"checkUrl": ["This URL also responds without credentials, so it can't be used to verify them."]},
            todo="Enter a URL that requires signing in.",
        )
    await ctx.auth.set(screenName=ctx.auth.data.get("screenName"))
    if certificate_ends is not None and not ctx.auth.data.get("obtainedAt"):
        await ctx.auth.set(expiresAt=certificate_ends)


def check_address(ctx: Context) -> str:
    """The full test URL."""
    url = str(ctx.auth.data.get("checkUrl") or "")
    return url if is_absolute(url) else join(str(ctx.auth.data.get("baseUrl") or ""), url)


async def _is_open(ctx: Context) -> bool:
    try:
        await ctx.http.get(check_address(ctx), extra={"skip_auth": True})
    except ThirdPartyError:
        return False
    except Unreachable:  # without its client certificate, a service may end the connection
        if client_certificate_of(ctx.auth.data) is None:
            raise
        return False
    return True
