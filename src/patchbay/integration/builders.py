"""Builds actions, dropdown lists, verification, and webhook triggers from descriptions of their requests.

Requests are lines such as `POST /repos/{repo}/issues`; `templates` has the rules for placeholders.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Protocol

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import SCREEN_NAME, Argument, Option, is_empty
from patchbay.integration import polling
from patchbay.integration.app_definition import (
    Action,
    ContextFunction,
    DynamicData,
    OnInterrupted,
    Trigger,
    VerifyFunction,
)
from patchbay.integration.context import Context
from patchbay.integration.described_requests import Line, Template, prepare, split_line, values_of
from patchbay.integration.paging import Pages, Pick, one_response, pick, read_pages
from patchbay.integration.request import Response
from patchbay.integration.request_actions import IDEMPOTENT, is_textual
from patchbay.integration.templates import fill_object, fill_text, find_value, paths_in, require_value
from patchbay.integration.third_party_errors import UnexpectedResponse, describe_shape
from patchbay.integration.webhook_deliveries import delivery_id
from patchbay.integration.webhook_signatures import new_webhook_secret

MAX_LIST_PAGES = 50
MAX_OPTIONS = 5_000
"""Max. options of one dropdown: a longer one is no help."""


def request_action(
    *,
    key: str,
    name: str,
    request: Line,
    description: str = "",
    arguments: Iterable[Argument] = (),
    query: Template | None = None,
    body: Template | None = None,
    headers: Mapping[str, str] | None = None,
    form: bool = False,
    output: Pick | Mapping[str, Json] = "",
    on_interrupted: OnInterrupted | None = None,
    idempotency_header: str = "",
    seconds: float = 0,
    supports_connections: bool = True,
) -> Action:
    """An action that sends one request and outputs the response.

    POST, PUT, and PATCH send the arguments that aren't in the path or the query, under their keys, if there
    is no `body`. `form` sends it form-encoded. `output` is a dotted path of the response, a function of it,
    or an object with placeholders for services that return nothing of use. A step whose outcome is unknown
    is repeated if the method is idempotent or the service recognizes `idempotency_header`. `seconds` is the
    time limit for services that take long to respond.
    """
    listed = tuple(arguments)
    method = "" if callable(request) else split_line(request)[0]
    template = body
    if body is None and method in ("POST", "PUT", "PATCH"):
        query_template = dict(query) if isinstance(query, Mapping) else None
        template = _all_arguments(listed, {"line": str(request), "query": query_template})

    async def run(ctx: Context) -> None:
        prepared = prepare(request, values_of(ctx), query=query, body=template, headers=headers, form=form)
        if idempotency_header:
            prepared = prepared.with_header(idempotency_header, ctx.idempotency_key)
        response = await replace(prepared, seconds=seconds).send(ctx)
        if isinstance(output, Mapping):
            ctx.set_action_item(fill_object(output, values_of(ctx, {"response": read_result(response)})))
        else:
            ctx.set_action_item(_part(read_result(response), output))

    return Action(
        key=key,
        name=name,
        description=description,
        arguments=listed,
        run=run,
        supports_connections=supports_connections,
        on_interrupted=on_interrupted or _default_policy(request, method, bool(idempotency_header)),
    )


def _all_arguments(arguments: Sequence[Argument], elsewhere: JsonObject) -> JsonObject:
    """The body that posts each argument that isn't sent elsewhere."""
    sent = {path.partition(".")[0].removesuffix("[]") for path in paths_in(elsewhere)}
    return {argument.key: f"{{{argument.key}}}" for argument in arguments if argument.key not in sent}


def _default_policy(
    request: Line, method: str, has_key: bool
) -> OnInterrupted | Callable[[JsonObject], OnInterrupted]:
    if has_key:
        return OnInterrupted.REPEAT_WITH_KEY
    if callable(request):
        return lambda parameters: _policy_of(split_line(request(parameters))[0])
    return _policy_of(method)


def _policy_of(method: str) -> OnInterrupted:
    return OnInterrupted.REPEAT if method in IDEMPOTENT else OnInterrupted.ASK


def read_result(response: Response) -> Json:
    """A response as the output of a step: its JSON, `text` for plain text, `status` if it has no content.

    Raises `ThirdPartyError` for anything else, such as a web page.
    """
    if not response.content.strip():
        return {"status": response.status}
    is_page = "html" in response.content_type or response.content.lstrip().startswith(b"<")
    is_json = "json" in response.content_type or response.looks_like_json
    if is_textual(response) and not is_page and not is_json:
        return {"text": response.text}
    document: Json = response.json()
    return document


