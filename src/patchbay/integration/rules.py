"""What must hold for a loaded app, told in sentences. Used by the loader and by the contract checker."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from patchbay.domain.apps import TriggerKind
from patchbay.integration.contract import Action, App, Trigger

_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class Fault(NamedTuple):
    """One broken rule: the property of `App` it is about, and what is wrong, as a sentence."""

    about: str
    message: str


def faults(app: App, folder_name: str | None = None) -> list[Fault]:
    """Every broken rule of the contract; empty for a good app."""
    return [*_definition(app, folder_name), *_auth(app), *_events(app)]


def _definition(app: App, folder_name: str | None) -> Iterator[Fault]:
    if not app.name.strip():
        yield Fault("name", "The app has no name.")
    if not _KEY.fullmatch(app.key):
        yield Fault("key", f"The key “{app.key}” must be lower case letters and digits, joined by hyphens.")
    if folder_name is not None and app.key != folder_name:
        yield Fault("key", f"The key “{app.key}” differs from the folder name “{folder_name}”.")
    if not _COLOUR.fullmatch(app.primary_color):
        yield Fault("primary_color", f"The colour “{app.primary_color}” is not of the form #RRGGBB.")
    if "{BASE_URL}" not in app.icon_url:
        yield Fault("icon_url", "icon_url must be built from {BASE_URL}.")
    if "{DOCS_URL}" not in app.auth_doc_url:
        yield Fault("auth_doc_url", "auth_doc_url must be built from {DOCS_URL}.")


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
    yield from _duplicates("auth", "auth field", (field.key for field in app.auth.fields))


def _events(app: App) -> Iterator[Fault]:
    keyed: dict[tuple[str, str], Iterable[str]] = {
        ("triggers", "trigger"): (trigger.key for trigger in app.triggers),
        ("actions", "action"): (action.key for action in app.actions),
        ("dynamic_data", "dynamic data"): (loader.key for loader in app.dynamic_data),
        ("dynamic_fields", "dynamic fields"): (loader.key for loader in app.dynamic_fields),
    }
    for (about, what), keys in keyed.items():
        yield from _duplicates(about, what, keys)
    for event in (*app.triggers, *app.actions):
        keys = (argument.key for argument in event.arguments)
        yield from _duplicates(_place(event), f"argument of {event.key}", keys)
    for trigger in app.triggers:
        yield from _trigger(trigger)
    yield from _loaders(app)


def _place(event: Trigger | Action) -> str:
    return "triggers" if isinstance(event, Trigger) else "actions"


def _trigger(trigger: Trigger) -> Iterator[Fault]:
    if trigger.kind is TriggerKind.SCHEDULE and trigger.cron is None:
        yield Fault("triggers", f"The schedule trigger {trigger.key} gives no cron line.")
    if trigger.kind is not TriggerKind.WEBHOOK and trigger.run is None:
        yield Fault("triggers", f"The trigger {trigger.key} has no run function.")
    if trigger.watch is not None and trigger.kind is not TriggerKind.POLLING:
        yield Fault("triggers", f"The trigger {trigger.key} watches, which only polling triggers do.")


def _loaders(app: App) -> Iterator[Fault]:
    known = {loader.key for loader in (*app.dynamic_data, *app.dynamic_fields)}
    for event in (*app.triggers, *app.actions):
        for argument in event.arguments:
            for source in (argument.source, argument.additional_fields):
                if source is not None and source.loader not in known:
                    message = f"{event.key}, {argument.key}: there is no loader named {source.loader}."
                    yield Fault(_place(event), message)


def _duplicates(about: str, what: str, keys: Iterable[str]) -> Iterator[Fault]:
    for key, count in Counter(keys).items():
        if count > 1:
            yield Fault(about, f"The {what} “{key}” is defined {count} times.")
