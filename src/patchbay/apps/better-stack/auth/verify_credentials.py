from patchbay.integration import Context


async def verify_credentials(ctx: Context) -> None:
    """Fetch the team's metadata, which contains no name but requires a valid token."""
    await ctx.http.get("/v2/metadata")
    await ctx.auth.set(screenName=ctx.auth.data.get("screenName"))
