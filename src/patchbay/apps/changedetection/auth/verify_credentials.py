from patchbay.integration import Context


async def verify_credentials(ctx: Context) -> None:
    """Read the system information: it tells no name, but refuses a wrong key with 403."""
    (await ctx.http.get("/systeminfo")).json()
    await ctx.auth.set(screenName=ctx.auth.data.get("screenName"))
