"""DeepL's two addresses. The API key says which one it belongs to."""

from patchbay.integration import Context, RequestConfig

PRO = "https://api.deepl.com"
FREE = "https://api-free.deepl.com"
_FREE_KEY_ENDING = ":fx"


def choose_address(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Send requests with a key of DeepL API Free to its own address. The paid API rejects such keys."""
    key = str(ctx.auth.data.get("authenticationKey") or "").strip()
    if key.endswith(_FREE_KEY_ENDING) and config.base_url == PRO:
        config.base_url = FREE
    return config
