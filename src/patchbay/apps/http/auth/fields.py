"""The fields of the form. A key in a header comes first, because most services use one."""

from typing import Any

from patchbay.integration import AuthField, Option, oauth_fields, screen_name_field
from patchbay.integration.client_certificates import CLIENT_CERTIFICATE_FIELDS

IN_BROWSER = ("oauth2", "device")
RENEWABLE = ("clientCredentials", "login")
"""Kinds that request tokens with the entered data, without a browser."""
_OAUTH = (*IN_BROWSER, "clientCredentials")
_PASSWORD = ("basic", "digest", "login")
_DEFAULT_LOGIN = '{"username": "{username}", "password": "{password}"}'
_KINDS = (
    ("header", "API key in a header"),
    ("bearer", "Bearer token"),
    ("basic", "User name and password"),
    ("digest", "User name and password (digest)"),
    ("query", "API key in the URL"),
    ("login", "Log in for a token"),
    ("oauth2", "OAuth 2, browser sign-in"),
    ("device", "OAuth 2, device code"),
    ("clientCredentials", "OAuth 2, client credentials"),
    ("aws", "AWS Signature v4"),
    ("certificate", "Client certificate only"),
)
_CLIENT_AUTH = (("post", "Request body (default)"), ("basic", "Authorization header"))


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
        label="Service URL",
        required=True,
        placeholder="https://api.example.com",
        description="The base URL for requests. Credentials are only sent to this host.",
    ),
    _choice("kind", "Credential type", _KINDS),
    _only(_redirect, "oauth2"),
    _text(
        "authorizeUrl",
        "Authorization URL",
        "oauth2",
        required=True,
        placeholder="https://example.com/oauth/authorize",
        description="Add extra parameters that the service needs, such as access_type=offline, after a “?”.",
    ),
    _text(
        "deviceUrl",
        "Device authorization URL",
        "device",
        required=True,
        placeholder="https://example.com/oauth/device/code",
    ),
    _text(
        "tokenUrl",
        "Token URL",
        *_OAUTH,
        required=True,
        secret=False,
        placeholder="https://example.com/oauth/token",
    ),
    _text(
        "revokeUrl",
        "Revocation URL",
        *IN_BROWSER,
        placeholder="https://example.com/oauth/revoke",
        description="If the service has one (RFC 7009): deleting the connection then ends its sign-in.",
    ),
    _only(_client_id, *_OAUTH),
    _only(_client_secret, *_OAUTH),
    _text(
        "scopes",
        "Scopes",
        *_OAUTH,
        decides_destination=False,
        description="The service's scope names, separated by spaces.",
    ),
    _only(_choice("clientAuth", "Send client credentials in", _CLIENT_AUTH), *_OAUTH),
    _text(
        "extraParameters",
        "Extra parameters",
        "clientCredentials",
        placeholder="audience=https://api.example.com",
        description="Added to the token request, if the service needs them.",
    ),
    _text(
        "issuer",
        "Issuer",
        "oauth2",
        description="Only needed if the service's issuer differs from the host you sign in to.",
    ),
    _text("headerName", "Header", "header", required=True, placeholder="X-API-Key"),
    _text(
        "headerPrefix",
        "Key prefix",
        "header",
        placeholder="Token",
        description="A word before the key, if the service needs one.",
    ),
    _text("queryName", "Parameter", "query", required=True, placeholder="api_key"),
    _text("apiKey", "API Key", "header", "query", required=True),
    _text(
        "loginUrl",
        "Login URL",
        "login",
        required=True,
        placeholder="/login",
        description="The address that returns a token.",
    ),
    _text("username", "User name", *_PASSWORD, required=True, decides_destination=False),
    _text("password", "Password", *_PASSWORD),
    _text(
        "loginBody",
        "Login request body",
        "login",
        value=_DEFAULT_LOGIN,
        description="JSON, or a form such as user={username}&pass={password}. If it's empty, user name and "
        "password are sent as basic authentication.",
    ),
    _text(
        "tokenPath",
        "Token path",
        "login",
        secret=False,
        placeholder="data.token",
        description="Where the token is in the JSON response. Leave empty if the response is the token.",
    ),
    _text("tokenHeader", "Header", "login", secret=False, required=True, value="Authorization"),
    _text("tokenPrefix", "Token prefix", "login", secret=False, value="Bearer"),
    _text("token", "Token", "bearer", required=True),
    _text("accessKeyId", "Access key ID", "aws", required=True),
    _text("secretAccessKey", "Secret access key", "aws", required=True),
    _text("sessionToken", "Session token", "aws", description="Only for temporary credentials."),
    _text("awsRegion", "Region", "aws", required=True, placeholder="eu-central-1"),
    _text("awsService", "Service", "aws", required=True, placeholder="s3"),
    AuthField(
        key="checkUrl",
        label="Test URL",
        required=True,
        placeholder="/me",
        description="A URL that requires valid credentials, such as the one that returns your profile.",
    ),
    *CLIENT_CERTIFICATE_FIELDS,
)
