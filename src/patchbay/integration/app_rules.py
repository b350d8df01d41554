"""A broken rule of the contract, before it is known in which file it stands."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import Any, NamedTuple

from patchbay.domain.apps import TriggerKind
from patchbay.domain.engine import RateLimit
from patchbay.domain.fields import Argument, ArgumentType, AuthField, Option, Source
from patchbay.integration.app_definition import Action, App, Auth, DynamicData, DynamicFields, Trigger
from patchbay.integration.credential_destinations import fields_in_addresses
from patchbay.integration.oauth import REDIRECT_FIELD, OAuth2


class Fault(NamedTuple):
    """The property of `App` it is about, what is wrong as a sentence, and a word that stands where it is."""

    about: str
    message: str
    word: str = ""


def repeated(
    about: str, what: str, keys: Iterable[str], *, word: str = "", by_key: bool = False
) -> Iterator[Fault]:
    """One fault for each key that is there more than once; `by_key`: the key is the word to look for."""
    for key, count in Counter(keys).items():
        if count > 1:
            yield Fault(about, f"The {what} “{key}” is defined {count} times.", key if by_key else word)


# MERGED: What must hold for triggers, actions, their arguments and the loaders of their dropdowns.

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_PARAMETER = re.compile(r"\{parameters\.(\w+)\}")
_PARTS: dict[str, tuple[str, type]] = {
    "triggers": ("trigger", Trigger),
    "actions": ("action", Action),
    "dynamic_data": ("dynamic data", DynamicData),
    "dynamic_fields": ("dynamic fields", DynamicFields),
}


def event_faults(app: App) -> Iterator[Fault]:
    """Every broken rule of what an app can do."""
    wrong = list(_types(app))
    yield from wrong
    if wrong:
        return
    for about, (what, _) in _PARTS.items():
        yield from repeated(about, what, (part.key for part in getattr(app, about)))
    for loader in (*app.dynamic_data, *app.dynamic_fields):
        if not iscoroutinefunction(loader.load):
            about = "dynamic_data" if isinstance(loader, DynamicData) else "dynamic_fields"
            yield Fault(about, f"{loader.key}: load must be an `async def` function.", loader.key)
    for trigger in app.triggers:
        yield from _event("triggers", trigger)
        yield from _trigger(trigger)
    for action in app.actions:
        yield from _event("actions", action)
        if not iscoroutinefunction(action.run):
            yield Fault("actions", f"{action.key}: run must be an `async def` function.", action.key)
    yield from _loaders(app)


def _types(app: App) -> Iterator[Fault]:
    for about, (what, kind) in _PARTS.items():
        parts: Any = getattr(app, about)
        if not isinstance(parts, (list, tuple)):
            yield Fault(about, f"{about} must be a list.")
        elif not all(isinstance(part, kind) for part in parts):
            yield Fault(about, f"Something in {about} is no {what}: it must hold {kind.__name__}(…) only.")


def _event(about: str, event: Trigger | Action) -> Iterator[Fault]:
    if not _KEY.fullmatch(event.key):
        yield Fault(
            about, f"The key “{event.key}” must be one word of letters, digits and hyphens.", event.key
        )
    if not event.name.strip():
        yield Fault(about, f"{event.key} has no name.", event.key)
    yield from repeated(
        about, f"argument of {event.key}", (item.key for item in event.arguments), word=event.key
    )
    for argument in event.arguments:
        yield from _argument(about, event, argument)


def _argument(about: str, event: Trigger | Action, argument: Argument) -> Iterator[Fault]:
    def fault(message: str) -> Fault:
        return Fault(about, f"{event.key}, {argument.key}: {message}", argument.key)

    yield from repeated(
        about, f"field of {argument.key}", (item.key for item in argument.fields), word=argument.key
    )
    known = {item.key for item in event.arguments}
    if not argument.label.strip():
        yield fault("it has no label.")
    if argument.type is ArgumentType.DROPDOWN and not (argument.options or argument.source):
        yield fault("a dropdown needs options, or a source that loads them.")
    if argument.type is ArgumentType.DYNAMIC and not (argument.fields or argument.additional_fields):
        yield fault("rows need fields.")
    for key in (*argument.depends_on, *argument.visible_if, *_asked_for(argument)):
        if key not in known:
            yield fault(f"there is no argument {key} that it could depend on.")


def _asked_for(argument: Argument) -> Iterator[str]:
    """The other arguments whose values its loaders want."""
    for source in (argument.source, argument.additional_fields):
        for template in source.parameters.values() if source else ():
            yield from _PARAMETER.findall(template)


def _trigger(trigger: Trigger) -> Iterator[Fault]:
    def fault(message: str) -> Fault:
        return Fault("triggers", f"The trigger {trigger.key} {message}", trigger.key)

    if not isinstance(trigger.kind, TriggerKind):
        yield fault("has no known kind: use TriggerKind.POLLING, WEBHOOK or SCHEDULE.")
        return
    if trigger.kind is TriggerKind.SCHEDULE and trigger.cron is None:
        yield fault("gives no cron line, which a schedule needs.")
    if trigger.kind is not TriggerKind.SCHEDULE and trigger.cron is not None:
        yield fault("gives a cron line, which only schedules have.")
    if trigger.kind is not TriggerKind.WEBHOOK and trigger.run is None:
        yield fault("has no run function.")
    yield from map(fault, _webhook(trigger))
    for name in ("run", "test_run", "register_hook", "unregister_hook", "verify_webhook"):
        method = getattr(trigger, name)
        if method is not None and not iscoroutinefunction(method):
            yield fault(f"has a {name} that is no `async def` function.")
    yield from map(fault, _polling(trigger))


def _polling(trigger: Trigger) -> Iterator[str]:
    """What is wrong with the parts that only polling triggers have."""
    arguments = {argument.key for argument in trigger.arguments}
    if isinstance(trigger.source, str):
        yield 'names its source as a text: write a tuple, such as source=("folder",).'
    else:
        yield from (
            f"names {key} as its source, but has no such argument."
            for key in trigger.source
            if key not in arguments
        )
    if trigger.source and trigger.kind is not TriggerKind.POLLING:
        yield "names a source, which only polling triggers have."
    if trigger.watch is not None and trigger.kind is not TriggerKind.POLLING:
        yield "watches, which only polling triggers do."
    if trigger.watch is not None and not isasyncgenfunction(trigger.watch):
        yield "has a watch that is no `async def` function with `yield`."


def _webhook(trigger: Trigger) -> Iterator[str]:
    hooks = (trigger.register_hook, trigger.unregister_hook)
    if trigger.kind is not TriggerKind.WEBHOOK:
        if any(hooks):
            yield "registers a webhook, but is not of the kind webhook."
        if trigger.verify_webhook:
            yield "checks who calls it, but is not of the kind webhook."
        return
    if trigger.register_hook and not trigger.unregister_hook:
        yield "registers a webhook that it never removes: give unregister_hook as well."
    if not trigger.register_hook and not trigger.show_webhook_url:
        yield "is never called: give register_hook, or show_webhook_url=True so that people see its address."


def _loaders(app: App) -> Iterator[Fault]:
    lists = {loader.key for loader in app.dynamic_data}
    fields = {loader.key for loader in app.dynamic_fields}
    events: list[tuple[str, Trigger | Action]] = [("triggers", one) for one in app.triggers]
    events += [("actions", one) for one in app.actions]
    for about, event in events:
        for argument in _with_rows(event.arguments):
            yield from _loader(about, event.key, argument, argument.source, lists, fields)
            yield from _loader(about, event.key, argument, argument.additional_fields, fields, lists)


def _loader(
    about: str, event: str, argument: Argument, source: Source | None, known: set[str], others: set[str]
) -> Iterator[Fault]:
    if source is not None and source.loader not in known:
        place = f"{event}, {argument.key}"
        kind = " of this kind: dropdowns load from dynamic_data, fields from dynamic_fields"
        message = f"there is no loader named {source.loader}{kind if source.loader in others else ''}."
        yield Fault(about, f"{place}: {message}", source.loader)


def _with_rows(arguments: Iterable[Argument]) -> Iterator[Argument]:
    for argument in arguments:
        yield argument
        yield from _with_rows(argument.fields)


# MERGED: What must hold for a loaded app, told in sentences. Used by the loader and by the contract
# checker.

__all__ = ["Fault", "faults", "is_key"]

_APP_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
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
    return bool(_APP_KEY.fullmatch(text))


def faults(app: App, folder_name: str | None = None) -> list[Fault]:
    """Every broken rule of the contract; empty for a good app."""
    if wrong := list(_rules_types(app)):
        return wrong
    return [*_definition(app, folder_name), *_addresses(app), *_auth(app), *event_faults(app)]


def _rules_types(app: App) -> Iterator[Fault]:
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
