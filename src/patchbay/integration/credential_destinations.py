"""Which addresses a connection's credentials may be sent to, and which fields determine them."""

import re
from collections.abc import Iterator
from contextlib import suppress
from inspect import unwrap

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import AuthField
from patchbay.integration import urls
from patchbay.integration.app_definition import App
from patchbay.integration.oauth import BrowserSignIn

AUTH_FIELD = re.compile(r"\{auth\.(\w+)\}")


def address_templates(app: App) -> tuple[str, ...]:
    """All URL templates of the app that determine where credentials are sent; may contain `{auth.field}`."""
    if app.auth is None:
        return ()
    templates = [app.api_base_url, *app.auth.sends_to]
    for method in (app.auth.generate_auth_url, app.auth.refresh_token):
        # `AppThreads.wrap` wraps it in third-party apps.
        oauth = getattr(unwrap(method), "__self__", None) if method is not None else None
        if isinstance(oauth, BrowserSignIn):
            templates += oauth.address_templates
    return tuple(templates)


def fields_in_addresses(app: App) -> frozenset[str]:
    """Keys of the auth fields used in these URL templates."""
    return frozenset(key for template in address_templates(app) for key in AUTH_FIELD.findall(template))


def auth_fields(app: App) -> tuple[AuthField, ...]:
    """The app's auth fields, with `decides_destination` set: changing such a field requires new secrets."""
    used = fields_in_addresses(app)
    return tuple(
        field.model_copy(update={"decides_destination": field.is_destination or field.key in used})
        for field in (app.auth.fields if app.auth else ())
    )


def known_addresses(app: App, data: JsonObject) -> Iterator[str]:
    """The addresses that the credentials in `data` were entered for."""
    base = ""
    with suppress(ValidationFailed):  # a field it needs is empty, so nothing is sent there
        base = urls.resolve_base_url(app, data)
    yield base
    for template in app.auth.sends_to if app.auth else ():
        yield urls.fill_template(template, data)
