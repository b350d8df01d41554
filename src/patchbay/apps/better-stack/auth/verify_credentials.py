from patchbay.integration import Context


async def verify_credentials(ctx: Context) -> None:
    """Read the team's metadata: it tells no name, but refuses a wrong token with 401."""
    await ctx.http.get("/v2/metadata")
    await ctx.auth.set(screenName=ctx.auth.data.get("screenName"))
