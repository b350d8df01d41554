"""The connection to Eventbrite: a sign-in with an API key of the user's own."""

from patchbay.integration import Auth, oauth_fields

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

auth = Auth(
    fields=oauth_fields(client_id_label="API key"),
    generate_auth_url=oauth.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
