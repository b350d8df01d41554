"""Tries how an app connects with a service that refuses everything: both checks must notice.

Only for apps that speak HTTP through their context, which can be answered here; nothing leaves the program.
"""

import ast
import asyncio
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.fields import Argument, ArgumentType, AuthField
from patchbay.integration.app_definition import Action, App, Auth, Trigger
from patchbay.integration.app_threads import NeverEnded, contained
from patchbay.integration.certificate_trust import hosts_of
from patchbay.integration.context import Signal, collect_items
from patchbay.integration.masking import MASK
from patchbay.integration.source_checks import ENTRY, Breach, Sources
from patchbay.integration.trial import Asked, Trial

_SECONDS = 10.0
_ADDRESS = "https://service.example.com"
_REFUSAL = (401, {"error": "These credentials are not accepted."})
_OTHER_WAYS = frozenset(("socket", "ssl", "smtplib", "imaplib", "poplib", "ftplib", "telnetlib"))
_VERIFY, _STILL = "auth/verify_credentials.py", "auth/is_still_verified.py"


@dataclass(frozen=True)
class _Outcome:
    """How a check ended: what it returned or raised, and what it asked."""

    returned: object
    error: BaseException | None
    asked: list[Asked]


def trial_breaches(sources: Sources, app: App) -> Iterator[Breach]:
    """What shows only when the app's checks are run."""
    auth = app.auth
    if auth is None or not speaks_http_only(sources):
        return
    verify = _tried(app, auth, "one", still=False)
    yield from _verify(sources, verify)
    if verify.asked and _keeps_back(app, auth, verify.asked):
        message = "The secret that was entered is not sent: before_request must add it to each request."
        yield Breach(ENTRY, sources.lines.get("before_request", sources.start), message)
    still = _tried(app, auth, "one", still=True)
    if still.error is None and still.returned and still.asked:
        yield _at(sources, _STILL, "is_still_verified", "It says yes although the service refuses with 401.")


def _verify(sources: Sources, outcome: _Outcome) -> Iterator[Breach]:
    error = outcome.error
    if error is None and outcome.asked:
        message = "It accepts credentials that the service refuses with 401: let the error of ctx.http pass."
        yield _at(sources, _VERIFY, "verify_credentials", message)
    elif isinstance(error, NeverEnded):
        yield _at(sources, _VERIFY, "verify_credentials", str(error))
    elif error is not None and not isinstance(error, AppError):
        file, line = sources.place_in_trace(error) or (_VERIFY, 1)
        yield Breach(file, line, f"verify_credentials stops with {type(error).__name__}: {error}")


def _tried(app: App, auth: Auth, secret: str, *, still: bool) -> _Outcome:
    trial = Trial(app, sample_values(app, auth, secret), {}, otherwise=_REFUSAL)
    returned, error = None, None
    try:
        returned = contained(
            lambda: asyncio.run(trial.still_verified() if still else trial.verify()), _SECONDS
        )
    except Exception as raised:  # noqa: BLE001 - whatever an author's code raises
        error = raised
    return _Outcome(returned, error, list(trial.requests))


def sample_values(app: App, auth: Auth, secret: str = "one") -> JsonObject:
    """Something for each field, as a person may enter it; `secret` makes the secrets differ."""
    values: JsonObject = {field.key: _sample(app, field, secret) for field in auth.fields}
    if auth.generate_auth_url is not None:
        values |= {key: _chosen(wanted) for key, wanted in auth.browser_if.items()}
        values |= {"accessToken": f"sample-token-{secret}", "tokenType": "Bearer"}
    return values


def _sample(app: App, field: AuthField, secret: str) -> Json:
    if field.value is not None:
        return field.value
    if field.options:
        return field.options[0].value
    if field.is_secret:
        return f"sample-secret-{secret}"
    is_address = app.api_base_url.startswith(f"{{auth.{field.key}}}") or field.key.lower().endswith("url")
    return _ADDRESS if is_address else f"sample-{field.key.lower()}"


def _chosen(wanted: Json) -> Json:
    return wanted[0] if isinstance(wanted, list) and wanted else wanted


def _keeps_back(app: App, auth: Auth, asked: list[Asked]) -> bool:
    """Whether another secret makes no difference in what is asked. Signatures make one too."""
    has_secret = auth.generate_auth_url is None and any(field.is_secret for field in auth.fields)
    return has_secret and asked == _tried(app, auth, "other", still=False).asked


