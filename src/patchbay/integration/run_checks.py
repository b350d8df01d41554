"""Dynamic checks of an app: runs its connection methods, triggers, and actions against a fake service.

Only for apps that use HTTP through their context. No request leaves the process.
"""

import ast
import asyncio
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.fields import Argument, ArgumentType, AuthField, is_visible
from patchbay.integration.app_definition import Action, App, Auth, Trigger
from patchbay.integration.app_threads import AppCodeTimedOut, run_contained
from patchbay.integration.certificate_trust import hosts_of
from patchbay.integration.context import ControlSignal, collect_items
from patchbay.integration.masking import MASK
from patchbay.integration.source_checks import ENTRY_FILE, AppSources, Finding
from patchbay.integration.trial import RecordedRequest, Trial

_TIMEOUT_SECONDS = 10.0
_SAMPLE_URL = "https://service.example.com"
_REJECTION = (401, {"error": "Invalid credentials."})
_NON_HTTP_MODULES = frozenset(("socket", "ssl", "smtplib", "imaplib", "poplib", "ftplib", "telnetlib"))
_REQUEST_BUILDERS = frozenset(
    (
        "request_action",
        "chat_completion",
        "text_completion",
        "option_list",
        "list_items",
        "verify_with",
        "still_verified_with",
        "webhook_trigger",
    )
)
_VERIFY_FILE, _STILL_VERIFIED_FILE = "auth/verify_credentials.py", "auth/is_still_verified.py"


@dataclass(frozen=True)
class _CheckResult:
    """The outcome of a check: result or error, and the requests it sent."""

    returned: object
    error: BaseException | None
    requested: list[RecordedRequest]


def find_connection_problems(sources: AppSources, app: App) -> Iterator[Finding]:
    """Findings of running the app's `verify_credentials` and `is_still_verified`."""
    auth = app.auth
    if auth is None or not speaks_http_only(sources):
        return
    verify = _try_connecting(app, auth, "one", still=False)
    yield from _report_verification(sources, verify)
    if verify.requested and _ignores_secret(app, auth, verify.requested):
        message = "The entered secret isn't sent. Add it to each request in before_request."
        yield Finding(ENTRY_FILE, sources.lines.get("before_request", sources.app_line), message)
    still = _try_connecting(app, auth, "one", still=True)
    if still.error is None and still.returned and still.requested:
        yield _finding_in(
            sources,
            _STILL_VERIFIED_FILE,
            "is_still_verified",
            "It returns True although the service responds with 401.",
        )


def _report_verification(sources: AppSources, outcome: _CheckResult) -> Iterator[Finding]:
    error = outcome.error
    if error is None and outcome.requested:
        message = (
            "It accepts credentials that the service rejects with 401. Don't catch the error that "
            "ctx.http raises."
        )
        yield _finding_in(sources, _VERIFY_FILE, "verify_credentials", message)
    elif isinstance(error, AppCodeTimedOut):
        yield _finding_in(sources, _VERIFY_FILE, "verify_credentials", str(error))
    elif error is not None and not isinstance(error, AppError):
        file, line = sources.location_in_traceback(error) or (_VERIFY_FILE, 1)
        yield Finding(file, line, f"verify_credentials fails with {type(error).__name__}: {error}")


def _try_connecting(app: App, auth: Auth, secret: str, *, still: bool) -> _CheckResult:
    trial = Trial(app, sample_values(app, auth, secret), {}, otherwise=_REJECTION)
    returned, error = None, None
    try:
        returned = run_contained(
            lambda: asyncio.run(trial.still_verified() if still else trial.verify()), _TIMEOUT_SECONDS
        )
    except Exception as exception:  # noqa: BLE001 - whatever an author's code raises
        error = exception
    return _CheckResult(returned, error, list(trial.requests))


def sample_values(app: App, auth: Auth, secret: str = "one") -> JsonObject:
    """A sample value for each visible auth field, and for each value that verification stores.

    `secret` makes the secrets differ.
    """
    fields = (*auth.fields, *(AuthField(key=key, label=key) for key in auth.stored))
    values: JsonObject = {}
    for field in fields:  # what a field depends on comes before it
        if is_visible(field, values):
            values[field.key] = _sample_field_value(app, field, secret)
    if auth.generate_auth_url is not None:
        for key, wanted in auth.browser_if.items():
            values[key] = wanted[0] if isinstance(wanted, list) and wanted else wanted
        values |= {"accessToken": f"sample-token-{secret}", "tokenType": "Bearer"}
    return values


def _sample_field_value(app: App, field: AuthField, secret: str) -> Json:
    if field.value is not None:
        return field.value
    if field.options:
        return field.options[0].value
    if field.is_secret:
        return f"sample-secret-{secret}"
    is_address = app.api_base_url.startswith(f"{{auth.{field.key}}}") or field.key.lower().endswith("url")
    return _SAMPLE_URL if is_address else f"sample-{field.key.lower()}"


