"""The connection to a PostgreSQL database."""

from patchbay.integration import Auth
from patchbay.integration.sql import login_fields

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=login_fields(5432, version="PostgreSQL version"),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