def speaks_http_only(sources: Sources) -> bool:
    """Whether the app asks its service through `ctx.http` and in no other way."""
    uses_http = False
    for tree in (tree for file, tree in sources.files.items() if not file.startswith("tests/")):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import) and any(
                alias.name.split(".")[0] in _OTHER_WAYS for alias in node.names
            ):
                return False
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _OTHER_WAYS:
                return False
            uses_http = uses_http or (isinstance(node, ast.Attribute) and ast.unparse(node) == "ctx.http")
    return uses_http


def _at(sources: Sources, file: str, function: str, message: str) -> Breach:
    tree = sources.files.get(file)
    nodes = ast.walk(tree) if tree else ()
    line = next(
        (node.lineno for node in nodes if isinstance(node, ast.AsyncFunctionDef) and node.name == function), 1
    )
    return Breach(file, line, message)


# MERGED: Tries every trigger and action of an app, and reads its code for calls that nobody awaits.
_SECRET = "one"
_ITEM: JsonObject = {"id": 1, "name": "Sample", "title": "Sample", "url": "https://service.example.com/1"}
_ANSWER = (200, {**_ITEM, "items": [_ITEM], "data": [_ITEM], "results": [_ITEM]})
_AWAITED = frozenset((
    "ctx.http.get", "ctx.http.post", "ctx.http.put", "ctx.http.patch", "ctx.http.delete", "ctx.http.request",
    "ctx.auth.set", "ctx.datastore.get", "ctx.datastore.set", "ctx.compute", "ctx.seen",
))  # fmt: skip
_OF_ANY_ANSWER = ("'coroutine' object", "unexpected keyword argument", "missing 1 required")
_OUTPUTS = ("set_action_item", "set_answer_item", "action_output", "call_flow")
_CREDENTIAL_WORDS = ("authorization", "cookie", "key", "token", "secret", "password", "auth")


class _WatchedParameters(dict[str, Json]):
    """The parameters of a step, which remember what was asked for."""

    def __init__(self, values: JsonObject) -> None:
        super().__init__(values)
        self.asked: set[str] = set()

    def __getitem__(self, key: str) -> Json:
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)


def event_breaches(sources: Sources, app: App | None) -> Iterator[Breach]:
    """What is wrong with the code of triggers and actions. Apps of other protocols than HTTP aren't run."""
    unawaited = list(_unawaited(sources))
    yield from unawaited
    if unawaited or app is None or not speaks_http_only(sources):
        return
    yield from _unrecognised_secrets(sources, app)
    for trigger in app.triggers:
        yield from _check_events_tried(sources, app, trigger, "triggers")
    for action in app.actions:
        yield from _check_events_tried(sources, app, action, "actions")


def _unawaited(sources: Sources) -> Iterator[Breach]:
    for file, tree in sources.files.items():
        if file.startswith("tests/"):
            continue
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)}
        for parent in ast.walk(tree):
            for call in _used_at_once(parent):
                name = ast.unparse(call.func)
                if name in _AWAITED or name in own:
                    yield Breach(file, call.lineno, f"“await” is missing before {name}(…).")


def _used_at_once(node: ast.AST) -> Iterator[ast.Call]:
    """Calls whose result is dropped, or looked into, instead of being awaited or handed on."""
    if isinstance(node, (ast.Expr, ast.Attribute, ast.Subscript)) and isinstance(node.value, ast.Call):
        yield node.value
    elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        yield node.iter


