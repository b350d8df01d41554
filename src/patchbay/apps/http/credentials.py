"""Where the credentials of a connection go in a request, and that they go nowhere else."""

from collections.abc import Callable

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Context, RequestConfig
from patchbay.integration.urls import same_origin

Way = Callable[[JsonObject, RequestConfig], None]


def credentials(ctx: Context, config: RequestConfig) -> RequestConfig:
    """Add the credentials to a request. Raises `ValidationFailed` for a URL outside the service's."""
    data = ctx.auth.data
    way = _WAYS.get(str(data.get("kind")))
    if way is None or config.extra.get("skip_auth"):
        return config
    service = str(data.get("baseUrl") or "")
    if not same_origin(service, config.base_url):
        raise ValidationFailed(
            {"url": [f"This connection is for {service}."]},
            meaning="Requests contain its credentials, so they're only sent there.",
            todo="For other addresses, use another connection or none.",
        )
    way(data, config)
    return config


def _header(data: JsonObject, config: RequestConfig) -> None:
    prefix = str(data.get("headerPrefix") or "")
    config.headers[str(data["headerName"])] = f"{prefix} {data['apiKey']}".strip()


def _query(data: JsonObject, config: RequestConfig) -> None:
    config.params.append((str(data["queryName"]), str(data["apiKey"])))


def _basic(data: JsonObject, config: RequestConfig) -> None:
    config.basic = (str(data.get("username") or ""), str(data.get("password") or ""))


def _bearer(data: JsonObject, config: RequestConfig) -> None:
    config.headers["authorization"] = f"Bearer {data['token']}"


def _granted(data: JsonObject, config: RequestConfig) -> None:
    if data.get("accessToken"):
        config.headers["authorization"] = f"Bearer {data['accessToken']}"


_WAYS: dict[str, Way] = {
    "oauth2": _granted,
    "device": _granted,
    "header": _header,
    "query": _query,
    "basic": _basic,
    "bearer": _bearer,
}
