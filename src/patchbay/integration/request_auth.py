"""Ready-made `before_request` hooks that add credentials to requests.

Each reads a field of the auth data when the request is made; an empty field adds nothing, for services where
a key is optional. A caller passes `extra={"skip_auth": True}` to send one request without credentials.
"""

from collections.abc import Callable, Mapping

from patchbay.integration.app_definition import RequestHook
from patchbay.integration.context import Context
from patchbay.integration.request import RequestConfig


def header_key(name: str, *, field: str = "apiKey", prefix: str = "") -> RequestHook:
    """The key in a header, after `prefix`."""

    def add_credential(config: RequestConfig, value: str) -> None:
        config.headers[name] = f"{prefix}{value}"

    return _field_hook(field, add_credential)


def bearer(*, field: str = "apiKey") -> RequestHook:
    """`Authorization: Bearer <key>`."""
    return header_key("Authorization", field=field, prefix="Bearer ")


def query_key(name: str, *, field: str = "apiKey") -> RequestHook:
    """The key as a query parameter."""
    return _field_hook(field, lambda config, value: config.params.append((name, value)))


def body_key(name: str, *, field: str = "apiKey") -> RequestHook:
    """The key as a value of the JSON or form body."""

    def add_credential(config: RequestConfig, value: str) -> None:
        if config.form is not None:
            config.form = {**config.form, name: value}
        elif isinstance(config.json, dict) or (config.json is None and config.content is None):
            config.json = {**(config.json or {}), name: value}

    return _field_hook(field, add_credential)


def fixed_headers(headers: Mapping[str, str]) -> RequestHook:
    """Headers that the service expects with each request, such as the version of its API."""

    def hook(ctx: Context, config: RequestConfig) -> RequestConfig:
        present = {name.lower() for name in config.headers}
        config.headers |= {name: value for name, value in headers.items() if name.lower() not in present}
        return config

    return hook


def own_instance(*, field: str = "instanceUrl") -> RequestHook:
    """Sends requests to the address in a field, if it's filled, instead of the service's own.

    For services that users can host themselves. Add `sends_to=("{auth.instanceUrl}",)` to `Auth`, so that
    credentials may be sent there.
    """

    def hook(ctx: Context, config: RequestConfig) -> RequestConfig:
        address = _text(ctx.auth.data.get(field))
        if address and config.base_url == ctx.app.api_base_url:
            config.base_url = address.rstrip("/")
        return config

    return hook


def basic_auth(*, user: str = "username", password: str = "password") -> RequestHook:
    """User and password as HTTP basic authentication."""

    def hook(ctx: Context, config: RequestConfig) -> RequestConfig:
        data = ctx.auth.data
        if not config.extra.get("skip_auth") and (data.get(user) or data.get(password)):
            config.basic = (_text(data.get(user)), _text(data.get(password)))
        return config

    return hook


def _field_hook(field: str, add_credential: Callable[[RequestConfig, str], None]) -> RequestHook:
    def hook(ctx: Context, config: RequestConfig) -> RequestConfig:
        value = _text(ctx.auth.data.get(field))
        if value and not config.extra.get("skip_auth"):
            add_credential(config, value)
        return config

    return hook


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()
