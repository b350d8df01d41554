"""What must hold for a loaded app, told in sentences. Used by the loader and by the contract checker."""

import re
from collections.abc import Iterator
from inspect import iscoroutinefunction

from patchbay.domain.engine import RateLimit
from patchbay.domain.fields import AuthField, Option
from patchbay.integration.contract import App, Auth
from patchbay.integration.destinations import fields_in_addresses
from patchbay.integration.faults import Fault, repeated
from patchbay.integration.oauth import REDIRECT_FIELD, OAuth2
from patchbay.integration.rules_events import event_faults

__all__ = ["Fault", "faults", "is_key"]

_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_FIELD_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_FROM_FIELD = re.compile(r"\{auth\.(\w+)\}")
_WEB_ADDRESS = re.compile(r"https?://\S+")
_FIELD_TYPES = ("string", "dropdown")
_TEXTS = ("name", "key", "icon_url", "auth_doc_url", "base_url", "api_base_url", "primary_color")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LEADS_ELSEWHERE = frozenset((
    "url", "uri", "host", "hostname", "server", "address", "endpoint", "domain", "subdomain", "port",
    "proxy", "tls", "ssl", "instance", "region", "tenant", "certificate", "insecure", "verify",
))  # fmt: skip
"""Words in the key of a field that say that its value decides where credentials go."""
_KEYS_TO_AN_API = ("apikey", "apitoken", "accesskey", "personalaccesstoken")


def is_key(text: str) -> bool:
    """Whether this can be the key of an app, and so the name of its folder."""
    return bool(_KEY.fullmatch(text))


def faults(app: App, folder_name: str | None = None) -> list[Fault]:
    """Every broken rule of the contract; empty for a good app."""
    if wrong := list(_types(app)):
        return wrong
    return [*_definition(app, folder_name), *_addresses(app), *_auth(app), *event_faults(app)]


def _types(app: App) -> Iterator[Fault]:
    """Python lets everything be anything; what is no text cannot be looked at further."""
    for name in _TEXTS:
        if not isinstance(getattr(app, name), str):
            yield Fault(name, f"{name} must be a text.")
    if not isinstance(app.supports_connections, bool):
        yield Fault("supports_connections", "supports_connections must be True or False.")
    if app.rate_limit is not None and not isinstance(app.rate_limit, RateLimit):
        yield Fault("rate_limit", "rate_limit must be a RateLimit(calls=…, seconds=…).")
    if app.auth is not None and not isinstance(app.auth, Auth):
        yield Fault("auth", "auth must be an Auth(…).")
    elif app.auth is not None and not all(isinstance(field, AuthField) for field in app.auth.fields):
        yield Fault("auth", "The fields of auth must be AuthField(…).")


def _definition(app: App, folder_name: str | None) -> Iterator[Fault]:
    if not app.name.strip():
        yield Fault("name", "The app has no name.")
    if not is_key(app.key):
        yield Fault("key", f"The key “{app.key}” must be lower case letters and digits, joined by hyphens.")
    if folder_name is not None and app.key != folder_name:
        yield Fault("key", f"The key “{app.key}” differs from the folder name “{folder_name}”.")
    if not _COLOUR.fullmatch(app.primary_color):
        yield Fault("primary_color", f"The colour “{app.primary_color}” is not of the form #RRGGBB.")
    for about, placeholder in (("icon_url", "{BASE_URL}"), ("auth_doc_url", "{DOCS_URL}")):
        address = getattr(app, about)
        if placeholder not in address:
            yield Fault(about, f"{about} must be built from {placeholder}.")
        elif f"/{app.key}/" not in address.replace("{key}", app.key):
            yield Fault(about, f"{about} must lead to a path under the app's key, /apps/{app.key}/….")


def _addresses(app: App) -> Iterator[Fault]:
    if app.base_url and not _WEB_ADDRESS.fullmatch(app.base_url):
        yield Fault("base_url", f"base_url “{app.base_url}” is not a web address.")
    start = _FROM_FIELD.match(app.api_base_url)
    if app.api_base_url and not start and not _WEB_ADDRESS.fullmatch(app.api_base_url):
        yield Fault("api_base_url", f"api_base_url “{app.api_base_url}” is not a web address.")
    known = {field.key for field in app.auth.fields} if app.auth else set()
    for key in _FROM_FIELD.findall(app.api_base_url):
        if key not in known:
            yield Fault(
                "api_base_url", f"api_base_url uses {{auth.{key}}}, but there is no auth field {key}."
            )


