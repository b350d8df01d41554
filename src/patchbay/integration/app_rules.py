"""The rules an app definition must follow, for the loader and `patchbay app check`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import Any, NamedTuple

from patchbay.domain.apps import TriggerKind
from patchbay.domain.engine import RateLimit
from patchbay.domain.fields import Argument, ArgumentType, AuthField, Source
from patchbay.domain.file_names import is_reserved_name
from patchbay.integration.app_definition import Action, App, Auth, DynamicData, DynamicFields, Trigger
from patchbay.integration.credential_destinations import fields_in_addresses
from patchbay.integration.oauth import REDIRECT_FIELD, BrowserSignIn


class RuleViolation(NamedTuple):
    """A violated rule: the property of `App`, the message, and a word to search for in the source."""

    property_name: str
    message: str
    word: str = ""


def find_duplicates(
    property_name: str, what: str, keys: Iterable[str], *, word: str = "", by_key: bool = False
) -> Iterator[RuleViolation]:
    """Yield a violation for each duplicate key. With `by_key`, the key is the word to search for."""
    for key, count in Counter(keys).items():
        if count > 1:
            yield RuleViolation(
                property_name, f"The {what} “{key}” is defined {count} times.", key if by_key else word
            )


# Triggers, actions, arguments, and loaders

_EVENT_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_PARAMETER = re.compile(r"\{parameters\.(\w+)\}")
_PART_TYPES: dict[str, tuple[str, type]] = {
    "triggers": ("trigger", Trigger),
    "actions": ("action", Action),
    "dynamic_data": ("dynamic data", DynamicData),
    "dynamic_fields": ("dynamic fields", DynamicFields),
}


def event_violations(app: App) -> Iterator[RuleViolation]:
    """All violations in triggers, actions, and loaders."""
    violations = list(_check_part_types(app))
    yield from violations
    if violations:
        return
    for property_name, (what, _) in _PART_TYPES.items():
        yield from find_duplicates(property_name, what, (part.key for part in getattr(app, property_name)))
    for loader in (*app.dynamic_data, *app.dynamic_fields):
        if not iscoroutinefunction(loader.load):
            property_name = "dynamic_data" if isinstance(loader, DynamicData) else "dynamic_fields"
            yield RuleViolation(
                property_name, f"{loader.key}: load must be an async function (`async def`).", loader.key
            )
    for trigger in app.triggers:
        yield from _check_event("triggers", trigger)
        yield from _check_trigger(trigger)
    for action in app.actions:
        yield from _check_event("actions", action)
        if not iscoroutinefunction(action.run):
            yield RuleViolation(
                "actions", f"{action.key}: run must be an async function (`async def`).", action.key
            )
    yield from _check_loaders(app)


def _check_part_types(app: App) -> Iterator[RuleViolation]:
    for property_name, (_, kind) in _PART_TYPES.items():
        parts: Any = getattr(app, property_name)
        if not isinstance(parts, (list, tuple)):
            yield RuleViolation(property_name, f"{property_name} must be a list.")
        elif not all(isinstance(part, kind) for part in parts):
            yield RuleViolation(
                property_name,
                f"{property_name} can only contain {kind.__name__}(…) objects.",
            )


def _check_event(property_name: str, event: Trigger | Action) -> Iterator[RuleViolation]:
    if not _EVENT_KEY.fullmatch(event.key):
        yield RuleViolation(
            property_name,
            f"The key “{event.key}” must be a single word of letters, digits, and hyphens.",
            event.key,
        )
    if not event.name.strip():
        yield RuleViolation(property_name, f"{event.key} has no name.", event.key)
    yield from find_duplicates(
        property_name, f"argument of {event.key}", (item.key for item in event.arguments), word=event.key
    )
    for argument in event.arguments:
        yield from _check_argument(property_name, event, argument)


def _check_argument(
    property_name: str, event: Trigger | Action, argument: Argument
) -> Iterator[RuleViolation]:
    def violation(message: str) -> RuleViolation:
        return RuleViolation(property_name, f"{event.key}, {argument.key}: {message}", argument.key)

    yield from find_duplicates(
        property_name, f"field of {argument.key}", (item.key for item in argument.fields), word=argument.key
    )
    known = {item.key for item in event.arguments}
    if not argument.label.strip():
        yield violation("it has no label.")
    if argument.type is ArgumentType.DROPDOWN and not (argument.options or argument.source):
        yield violation("a dropdown needs options, or a source that loads them.")
    if argument.type is ArgumentType.DYNAMIC and not (argument.fields or argument.additional_fields):
        yield violation("a dynamic argument needs fields.")
    used_by_loaders = [
        key
        for source in (argument.source, argument.additional_fields)
        for template in (source.parameters.values() if source else ())
        for key in _PARAMETER.findall(template)
    ]
    for key in (*argument.depends_on, *argument.visible_if, *used_by_loaders):
        if key not in known:
            yield violation(f"it depends on the argument {key}, which doesn't exist.")


def _check_trigger(trigger: Trigger) -> Iterator[RuleViolation]:
    def violation(message: str) -> RuleViolation:
        return RuleViolation("triggers", f"The trigger {trigger.key} {message}", trigger.key)

    if not isinstance(trigger.kind, TriggerKind):
        yield violation("has an unknown kind. Use TriggerKind.POLLING, WEBHOOK, or SCHEDULE.")
        return
    if trigger.kind is TriggerKind.SCHEDULE and trigger.cron is None:
        yield violation("is a schedule, so it needs cron.")
    if trigger.kind is not TriggerKind.SCHEDULE and trigger.cron is not None:
        yield violation("has cron, but isn't a schedule.")
    if trigger.kind is not TriggerKind.WEBHOOK and trigger.run is None:
        yield violation("has no run function.")
    yield from map(violation, _webhook_problems(trigger))
    for name in ("run", "test_run", "register_hook", "unregister_hook", "verify_webhook"):
        method = getattr(trigger, name)
        if method is not None and not iscoroutinefunction(method):
            yield violation(f"needs an async function (`async def`) as {name}.")
    yield from map(violation, _polling_problems(trigger))


def _polling_problems(trigger: Trigger) -> Iterator[str]:
    """Violations in the parts that only polling triggers have."""
    arguments = {argument.key for argument in trigger.arguments}
    if isinstance(trigger.source, str):
        yield 'has a string as its source. Use a tuple, such as source=("folder",).'
    else:
        yield from (
            f"names {key} as its source, but has no argument with that key."
            for key in trigger.source
            if key not in arguments
        )
    if trigger.source and trigger.kind is not TriggerKind.POLLING:
        yield "has a source, but isn't a polling trigger."
    if trigger.watch is not None and trigger.kind is not TriggerKind.POLLING:
        yield "has watch, but isn't a polling trigger."
    if trigger.watch is not None and not isasyncgenfunction(trigger.watch):
        yield "has a watch that isn't an async generator (`async def` with `yield`)."


def _webhook_problems(trigger: Trigger) -> Iterator[str]:
    hooks = (trigger.register_hook, trigger.unregister_hook)
    if trigger.kind is not TriggerKind.WEBHOOK:
        if any(hooks):
            yield "registers a webhook, but its kind isn't TriggerKind.WEBHOOK."
        if trigger.verify_webhook:
            yield "verifies requests, but its kind isn't TriggerKind.WEBHOOK."
        return
    if trigger.register_hook and not trigger.unregister_hook:
        yield "registers a webhook but never removes it. Add unregister_hook."
    if not trigger.register_hook and not trigger.show_webhook_url:
        yield "can't receive requests. Add register_hook, or set show_webhook_url=True to show its URL."


def _check_loaders(app: App) -> Iterator[RuleViolation]:
    lists = {loader.key for loader in app.dynamic_data}
    for action in app.actions:
        if action.preview and action.preview not in lists:
            yield RuleViolation(
                "actions",
                f"{action.key}: there is no dynamic_data “{action.preview}” for the preview.",
                action.key,
            )
    fields = {loader.key for loader in app.dynamic_fields}
    events: list[tuple[str, Trigger | Action]] = [("triggers", one) for one in app.triggers]
    events += [("actions", one) for one in app.actions]
    for property_name, event in events:
        for argument in _flatten_arguments(event.arguments):
            yield from _check_loader(property_name, event.key, argument, argument.source, lists, fields)
            yield from _check_loader(
                property_name, event.key, argument, argument.additional_fields, fields, lists
            )


def _check_loader(
    property_name: str,
    event: str,
    argument: Argument,
    source: Source | None,
    known: set[str],
    others: set[str],
) -> Iterator[RuleViolation]:
    if source is not None and source.loader not in known:
        where = f"{event}, {argument.key}"
        kind = " of this kind (dropdowns load from dynamic_data, fields from dynamic_fields)"
        message = f"there is no loader {source.loader}{kind if source.loader in others else ''}."
        yield RuleViolation(property_name, f"{where}: {message}", source.loader)


def _flatten_arguments(arguments: Iterable[Argument]) -> Iterator[Argument]:
    for argument in arguments:
        yield argument
        yield from _flatten_arguments(argument.fields)


# The app itself and its auth definition

_APP_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_FIELD_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_AUTH_PLACEHOLDER = re.compile(r"\{auth\.(\w+)\}")
_WEB_ADDRESS = re.compile(r"https?://\S+")
_FIELD_TYPES = ("string", "dropdown")
_TEXT_PROPERTIES = ("name", "key", "icon_url", "auth_doc_url", "base_url", "api_base_url", "primary_color")
_KEY_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DESTINATION_WORDS = frozenset((
    "url", "uri", "host", "hostname", "server", "address", "endpoint", "domain", "subdomain", "port",
    "proxy", "tls", "ssl", "instance", "region", "tenant", "certificate", "insecure", "verify",
))  # fmt: skip
"""Words in a field's key that suggest that its value decides where credentials are sent."""
_API_KEY_FIELDS = ("apikey", "apitoken", "accesskey", "personalaccesstoken")


