"""Token and user key, which Pushover expects among the parameters."""

from patchbay.integration import Context, RequestConfig


def add_keys(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Both in the body, and the token in the query of requests that have none."""
    token, user = (str(ctx.auth.data.get(key) or "").strip() for key in ("apiToken", "userKey"))
    if config.extra.get("skip_auth"):
        return config
    if config.method == "GET":
        config.params.append(("token", token))
    elif config.form is not None:
        config.form = {**config.form, "token": token, "user": user}
    elif config.json is None or isinstance(config.json, dict):
        config.json = {**(config.json or {}), "token": token, "user": user}
    return config
