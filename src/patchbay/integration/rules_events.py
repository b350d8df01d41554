"""What must hold for triggers, actions, their arguments and the loaders of their dropdowns."""

import re
from collections.abc import Iterable, Iterator
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import Any

from patchbay.domain.apps import TriggerKind
from patchbay.domain.fields import Argument, ArgumentType, Source
from patchbay.integration.contract import Action, App, DynamicData, DynamicFields, Trigger
from patchbay.integration.faults import Fault, repeated

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