def is_valid_app_key(text: str) -> bool:
    """Whether a text is valid as an app key and folder name."""
    return bool(_APP_KEY.fullmatch(text)) and not is_reserved_name(text)


def find_violations(app: App, folder_name: str | None = None) -> list[RuleViolation]:
    """All violations of an app definition; empty for a valid app."""
    if violations := list(_check_types(app)):
        return violations
    return [
        *_check_definition(app, folder_name),
        *_check_addresses(app),
        *_check_auth(app),
        *event_violations(app),
    ]


def _check_types(app: App) -> Iterator[RuleViolation]:
    """Violations in the types of properties: Python doesn't check them, and the other rules need them."""
    for name in _TEXT_PROPERTIES:
        if not isinstance(getattr(app, name), str):
            yield RuleViolation(name, f"{name} must be a text.")
    if not isinstance(app.supports_connections, bool):
        yield RuleViolation("supports_connections", "supports_connections must be True or False.")
    if app.rate_limit is not None and not isinstance(app.rate_limit, RateLimit):
        yield RuleViolation("rate_limit", "rate_limit must be a RateLimit(calls=…, seconds=…).")
    if app.auth is not None and not isinstance(app.auth, Auth):
        yield RuleViolation("auth", "auth must be an Auth(…).")
    elif app.auth is not None and not all(isinstance(field, AuthField) for field in app.auth.fields):
        yield RuleViolation("auth", "The fields of auth must be AuthField(…).")


