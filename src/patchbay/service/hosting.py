"""How the workspace is reached from outside: its public address, and the test of it."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from patchbay.domain.audit import AuditAction
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
from patchbay.service.mailing import NOT_OF_AN_ADMIN, SETTINGS, can_send, is_of_an_admin, stored_settings
from patchbay.service.parts import Operations, Parts
from patchbay.service.place import CALLBACK_PATH
from patchbay.service.public_address import checked_public_address, shows_proof, words_for
from patchbay.storage.repositories import connections, meta
from patchbay.storage.repositories.rows import Tx

PROBE_SECONDS = 10.0


class HostingOperations(Operations):
    """What a person decides about the service, and whether calls from outside arrive."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._proofs: dict[str, str] = {}

    async def service_settings(self) -> ServiceSettings:
        return await self._db.read(stored_settings)

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
                self._require_mail(tx, wanted.mail_connection_id)
            meta.put(tx, SETTINGS, wanted.model_dump_json())

        await self._commit(work, AuditAction.UPDATED, ResourceType.WORKSPACE)
        self._parts.workspace.public_address = wanted.public_address
        self._parts.http.network.configure(wanted.outgoing_addresses, wanted.allowed_addresses)
        self._changes.tell(ResourceType.WORKSPACE)
        if wanted.public_address != before.public_address:
            self._changes.tell(ResourceType.FLOW)  # the addresses of their webhooks
        return wanted

    async def test_public_address(self, address: str | None = None) -> AddressTest:
        """Call the webhooks and the redirect address from here, without following redirects."""
        place = self._parts.workspace
        base = checked_public_address(address) or place.outside()
        if base is None or place.outside() is None:
            raise Conflict(
                "Nothing listens here, so no call can arrive.",
                todo="Start the service (patchbay serve) or open the window.",
            )
        with self._calls_expected(base) as nonce:
            checks = (
                await self._address_check("Webhooks", base + SELF_TEST_PATH, f"/{nonce}"),
                await self._address_check("Sign-ins", base + CALLBACK_PATH, f"?{SELF_TEST_QUERY}={nonce}"),
            )
        await self._note(AuditAction.TESTED, ResourceType.WORKSPACE)
        return AddressTest(address=base, checks=checks)

    def proof(self, nonce: str) -> str | None:
        """What shows that this process was reached by the call it made with this nonce."""
        return self._proofs.get(nonce)

    @contextmanager
    def _calls_expected(self, base: str) -> Iterator[str]:
        """A nonce that is answered, at the name in this address, while the block runs."""
        nonce, host = secrets.token_urlsafe(24), urlsplit(base).hostname or ""
        self._proofs[nonce] = secrets.token_urlsafe(24)
        self._parts.workspace.tried.append(host)
        try:
            yield nonce
        finally:
            del self._proofs[nonce]
            self._parts.workspace.tried.remove(host)

    async def _address_check(self, name: str, url: str, marked: str) -> AddressCheck:
        """Call `url` with what makes the call ours, which is shown to nobody."""
        from patchbay.integration.probe import probe  # with the HTTP client, which little else needs at once

        try:
            found = await probe(self._parts.http, url + marked, PROBE_SECONDS)
        except AppError as error:
            own = self._parts.workspace.address() or ""
            return AddressCheck(name=name, url=url, ok=False, words=words_for(error, url, own))
        ok = shows_proof(found, self._proofs.values())
        words = "The call arrived here." if ok else words_for(found, url)
        if self._parts.workspace.kind == "demo":
            words = "The demo calls nobody; in a workspace of your own, this says what came back."
        return AddressCheck(name=name, url=url, ok=ok, words=words)

    def _require_mail(self, tx: Tx, connection_id: str | None) -> None:
        if connection_id is None:
            return
        try:
            connection = connections.get(tx, connection_id)
        except NotFound:
            raise _no_mail("This connection is not there (any more).") from None
        if not can_send(self._apps, connection.app_key):
            raise _no_mail(f"The connection “{connection.screen_name}” cannot send mail.")
        if not is_of_an_admin(tx, connection):
            raise _no_mail(NOT_OF_AN_ADMIN)


def _no_mail(words: str) -> ValidationFailed:
    return ValidationFailed(
        {"mailConnectionId": [words]}, happened=words, todo="Choose a connection of an app that sends mail."
    )
