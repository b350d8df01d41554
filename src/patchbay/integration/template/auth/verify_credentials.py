from patchbay.integration import Context


async def verify_credentials(ctx: Context) -> None:
    """Ask the service something that it answers only with good credentials, best who they belong to.

    An answer with an error status is raised by `ctx.http` and shown in the service's own words. The screen
    name is what the connection is called; it must be set.
    """
    account = (await ctx.http.get("/me")).json()
    await ctx.auth.set(screenName=account["name"])