def _ignores_secret(app: App, auth: Auth, requested: list[RecordedRequest]) -> bool:
    """Whether the requests are the same with another secret. Signatures count as a difference."""
    has_secret = auth.generate_auth_url is None and any(field.is_secret for field in auth.fields)
    return has_secret and requested == _try_connecting(app, auth, "other", still=False).requested


def speaks_http_only(sources: AppSources) -> bool:
    """Whether the app uses only `ctx.http` to access the network."""
    uses_http = False
    for tree in (tree for file, tree in sources.files.items() if not file.startswith("tests/")):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import) and any(
                alias.name.split(".")[0] in _NON_HTTP_MODULES for alias in node.names
            ):
                return False
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _NON_HTTP_MODULES:
                return False
            uses_http = uses_http or (isinstance(node, ast.Attribute) and ast.unparse(node) == "ctx.http")
            uses_http = uses_http or (isinstance(node, ast.Name) and node.id in _REQUEST_BUILDERS)
    return uses_http


def _finding_in(sources: AppSources, file: str, function: str, message: str) -> Finding:
    tree = sources.files.get(file)
    nodes = ast.walk(tree) if tree else ()
    line = next(
        (node.lineno for node in nodes if isinstance(node, ast.AsyncFunctionDef) and node.name == function), 1
    )
    return Finding(file, line, message)


# Triggers and actions

_SAMPLE_SECRET = "one"
_SAMPLE_ITEM: JsonObject = {
    "id": 1,
    "name": "Sample",
    "title": "Sample",
    "url": "https://service.example.com/1",
}
_SAMPLE_RESPONSE = (
    200,
    {**_SAMPLE_ITEM, "items": [_SAMPLE_ITEM], "data": [_SAMPLE_ITEM], "results": [_SAMPLE_ITEM]},
)
_AWAITABLE_CALLS = frozenset(
    (
        "ctx.http.get",
        "ctx.http.post",
        "ctx.http.put",
        "ctx.http.patch",
        "ctx.http.delete",
        "ctx.http.request",
        "ctx.auth.set",
        "ctx.datastore.get",
        "ctx.datastore.set",
        "ctx.datastore.pass_key",
        "ctx.datastore.key_passed_at",
        "ctx.compute",
        "ctx.seen",
    )
)
_ERRORS_FOR_ANY_RESPONSE = ("'coroutine' object", "unexpected keyword argument", "missing 1 required")
_OUTPUT_CALLS = (
    "set_action_item",
    "set_response_item",
    "action_output",
    "call_flow",
    "request_action",
    "chat_completion",
    "text_completion",
)
_CREDENTIAL_WORDS = ("authorization", "cookie", "key", "token", "secret", "password", "auth")


class _RecordingParameters(dict[str, Json]):
    """The parameters of a step; records which keys are read."""

    def __init__(self, values: JsonObject) -> None:
        super().__init__(values)
        self.requested: set[str] = set()

    def __getitem__(self, key: str) -> Json:
        self.requested.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.requested.add(key)
        return super().get(key, default)


def find_event_problems(sources: AppSources, app: App | None) -> Iterator[Finding]:
    """Findings of running triggers and actions. Apps that use other protocols than HTTP aren't run."""
    unawaited_calls = list(_find_unawaited_calls(sources))
    yield from unawaited_calls
    if unawaited_calls or app is None or not speaks_http_only(sources):
        return
    yield from _find_undeclared_secrets(sources, app)
    for trigger in app.triggers:
        yield from _try_event(sources, app, trigger, "triggers")
    for action in app.actions:
        yield from _try_event(sources, app, action, "actions")


def _find_unawaited_calls(sources: AppSources) -> Iterator[Finding]:
    for file, tree in sources.files.items():
        if file.startswith("tests/"):
            continue
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)}
        for parent in ast.walk(tree):
            for call in _results_used_directly(parent):
                name = ast.unparse(call.func)
                if name in _AWAITABLE_CALLS or name in own:
                    yield Finding(file, call.lineno, f"“await” is missing before {name}(…).")


def _results_used_directly(node: ast.AST) -> Iterator[ast.Call]:
    """Calls whose result is dropped or accessed instead of being awaited or passed on."""
    if isinstance(node, (ast.Expr, ast.Attribute, ast.Subscript)) and isinstance(node.value, ast.Call):
        yield node.value
    elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        yield node.iter


