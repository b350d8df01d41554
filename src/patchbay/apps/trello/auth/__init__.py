"""The connection to Trello: an API key, and a sign-in that returns a token."""

from patchbay.integration import Auth, AuthField, oauth_fields

from .is_still_verified import is_still_verified
from .sign_in import sign_in
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        oauth_fields()[0],
        AuthField(key="apiKey", label="API key", required=True, secret=False, decides_destination=False),
    ),
    generate_auth_url=sign_in.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
