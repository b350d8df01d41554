from patchbay.integration import oauth2, revocation

oauth = oauth2(
    authorize_url="https://api.notion.com/v1/oauth/authorize",
    token_url="https://api.notion.com/v1/oauth/token",
    authorize_params={"owner": "user"},
    client_auth="basic",
    token_encoding="json",
    stores={
        "ownerId": "{owner.user.id}",
        "workspaceId": "{workspace_id}",
        "workspaceName": "{workspace_name}",
        "botId": "{bot_id}",
    },
    pkce=False,
    revoke=revocation("https://api.notion.com/v1/oauth/revoke", {"token": "{accessToken}"}),
)
