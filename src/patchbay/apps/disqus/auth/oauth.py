"""OAuth 2 with the addresses of the service."""

from patchbay.integration import oauth2

oauth = oauth2(
    authorize_url="https://disqus.com/api/oauth/2.0/authorize/",
    token_url="https://disqus.com/api/oauth/2.0/access_token/",
    scopes=("read", "write", "admin", "email"),
    scope_separator=",",
    client_id_field="apiKey",
    client_secret_field="apiSecret",
    stores={"userId": "{user_id}"},
    pkce=False,
)
