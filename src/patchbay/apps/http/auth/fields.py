"""The form. A key in a header comes first: that is what most services take."""

from typing import Any

from patchbay.integration import AuthField, Option, oauth_fields, screen_name_field

IN_BROWSER = ("oauth2", "device")
_KINDS = (
    ("header", "Key in a header"),
    ("bearer", "Bearer token"),
    ("basic", "User name and password"),
    ("query", "Key in the address"),
    ("oauth2", "OAuth 2, sign in in the browser"),
    ("device", "OAuth 2, enter a code on another device"),
)
_CLIENT_AUTH = (("post", "In the form (usual)"), ("basic", "In the Authorization header"))


def _only(field: AuthField, *kinds: str) -> AuthField:
    return field.model_copy(update={"visible_if": {"kind": list(kinds)}})


def _text(key: str, label: str, *kinds: str, **more: Any) -> AuthField:
    return _only(AuthField(key=key, label=label, **more), *kinds)


def _choice(key: str, label: str, options: tuple[tuple[str, str], ...], **more: Any) -> AuthField:
    choices = tuple(Option(label=text, value=value) for value, text in options)
    return AuthField(key=key, label=label, options=choices, value=options[0][0], required=True, **more)


_redirect, _client_id, _client_secret = oauth_fields(secret_required=False)

fields = (
    screen_name_field(),
    AuthField(
        key="baseUrl",
        label="Address of the service",
        required=True,
        placeholder="https://api.example.com",
        description="Requests go below this address. The credentials are sent to this host and to no other.",
    ),
    _choice("kind", "Kind of credentials", _KINDS),
    _only(_redirect, "oauth2"),
    _text(
        "authorizeUrl", "Authorization address", "oauth2", required=True,
        placeholder="https://example.com/oauth/authorize",
        description="Further parameters the service wants, such as access_type=offline, go behind a “?”.",
    ),
    _text(
        "deviceUrl", "Device authorization address", "device", required=True,
        placeholder="https://example.com/oauth/device/code",
    ),
    _text(
        "tokenUrl", "Token address", *IN_BROWSER, required=True, secret=False,
        placeholder="https://example.com/oauth/token",
    ),
    _only(_client_id, *IN_BROWSER),
    _only(_client_secret, *IN_BROWSER),
    _text(
        "scopes", "Scopes", *IN_BROWSER, decides_destination=False,
        description="With spaces between, as the service names them.",
    ),
    _only(_choice("clientAuth", "Client secret is sent", _CLIENT_AUTH), *IN_BROWSER),
    _text(
        "issuer", "Issuer", "oauth2",
        description="Only where the service answers as another host than the one you sign in at.",
    ),
    _text("headerName", "Header", "header", required=True, placeholder="X-API-Key"),
    _text(
        "headerPrefix", "Before the key", "header", placeholder="Token",
        description="A word that stands before the key, where the service wants one.",
    ),
    _text("queryName", "Parameter", "query", required=True, placeholder="api_key"),
    _text("apiKey", "API Key", "header", "query", required=True),
    _text("username", "User name", "basic", required=True, decides_destination=False),
    _text("password", "Password", "basic"),
    _text("token", "Token", "bearer", required=True),
    AuthField(
        key="checkUrl",
        label="Address to check with",
        required=True,
        placeholder="/me",
        description="A page of the service that answers only with valid credentials, best the one about you.",
    ),
)  # fmt: skip
