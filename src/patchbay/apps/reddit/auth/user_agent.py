"""The user agent that Reddit asks of each client: its name, and the account it acts for."""

from patchbay import __version__
from patchbay.integration import Context, RequestConfig


def add_user_agent(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Reddit limits clients with a generic user agent."""
    name = str(ctx.auth.data.get("screenName") or "").strip()
    account = f" (by /u/{name})" if name.isascii() and name.isprintable() and name else ""
    config.headers["User-Agent"] = f"server:patchbay:v{__version__}{account}"
    return config
