"""Settings of the service: public address, outgoing addresses, invitation mail.

And the public address test.
"""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from pydantic import ValidationError

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import ConnectionId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import AppError, Conflict, NotFound, ValidationFailed
from patchbay.domain.hosting import (
    SELF_TEST_PATH,
    SELF_TEST_QUERY,
    AddressCheck,
    AddressTest,
    ServiceSettings,
)
from patchbay.domain.outgoing import validate_entries
from patchbay.service.addresses import CALLBACK_PATH, checked_public_address, describe_result, has_proof
from patchbay.service.mail import OWNER_IS_NOT_ADMIN, belongs_to_admin, can_send_mail
from patchbay.service.service_context import ServiceContext
from patchbay.storage.repositories import connections, meta
from patchbay.storage.repositories.rows import Tx

ADDRESS_TEST_TIMEOUT_SECONDS = 10.0
_SETTINGS = "service.settings"
"""Key in `meta`."""

log = logging.getLogger(__name__)


def read_service_settings(tx: Tx) -> ServiceSettings:
    """Return the stored settings, or the defaults."""
    text = meta.get(tx, _SETTINGS)
    if text is None:
        return ServiceSettings()
    try:
        return ServiceSettings.model_validate_json(text)
    except ValidationError as error:
        log.warning("the service settings can't be read, so the defaults are used: %s", error)
        return ServiceSettings()


class ServiceSettingsManager:
    """Stores and applies the service settings, and tests the public address."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._proofs: dict[str, str] = {}

    async def service_settings(self) -> ServiceSettings:
        return await self._context.db.read(read_service_settings)

    async def change_service_settings(self, settings: ServiceSettings) -> ServiceSettings:
        """Store these settings; they take effect at once.

        Raises `ValidationFailed` for an invalid address, or a mail connection that doesn't exist or can't
        send.
        """
        wanted = settings.model_copy(
            update={
                "public_address": checked_public_address(settings.public_address),
                "allowed_addresses": validate_entries(settings.allowed_addresses),
            }
        )
        before = await self.service_settings()
        if wanted == before:
            return wanted

        def work(tx: Tx) -> None:
            if wanted.mail_connection_id != before.mail_connection_id:
                self._require_mail_connection(tx, wanted.mail_connection_id)
            meta.put(tx, _SETTINGS, wanted.model_dump_json())

        await self._context.commit(work, AuditAction.UPDATED, ResourceType.WORKSPACE)
        self._context.workspace.public_address = wanted.public_address
        self._context.http.network.configure(wanted.outgoing_addresses, wanted.allowed_addresses)
        self._context.changes.notify(ResourceType.WORKSPACE)
        if wanted.public_address != before.public_address:
            self._context.changes.notify(ResourceType.FLOW)  # the addresses of their webhooks
        return wanted

    async def test_public_address(self, address: str | None = None) -> AddressTest:
        """Call the webhook and redirect URLs at this address from here, without following redirects."""
        workspace = self._context.workspace
        base = checked_public_address(address) or workspace.external_address()
        if base is None or workspace.external_address() is None:
            raise Conflict(
                "This workspace isn't listening for requests, so its address can't be tested.",
                todo="Start the server (patchbay serve), or open the window.",
            )
        with self._expect_test_calls(base) as nonce:
            checks = (
                await self._address_check("Webhooks", base + SELF_TEST_PATH, f"/{nonce}"),
                await self._address_check("Sign-ins", base + CALLBACK_PATH, f"?{SELF_TEST_QUERY}={nonce}"),
            )
        await self._context.record_audit_entry(AuditAction.TESTED, ResourceType.WORKSPACE)
        return AddressTest(address=base, checks=checks)

    def proof(self, nonce: str) -> str | None:
        """Return the proof for a test call with this nonce, or None when no such test is running."""
        return self._proofs.get(nonce)

    @contextmanager
    def _expect_test_calls(self, base: str) -> Iterator[str]:
        """Yield a nonce; while the block runs, requests with it get a response at the host name of `base`."""
        nonce, host = secrets.token_urlsafe(24), urlsplit(base).hostname or ""
        self._proofs[nonce] = secrets.token_urlsafe(24)
        self._context.workspace.tested_hosts.append(host)
        try:
            yield nonce
        finally:
            del self._proofs[nonce]
            self._context.workspace.tested_hosts.remove(host)

    async def _address_check(self, name: str, url: str, suffix: str) -> AddressCheck:
        """Call `url` with the nonce in `suffix`, which isn't part of the result."""
        from patchbay.integration.probe import probe  # with the HTTP client, which little else needs at once

        try:
            found = await probe(self._context.http, url + suffix, ADDRESS_TEST_TIMEOUT_SECONDS)
        except AppError as error:
            listening_address = self._context.workspace.address() or ""
            return AddressCheck(
                name=name, url=url, ok=False, words=describe_result(error, url, listening_address)
            )
        ok = has_proof(found, self._proofs.values())
        words = "The request reached Patchbay." if ok else describe_result(found, url)
        if self._context.workspace.kind == "demo":
            words = "The demo sends no requests. In your own workspace, this shows the response."
        return AddressCheck(name=name, url=url, ok=ok, words=words)

    def _require_mail_connection(self, tx: Tx, connection_id: ConnectionId | None) -> None:
        if connection_id is None:
            return
        try:
            connection = connections.get(tx, connection_id)
        except NotFound:
            raise _invalid_mail_connection("This connection doesn't exist any more.") from None
        if not can_send_mail(self._context.apps, connection.app_key):
            raise _invalid_mail_connection(f"The connection “{connection.screen_name}” can't send email.")
        if not belongs_to_admin(tx, connection):
            raise _invalid_mail_connection(OWNER_IS_NOT_ADMIN)


def _invalid_mail_connection(words: str) -> ValidationFailed:
    return ValidationFailed(
        {"mailConnectionId": [words]},
        happened=words,
        todo="Choose a connection of an app that can send email.",
    )
