"""Which of the two tokens a request is sent with."""

from patchbay.integration import Context, RequestConfig

AS_BOT = "as_bot"
"""Key of a request's `extra`: send it with the bot's token."""


def add_token(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Add the user's token; for requests with `AS_BOT`, the bot's."""
    key = "botAccessToken" if config.extra.get(AS_BOT) else "userAccessToken"
    token = str(ctx.auth.data.get(key) or "")
    if token and not config.extra.get("skip_auth"):
        config.headers["Authorization"] = f"Bearer {token}"
    return config