def _check_events_tried(sources: Sources, app: App, event: Trigger | Action, folder: str) -> Iterator[Breach]:
    """What shows when it is run with a value in each of its fields."""
    if event.run is None:
        return
    file, line = sources.place_of(event.key, folder) or ("__init__.py", sources.start)
    values = sample_values(app, app.auth, _SECRET) if app.auth else {}
    trial, parameters = Trial(app, values, otherwise=_ANSWER), _WatchedParameters(_samples(event.arguments))
    printed, output, error = io.StringIO(), None, None
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            output = contained(lambda: asyncio.run(_run(trial, event, parameters)), _SECONDS)
    except Signal:
        output = True
    except Exception as raised:  # noqa: BLE001 - whatever an author's code raises
        error = raised
    yield from _errors(sources, event, error, (file, line))
    known = {argument.key for argument in event.arguments}
    if not any(argument.additional_fields for argument in event.arguments):
        for key in sorted(parameters.asked - known):
            yield Breach(file, line, f"{event.key} uses the parameter {key}, which it doesn't declare.")
    if any(value and value in printed.getvalue() for value in _secrets(app, values)):
        yield Breach(file, line, f"{event.key} prints a secret of the connection.")
    if MASK in json.dumps(output, ensure_ascii=False, default=str):
        yield Breach(file, line, f"{event.key} puts out a secret of the connection.")
    own = set(hosts_of(app, values))
    for host in sorted({asked.host for asked in trial.requests} - own) if own else ():
        yield Breach(file, line, f"{event.key} sends a request to {host}, which isn't the app's address.")
    if isinstance(event, Action) and not _sets_output(sources, file, output, error):
        yield Breach(file, line, f"{event.key} never sets its output: call ctx.set_action_item(…).")


async def _run(trial: Trial, event: Trigger | Action, parameters: JsonObject) -> Json:
    async with trial.context(parameters) as ctx:
        assert event.run is not None
        if isinstance(event, Trigger):
            return [item.raw for item in await collect_items(event.run, ctx)]
        await event.run(ctx)
        return ctx.action_output


def _errors(
    sources: Sources, event: Trigger | Action, error: Exception | None, place: tuple[str, int]
) -> Iterator[Breach]:
    """Errors that don't depend on what the service answers."""
    file, line = (sources.place_in_trace(error) if error else None) or place
    if isinstance(error, NeverEnded):
        yield Breach(file, line, f"{event.key}: {error}")
    elif isinstance(error, (NameError, ImportError)) or any(word in str(error) for word in _OF_ANY_ANSWER):
        yield Breach(file, line, f"{event.key} stops with {type(error).__name__}: {error}")
    elif isinstance(error, ValidationFailed) and "aren’t sent to" in error.happened:
        yield Breach(file, line, f"{event.key}: {error.happened}")


def _sets_output(sources: Sources, file: str, output: Json, error: Exception | None) -> bool:
    """Whether it put something out. Where it stopped before, whether its file looks as if it did."""
    if error is None:
        return output is not None
    tree = sources.files.get(file)
    text = ast.unparse(tree) if tree else ""
    hands_on = any(
        isinstance(node, ast.Call)
        and any(isinstance(item, ast.Name) and item.id == "ctx" for item in node.args)
        for node in (ast.walk(tree) if tree else ())
    )
    return hands_on or any(word in text for word in _OUTPUTS)


def _samples(arguments: tuple[Argument, ...]) -> JsonObject:
    return {argument.key: _check_events_sample(argument) for argument in arguments}


def _check_events_sample(argument: Argument) -> Json:
    if argument.value is not None:
        return argument.value
    if argument.options:
        return argument.options[0].value
    return [] if argument.type is ArgumentType.DYNAMIC else "1"


def _secrets(app: App, values: JsonObject) -> Iterator[str]:
    for field in app.auth.fields if app.auth else ():
        if field.is_secret and isinstance(value := values.get(field.key), str):
            yield value


def _unrecognised_secrets(sources: Sources, app: App) -> Iterator[Breach]:
    """Fields that are sent as credentials although people see them in the clear."""
    if app.auth is None:
        return
    values = sample_values(app, app.auth, _SECRET)
    trial = Trial(app, values, otherwise=_ANSWER)
    with suppress(Exception):  # whatever an author's code raises: what it asked until then is enough
        contained(lambda: asyncio.run(trial.verify()), _SECONDS)
    sent = {
        value
        for asked in trial.requests
        for name, value in (*asked.headers.items(), *asked.query.items())
        if any(word in name.lower() for word in _CREDENTIAL_WORDS)
    }
    for field in app.auth.fields:
        if _is_open(field) and any(str(values[field.key]) in value for value in sent):
            file, line = sources.place_of(field.key, "auth") or ("auth/__init__.py", 1)
            yield Breach(
                file,
                line,
                f"The auth field {field.key} is sent as a credential: declare it with secret=True.",
            )


def _is_open(field: AuthField) -> bool:
    return not (field.is_secret or field.read_only or field.options or field.secret is False)
