"""Adds the credentials of a connection to requests, and only to those of its service."""

from collections.abc import Callable
from functools import partial

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Context, RequestConfig
from patchbay.integration.aws_signature import AwsKey
from patchbay.integration.urls import same_origin
from patchbay.integration.values import text_of

AddCredentials = Callable[[Context, RequestConfig], None]


def credentials(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Add the credentials to a request. Raises `ValidationFailed` for a URL outside the service's."""
    add = _BY_KIND.get(text_of(ctx.auth.data, "kind"))
    if add is None or config.extra.get("skip_auth"):
        return config
    service = text_of(ctx.auth.data, "baseUrl")
    if not same_origin(service, config.base_url):
        raise ValidationFailed(
            {"url": [f"This connection is for {service}."]},
            meaning="Requests contain its credentials, so they're only sent there.",
            todo="For other addresses, use another connection or none.",
        )
    add(ctx, config)
    return config


def _key_header(ctx: Context, config: RequestConfig) -> None:
    data = ctx.auth.data
    config.headers[str(data["headerName"])] = f"{text_of(data, 'headerPrefix')} {data['apiKey']}".strip()


def _query(ctx: Context, config: RequestConfig) -> None:
    config.params.append((str(ctx.auth.data["queryName"]), str(ctx.auth.data["apiKey"])))


def _user_and_password(data: JsonObject) -> tuple[str, str]:
    return text_of(data, "username"), text_of(data, "password")


def _basic(ctx: Context, config: RequestConfig) -> None:
    config.basic = _user_and_password(ctx.auth.data)


def _digest(ctx: Context, config: RequestConfig) -> None:
    config.digest = _user_and_password(ctx.auth.data)


def _bearer(ctx: Context, config: RequestConfig) -> None:
    config.headers["authorization"] = f"Bearer {ctx.auth.data['token']}"


def _granted(ctx: Context, config: RequestConfig) -> None:
    if token := text_of(ctx.auth.data, "accessToken"):
        config.headers["authorization"] = f"Bearer {token}"


def _login_token(ctx: Context, config: RequestConfig) -> None:
    data = ctx.auth.data
    if token := text_of(data, "accessToken"):
        config.headers[text_of(data, "tokenHeader")] = f"{text_of(data, 'tokenPrefix')} {token}".strip()


def _aws_signature(ctx: Context, config: RequestConfig) -> None:
    data = ctx.auth.data
    key = AwsKey(
        text_of(data, "accessKeyId"),
        text_of(data, "secretAccessKey"),
        text_of(data, "awsRegion"),
        text_of(data, "awsService").lower(),
        text_of(data, "sessionToken"),
    )
    config.sign = partial(key.sign, ctx.now)


def _in_the_connection(ctx: Context, config: RequestConfig) -> None:
    """The client certificate is shown when the network connection is opened."""


_BY_KIND: dict[str, AddCredentials] = {
    "oauth2": _granted,
    "device": _granted,
    "clientCredentials": _granted,
    "login": _login_token,
    "header": _key_header,
    "query": _query,
    "basic": _basic,
    "digest": _digest,
    "bearer": _bearer,
    "aws": _aws_signature,
    "certificate": _in_the_connection,
}
