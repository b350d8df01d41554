"""Letters of the program itself, sent by an action of an app with a connection of the workspace."""

import asyncio
import logging
from datetime import UTC, datetime
from html import escape
from urllib.parse import urlsplit

from pydantic import ValidationError

from patchbay.domain.base import ConnectionId, Json, JsonObject
from patchbay.domain.calendar_words import full_month_name
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, NotFound, TimedOut, ValidationFailed
from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.organise import Invitation
from patchbay.engine.calling.failures import rejects_credentials
from patchbay.integration.context import Context, CurrentAuth, CurrentStep
from patchbay.integration.contract import Action, App
from patchbay.integration.registry import AppRegistry
from patchbay.integration.renewal import stored_auth
from patchbay.service.parts import Parts
from patchbay.service.verification import told_apart
from patchbay.storage.repositories import connections, meta, users
from patchbay.storage.repositories.rows import Tx

log = logging.getLogger(__name__)

SETTINGS = "service.settings"
"""Name in `meta`."""
SENDING = "sendEmail"
"""The key of the action by which apps send mail."""
MAIL_SECONDS = 60.0
"""How long a letter may take: somebody waits for it."""
NOT_OF_AN_ADMIN = "The connection's owner isn't an admin, and could read the invitations."
_SUBJECT = "Your invitation to Patchbay"
_TEXT = """Hello {name},

you are invited to Patchbay at {place}, as {role}.

Open this link to accept the invitation. It works once, until {until}:

{link}

If you didn't expect this, ignore this message. Nobody can join without the link.
"""
_HTML = """<div style="font: 15px/1.5 system-ui, sans-serif; max-width: 34em">
<p>Hello {name},</p>
<p>you are invited to Patchbay at <b>{place}</b>, as {role}.</p>
<p><a href="{link}" style="display: inline-block; padding: 10px 18px; border-radius: 8px;
 background: #4353d0; color: #ffffff; text-decoration: none">Accept invitation</a></p>
<p>The link works once, until {until}:<br><a href="{link}">{link}</a></p>
<p style="color: #505564">If you didn't expect this,
 ignore this message. Nobody can join without the link.</p>
</div>
"""


def stored_settings(tx: Tx) -> ServiceSettings:
    """What was decided about the service of this workspace."""
    text = meta.get(tx, SETTINGS)
    if text is None:
        return ServiceSettings()
    try:
        return ServiceSettings.model_validate_json(text)
    except ValidationError as error:
        log.warning("the settings of the service cannot be read, so the usual ones hold: %s", error)
        return ServiceSettings()


async def send_invitation(parts: Parts, connection_id: ConnectionId, made: Invitation) -> None:
    """Mail the link of an invitation. Raises `AppError` kinds when the letter was not taken."""
    words = _words(made)
    letter: JsonObject = {
        "to": made.email, "subject": _SUBJECT, "body": _TEXT.format(**words),
        "html": _HTML.format(**{key: escape(text) for key, text in words.items()}),
    }  # fmt: skip
    await _send(parts, connection_id, letter)


async def _send(parts: Parts, connection_id: ConnectionId, letter: JsonObject) -> None:
    app, action = await _mail_app(parts, connection_id)
    await parts.vault.require()
    auth = await stored_auth(parts.credentials, connection_id)
    owner = await parts.db.read(lambda tx: users.get(tx, parts.owner))
    sender: JsonObject = {"fromName": "Patchbay", "fromEmail": _sender(auth, owner.email)}
    ctx = Context(
        app=app, auth=auth, step=CurrentStep(app_key=app.key, parameters={**sender, **letter}),
        http_factory=parts.http, workers=parts.workers, now=parts.clock(),
        network=await parts.http.network.policy(connection_id=connection_id),
    )  # fmt: skip
    try:
        async with asyncio.timeout(MAIL_SECONDS):
            with told_apart(ctx):
                await action.run(ctx)
    except TimeoutError:
        raise TimedOut(f"The mail server did not take the letter within {MAIL_SECONDS:g} seconds.") from None
    except AppError as error:
        if rejects_credentials(error):
            await parts.credentials.mark_invalid(connection_id, error.happened)
        raise


async def _mail_app(parts: Parts, connection_id: ConnectionId) -> tuple[App, Action]:
    try:
        connection, trusted = await parts.db.read(lambda tx: _with_trust(tx, connection_id))
    except NotFound:
        raise _unfit("The mail connection that was chosen is not there any more.") from None
    if not trusted:
        raise _unfit(NOT_OF_AN_ADMIN)
    if not can_send(parts.apps, connection.app_key):
        raise _unfit(f"The connection “{connection.screen_name}” cannot send mail.")
    return parts.apps.get(connection.app_key), parts.apps.action(connection.app_key, SENDING)


def is_of_an_admin(tx: Tx, connection: Connection) -> bool:
    """Whether letters may go through it: whoever can change a connection reads what is sent with it."""
    return connection.user_id is None or connection.user_id in users.admin_ids(tx)


def _with_trust(tx: Tx, connection_id: ConnectionId) -> tuple[Connection, bool]:
    found = connections.get(tx, connection_id)
    return found, is_of_an_admin(tx, found)


def can_send(apps: AppRegistry, app_key: str) -> bool:
    """Whether connections of this app can send mail."""
    try:
        apps.action(app_key, SENDING)
    except NotFound:
        return False
    return True


def _unfit(words: str) -> ValidationFailed:
    return ValidationFailed(
        {"mailConnectionId": [words]}, happened=words,
        todo="Choose another mail connection in the settings of the service.",
    )  # fmt: skip


def _sender(auth: CurrentAuth, owner_email: str) -> str:
    """The address of the account, or else that of the workspace's owner, when it is one of the world."""
    username: Json = auth.data.get("username")
    for address in (str(username or "").strip(), owner_email):
        if "." in address.rpartition("@")[2] and "@" in address:
            return address
    raise _unfit("The user name of the mail connection is no e-mail address, so there is no sender.")


def _words(made: Invitation) -> dict[str, str]:
    link = made.accept_invitation_url or ""
    until = datetime.fromtimestamp((made.expires_at or 0) / 1000, UTC)
    return {
        "name": made.full_name, "place": urlsplit(link).netloc, "link": link,
        "role": made.role.name if made.role else "",
        "until": f"{until.day} {full_month_name(until)} {until:%Y, %H:%M} UTC",
    }  # fmt: skip
