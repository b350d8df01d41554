"""`patchbay connection …`: secrets come from standard input or a prompt, never from arguments."""

import argparse
import asyncio
import getpass
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from patchbay.cli import lookup, output
from patchbay.cli.engine import rate_limit
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, JsonObject
from patchbay.domain.connections import Connection, ConnectionHealth, SignIn
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.fields import CA_CERTIFICATE, TRUSTED_CERTIFICATE, AuthField, is_visible
from patchbay.domain.remote_options import UntrustedCertificate

# MERGED: Connecting an app in the browser from a terminal: the address is told, then the answer is
# waited for.

Listen = Callable[[], Awaitable[None]]


async def connect(backend: Backend, app_key: AppKey, values: JsonObject, listen: Listen) -> Connection:
    """Begin a sign-in and wait until the browser came back. `listen` makes sure that somebody hears it."""
    await listen()
    began = await backend.begin_sign_in(app_key, values)
    output.print_message(_instructions(began))
    with _accept_pasted_address(backend, began):
        try:
            return await backend.finish_sign_in(began.id)
        except asyncio.CancelledError:
            await backend.cancel_sign_in(began.id)
            raise


def _instructions(began: SignIn) -> str:
    if began.device is not None:
        page, code = began.device.verification_url, began.device.user_code
        return f"Open this page on any device and enter the code {code}:\n\n    {page}\n\nWaiting…"
    lines = [f"Open this address in a browser and sign in there:\n\n    {began.url}\n"]
    if began.notice:
        lines.append(began.notice)
    lines.append(f"The browser comes back to {began.redirect_url}.")
    if sys.stdin.isatty():
        lines.append("If it cannot, paste the address it ends at here and press Enter.")
    return "\n".join([*lines, "Waiting…"])


@contextmanager
def _accept_pasted_address(backend: Backend, began: SignIn) -> Iterator[None]:
    """Meanwhile take an address pasted into the terminal, where the system can wait for both."""
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()

    async def submit_address(address: str) -> None:
        try:
            await backend.submit_callback(began.id, address)
        except AppError as error:
            output.print_message(error.text())

    def read() -> None:
        if address := sys.stdin.readline().strip():
            tasks.add(loop.create_task(submit_address(address)))
        else:
            loop.remove_reader(sys.stdin)

    listens = began.device is None and sys.stdin.isatty() and sys.platform != "win32"
    if listens:
        loop.add_reader(sys.stdin, read)
    try:
        yield
    finally:
        if listens:
            loop.remove_reader(sys.stdin)


async def run(backend: Backend, options: argparse.Namespace) -> int:
    if "id" in options:
        options.id = await lookup.connection_id(backend, options.id)
    if options.action == "list":
        return await _list(backend, options)
    if options.action == "add":
        return await _add(backend, options)
    if options.action == "test":
        return await _test(backend, options)
    if options.action == "limit":
        return await _set_limit(backend, options)
    await backend.delete_connection(options.id)
    output.data({"id": options.id, "removed": True}, as_json=options.json, text="Removed.")
    return 0


def _json(item: Connection) -> JsonObject:
    return {
        "id": item.id, "key": item.app_key, "screenName": item.screen_name, "verified": item.verified,
        "health": item.health.value, "reason": item.reason, "testedAt": item.tested_at,
        "secretsProblem": item.secrets_problem, "unreachable": item.unreachable,
    }  # fmt: skip


async def _list(backend: Backend, options: argparse.Namespace) -> int:
    found = await backend.list_connections()
    rows = [
        (
            item.id,
            item.app_key,
            item.screen_name,
            item.health.value,
            item.secrets_problem or item.reason or item.unreachable or "",
        )
        for item in found
    ]
    text = output.table(("ID", "APP", "NAME", "HEALTH", "REASON"), rows)
    output.data([_json(item) for item in found], as_json=options.json, text=text)
    return 0


async def _set_limit(backend: Backend, options: argparse.Namespace) -> int:
    made = await backend.set_connection_rate_limit(options.id, rate_limit(options.limit))
    limit = made.rate_limit
    limit_text = f"at most {limit.calls} calls in {limit.seconds} s" if limit else "as its app asks"
    output.data(
        _json(made) | {"rateLimit": limit.wire() if limit else None}, as_json=options.json,
        text=f"{made.screen_name}: {limit_text}.",
    )  # fmt: skip
    return 0


async def _add(backend: Backend, options: argparse.Namespace) -> int:
    app = await lookup.app(backend, options.app)
    values = _values(app, options)
    try:
        if app.auth is not None and app.auth.needs_browser(values):
            made = await connect(backend, app.key, values, options.listen)
        else:
            made = await backend.add_connection(app.key, values)
    except UntrustedCertificate as error:
        fingerprint = error.certificate.shown_fingerprint
        error.todo += f" Then add --trust-certificate {fingerprint} to this command."
        raise
    output.data(
        _json(made), as_json=options.json, text=f"{made.id}  {app.name}: {made.screen_name} is connected."
    )
    return 0


