"""The demo's mail server: a client that responds to its own commands and sends nothing."""

from typing import Any

from aiosmtplib import SMTP, SMTPResponse

from patchbay.demo.offline import decoded, is_rejected
from patchbay.domain.base import EpochMs

_OK, _START_TLS, _CLOSING, _SIGNED_IN, _REJECTED = 250, 220, 221, 235, 535
_EXTENSIONS = ("STARTTLS", "AUTH PLAIN LOGIN", "SIZE 26214400", "8BITMIME", "SMTPUTF8")


class DemoMailClient(SMTP):
    """A client that is connected to the demo's mail server."""

    def __init__(self, host: str, now: EpochMs) -> None:
        super().__init__(hostname=host, local_hostname="[127.0.0.1]")
        self._host, self._now = host, now

    async def execute_command(self, *args: bytes, **options: Any) -> SMTPResponse:
        """The response to a command."""
        match args[0]:
            case b"EHLO":
                return SMTPResponse(_OK, "\n".join((self._host, *_EXTENSIONS)))
            case b"QUIT":
                return SMTPResponse(_CLOSING, "Bye")
            case b"AUTH" if is_rejected(decoded(args[-1])):
                return SMTPResponse(_REJECTED, "5.7.8 Authentication credentials invalid")
            case b"AUTH":
                return SMTPResponse(_SIGNED_IN, "2.7.0 Authentication successful")
            case _:
                return SMTPResponse(_OK, "2.1.0 Ok")

    async def starttls(self, **options: Any) -> SMTPResponse:
        """Nothing to encrypt: nothing is sent."""
        return SMTPResponse(_START_TLS, "2.0.0 Ready to start TLS")

    async def data(self, message: str | bytes, /, **options: Any) -> SMTPResponse:
        """Accept a message, and drop it."""
        return SMTPResponse(_OK, f"2.0.0 Ok: queued as {self._now}")
