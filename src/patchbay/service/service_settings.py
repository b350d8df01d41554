"""How the workspace is reached from outside: its public address, and the test of it."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from patchbay.domain.audit_log import AuditAction
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
from patchbay.service.invitations import (
    OWNER_IS_NOT_ADMIN,
    SETTINGS_KEY,
    belongs_to_admin,
    can_send_mail,
    read_service_settings,
)
from patchbay.service.service_context import Operations, ServiceContext
from patchbay.storage.repositories import connections, meta
from patchbay.storage.repositories.rows import Tx

ADDRESS_TEST_TIMEOUT_SECONDS = 10.0


class ServiceSettingsOperations(Operations):
    """What a person decides about the service, and whether calls from outside arrive."""

    def __init__(self, service_context: ServiceContext) -> None:
        super().__init__(service_context)
        self._proofs: dict[str, str] = {}

    async def service_settings(self) -> ServiceSettings:
        return await self._db.read(read_service_settings)

    async def change_service_settings(self, settings: ServiceSettings) -> ServiceSettings:
        """Takes effect at once. Raises `ValidationFailed` for an address that is none, or for a connection
        that is not there or sends no mail.
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
            meta.put(tx, SETTINGS_KEY, wanted.model_dump_json())

        await self._commit(work, AuditAction.UPDATED, ResourceType.WORKSPACE)
        self._service_context.workspace.public_address = wanted.public_address
        self._service_context.http.network.configure(wanted.outgoing_addresses, wanted.allowed_addresses)
        self._changes.notify(ResourceType.WORKSPACE)
        if wanted.public_address != before.public_address:
            self._changes.notify(ResourceType.FLOW)  # the addresses of their webhooks
        return wanted

    async def test_public_address(self, address: str | None = None) -> AddressTest:
        """Call the webhooks and the redirect address from here, without following redirects."""
        place = self._service_context.workspace
        base = checked_public_address(address) or place.external_address()
        if base is None or place.external_address() is None:
            raise Conflict(
                "Nothing listens here, so no call can arrive.",
                todo="Start the service (patchbay serve) or open the window.",
            )
        with self._expect_test_calls(base) as nonce:
            checks = (
                await self._address_check("Webhooks", base + SELF_TEST_PATH, f"/{nonce}"),
                await self._address_check("Sign-ins", base + CALLBACK_PATH, f"?{SELF_TEST_QUERY}={nonce}"),
            )
        await self._record_audit_entry(AuditAction.TESTED, ResourceType.WORKSPACE)
        return AddressTest(address=base, checks=checks)

    def proof(self, nonce: str) -> str | None:
        """What shows that this process was reached by the call it made with this nonce."""
        return self._proofs.get(nonce)

    @contextmanager
    def _expect_test_calls(self, base: str) -> Iterator[str]:
        """A nonce that is answered, at the name in this address, while the block runs."""
        nonce, host = secrets.token_urlsafe(24), urlsplit(base).hostname or ""
        self._proofs[nonce] = secrets.token_urlsafe(24)
        self._service_context.workspace.tested_hosts.append(host)
        try:
            yield nonce
        finally:
            del self._proofs[nonce]
            self._service_context.workspace.tested_hosts.remove(host)

    async def _address_check(self, name: str, url: str, suffix: str) -> AddressCheck:
        """Call `url` with what makes the call ours, which is shown to nobody."""
        from patchbay.integration.probe import probe  # with the HTTP client, which little else needs at once

        try:
            found = await probe(self._service_context.http, url + suffix, ADDRESS_TEST_TIMEOUT_SECONDS)
        except AppError as error:
            listening_address = self._service_context.workspace.address() or ""
            return AddressCheck(
                name=name, url=url, ok=False, words=describe_result(error, url, listening_address)
            )
        ok = has_proof(found, self._proofs.values())
        words = "The call arrived here." if ok else describe_result(found, url)
        if self._service_context.workspace.kind == "demo":
            words = "The demo calls nobody; in a workspace of your own, this says what came back."
        return AddressCheck(name=name, url=url, ok=ok, words=words)

    def _require_mail_connection(self, tx: Tx, connection_id: str | None) -> None:
        if connection_id is None:
            return
        try:
            connection = connections.get(tx, connection_id)
        except NotFound:
            raise _invalid_mail_connection("This connection is not there (any more).") from None
        if not can_send_mail(self._apps, connection.app_key):
            raise _invalid_mail_connection(f"The connection “{connection.screen_name}” cannot send mail.")
        if not belongs_to_admin(tx, connection):
            raise _invalid_mail_connection(OWNER_IS_NOT_ADMIN)


def _invalid_mail_connection(words: str) -> ValidationFailed:
    return ValidationFailed(
        {"mailConnectionId": [words]}, happened=words, todo="Choose a connection of an app that sends mail."
    )