def _check_definition(app: App, folder_name: str | None) -> Iterator[RuleViolation]:
    if not app.name.strip():
        yield RuleViolation("name", "The app has no name.")
    if not is_valid_app_key(app.key):
        yield RuleViolation(
            "key", f"The key “{app.key}” can only contain lower-case letters, digits, and single hyphens."
        )
    if folder_name is not None and app.key != folder_name:
        yield RuleViolation("key", f"The key “{app.key}” differs from the folder name “{folder_name}”.")
    if not _COLOR.fullmatch(app.primary_color):
        yield RuleViolation("primary_color", f"The colour “{app.primary_color}” isn't in the form #RRGGBB.")
    for property_name, placeholder in (("icon_url", "{BASE_URL}"), ("auth_doc_url", "{DOCS_URL}")):
        address = getattr(app, property_name)
        if placeholder not in address:
            yield RuleViolation(property_name, f"{property_name} must contain {placeholder}.")
        elif f"/{app.key}/" not in address.replace("{key}", app.key):
            yield RuleViolation(property_name, f"{property_name} must be a path below /apps/{app.key}/.")


def _check_addresses(app: App) -> Iterator[RuleViolation]:
    if app.base_url and not _WEB_ADDRESS.fullmatch(app.base_url):
        yield RuleViolation("base_url", f"base_url “{app.base_url}” isn't a valid URL.")
    start = _AUTH_PLACEHOLDER.match(app.api_base_url)
    if app.api_base_url and not start and not _WEB_ADDRESS.fullmatch(app.api_base_url):
        yield RuleViolation("api_base_url", f"api_base_url “{app.api_base_url}” isn't a valid URL.")
    known = {field.key for field in app.auth.fields} | {*app.auth.stored} if app.auth else set()
    for key in _AUTH_PLACEHOLDER.findall(app.api_base_url):
        if key not in known:
            yield RuleViolation(
                "api_base_url", f"api_base_url uses {{auth.{key}}}, but there is no auth field {key}."
            )


