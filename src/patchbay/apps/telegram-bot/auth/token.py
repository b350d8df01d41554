"""The bot's token, which Telegram expects in the path."""

from urllib.parse import quote

from patchbay.integration import Context, RequestConfig


def add_token(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Send `/getMe` to `/bot<token>/getMe`. The colon of a token stays as it is."""
    token = quote(str(ctx.auth.data.get("token") or "").strip(), safe=":")
    if token and not config.extra.get("skip_auth"):
        config.url = f"/bot{token}/{config.url.lstrip('/')}"
    return config