def _try_event(sources: AppSources, app: App, event: Trigger | Action, folder: str) -> Iterator[Finding]:
    """Findings of a run with a value in each field."""
    if event.run is None:
        return
    file, line = sources.find_location(event.key, folder) or (ENTRY_FILE, sources.app_line)
    values = sample_values(app, app.auth, _SAMPLE_SECRET) if app.auth else {}
    trial = Trial(app, values, otherwise=_SAMPLE_RESPONSE)
    parameters = _RecordingParameters({item.key: _sample_argument(item) for item in event.arguments})
    printed = io.StringIO()
    output, error = None, None
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            output = run_contained(
                lambda: asyncio.run(_run_event(trial, event, parameters)), _TIMEOUT_SECONDS
            )
    except ControlSignal:
        output = True
    except Exception as exception:  # noqa: BLE001 - whatever an author's code raises
        error = exception
    yield from _report_error(sources, event, error, (file, line))
    known = {argument.key for argument in event.arguments}
    if not any(argument.additional_fields for argument in event.arguments):
        for key in sorted(parameters.requested - known):
            yield Finding(
                file, line, f"{event.key} uses the parameter {key}, which isn't declared as an argument."
            )
    secrets = [values.get(field.key) for field in (app.auth.fields if app.auth else ()) if field.is_secret]
    if any(isinstance(secret, str) and secret and secret in printed.getvalue() for secret in secrets):
        yield Finding(file, line, f"{event.key} prints a secret of the connection.")
    if MASK in json.dumps(output, ensure_ascii=False, default=str):
        yield Finding(file, line, f"The output of {event.key} contains a secret of the connection.")
    own = set(hosts_of(app, values))
    for host in sorted({requested.host for requested in trial.requests} - own) if own else ():
        yield Finding(file, line, f"{event.key} sends a request to {host}, which isn't the service's host.")
    files = (file, sources.file_defining(event.run))
    if isinstance(event, Action) and not _may_set_output(sources, files, output, error):
        yield Finding(file, line, f"{event.key} never sets its output. Call ctx.set_action_item(…).")


async def _run_event(trial: Trial, event: Trigger | Action, parameters: JsonObject) -> Json:
    async with trial.context(parameters) as ctx:
        assert event.run is not None
        if isinstance(event, Trigger):
            return [item.raw for item in await collect_items(event.run, ctx)]
        await event.run(ctx)
        return ctx.action_output


def _report_error(
    sources: AppSources, event: Trigger | Action, error: Exception | None, location: tuple[str, int]
) -> Iterator[Finding]:
    """Errors that don't depend on the service's response."""
    file, line = (sources.location_in_traceback(error) if error else None) or location
    if isinstance(error, AppCodeTimedOut):
        yield Finding(file, line, f"{event.key}: {error}")
    elif isinstance(error, (NameError, ImportError)) or any(
        word in str(error) for word in _ERRORS_FOR_ANY_RESPONSE
    ):
        yield Finding(file, line, f"{event.key} fails with {type(error).__name__}: {error}")
    elif isinstance(error, ValidationFailed) and "aren't sent to" in error.happened:
        yield Finding(file, line, f"{event.key}: {error.happened}")


def _may_set_output(
    sources: AppSources, files: Iterable[str | None], output: Json, error: Exception | None
) -> bool:
    """Whether it set an output or, if it stopped before that, whether one of its files seems to."""
    if error is None:
        return output is not None
    trees = [sources.files[file] for file in files if file in sources.files]
    passes_context = any(
        isinstance(node, ast.Call)
        and any(isinstance(item, ast.Name) and item.id == "ctx" for item in node.args)
        for tree in trees
        for node in ast.walk(tree)
    )
    return passes_context or any(word in ast.unparse(tree) for tree in trees for word in _OUTPUT_CALLS)


def _sample_argument(argument: Argument) -> Json:
    if argument.value is not None:
        return argument.value
    if argument.options:
        return argument.options[0].value
    return [] if argument.type is ArgumentType.DYNAMIC else "1"


def _find_undeclared_secrets(sources: AppSources, app: App) -> Iterator[Finding]:
    """Fields that are sent as credentials although the form shows them."""
    if app.auth is None:
        return
    values = sample_values(app, app.auth, _SAMPLE_SECRET)
    trial = Trial(app, values, otherwise=_SAMPLE_RESPONSE)
    with suppress(Exception):  # an author's code can raise anything; the requests until then are enough
        run_contained(lambda: asyncio.run(trial.verify()), _TIMEOUT_SECONDS)
    sent = {
        value
        for requested in trial.requests
        for name, value in (*requested.headers.items(), *requested.query.items())
        if any(word in name.lower() for word in _CREDENTIAL_WORDS)
    }
    for field in app.auth.fields:
        is_hidden = field.is_secret or field.read_only or field.options or field.secret is False
        if field.key in values and not is_hidden and any(str(values[field.key]) in value for value in sent):
            file, line = sources.find_location(field.key, "auth") or ("auth/__init__.py", 1)
            yield Finding(
                file,
                line,
                f"The auth field {field.key} is sent as a credential. Declare it with secret=True.",
            )
