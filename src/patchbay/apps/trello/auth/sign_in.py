"""The sign-in: the browser returns with the token itself, after the # of the redirect URL.

The page at the redirect URL sends the part after the # to Patchbay.
"""

from patchbay.integration import CallbackSignIn, Context, RequestConfig
from patchbay.integration.values import text_of

sign_in = CallbackSignIn(
    authorize_url="https://trello.com/1/authorize",
    return_as="return_url",
    query={
        "scope": "read,write,account",
        "expiration": "never",
        "name": "Patchbay",
        "key": "{auth.apiKey}",
        "response_type": "token",
    },
    stores={"token": "token"},
)


def add_credential(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Add key and token to a request."""
    key, token = text_of(ctx.auth.data, "apiKey"), text_of(ctx.auth.data, "token")
    if token and not config.extra.get("skip_auth"):
        config.headers["Authorization"] = f'OAuth oauth_consumer_key="{key}", oauth_token="{token}"'
    return config
