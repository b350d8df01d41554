"""Invitation emails, sent by an app's action with a connection of the workspace."""

import asyncio
from datetime import UTC, datetime
from html import escape
from urllib.parse import urlsplit

from patchbay.domain.base import AppKey, ConnectionId, Json, JsonObject
from patchbay.domain.clock import full_month_name
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, NotFound, TimedOut, ValidationFailed
from patchbay.domain.people import Invitation
from patchbay.engine.step_errors import rejects_credentials
from patchbay.integration.app_definition import Action, App
from patchbay.integration.context import Context, CurrentAuth, CurrentStep
from patchbay.integration.registry import AppRegistry
from patchbay.integration.token_renewal import stored_auth
from patchbay.service.service_context import ServiceContext
from patchbay.service.verification import translate_app_errors
from patchbay.storage.repositories import connections, users
from patchbay.storage.repositories.rows import Tx

SEND_MAIL_ACTION = "sendEmail"
"""The key of the action by which apps send mail."""
SEND_TIMEOUT_SECONDS = 60.0
"""Maximum time to send one email; the request for the invitation waits for it."""
OWNER_IS_NOT_ADMIN = "The connection's owner isn't an admin, and could read the invitations."
_SUBJECT = "Your invitation to Patchbay"
_TEXT = """Hello {name},

you are invited to Patchbay at {place}, as {role}.

Open this link to accept the invitation. It works once, until {until}:

{link}

If you didn't expect this, ignore this message. No one can join without the link.
"""
_HTML = """<div style="font: 15px/1.5 system-ui, sans-serif; max-width: 34em">
<p>Hello {name},</p>
<p>you are invited to Patchbay at <b>{place}</b>, as {role}.</p>
<p><a href="{link}" style="display: inline-block; padding: 10px 18px; border-radius: 8px;
 background: #4353d0; color: #ffffff; text-decoration: none">Accept invitation</a></p>
<p>The link works once, until {until}:<br><a href="{link}">{link}</a></p>
<p style="color: #505564">If you didn't expect this,
 ignore this message. No one can join without the link.</p>
</div>
"""


class InvitationMailer:
    """Sends invitations by email."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    async def send(self, connection_id: ConnectionId, invitation: Invitation) -> None:
        """Send the link of an invitation. Raises `AppError` kinds when the mail server doesn't accept it."""
        link = invitation.accept_invitation_url or ""
        until = datetime.fromtimestamp((invitation.expires_at or 0) / 1000, UTC)
        words = {
            "name": invitation.full_name,
            "place": urlsplit(link).netloc,
            "link": link,
            "role": invitation.role.name if invitation.role else "",
            "until": f"{until.day} {full_month_name(until)} {until:%Y, %H:%M} UTC",
        }
        await self._send(
            connection_id,
            {
                "to": invitation.email,
                "subject": _SUBJECT,
                "body": _TEXT.format(**words),
                "html": _HTML.format(**{key: escape(text) for key, text in words.items()}),
            },
        )

    async def _send(self, connection_id: ConnectionId, message: JsonObject) -> None:
        context = self._context
        app, action = await self._mail_app(connection_id)
        await context.secrets.require()
        auth = await stored_auth(context.credentials, connection_id)
        owner = await context.db.read(lambda tx: users.get(tx, context.workspace_owner))
        sender: JsonObject = {"fromName": "Patchbay", "fromEmail": _sender_address(auth, owner.email)}
        ctx = Context(
            app=app,
            auth=auth,
            step=CurrentStep(app_key=app.app_key, parameters={**sender, **message}),
            http_factory=context.http,
            workers=context.workers,
            now=context.clock(),
            network=await context.http.network.policy(connection_id=connection_id),
        )
        try:
            async with asyncio.timeout(SEND_TIMEOUT_SECONDS):
                with translate_app_errors(ctx):
                    await action.run(ctx)
        except TimeoutError:
            raise TimedOut(
                f"The mail server didn't accept the email within {SEND_TIMEOUT_SECONDS:g} seconds."
            ) from None
        except AppError as error:
            if rejects_credentials(error):
                await context.credentials.mark_invalid(connection_id, error.happened)
            raise

    async def _mail_app(self, connection_id: ConnectionId) -> tuple[App, Action]:
        def read(tx: Tx) -> tuple[Connection, bool]:
            connection = connections.get(tx, connection_id)
            return connection, belongs_to_admin(tx, connection)

        try:
            connection, is_trusted = await self._context.db.read(read)
        except NotFound:
            raise _unusable_mail_connection(
                "The mail connection for invitations doesn't exist any more."
            ) from None
        if not is_trusted:
            raise _unusable_mail_connection(OWNER_IS_NOT_ADMIN)
        apps = self._context.apps
        if not can_send_mail(apps, connection.app_key):
            raise _unusable_mail_connection(f"The connection “{connection.screen_name}” can't send email.")
        return apps.get(connection.app_key), apps.action(connection.app_key, SEND_MAIL_ACTION)


def belongs_to_admin(tx: Tx, connection: Connection) -> bool:
    """Whether mail may be sent with a connection: its owner could read the invitations."""
    return connection.user_id is None or connection.user_id in users.admin_ids(tx)


def can_send_mail(apps: AppRegistry, app_key: AppKey) -> bool:
    """Whether connections of this app can send mail."""
    try:
        apps.action(app_key, SEND_MAIL_ACTION)
    except NotFound:
        return False
    return True


def _unusable_mail_connection(words: str) -> ValidationFailed:
    return ValidationFailed(
        {"mailConnectionId": [words]},
        happened=words,
        todo="Choose another mail connection in the service settings.",
    )


def _sender_address(auth: CurrentAuth, owner_email: str) -> str:
    """The user name of the account or the owner's email address, whichever first is a full address."""
    username: Json = auth.data.get("username")
    for address in (str(username or "").strip(), owner_email):
        if "." in address.rpartition("@")[2] and "@" in address:
            return address
    raise _unusable_mail_connection(
        "The user name of the mail connection isn't an email address, so there's no sender address."
    )
