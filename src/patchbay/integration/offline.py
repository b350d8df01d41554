"""What replaces the network in a workspace that is offline, such as the demo.

HTTP requests are handled by the transport of the `HttpFactory`. For what isn't HTTP, `OutgoingGuard.offline`
has the services of this protocol; app code that opens other connections asks `ctx.offline` first.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from patchbay.domain.errors import AppError

if TYPE_CHECKING:
    from aiosmtplib import SMTP

    from patchbay.integration.local_files import FileSystem
    from patchbay.integration.mail_server import MailServer
    from patchbay.integration.sql import Login, Session


class OfflineServices(Protocol):
    """Simulated databases, mail servers, and pages of sign-ins."""

    def offline_error(self, host: str) -> AppError:
        """The error for a connection to a host that isn't simulated."""
        ...

    def open_database(self, login: "Login") -> "AbstractAsyncContextManager[Session]":
        """A session of a simulated database. Raises `AppError`s when it is entered."""
        ...

    def mail_client(self, server: "MailServer") -> "SMTP":
        """A connected client of a simulated mail server. Raises `AppError`s."""
        ...

    @property
    def files(self) -> "FileSystem":
        """Simulated files, which take the place of those of this computer."""

    def visit_sign_in_page(self, url: str) -> Mapping[str, str]:
        """The query with which a browser returns from a sign-in page, after access was allowed there."""
        ...

    @property
    def sign_in_notice(self) -> str:
        """The sentence that people read during a sign-in, because no browser opens."""
        ...
