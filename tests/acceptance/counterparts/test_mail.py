"""Dovecot and Postfix, from Debian's packages: a message that arrives is answered by another."""

from collections.abc import Iterator
from typing import ClassVar

import pytest
from tests.support import flow_files as files
from tests.support.mail_service import (
    ADA,
    GRACE,
    PASSWORD,
    MailService,
    mail_service,
    message,
    needs_mail_service,
)
from tests.support.served_app_tests import ConnectionTests, ServedAppTests, changed

pytestmark = [pytest.mark.acceptance, needs_mail_service]


@pytest.fixture(scope="module")
def server() -> Iterator[MailService]:
    with mail_service() as running:
        yield running


class MailAccountTests(ConnectionTests):
    """What both mail apps have in common."""

    bad = {"password": "planted-wrong-5512"}
    app: ClassVar[str]

    def fields(self, server, app=""):
        account = server.account(app or self.app, useTls="false")
        return {key: value for key, value in account.items() if key != "password"}

    def good(self, server):
        return {"password": PASSWORD}

    def withdrawn(self, server):
        return changed(server.set_password, "another-one-1", PASSWORD)


class TestSmtp(MailAccountTests):
    app, screen_name = "smtp", "Ada by smtp"
    rejection = "535 5.7.8 Error: authentication failed"


class TestImap(MailAccountTests, ServedAppTests):
    """Receives with IMAP, and sends with SMTP."""

    app, screen_name = "imap", "Ada by imap"
    rejection = "[AUTHENTICATIONFAILED] Authentication failed."

    def connect_others(self, patchbay, server):
        added = patchbay.connect("smtp", self.fields(server, "smtp"), password=PASSWORD)
        assert added.code == 0, added

    def trigger(self, server):
        return files.step("imap", "newMail", folder="INBOX")

    def action(self, server):
        subject = "Re: {{step.#1.subject}}"
        return files.step("smtp", "sendEmail", fromEmail=ADA, to=GRACE, subject=subject, body="Thank you")

    def happen(self, server):
        server.send(message("Grüße", "Hello", to=ADA, sender=GRACE))
        server.arrived("Grüße")

    def check_effect(self, server, trigger, action):
        assert trigger["subject"] == "Grüße"
        answer = server.arrived("Re: Grüße", GRACE)
        assert (answer["From"], answer.get_content().strip()) == (ADA, "Thank you")
