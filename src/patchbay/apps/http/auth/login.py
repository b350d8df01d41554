"""Logging in for a token: a request with user name and password, whose response contains the token."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlencode

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.fields import MAX_SECRET_LENGTH
from patchbay.domain.json_limits import read_json
from patchbay.domain.variables import look_up
from patchbay.integration import Context, Response
from patchbay.integration.oauth import RENEWABLE_KEY
from patchbay.integration.oauth_messages import MAX_LIFETIME_SECONDS, require_https
from patchbay.integration.request import RequestOptions
from patchbay.integration.urls import is_absolute, join, same_origin
from patchbay.integration.values import text_of

_PLACEHOLDER = re.compile(r"\{(username|password)\}")


async def log_in(ctx: Context) -> None:
    """Log in and store the token. Raises the service's error if it rejects the user name or password."""
    data = ctx.auth.data
    service, url = text_of(data, "baseUrl"), text_of(data, "loginUrl")
    url = url if is_absolute(url) else join(service, url)
    if not same_origin(service, url):
        require_https(url, "loginUrl", "login URL")
    call: RequestOptions = {**_body(data), "extra": {"skip_auth": True}, "also_to": url}
    response = await ctx.http.post(url, **call)
    lifetime = _lifetime_seconds(response)
    await ctx.auth.set(
        accessToken=_token(response, text_of(data, "tokenPath").strip()),
        obtainedAt=ctx.now,
        expiresAt=None if lifetime is None else ctx.now + int(lifetime * 1000),
        **{RENEWABLE_KEY: True},
    )


def _body(data: JsonObject) -> RequestOptions:
    """User name and password in the entered JSON or form; as basic authentication if there is none."""
    template, login = text_of(data, "loginBody").strip(), _login_values(data)
    headers = {"accept": "application/json"}
    if not template:
        return {"headers": headers, "basic": (login["username"], login["password"])}
    if template.startswith(("{", "[")):
        try:
            return {"headers": headers, "json": _fill(read_json(template), login)}
        except ValueError:
            raise _invalid_body("This isn't valid JSON.") from None
    pairs = [(name, _fill(value, login)) for name, value in parse_qsl(template, keep_blank_values=True)]
    if "=" not in template or not pairs:
        raise _invalid_body("Enter JSON, or a form such as user={username}&pass={password}.")
    form_type = {"content-type": "application/x-www-form-urlencoded"}
    return {"headers": headers | form_type, "content": urlencode(pairs)}


def _login_values(data: JsonObject) -> dict[str, str]:
    return {key: text_of(data, key) for key in ("username", "password")}


def _fill(value: Json, login: dict[str, str]) -> Any:
    """The value with its placeholders replaced, each once: a password may look like a placeholder."""
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: login[match[1]], value)
    if isinstance(value, list):
        return [_fill(item, login) for item in value]
    if isinstance(value, dict):
        return {key: _fill(item, login) for key, item in value.items()}
    return value


def _token(response: Response, path: str) -> str:
    """The token at a dotted path of the response, or the whole of it without a path."""
    value = look_up(response.json(), tuple(path.split(".")))[1] if path else response.text.strip().strip('"')
    token = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    if not 0 < len(token) <= MAX_SECRET_LENGTH:
        raise ThirdPartyError(
            app=response.app,
            said="",
            meaning=f"Its response has no token at “{path[:80]}”." if path else "Its response isn't a token.",
            todo="Check the token path and the login URL.",
        )
    return token


def _lifetime_seconds(response: Response) -> float | None:
    """The token's lifetime if the response has one, as in OAuth; otherwise it is valid until rejected."""
    document = (
        response.json() if response.looks_like_json and response.content_type.endswith("json") else None
    )
    seconds = document.get("expires_in") if isinstance(document, dict) else None
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds <= 0:
        return None
    return min(float(seconds), MAX_LIFETIME_SECONDS)


def _invalid_body(message: str) -> ValidationFailed:
    return ValidationFailed({"loginBody": [message]}, happened="The login body can't be read.")