def _check_auth(app: App) -> Iterator[RuleViolation]:
    if app.supports_connections and app.auth is None:
        yield RuleViolation("auth", "The app supports connections but has no auth definition.")
    if app.auth is None:
        return
    if not app.supports_connections:
        yield RuleViolation(
            "supports_connections", "The app has an auth definition, but supports_connections is False."
        )
    if not app.auth.fields and app.auth.generate_auth_url is None:
        yield RuleViolation("auth", "The auth definition has no fields.")
    yield from find_duplicates("auth", "auth field", (field.key for field in app.auth.fields), by_key=True)
    for field in app.auth.fields:
        yield from _check_field(field)
        yield from _check_destination(app, field)

    optional_names = ("generate_auth_url", "refresh_token", "verify_webhook")
    for name in ("verify_credentials", "is_still_verified", *optional_names):
        method = getattr(app.auth, name)
        optional = name in optional_names
        if not (method is None and optional) and not iscoroutinefunction(method):
            yield RuleViolation(
                "auth", f"{name} must be an async function (`async def`) that takes the context.", name
            )
    yield from _check_browser_sign_in(app, app.auth)


def _check_field(field: AuthField) -> Iterator[RuleViolation]:
    def violation(message: str) -> RuleViolation:
        return RuleViolation("auth", f"The auth field {field.key or '(without a key)'}: {message}", field.key)

    if not _FIELD_KEY.fullmatch(field.key):
        yield violation("the key must be a single word of letters and digits.")
    if not field.label.strip():
        yield violation("it has no label.")
    if field.type not in _FIELD_TYPES:
        yield violation(f"the type “{field.type}” isn't supported. Use string or dropdown.")
    if field.type == "dropdown" and not field.options:
        yield violation("a dropdown needs options.")
    if field.read_only and field.required and field.value is None:
        yield violation("it is required and read-only, so it needs a value.")
    if field.is_secret and field.value is not None:
        yield violation("a secret can't have a preset value.")
    values = [option.value for option in field.options]
    if values and field.value is not None and field.value not in values:
        yield violation(f"the value “{field.value}” isn't one of its options.")


def _check_destination(app: App, field: AuthField) -> Iterator[RuleViolation]:
    """Changing a connection's destination must require its secrets; see `AuthField`."""
    if field.decides_destination is not False:
        return
    message_start = (
        f"The auth field {field.key} determines where credentials are sent, so "
        "decides_destination can't be False"
    )
    if field.key in fields_in_addresses(app):
        yield RuleViolation("auth", f"{message_start}: it is part of an address.", field.key)
    elif _DESTINATION_WORDS & {word.lower() for word in _KEY_WORDS.findall(field.key)}:
        yield RuleViolation("auth", f"{message_start}: its name suggests an address.", field.key)


def _check_browser_sign_in(app: App, auth: Auth) -> Iterator[RuleViolation]:
    """A browser sign-in comes before a key if a service offers both."""
    if auth.generate_auth_url is None:
        if auth.refresh_token is not None:
            yield RuleViolation(
                "auth", "refresh_token has no effect without generate_auth_url.", "refresh_token"
            )
        return
    fields = {field.key: field for field in auth.fields}
    yield from _check_redirect_field(auth, fields.get(REDIRECT_FIELD))
    for key in auth.browser_if:
        if key not in fields:
            yield RuleViolation("auth", f"browser_if names {key}, but there is no auth field {key}.", key)
    # A key that isn't secret identifies the program, as a client ID does.
    offers_key = [key for key, field in fields.items() if key.lower() in _API_KEY_FIELDS and field.is_secret]
    if offers_key and not auth.browser_if:
        yield RuleViolation(
            "auth",
            f"The app offers both browser sign-in and the field {offers_key[0]}. Add a dropdown to "
            "choose between them, name it in browser_if, and preset it to the browser.",
            offers_key[0],
        )
    # An app for any service can't know what the service offers.
    if app.base_url and not all(
        _is_default(fields.get(key), wanted) for key, wanted in auth.browser_if.items()
    ):
        first = next(iter(auth.browser_if))
        yield RuleViolation("auth", f"Browser sign-in must be the preset option of {first}.", first)


def _check_redirect_field(auth: Auth, field: AuthField | None) -> Iterator[RuleViolation]:
    """The form must show the redirect URL to register, and it must be the one Patchbay uses."""
    oauth = getattr(auth.generate_auth_url, "__self__", None)
    if isinstance(oauth, BrowserSignIn) and not oauth.needs_redirect:
        return  # signing in with a code on another device needs none
    if field is None:
        yield RuleViolation("auth", f"Browser sign-in needs the field {REDIRECT_FIELD}. See oauth_fields().")
    elif not (field.read_only and field.click_to_copy):
        yield RuleViolation(
            "auth", f"The field {REDIRECT_FIELD} must be read-only and have click_to_copy=True.", field.key
        )


def _is_default(field: AuthField | None, wanted: object) -> bool:
    if field is None:
        return True
    return field.value in wanted if isinstance(wanted, (list, tuple)) else field.value == wanted