def _part(result: Json, output: Pick) -> Json:
    """The part of a result to output; all of it if the response had no content.

    Raises `KeyError` with the first name of the path that is missing.
    """
    if callable(output):
        chosen: Json = output(result)
        return chosen
    if isinstance(result, dict) and result.keys() == {"status"}:
        return result
    part: Json = require_value(result, output)
    return part


# Dropdown lists

Label = str | Callable[[dict[str, Any]], str]
"""A template for a row, or a function of it."""


def option_list(
    key: str,
    line: Line,
    *,
    at: Pick = "",
    label: Label = "{name}",
    value: Label = "{id}",
    pages: Pages | None = None,
    query: Template | None = None,
    body: Template | None = None,
    requires: Iterable[str] = (),
    only: Callable[[Any, JsonObject], bool] | None = None,
    absent_if_empty: bool = False,
    in_order: bool = False,
) -> DynamicData:
    """The options of a dropdown, loaded from a list of the service, sorted by label unless `in_order`.

    `label` and `value` are templates such as `{owner.login}/{name}`, or functions of a row. While a parameter
    in the path, or one that it `requires`, isn't chosen, there are no options.
    """
    in_path = frozenset[str]() if callable(line) else paths_in(line)
    required = {*requires, *(name for name in in_path if not name.startswith("auth."))}

    async def load(ctx: Context) -> list[Option]:
        if any(is_empty(ctx.parameters.get(name)) for name in required):
            return []
        request = prepare(line, values_of(ctx), query=query, body=body)
        found: list[Option] = []
        reader = read_pages(
            ctx,
            request,
            pages or one_response(),
            at,
            max_pages=MAX_LIST_PAGES,
            absent_if_empty=absent_if_empty,
        )
        async with aclosing(reader) as all_pages:
            async for rows in all_pages:
                chosen = rows if only is None else [row for row in rows if only(row, ctx.parameters)]
                found += [_option(row, label, value) for row in chosen]
                if len(found) >= MAX_OPTIONS:
                    break
        return found if in_order else sorted(found, key=lambda option: option.label.casefold())

    return DynamicData(key=key, load=load)


def _option(row: Any, label: Label, value: Label) -> Option:
    """The option of a row. A row that is just a text is its own label and value."""
    if not isinstance(row, dict):
        return Option(label=str(row), value=str(row))
    chosen = value(row) if callable(value) else fill_text(value, row)
    shown = label(row) if callable(label) else fill_text(label, row)
    return Option(label=shown.strip() or chosen, value=chosen)


def fixed_list(key: str, options: Iterable[tuple[Json, str]]) -> DynamicData:
    """A list whose options never change: (value, label) pairs. For the keys of lists in exported flows."""
    made = [Option(label=label, value=value) for value, label in options]

    async def load(ctx: Context) -> list[Option]:
        return list(made)

    return DynamicData(key=key, load=load)


# Verification


class SignIn(Protocol):
    """A sign-in in the browser: `oauth2(…)`, `oauth1(…)`, or a `CallbackSignIn`."""

    def sign_in(self, ctx: Context) -> Awaitable[None]:
        """Exchange what the redirect contains for tokens, or store it."""
        ...


def verify_with(
    line: str,
    *,
    screen_name: str = "{auth.screenName}",
    account_id: str = "",
    stores: Mapping[str, str] | None = None,
    sign_in: SignIn | None = None,
    at: str = "",
    query: Template | None = None,
    body: Template | None = None,
) -> ContextFunction:
    """The `verify_credentials` that sends a request and names the connection after its response.

    `screen_name` is a template for the response (its part `at`) and the connection: `{login}`,
    `{user.name} @ {auth.instanceUrl}`. `account_id` is the path of what identifies the account, so that
    reconnecting with another one is detected. `stores` has templates of further values to store. `sign_in`
    is the app's sign-in in the browser, if it has one.
    """

    async def verify_credentials(ctx: Context) -> None:
        if sign_in is not None:
            await sign_in.sign_in(ctx)
        response = await prepare(line, values_of(ctx), query=query, body=body).send(ctx)
        found = read_result(response)
        if not isinstance(found, (dict, list)) or (isinstance(found, dict) and found.keys() == {"text"}):
            raise UnexpectedResponse(response, "an object", describe_shape(found))
        part = pick(found, at)
        values = {**(part if isinstance(part, dict) else {}), "auth": ctx.auth.data, "response": found}
        shown_name = _screen_name(response, screen_name, values)
        stored: JsonObject = {name: fill_text(template, values) for name, template in (stores or {}).items()}
        if account_id:
            stored["accountId"] = str(require_value(part, account_id))
        await ctx.auth.set(**stored, **{SCREEN_NAME: shown_name})

    return verify_credentials


