from patchbay.integration import Context

from ..session import session


async def verify_credentials(ctx: Context) -> None:
    """Greet the server, encrypt and sign in as for sending; nothing is sent."""
    async with session(ctx) as server:
        await server.client.noop()
    data = ctx.auth.data
    await ctx.auth.set(screenName=data.get("screenName") or data.get("username") or data.get("host"))
