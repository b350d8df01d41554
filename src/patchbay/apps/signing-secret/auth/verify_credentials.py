"""Checks credentials when a connection is added."""

from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Context

from ..form import validate_form


async def verify_credentials(ctx: Context) -> None:
    """Check the form. There is no service to send a request to."""
    await check_form(ctx)
    await ctx.auth.set(screenName=ctx.auth.data.get("screenName"))


async def check_form(ctx: Context) -> None:
    """Check the fields of the form. Raises `ValidationFailed` with a message per field."""
    if found := validate_form(ctx.auth.data):
        raise ValidationFailed(found)
