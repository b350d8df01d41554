"""OAuth 2 with the addresses of the service. It grants a token for the bot and one for the user."""

from patchbay.integration import oauth2, revocation

_USER_SCOPES = (
    "channels:history",
    "channels:read",
    "channels:write",
    "chat:write",
    "emoji:read",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "groups:write",
    "im:read",
    "im:write",
    "mpim:write",
    "reactions:read",
    "reminders:write",
    "search:read",
    "stars:read",
    "team:read",
    "users.profile:read",
    "users.profile:write",
    "users:read",
    "users:read.email",
)
_BOT_SCOPES = (
    "channels:manage",
    "channels:read",
    "channels:join",
    "chat:write",
    "chat:write.customize",
    "chat:write.public",
    "files:write",
    "im:write",
    "mpim:write",
    "team:read",
    "users.profile:read",
    "users:read",
    "users:read.email",
    "commands",
)

oauth = oauth2(
    authorize_url="https://slack.com/oauth/v2/authorize",
    token_url="https://slack.com/api/oauth.v2.access",
    scopes=_BOT_SCOPES,
    scope_separator=",",
    authorize_params={"user_scope": ",".join(_USER_SCOPES)},
    client_id_field="consumerKey",
    client_secret_field="consumerSecret",
    stores={
        "botAccessToken": "{access_token}",
        "botId": "{bot_user_id}",
        "userAccessToken": "{authed_user.access_token}",
        "userId": "{authed_user.id}",
        "teamName": "{team.name}",
    },
    pkce=False,
    # The bot's token stays: everyone in the Slack workspace who uses the same Slack app has it.
    revoke=revocation(
        "https://slack.com/api/auth.revoke", {"token": "{userAccessToken}"}, client_auth="none"
    ),
)
