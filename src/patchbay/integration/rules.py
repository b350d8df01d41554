"""What must hold for a loaded app, told in sentences. Used by the loader and by the contract checker."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from patchbay.domain.apps import TriggerKind
from patchbay.integration.contract import App, Trigger

_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def faults(app: App, folder_name: str | None = None) -> list[str]:
    """Every broken rule of the contract; empty for a good app."""
    return [*_definition(app, folder_name), *_auth(app), *_events(app)]


def _definition(app: App, folder_name: str | None) -> Iterator[str]:
    if not app.name.strip():
        yield "The app has no name."
    if not _KEY.fullmatch(app.key):
        yield f"The key “{app.key}” must be lower case letters and digits, joined by hyphens."
    if folder_name is not None and app.key != folder_name:
        yield f"The key “{app.key}” differs from the folder name “{folder_name}”."
    if not _COLOUR.fullmatch(app.primary_color):
        yield f"The colour “{app.primary_color}” is not of the form #RRGGBB."
    if "{BASE_URL}" not in app.icon_url:
        yield "icon_url must be built from {BASE_URL}."
    if "{DOCS_URL}" not in app.auth_doc_url:
        yield "auth_doc_url must be built from {DOCS_URL}."


def _auth(app: App) -> Iterator[str]:
    if app.supports_connections and app.auth is None:
        yield "It supports connections but has no auth definition."
    if app.auth is None:
        return
    if not app.supports_connections:
        yield "It has an auth definition but says that it does not support connections."
    if not app.auth.fields and app.auth.generate_auth_url is None:
        yield "The auth definition has no fields."
    yield from _duplicates("auth field", (field.key for field in app.auth.fields))


def _events(app: App) -> Iterator[str]:
    kinds: dict[str, Iterable[str]] = {
        "trigger": (trigger.key for trigger in app.triggers),
        "action": (action.key for action in app.actions),
        "dynamic data": (loader.key for loader in app.dynamic_data),
        "dynamic fields": (loader.key for loader in app.dynamic_fields),
    }
    for kind, keys in kinds.items():
        yield from _duplicates(kind, keys)
    for event in (*app.triggers, *app.actions):
        yield from _duplicates(f"argument of {event.key}", (argument.key for argument in event.arguments))
    for trigger in app.triggers:
        yield from _trigger(trigger)
    yield from _loaders(app)


def _trigger(trigger: Trigger) -> Iterator[str]:
    if trigger.kind is TriggerKind.SCHEDULE and trigger.cron is None:
        yield f"The schedule trigger {trigger.key} gives no cron line."
    if trigger.kind is not TriggerKind.WEBHOOK and trigger.run is None:
        yield f"The trigger {trigger.key} has no run function."


def _loaders(app: App) -> Iterator[str]:
    known = {loader.key for loader in (*app.dynamic_data, *app.dynamic_fields)}
    for event in (*app.triggers, *app.actions):
        for argument in event.arguments:
            for source in (argument.source, argument.additional_fields):
                if source is not None and source.loader not in known:
                    yield f"{event.key}, {argument.key}: there is no loader named {source.loader}."


def _duplicates(what: str, keys: Iterable[str]) -> Iterator[str]:
    for key, count in Counter(keys).items():
        if count > 1:
            yield f"The {what} “{key}” is defined {count} times."