def _screen_name(response: Response, template: str, values: JsonObject) -> str:
    """The filled template. Raises `ThirdPartyError` if the response has none of the values that it names."""
    paths = paths_in(template)
    if paths and all(is_empty(find_value(values, path)) for path in paths):
        raise UnexpectedResponse(response, f"“{min(paths)}”", describe_shape(values["response"]))
    return fill_text(template, values).strip()


def still_verified_with(
    line: str, *, query: Template | None = None, body: Template | None = None
) -> Callable[[Context], Awaitable[bool]]:
    """The `is_still_verified` that sends a request which only succeeds with valid credentials."""

    async def is_still_verified(ctx: Context) -> bool:
        read_result(await prepare(line, values_of(ctx), query=query, body=body).send(ctx))
        return True

    return is_still_verified


# Webhook triggers that register themselves


def webhook_trigger(
    *,
    key: str,
    name: str,
    register: Line,
    unregister: Line,
    description: str = "",
    arguments: Iterable[Argument] = (),
    body: Template | None = None,
    query: Template | None = None,
    form: bool = False,
    remote_id: Pick = "id",
    unregister_query: Template | None = None,
    unregister_body: Template | None = None,
    internal_id: str = "",
    item: Pick = "",
    only: Callable[[Any, JsonObject], bool] | None = None,
    verify: VerifyFunction | None = None,
    service_secret: str = "",
    test_items: polling.Items | None = None,
    supports_connections: bool = True,
) -> Trigger:
    """A webhook trigger that registers its address at the service when the flow is published.

    Placeholders besides the arguments: `{webhookUrl}`, `{flowId}`, in `register` `{webhookSecret}` (random),
    and in `unregister` `{remoteWebhookId}`, which is at `remote_id` of the response. The item is the
    request's body, or its part `item`; `internal_id` is a dotted path in the body, otherwise the delivery ID
    that the service sends in a header. `service_secret` is where the response has the secret with which the
    service signs, for `hmac_signature(…)`. `test_items` are shown when the trigger is tested.
    """

    return Trigger(
        key=key,
        name=name,
        description=description,
        kind=TriggerKind.WEBHOOK,
        arguments=tuple(arguments),
        run=_receiver(internal_id, item, only),
        test_run=_test_run(test_items) if test_items else None,
        register_hook=_registration(register, remote_id, query, body, form, service_secret),
        unregister_hook=_removal(unregister, unregister_query, unregister_body, form),
        verify_webhook=verify,
        supports_connections=supports_connections,
    )


def _receiver(
    internal_id: str, item: Pick, only: Callable[[Any, JsonObject], bool] | None
) -> ContextFunction:
    async def run(ctx: Context) -> None:
        assert ctx.request is not None
        sent = ctx.request.body
        if only is not None and not only(sent, ctx.parameters):
            return
        found = find_value(sent, internal_id) if internal_id else None
        identity = None if found in (None, "") else str(found)
        await ctx.push_request_item(pick(sent, item), identity or delivery_id(ctx.request))

    return run


def _registration(
    line: Line,
    remote_id: Pick,
    query: Template | None,
    body: Template | None,
    form: bool,
    service_secret: str,
) -> ContextFunction:
    async def register_hook(ctx: Context) -> None:
        secret = new_webhook_secret()
        values: JsonObject = {**_hook_values(ctx), "webhookSecret": secret}
        request = prepare(line, values, query=query, body=body, form=form)
        if request.contains(secret):
            ctx.flow.add_webhook_secret(secret)
        response = await request.send(ctx)
        found = _part(read_result(response), remote_id) if remote_id else ""
        await ctx.flow.set_remote_webhook_id("" if found is None else str(found))
        if service_secret:
            generated = _part(read_result(response), service_secret)
            if not isinstance(generated, str) or not generated:
                raise UnexpectedResponse(response, f"text at {service_secret}", describe_shape(generated))
            ctx.flow.add_webhook_secret(generated)

    return register_hook


def _removal(line: Line, query: Template | None, body: Template | None, form: bool) -> ContextFunction:
    async def unregister_hook(ctx: Context) -> None:
        await prepare(line, _hook_values(ctx), query=query, body=body, form=form).send(ctx)

    return unregister_hook


def _hook_values(ctx: Context) -> JsonObject:
    return {
        **values_of(ctx),
        "webhookUrl": ctx.webhook_url,
        "flowId": ctx.flow.id,
        "remoteWebhookId": ctx.flow.remote_webhook_id,
    }


def _test_run(items: polling.Items) -> ContextFunction:
    async def test_run(ctx: Context) -> None:
        async with aclosing(items(ctx)) as found:
            async for raw, internal_id in found:
                ctx.push_trigger_item(raw, internal_id)

    return test_run