def _auth(app: App) -> Iterator[Fault]:
    if app.supports_connections and app.auth is None:
        yield Fault("auth", "It supports connections but has no auth definition.")
    if app.auth is None:
        return
    if not app.supports_connections:
        yield Fault(
            "supports_connections", "It has an auth definition but says that it does not support connections."
        )
    if not app.auth.fields and app.auth.generate_auth_url is None:
        yield Fault("auth", "The auth definition has no fields.")
    yield from repeated("auth", "auth field", (field.key for field in app.auth.fields), by_key=True)
    for field in app.auth.fields:
        yield from _field(field)
        yield from _destination(app, field)
    yield from _methods(app.auth)
    yield from _browser(app, app.auth)


def _field(field: AuthField) -> Iterator[Fault]:
    def fault(message: str) -> Fault:
        return Fault("auth", f"The auth field {field.key or '(without a key)'}: {message}", field.key)

    if not _FIELD_KEY.fullmatch(field.key):
        yield fault("its key must be one word of letters and digits.")
    if not field.label.strip():
        yield fault("it has no label.")
    if field.type not in _FIELD_TYPES:
        yield fault(f"its type “{field.type}” is neither string nor dropdown.")
    if field.type == "dropdown" and not field.options:
        yield fault("a dropdown needs options.")
    if field.read_only and field.required and field.value is None:
        yield fault("it must be filled in, but is read-only and has no value.")
    if field.is_secret and field.value is not None:
        yield fault("a secret must not have a value that comes with the app.")
    if field.options and field.value is not None and not _offered(field.options, field.value):
        yield fault(f"its value “{field.value}” is not among its options.")


def _destination(app: App, field: AuthField) -> Iterator[Fault]:
    """Whoever may change where a connection leads must know its secrets; see `AuthField`."""
    if field.decides_destination is not False:
        return
    words = f"The auth field {field.key} decides where credentials go, so decides_destination can’t be False"
    if field.key in fields_in_addresses(app):
        yield Fault("auth", f"{words}: it is part of an address.", field.key)
    elif _LEADS_ELSEWHERE & {word.lower() for word in _WORDS.findall(field.key)}:
        yield Fault("auth", f"{words}, going by its name.", field.key)


def _offered(options: tuple[Option, ...], value: object) -> bool:
    return any(option.value == value for option in options)


def _methods(auth: Auth) -> Iterator[Fault]:
    optional_ones = ("generate_auth_url", "refresh_token", "verify_webhook")
    for name in ("verify_credentials", "is_still_verified", *optional_ones):
        method = getattr(auth, name)
        optional = name in optional_ones
        if not (method is None and optional) and not iscoroutinefunction(method):
            yield Fault("auth", f"{name} must be an `async def` function that takes a context.", name)


def _browser(app: App, auth: Auth) -> Iterator[Fault]:
    """Signing in in the browser comes first where a service offers a key as well."""
    if auth.generate_auth_url is None:
        if auth.refresh_token is not None:
            yield Fault("auth", "refresh_token is of no use without generate_auth_url.", "refresh_token")
        return
    fields = {field.key: field for field in auth.fields}
    yield from _redirect(auth, fields.get(REDIRECT_FIELD))
    for key in auth.browser_if:
        if key not in fields:
            yield Fault("auth", f"browser_if names {key}, but there is no auth field {key}.", key)
    offers_key = [key for key in fields if key.lower() in _KEYS_TO_AN_API]
    if offers_key and not auth.browser_if:
        yield Fault(
            "auth",
            f"It offers both signing in in the browser and the field {offers_key[0]}: let people choose with "
            "a dropdown, named in browser_if, whose preset is the browser.",
            offers_key[0],
        )
    # An app for services of any kind cannot know what the service offers.
    if app.base_url and not all(
        _is_preset(fields.get(key), wanted) for key, wanted in auth.browser_if.items()
    ):
        first = next(iter(auth.browser_if))
        yield Fault("auth", f"Signing in in the browser must be the preset choice of {first}.", first)


def _redirect(auth: Auth, field: AuthField | None) -> Iterator[Fault]:
    """The address to register at the service must be shown, and be no other than the one that is used."""
    described = getattr(auth.generate_auth_url, "__self__", None)
    if isinstance(described, OAuth2) and not described.authorize_url:
        return  # signing in with a code on another device needs none
    if field is None:
        yield Fault(
            "auth", f"Signing in in the browser needs the field {REDIRECT_FIELD}: see oauth_fields()."
        )
    elif not (field.read_only and field.click_to_copy):
        yield Fault("auth", f"The field {REDIRECT_FIELD} must be read-only, with click to copy.", field.key)


def _is_preset(field: AuthField | None, wanted: object) -> bool:
    if field is None:
        return True
    return field.value in wanted if isinstance(wanted, (list, tuple)) else field.value == wanted