def _values(app: AppInfo, options: argparse.Namespace) -> JsonObject:
    """The form's values from presets, arguments, standard input and, at a terminal, questions."""
    if app.auth is None:
        raise ValidationFailed(
            {"app": ["it has no connections"]}, happened=f"{app.name} needs no connection."
        )
    values: JsonObject = {field.key: field.value for field in app.auth.fields if field.value is not None}
    values |= _values_from_arguments(app, app.auth.fields, options)
    for field in app.auth.fields:
        if _is_needed(field, values) and field.key not in values and sys.stdin.isatty():
            ask = getpass.getpass if field.is_secret else input
            values[field.key] = ask(f"{field.label}: ")
    if missing := [
        field
        for field in app.auth.fields
        if _is_needed(field, values) and values.get(field.key) in (None, "")
    ]:
        raise _missing_fields_error(app, missing)
    return values


def _is_needed(field: AuthField, values: JsonObject) -> bool:
    return field.required and not field.read_only and is_visible(field, values)


def _missing_fields_error(app: AppInfo, fields: Sequence[AuthField]) -> output.WrongUsage:
    labels = ", ".join(field.label for field in fields)
    ways = (f"--secret-stdin {item.key}" if item.is_secret else f"--field {item.key}=…" for item in fields)
    return output.WrongUsage(
        fields[0].key, f"{app.name} cannot be connected without {labels}.", f"Give it with {' '.join(ways)}"
    )


def _values_from_arguments(
    app: AppInfo, fields: Sequence[AuthField], options: argparse.Namespace
) -> JsonObject:
    """What arguments and the lines of standard input say."""
    values: JsonObject = {}
    plain = {field.key for field in fields if not field.is_secret}
    every = {field.key for field in fields}
    for given in options.field:
        key, equals, value = given.partition("=")
        if key in every - plain:
            raise _exposed_secret_error(key)
        if not equals or key not in plain:
            raise _unknown_field_error("--field", key, app, plain)
        values[key] = value
    for key in options.secret_stdin:
        if key not in every:
            raise _unknown_field_error("--secret-stdin", key, app, every)
        values[key] = sys.stdin.readline().rstrip("\r\n")
    return values | _certificates(app, every, options)


def _certificates(app: AppInfo, known: set[str], options: argparse.Namespace) -> JsonObject:
    """What the options say about certificates to trust."""
    given = {"--trust-authority": options.trust_authority, "--trust-certificate": options.trust_certificate}
    keys = {"--trust-authority": CA_CERTIFICATE, "--trust-certificate": TRUSTED_CERTIFICATE}
    for option, value in given.items():
        if value and keys[option] not in known:
            raise output.WrongUsage(
                option,
                f"{app.name} has no setting for certificates to trust.",
                f"Leave {option} out: its address is fixed, or it doesn’t use HTTPS.",
            )
    values: JsonObject = {}
    if options.trust_authority:
        values[CA_CERTIFICATE] = _read_certificate(options.trust_authority)
    if options.trust_certificate:
        values[TRUSTED_CERTIFICATE] = options.trust_certificate
    return values


def _read_certificate(name: str) -> str:
    try:
        return Path(name).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "it isn't a text file"
        raise ValidationFailed(
            {CA_CERTIFICATE: [why]},
            happened=f"{name} can’t be read: {why}.",
            todo="Choose the file with the authority’s certificate in PEM form.",
        ) from error


def _unknown_field_error(option: str, key: str, app: AppInfo, known: set[str]) -> output.WrongUsage:
    """The value is not repeated: it may be a secret with a misspelled name."""
    form = f"{option} KEY=VALUE" if option == "--field" else f"{option} KEY"
    todo = f"Use {form} with one of: {', '.join(sorted(known))}."
    return output.WrongUsage(option, f"{app.name} has no field “{key}” to give with {option}.", todo)


def _exposed_secret_error(key: str) -> ValidationFailed:
    return ValidationFailed(
        {key: ["give it on standard input"]},
        happened=f"{key} is a secret and was given as an argument, where every program can read it.",
        meaning="Nothing was stored.",
        todo=f"Use --secret-stdin {key}, and change this secret: it may have been seen.",
    )


async def _test(backend: Backend, options: argparse.Namespace) -> int:
    tested = await backend.test_connection(options.id)
    valid = tested.health is not ConnectionHealth.NEEDS_ATTENTION and not tested.unreachable
    text = f"{tested.screen_name} is valid."
    if tested.unreachable:
        text = f"{tested.screen_name} could not be reached: {tested.unreachable}"
    elif not valid:
        text = f"{tested.screen_name} needs attention: {tested.reason}"
    output.result(_json(tested), as_json=options.json, text=text, failed=not valid)
    return 0 if valid else 1
