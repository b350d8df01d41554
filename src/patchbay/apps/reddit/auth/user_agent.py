"""The user agent that Reddit asks of each client: its name, and the account it acts for."""

from patchbay.integration import Context, RequestConfig
from patchbay.integration.http_factory import USER_AGENT


def add_user_agent(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Reddit limits clients with a generic user agent."""
    name = str(ctx.auth.data.get("screenName") or "").strip()
    account = f" (by /u/{name})" if name.isascii() and name.isprintable() and name else ""
    config.headers["User-Agent"] = f"{USER_AGENT}{account}"
    return config
