"""The connection to a mail server: host, port, encryption, user name, and password."""

from patchbay.integration import Auth
from patchbay.integration.mail_server import mail_fields

from ..session import DEFAULT_SECURITY, PORTS
from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=mail_fields(PORTS, DEFAULT_SECURITY, sign_in=False, example="smtp.example.com"),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
