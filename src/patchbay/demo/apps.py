"""The demo's apps: defined by data files, with responses from `DemoTransport` instead of the network."""

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from patchbay.demo.blueprint import load_icon, load_json
from patchbay.domain.base import AppKey, Json
from patchbay.integration import (
    Action,
    App,
    Argument,
    Auth,
    AuthField,
    Context,
    DynamicData,
    OnInterrupted,
    Option,
    Source,
    Trigger,
    TriggerKind,
    bearer,
)
from patchbay.integration.app_definition import AuthKind
from patchbay.integration.app_index import IndexedApp

OPERATION = "x-demo-operation"
"""Header with the operation of a demo app, for the transport."""

Run = Callable[[Context], Awaitable[None]]
_OFFLINE_BASE_URL = "https://demo.invalid"


def demo_apps(existing_keys: Collection[AppKey] = ()) -> tuple[App, ...]:
    """All demo apps, except those whose key an installed app has."""
    return tuple(_app(item) for item in load_json("apps") if item["key"] not in existing_keys)


def works_offline(app: App | IndexedApp) -> bool:
    """Whether the demo can use a real app: its requests go through a transport that can respond to them.

    Apps without HTTP would leave this computer; of apps that the demo defines itself, the transport only
    knows that definition.
    """
    if app.key in {item["key"] for item in load_json("apps")}:
        return False
    return app.uses_http or app.auth_kind is AuthKind.NONE


def _app(item: Mapping[str, Any]) -> App:
    key, fields = item["key"], tuple(AuthField(**field) for field in item["fields"])
    secret = next((field.key for field in fields if field.is_secret), None)
    return App(
        key=key,
        name=item["name"],
        supports_connections=bool(fields),
        base_url=item["base"],
        api_base_url=item["api"] or _OFFLINE_BASE_URL,
        primary_color=item["color"],
        auth=_auth(item["verify"], fields) if fields else None,
        before_request=[bearer(field=secret)] if secret else [],
        triggers=[_trigger(key, trigger) for trigger in item["triggers"]],
        actions=[_action(key, action) for action in item["actions"]],
        dynamic_data=[_list(key, name) for name in _list_names(item)],
        description=item["description"],
        category=item["category"],
        icon_svg=load_icon(key),
        docs_markdown=_DOCS.format(name=item["name"]),
    )


_DOCS = """# {name} in the demo

Nothing you enter here leaves this computer: the demo responds in place of {name}.

1. Enter any name and any other values.
2. Select **Test and save**. To see what a failure looks like, enter a key that contains `wrong`.
"""


def _auth(path: str, fields: tuple[AuthField, ...]) -> Auth:
    async def verify(ctx: Context) -> None:
        await ctx.http.get(path)

    async def is_still_verified(ctx: Context) -> bool:
        await ctx.http.get(path)
        return True

    return Auth(fields=fields, verify_credentials=verify, is_still_verified=is_still_verified)


def _trigger(app_key: AppKey, item: Mapping[str, Any]) -> Trigger:
    kind, poll = TriggerKind(item["kind"]), _polling_run(app_key, item["key"])
    return Trigger(
        key=item["key"],
        name=item["name"],
        kind=kind,
        arguments=tuple(map(_argument, item["arguments"])),
        run=_webhook_run if kind is TriggerKind.WEBHOOK else poll,
        test_run=poll,
        show_webhook_url=kind is TriggerKind.WEBHOOK,
    )


def _polling_run(app_key: AppKey, key: str) -> Run:
    async def poll(ctx: Context) -> None:
        response = await ctx.http.get(f"/{key}", headers={OPERATION: f"{app_key}.{key}"})
        for number, raw in response.json():
            ctx.push_trigger_item(raw, str(number))

    return poll


async def _webhook_run(ctx: Context) -> None:
    """The `run` of a webhook trigger: the request body is the event."""
    if ctx.request is not None:
        ctx.push_trigger_item(ctx.request.body, None)


def _action(app_key: AppKey, item: Mapping[str, Any]) -> Action:
    async def run(ctx: Context) -> None:
        headers = {OPERATION: f"{app_key}.{item['key']}"}
        response = await ctx.http.post(f"/{item['key']}", json=ctx.parameters, headers=headers)
        ctx.set_action_item(response.json())

    return Action(
        key=item["key"],
        name=item["name"],
        run=run,
        arguments=tuple(map(_argument, item["arguments"])),
        on_interrupted=OnInterrupted.REPEAT,
    )


def _argument(item: Mapping[str, Any]) -> Argument:
    arguments = {
        key: value for key, value in item.items() if key not in ("list", "options", "fields", "after")
    }
    if loader := item.get("list"):
        arguments["source"] = Source(loader=loader, parameters={})
    return Argument(
        **arguments,
        options=_options(item.get("options", ())),
        fields=tuple(map(_argument, item.get("fields", ()))),
        depends_on=tuple(item.get("after", ())),
    )


def _list_names(item: Mapping[str, Any]) -> list[str]:
    """The names of the lists with options of arguments and of fields in their rows."""
    events = (*item["triggers"], *item["actions"])
    arguments = [argument for event in events for argument in event["arguments"]]
    fields = [field for argument in arguments for field in argument.get("fields", ())]
    return sorted({field["list"] for field in (*arguments, *fields) if "list" in field})


def _list(app_key: AppKey, name: str) -> DynamicData:
    async def load(ctx: Context) -> Sequence[Option]:
        return _options(load_json("lists").get(f"{app_key}.{name}", ()))

    return DynamicData(key=name, load=load)


def _options(choices: Sequence[Json]) -> tuple[Option, ...]:
    """Convert choices, which are values or [value, label] pairs, to options."""
    pairs = (choice if isinstance(choice, list) else [choice, choice] for choice in choices)
    return tuple(
        Option(value=value, label=label if isinstance(label, str) else json.dumps(label))
        for value, label in pairs
    )
