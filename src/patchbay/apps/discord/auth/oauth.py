"""OAuth 2 with the addresses of the service. The token response names the server that the bot joined."""

from patchbay.integration import oauth2, revocation

_PERMISSIONS = (
    1 << 10  # view channels
    | 1 << 11  # send messages
    | 1 << 14  # embed links
    | 1 << 15  # attach files
    | 1 << 16  # read message history
    | 1 << 20  # connect, for events in voice channels
    | 1 << 33  # manage events
    | 1 << 38  # send messages in threads
    | 1 << 44  # create events
)

oauth = oauth2(
    authorize_url="https://discord.com/oauth2/authorize",
    token_url="https://discord.com/api/oauth2/token",
    scopes=("bot", "identify"),
    authorize_params={"permissions": str(_PERMISSIONS)},
    client_id_field="consumerKey",
    client_secret_field="consumerSecret",
    stores={"guildId": "{guild.id}", "guildName": "{guild.name}"},
    pkce=False,
    revoke=revocation("https://discord.com/api/oauth2/token/revoke"),
)
