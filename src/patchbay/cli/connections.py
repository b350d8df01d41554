"""`patchbay connection`: list, add, test, limit, and delete connections.

Secrets are read from standard input or a prompt, never from arguments: other programs can see those.
"""

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
from patchbay.domain.charsets import decode_text_file
from patchbay.domain.connections import Connection, ConnectionHealth, SignIn
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.fields import CA_CERTIFICATE, TRUSTED_CERTIFICATE, AuthField, is_visible
from patchbay.domain.remote_options import UntrustedCertificate

Listen = Callable[[], Awaitable[None]]


async def sign_in_with_browser(
    backend: Backend, app_key: AppKey, values: JsonObject, listen: Listen
) -> Connection:
    """Start a sign-in, print where to open it, and wait for the browser to return.

    `listen` opens the HTTP port that the browser returns to, unless another program has it open.
    """
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
    lines.append(f"The browser then returns to {began.redirect_url}.")
    if sys.stdin.isatty():
        lines.append("If that page doesn't load, paste its address here and press Enter.")
    return "\n".join([*lines, "Waiting…"])


@contextmanager
def _accept_pasted_address(backend: Backend, began: SignIn) -> Iterator[None]:
    """Also accept the redirect address pasted into the terminal, on systems that can wait for both."""
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


async def remove(backend: Backend, options: argparse.Namespace) -> int:
    """Delete a connection."""
    await backend.delete_connection(options.id)
    output.data({"id": options.id, "removed": True}, as_json=options.json, text="Removed.")
    return 0


def _json(item: Connection) -> JsonObject:
    return {
        "id": item.id,
        "key": item.app_key,
        "screenName": item.screen_name,
        "verified": item.verified,
        "health": item.health.value,
        "reason": item.reason,
        "testedAt": item.tested_at,
        "secretsProblem": item.secrets_problem,
        "unreachable": item.unreachable,
    }


async def list_connections(backend: Backend, options: argparse.Namespace) -> int:
    """List the connections with their health and, if there is a problem, the reason."""
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


async def set_limit(backend: Backend, options: argparse.Namespace) -> int:
    """Set the rate limit of a connection, or go back to the one of its app with `none`."""
    made = await backend.set_connection_rate_limit(options.id, rate_limit(options.limit))
    limit = made.rate_limit
    limit_text = f"max. {limit.calls} requests per {limit.seconds} s" if limit else "rate limit of its app"
    output.data(
        _json(made) | {"rateLimit": limit.wire() if limit else None},
        as_json=options.json,
        text=f"{made.screen_name}: {limit_text}.",
    )
    return 0


async def add(backend: Backend, options: argparse.Namespace) -> int:
    """Add a connection, in the browser if the app needs that."""
    app = await lookup.app(backend, options.app)
    values = _values(app, options)
    try:
        if app.auth is not None and app.auth.needs_browser(values):
            made = await sign_in_with_browser(backend, app.key, values, options.listen)
        else:
            made = await backend.add_connection(app.key, values)
    except UntrustedCertificate as error:
        fingerprint = error.certificate.shown_fingerprint
        error.todo += f" If it is the right one, repeat this command with --trust-certificate {fingerprint}."
        raise
    output.data(
        _json(made), as_json=options.json, text=f"{made.id}  {app.name}: connected as {made.screen_name}."
    )
    return 0


def _values(app: AppInfo, options: argparse.Namespace) -> JsonObject:
    """The form's values from presets, arguments, standard input, and at a terminal from prompts."""
    if app.auth is None:
        raise ValidationFailed(
            {"app": ["it has no connections"]}, happened=f"{app.name} doesn't use connections."
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
        *others, last = (field.label for field in missing)
        labels = f"{', '.join(others)} and {last}" if others else last
        ways = (
            f"--secret-stdin {item.key}" if item.is_secret else f"--field {item.key}=…" for item in missing
        )
        raise output.WrongUsage(
            missing[0].key, f"{app.name} can't be connected without {labels}.", f"Add {' '.join(ways)}"
        )
    return values


def _is_needed(field: AuthField, values: JsonObject) -> bool:
    return field.required and not field.read_only and is_visible(field, values)


def _values_from_arguments(
    app: AppInfo, fields: Sequence[AuthField], options: argparse.Namespace
) -> JsonObject:
    """Values given as arguments or as lines of standard input."""
    values: JsonObject = {}
    plain = {field.key for field in fields if not field.is_secret}
    every = {field.key for field in fields}
    for given in options.field:
        key, equals, value = given.partition("=")
        if key in every - plain:
            raise ValidationFailed(
                {key: ["pass it on standard input"]},
                happened=f"{key} is a secret, but it was passed as an argument.",
                meaning="Every program on this computer can read it there. Nothing was saved.",
                todo=f"Change this secret, since it may have been seen, and use --secret-stdin {key}.",
            )
        if not equals or key not in plain:
            raise _unknown_field_error("--field", key, app, plain)
        values[key] = value
    for key in options.secret_stdin:
        if key not in every:
            raise _unknown_field_error("--secret-stdin", key, app, every)
        values[key] = sys.stdin.readline().rstrip("\r\n")
    return values | _certificates(app, every, options)


def _certificates(app: AppInfo, known: set[str], options: argparse.Namespace) -> JsonObject:
    """Values of the fields for certificates to trust."""
    given = {"--trust-authority": options.trust_authority, "--trust-certificate": options.trust_certificate}
    keys = {"--trust-authority": CA_CERTIFICATE, "--trust-certificate": TRUSTED_CERTIFICATE}
    for option, value in given.items():
        if value and keys[option] not in known:
            raise output.WrongUsage(
                option,
                f"{app.name} has no setting for certificates to trust.",
                f"Leave out {option}: the app's address is fixed, or it doesn't use HTTPS.",
            )
    values: JsonObject = {}
    if options.trust_authority:
        values[CA_CERTIFICATE] = _read_certificate(options.trust_authority)
    if options.trust_certificate:
        values[TRUSTED_CERTIFICATE] = options.trust_certificate
    return values


def _read_certificate(name: str) -> str:
    try:
        return decode_text_file(Path(name).expanduser().read_bytes())
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "it isn't a text file"
        raise ValidationFailed(
            {CA_CERTIFICATE: [why]},
            happened=f"{name} can't be read: {why}.",
            todo="Choose the file with the authority's certificate in PEM format.",
        ) from error


def _unknown_field_error(option: str, key: str, app: AppInfo, known: set[str]) -> output.WrongUsage:
    """An error that doesn't repeat the value: it may be a secret under a misspelled name."""
    form = f"{option} KEY=VALUE" if option == "--field" else f"{option} KEY"
    todo = f"Use {form} with one of: {', '.join(sorted(known))}."
    return output.WrongUsage(option, f"{app.name} has no field “{key}” for {option}.", todo)


async def test(backend: Backend, options: argparse.Namespace) -> int:
    """Verify the credentials of a connection. The exit code is 1 if they are rejected or the test fails."""
    tested = await backend.test_connection(options.id)
    valid = tested.health is not ConnectionHealth.NEEDS_ATTENTION and not tested.unreachable
    text = f"{tested.screen_name} is valid."
    if tested.unreachable:
        text = f"{tested.screen_name} couldn't be reached: {tested.unreachable}"
    elif not valid:
        text = f"{tested.screen_name} needs attention: {tested.reason}"
    output.result(_json(tested), as_json=options.json, text=text, failed=not valid)
    return 0 if valid else 1
