"""OAuth 2 with the addresses of the service."""

from typing import Any

from patchbay.integration import Context, oauth2, revocation

oauth = oauth2(
    authorize_url="https://app.hubspot.com/oauth/authorize",
    token_url="https://api.hubapi.com/oauth/2026-03/token",
    scopes=("crm.objects.contacts.read", "crm.objects.contacts.write"),
    pkce=False,
    revoke=revocation("https://api.hubapi.com/oauth/2026-03/token/revoke"),
)


async def describe_token(ctx: Context) -> dict[str, Any]:
    """What HubSpot knows about the access token. One that has ended is only `{"active": False}`."""
    data = ctx.auth.data
    form = {
        "client_id": data.get("clientId"),
        "client_secret": data.get("clientSecret"),
        "token": data.get("accessToken"),
        "token_type_hint": "access_token",
    }
    response = await ctx.http.post("/oauth/2026-03/token/introspect", form=form)
    described: dict[str, Any] = response.json()
    return described
